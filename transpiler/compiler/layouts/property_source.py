"""Sources of application properties: typed columns, keys of a VARIANT, text under a policy, and text with its type.

Each source has two implementations: one returns IR values for SQL, the other reads the properties of a row in Python.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from transpiler.base.comparison import Comparison
from transpiler.base.diagnostics import Remedy, first_of
from transpiler.base.errors import LayoutError
from transpiler.base.hints import Hint, Setting, StoreCall, Verbatim
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import (
    AMQP_TYPES,
    BIGINT,
    BINARY,
    BOOLEAN,
    DOUBLE,
    STRING,
    ColumnType,
    Entry,
    Key,
    Path,
    SparkType,
    path_text,
)
from transpiler.compiler.layouts.columns import read_type, seen
from transpiler.compiler.layouts.encoded_values import Encoded, plain_text
from transpiler.compiler.layouts.flat import Unusable
from transpiler.compiler.layouts.rows import (
    amqp_value,
    octets_of,
    read_base64,
    struct_of,
    structs_of,
    text_of,
    value_at,
)
from transpiler.compiler.layouts.spark_texts import cast_text
from transpiler.compiler.layouts.stored import (
    Stored,
    StoredValue,
    stored_alternatives,
    stored_column,
    stored_value,
)
from transpiler.compiler.layouts.table_columns import Found, Table, described
from transpiler.compiler.layouts.text_types import ByItsUse, TextTypes
from transpiler.message.types import AmqpType, AmqpValue, Compound, UntypedText

#: Maximum number of columns in a ``repr``.
_MAX_LISTED = 6


class PropertySource(ABC):
    """The columns of a store that contain the application properties."""

    __slots__ = ()

    def over(self, table: Table) -> PropertySource:  # noqa: ARG002
        """Return the source with the types and spellings that its columns have in ``table``.

        If the table lacks a column of the source, raise ``LayoutError``.
        """
        return self

    def root(self) -> str:
        """Return the name of the column that contains the source; an empty name if the source has several columns."""
        return ""

    def described(self) -> str:
        """Return a description of the column of the properties, and of how it is read, for a ``repr``."""
        return self.root() or "several columns"

    @abstractmethod
    def stored(self, name: str) -> Stored | None:
        """Return the values that the property ``name`` can have, for SQL; None if the source cannot contain it."""

    def plain(self, name: str) -> Stored | None:
        """Return the values of the property ``name`` as ``stored`` does, except that text is always a string."""
        return self.stored(name)

    def names(self) -> tuple[str, ...]:
        """Return the names of the properties that the source can contain; empty if it can contain any name."""
        return ()

    @abstractmethod
    def values(self, row: Mapping[str, Any]) -> Iterable[tuple[str, AmqpValue | None]]:
        """Return the name and value of each property in ``row``. The value None means that the property is absent."""

    def read(self, row: Mapping[str, Any]) -> dict[str, AmqpValue]:
        """Return the properties that ``row`` has, without absent properties."""
        return {name: value for name, value in self.values(row) if value is not None}

    def read_plain(self, row: Mapping[str, Any], name: str) -> AmqpValue | None:
        """Return the property ``name`` of ``row``, in which text is always a string; None if it is absent."""
        return self.read(row).get(name)


#: The beginning of the error message about a missing column.
READER = "the properties are read"


def unlike(found: Found, expected: str) -> LayoutError:
    """Return the error for the column ``found``, whose type is not ``expected``; the hint suggests another layout."""
    from transpiler.compiler.layouts.flat import unusable

    kind = described(found.field["type"])
    message = f"{READER} from the column {found.name}, which is {kind}, not {expected}"
    refused = unusable(found.path, found.field["type"]) if found.type is None else None
    if refused is None:
        return LayoutError.at("layout.column-type", message)
    return LayoutError.at("layout.column-type", message, hint=refused.hint, fix=refused.fix)


def _texts_of(spark_type: object) -> ColumnType | None:
    """Return STRING for a text type and BINARY for a type of bytes; None for any other type.

    ``spark_type`` is in Spark's JSON form.
    """
    kind = read_type(spark_type)
    if kind is None or kind.kind not in (SparkType.STRING, SparkType.CHAR, SparkType.VARCHAR, SparkType.BINARY):
        return None
    return BINARY if kind.kind is SparkType.BINARY else STRING


@dataclass(frozen=True, slots=True)
class UnchosenTexts(PropertySource):
    """A column of text that may contain numbers or JSON.

    Reading it is an error until the user chooses a policy, which says how the text is converted to values.
    """

    column: str
    message: str
    hint: str
    fix: Remedy

    def root(self) -> str:
        """Return the name of the text column."""
        return self.column

    @property
    def refusal(self) -> LayoutError:
        """The error that lists the policies (conversions of text to values) from which the user can choose."""
        return LayoutError.at("layout.types", self.message, hint=self.hint, fix=self.fix)

    def stored(self, name: str) -> Stored | None:  # noqa: ARG002
        """Raise the ``LayoutError`` that lists the policies from which the user can choose."""
        raise self.refusal

    def values(self, row: Mapping[str, Any]) -> Iterable[tuple[str, AmqpValue | None]]:  # noqa: ARG002
        """Return no properties. A selector that names a property does not compile anyway."""
        return ()


@dataclass(frozen=True, slots=True)
class StructFields(PropertySource):
    """Properties that are the typed fields of one struct, or the columns of the table if ``column`` is empty."""

    column: str
    fields: Mapping[str, ir.Column | Unusable]

    def over(self, table: Table) -> StructFields:
        """Return the source with the fields, and their types, that ``table`` has."""
        from transpiler.compiler.layouts.flat import flat_layout

        return StructFields(self.column, flat_layout(table, self.column or None).columns)

    def root(self) -> str:
        """Return the name of the column that contains the struct."""
        return self.column.partition(".")[0]

    def stored(self, name: str) -> Stored | None:
        """Return what is stored in the field ``name`` of the struct; None if there is no such field.

        Raise ``LayoutError`` if no message property can have the type of the field.
        """
        place = self.fields.get(name)
        if isinstance(place, Unusable):
            raise place.refusal(f"field {name}")
        return None if place is None else stored_column(place.path, place.type)

    def names(self) -> tuple[str, ...]:
        """Return the names of the struct fields whose type a message property can have."""
        return tuple(name for name, place in self.fields.items() if isinstance(place, ir.Column))

    def values(self, row: Mapping[str, Any]) -> Iterable[tuple[str, AmqpValue | None]]:
        """Yield the name and value of each struct field whose type a message property can have."""
        for name, place in self.fields.items():
            if isinstance(place, ir.Column):
                yield name, amqp_value(value_at(row, place.path), place.type.kind, place.path)


@dataclass(frozen=True, slots=True)
class UnknownFields(StructFields):
    """Properties that are the fields of a struct whose schema is not known."""

    fields: Mapping[str, ir.Column | Unusable] = field(default_factory=dict)

    def stored(self, name: str) -> Stored | None:
        """Raise ``LayoutError``, because the type of the field is not known."""
        message = f"the type of {self.column}.{name} is not known"
        struct = StoreCall("struct", self.column, {"schema": Verbatim("df.schema")})
        hint = Hint(f"perhaps pass the schema: infer_layout(df, struct={self.column!r}), or ", struct)
        raise LayoutError.at("layout.schema", message, hint=hint)


#: The name and type of each member of a union, in the order in which they are tested: frequent types first.
Members = tuple[tuple[str, SparkType], ...]


@dataclass(frozen=True, slots=True)
class TypedPlaces(PropertySource):
    """Properties stored with one member for each type, of which at most one is not NULL.

    The members are the fields of a struct, which the map at the path ``map`` has for each property. If ``map`` is None,
    they are separate maps. If the struct has a field ``tag``, it names the type, and so the member with the value.
    """

    members: Members
    #: The path of the map from each property's name to a struct with its value; None if there is a separate map for
    #: each type of values.
    map: Path | None = None
    #: The field of the struct that names the type, and the name of each type; None if there is no such field.
    tag: tuple[str, Mapping[SparkType, str]] | None = None

    def over(self, table: Table) -> TypedPlaces:
        """Return the source with only those members (maps or fields for one type each) that ``table`` has."""
        within = None if self.map is None else table.required(self.map, READER)
        if within is None:
            members = tuple(each for each in self.members if table.find((each[0],)) is not None)
            if not members:
                table.refuse(self.members[0][0], READER)
            return replace(self, members=members)
        spark_type = within.field["type"]
        value = spark_type.get("valueType") if isinstance(spark_type, Mapping) else None
        if not isinstance(value, Mapping) or "fields" not in value:
            raise unlike(within, "a map of structs")
        inner = Table(value, table.case_sensitive)
        members = tuple(each for each in self.members if inner.find((each[0],)) is not None)
        return replace(self, members=members, map=within.path)

    def root(self) -> str:
        """Return the column of the map; an empty name if the members are separate maps."""
        return "" if self.map is None else str(self.map[0])

    def _path(self, member: str, name: str) -> Path:
        return (member, Key(name)) if self.map is None else (*self.map, Key(name), member)

    def stored(self, name: str) -> Stored | None:
        """Return the values of the property ``name``: one alternative for each type, read from the type's member."""
        return stored_alternatives(
            [StoredValue((AMQP_TYPES[kind],), self._value(member, kind, name)) for member, kind in self.members]
        )

    def _value(self, member: str, kind: SparkType, name: str) -> ir.Value:
        value = seen(ir.Column(self._path(member, name), ColumnType(kind)))
        if self.tag is None:
            return value
        tag_field, texts = self.tag
        tag = ir.Column(self._path(tag_field, name), STRING)
        # Include the test of the tag in the value. As a guard of the value it would make the planner treat the struct
        # as a tagged union, and assume that one of its members is always set.
        return ir.When(ir.Compare(Comparison.EQ, tag, ir.constant(texts[kind])), value)

    def values(self, row: Mapping[str, Any]) -> Iterable[tuple[str, AmqpValue | None]]:
        """Return the name and value of each property of ``row``.

        The value is in the member (map or field) that the property's tag names; without a tag, in the first member that
        is not NULL.
        """
        values: dict[str, AmqpValue] = {}
        tags = {} if self.tag is None else self._member(row, self.tag[0])
        for member, kind in self.members:
            for name, value in self._member(row, member).items():
                if self.tag is not None and tags.get(name) != self.tag[1][kind]:
                    continue
                typed = amqp_value(value, kind, self._path(member, name))
                if typed is not None:
                    values.setdefault(name, typed)
        return values.items()

    def _member(self, row: Mapping[str, Any], member: str) -> Mapping[str, Any]:
        if self.map is None:
            return struct_of(row.get(member), (member,)) or {}
        structs = struct_of(value_at(row, self.map), self.map) or {}
        return {name: (struct_of(struct, (*self.map, Key(name))) or {}).get(member) for name, struct in structs.items()}


@dataclass(frozen=True, slots=True)
class TextProperties(PropertySource):
    """Properties stored as text: the values of a map or of an array of entries, as strings or as UTF-8 bytes.

    ``types`` says how the text of each property is converted to a value. If ``columns`` is not empty (for CSV), each of
    these columns is a property and ``path`` is empty.
    """

    path: Path
    types: TextTypes
    binary: bool = False
    prefix: str = ""
    #: The names of the struct fields that hold the key and the value of an array entry; None for a map.
    entry: tuple[str, str] | None = None
    repeated_first: bool = False
    columns: tuple[str, ...] = ()

    def over(self, table: Table) -> TextProperties:
        """Return the source with the column's spelling in ``table``, and with its type, STRING or BINARY.

        If the column contains neither text nor bytes, raise ``LayoutError``.
        """
        for name in self.columns:
            table.required((name,), READER)
        if self.columns:
            return self
        found = table.required(self.path, READER)
        match found.field["type"]:
            case {"type": "map", "keyType": str() as key, "valueType": values} if self.entry is None:
                texts = None if _texts_of(key) is not STRING else _texts_of(values)
            case {"type": "array", "elementType": {"fields": _} as struct} if self.entry is not None:
                inner = Table(struct, table.case_sensitive)
                key_field, value_field = (inner.find((name,)) for name in self.entry)
                texts = None if key_field is None or value_field is None else _texts_of(value_field.field["type"])
            case _:
                texts = None
        if texts is None:
            names = ", ".join(self.entry or ())
            raise unlike(found, "a map of texts" if self.entry is None else f"an array of structs with {names}")
        return replace(self, path=found.path, binary=texts is BINARY)

    def described(self) -> str:
        """Return a description of the column or columns, and of how their text is converted to values."""
        named = "".join(f", {name} {policy.name}" for name, policy in self.types.named.items())
        where = path_text(self.path) if self.path else first_of(self.columns, _MAX_LISTED)
        return f"{where} {'BINARY' if self.binary else 'text'} {self.types.others.name}{named}"

    def root(self) -> str:
        """Return the column of the map or array; an empty name if each column is a property."""
        return str(self.path[0]) if self.path else ""

    def _path(self, name: str) -> Path:
        key = self.prefix + name
        if self.columns:
            return (name,)
        if self.entry is None:
            return (*self.path, Key(key))
        key_field, value_field = self.entry
        return (*self.path, Entry(key_field, key, self.repeated_first), value_field)

    def _text(self, name: str) -> ir.Value:
        if not self.binary:
            return ir.Column(self._path(name), STRING)
        return ir.Apply(ir.Function.TEXT_OF_BYTES, (ir.Column(self._path(name), BINARY),), STRING)

    def _encoded(self, policy: Encoded, name: str, by_use: bool) -> Stored:
        if not self.binary:
            message = (
                f"types={policy.name!r} decodes bytes, but "
                f"{'.'.join(map(str, self.path)) or 'the column'} contains text"
            )
            raise LayoutError.at(
                "layout.types", message, hint=Hint("perhaps choose a policy for text: ", Setting("types", "by-use"))
            )
        octets = ir.Column(self._path(name), BINARY)
        return policy.stored_bytes(octets, ByItsUse().stored(plain_text(octets)).by_use if by_use else None)

    def stored(self, name: str) -> Stored | None:
        """Return the text at the key ``name``, converted to values as the user chose for this property."""
        if self.columns and name not in self.columns:
            return None
        policy = self.types.of(name)
        if isinstance(policy, Encoded):
            return self._encoded(policy, name, by_use=True)
        return policy.stored(self._text(name))

    def plain(self, name: str) -> Stored | None:
        """Return the text at the key ``name`` as a string, not as a number or boolean that it spells.

        Only under the policies for JSON and for AMQP's encoding, return the decoded value, with its own type.
        """
        if self.columns and name not in self.columns:
            return None
        policy = self.types.of(name)
        if isinstance(policy, Encoded):
            return self._encoded(policy, name, by_use=False)
        text = self._text(name)
        return policy.stored(text) if policy.name == "json" else stored_value(AmqpType.STRING, text)

    def names(self) -> tuple[str, ...]:
        """Return the columns that are properties; empty if any name can be a property."""
        return self.columns

    def undecodable(self, row: Mapping[str, Any]) -> frozenset[str]:
        """Return the names of the properties in ``row`` whose bytes are read as text although they are not UTF-8."""
        if not self.binary:
            return frozenset()
        octets = {name: octets_of(value, self._path(name)) for name, value in self._values(row).items()}
        return frozenset(
            name
            for name, value in octets.items()
            if value is not None and not isinstance(self.types.of(name), Encoded) and not _is_utf8(value)
        )

    def _values(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the properties of ``row`` by name, with their stored values."""
        value = value_at(row, self.path) if self.path else None
        pairs: list[tuple[Any, Any]] = [(name, row.get(name)) for name in self.columns]
        if self.entry is not None:
            key_field, value_field = self.entry
            structs = structs_of(value, self.path)
            keys = (text_of(struct.get(key_field), (*self.path, key_field)) for struct in structs)
            pairs = [(key, struct.get(value_field)) for key, struct in zip(keys, structs, strict=True)]
            if self.repeated_first:
                pairs.reverse()
        elif (mapping := struct_of(value, self.path)) is not None:
            pairs = list(mapping.items())
        kept = {key: value for key, value in dict(pairs).items() if key is not None and key.startswith(self.prefix)}
        return {key.removeprefix(self.prefix): value for key, value in kept.items()}

    def _contents(self, row: Mapping[str, Any]) -> dict[str, str | bytes]:
        """Return the text of each property in ``row``, or its bytes if its policy decodes bytes."""
        contents = {name: self._content(name, value) for name, value in self._values(row).items()}
        return {name: content for name, content in contents.items() if content is not None}

    def _content(self, name: str, value: object) -> str | bytes | None:
        path = (*self.path, Key(self.prefix + name))
        if not self.binary:
            return text_of(value, path)
        octets = octets_of(value, path)
        if octets is None or isinstance(self.types.of(name), Encoded):
            return octets
        return octets.decode("utf-8", "replace")

    def values(self, row: Mapping[str, Any]) -> Iterable[tuple[str, AmqpValue | None]]:
        """Return each property of ``row``, with its text converted under its policy."""
        return ((name, self._value(name, content)) for name, content in self._contents(row).items())

    def _value(self, name: str, content: str | bytes) -> AmqpValue | None:
        policy = self.types.of(name)
        if isinstance(policy, Encoded):
            return policy.read_bytes(content if isinstance(content, bytes) else content.encode())
        return policy.read(content if isinstance(content, str) else content.decode("utf-8", "replace"))

    def read_plain(self, row: Mapping[str, Any], name: str) -> AmqpValue | None:
        """Return the property ``name`` of ``row`` as a string, not as a number or boolean that it spells.

        Only under the policies for JSON and for AMQP's encoding, return the decoded value, with its own type.
        """
        content = self._contents(row).get(name)
        if content is None:
            return None
        if isinstance(content, str) and self.types.of(name).name != "json":
            return AmqpValue(AmqpType.STRING, content)
        value = self._value(name, content)
        if value is not None and isinstance(value.value, UntypedText):
            return AmqpValue(AmqpType.STRING, str(value.value))
        return value


def _is_utf8(octets: bytes) -> bool:
    try:
        octets.decode()
    except UnicodeDecodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class TaggedTexts(PropertySource):
    """Properties stored as text together with the name of their type, in an array of structs or in a map.

    - ``types`` maps type names to AMQP types. ``null`` is the type name and the text that represent a null.
    - ``entry`` contains the names of the struct's fields for the key, the text and the type; it is None for a map.
    - In a map, the type of the property ``p`` is at the key ``p`` + ``suffix``; it is ``default`` if the key is absent.
    """

    path: Path
    types: Mapping[str, AmqpType]
    entry: tuple[str, str, str] | None = None
    suffix: str = ""
    default: str = ""
    null: tuple[str, str] | None = None

    def over(self, table: Table) -> TaggedTexts:
        """Return the source with the column's spelling in ``table``; raise ``LayoutError`` if it is missing."""
        return replace(self, path=table.required(self.path, READER).path)

    def root(self) -> str:
        """Return the name of the column that contains the texts."""
        return str(self.path[0])

    def _places(self, name: str) -> tuple[ir.Value, ir.Value]:
        if self.entry is None:
            text, tag = ((*self.path, Key(key)) for key in (name, name + self.suffix))
            known = ir.first_of((ir.Column(tag, STRING), ir.constant(self.default)))
            return ir.Column(text, STRING), known
        key_field, text_field, type_field = self.entry
        entry: Path = (*self.path, Entry(key_field, name))
        return ir.Column((*entry, text_field), STRING), ir.Column((*entry, type_field), STRING)

    def stored(self, name: str) -> Stored | None:
        """Return the text at ``name`` converted to its stored type; None if ``name`` is a key that holds a type."""
        if self.suffix and name.endswith(self.suffix):
            return None
        text, tag = self._places(name)
        null: ir.Predicate = ir.FALSE
        if self.null is not None:
            type_name, content = self.null
            null = ir.all_of(_equals(tag, type_name), _equals(text, content))
        groups: dict[AmqpType, list[str]] = {}
        for type_name, amqp in self.types.items():
            groups.setdefault(amqp, []).append(type_name)
        values = []
        same_cast: dict[ir.Value, list[ir.Constant]] = {}
        for amqp, names in groups.items():
            texts = tuple(ir.Constant(name, STRING) for name in names)
            guard: ir.Predicate = ir.In(tag, texts)
            if self.null is not None and self.null[0] in names:
                guard = ir.all_of(guard, ir.Compare(Comparison.NE, text, ir.constant(self.null[1])))
            value = _cast(text, amqp)
            values.append(StoredValue((amqp,), value, guard))
            same_cast.setdefault(value, []).extend(texts)
        known = [
            ir.all_of(ir.In(tag, tuple(texts)), ir.TRUE if value == text else ir.IsNull(value, negated=True))
            for value, texts in same_cast.items()
        ]
        absent = ir.any_of(ir.IsNull(text), null)
        # If the type is NULL, ``absent`` is NULL, too, but the text may be present. So use NotTrue, which then holds,
        # and not NOT, which would be NULL.
        present = ir.IsNull(text, negated=True) if self.null is None else ir.NotTrue(absent)
        unknown = ir.all_of(present, ir.NotTrue(ir.any_of(*known)))
        values.append(StoredValue((Compound.LIST,), ir.Constant(b"", BINARY), unknown))
        return stored_alternatives(values, present, absent, ir.IsNull(text))

    def _pairs(self, row: Mapping[str, Any]) -> dict[str, tuple[str | None, str | None]]:
        value = value_at(row, self.path)
        if self.entry is not None:
            key_field, text_field, type_field = self.entry
            pairs: dict[str, tuple[str | None, str | None]] = {}
            for struct in structs_of(value, self.path):
                key = text_of(struct.get(key_field), (*self.path, key_field))
                if key is not None:
                    tag = text_of(struct.get(type_field), (*self.path, Key(key), type_field))
                    pairs[key] = text_of(struct.get(text_field), (*self.path, Key(key))), tag
            return pairs
        mapping = {
            name: text_of(text, (*self.path, Key(name))) for name, text in (struct_of(value, self.path) or {}).items()
        }
        return {
            name: (text, tag if (tag := mapping.get(name + self.suffix)) is not None else self.default)
            for name, text in mapping.items()
            if not name.endswith(self.suffix)
        }

    def values(self, row: Mapping[str, Any]) -> Iterable[tuple[str, AmqpValue | None]]:
        """Return each property of ``row``, with its text converted to its stored type."""
        return ((name, self._value(*pair)) for name, pair in self._pairs(row).items())

    def _value(self, text: str | None, tag: str | None) -> AmqpValue | None:
        if text is None or (tag, text) == self.null:
            return None
        amqp = None if tag is None else self.types.get(tag)
        value = None if amqp is None else _cast_text(text, amqp)
        # If the type is unknown or the text cannot be converted to it, the property exists but equals nothing. A list
        # represents that, because no selector can compare a list.
        return AmqpValue(Compound.LIST, b"") if amqp is None or value is None else AmqpValue(amqp, value)


def _equals(value: ir.Value, text: str) -> ir.Predicate:
    return ir.Compare(Comparison.EQ, value, ir.constant(text))


def _cast(text: ir.Value, amqp: AmqpType) -> ir.Value:
    if amqp is AmqpType.STRING:
        return text
    if amqp is AmqpType.BINARY:
        return ir.Apply(ir.Function.FROM_BASE64, (text,), BINARY)
    return ir.Apply(ir.Function.TRY_CAST, (text,), _SPARK_TYPES[amqp])


def _cast_text(text: str, amqp: AmqpType) -> bool | int | float | str | bytes | None:
    return read_base64(text) if amqp is AmqpType.BINARY else cast_text(text, _SPARK_TYPES[amqp].kind)


_SPARK_TYPES: Mapping[AmqpType, ColumnType] = {
    AmqpType.STRING: STRING,
    AmqpType.BOOLEAN: BOOLEAN,
    AmqpType.BYTE: BIGINT,
    AmqpType.SHORT: BIGINT,
    AmqpType.INT: BIGINT,
    AmqpType.LONG: BIGINT,
    AmqpType.FLOAT: DOUBLE,
    AmqpType.DOUBLE: DOUBLE,
}
