"""Text that identifies a message: two messages have different texts if anything in them differs, including NaN and
number types.
"""

from __future__ import annotations

from dataclasses import fields

from transpiler import Message


def identity(message: Message) -> str:
    """Return the representation of all sections of ``message``, because its ``repr`` is abridged and its equality fails
    for NaN.
    """
    return repr(tuple(getattr(message, section.name) for section in fields(message)))
