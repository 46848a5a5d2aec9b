"""Conversion between filters and AMQP described values, with the checks that the standard requires.

A path is the location of an entry, such as ``filters.selector.value[0].value``. Every error message begins with a path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from transpiler.base.diagnostics import Diagnostic, Remedy, WordFix, mismatch, nearest
from transpiler.base.errors import DecodeError, UnsupportedFeatureError
from transpiler.base.hints import Hint, Setting
from transpiler.base.topics import SEPARATOR
from transpiler.language.filters.descriptors import (
    BY_KIND,
    BY_SYMBOL,
    Descriptor,
    Payload,
    code_text,
    find_descriptor,
    other_descriptor_of_code,
)
from transpiler.language.filters.frames import composite_of
from transpiler.language.filters.kinds import (
    AndFilter,
    ApplicationPropertiesFilter,
    DirectBinding,
    Filter,
    HeadersBinding,
    JmsSelector,
    Match,
    NoLocal,
    NotFilter,
    OrFilter,
    Prefix,
    PropertiesFilter,
    Reference,
    SqlFilter,
    StreamFilter,
    Suffix,
    TopicBinding,
    inner_filters,
)
from transpiler.message.amqp import decoder
from transpiler.message.amqp.values import AmqpList, AmqpMap, Described, Value
from transpiler.message.sections import PROPERTY_TYPES
from transpiler.message.types import AmqpType, AmqpValue

#: Limit of the depth of nested filters, and limit of the number of filters in one filter set. A filter inside another
#: is two AMQP values deeper: a list, and the described value in it.
MAX_DEPTH = decoder.MAX_DEPTH // 2
MAX_FILTERS = 10_000

#: Limit of the number of map entries in one filter set, and limit of the number of words in one topic pattern.
MAX_ENTRIES = 10_000
MAX_WORDS = 10_000

X_MATCH = "x-match"

#: The payload that Vert.x, Proton.NET and ActiveMQ's test client send in a no-local filter instead of an empty list.
_NO_LOCAL_TEXT = "NoLocalFilter{}"
#: The symbols of RabbitMQ's stream filter, and of the filter that lets messages without a filter value pass. Neither
#: has a numeric code.
STREAM, UNFILTERED = "rabbitmq:stream-filter", "rabbitmq:stream-match-unfiltered"
#: Symbol and code of the filter with which Service Bus clients request one session by its id, a string. Most clients
#: send the string without a descriptor, in a filter named ``SESSION``. A null requests the next free session.
SESSION, SESSION_CODE = "com.microsoft:session-filter", 0x137000000C
#: The setting that hints propose for an unknown filter: ``unknown="ignore"`` skips the filter.
_IGNORED = Setting("unknown", "ignore")

_TEXTS = (AmqpType.STRING, AmqpType.SYMBOL)


class UnknownFilterError(UnsupportedFeatureError):
    """Error for a descriptor that no document defines, or whose filter this library does not implement."""


@dataclass(slots=True)
class Reader:
    """Decoder of the filters in one filter set. Each filter is a described value, that is, a descriptor and a payload.

    ``with_x`` allows RabbitMQ's additional values of ``x-match``, which only a filter built in Python can have.
    ``findings`` collects the warnings. ``count`` and ``entries`` are the numbers of filters and of map entries decoded
    so far, which are limited.
    """

    with_x: bool = False
    #: True to accept any payload of a no-local filter; brokers ignore the payload.
    any_payload: bool = False
    findings: list[Diagnostic] = field(default_factory=list)
    count: int = 0
    entries: int = 0
    #: True after a properties filter with a string as a key (instead of a symbol) has been decoded.
    string_key: bool = False

    def filter(self, value: Value, path: str, depth: int = 0) -> Filter:
        """Decode the described value ``value`` as a filter; ``depth`` is the number of filters around it.

        Raises ``DecodeError``, or ``UnknownFilterError`` if the descriptor is unknown or not implemented.
        """
        self.count += 1
        if depth >= MAX_DEPTH or self.count > MAX_FILTERS:
            limit = (
                f"are nested more than {MAX_DEPTH} levels deep"
                if depth >= MAX_DEPTH
                else f"are too many: the maximum is {MAX_FILTERS:,}"
            )
            raise refusal("filters.limit", path, f"filters {limit}")
        if not isinstance(value, Described):
            hint = (
                "a filter is an AMQP described value: a descriptor, such as "
                "apache.org:selector-filter:string, and a value"
            )
            raise refusal("filters.not-described", path, mismatch("a filter", kind_of(value)), hint)
        name = read_descriptor(value.descriptor, path)
        row = self._row(name, value.value, path)
        content = f"{path}.value"
        if row.kind is NoLocal:
            return self._no_local(value.value, path, name)
        match row.payload, value.value:
            case Payload.STRING, AmqpValue(type=AmqpType.STRING, value=str() as text):
                if row.kind is TopicBinding and text.count(SEPARATOR) >= MAX_WORDS:
                    raise refusal("filters.limit", content, f"a pattern has more than {MAX_WORDS:,} words")
                return _TEXTUAL[row.kind](text, path=path, descriptor=name)
            case Payload.MAP, AmqpMap() as entries:
                self.entries += len(entries.entries)
                if self.entries > MAX_ENTRIES:
                    raise refusal("filters.limit", content, f"maps have more than {MAX_ENTRIES:,} entries in all")
                return _MAPS[row.kind](self, entries, content, path, name)
            case Payload.LIST, AmqpList(items=items):
                return self._composite(row.kind, items, path, name, depth)
            case payload, other:
                raise refusal("filters.payload", content, f"expected {_a(payload.value)}, found {kind_of(other)}")

    def _row(self, name: str | int, value: Value, path: str) -> Descriptor:
        row = find_descriptor(name)
        if isinstance(name, int) and row is not None:
            other = other_descriptor_of_code(name)
            if other is not None:
                fits = isinstance(value, AmqpList)
                message = (
                    f"{path}: the code {code_text(name)} is ambiguous: it is {_short(row.symbol)} in {row.source}, "
                    f"and {_short(other.symbol)} in the {other.source}"
                )
                hint: str = "perhaps the symbol is meant: " + row.symbol + ("" if fits else f" or {other.symbol}")
                if not fits:
                    raise UnknownFilterError.at("filters.ambiguous-code", message, hint=hint)
                self.findings.append(Diagnostic("filters.ambiguous-code", "warning", message, hint=hint))
        if row is None:
            shown = code_text(name) if isinstance(name, int) else repr(name)
            composite = composite_of(name)
            if composite is not None:
                hint = "give the filter set alone; a whole source or attach is accepted only as AMQP bytes"
                raise refusal(
                    "filters.frame", path, f"{shown} is the descriptor of AMQP's {composite}, not of a filter", hint
                )
            near = nearest(name, BY_SYMBOL) if isinstance(name, str) else []
            fix: Remedy = _IGNORED.fix
            hint = Hint("perhaps skip filters with unknown descriptors, as most brokers do: ", _IGNORED)
            if near:
                hint, fix = f"did you mean {near[0]}?", WordFix(path, str(name), near[0])
            message = f"{path}: there is no filter with the descriptor {shown}"
            raise UnknownFilterError.at("filters.unknown", message, hint=hint, fix=fix)
        if row.kind is None:
            message = f"{path}: selector-sql does not support the filter {row.symbol}"
            raise UnknownFilterError.at(
                "filters.unavailable", message, hint=Hint("perhaps skip this filter: ", _IGNORED), fix=_IGNORED.fix
            )
        return row

    def _composite(self, kind: Any, items: tuple[Value, ...], path: str, name: str | int, depth: int) -> Filter:
        inner = tuple(self.filter(item, f"{path}.value[{number}]", depth + 1) for number, item in enumerate(items))
        if kind is NotFilter:
            # AMQP Filter Expressions require exactly one inner filter: "field name="filter" type="*" requires="filter"
            # mandatory="true"".
            if len(inner) != 1:
                raise refusal("filters.payload", f"{path}.value", f"not-filter wraps one filter, found {len(inner)}")
            return NotFilter(inner[0], path=path, descriptor=name)
        logical: Filter = kind(inner, path=path, descriptor=name)
        return logical

    def _no_local(self, payload: Value, path: str, name: str | int) -> Filter:
        """Decode a no-local filter. Its payload is an empty list, or the text that some clients send instead.

        ``path`` and ``name`` are the filter's path, for errors, and its descriptor.
        """
        match payload:
            case AmqpList(items=()):
                pass
            case AmqpValue(type=AmqpType.STRING | AmqpType.SYMBOL, value=text) if text == _NO_LOCAL_TEXT:
                pass
            case _ if self.any_payload:
                message = f"{path}.value: expected an empty list, found {kind_of(payload)}"
                self.findings.append(
                    Diagnostic(
                        "filters.payload",
                        "warning",
                        message,
                        hint="brokers ignore the value of a no-local filter: the descriptor alone "
                        "identifies the filter",
                    )
                )
            case AmqpList(items=items):
                raise refusal(
                    "filters.payload",
                    f"{path}.value",
                    f"the list of a no-local filter must be empty, found {len(items)}",
                )
            case _:
                sent = f"some clients send the text '{_NO_LOCAL_TEXT}', which is accepted, too; "
                hint = Hint(sent, "to accept any value: ", _IGNORED)
                message = f"expected a list, found {kind_of(payload)}"
                raise refusal("filters.payload", f"{path}.value", message, hint, _IGNORED.fix)
        return NoLocal(path=path, descriptor=name)

    def headers(self, entries: AmqpMap, content: str, path: str, name: str | int) -> Filter:
        """Decode the map ``entries`` as a legacy headers binding (Apache AMQP filter document, 1.3).

        ``name`` is the filter's descriptor. ``path`` and ``content`` are the paths of the filter and of the map, for
        errors.
        """
        how: Match | None = None
        pairs = []
        for key, value in _simple_entries(entries, (AmqpType.STRING,), content):
            if key == X_MATCH:
                how = self._match(value, f"{content}.{X_MATCH}")
            else:
                pairs.append((key, value))
        if how is None:
            # The Apache AMQP filter document requires ``x-match``: "This key MUST map to the symbolic value “any” or
            # the symbolic value “all” within the described map."
            raise refusal("filters.x-match", content, "x-match is missing", "perhaps all pairs must match, or any")
        return HeadersBinding(how, tuple(pairs), path=path, descriptor=name)

    def _match(self, value: AmqpValue, path: str) -> Match:
        known = [how.value for how in Match if self.with_x or not how.with_x]
        if value.type not in _TEXTS or value.value not in known:
            raise refusal("filters.x-match", path, f"x-match must be the symbol all or any, not {value.value!r}")
        if value.type is AmqpType.STRING:
            message = f"{path}: x-match must be a symbol, but is a string"
            self.findings.append(
                Diagnostic(
                    "filters.x-match",
                    "warning",
                    message,
                    hint="some brokers reject a string here; perhaps write all or any as an AMQP symbol",
                )
            )
        return Match(value.value)

    def properties(self, entries: AmqpMap, content: str, path: str, name: str | int) -> Filter:
        """Decode the map ``entries`` as a properties filter: its keys are symbols that name fields.

        Each value must have the type of its field. ``name`` is the filter's descriptor. ``path`` and ``content`` are
        the paths of the filter and of the map, for errors.
        """
        fields = []
        self.string_key |= any(isinstance(key, AmqpValue) and key.type is AmqpType.STRING for key, _ in entries.entries)
        for key, value in _simple_entries(entries, _TEXTS, content):
            at, attribute = f"{content}.{key}", key.replace("-", "_")
            allowed = PROPERTY_TYPES.get(attribute)
            if allowed is None or "_" in key:
                names = [known.replace("_", "-") for known in PROPERTY_TYPES]
                near = nearest(key.replace("_", "-") if "_" in key else key, names)
                same = attribute.replace("_", "-")
                suggestion = same if same in names else near[0] if near else None
                hint, fix = f"the fields are {', '.join(names)}", None
                if suggestion:
                    hint, fix = f"did you mean {suggestion}?", WordFix(content, key, suggestion)
                raise refusal("filters.field", content, f"the properties section has no field {key!r}", hint, fix)
            if value.type not in allowed:
                expected = " or ".join(kind.value for kind in allowed)
                raise refusal("filters.payload", at, mismatch(expected, value.type.value))
            fields.append((attribute, _reference(value, at)))
        return PropertiesFilter(tuple(fields), path=path, descriptor=name)

    def application_properties(self, entries: AmqpMap, content: str, path: str, name: str | int) -> Filter:
        """Decode the map ``entries`` as an application-properties filter.

        ``name`` is the filter's descriptor. ``path`` and ``content`` are the paths of the filter and of the map, for
        errors.
        """
        pairs = tuple(
            (key, _reference(value, f"{content}.{key}"))
            for key, value in _simple_entries(entries, (AmqpType.STRING,), content)
        )
        return ApplicationPropertiesFilter(pairs, path=path, descriptor=name)


_TEXTUAL: Mapping[Any, Callable[..., Filter]] = {
    kind: kind for kind in (DirectBinding, TopicBinding, JmsSelector, SqlFilter)
}

_MAPS: Mapping[Any, Callable[[Reader, AmqpMap, str, str, str | int], Filter]] = {
    HeadersBinding: Reader.headers,
    PropertiesFilter: Reader.properties,
    ApplicationPropertiesFilter: Reader.application_properties,
}


def read_descriptor(descriptor: Value, path: str) -> str | int:
    """Return the symbol or numeric code in ``descriptor``; raise ``DecodeError`` if it is neither."""
    match descriptor:
        case AmqpValue(type=AmqpType.SYMBOL, value=str() as symbol):
            return symbol
        case AmqpValue(type=AmqpType.ULONG, value=int() as code):
            return code
        case _:
            raise refusal(
                "filters.descriptor", path, f"a descriptor must be a symbol or a ulong, not {kind_of(descriptor)}"
            )


def _simple_entries(entries: AmqpMap, keys: tuple[AmqpType, ...], path: str) -> list[tuple[str, AmqpValue]]:
    """Return the entries of a map as pairs of name and value.

    Raise ``DecodeError`` if the type of a key is not in ``keys``, or if a value is a list, a map or an array.
    """
    pairs = []
    for key, value in entries.entries:
        if not isinstance(key, AmqpValue) or key.type not in keys:
            raise refusal("filters.key", path, mismatch(f"{keys[-1].value} as key", kind_of(key)))
        if not isinstance(value, AmqpValue):
            # AMQP 1.0 defines the map of application properties: "the values are restricted to be of simple types only,
            # that is, excluding map, list, and array types". The filters have the same restriction.
            raise refusal("filters.payload", f"{path}.{key.value!s}", mismatch("a simple value", kind_of(value)))
        pairs.append((str(key.value), value))
    return pairs


def _reference(value: AmqpValue, path: str) -> Reference:
    """Parse the string ``value`` of a property filter: ``&p:text`` is a prefix, ``&s:text`` a suffix.

    Any other string stands for itself, except that ``&&`` at the beginning stands for one ``&``. Source: AMQP Filter
    Expressions, 4.1.1.
    """
    if value.type is not AmqpType.STRING or not isinstance(value.value, str) or not value.value.startswith("&"):
        return value
    text = value.value
    match text[:3], text[:2]:
        case "&p:", _:
            return Prefix(text[3:])
        case "&s:", _:
            return Suffix(text[3:])
        case _, "&&":
            return AmqpValue(AmqpType.STRING, text[1:])
    raise refusal(
        "filters.modifier",
        path,
        f"{text!r} begins with &, but not with a modifier",
        "perhaps write &p: for a prefix, &s: for a suffix, or && for a literal &",
    )


def to_value(node: Filter, *, numeric: bool = False, depth: int = 0) -> Described:
    """Encode ``node`` as a described value: the descriptor from ``name_of``, and the filter's payload.

    If ``numeric`` is True, descriptors are numeric codes instead of symbols. ``depth`` is the number of filters around
    ``node``. Raises ``DecodeError`` if filters are nested too deep.
    """
    if depth >= MAX_DEPTH:
        raise refusal("filters.limit", node.path, f"filters are nested more than {MAX_DEPTH} levels deep")
    if isinstance(node, StreamFilter):
        texts = tuple(map(_string, node.values))
        return Described(AmqpValue(AmqpType.SYMBOL, STREAM), texts[0] if len(texts) == 1 else AmqpList(texts))
    row = BY_KIND[type(node)]
    name = row.code if numeric else name_of(node)
    descriptor = AmqpValue(AmqpType.SYMBOL, name) if isinstance(name, str) else AmqpValue(AmqpType.ULONG, name)
    inside = inner_filters(node)
    if row.payload is Payload.LIST:
        items = tuple(to_value(inner, numeric=numeric, depth=depth + 1) for inner in inside)
        return Described(descriptor, AmqpList(items))
    return Described(descriptor, _content(node))


def name_of(node: Filter) -> str | int:
    """Return the AMQP descriptor of ``node``: the one from which it was decoded, otherwise the symbol of its class."""
    if node.descriptor is not None:
        return node.descriptor
    return STREAM if isinstance(node, StreamFilter) else BY_KIND[type(node)].symbol


def _content(node: Filter) -> AmqpValue | AmqpMap:
    match node:
        case DirectBinding(key=text) | TopicBinding(pattern=text) | JmsSelector(text=text) | SqlFilter(text=text):
            return _string(text)
        case HeadersBinding(match=how, arguments=arguments):
            pairs = ((X_MATCH, AmqpValue(AmqpType.SYMBOL, how.value)), *arguments)
            return AmqpMap(tuple((_string(key), value) for key, value in pairs))
        case PropertiesFilter(fields=fields):
            named = ((AmqpValue(AmqpType.SYMBOL, name.replace("_", "-")), reference) for name, reference in fields)
            return AmqpMap(tuple((name, _modified(reference)) for name, reference in named))
        case ApplicationPropertiesFilter(entries=entries):
            return AmqpMap(tuple((_string(name), _modified(reference)) for name, reference in entries))
        case NoLocal() | OrFilter() | AndFilter() | NotFilter() | StreamFilter():
            raise AssertionError(node)


def _modified(reference: Reference) -> AmqpValue:
    match reference:
        case Prefix(text=text):
            return _string(f"&p:{text}")
        case Suffix(text=text):
            return _string(f"&s:{text}")
        case AmqpValue(type=AmqpType.STRING, value=str() as text) if text.startswith("&"):
            return _string(f"&{text}")
        case AmqpValue():
            return reference


def _string(text: str) -> AmqpValue:
    return AmqpValue(AmqpType.STRING, text)


def refusal(code: str, path: str, message: str, hint: str | None = None, fix: Remedy | None = None) -> DecodeError:
    """Return a ``DecodeError`` whose text is ``message`` after ``path``, the location of the invalid entry."""
    return DecodeError.at(code, f"{path}: {message}", hint=hint, fix=fix)


def kind_of(value: Value) -> str:
    """Return the name of the type of ``value``, with an article."""
    return "a described value" if isinstance(value, Described) else _a(value.type.value)


def _a(noun: str) -> str:
    return noun if noun == "null" else f"{'an' if noun[0] in 'ai' else 'a'} {noun}"


def _short(symbol: str) -> str:
    return symbol.split(":")[1]


#: The treatment of an unknown descriptor: raise an error, or ignore the filter.
Unknown = Literal["error", "ignore"]
