"""What the bindings of each exchange ask of a message, as patterns over a layout.

A binding of a state is either decided (its key is known), asked as a pattern, or, where its key has wildcards, looked
up in the trie of its exchange; the pattern then holds what is asked besides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from transpiler import ir
from transpiler.diagnostics import nearest
from transpiler.errors import LayoutError
from transpiler.layouts.columns import (
    STRING,
)
from transpiler.layouts.layout import Layout
from transpiler.lowering.header_pairs import Header, Way, Ways, header_at
from transpiler.lowering.names import Missing
from transpiler.lowering.xquery import Queries
from transpiler.message.fields import MessageField
from transpiler.rewrites.optimizer import optimize
from transpiler.routing.parameterize import SelectorParameterizer
from transpiler.routing.signatures import Parameter, parameter, shift_parameters
from transpiler.routing.topic_automaton import matches_topic
from transpiler.selector.ast import Comparison
from transpiler.selector.dialects import find_dialect
from transpiler.selector.pattern import Wildcard
from transpiler.source import Source
from transpiler.topology.model import Binding, HeadersMatch, Topology
from transpiler.topology.xquery import parse_query

#: Columns that a routed message has while it is routed: the exchange, the routing key, and the same without the empty
#: words that the broker drops.
EXCHANGE, KEY, TOPIC = "_routing_exchange", "_routing_key", "_routing_topic"

#: The routing key as it is, NULL where there is none.
SUBJECT = "_routing_subject"

#: The routing keys, where a message can have several; and the mark of a key that is one word, dots and all.
KEYS, WHOLE = "_routing_keys", "="

_SUBJECT = ir.Column((SUBJECT,), STRING)
_KEY = ir.Column((KEY,), STRING)
_TOPIC = ir.Column((TOPIC,), STRING)
_KEY_PATTERN: ir.Predicate = ir.Compare(Comparison.EQ, _KEY, parameter(0, STRING))
_TOPIC_PATTERN: ir.Predicate = ir.Compare(Comparison.EQ, _TOPIC, parameter(0, STRING))

#: The routing key under which a message is at an exchange: its own, or the one that a binding has put in its place.
RoutingKey = str | None


@dataclass(frozen=True, slots=True)
class Condition:
    """A pattern with its constants; ``words`` are the binding key's where it has wildcards.

    Where messages have several routing keys, ``words`` are those of every binding key.
    """

    pattern: ir.Predicate
    constants: tuple[Parameter, ...] = ()
    words: tuple[str, ...] | None = None


ALWAYS = Condition(ir.TRUE)


class Conditions:
    """The conditions of a topology's bindings over one layout."""

    def __init__(self, topology: Topology, layout: Layout, missing: Missing, several: bool = False) -> None:
        self.topology = topology
        self._several = several
        self._rules = topology.rules
        self._layout = layout
        self._missing = missing
        self._selectors = SelectorParameterizer(layout, find_dialect(topology.rules.dialect), missing)
        self._headers: dict[object, ir.Predicate] = {}
        self._ways = Ways(topology.rules.headers.equality)
        self._queries: dict[str, ir.Predicate] = {}
        self._joined: dict[tuple[int, int], tuple[ir.Predicate, ir.Predicate, ir.Predicate]] = {}

    def of(self, binding: Binding, key: RoutingKey) -> Condition | None:
        """What a binding asks of a message that came to its exchange with its own key (None) or another one.

        None where no message fits.
        """
        match self.topology.exchange_by_name[binding.source].type:
            case "direct":
                found = self._direct(binding.key, key)
            case "topic":
                found = self._topic(binding.key, key)
            case "fanout":
                found = ALWAYS
            case "headers":
                found = self._headers_match(self.topology.headers(binding))
            case "xml":
                # The binding key is compared as a direct exchange does, and then the query is asked.
                found = self._direct(binding.key, key)
                query = self.topology.xquery(binding)
                if found is not None and query is not None:
                    found = self._both(found, self._query(query), ())
        if found is None:
            return None
        selector = self.topology.selector(binding)
        if selector is None:
            return found
        pattern, constants = self._selectors.pattern(selector)
        return self._both(found, pattern.predicate, constants)

    def by_name(self, key: RoutingKey) -> Iterator[tuple[Condition, str | None]]:
        """What the default exchange asks, and the queue; None stands for the one that the routing key names."""
        prefix = self._rules.direct_replies
        if self._rules.default_names_any_queue:
            if key is not None:
                if prefix is None or not key.startswith(prefix):
                    yield ALWAYS, key
                return
            if self._several:
                # Which of the keys name a queue is asked where they are delivered.
                yield ALWAYS, None
                return
            reply = ir.TRUE if prefix is None else ir.Like(_SUBJECT, (prefix, Wildcard.ANY), negated=True)
            yield Condition(ir.all_of(ir.IsNull(_SUBJECT, negated=True), reply)), None
            return
        for queue in sorted(self.topology.queue_names):
            if prefix is None or not queue.startswith(prefix):
                condition = self._direct(queue, key)
                if condition is not None:
                    yield condition, queue

    def _query(self, text: str) -> ir.Predicate:
        known = self._queries.get(text)
        if known is None:
            asked = Queries(self._layout, self._missing, self._rules.subject_header, Source(text, "xquery"))
            known = self._queries[text] = optimize(asked.condition(parse_query(text)))
        return known

    def _direct(self, wanted: str, key: RoutingKey) -> Condition | None:
        if key is not None:
            return ALWAYS if wanted == key else None
        return Condition(ir.TRUE, (), (WHOLE + wanted,)) if self._several else Condition(_KEY_PATTERN, (wanted,))

    def _topic(self, wanted: str, key: RoutingKey) -> Condition | None:
        words = self._rules.topic.words(wanted)
        wild = "*" in words or "#" in words
        if key is not None:
            return ALWAYS if matches_topic(words, self._rules.topic.words(key)) else None
        return Condition(ir.TRUE, (), words) if wild or self._several else Condition(_TOPIC_PATTERN, (".".join(words),))

    def _both(self, found: Condition, pattern: ir.Predicate, constants: tuple[Parameter, ...]) -> Condition:
        if found.pattern == ir.TRUE:
            return Condition(pattern, constants, found.words)
        key = (id(found.pattern), id(pattern))
        known = self._joined.get(key)
        if known is None:
            joined = ir.all_of(found.pattern, shift_parameters(pattern, len(found.constants)))
            # The two are kept with it, so that nobody else gets their identities.
            known = self._joined[key] = (joined, found.pattern, pattern)
        return Condition(known[0], found.constants + constants, found.words)

    def _headers_match(self, match: HeadersMatch) -> Condition | None:
        if match.never:
            return None
        # Bindings whose values are shown in the same ways have one pattern.
        key: list[object] = [match.any]
        constants: list[Parameter] = []
        pairs = []
        for name, value in match.pairs:
            found = None if value is None else self._ways.of(value)
            pairs.append((name, found))
            key += (name, None if found is None else len(found))
            for way in found or ():
                key.append(way.shown)
                constants.append(way.constant)
        whole = tuple(key)
        pattern = self._headers.get(whole)
        if pattern is None:
            pattern = self._headers[whole] = self._headers_pattern(match.any, pairs)
        return None if pattern == ir.FALSE else Condition(pattern, tuple(constants))

    def _headers_pattern(self, any_pair: bool, pairs: list[tuple[str, tuple[Way, ...] | None]]) -> ir.Predicate:
        tests: list[ir.Predicate] = []
        numbers = count()
        for name, found in pairs:
            header = self._header(name)
            if found is None:
                tests.append(header.present)
                continue
            compared = {way: parameter(next(numbers), way.shown.read.type) for way in found}
            tests.append(header.equals(found, compared.__getitem__))
        return ir.any_of(*tests) if any_pair else ir.all_of(*tests)

    def _header(self, name: str) -> Header:
        location = self._layout.property(name)
        subject = (
            self._layout.field(MessageField("properties", "subject")) if name == self._rules.subject_header else None
        )
        if location is None and subject is None:
            if self._missing == "null":
                return header_at()
            near = nearest(name, self._layout.names())
            raise LayoutError.at(
                "layout.no-column",
                f"no column holds the header {name}",
                hint=f"did you mean {near[0]}?" if near else "missing='null' reads an unknown name as a missing header",
            )
        # AMQP 0-10 keeps the subject among the headers, AMQP 1.0 among the properties.
        return header_at(location, subject)
