"""Lowering of surface trees, filters and bindings to the typed intermediate form of ``transpiler.compiler.ir``.

The idea: an operand is a tuple of typed alternatives, of which at most one stands for it in a row, and a condition is
lowered by polarity: as the predicate that holds where it is TRUE, as the one that holds where it is FALSE, or as the
one that holds where its evaluation ends in an error. Each is lowered when it is asked for. Unknown is where none holds,
so SQL never has to negate a condition. All dialects go one way; each question of a ``Dialect`` is read in one place.

Invariants:

- A lowered predicate holds in exactly the rows where the reference evaluator gives that truth value.
- No module outside ``layouts`` decides which column a value comes from; names are resolved here, through the layout.

Deliberately not here: rules that make a predicate smaller (``rewrites``), the planner for Spark (``spark_plan``), SQL
text (``sql``), and the tables of a whole topology, whose predicates have parameters (``routing``).

In reading order: ``operands``, ``names``, ``comparison``, ``text``, ``arithmetic``, ``selectors``; for filters and
bindings ``equality_tests``, ``header_pairs``, ``paths`` and ``conditions``; and ``jms_type_sql``.
"""
