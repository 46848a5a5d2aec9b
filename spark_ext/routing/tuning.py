"""The tuning constants of routing in Spark: none changes a delivery, each trades one speed or size for another.

Modules read them at use, as ``tuning.METHOD``, so that a test can set one. Where no measurement is named, the value
is a choice on record without one. Those of the plan itself are in ``transpiler.routing.tuning``.
"""

from __future__ import annotations

# The walk through the automaton of topics (topic_sql).

#: States from which on those that are there twice are looked for.
MANY_STATES = 64

# Compiled conditions (query).

#: Compiled conditions in one array.
BLOCK = 25

#: Compiled conditions up to which a projection may be fused with its neighbours: see ``codegen_budget``.
FUSED = 10

# Sizes of generated methods in bytes of bytecode (codegen_budget): each was measured and rounded up.

#: Bytes that one method may hold by this reckoning: HotSpot compiles up to 8,000.
METHOD = 7_400

#: Operations of a condition in one method, of up to 40 bytes each: measured over arithmetic in Java's numbers.
OPERATIONS = 150

#: A walk through the automaton.
WALK = 4_700

#: Splitting a routing key into words that are looked up, and each of their columns.
WORDS, WORD = 300, 100

#: A node of a compiled condition: 150 operations were 6,000 bytes.
CONDITION = 40

#: Handing a value of a map on to another method, in all its types.
READ = 450

#: Concatenating lists of deliveries.
NESTED = 420

#: A look-up without its keys and its tables; each key, each operation in it and each field that it reads.
LOOKUP, KEY, KEY_OPERATION, KEY_FIELD = 80, 90, 60, 90

#: A table without conditions, and one for each method that tests its rows.
TABLE, TESTED_TABLE = 100, 340

#: Reading and writing a row; a map or an array of it; a struct and each of its leaves; any other column.
MESSAGE, COLLECTION, STRUCT, LEAF, COLUMN = 620, 400, 150, 15, 60

# Tables (constant_tables, plans, session_tables).

#: Bytes from which on a table is no part of the plan: rows in a plan are hashed, compared and projected one by one.
LOCAL_TABLE = 1 << 17

#: Rows of all look-ups up to which they are in one table, which is one job for each query and not one for each look-up.
#: A row of it has eight bytes for each field of the others.
SHARED_ROWS = 10_000

#: Bytes of a table that go with one task. Spark warns of tasks from 1,000 KiB on.
TASK = 1 << 19

#: False to make a plan's tables anew for each query.
KEPT_TABLES = True

#: Plans that are kept of one topology: with and without choices, or over two layouts.
KEPT_PLANS = 2
