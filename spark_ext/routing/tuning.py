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

# Sizes of generated methods in bytes of bytecode (codegen_budget): each was measured and rounded up.

#: Maximum estimated size of one method: HotSpot compiles methods of up to 8,000 bytes.
METHOD = 7_400

#: Maximum number of operations of a condition in one method. An operation has up to 40 bytes, measured for arithmetic
#: on Java's primitive numbers.
OPERATIONS = 150

#: Size of a walk through the automaton.
WALK = 4_700

#: Size of splitting a routing key into words for lookups, and size of each column of a word.
WORDS, WORD = 300, 100

#: Size of one node of a compiled condition: 150 operations had 6,000 bytes.
CONDITION = 40

#: Size of passing a value of a map to another method, in all types that it can have.
READ = 450

#: Size of concatenating lists of deliveries.
NESTED = 420

#: Size of a lookup without keys and tables, of each key, of each operation in a key, and of each field that a key
#: reads.
LOOKUP, KEY, KEY_OPERATION, KEY_FIELD = 80, 90, 60, 90

#: Size of a table without conditions, and size of a table with conditions for each method that tests its rows.
TABLE, TESTED_TABLE = 100, 340

#: Size of reading and writing a row, of each map or array in the row, of each struct, of each leaf of a struct, and of
#: each other column.
MESSAGE, COLLECTION, STRUCT, LEAF, COLUMN = 620, 400, 150, 15, 60

# Tables (constant_tables, plans, session_tables).

#: Minimum size in bytes at which a table is not embedded in Spark's plan, because Spark hashes, compares and projects
#: embedded rows one by one.
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
