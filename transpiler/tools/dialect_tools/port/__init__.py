"""Port a selector from one dialect to another dialect, so that it selects the same messages.

In reading order: ``equivalence``, ``candidates``, ``port``.
"""

from transpiler.tools.dialect_tools.port.port import Changes, Ported, port_selector

__all__ = ["Changes", "Ported", "port_selector"]
