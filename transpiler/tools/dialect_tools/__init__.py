"""Tools that compare: dialects with each other, a selector with its port, and old versions with new ones.

The idea: a tool proposes, ``analysis`` and the reference evaluator judge. A ported selector counts only if no message
is known that it selects otherwise.

Deliberately not here: the dialects themselves (``selector.dialects``).

In reading order: ``questions``, ``compare_dialects``, ``port``, ``diff``.
"""
