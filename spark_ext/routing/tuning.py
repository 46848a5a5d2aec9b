"""The tuning constants of routing in Spark. They affect only speed and size, never a delivery.

Modules read a constant when they use it, as ``tuning.METHOD``, so that a test can change its value. A value without a
measurement in its comment was chosen without measuring. The constants of the plan are in ``transpiler.routing.tuning``.
"""

from __future__ import annotations

# The walk through the automaton of topics (topic_sql).

#: Minimum number of reached states at which duplicates are removed.
MANY_STATES = 64

# Compiled conditions (query).

#: Maximum number of compiled conditions in one array.
BLOCK = 25

#: Maximum number of compiled conditions in a projection that is fused with its neighbours: see ``codegen_budget``.
FUSED = 10

# Sizes of code in generated methods (codegen_budget): each size was measured, and rounded up.

#: Maximum estimated bytecode of one generated method, in bytes: HotSpot compiles methods of up to 8,000 bytes.
METHOD = 7_400

#: Maximum number of operations of a condition in one generated Java method. An operation has up to 40 bytes of
#: bytecode, measured for arithmetic on Java's primitive numbers.
OPERATIONS = 150

#: Bytecode of a walk through the topic automaton, in bytes.
WALK = 4_700

#: ``WORDS``: size of the bytecode that splits a routing key into words for lookups, in bytes. ``WORD``: its additional
#: size for each column that contains a word.
WORDS, WORD = 300, 100

#: Bytecode of one node of a compiled condition, in bytes: a condition of 150 nodes had 6,000 bytes.
CONDITION = 40

#: Bytecode of one column that passes a value of a map, with all its possible types, to the next method, in bytes.
READ = 450

#: Bytecode of concatenating lists of deliveries, in bytes.
NESTED = 420

#: Bytecode of a lookup without keys and tables, of each key, of each operation in a key, and of each struct field that
#: a key reads, in bytes.
LOOKUP, KEY, KEY_OPERATION, KEY_FIELD = 80, 90, 60, 90

#: Bytecode of a table without residual predicate, and of each method that tests a residual predicate, in bytes.
TABLE, TESTED_TABLE = 100, 340

#: Bytecode of reading and writing a row of messages, and in addition each map or array, each struct, each leaf of a
#: struct, and each other column, in bytes.
MESSAGE, COLLECTION, STRUCT, LEAF, COLUMN = 620, 400, 150, 15, 60

# Tables (constant_tables, plans, session_tables).

#: Size in bytes from which a table is kept out of Spark's plan. Spark would hash, compare and project its rows one by
#: one if they were embedded in the plan.
LOCAL_TABLE = 1 << 17

#: Maximum number of rows of all lookups that share one table, which takes one Spark job for each query instead of one
#: job for each lookup. Each row of the shared table has eight unused bytes for each field of the other lookups.
SHARED_ROWS = 10_000

#: Maximum size of the rows of a table in one task, in bytes. Spark warns about tasks of 1,000 KiB and more.
TASK = 1 << 19

#: True to cache a plan's tables for later queries, False to build them for each query.
KEPT_TABLES = True

#: Maximum number of plans that are cached for one topology, for example with and without choices, or for two layouts.
KEPT_PLANS = 2
