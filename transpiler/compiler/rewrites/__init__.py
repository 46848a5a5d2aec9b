"""Rewrite a predicate by laws, which are rewrite rules that never change the rows in which the predicate holds.

The idea: a law makes a predicate smaller, or isolates a bare column on one side of a comparison with a constant, so
that a file reader can skip row groups. A law is a function of one node whose children are already rewritten. The driver
applies the laws bottom-up, in the order of one table, until nothing changes.

Invariants:

- A predicate holds in the rows in which it is TRUE; a law may change FALSE to NULL and NULL to FALSE.
- A law returns the same object if it has nothing to rewrite, so that identity shows whether anything changed.
- The application of the laws terminates, and its result is a fixed point: no law changes any node of it.

Deliberately not here: rewrites that are useful only for Spark's generated code (``spark_plan``), SQL (``sql``), and
arithmetic on constants, which lowering does while it knows the types of the dialect (``ir.constant_folding``).

In reading order: ``optimizer`` (the table of the laws and the driver); the laws for one test, ``simplify``,
``solve_timestamp``, ``solve_integer``, ``unwrap_casts``, ``invert_text``; the laws for chains, ``chains``,
``redundant_null_checks``, ``gather_guarded``. ``tests/compiler/rewrites`` has a module for each law, with examples of
its results.
"""
