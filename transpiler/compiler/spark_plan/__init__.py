"""Plans for Spark: the same predicate, in a form that Spark evaluates faster. Speed only; all of it could be deleted.

The idea: long chains of like conditions become data (lists, maps, one regular expression), tagged unions
behind map keys are looked up once, and what would overflow a generated method is split into several.

Invariants: a plan holds in the same rows as the predicate that it is made of; short predicates stay as they are, which
reads better and lets a file reader see them.

Deliberately not here: laws that hold for any engine (``rewrites``), and the joins of ``spark_ext.routing``.

In reading order: ``map_lookups``, ``nan_tests``, ``disjunctions``, ``constant_tables``, ``method_splitting``;
``tuning`` has their constants.
"""
