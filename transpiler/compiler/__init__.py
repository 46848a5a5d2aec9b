"""The compiler: from a tree of the language, over a layout, to one text of Spark SQL.

The idea: a tree is lowered to a predicate of ``ir`` over a layout, rewritten, planned for Spark and emitted; the order
is that of ``transpiler.pipeline``. ``presets`` and ``inference`` find the layout that a name, a schema or a DataFrame
means.

Invariants: SQL that means the same under every setting of Spark; a pass changes no answer.

Deliberately not here: the meaning of a selector on one message (``transpiler.reference``), which shares nothing with
this.

In reading order: ``ir``, ``layouts``, ``lowering``, ``rewrites``, ``spark_plan``, ``sql``; for tables of
people's own ``stores``, ``inference``, ``presets``.
"""
