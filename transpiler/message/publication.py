"""The members of an object, or columns of a row, that contain where a message was published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from transpiler.base.errors import DecodeError
from transpiler.message.json import SECTION_NAMES

#: The names of the members or columns that contain where a message was published.
EXCHANGE, ROUTING_KEY, ROUTING_KEYS, ROUTING_TYPE = NAMES = ("exchange", "routing_key", "routing_keys", "routing_type")


class Sent(NamedTuple):
    """The exchange, the routing keys and the routing type of Artemis with which a message was published.

    A field that is not known is None. None inside ``routing_keys`` stands for a publication without a routing key.
    """

    exchange: str | None = None
    routing_keys: tuple[str | None, ...] | None = None
    routing_type: str | None = None


def sent_in(value: Mapping[str, Any], exchange: object = None, routing_key: object = None) -> Sent:
    """Read the exchange, routing keys and routing type from the members of ``value``, which has the form of a message.

    The arguments ``exchange`` and ``routing_key`` are the defaults for absent members. Raise ``DecodeError`` if a
    member is not text or an array of texts.
    """
    keys: tuple[str | None, ...] | None = _array_in(value, ROUTING_KEYS, str | None)
    if keys is None:
        key = _text(value, ROUTING_KEY, routing_key)
        keys = None if key is None else (key,)
    return Sent(_text(value, EXCHANGE, exchange), keys, _text(value, ROUTING_TYPE))


def without_publication(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the message in ``value`` without the members ``exchange``, ``routing_key`` and so on (``NAMES``).

    In plain properties such a member may be a property of the message. So only an array is removed there, because no
    property can have an array as its value.
    """
    sections = any(name in SECTION_NAMES for name in value)
    return {name: item for name, item in value.items() if name not in NAMES or not (sections or isinstance(item, list))}


def texts_in(value: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    """Return the texts in the member ``name``; None if absent. Raise ``DecodeError`` if it is not an array of texts."""
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
    code = f"message.{name.replace('_', '-')}"
    return DecodeError.at(code, f"{name}: expected {expected}")
