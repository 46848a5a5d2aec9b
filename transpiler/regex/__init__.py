"""Regular expressions of Java and of RabbitMQ's PCRE, matched in time linear in the text.

The idea: one parser for the part of both that is a regular language; the reference evaluator runs the tree with a Pike
machine, and the compiler rewrites it to a form in which Java does not backtrack (``lowering.regex_rewriting``).

Invariants: no expression and no text make the matcher take more than its limit of steps; what the parser does not
know is refused with its place.

In reading order: ``characters``, ``syntax``, ``determinism``, ``matcher``, ``replacement``.
"""
