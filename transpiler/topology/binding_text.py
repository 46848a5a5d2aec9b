"""The ends, the key and the arguments of a binding as its file has them, in one line."""

from __future__ import annotations

from transpiler.message.types import AmqpValue
from transpiler.topology.records import SELECTOR_ARGUMENT, XQUERY_ARGUMENT, Arguments, Binding

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


def _value(value: AmqpValue) -> str:
    return "without a value" if value.value is None else repr(value.value)
