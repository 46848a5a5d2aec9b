"""The tuning constants of routing: none changes a delivery, each trades one speed or size for another.

Modules read them at use, as ``tuning.MIN_ROWS``, so that a test can set one. Where no measurement is named, the value
is a choice on record without one. The engine's own constants are in ``spark_ext.routing.tuning``; what a user
meets as an error, as the paths of ``exchange_graph``, stands where it is used.
"""

from __future__ import annotations

# Constant tables or compiled conditions (plan, signatures).

#: Rules from which on a signature has a constant table. A look-up costs about as much as so many compiled conditions.
MIN_ROWS = 12

#: Rules that are compiled at most, which bounds the size of the query; beyond it, the signatures with the most rules
#: have tables all the same.
MAX_COMPILED = 600

#: Rules of rare signatures with a key up to which they are compiled; more of them are rows of merged tables.
MAX_KEYED = 60

#: Nodes of a signature's guard and residual beyond which its rules are compiled one by one: a residual is tested inside
#: a lambda, where no part of it gets a method of its own.
MAX_RESIDUAL = 2_000

#: Deliveries of one row of constants, and of all rows on the average, up to which the row is repeated for each of them
#: and not kept with a list of them. At a million selectors a few rows in a thousand deliver twice; repeating them made
#: the tables a third smaller.
MAX_REPEATS = 4
MAX_REPEATED = 1.1

#: Disjuncts that the short lists of a condition may make together, and those with one long list besides, each with
#: rows of its own; a condition that would need more is tested as a whole.
MAX_DISJUNCTS, MAX_LISTED = 64, 4_096

#: Values of the constants inside arithmetic up to which each has a signature of its own (specialize).
MAX_SPECIALIZED = 16

#: False to look a value of a map up in each condition that names it (common_lookups).
COMMON_LOOKUPS = True

# Merging of signatures (merge_signatures).

#: Signatures up to which each has a table to itself, and those that keep one where there are more, the largest ones.
MAX_TABLES, UNMERGED_TABLES = 40, 16

#: Combinations of keys that merged signatures may have. With more, each keeps one key, which has the most values.
MAX_KEY_SETS = 8

#: Nodes of all terms of a merged signature, which are tested in one method: with 90 the largest had 7,400 bytes, with
#: 140 it had 12,000, and HotSpot compiles up to 8,000.
MAX_MERGED = 90

# Indexes of the rows under one key (plan, interval_index, substring_index).

#: Rows of constants under one key from which on they have an index. Fewer are tested in turn.
MIN_INDEXED = 64

#: Buckets of an interval index for each bound, before rounding up to a power of two, and the bounds of one bucket up
#: to which a message's leaf is its bucket: it tests the rows of all bounds in it.
INTERVAL_BUCKETS, BUCKET_BOUNDS = 2, 8

#: Numbers of rows in an interval index, for each row. With more, the tree has fewer levels.
INTERVAL_ROOM = 24

#: Lengths of the substrings that a message's value is cut into, and characters of one at most. Each length is one more
#: pass over the value; a longer text has the substring at its beginning as its key.
GRAM_LENGTHS, MAX_GRAM = 3, 24

#: Characters that substrings may begin with, up to which others are passed over.
MAX_FIRST = 64

# Topics: look-ups of words, or the automaton (topic_words, topic_automaton).

#: Signatures of binding keys with wildcards that are looked up, and the least share of these keys that they must have;
#: with fewer all of them go to the automaton. The sixteen largest signatures of random wildcards have 0.7, and looking
#: them up took up to 2.5 times as long as the automaton.
TOPIC_LOOK_UPS, LOOKED_UP = 16, 0.9

#: Numbers in the automaton, for each node of the trie, that may repeat what is elsewhere in it. Several nodes as one
#: state are one look-up where they were up to twenty, and repeat the edges of the nodes.
AUTOMATON_ROOM = 8

#: Places at once that are tried for the begin of a state, an even number. All of a chunk cost about as much as one, and
#: a chunk where a state does not fit is left to states of fewer edges.
CHUNK_PLACES = 4_096

# Changes of a compiled topology (compiled_topology, binding_buckets).

#: Bindings, or queues, of one bucket on the average: a change decodes the buckets of the queues that it touches, in a
#: few milliseconds each. Smaller ones make the file larger, by a header of some 1,300 bytes each.
BUCKET_SIZE = 1_000

#: Bindings, or queues, up to which a change compiles everything anew. 20,000 took 0.8 to 1.4 CPU seconds on a busy
#: machine, of topics, of topics and headers, and of selectors of five forms, and 50,000 took 2 to 2.9.
COMPILED_ANEW = 25_000

#: Queues that changes of a larger topology may have touched before everything is compiled anew. Their names are in the
#: text of the query.
MAX_CHANGED_QUEUES = 2_000
