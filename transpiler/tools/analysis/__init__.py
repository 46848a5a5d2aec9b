"""Decision procedures for conditions: never or always true, implied, contained, equivalent, and a message that differs.

The idea: finitely many values of a name show every outcome that a test of this name can have; the reference evaluator
judges each value. So a condition has finitely many cases, and a question is about the outcomes in all cases. This
package does not define the semantics of a dialect again: it calls the evaluator and derives no outcome itself.

Invariants: "impossible" is a proof. Every message that is returned was judged by the evaluator. An open answer states
its reason. Representatives are the same in every run, and the likeliest values come first.

Deliberately not here: the purposes of the questions, and the wording of the answers (``lint``, ``dialect_tools``, the
topology report, ``explanation``).

In reading order: ``formula``, ``constants``, ``building``; ``pattern_products``, ``representatives``, ``cells``,
``cell_search``; ``samples``, ``solve``; ``subsumption``, ``contained_conditions``.
"""
