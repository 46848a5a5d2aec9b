"""Lowering of surface trees, filters and bindings to the intermediate representation (``transpiler.compiler.ir``).

The idea: an operand is a tuple of typed alternatives, of which at most one applies in a row. A condition is lowered by
polarity, to three predicates: one for the rows in which it is TRUE, one for FALSE, and one for the rows in which its
evaluation ends in an error. Each predicate is lowered only when it is needed. In all other rows the condition is
unknown, so the SQL never negates a condition. All dialects share this code; each rule of a ``Dialect`` is applied in
one place.

Invariants:

- A lowered predicate holds in exactly the rows for which the reference evaluator returns that truth value.
- No module outside ``layouts`` decides which column a value comes from; names are resolved here, through the layout.

Deliberately not here: rules that make a predicate smaller (``rewrites``), the planner for Spark (``spark_plan``), SQL
text (``sql``), and the tables of a whole topology, whose predicates have parameters (``routing``).

In reading order: ``operands``, ``names``, ``comparison``, ``text``, ``arithmetic``, ``selectors``; for filters and
bindings ``equality_tests``, ``header_pairs``, ``paths`` and ``conditions``; and ``jms_type_sql``.
"""
