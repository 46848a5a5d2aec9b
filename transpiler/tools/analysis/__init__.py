"""All questions about conditions: never or always true, implied, contained, equivalent, and the message that parts two.

The idea: a test of one name is decided by finitely many values of that name, which the reference evaluator judges. So
a condition has finitely many cases, and a question is one about outcomes in all of them. There is no second semantics
of a dialect here: what a value answers is asked, never derived.

Invariants: "impossible" is a proof. A message that is returned was judged. What is open says why. Representatives are
the same in every run, and the likeliest values come first.

Deliberately not here: what the answers are for, and what is said of them (``lint``, ``dialect_tools``, the topology
report, ``explanation``).

In reading order: ``formula``, ``constants``, ``building``; ``pattern_products``, ``representatives``, ``cells``,
``cell_search``; ``samples``, ``solve``; ``subsumption``, ``contained_conditions``.
"""
