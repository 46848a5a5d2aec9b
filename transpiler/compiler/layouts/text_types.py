"""Types of values that a store keeps as text: the policies by which a text is a number, a boolean or a null again.

Each policy answers twice: with the values of the intermediate form for SQL, and in Python for one text. The two share
nothing but the definition.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from transpiler.base.comparison import Comparison
from transpiler.base.errors import LayoutError
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import AMQP_TYPES, BIGINT, DOUBLE, STRING, ColumnType, SparkType
from transpiler.compiler.layouts.columns import SIMPLE_TYPES, SYNONYMS
from transpiler.compiler.layouts.encoded_values import Encoded
from transpiler.compiler.layouts.rows import variant_value
from transpiler.compiler.layouts.spark_texts import cast_text, parse_json
from transpiler.compiler.layouts.stored import Stored, StoredByUse, StoredValue, stored_alternatives, stored_value
from transpiler.compiler.layouts.variant_values import parsed_json, stored_in_variant
from transpiler.message.types import AmqpType, AmqpValue, UntypedText

#: A whole number of JMS with a sign, and none that begins with a point, as Kafka Connect reads one. Java's $ would
#: match before a line end, too.
_JMS_NUMBER = "(?s)^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?(?!.)"
_CONNECT_NUMBER = "(?s)^([+-]?[0-9]+([.][0-9]*)?|[+-][.][0-9]+)([eE][+-]?[0-9]+)?(?!.)"
#: A character that no number has: of the other characters, Spark's cast to DOUBLE reads what these grammars do.
_NOT_JMS_NUMBER = "[^-+.0-9eE]"
_NOT_CONNECT_NUMBER = "[^-+.0-9eE]|^[.]"
#: A whole number. Spark's cast to BIGINT takes ten times as long for a text that is none, so it is not tried on one.
_INTEGER = "(?s)^[+-]?[0-9]+(?!.)"


class TextType(Protocol):
    """A policy: the values that a text can be."""

    @property
    def name(self) -> str:
        """The name that a user gives to choose it."""
        ...

    def stored(self, text: ir.Value) -> Stored:
        """The values that the text stands for in SQL."""
        ...

    def read(self, text: str) -> AmqpValue | None:
        """The value that one text stands for; None for a missing one."""
        ...


@dataclass(frozen=True, slots=True)
class AsString:
    """A text is a string and nothing else: JMS to the letter."""

    name: str = "string"

    def stored(self, text: ir.Value) -> Stored:
        """A string."""
        return stored_value(AmqpType.STRING, text)

    def read(self, text: str) -> AmqpValue | None:
        """A string."""
        return AmqpValue(AmqpType.STRING, text)


@dataclass(frozen=True, slots=True)
class ByItsUse:
    """A text is a number beside numbers and a boolean beside booleans, if it spells one, and elsewhere a string."""

    name: str = "by-use"

    def stored(self, text: ir.Value) -> Stored:
        """A string, with its number and its boolean beside it."""
        present, absent = ir.IsNull(text, negated=True), ir.IsNull(text)
        string = StoredValue((AmqpType.STRING,), text, ir.Matches(text, _JMS_NUMBER, negated=True))
        number = stored_alternatives(
            (*_numbers(text, _NOT_JMS_NUMBER), string),
            present,
            absent,
            number=_nearest(text, _NOT_JMS_NUMBER),
        )
        lower = ir.Apply(ir.Function.LOWER, (text,), STRING)
        words = (ir.constant("false"), ir.constant("true"))
        boolean = stored_alternatives(
            (
                *_booleans(lower),
                StoredValue((AmqpType.STRING,), text, ir.In(lower, words, negated=True)),
            ),
            present,
            absent,
        )
        return Stored(
            (StoredValue((AmqpType.STRING,), text),), present, absent, absent, by_use=StoredByUse(number, boolean)
        )

    def read(self, text: str) -> AmqpValue | None:
        """A string that the evaluator reads by its use."""
        return AmqpValue(AmqpType.STRING, UntypedText(text))


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text is what Kafka Connect's ``Values.parseString`` makes of it: a number, a boolean, null, or a string.

    Arrays, maps, quoted strings and times, which Connect reads as well, stay strings.
    """

    name: str = "parsed"

    def stored(self, text: ir.Value) -> Stored:
        """A number, a boolean or a string."""
        trimmed = ir.Apply(ir.Function.TRIMMED, (text,), STRING)
        words = (ir.constant("false"), ir.constant("true"))
        is_null = ir.Compare(Comparison.EQ, text, ir.constant("null"))
        is_string = ir.all_of(
            ir.Compare(Comparison.NE, text, ir.constant("null")),
            ir.In(trimmed, words, negated=True),
            ir.Matches(trimmed, _CONNECT_NUMBER, negated=True),
        )
        return stored_alternatives(
            (
                StoredValue((AmqpType.STRING,), text, is_string),
                *_numbers(trimmed, _NOT_CONNECT_NUMBER),
                *_booleans(trimmed),
            ),
            ir.Compare(Comparison.NE, text, ir.constant("null")),
            ir.any_of(ir.IsNull(text), is_null),
            number=_nearest(trimmed, _NOT_CONNECT_NUMBER),
        )

    def read(self, text: str) -> AmqpValue | None:
        """A number, a boolean, a string, or nothing for null."""
        trimmed = text.strip(" ")
        if text == "null":
            return None
        if trimmed in ("true", "false"):
            return AmqpValue(AmqpType.BOOLEAN, trimmed == "true")
        if re.match(_CONNECT_NUMBER, trimmed):
            integer = cast_text(trimmed, SparkType.BIGINT)
            if integer is not None:
                return AmqpValue(AmqpType.LONG, integer)
            return AmqpValue(AmqpType.DOUBLE, float(trimmed))
        return AmqpValue(AmqpType.STRING, text)


@dataclass(frozen=True, slots=True)
class AsJson:
    """A text is JSON, strings in their quotes; what is no JSON is missing."""

    name: str = "json"

    def stored(self, text: ir.Value) -> Stored:
        """The JSON value."""
        return stored_in_variant(parsed_json(text), "$")

    def read(self, text: str) -> AmqpValue | None:
        """The JSON value."""
        return variant_value(parse_json(text))


@dataclass(frozen=True, slots=True)
class Declared:
    """A text is of a Spark type that its owner declares; what does not cast is missing."""

    type: ColumnType

    @property
    def name(self) -> str:
        """The Spark type's name."""
        return str(self.type)

    def stored(self, text: ir.Value) -> Stored:
        """The text, cast."""
        if self.type == STRING:
            return stored_value(AmqpType.STRING, text)
        value: ir.Value = ir.Apply(ir.Function.TRY_CAST, (text,), self.type)
        if self.type.kind is SparkType.FLOAT:
            value = ir.Apply(ir.Function.TO_DOUBLE, (value,), DOUBLE)
        return stored_value(AMQP_TYPES[self.type.kind], value)

    def read(self, text: str) -> AmqpValue | None:
        """The text, cast as Spark casts."""
        value = cast_text(text, self.type.kind)
        return None if value is None else AmqpValue(AMQP_TYPES[self.type.kind], value)


def _numbers(text: ir.Value, other: str) -> tuple[StoredValue, ...]:
    """The integer and the double that a text spells, a double beyond 64 bits; ``other`` matches what is no number."""
    integer = ir.Apply(ir.Function.NUMBER_IN_TEXT, (text,), BIGINT)
    is_integer = ir.Matches(text, _INTEGER)
    nearest = _nearest(text, other)
    no_integer = ir.IsNull(ir.When(is_integer, integer))
    return (
        StoredValue((AmqpType.LONG,), integer, is_integer),
        nearest._replace(guard=ir.all_of(nearest.guard, no_integer)),
    )


def _nearest(text: ir.Value, other: str) -> StoredValue:
    double = ir.Apply(ir.Function.NUMBER_IN_TEXT, (text,), DOUBLE)
    return StoredValue((AmqpType.DOUBLE,), double, ir.Matches(text, other, negated=True))


def _booleans(text: ir.Value) -> tuple[StoredValue, ...]:
    return tuple(
        StoredValue((AmqpType.BOOLEAN,), ir.constant(truth), ir.Compare(Comparison.EQ, text, ir.constant(word)))
        for word, truth in (("true", True), ("false", False))
    )


#: A policy of texts, or of bytes that may be values in AMQP's encoding.
Policy = TextType | Encoded

#: The policies of text by their names.
POLICIES: Mapping[str, TextType] = MappingProxyType(
    {policy.name: policy for policy in (AsString(), ByItsUse(), Parsed(), AsJson())}
)

_ENCODED = Encoded()

#: The Spark types that a text can be declared to be.
DECLARABLE: Mapping[str, ColumnType] = MappingProxyType(
    {name: column_type for name, column_type in SIMPLE_TYPES.items() if column_type.kind is not SparkType.BINARY}
)

#: The argument ``types``: a policy's name, or types and policies by the names of properties, ``*`` for the others.
Types = str | Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TextTypes:
    """The policy of each property by its name, and of the others."""

    named: Mapping[str, Policy]
    others: Policy

    def of(self, name: str) -> Policy:
        """The policy of a property."""
        return self.named.get(name, self.others)


def text_types(types: Types) -> TextTypes:
    """Return the policies for text that a user names.

    Args:
        types: The name of a policy, or a mapping of properties to types, as for ``stores.text_map``.

    Raises:
        LayoutError: There is no such policy.
    """
    if isinstance(types, str):
        return TextTypes({}, _policy(types))
    if not isinstance(types, Mapping):
        message = f"types are a policy's name or a mapping from properties to types, not {type(types).__name__}"
        raise LayoutError.at("layout.types", message, hint=_HINT)
    named = {name: _policy(word) for name, word in types.items()}
    return TextTypes(named, named.pop("*", POLICIES["by-use"]))


_HINT = f"the policies are {', '.join(POLICIES)}, and of bytes {_ENCODED.name}; the types are {', '.join(DECLARABLE)}"


def _policy(word: str) -> Policy:
    policy = POLICIES.get(word) if isinstance(word, str) else None
    if policy is not None:
        return policy
    if word == _ENCODED.name:
        return _ENCODED
    spelled = str(word).upper()
    column_type = DECLARABLE.get(SYNONYMS.get(spelled, spelled))
    if column_type is None:
        raise LayoutError.at("layout.types", f"there is no policy or type {word!r} for text", hint=_HINT)
    return Declared(column_type)
