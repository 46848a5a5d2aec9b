"""The compiler: translates the syntax tree of a condition to one Spark SQL expression over a layout.

The idea: lowering translates the tree to a predicate of ``ir``; the rewrites simplify the predicate; ``spark_plan``
adapts it to Spark's planner; ``sql`` emits it. ``transpiler.pipeline`` runs these phases in order. ``presets`` and
``inference`` find the layout for a preset name, a schema or a DataFrame.

Invariants: the SQL means the same under every setting of Spark; no pass changes the result for any row.

Deliberately not here: the evaluation of a selector for one message (``transpiler.reference``), which shares no code
with the compiler.

In reading order: ``ir``, ``layouts``, ``lowering``, ``rewrites``, ``spark_plan``, ``sql``; for the tables of users
``stores``, ``inference``, ``presets``.
"""
