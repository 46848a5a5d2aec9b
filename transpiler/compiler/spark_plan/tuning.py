"""The tuning constants of the plans for Spark. They never change results; each constant trades one cost for another.

Modules read a constant each time they use it, as ``tuning.MIN_TERMS``, so that tests can change it. A constant without
a measurement is a choice that was not measured. Facts of Java and Spark, such as the limit of 2**53 up to which a
double represents every integer, are in the modules that use them.

There are two models of the size of a generated method. Both are based on HotSpot's limit of 8,000 bytes of bytecode: a
longer method is never compiled, but runs in the interpreter (``-XX:-DontCompileHugeMethods`` lifts the limit).

- ``METHOD_BYTES``, ``NODE_BYTES``, ``CONSTANT_BYTES`` and ``LOOKUP_BYTES`` here estimate an upper bound for a
  *predicate*, node by node; the code that does not fit is split off.
- The sizes in ``spark_ext.routing.tuning`` were measured for the *operators* of a route, element by element, and
  rounded up; they determine which operators are fused.

``METHOD_BYTES`` and ``METHOD`` in that module are both derived from the limit, minus the code that the model does not
cover; ``NODE_BYTES`` and the 40 bytes for each operation in ``OPERATIONS`` both estimate one node. The 60 bytes for a
node there are for the keys of look-ups and exceed the bound here. So neither model can replace the other without
changing plans.
"""

from __future__ import annotations

# The following constants are for long ORs and ANDs that become tables of constants (constant_tables, map_lookups).

#: Minimum number of similar terms for which a chain becomes a list, a map or one regular expression. Shorter chains
#: stay unchanged, because they are easier to read and can be pushed down to a file reader.
MIN_TERMS = 16

#: Maximum number of different lengths of the prefixes in tests such as ``LIKE 'abc%'`` (or of the suffixes) for which
#: each length gets an IN list. With more lengths, all prefixes become one regular expression. Lists are faster: with
#: 10,000 suffixes, each message took 3.6 µs with lists and 12.4 µs with the expression.
MAX_LENGTHS = 16

#: Minimum number of ranges that are divided into chunks. An OR of 10,000 ranges over the canonical schema took 53 to
#: 72 µs of CPU a message without chunks, and 4.6 µs with them.
MIN_CHUNKED = 64

# The following constants are for splitting a predicate into Java methods (method_splitting), in bytes of bytecode.

#: Maximum size of one method. The rest of HotSpot's 8,000 bytes is for the code that Spark adds to a predicate.
METHOD_BYTES = 7_000

#: Maximum size of a subexpression that does not get a separate method.
INLINE_BYTES = 800

#: Size of the code that calls a separate method and uses its result, in the calling method.
CALL_BYTES = 200

#: A predicate that contains a single test of more than this size is not split into separate methods. Measured with
#: 200,000 messages and sums of four and five properties: splitting was never faster, and in three of four dialects it
#: took 1.2 to 2 times as long.
LONG_TEST_BYTES = 2_000

#: Maximum factor by which splitting into separate methods may lengthen the SQL, which contains each separate part
#: twice. Long ORs of tests of properties grow three to four times and become ten times as fast. Comparisons of two
#: properties of any type grow six times and do not become faster.
MAX_GROWTH = 5

#: Maximum size of the bytecode for one node of a predicate, without its children, in bytes.
NODE_BYTES = 40

#: Maximum size of the bytecode for one constant, in bytes.
CONSTANT_BYTES = 10

#: Size of the code for one map look-up, which is a loop over the keys. Together with the nodes of the column and of its
#: test this is 250 bytes, the measured size of a test of a map value.
LOOKUP_BYTES = 170
