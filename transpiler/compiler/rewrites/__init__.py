"""Rewrite a predicate by laws that never change the rows where it holds.

The idea: a law makes a predicate smaller, or leaves a bare column beside a constant, with which a file reader can skip
row groups. A law is a function of one node whose parts are already rewritten. The driver applies the laws bottom-up, in
the order of one tuple, until nothing changes.

Invariants:

- A predicate holds where it is TRUE; a law may make NULL of FALSE and FALSE of NULL.
- A law returns the node itself where it has nothing to rewrite, so that identity tells whether anything changed.
- The laws come to an end, and what they leave is a fixed point: no law changes any part of it.

Deliberately not here: what pays off only in Spark's generated code (``spark_plan``), text (``sql``), and arithmetic
on constants, which lowering does while it knows the types of the dialect (``ir.constant_folding``).

In reading order: ``optimizer`` (the table of the laws and the driver), ``simplify`` (those of a few lines); then of one
test, ``fold_constants``, ``match_constants``, ``solve_timestamp``, ``unwrap_casts``, ``invert_text``; and of chains,
``combine_in_lists``, ``substitute_constant``, ``tighten_bounds``, ``merge_comparisons``, ``redundant_null_checks``.
``tests/compiler/rewrites`` has a module a law, with what it leaves.
"""
