"""From surface trees, filters and bindings to the typed intermediate representation of ``transpiler.ir``.

The idea: an operand is a tuple of typed alternatives, of which at most one is not NULL in a row, and a condition is
lowered by polarity: as the predicate that holds where it is TRUE, or as the one that holds where it is FALSE. Unknown
is where neither holds, so SQL never has to negate a condition.

Invariants:

- A lowered predicate holds in exactly the rows where the reference evaluator gives that truth value.
- No module outside ``layouts`` decides which column a value comes from; names are resolved here, through the layout.

Deliberately not here: rules that make a predicate smaller (``rewrites``), the planner for Spark (``spark_plan``), SQL
text (``sql``), and the sharing of one predicate by many bindings (``routing``).

In reading order: ``operands``, ``names``, ``headers``, ``comparison``, ``arithmetic``, ``lowering`` for the dialect
``jms``; ``typed``, ``broker_names``, ``comparison_kinds``, ``broker_comparison``, ``broker_arithmetic``,
``broker_functions``, ``broker_text``, ``broker_lowering`` for the brokers; ``selectors`` chooses between the two.
Then ``bindings`` with ``equality_tests``, ``header_pairs`` and ``xquery``, which ``filters``, ``addresses`` and
``routing`` share.
"""
