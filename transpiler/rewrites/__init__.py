"""Rewrite a predicate by laws that never change the rows where it holds.

The idea: a law makes a predicate smaller, or leaves a bare column beside a constant, with which a file reader can skip
row groups. A rule is a law as a function of one node whose parts are already rewritten. The driver applies the rules
bottom-up, in the order of one tuple, until nothing changes.

Invariants:

- A predicate holds where it is TRUE; a law may make NULL of FALSE and FALSE of NULL.
- A law returns the node itself where it has nothing to rewrite, so that identity tells whether anything changed.
- The rules come to an end, and what they leave is a fixed point: no rule changes any part of it.
- A rule's node types and term types name all nodes that its law can change.

Deliberately not here: what pays off only in Spark's generated code (``spark_plan``), text (``sql``), and arithmetic
on constants, which lowering does while it knows the types of the dialect (``ir.constant_folding``).

In reading order: ``law`` (the type), ``rules`` (the table of contents), ``optimizer`` (the driver); then the laws of
one test, ``orient_comparison``, ``fold_constants``, ``unwrap_boolean``, ``match_literal_pattern``, ``solve_timestamp``,
``unwrap_casts``, ``invert_text``, ``cancel_complements``; and of chains, ``flatten_chains``, ``combine_in_lists``,
``redundant_null_checks``, ``excluded_middle``. ``tests/rewrites`` has a module a law, with what it must not rewrite.
"""
