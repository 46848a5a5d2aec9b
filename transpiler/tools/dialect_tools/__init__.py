"""Tools that compare dialects with each other, a selector with its port, and an old version with a new one.

The idea: a tool proposes a result, then ``analysis`` and the reference evaluator check it. A ported selector is
accepted only if no message is known on which the two selectors differ.

Deliberately not here: the dialects themselves (``selector.dialects``).

In reading order: ``questions``, ``compare_dialects``, ``port``, ``diff``.
"""
