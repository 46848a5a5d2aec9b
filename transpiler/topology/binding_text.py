"""Texts for users about a binding: its ends, key and arguments on one line, and its condition on headers."""

from __future__ import annotations

import re

from transpiler.language.binding_rules import HeadersMatch
from transpiler.message.types import AmqpValue
from transpiler.topology.records import SELECTOR_ARGUMENT, XQUERY_ARGUMENT, Arguments, Binding

#: Pattern of the texts that look like numbers or booleans, or are empty, and so need quotes.
_OTHER_TYPE = re.compile(r"[-+\d].*|(?i:true|false)|")
#: Short names for the arguments of bindings that have long names.
_NAMES = {SELECTOR_ARGUMENT: "selector", XQUERY_ARGUMENT: "xquery"}


def ends_text(binding: Binding, noun: str = "exchange") -> str:
    """Return a text with the source and the destination; ``noun`` is the broker's word for an exchange."""
    kind = f" ({noun})" if binding.destination_type == "exchange" else ""
    return f"{binding.source} -> {binding.destination}{kind}"


def key_and_arguments(binding: Binding) -> str:
    """Return a text with the binding's key and arguments; an empty key is included only without arguments."""
    key = [f"key {binding.key!r}"] if binding.key or not binding.arguments else []
    return ", ".join([*key, *([arguments_text(binding.arguments)] if binding.arguments else [])])


def arguments_text(arguments: Arguments) -> str:
    """Return a text with the ``arguments`` of a binding, separated by commas."""
    return ", ".join(f"{_NAMES.get(name, name)} {_value(value)}" for name, value in arguments.items())


def headers_text(arguments: HeadersMatch) -> str:
    """Return a text for the condition that a binding's ``arguments`` impose on headers."""
    if arguments.never or (arguments.any and not arguments.pairs):
        return "no message"
    if not arguments.pairs:
        return "every message"
    pairs = (name if value is None else f"{name}={_plain(value)}" for name, value in arguments.pairs)
    return f"{'any' if arguments.any else 'all'}: {', '.join(pairs)}"


def _plain(value: AmqpValue) -> str:
    """Return ``value`` as text, with quotes if it is a string that looks like a number or a boolean."""
    if isinstance(value.value, str) and not _OTHER_TYPE.fullmatch(value.value):
        return value.value
    return repr(value.value)


def _value(value: AmqpValue) -> str:
    return "without a value" if value.value is None else repr(value.value)
