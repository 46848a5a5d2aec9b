"""Bindings of a topology as patterns: predicates with parameters, one for each signature, and their constants.

``lowering.bindings`` defines the condition of a binding. What is added here serves many bindings at once: tests
of the routing key name columns that are made once a message, binding keys with wildcards are conditions on these or go
to the automaton (``topic_words``), and bindings that differ in constants only share one pattern, the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.base.topics import TopicPattern
from transpiler.compiler import ir
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.ir.column_types import STRING
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.lowering.bindings.bindings import Bindings, RoutingKey, ValueOf
from transpiler.compiler.rewrites.optimizer import optimize
from transpiler.language.selector.dialects import find_dialect
from transpiler.routing.columns import KEY, TOPIC
from transpiler.routing.parameterize import SelectorParameterizer
from transpiler.routing.signatures import Parameter, parameter, shift_parameters
from transpiler.routing.topic_automaton import matches_topic
from transpiler.routing.topic_words import WordsSignature, signatures_to_look_up, words_signature
from transpiler.topology.broker_rules import Rules
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding

#: The mark of a key that is one word, dots and all.
WHOLE = "="

_KEY_PATTERN: ir.Predicate = ir.Compare(Comparison.EQ, ir.Column((KEY,), STRING), parameter(0, STRING))
_TOPIC_PATTERN: ir.Predicate = ir.Compare(Comparison.EQ, ir.Column((TOPIC,), STRING), parameter(0, STRING))


class Pattern(NamedTuple):
    """A predicate with parameters, and their constants; with ``words`` the automaton has to find those, too.

    The words are those of a binding key with wildcards that are not looked up; where messages have several routing
    keys, every binding key's.
    """

    predicate: ir.Predicate
    constants: tuple[Parameter, ...] = ()
    words: TopicPattern | None = None


ALWAYS, NEVER = Pattern(ir.TRUE), Pattern(ir.FALSE)


class KnownKey:
    """The key that a binding on the path has put in the place of a message's own: a binding key matches it or not."""

    def __init__(self, key: str, rules: Rules) -> None:
        self._key = key
        self._rules = rules

    def direct(self, key: str) -> Pattern:
        """Decide by equality."""
        return ALWAYS if key == self._key else NEVER

    def topic(self, key: str) -> Pattern:
        """Decide by words."""
        topic = self._rules.topic
        return ALWAYS if matches_topic(topic.pattern(key), topic.words(self._key)) else NEVER


class OnlyKey:
    """The only routing key of a message, in the columns ``KEY``, ``TOPIC`` and ``SUBJECT``, and those of its words.

    Binding keys of the signatures that are ``looked_up`` are conditions on the words.
    """

    def __init__(self, rules: Rules, looked_up: Iterable[WordsSignature]) -> None:
        self._topic = rules.topic
        self._predicates = {signature: signature.predicate for signature in looked_up}

    def direct(self, key: str) -> Pattern:
        """Compare the column with a parameter."""
        return Pattern(_KEY_PATTERN, (key,))

    def topic(self, key: str) -> Pattern:
        """Compare columns with parameters, or let the automaton find the words."""
        literal = self._topic.literal(key)
        if literal is not None:
            return Pattern(_TOPIC_PATTERN, (literal,))
        words = self._topic.pattern(key)
        found = words_signature(words)
        if found is None or found[0] not in self._predicates:
            return Pattern(ir.TRUE, (), words)
        return Pattern(self._predicates[found[0]], found[1])


class SeveralKeys:
    """The routing keys of a message that can have several: the automaton finds all words of all keys."""

    def __init__(self, rules: Rules) -> None:
        self._topic = rules.topic

    def direct(self, key: str) -> Pattern:
        """Let the automaton find the key as one word."""
        return Pattern(ir.TRUE, (), (WHOLE + key,))

    def topic(self, key: str) -> Pattern:
        """Let the automaton find the words."""
        return Pattern(ir.TRUE, (), self._topic.pattern(key))


class PatternBuilder:
    """Makes patterns, one predicate for all conditions of a signature."""

    always = ALWAYS
    never = NEVER

    def __init__(self) -> None:
        self._predicates: dict[Hashable, ir.Predicate] = {}
        self._joined: dict[tuple[int, int], tuple[ir.Predicate, ir.Predicate, ir.Predicate]] = {}

    def condition(
        self, signature: Hashable, constants: Sequence[Parameter], build: Callable[[ValueOf], ir.Predicate], /
    ) -> Pattern:
        """The signature's predicate with these constants."""
        predicate = self._predicates.get(signature)
        if predicate is None:
            predicate = self._predicates[signature] = optimize(build(parameter))
        return Pattern(predicate, tuple(constants))

    def both(self, first: Pattern, second: Pattern, /) -> Pattern:
        """The conjunction, with the constants of the first pattern before those of the second."""
        if first.predicate == ir.TRUE:
            return Pattern(second.predicate, second.constants, first.words)
        key = (id(first.predicate), id(second.predicate))
        known = self._joined.get(key)
        if known is None:
            joined = ir.all_of(first.predicate, shift_parameters(second.predicate, len(first.constants)))
            # Both predicates are kept with the result, so that no other object gets their ids.
            known = self._joined[key] = (joined, first.predicate, second.predicate)
        return Pattern(known[0], first.constants + second.constants, first.words)


class BindingPatterns:
    """The patterns of a topology's bindings over one layout; ``several`` if a message can have several keys."""

    def __init__(self, topology: Topology, layout: Layout, missing: Missing, several: bool = False) -> None:
        self._topology = topology
        self._rules = topology.rules
        self._builder = PatternBuilder()
        self._bindings = Bindings(layout, missing, topology.rules, self._builder)
        self._selectors: dict[str, SelectorParameterizer] = {}
        self._layout, self._missing = layout, missing
        self._own_key: RoutingKey[Pattern] = (
            SeveralKeys(topology.rules) if several else OnlyKey(topology.rules, signatures_to_look_up(topology))
        )

    def of(self, binding: Binding, key: str | None) -> Pattern:
        """The pattern of a binding for messages that came to its exchange with their own key (None) or another one."""
        exchange_type = self._topology.exchange_by_name[binding.source].type
        pattern = self._bindings.condition(exchange_type, binding, self._routing_key(key))
        selector = self._topology.selector(binding)
        if selector is None or pattern.predicate == ir.FALSE:
            return pattern
        selected, constants = self._parameterizer(self._topology.dialect(binding)).pattern(selector)
        return self._builder.both(pattern, Pattern(selected.predicate, constants))

    def _parameterizer(self, dialect: str) -> SelectorParameterizer:
        if dialect not in self._selectors:
            self._selectors[dialect] = SelectorParameterizer(self._layout, find_dialect(dialect), self._missing)
        return self._selectors[dialect]

    def of_default_exchange(self, key: str | None) -> Iterator[tuple[Pattern, str]]:
        """The patterns of the default exchange's bindings, and their queues."""
        return self._bindings.default_exchange(self._topology.queue_names, self._routing_key(key))

    def _routing_key(self, key: str | None) -> RoutingKey[Pattern]:
        return self._own_key if key is None else KnownKey(key, self._rules)
