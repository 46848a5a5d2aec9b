"""A subset of the regular expressions of Java, and of RabbitMQ's PCRE, that no text makes slow.

The idea: literals, classes, groups, alternatives, greedy repeats, anchors and look-aheads. ``syntax`` reads them, and
``cost`` refuses what takes a backtracking matcher more than the square of the text's length. Java then runs the
expression as it is written, with possessive repeats where the next character decides, and the reference evaluator runs
its translation to Python's ``re``.

Invariants: what is outside of the subset is refused with its place, by Spark and the reference evaluator alike; a
search takes at most ``search.MAX_STEPS`` steps.

In reading order: ``syntax``, ``cost``, ``search``.
"""
