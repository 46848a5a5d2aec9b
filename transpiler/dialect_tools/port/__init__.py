"""A selector of one dialect said in another one, so that it selects the same messages."""

from transpiler.dialect_tools.port.port import Changes, Ported, port_selector

__all__ = ["Changes", "Ported", "port_selector"]
