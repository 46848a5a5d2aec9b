"""Members of an object, or columns of a row, that say where a message was published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from transpiler.base.errors import DecodeError
from transpiler.message.json import SECTION_NAMES

#: The names of the members, and of the columns.
EXCHANGE, ROUTING_KEY, ROUTING_KEYS, ROUTING_TYPE = NAMES = ("exchange", "routing_key", "routing_keys", "routing_type")


class Sent(NamedTuple):
    """The exchange, the routing keys and the routing type of a message to Artemis; None is not there.

    None among the keys is an absent one.
    """

    exchange: str | None = None
    routing_keys: tuple[str | None, ...] | None = None
    routing_type: str | None = None


def sent_in(value: Mapping[str, Any], exchange: object = None, routing_key: object = None) -> Sent:
    """Return where an object says that its message was published; ``exchange`` and ``routing_key`` are said elsewhere.

    ``DecodeError`` for what is no text.
    """
    keys: tuple[str | None, ...] | None = _array_in(value, ROUTING_KEYS, str | None)
    if keys is None:
        key = _text(value, ROUTING_KEY, routing_key)
        keys = None if key is None else (key,)
    return Sent(_text(value, EXCHANGE, exchange), keys, _text(value, ROUTING_TYPE))


def without_places(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object without the members that are no part of its message: beside sections all, else arrays.

    A member of an object of plain properties is a property as well, for a property may have any name.
    """
    sections = any(name in SECTION_NAMES for name in value)
    return {name: item for name, item in value.items() if name not in NAMES or not (sections or isinstance(item, list))}


def texts_in(value: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    """Return the texts of a member; ``DecodeError`` where it is no array of texts."""
    return _array_in(value, name, str)


def _array_in(value: Mapping[str, Any], name: str, kind: Any) -> tuple[Any, ...] | None:
    listed = value.get(name)
    if listed is not None and not (isinstance(listed, list | tuple) and all(isinstance(item, kind) for item in listed)):
        raise _refused(name, "an array of texts")
    return None if listed is None else tuple(listed)


def _text(value: Mapping[str, Any], name: str, elsewhere: object = None) -> str | None:
    text = elsewhere if value.get(name) is None else value[name]
    if text is not None and not isinstance(text, str):
        raise _refused(name, "text")
    return text


def _refused(name: str, expected: str) -> DecodeError:
    return DecodeError.at(f"message.{name.replace('_', '-')}", f"{name}: expected {expected}")
