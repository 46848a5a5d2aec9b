"""What the bindings of an address take, of the messages that come to its node."""

from __future__ import annotations

from transpiler.analysis.comparison import not_true
from transpiler.analysis.names import Missing
from transpiler.analysis.operands import MISSING, Alternative, Operand, at
from transpiler.analysis.pairs import Header, header_at, headers
from transpiler.analysis.queries import Queries
from transpiler.analysis.subjects import direct, topic
from transpiler.diagnostics import Diagnostic, nearest
from transpiler.errors import LayoutError, UnsupportedFeatureError
from transpiler.layouts.layout import Layout
from transpiler.message.fields import Place
from transpiler.predicate.core import TRUE, Predicate, all_of, any_of
from transpiler.source import Source
from transpiler.topology.address import Address, NodeType, subscription_bindings
from transpiler.topology.model import XQUERY_ARGUMENT, Binding, read_headers_match
from transpiler.topology.rules import QPID_CPP, ExchangeType
from transpiler.topology.xquery import parse_query

#: The queue of a subscription, where no other queue is in sight.
_QUEUE = ""


class Addresses:
    """The predicates of addresses over one layout; ``findings`` collects what a user should know about them."""

    def __init__(self, layout: Layout, missing: Missing) -> None:
        self._layout = layout
        self._missing = missing
        self.findings: list[Diagnostic] = []

    def received(self, address: Address, node_type: NodeType, wanted: bool = True) -> Predicate:
        """Where a binding of the address takes the message, or where none does.

        A queue's receiver gets what is in the queue: "any subject in the source address is currently ignored".
        """
        found = TRUE if node_type == "queue" else self._any_binding(address, node_type)
        return found if wanted else not_true(found)

    def _any_binding(self, address: Address, exchange_type: ExchangeType) -> Predicate:
        taken: list[Predicate] = []
        for binding in subscription_bindings(address, exchange_type, _QUEUE):
            if binding.source != address.name or binding.destination != _QUEUE:
                message = f"the binding of {binding.source} with key {binding.key!r} is of another exchange or queue"
                hint = "it is left out here; a topology has it"
                self.findings.append(Diagnostic("address.elsewhere", "warning", message, hint=hint))
            else:
                taken.append(self._binding(binding, exchange_type))
        return any_of(*taken)

    def _binding(self, binding: Binding, exchange_type: ExchangeType) -> Predicate:
        match exchange_type:
            case "fanout":
                return TRUE
            case "direct":
                return self._key(binding.key)
            case "topic":
                words = QPID_CPP.topic.words(binding.key)
                return topic(self._subject(), words, absent=all(word == "#" for word in words))
            case "headers":
                return self._headers(binding)
            case "xml":
                query = binding.text(XQUERY_ARGUMENT)
                if query is None:
                    return self._key(binding.key)
                asked = Queries(self._layout, self._missing, QPID_CPP.subject_header, Source(query, "xquery"))
                return all_of(self._key(binding.key), asked.condition(parse_query(query)))

    def _key(self, key: str) -> Predicate:
        """An absent routing key is the empty one."""
        found = direct(self._subject(), key)
        return any_of(found, self._subject().absent) if key == "" else found

    def _subject(self) -> Operand:
        location = self._layout.field(Place("properties", "subject"))
        if location is not None:
            return at(location)
        if self._missing == "null":
            return MISSING
        message = "the routing key is read from properties.subject, and the layout has no such column"
        raise LayoutError.at("layout.no-column", message, hint="missing='null' reads it as absent")

    def _headers(self, binding: Binding) -> Predicate:
        match = read_headers_match(binding.arguments, QPID_CPP)
        if match.never:
            hint = "write arguments: {x-match: all, …}"
            message = "Qpid C++ refuses a binding of a headers exchange without x-match"
            raise UnsupportedFeatureError.at("topology.x-match", message, hint=hint)
        pairs = [(self._header(name), value) for name, value in match.pairs]
        return headers(pairs, match.any)

    def _header(self, name: str) -> Header:
        place = self._layout.property(name)
        subject = self._layout.field(Place("properties", "subject")) if name == QPID_CPP.subject_header else None
        if place is None and subject is None and self._missing == "error":
            near = nearest(name, self._layout.names())
            hint = f"did you mean {near[0]}?" if near else "missing='null' reads an unknown name as missing"
            raise LayoutError.at("layout.no-column", f"no column holds the header {name}", hint=hint)
        found = header_at(place)
        return found if subject is None else _or_else(found, header_at(subject))


def _or_else(header: Header, other: Header) -> Header:
    """A header, and where the message has no such key another one."""
    # AMQP 0-10 keeps the subject among the headers, AMQP 1.0 among the properties.
    more = tuple(Alternative(item.value, all_of(header.missing, item.guard)) for item in other.operand.alternatives)
    operand = Operand(
        header.operand.alternatives + more,
        any_of(header.operand.present, all_of(header.missing, other.operand.present)),
        all_of(header.operand.absent, other.operand.absent),
    )
    return Header(operand, any_of(header.present, other.present), all_of(header.missing, other.missing))
