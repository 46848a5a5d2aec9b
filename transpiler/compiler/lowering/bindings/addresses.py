"""Qpid addresses as predicates: a receiver gets the messages that one of the address's bindings matches."""

from __future__ import annotations

from functools import reduce

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.errors import LayoutError, UnsupportedFeatureError
from transpiler.base.hints import Hint, Setting
from transpiler.compiler import ir
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.lowering.bindings.bindings import LITERALS, Bindings, TextKey
from transpiler.compiler.lowering.names.column_values import at
from transpiler.compiler.lowering.operands import NULL, Operand, complement, from_value, or_else
from transpiler.language.filters.binding_rules import read_headers_match
from transpiler.message.header_fields import ROUTING_KEYS
from transpiler.message.operand_types import OperandType
from transpiler.topology.broker_rules import QPID_CPP, ExchangeType
from transpiler.topology.qpid_address.address import Address, NodeType, subscription_bindings
from transpiler.topology.records import Binding

#: The queue of a subscription, where no other queue is in sight.
_QUEUE = ""


class Addresses:
    """The predicates of addresses over one layout; ``findings`` collects what a user should know about them."""

    def __init__(self, layout: Layout, missing: Missing) -> None:
        self._layout = layout
        self._missing = missing
        self._bindings = Bindings(layout, missing, QPID_CPP, LITERALS)
        self.findings: list[Diagnostic] = []

    def received(self, address: Address, node_type: NodeType, polarity: bool = True) -> ir.Predicate:
        """The predicate that a binding of the address matches the message, or that none does.

        A queue's receiver gets what is in the queue: "any subject in the source address is currently ignored".
        """
        received = ir.TRUE if node_type == "queue" else self._any_binding(address, node_type)
        return received if polarity else complement(received)

    def _any_binding(self, address: Address, exchange_type: ExchangeType) -> ir.Predicate:
        bindings = self._own_bindings(address, exchange_type)
        # Fanout and headers exchanges read no routing key, so a layout without one will do for them.
        reads_key = bindings and exchange_type in ("direct", "topic", "xml")
        key = TextKey(self._routing_key() if reads_key else NULL, QPID_CPP)
        return ir.any_of(*(self._matched(exchange_type, binding, key) for binding in bindings))

    def _own_bindings(self, address: Address, exchange_type: ExchangeType) -> list[Binding]:
        """The bindings of the address's node to its subscription; of each other one the user is told."""
        own: list[Binding] = []
        for binding in subscription_bindings(address, exchange_type, _QUEUE):
            if binding.source == address.name and binding.destination == _QUEUE:
                own.append(binding)
                continue
            message = f"the binding of {binding.source} with key {binding.key!r} is of another exchange or queue"
            hint = "it is left out here; a topology has it"
            self.findings.append(Diagnostic("address.elsewhere", "warning", message, hint=hint))
        return own

    def _matched(self, exchange_type: ExchangeType, binding: Binding, key: TextKey) -> ir.Predicate:
        if exchange_type == "headers" and read_headers_match(binding.arguments, QPID_CPP).never:
            hint = "perhaps write arguments: {x-match: all, …}"
            message = "Qpid C++ refuses a binding of a headers exchange without x-match"
            raise UnsupportedFeatureError.at("topology.x-match", message, hint=hint)
        return self._bindings.condition(exchange_type, binding, key)

    def _routing_key(self) -> Operand:
        """The text of the first field that has the routing key; what is no text is none."""
        places = (self._layout.field(place) for place in ROUTING_KEYS)
        texts = [item.value for place in places if place is not None for item in at(place).of(OperandType.STRING)]
        if texts:
            return reduce(or_else, [from_value(OperandType.STRING, text) for text in texts])
        if self._missing == "null":
            return NULL
        message = "the routing key is read from properties.subject, and the layout has no such column"
        absent = Setting("missing", "null")
        raise LayoutError.at("layout.no-column", message, hint=Hint(absent, " reads it as absent"), fix=absent.fix)
