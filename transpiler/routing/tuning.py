"""The tuning constants of routing. They affect only speed and size, never a delivery.

Modules read a constant when they use it, as ``tuning.MIN_ROWS``, so that a test can change its value. A value without a
measurement in its comment was chosen without measuring. The constants of the Spark engine are in
``spark_ext.routing.tuning``. Limits that cause errors, such as the paths of ``exchange_graph``, are in the modules that
use them.
"""

from __future__ import annotations

# Constant tables or compiled conditions (plan, signatures).

#: Minimum number of rules for which an expression signature gets a constant table. One lookup in such a table takes
#: about as long as this number of compiled conditions.
MIN_ROWS = 12

#: Maximum number of compiled rules, which limits the size of the query. Beyond that, even rare expression signatures
#: get constant tables, those with the most rules first.
MAX_COMPILED = 600

#: Maximum number of compiled rules of rare expression signatures with a lookup key. If there are more, they become rows
#: of merged constant tables.
MAX_KEYED = 60

#: Maximum number of nodes in the guard and the residual predicate of an expression signature with a constant table. The
#: rules of a larger signature are compiled one by one, because Spark cannot split the lambda that tests the residual
#: predicate.
MAX_RESIDUAL = 2_000

#: A constant table repeats a row for each of its deliveries if no row has more than ``MAX_REPEATS`` deliveries, and the
#: average is at most ``MAX_REPEATED``. Otherwise each row has a list of deliveries. With a million selectors, of which
#: a few in a thousand had two deliveries, tables without lists were a third smaller.
MAX_REPEATS = 4
MAX_REPEATED = 1.1

#: A condition is split into disjuncts, and each disjunct has its own rows. A list of alternatives is split only if
#: there were at most ``MAX_DISJUNCTS`` disjuncts before and there are at most ``MAX_LISTED`` after it, so that one list
#: may be long.
MAX_DISJUNCTS, MAX_LISTED = 64, 4_096

#: Maximum number of distinct constants inside arithmetic for which each gets its own expression signature (module
#: ``specialize``).
MAX_SPECIALIZED = 16

#: True to look up each value of a map once for each message, False to look it up in each condition that reads it
#: (common_lookups).
COMMON_LOOKUPS = True

# Merging of expression signatures (module ``merge_signatures``).

#: ``MAX_TABLES``: maximum number of expression signatures that all have their own constant tables. ``UNMERGED_TABLES``:
#: if there are more signatures, the maximum number that keep their own constant tables, those with the most rules.
MAX_TABLES, UNMERGED_TABLES = 40, 16

#: Maximum number of combinations of lookup keys in merged expression signatures. If there are more, each signature
#: keeps only its lookup key with the most distinct values.
MAX_KEY_SETS = 8

#: Maximum number of nodes in all terms of a merged expression signature, which are tested in one Java method. With 90
#: nodes the largest method had 7,400 bytes, with 140 nodes 12,000; HotSpot compiles methods of up to 8,000 bytes.
MAX_MERGED = 90

# Indexes of the rows under one key (plan, interval_index, substring_index).

#: Minimum number of rows under one key at which these rows get an index. Fewer rows are tested one by one.
MIN_INDEXED = 64

#: ``INTERVAL_BUCKETS``: number of buckets of an interval index for each bound, before rounding up to a power of two.
#: ``BUCKET_BOUNDS``: maximum number of bounds in a bucket. A message tests the rows of all bounds in its bucket.
INTERVAL_BUCKETS, BUCKET_BOUNDS = 2, 8

#: Maximum average number of nodes of an interval index that contain one row. A higher limit gives fewer levels.
INTERVAL_ROOM = 24

#: Maximum number of different lengths of grams, and maximum length of a gram, in characters. Each length needs one pass
#: over the message's value.
GRAM_LENGTHS, MAX_GRAM = 3, 24

#: Maximum number of characters in the class of a regular expression that finds grams: the characters that can follow
#: the grams' common prefix. If there are more, the expression has a dot instead.
MAX_FIRST = 64

# Matching of routing keys with topic binding keys: by lookups of words, or by the automaton (modules ``topic_words``
# and ``topic_automaton``).

#: ``TOPIC_LOOK_UPS``: maximum number of word signatures that get a lookup. ``LOOKED_UP``: minimum share of the binding
#: keys with wildcards that these signatures must cover; otherwise the automaton matches all of these keys. For random
#: wildcards, the sixteen most frequent signatures covered 0.7, and their lookups took up to 2.5 times as long as the
#: automaton.
TOPIC_LOOK_UPS, LOOKED_UP = 16, 0.9

#: Maximum number of duplicated array elements in the automaton for each node of the trie. Merging nodes into one state
#: replaces up to twenty lookups by one, and duplicates the edges of these nodes.
AUTOMATON_ROOM = 8

#: Number of array offsets that are tested at once for a new state, in about the time of one offset; an even number. A
#: chunk of offsets in which a state does not fit is tried again only for states with fewer edges.
CHUNK_POSITIONS = 4_096

# Changes of a compiled topology (compiled_topology, binding_buckets).

#: Average number of bindings or queues in one bucket. A change decodes the buckets of the queues that it touches, in a
#: few milliseconds for each bucket. Smaller buckets make the file larger, by about 1,300 bytes for each bucket.
BUCKET_SIZE = 1_000

#: Maximum number of bindings or queues for which a change recompiles the whole topology. On a busy machine 20,000
#: bindings with topics, with topics and headers, or with selectors of five forms took 0.8 to 1.4 CPU seconds, and
#: 50,000 bindings took 2 to 2.9.
COMPILED_ANEW = 25_000

#: Maximum number of queues that changes of a larger topology can touch before the whole topology is recompiled. The
#: limit exists because the text of the query contains the names of these queues.
MAX_CHANGED_QUEUES = 2_000
