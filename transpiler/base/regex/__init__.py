"""A subset of Java's regular expressions, and of RabbitMQ's PCRE, for which a search is fast on every text.

The subset has literals, classes, groups, alternatives, greedy repeats, anchors and look-aheads. ``syntax`` parses an
expression. ``cost`` rejects it if a backtracking matcher may need more steps than the square of the text's length. Java
then runs the expression as it is written, except that a repeat is possessive if the next character decides whether it
continues. The reference evaluator runs a translation of the expression to Python's ``re``.

Invariants: an expression outside the subset is rejected with the offset of the problem, for Spark and the reference
evaluator alike. A search takes at most ``search.MAX_STEPS`` steps.

In reading order: ``syntax``, ``cost``, ``search``.
"""
