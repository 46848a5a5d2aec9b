"""The tuning constants of the plans for Spark: none changes an answer, each trades one speed for another.

Modules read them at use, as ``tuning.MIN_TERMS``, so that a test can set one. Where no measurement is named, the value
is a choice on record without one. Facts of Java and Spark, as the 2**53 up to which a double holds every integer,
stand where they are used.

Two models of the size of a generated method exist. Both start from HotSpot's limit of 8,000 bytes of bytecode, beyond
which a method is never compiled and runs in the interpreter (``-XX:-DontCompileHugeMethods`` lifts it):

- ``METHOD_BYTES``, ``NODE_BYTES``, ``CONSTANT_BYTES`` and ``LOOKUP_BYTES`` here bound a *predicate* from above, node by
  node; what does not fit is split off.
- The sizes in ``spark_ext.routing.tuning`` were measured over the *operators* of a route, part by part, and rounded
  up; they decide what is fused.

``METHOD_BYTES`` and ``METHOD`` there are two measurements of the one limit, each less what its model does not
see; ``NODE_BYTES`` and the 40 bytes of an operation behind ``OPERATIONS`` there are two of one node. The 60
bytes a node there are those of the keys of look-ups, above the bound. So neither model can replace the other without a
change of the plans.
"""

from __future__ import annotations

# Long chains as data (constant_tables, map_lookups).

#: Terms of one kind from which on a chain becomes a list, a map or one regular expression. Shorter ones stay
#: as they are, which reads better and lets a file reader see them.
MIN_TERMS = 16

#: Lengths, in characters, of which beginnings or endings are a list each; with more they are one regular expression.
#: A list is looked up by its hash: 10,000 endings took 3.6 µs a message where the expression took 12.4.
MAX_LENGTHS = 16

# Separate methods (method_splitting), in bytes of bytecode.

#: Bytes of one method. The rest up to HotSpot's 8,000 is for what Spark writes around a predicate.
METHOD_BYTES = 7_000

#: Bytes up to which a part is not worth a method of its own.
INLINE_BYTES = 800

#: Bytes of a call of a separate method, with its answer, in the method that calls.
CALL_BYTES = 200

#: Bytes of one test from which on nothing is cut. Over 200,000 messages sums of four and five properties took as long
#: with blocks as without in one dialect, and 1.2 to 2 times as long in three, for twice the text.
LONG_TEST_BYTES = 2_000

#: The factor by which separate methods may lengthen a text; each block is written twice, and blocks within it again.
#: Long ORs of tests of properties grow three to four times and are evaluated ten times as fast for it; comparisons of
#: two properties of any types grow six times and are evaluated no faster.
MAX_GROWTH = 5

#: Bytes of a node at most, without its parts.
NODE_BYTES = 40

#: Bytes of a constant at most.
CONSTANT_BYTES = 10

#: Bytes of a look-up in a map, a loop over the keys. With the nodes of the column and of its test they are the 250
#: that a test of a map's value was measured to take.
LOOKUP_BYTES = 170
