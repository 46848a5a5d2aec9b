"""Plans for Spark: rewrite a predicate to a form that Spark evaluates faster. Without this package, results are equal.

The idea: long chains of similar conditions become data (lists, maps, one regular expression), a tagged union
in a map is looked up once, and code that is too long for one generated method is split into several methods.

Invariants: a plan holds in the same rows as the original predicate; short predicates stay unchanged, because they are
easier to read and can be pushed down to a file reader.

Deliberately not here: rewrites that are useful for any engine (``rewrites``), and the joins of ``spark_ext.routing``.

In reading order: ``map_lookups``, ``nan_tests``, ``disjunctions``, ``constant_tables``, ``row_chunks``,
``method_splitting``, ``guarded_conversions``, ``rarely_needed``; ``tuning`` has their constants.
"""
