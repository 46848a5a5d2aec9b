"""Text that identifies a message: messages that differ in anything, even NaN or number types, have different texts."""

from __future__ import annotations

from dataclasses import fields

from transpiler import Message


def identity(message: Message) -> str:
    """Return the ``repr`` of all sections of ``message``, whose own ``repr`` is short and whose equality has no NaN."""
    return repr(tuple(getattr(message, section.name) for section in fields(message)))
