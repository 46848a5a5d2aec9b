"""The tuning constants of routing: none changes a delivery, each trades one speed or size for another.

Modules read them at use, as ``tuning.MIN_ROWS``, so that a test can set one. Where no measurement is named, the value
is a choice on record without one. The engine's own constants are with the engine (``spark_ext.routing``); what a user
meets as an error, as the paths of ``exchange_graph``, and what two engines must agree on, as the hash of
``cuckoo_table``, stand where they are used.
"""

from __future__ import annotations

# Constant tables or compiled conditions (plan, signatures).

#: Rules from which on a signature has a constant table. A look-up costs about as much as so many compiled conditions.
MIN_ROWS = 12

#: Rules that are compiled at most, which bounds the size of the query; beyond it, the signatures with the most rules
#: have tables all the same.
MAX_COMPILED = 600

#: Nodes of a signature's guard and residual beyond which its rules are compiled one by one: a residual is tested inside
#: a lambda, where no part of it gets a method of its own.
MAX_RESIDUAL = 2_000

#: Deliveries of one row of constants, and of all rows on the average, up to which the row is repeated for each of them
#: and not kept with a list of them. At a million selectors a few rows in a thousand deliver twice; repeating them made
#: the tables a third smaller.
MAX_REPEATS = 4
MAX_REPEATED = 1.1

#: Disjuncts that one condition may become, each with rows of its own; one that would need more is tested as a whole.
MAX_DISJUNCTS = 64

# Interval indexes (plan, interval_index).

#: Rows of constants under one key from which on a message searches an interval tree. Fewer are tested in turn.
MIN_INTERVALS = 64

# The automaton of topics (topic_automaton).

#: Numbers in the automaton, for each node of the trie, that may repeat what is elsewhere in it. Several nodes as one
#: state are one look-up where they were up to twenty, and repeat the edges of the nodes.
AUTOMATON_ROOM = 8

#: Places that are tried for the edges of a state before they go behind all others. Bounds the time to build.
MAX_TRIED_PLACES = 200

# The hash table of words (cuckoo_table).

#: Slots of one row for each word, as a fraction, before rounding up to a power of two: the two rows together have at
#: least 2.5 slots a word, for cuckoo hashing with one word a slot fails above a half full.
ROW_SLOTS, ROW_WORDS = 5, 4

#: Slots of a row at least, as a power of two.
MIN_ROW_BITS = 3

#: Words that are moved to put one word in its place, before the rows are doubled.
MAX_MOVES = 500

# Changes of a compiled topology (compiled_topology).

#: Queues that changes may have touched before everything is compiled anew. Their names are in the text of the query.
MAX_CHANGED_QUEUES = 2_000
