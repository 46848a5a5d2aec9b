"""Laws that make a predicate smaller, or let a file reader skip row groups, and never change the rows where it holds.

The idea: a rule looks at one node whose parts are already rewritten, and returns another node or the same one. The
rules are applied bottom-up, in order, until nothing changes.

Invariants:

- A predicate holds where it is TRUE; FALSE and NULL are the same to every rule.
- A rule returns the node itself where it has nothing to say, so that identity tells whether anything changed.

Deliberately not here: what pays off only in Spark's generated code (``spark_plan``), and text (``sql``).

In reading order: ``optimizer`` (the rules and the driver), ``unwrap_casts``, ``invert_text``, ``solve_timestamp``,
``combine_in_lists``, ``redundant_null_checks``.
"""
