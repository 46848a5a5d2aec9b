"""Qpid addresses: ``name/subject; {create: …, node: {…}, link: {…}}``, and the bindings that an address implies.

Source: the AMQP 0-10 mapping chapter of Programming in Apache Qpid. The chapter leaves open whether explicit bindings
replace the implied binding; as in the C++ client, they replace it unless the address has a subject.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NoReturn, TypeVar

from transpiler.base.diagnostics import Diagnostic, Fix, nearest
from transpiler.base.errors import TopologyError, UnsupportedFeatureError
from transpiler.base.source import Source, Span
from transpiler.language import conditions
from transpiler.language.conditions import EVERY_MESSAGE, Condition
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.topology.binding_conditions import binding_condition, binding_headers
from transpiler.topology.broker_rules import QPID_CPP
from transpiler.topology.exchange_types import EXCHANGE_KINDS, ExchangeType
from transpiler.topology.qpid_address.address_syntax import Items, Pairs, Text, Value, read_address_text
from transpiler.topology.records import XQUERY_ARGUMENT, Alternate, Arguments, Binding, Queue

_Kind = TypeVar("_Kind", Pairs, Items, Text)

Policy = Literal["never", "always", "sender", "receiver"]
Reliability = Literal["unreliable", "at-most-once", "at-least-once", "exactly-once"]

#: The type of the node that an address resolves to.
NodeType = Literal["queue", "direct", "topic", "fanout", "headers", "xml"]

_POLICIES: tuple[Policy, ...] = ("never", "always", "sender", "receiver")
_RELIABILITIES: tuple[Reliability, ...] = ("unreliable", "at-most-once", "at-least-once", "exactly-once")


@dataclass(frozen=True, slots=True)
class AddressBinding:
    """An element of ``x-bindings``, a list of explicit bindings in an address.

    ``exchange`` or ``queue`` is None if the element does not name it. It is then the node that the address names.
    """

    exchange: str | None
    queue: str | None
    key: str
    arguments: Arguments = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Node:
    """The node options: the kind of node that the name denotes, and how the node is created."""

    type: Literal["queue", "topic"] | None = None
    durable: bool = False
    declare: Mapping[str, Any] = field(default_factory=dict, hash=False)
    bindings: tuple[AddressBinding, ...] = ()


@dataclass(frozen=True, slots=True)
class AddressLink:
    """The link options: the subscription, its queue, its bindings, and a selector on the received messages."""

    name: str | None = None
    durable: bool = False
    reliability: Reliability | None = None
    selector: str | None = None
    declare: Mapping[str, Any] = field(default_factory=dict, hash=False)
    bindings: tuple[AddressBinding, ...] = ()


@dataclass(frozen=True, slots=True)
class Address:
    """A Qpid address, without the options that do not affect bindings (such as who asserts or deletes the node)."""

    name: str
    subject: str | None = None
    create: Policy = "never"
    node: Node = Node()
    link: AddressLink = AddressLink()


def parse_address(text: str) -> Address:
    """Parse an address; raise ``TopologyError`` with the span of the invalid element."""
    source = Source(text, "address")
    written = read_address_text(source)
    options = _Options(source, written.options, "address", ("create", "assert", "delete", "mode", "node", "link"))
    options.one_of("assert", _POLICIES, None)
    options.one_of("delete", _POLICIES, None)
    options.one_of("mode", ("consume", "browse"), None)
    return Address(
        str(written.name.value),
        None if written.subject is None else str(written.subject.value),
        options.one_of("create", _POLICIES, "never"),
        _node(options.map("node", ("type", "durable", "x-declare", "x-bindings"))),
        _link(options.map("link", _LINK)),
    )


_LINK = ("name", "durable", "reliability", "selector", "x-declare", "x-subscribe", "x-bindings", "timeout", "capacity")


#: The members of ``x-declare`` for a queue: the fields of AMQP 0-10's queue.declare that have no option of their own,
#: and ``durable``, which takes precedence over the option ``durable``.
_DECLARE = ("durable", "auto-delete", "exclusive", "alternate-exchange", "arguments")

#: The boolean members of ``x-declare``.
_DECLARED_FLAGS = ("durable", "auto-delete", "exclusive")


def _node(options: _Options) -> Node:
    return Node(
        options.one_of("type", ("queue", "topic"), None),
        options.flag("durable"),
        options.declaration("x-declare", ("type", *_DECLARE)),
        _bindings(options),
    )


def _link(options: _Options) -> AddressLink:
    options.pairs("x-subscribe")
    return AddressLink(
        options.text("name"),
        options.flag("durable"),
        options.one_of("reliability", _RELIABILITIES, None),
        options.text("selector"),
        options.declaration("x-declare", _DECLARE),
        _bindings(options),
    )


def _bindings(options: _Options) -> tuple[AddressBinding, ...]:
    bindings = []
    for item in options.list("x-bindings"):
        element = _Options(options.source, item, "x-bindings", ("exchange", "queue", "key", "arguments"))
        ends = element.text("exchange"), element.text("queue")
        bindings.append(AddressBinding(*ends, element.text("key") or "", element.simple("arguments")))
    return tuple(bindings)


class _Options:
    """A map of options in an address. The constructor rejects a map with a name that is not in ``known``."""

    def __init__(self, source: Source, value: Value | None, what: str, known: tuple[str, ...]) -> None:
        self.source = source
        self._found: dict[str, Value] = {}
        for key, item in self._checked(value, Pairs, f"{what} is a map") or ():
            name = str(key.value)
            if name not in known:
                near = nearest(name, known)
                hint = f"did you mean {near[0]}?" if near else f"the options are {', '.join(known)}"
                fix = Fix(near[0]) if near else None
                self._fail("address.unknown-option", f"{what} has no option {name!r}", key.span, hint, fix)
            self._found[name] = item

    def _fail(self, code: str, message: str, span: Span, hint: str | None = None, fix: Fix | None = None) -> NoReturn:
        raise TopologyError.at(code, message, self.source, span, hint, fix)

    def map(self, name: str, known: tuple[str, ...]) -> _Options:
        """Return the option ``name``, which is a map with the option names ``known``."""
        return _Options(self.source, self._found.get(name), name, known)

    def _checked(self, value: Value | None, kind: type[_Kind], message: str, hint: str | None = None) -> _Kind | None:
        if value is not None and not isinstance(value, kind):
            self._fail("address.type", message, value.span, hint)
        return value

    def pairs(self, name: str) -> Pairs | tuple[()]:
        """Return the option ``name``, which is a map with any keys."""
        return self._checked(self._found.get(name), Pairs, f"{name} is a map") or ()

    def list(self, name: str) -> tuple[Value, ...]:
        """Return the items of the option ``name``, which is a list."""
        value = self._checked(self._found.get(name), Items, f"{name} is a list", f"perhaps write {name}: [{{…}}]")
        return () if value is None else value.items

    def text(self, name: str) -> str | None:
        """Return the text of the option ``name``; a number counts as the text of its digits."""
        value = self._checked(self._found.get(name), Text, f"{name} is a text")
        if value is None:
            return None
        return value.value if isinstance(value.value, str) else self.source.text[value.span.start : value.span.end]

    def flag(self, name: str) -> bool:
        """Return the boolean option ``name``; False if it is absent."""
        value = self._found.get(name)
        if value is None:
            return False
        if not isinstance(value, Text) or not isinstance(value.value, bool):
            self._fail("address.type", f"{name} is true or false", value.span)
        return value.value

    def one_of(self, name: str, choices: Any, default: Any) -> Any:
        """Return the value of the option ``name``, which must be one of ``choices``; ``default`` if it is absent."""
        value = self._found.get(name)
        if value is None:
            return default
        if isinstance(value, Text) and value.value in choices:
            return value.value
        near = nearest(str(value.value), choices) if isinstance(value, Text) else []
        hint = f"did you mean {near[0]}?" if near else f"the values of {name} are {', '.join(choices)}"
        fix = Fix(near[0]) if near else None
        raise TopologyError.at(
            "address.value", f"the option {name} cannot have this value", self.source, value.span, hint, fix
        )

    def declaration(self, name: str, known: tuple[str, ...]) -> dict[str, Any]:
        """Return the option ``name``, the map ``x-declare``, as a dict of Python values.

        The values of its flags, ``alternate-exchange`` and ``arguments`` are checked; other members are rejected.
        """
        options = self.map(name, known)
        for flag in _DECLARED_FLAGS:
            options.flag(flag)
        alternate = options.text("alternate-exchange")
        if alternate == "":
            span = options._found["alternate-exchange"].span
            self._fail(
                "address.value",
                "alternate-exchange names an exchange",
                span,
                "perhaps omit the option if there is no alternate exchange",
            )
        options.simple("arguments")
        declared = {str(key.value): _plain(item) for key, item in self.pairs(name)}
        return declared | ({} if alternate is None else {"alternate-exchange": alternate})

    def simple(self, name: str) -> dict[str, AmqpValue]:
        """Return the option ``name``, a map of simple values. Integers become AMQP longs, as in Qpid's C++ client."""
        arguments = {}
        for key, item in self.pairs(name):
            if not isinstance(item, Text):
                self._fail("address.type", "an argument must be a simple value", item.span)
            arguments[str(key.value)] = _typed(item.value)
        return arguments


_TYPES = {bool: AmqpType.BOOLEAN, int: AmqpType.LONG, float: AmqpType.DOUBLE, str: AmqpType.STRING}


def _typed(value: Any) -> AmqpValue:
    return AmqpValue(_TYPES[type(value)], value)


def _plain(value: Value) -> Any:
    match value:
        case Text(value=scalar):
            return scalar
        case Pairs():
            return {str(key.value): _plain(item) for key, item in value}
        case Items(items=items):
            return [_plain(item) for item in items]


def subscription_queue(address: Address) -> Queue:
    """Return the subscription queue of a receiver from an exchange.

    "If the reliability is set to unreliable then an auto-deleted, exclusive queue is used ... For exactly-once the
    queue is not set to be auto-deleted. The durability ... is determined by the durable option in the link properties."
    A durable link without a reliability is reliable, as in the C++ client. "The subscription queue's
    arguments can be specified using the x-declare map within the link properties", which overrides all these options.
    The queue has the name of the link; if the link has no name, that of the address, to which a client adds a suffix.
    """
    link = address.link
    reliable = link.reliability in ("at-least-once", "exactly-once") or (link.durable and link.reliability is None)
    queue = Queue(link.name or address.name, durable=link.durable, auto_delete=not reliable, exclusive=True)
    return with_declaration(queue, link.declare)


def with_declaration(queue: Queue, declare: Mapping[str, Any]) -> Queue:
    """Return ``queue`` with the settings in ``declare``, the map ``x-declare`` of an address, in place of its own."""
    alternate = declare.get("alternate-exchange")
    return replace(
        queue,
        durable=declare.get("durable", queue.durable),
        auto_delete=declare.get("auto-delete", queue.auto_delete),
        exclusive=declare.get("exclusive", queue.exclusive),
        alternate=queue.alternate if alternate is None else Alternate(alternate),
        arguments={name: _typed(value) for name, value in declare.get("arguments", {}).items()},
    )


def subscription_bindings(address: Address, exchange_type: ExchangeType, queue: str) -> tuple[Binding, ...]:
    """Return the bindings that a receiver creates from the exchange of its address to its subscription queue.

    The implied binding comes first, then the bindings of ``x-bindings``, in which "if the queue value is absent the
    queue name ... is implied" and likewise the exchange.
    """
    explicit = tuple(
        Binding(binding.exchange or address.name, binding.queue or queue, binding.key, binding.arguments)
        for binding in address.link.bindings
    )
    if address.subject:
        return (_by_subject(address, exchange_type, queue, address.subject), *explicit)
    return explicit or (_for_all(address, exchange_type, queue),)


def _by_subject(address: Address, exchange_type: ExchangeType, queue: str, subject: str) -> Binding:
    match exchange_type:
        case "headers":
            # Qpid's documentation, for a headers exchange: "an x-match entry set to all and an entry for qpid.subject
            # whose value is the subject".
            arguments = {"x-match": _typed("all"), "qpid.subject": _typed(subject)}
        case "xml":
            # Qpid's documentation about the subject: "it is used as the binding key and an XQuery is defined that
            # matches any message with that value".
            arguments = {XQUERY_ARGUMENT: _typed(subject_query(subject))}
        case _:
            # Qpid's documentation: "If a subject is specified ... it is used for the binding key". A fanout exchange
            # ignores the binding key ("irrelevant").
            arguments = {}
    return Binding(address.name, queue, subject, arguments)


def subject_query(subject: str) -> str:
    """Return the XQuery that selects messages with the subject ``subject``, in which a quote is doubled."""
    quoted = subject.replace("&", "&amp;").replace("'", "''")
    return f"declare variable $qpid.subject external; $qpid.subject = '{quoted}'"


def _for_all(address: Address, exchange_type: ExchangeType, queue: str) -> Binding:
    match exchange_type:
        case "topic":
            # Qpid's documentation, for an address without a subject: "bound using a wildcard matching any routing key".
            return Binding(address.name, queue, "#")
        case "headers":
            # Qpid's documentation: "the binding arguments simply contain an x-match entry and no other entries".
            return Binding(address.name, queue, "", {"x-match": _typed("all")})
        case "xml":
            # Qpid's documentation: "the empty string is used as the binding key with an xquery that will match any
            # message".
            return Binding(address.name, queue, "", {XQUERY_ARGUMENT: _typed("true()")})
        case _:
            # Qpid's documentation: "If no subject is specified an empty string is used as the binding key."
            return Binding(address.name, queue, "")


#: A placeholder for the name of the subscription queue, which does not affect ``address_condition``.
_QUEUE = ""


def address_condition(address: Address, node_type: NodeType) -> tuple[Condition, tuple[Diagnostic, ...]]:
    """Return the condition under which a receiver with ``address`` gets a message sent to its node, and warnings.

    A message meets the condition if one of the address's own bindings matches it; a warning names each binding of
    another exchange or queue. The selector of the link is not part of the condition. Raises
    ``UnsupportedFeatureError`` for a binding that the broker rejects.
    """
    if node_type == "queue":
        # "any subject in the source address is currently ignored": the receiver gets all messages in the queue.
        return EVERY_MESSAGE, ()
    terms: list[Condition] = []
    findings: list[Diagnostic] = []
    for binding in subscription_bindings(address, node_type, _QUEUE):
        if binding.source != address.name or binding.destination != _QUEUE:
            message = f"the binding of {binding.source} with key {binding.key!r} belongs to another exchange or queue"
            hint = "the binding is skipped here, but is part of a topology"
            findings.append(Diagnostic("address.elsewhere", "warning", message, hint=hint))
            continue
        if EXCHANGE_KINDS[node_type].compares_headers and binding_headers(QPID_CPP, binding).never:
            hint = "perhaps write arguments: {x-match: all, …}"
            message = "Qpid C++ refuses a binding of a headers exchange without x-match"
            raise UnsupportedFeatureError.at("topology.x-match", message, hint=hint)
        terms.append(binding_condition(QPID_CPP, node_type, binding))
    return conditions.Any(tuple(terms)), tuple(findings)
