"""What the bindings of an address take, of the messages that come to its node."""

from __future__ import annotations

from functools import reduce

from transpiler import ir
from transpiler.diagnostics import Diagnostic, nearest
from transpiler.errors import LayoutError, UnsupportedFeatureError
from transpiler.layouts.layout import Layout
from transpiler.lowering.header_pairs import Header, header_at, headers
from transpiler.lowering.names import Missing
from transpiler.lowering.operands import complement as not_true
from transpiler.lowering.plain_operands import MISSING, Operand, at, from_value, or_else
from transpiler.lowering.subjects import direct, topic
from transpiler.lowering.xquery import Queries
from transpiler.message.fields import ROUTING_KEYS, MessageField
from transpiler.message.types import TypeClass
from transpiler.source import Source
from transpiler.topology.broker_rules import QPID_CPP, ExchangeType
from transpiler.topology.model import XQUERY_ARGUMENT, Binding, read_headers_match
from transpiler.topology.qpid_address.address import Address, NodeType, subscription_bindings
from transpiler.topology.xquery import parse_query

#: The queue of a subscription, where no other queue is in sight.
_QUEUE = ""


class Addresses:
    """The predicates of addresses over one layout; ``findings`` collects what a user should know about them."""

    def __init__(self, layout: Layout, missing: Missing) -> None:
        self._layout = layout
        self._missing = missing
        self.findings: list[Diagnostic] = []

    def received(self, address: Address, node_type: NodeType, wanted: bool = True) -> ir.Predicate:
        """Where a binding of the address takes the message, or where none does.

        A queue's receiver gets what is in the queue: "any subject in the source address is currently ignored".
        """
        found = ir.TRUE if node_type == "queue" else self._any_binding(address, node_type)
        return found if wanted else not_true(found)

    def _any_binding(self, address: Address, exchange_type: ExchangeType) -> ir.Predicate:
        taken: list[ir.Predicate] = []
        for binding in subscription_bindings(address, exchange_type, _QUEUE):
            if binding.source != address.name or binding.destination != _QUEUE:
                message = f"the binding of {binding.source} with key {binding.key!r} is of another exchange or queue"
                hint = "it is left out here; a topology has it"
                self.findings.append(Diagnostic("address.elsewhere", "warning", message, hint=hint))
            else:
                taken.append(self._binding(binding, exchange_type))
        return ir.any_of(*taken)

    def _binding(self, binding: Binding, exchange_type: ExchangeType) -> ir.Predicate:
        match exchange_type:
            case "fanout":
                return ir.TRUE
            case "direct":
                return self._key(binding.key)
            case "topic":
                words = QPID_CPP.topic.words(binding.key)
                return topic(self._routing_key(), words, absent=all(word == "#" for word in words))
            case "headers":
                return self._headers(binding)
            case "xml":
                query = binding.text(XQUERY_ARGUMENT)
                if query is None:
                    return self._key(binding.key)
                asked = Queries(self._layout, self._missing, QPID_CPP.subject_header, Source(query, "xquery"))
                return ir.all_of(self._key(binding.key), asked.condition(parse_query(query)))

    def _key(self, key: str) -> ir.Predicate:
        """An absent routing key is the empty one."""
        found = direct(self._routing_key(), key)
        return ir.any_of(found, self._routing_key().absent) if key == "" else found

    def _routing_key(self) -> Operand:
        """The text of the first field that has the routing key; what is no text is none."""
        found = (self._layout.field(place) for place in ROUTING_KEYS)
        texts = [item.value for location in found if location is not None for item in at(location).of(TypeClass.STRING)]
        if texts:
            return reduce(or_else, map(from_value, texts))
        if self._missing == "null":
            return MISSING
        message = "the routing key is read from properties.subject, and the layout has no such column"
        raise LayoutError.at("layout.no-column", message, hint="missing='null' reads it as absent")

    def _headers(self, binding: Binding) -> ir.Predicate:
        match = read_headers_match(binding.arguments, QPID_CPP)
        if match.never:
            hint = "write arguments: {x-match: all, …}"
            message = "Qpid C++ refuses a binding of a headers exchange without x-match"
            raise UnsupportedFeatureError.at("topology.x-match", message, hint=hint)
        pairs = [(self._header(name), value) for name, value in match.pairs]
        return headers(pairs, match.any, QPID_CPP.headers.equality)

    def _header(self, name: str) -> Header:
        place = self._layout.property(name)
        subject = self._layout.field(MessageField("properties", "subject")) if name == QPID_CPP.subject_header else None
        if place is None and subject is None and self._missing == "error":
            near = nearest(name, self._layout.names())
            hint = f"did you mean {near[0]}?" if near else "missing='null' reads an unknown name as missing"
            raise LayoutError.at("layout.no-column", f"no column holds the header {name}", hint=hint)
        # AMQP 0-10 keeps the subject among the headers, AMQP 1.0 among the properties.
        return header_at(place, subject)
