"""Policies for values that a store keeps as text: how text is converted back to a number, a boolean or a null.

Each policy has two implementations, which share no code: IR values for SQL, and the conversion of one text in Python.
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
from transpiler.compiler.layouts.stored import (
    Stored,
    StoredByUse,
    StoredValue,
    stored_alternatives,
    stored_behind,
    stored_value,
)
from transpiler.compiler.layouts.variant_values import parsed_json, stored_in_variant
from transpiler.message.types import AmqpType, AmqpValue, UntypedText

#: Regular expressions for a text that is a number. ``_JMS_NUMBER``: a JMS literal with an optional sign.
#: ``_CONNECT_NUMBER``: a number for Kafka Connect, in which only a signed number can begin with a point. Both end with
#: ``(?!.)`` because Java's $ also matches before a newline.
_JMS_NUMBER = "(?s)^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?(?!.)"
_CONNECT_NUMBER = "(?s)^([+-]?[0-9]+([.][0-9]*)?|[+-][.][0-9]+)([eE][+-]?[0-9]+)?(?!.)"
#: Regular expressions for a character that no number contains, in JMS and in Kafka Connect. If a text has no such
#: character, Spark's cast to DOUBLE accepts it exactly if it is a number under JMS or Kafka Connect.
_NOT_JMS_NUMBER = "[^-+.0-9eE]"
_NOT_CONNECT_NUMBER = "[^-+.0-9eE]|^[.]"
#: A regular expression for an integer. Only text that matches is cast to BIGINT, because Spark's cast takes ten times
#: as long for other text.
_INTEGER = "(?s)^[+-]?[0-9]+(?!.)"
#: For each type, a regular expression for every text that Spark's cast to the type accepts. Only text that matches is
#: cast: a cast that fails takes 8 to 12 µs, and the match of the expression less than a tenth of that. ``[^!-~]`` is a
#: character that Spark's cast may trim.
_CASTABLE_INTEGER = "(?s)^[^!-~]*[+-]?[0-9]+[^!-~]*(?!.)"
_CASTABLE: Mapping[SparkType, str] = MappingProxyType(
    {
        SparkType.BOOLEAN: "(?is)^[^!-~]*(t|true|f|false|y|yes|n|no|[01])[^!-~]*(?!.)",
        **dict.fromkeys((SparkType.TINYINT, SparkType.SMALLINT, SparkType.INT, SparkType.BIGINT), _CASTABLE_INTEGER),
        **dict.fromkeys((SparkType.FLOAT, SparkType.DOUBLE), "(?i)^[^!-~]*[+-]?([.]?[0-9]|inf|nan)"),
    }
)
#: A regular expression for every text that is valid JSON, and for some others, but not for words, dates or identifiers.
#: Spark's parser takes 20 µs for a text that is not valid JSON.
_JSON = "^([^0-9A-Za-z]|true|false|null|[0-9.]+([eE][-+0-9]+)?([^!-~]|$))"


class TextType(Protocol):
    """A policy: the conversion of text to typed values."""

    @property
    def name(self) -> str:
        """The name with which a user chooses the policy."""
        ...

    def stored(self, text: ir.Value) -> Stored:
        """Return the values that ``text`` can represent, for SQL."""
        ...

    def read(self, text: str) -> AmqpValue | None:
        """Return the value that ``text`` represents; None if the property counts as absent."""
        ...


@dataclass(frozen=True, slots=True)
class AsString:
    """The policy ``string``: text is always a string, exactly as JMS specifies."""

    name: str = "string"

    def stored(self, text: ir.Value) -> Stored:
        """Return the text as a string."""
        return stored_value(AmqpType.STRING, text)

    def read(self, text: str) -> AmqpValue | None:
        """Return ``text``, without a conversion, as a value of the AMQP type string; never None."""
        return AmqpValue(AmqpType.STRING, text)


@dataclass(frozen=True, slots=True)
class ByItsUse:
    """The policy ``by-use``: a text compared with a number (or boolean) is a number (or boolean), otherwise a string.

    A text that cannot be converted to the number or boolean stays a string.
    """

    name: str = "by-use"

    def stored(self, text: ir.Value) -> Stored:
        """Return the text as a string; ``by_use`` has it as a number and as a boolean."""
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
        """Return an ``UntypedText``, whose type the evaluator determines by its use."""
        return AmqpValue(AmqpType.STRING, UntypedText(text))


@dataclass(frozen=True, slots=True)
class Parsed:
    """The policy ``parsed``: text is the value that Kafka Connect's ``Values.parseString`` returns for the text.

    The result is a number, a boolean, null or a string. Texts that Connect would convert to an array, a map, a quoted
    string or a time stay strings here.
    """

    name: str = "parsed"

    def stored(self, text: ir.Value) -> Stored:
        """Return the text as a number, a boolean or a string."""
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
        """Return the text as a number, a boolean or a string; None for the text ``null``."""
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
    """The policy ``json``: text is JSON, with strings in quotes; a property that is not valid JSON counts as absent."""

    name: str = "json"

    def stored(self, text: ir.Value) -> Stored:
        """Return the JSON value; text that cannot be JSON is not parsed."""
        parsed = parsed_json(text)
        return stored_behind(stored_in_variant(parsed, "$"), ir.Matches(text, _JSON), parsed)

    def read(self, text: str) -> AmqpValue | None:
        """Return the JSON value; None if ``text`` is null or not valid JSON."""
        return variant_value(parse_json(text))


@dataclass(frozen=True, slots=True)
class Declared:
    """The policy for a declared Spark type: text is cast to the type, and counts as absent if it cannot be cast."""

    type: ColumnType

    @property
    def name(self) -> str:
        """The name of the Spark type."""
        return str(self.type)

    def stored(self, text: ir.Value) -> Stored:
        """Return the text cast to the type."""
        if self.type == STRING:
            return stored_value(AmqpType.STRING, text)
        cast = ir.Apply(ir.Function.TRY_CAST, (text,), self.type)
        value = ir.Apply(ir.Function.TO_DOUBLE, (cast,), DOUBLE) if self.type.kind is SparkType.FLOAT else cast
        stored = stored_value(AMQP_TYPES[self.type.kind], value)
        return stored_behind(stored, ir.Matches(text, _CASTABLE[self.type.kind]), cast)

    def read(self, text: str) -> AmqpValue | None:
        """Return the text cast to the type as Spark does; None if it cannot be cast."""
        value = cast_text(text, self.type.kind)
        return None if value is None else AmqpValue(AMQP_TYPES[self.type.kind], value)


def _numbers(text: ir.Value, other: str) -> tuple[StoredValue, ...]:
    """Return two alternatives for the number that ``text`` spells: a 64-bit integer, or a double for other numbers.

    ``other`` is a regular expression for a character that no number contains.
    """
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


#: A policy for text, or for bytes that may be values in AMQP's encoding.
Policy = TextType | Encoded

#: The policies for text, by name.
POLICIES: Mapping[str, TextType] = MappingProxyType(
    {policy.name: policy for policy in (AsString(), ByItsUse(), Parsed(), AsJson())}
)

_ENCODED = Encoded()

#: The Spark types that a user can declare for text, by SQL name.
DECLARABLE: Mapping[str, ColumnType] = MappingProxyType(
    {name: column_type for name, column_type in SIMPLE_TYPES.items() if column_type.kind is not SparkType.BINARY}
)

#: The type of the argument ``types``: the name of a policy, or a mapping from property names to types or policies, in
#: which ``*`` is the key for all other properties.
Types = str | Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TextTypes:
    """The policies of the properties in ``named``, by property name, and the policy of all other properties."""

    named: Mapping[str, Policy]
    others: Policy

    def of(self, name: str) -> Policy:
        """Return the policy of the property ``name``."""
        return self.named.get(name, self.others)


def text_types(types: Types) -> TextTypes:
    """Return the policies for text that a user has chosen.

    Args:
        types: The name of a policy, or a mapping of properties to types, as for ``stores.text_map``.

    Raises:
        LayoutError: There is no such policy.
    """
    if isinstance(types, str):
        return TextTypes({}, _policy(types))
    if not isinstance(types, Mapping):
        message = f"types must be a policy's name or a mapping from properties to types, not {type(types).__name__}"
        raise LayoutError.at("layout.types", message, hint=_HINT)
    named = {name: _policy(word) for name, word in types.items()}
    return TextTypes(named, named.pop("*", POLICIES["by-use"]))


_HINT = f"the policies are {', '.join(POLICIES)}, and {_ENCODED.name} for bytes; the types are {', '.join(DECLARABLE)}"


def _policy(word: str) -> Policy:
    policy = POLICIES.get(word) if isinstance(word, str) else None
    if policy is not None:
        return policy
    if word == _ENCODED.name:
        return _ENCODED
    spelled = str(word).upper()
    column_type = DECLARABLE.get(SYNONYMS.get(spelled, spelled))
    if column_type is None:
        raise LayoutError.at(
            "layout.types",
            f"{word!r} is neither a policy for text nor a type to which text can be converted",
            hint=_HINT,
        )
    return Declared(column_type)
