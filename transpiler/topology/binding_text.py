"""The ends, the key and the arguments of a binding in one line, and what it asks of headers."""

from __future__ import annotations

import re

from transpiler.language.binding_rules import HeadersMatch
from transpiler.message.types import AmqpValue
from transpiler.topology.records import SELECTOR_ARGUMENT, XQUERY_ARGUMENT, Arguments, Binding

#: The texts that read as values of other types.
_OTHER_TYPE = re.compile(r"[-+\d].*|(?i:true|false)|")
#: The words for arguments whose names are long.
_NAMES = {SELECTOR_ARGUMENT: "selector", XQUERY_ARGUMENT: "xquery"}


def ends_text(binding: Binding, noun: str = "exchange") -> str:
    """Return the source and the destination; ``noun`` is the broker's word for an exchange."""
    kind = f" ({noun})" if binding.destination_type == "exchange" else ""
    return f"{binding.source} -> {binding.destination}{kind}"


def key_and_arguments(binding: Binding) -> str:
    """Return the key and the arguments; an empty key is shown where there are no arguments."""
    key = [f"key {binding.key!r}"] if binding.key or not binding.arguments else []
    return ", ".join([*key, *([arguments_text(binding.arguments)] if binding.arguments else [])])


def arguments_text(arguments: Arguments) -> str:
    """Return arguments with commas between them."""
    return ", ".join(f"{_NAMES.get(name, name)} {_value(value)}" for name, value in arguments.items())


def headers_text(arguments: HeadersMatch) -> str:
    """Return what a binding asks of headers."""
    if arguments.never or (arguments.any and not arguments.pairs):
        return "no message"
    if not arguments.pairs:
        return "every message"
    pairs = (name if value is None else f"{name}={_plain(value)}" for name, value in arguments.pairs)
    return f"{'any' if arguments.any else 'all'}: {', '.join(pairs)}"


def _plain(value: AmqpValue) -> str:
    """Return a value as text; a text that would be taken for a number or a boolean has quotes."""
    if isinstance(value.value, str) and not _OTHER_TYPE.fullmatch(value.value):
        return value.value
    return repr(value.value)


def _value(value: AmqpValue) -> str:
    return "without a value" if value.value is None else repr(value.value)
