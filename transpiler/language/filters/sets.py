"""Filter sets: the named filters in the ``filter`` field of a source, all of which a message must pass.

Source: AMQP 1.0, section 3.5.8: a message passes through a filter set if and only if it passes through each of the
named filters. A peer ignores the filters that it does not know, and its answer contains the filters in effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import UnionType
from typing import Any, NamedTuple, TypeAlias, TypeGuard, get_args

from transpiler.base.arguments import check_choice
from transpiler.base.diagnostics import Diagnostic
from transpiler.base.documents.jsontext import JsonTextError, load_json
from transpiler.base.errors import DecodeError, SelectorSyntaxError, SelectorTypeError
from transpiler.base.source import Source
from transpiler.language.conditions import Selector
from transpiler.language.filters.amqp_form import (
    SESSION,
    SESSION_CODE,
    STREAM,
    UNFILTERED,
    Reader,
    Unknown,
    UnknownFilterError,
    kind_of,
    name_of,
    refusal,
)
from transpiler.language.filters.amqp_form import to_value as filter_to_value
from transpiler.language.filters.descriptors import find_descriptor
from transpiler.language.filters.frames import filters_in, filters_of
from transpiler.language.filters.json import from_json, is_described, is_described_by_client, to_json
from transpiler.language.filters.kinds import (
    KINDS,
    AndFilter,
    ApplicationPropertiesFilter,
    Consumer,
    Filter,
    JmsSelector,
    NotFilter,
    OrFilter,
    PropertiesFilter,
    SqlFilter,
    StreamFilter,
    every_filter,
)
from transpiler.language.selector.ast import Expression
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.parsing import SelectorLike
from transpiler.language.selector.printer import print_tree
from transpiler.language.translation.header_names import translate_tree
from transpiler.message.amqp.encoder import encode
from transpiler.message.amqp.values import AmqpArray, AmqpList, AmqpMap, Described, Value
from transpiler.message.types import AmqpType, AmqpValue

ROOT = "filters"
_TEXTS = (AmqpType.STRING, AmqpType.SYMBOL)
#: Maximum number of fields in one property filter that RabbitMQ accepts.
MAX_RABBITMQ_FIELDS = 16
#: The only name under which RabbitMQ accepts an SQL filter.
SQL_NAME = "sql-filter"
#: The phrase for a warning about each RabbitMQ stream filter that selects no messages, by descriptor. ``STREAM``
#: normally selects messages, but not if one of its values is not a string.
_STREAM_FILTERS = {
    "rabbitmq:stream-offset-spec": "sets the offset at which reading of a stream starts, and selects no messages",
    UNFILTERED: "sets how stream-filter treats messages without a filter value, and selects no messages itself",
    STREAM: "lists no values to compare with x-stream-filter-value",
}


_NO_FILTERS = Diagnostic("filters.none", "warning", f"{ROOT}: the filter set is empty, so every message passes")


@dataclass(frozen=True, slots=True)
class FilterSet:
    """A filter set: the filters in effect as pairs of name and filter, and the names of ignored (unknown) filters.

    ``findings`` contains the warnings about the filter set that was read.
    """

    filters: tuple[tuple[str, Filter], ...] = ()
    ignored: tuple[str, ...] = ()
    findings: tuple[Diagnostic, ...] = ()
    #: The names of properties filters whose keys are strings instead of AMQP symbols, which RabbitMQ rejects.
    string_keyed: frozenset[str] = frozenset()

    def accepted_by(self, dialect: Dialect) -> FilterSet:
        """Return the filters that the broker of ``dialect`` applies; warn about each filter that RabbitMQ drops.

        RabbitMQ accepts property filters of 1 to 16 fields, at most one filter for each section, with symbols as the
        keys of a properties filter. It accepts an SQL filter only under the name ``sql-filter``, and ignores JMS
        selectors. It reads the filter map from its end. Source: ``rabbit_amqp_session`` and
        ``rabbit_amqp_filter_prop``.
        """
        if dialect.name != "rabbitmq":
            return self
        kept: list[tuple[str, Filter]] = []
        ignored: list[str] = []
        findings: list[Diagnostic] = []
        for name, node in reversed(self.filters):
            reason = self._refused(name, node, [other for _, other in kept])
            if reason is None:
                kept.append((name, node))
                continue
            ignored.append(name)
            message = f"{ROOT}.{name}: RabbitMQ {reason}"
            findings.append(Diagnostic("filters.not-taken", "warning", message, hint="this filter has no effect"))
        return replace(
            self,
            filters=tuple(reversed(kept)),
            ignored=(*self.ignored, *reversed(ignored)),
            findings=(*self.findings, *reversed(findings)),
        )

    def _refused(self, name: str, node: Filter, later: list[Filter]) -> str | None:
        if isinstance(node, SqlFilter):
            if name and name != SQL_NAME:
                return f"accepts an SQL filter only under the name {SQL_NAME}"
            other: type[Filter] | UnionType = PropertiesFilter | ApplicationPropertiesFilter
        elif isinstance(node, PropertiesFilter | ApplicationPropertiesFilter):
            count = len(node.fields if isinstance(node, PropertiesFilter) else node.entries)
            if not 1 <= count <= MAX_RABBITMQ_FIELDS:
                return f"accepts 1 to {MAX_RABBITMQ_FIELDS} fields in a filter, but this filter has {count}"
            if name in self.string_keyed:
                return "requires symbols as the keys of a properties filter, but this filter has strings"
            if any(type(one) is type(node) for one in later):
                return f"uses only the last {name_of(node)} of a filter set, and another one follows this filter"
            other = SqlFilter
        else:
            known = not name or isinstance(node, StreamFilter)
            return None if known else f"does not evaluate {name_of(node)}"
        if any(isinstance(one, other) for one in later):
            return (
                "does not combine property filters with an SQL filter: a later filter of the other kind "
                "replaces this filter"
            )
        return None

    @property
    def whole(self) -> Filter:
        """The conjunction (``AndFilter``) of all filters. Without filters it accepts every message."""
        return AndFilter(tuple(node for _, node in self.filters), path=ROOT)

    def to_dict(self) -> dict[str, Any]:
        """Return the filters in effect as JSON: an object with the name and the descriptor and value of each filter."""
        named = {name: to_json(node) for name, node in self.filters}
        return named | ({UNFILTERED: {"descriptor": UNFILTERED, "value": True}} if self._takes_unfiltered else {})

    @property
    def _takes_unfiltered(self) -> bool:
        return any(isinstance(node, StreamFilter) and node.unfiltered for _, node in self.filters)

    @property
    def capabilities(self) -> tuple[str, ...]:
        """The capabilities that a peer must advertise to support these filters, sorted and without duplicates.

        The documents define one capability each: "Containers which support the filters that are defined in this section
        should advertise the capability … and MUST provide this capability on sources supporting these filter types."
        """
        nodes = [node for _, named in self.filters for node in every_filter(named)]
        rows = (find_descriptor(name_of(node)) for node in nodes)
        return tuple(sorted({row.capability for row in rows if row is not None and row.capability}))

    def to_amqp(
        self, *, numeric: bool = False, wire_names: bool | None = None, dialect: str | Dialect = "jms"
    ) -> bytes:
        """Encode the filters in effect as the AMQP map that an attach frame carries in its source.

        ``numeric`` writes descriptors as numeric codes instead of symbols. ``wire_names`` selects the JMS selectors
        whose header names are translated to names such as ``amqp.correlation_id``: all (True), none (False), or those
        with the descriptor ``apache.org:selector-filter:string`` (None). An invalid selector is not translated. Raises
        ``UnsupportedFeatureError`` for a condition that cannot be translated.
        """
        entries = [
            (AmqpValue(AmqpType.SYMBOL, name), filter_to_value(on_wire(node, wire_names, dialect), numeric=numeric))
            for name, node in self.filters
        ]
        if self._takes_unfiltered:
            symbol = AmqpValue(AmqpType.SYMBOL, UNFILTERED)
            entries.append((symbol, Described(symbol, AmqpValue(AmqpType.BOOLEAN, True))))
        return encode(AmqpMap(tuple(entries)))


#: The types that ``read_filters`` accepts as a filter set.
FiltersLike: TypeAlias = "Filter | FilterSet | Described | Mapping[str, Any] | str | bytes"


def is_filters(condition: SelectorLike | FiltersLike) -> TypeGuard[FiltersLike]:
    """Return True if ``condition`` is a filter set or a filter, and False if it is a selector.

    A selector is None, a parsed tree, or a text that does not begin as a JSON object or array.
    """
    if isinstance(condition, str):
        # A text that begins with { or [ is taken for JSON. Only a selector for RabbitMQ can begin with a bracket.
        return condition.lstrip().startswith(("{", "["))
    return condition is not None and not isinstance(condition, Expression)


def read_filters(filters: FiltersLike, unknown: Unknown = "error") -> FilterSet:
    """Read the filter set in a filter, a mapping of names to filters, JSON text, or the AMQP 1.0 bytes of the map.

    ``unknown`` determines the treatment of an unknown descriptor: ``"error"`` raises ``UnsupportedFeatureError``, and
    ``"ignore"`` ignores the whole named filter that contains the descriptor. Invalid input raises ``DecodeError``.
    """
    check_choice("unknown", unknown, get_args(Unknown))
    match filters:
        case FilterSet():
            return filters
        case bytes() | bytearray() | memoryview():
            entries = _entries_of_bytes(bytes(filters))
            return FilterSet(findings=(_NO_FILTERS,)) if entries is None else _read(entries, unknown)
        case str():
            return read_filters(_parse(filters), unknown)
        case Described() if (inside := filters_of(filters)) is not filters:
            return read_filters(encode(inside), unknown)
        case _ if isinstance(filters, KINDS | Described) or is_described(filters) or is_described_by_client(filters):
            return _read([_entry("", ROOT, filters)], unknown)
        case Mapping():
            named = ((_name(name), value) for name, value in filters.items())
            return _read([_entry(name, f"{ROOT}.{name}", value) for name, value in named], unknown)
        case _:
            hint = 'a filter set is an object such as {"name": {"descriptor": …, "value": …}}'
            raise refusal("filters.type", ROOT, f"expected a filter set, found a Python {type(filters).__name__}", hint)


class _Entry(NamedTuple):
    """A filter of a filter set before it is decoded: its ``name``, its ``path`` for errors, and its encoded ``value``.

    ``made`` is True if the filter was built as a Python object.
    """

    name: str
    path: str
    value: Value
    made: bool = False


def _entry(name: str, path: str, value: object) -> _Entry:
    if value is None:
        return _Entry(name, path, AmqpValue(AmqpType.NULL, None))
    if name == SESSION and isinstance(value, str):
        return _Entry(name, path, AmqpValue(AmqpType.STRING, value))
    decoded = from_json(value, path)
    try:
        encode(decoded)
    except DecodeError as error:
        raise refusal("filters.value", path, error.diagnostics[0].message) from None
    return _Entry(name, path, decoded, isinstance(value, KINDS))


def _name(name: object) -> str:
    """Return the name of a filter as a plain ``str``, because clients use their own subclasses for symbols."""
    if not isinstance(name, str) or not name.isascii():
        raise refusal(
            "filters.key",
            ROOT,
            f"the name of a filter must be a symbol, which is ASCII text, not {name!r}",
        )
    return str.__str__(name)


def _parse(text: str) -> Any:
    try:
        document = load_json(text)
    except JsonTextError as error:
        is_object = text.lstrip().startswith("{")
        hint = None if is_object else "a selector is not a filter set: pass it to evaluate or transpile_selector"
        raise DecodeError.at("filters.json", error.message, Source(text, ROOT), error.span, hint) from None
    if not isinstance(document, Mapping):
        raise refusal(
            "filters.type",
            ROOT,
            "expected an object of named filters",
            "the members of the object are filters by name, or the descriptor and value of one filter",
        )
    return document


def _entries_of_bytes(data: bytes) -> list[_Entry] | None:
    """Return the named filters encoded in ``data``; None if ``data`` is an AMQP null, which means no filters."""
    value = filters_in(data)
    if isinstance(value, Described):
        return [_Entry("", ROOT, value)]
    if isinstance(value, AmqpValue) and value.type is AmqpType.NULL:
        return None
    if not isinstance(value, AmqpMap):
        raise refusal("filters.type", ROOT, f"a filter set must be a map of symbols to filters, found {kind_of(value)}")
    entries = []
    for key, item in value.entries:
        # AMQP 1.0, part 3, 3.5.8, defines a filter set: "Every key in the map MUST be of type symbol".
        if not isinstance(key, AmqpValue) or key.type is not AmqpType.SYMBOL:
            raise refusal("filters.key", ROOT, f"the name of a filter must be a symbol, found {kind_of(key)}")
        entries.append(_Entry(str(key.value), f"{ROOT}.{key.value!s}", item))
    return entries


def _read(entries: Iterable[_Entry], unknown: Unknown) -> FilterSet:
    reader = Reader(any_payload=unknown == "ignore")
    filters: list[tuple[str, Filter]] = []
    ignored: list[str] = []
    string_keyed: set[str] = set()
    listed = list(entries)
    streams = any(_stream_values(entry.value) for entry in listed)
    unfiltered = any(_is_stream(entry.value, UNFILTERED) and _is_true(entry.value) for entry in listed)
    for name, path, value, made in listed:
        session = _session(name, value)
        if session is not None and session.type is AmqpType.STRING:
            filters.append((name, PropertiesFilter((("group_id", session),), path=path)))
            continue
        if isinstance(value, AmqpValue) and value.value is None and session is None:
            # AMQP 1.0, part 3, 3.5.8, allows a null in place of a filter, which means that there is no filter.
            continue
        values = _stream_values(value)
        if values:
            filters.append((name, StreamFilter(values, unfiltered, path=path)))
            continue
        if streams and _is_stream(value, UNFILTERED):
            continue
        purpose = (
            _stream_purpose(value) if session is None else "requests the next free session, and selects no messages"
        )
        if purpose is not None:
            ignored.append(name)
            message = f"{path}: this filter {purpose}"
            hint = "only the other filters select messages"
            reader.findings.append(Diagnostic("filters.stream", "warning", message, hint=hint))
            continue
        reader.with_x, reader.string_key = made, False
        try:
            filters.append((name, reader.filter(value, path)))
            if reader.string_key:
                string_keyed.add(name)
        except UnknownFilterError as error:
            if unknown == "error":
                raise
            ignored.append(name)
            reader.findings.extend(
                replace(finding, severity="warning", hint="this filter has no effect") for finding in error.diagnostics
            )
    return FilterSet(tuple(filters), tuple(ignored), tuple(reader.findings), frozenset(string_keyed))


def _session(name: str, value: Value) -> AmqpValue | None:
    """Return the session id that a filter of Azure Service Bus requests: a string, or a null for the next free session.

    Return None if ``value`` is not a Service Bus session filter.
    """
    if isinstance(value, Described) and isinstance(value.descriptor, AmqpValue):
        found = value.value if value.descriptor.value in (SESSION, SESSION_CODE) else None
    else:
        found = value if name == SESSION else None
    known = isinstance(found, AmqpValue) and found.type in (AmqpType.STRING, AmqpType.NULL)
    return found if known else None  # type: ignore[return-value]


def _is_stream(value: Value, symbol: str) -> bool:
    named = isinstance(value, Described) and isinstance(value.descriptor, AmqpValue)
    return named and value.descriptor.value == symbol  # type: ignore[union-attr]


def _is_true(value: Value) -> bool:
    return isinstance(value, Described) and isinstance(value.value, AmqpValue) and value.value.value is True


def _stream_values(value: Value) -> tuple[str, ...]:
    """Return the values of RabbitMQ's stream filter, with which ``x-stream-filter-value`` is compared.

    Return an empty tuple if ``value`` is another filter, or if one of its values is not a string.
    """
    if not _is_stream(value, STREAM):
        return ()
    assert isinstance(value, Described)
    items = value.value.items if isinstance(value.value, AmqpList | AmqpArray) else (value.value,)
    texts = [item.value for item in items if isinstance(item, AmqpValue) and item.type in _TEXTS]
    return tuple(map(str, texts)) if len(texts) == len(items) else ()


def _stream_purpose(value: Value) -> str | None:
    """Describe the effect of a RabbitMQ stream filter that selects no messages; None for any other filter."""
    if isinstance(value, Described) and isinstance(value.descriptor, AmqpValue):
        return _STREAM_FILTERS.get(str(value.descriptor.value))
    return None


#: The descriptor of selectors in apache-filters.xml, the older document. It requires translated header names.
_TRANSLATED = "apache.org:selector-filter:string"


def on_wire(node: Filter, translate: bool | None, dialect: str | Dialect) -> Filter:
    """Translate the header names in a filter's JMS selectors to the form ``amqp.field_name`` of the wire.

    Args:
        node: The filter, of any kind.
        translate: ``wire_names`` of ``to_amqp``: True to translate all selectors, False to translate no selector, None
            to translate selectors with the older document's descriptor.
        dialect: The dialect of the selectors.

    Source: apache-filters.xml, selector-filter: "When encoding the selector string on the wire, these JMS header names
    should be translated". The newer document has no such rule, so its selectors are sent as they are written.
    """
    match node:
        case JmsSelector(descriptor=descriptor) if translate or (translate is None and descriptor == _TRANSLATED):
            return _translated(node, dialect)
        case OrFilter(filters=filters) | AndFilter(filters=filters):
            return replace(node, filters=tuple(on_wire(inner, translate, dialect) for inner in filters))
        case NotFilter(filter=inner):
            return replace(node, filter=on_wire(inner, translate, dialect))
        case _:
            return node


def _translated(node: JmsSelector, dialect: str | Dialect) -> JmsSelector:
    rules = find_dialect(dialect)
    try:
        condition = node.condition(Consumer(rules))
    except (SelectorSyntaxError, SelectorTypeError):
        return node
    if not isinstance(condition, Selector) or condition.tree is None:
        return node
    tree = condition.tree
    translated = translate_tree(tree, "amqp", condition.source)
    # Keep the user's spelling if no header name had to be translated; ``print_tree`` would change it.
    return node if translated == tree else replace(node, text=print_tree(translated, rules))
