"""Tools that compare: dialects with each other, a selector with its port, and old versions with new ones.

The idea: a tool proposes and the reference evaluator judges. A ported selector counts only if it selects the same
messages in trials that cover every type and every value at which an answer can turn.

Deliberately not here: the dialects themselves (``selector.dialects``).

In reading order: ``deciding_rule``, ``compare_dialects``, ``port``, ``diff``.
"""
