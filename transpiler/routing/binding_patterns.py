"""Bindings of a topology as patterns: predicates with parameters, one for each signature, and their constants.

``topology.binding_conditions`` returns the condition of a binding, and ``lowering.conditions`` lowers it. This module
adds what makes many bindings efficient: tests of the routing key read columns that are computed once for each message,
binding keys with wildcards become conditions on these columns or go to the automaton (``topic_words``), and bindings
that differ only in constants share one predicate, the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.base.errors import LayoutError
from transpiler.base.topics import TopicPattern
from transpiler.compiler import ir
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.ir.column_types import STRING
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.lowering.conditions import ConditionLowering, RoutingKey, ValueOf
from transpiler.compiler.rewrites.optimizer import optimize
from transpiler.language.conditions import ROUTING_KEY, Equal, Selector, Words, key_equals
from transpiler.routing.columns import KEY, TOPIC
from transpiler.routing.parameterize import SelectorParameterizer
from transpiler.routing.signatures import Parameter, parameter, shift_parameters
from transpiler.routing.topic_automaton import matches_topic
from transpiler.routing.topic_words import WordsSignature, signatures_to_look_up, words_signature
from transpiler.topology.binding_conditions import binding_condition
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding

#: First character of a whole routing key such as `=a.b`, which the automaton reads as one word, dots included.
WHOLE = "="

_KEY_PATTERN: ir.Predicate = ir.Compare(Comparison.EQ, ir.Column((KEY,), STRING), parameter(0, STRING))
_TOPIC_PATTERN: ir.Predicate = ir.Compare(Comparison.EQ, ir.Column((TOPIC,), STRING), parameter(0, STRING))


class Pattern(NamedTuple):
    """The compiled form of a binding's condition: a predicate with parameters, and the binding's constants for them.

    ``words`` is a binding key that the topic automaton has to match in addition to the predicate. It is None if the
    predicate is the whole condition.
    """

    predicate: ir.Predicate
    constants: tuple[Parameter, ...] = ()
    words: TopicPattern | None = None


ALWAYS, NEVER = Pattern(ir.TRUE), Pattern(ir.FALSE)


class KnownKey:
    """Builder of the tests of a routing key that is known at compile time.

    It is known if a binding between exchanges has replaced the message's own routing key.
    """

    def __init__(self, key: str) -> None:
        self._key = key

    def equals(self, test: Equal, _: bool = True) -> Pattern:
        """Return ``ALWAYS`` if the known routing key equals the value of ``test``, otherwise ``NEVER``."""
        return ALWAYS if test.value.value == self._key else NEVER

    def matches(self, test: Words, _: bool = True) -> Pattern:
        """Return ``ALWAYS`` if the words of the known routing key match the binding key, otherwise ``NEVER``."""
        return ALWAYS if matches_topic(test.pattern, test.rules.words(self._key)) else NEVER


class OnlyKey:
    """Builder of the tests of a message's routing key, if each message has only one.

    A binding key with wildcards becomes a condition on the columns that contain the words of the routing key, if its
    ``WordsSignature`` is in ``looked_up``. The automaton matches all other binding keys with wildcards.
    """

    def __init__(self, looked_up: Iterable[WordsSignature]) -> None:
        self._predicates = {signature: signature.predicate for signature in looked_up}

    def equals(self, test: Equal, _: bool = True) -> Pattern:
        """Return the test that the message's routing key (the column ``KEY``) equals the value of ``test``."""
        return Pattern(_KEY_PATTERN, (str(test.value.value),))

    def matches(self, test: Words, _: bool = True) -> Pattern:
        """Return the test that the words of the message's routing key match the binding key of ``test``.

        A binding key that no signature in ``looked_up`` covers is left to the automaton: it becomes ``Pattern.words``.
        """
        literal = test.rules.literal(test.key)
        if literal is not None:
            return Pattern(_TOPIC_PATTERN, (literal,))
        words = test.pattern
        found = words_signature(words)
        if found is None or found[0] not in self._predicates:
            return Pattern(ir.TRUE, (), words)
        return Pattern(self._predicates[found[0]], found[1])


class SeveralKeys:
    """Builder of the tests of a message's routing keys, if a message can have several.

    The automaton matches each routing key of the message with all binding keys.
    """

    def equals(self, test: Equal, _: bool = True) -> Pattern:
        """Return the test that one of the routing keys equals the value of ``test``.

        The automaton makes the comparison: to it, a whole routing key is a single word that begins with ``WHOLE``.
        """
        return Pattern(ir.TRUE, (), (WHOLE + str(test.value.value),))

    def matches(self, test: Words, _: bool = True) -> Pattern:
        """Return the test that the words of one of the routing keys match the binding key of ``test``.

        The automaton makes the comparison.
        """
        return Pattern(ir.TRUE, (), test.pattern)


class PatternBuilder:
    """Builder of patterns. Conditions that have the same expression signature share one predicate."""

    def __init__(self) -> None:
        self._predicates: dict[Hashable, ir.Predicate] = {}
        self._joined: dict[tuple[int, int], tuple[ir.Predicate, ir.Predicate, ir.Predicate]] = {}

    def condition(
        self, signature: Hashable, constants: Sequence[Parameter], build: Callable[[ValueOf], ir.Predicate], /
    ) -> Pattern:
        """Return the pattern with the predicate of ``signature`` and with ``constants``.

        Conditions with the same ``signature`` share one predicate, which the first of them builds with ``build``.
        """
        predicate = self._predicates.get(signature)
        if predicate is None:
            predicate = self._predicates[signature] = optimize(build(parameter))
        return Pattern(predicate, tuple(constants))

    def joined(self, every: bool, parts: Iterable[Pattern], /) -> Pattern:
        """Return the AND of ``parts``, with their constants in order.

        If a part can never be TRUE, return that part alone. ``every`` is always True: a binding's condition is an AND.
        """
        assert every
        whole: Pattern | None = None
        for part in parts:
            if part.predicate == ir.FALSE:
                # An AND with this part is never TRUE, so the parts that follow are not needed. ``parts`` is an
                # iterator, so they are not even compiled.
                return part
            whole = part if whole is None else self._both(whole, part)
        return ALWAYS if whole is None else whole

    def _both(self, first: Pattern, second: Pattern) -> Pattern:
        if first.predicate == ir.TRUE:
            return Pattern(second.predicate, second.constants, first.words)
        key = (id(first.predicate), id(second.predicate))
        known = self._joined.get(key)
        if known is None:
            joined = ir.all_of(first.predicate, shift_parameters(second.predicate, len(first.constants)))
            # The cache is keyed by object ids. It keeps both predicates alive, so that no new object gets one of these
            # ids.
            known = self._joined[key] = (joined, first.predicate, second.predicate)
        return Pattern(known[0], first.constants + second.constants, first.words)


class BindingPatterns:
    """The patterns of a topology's bindings for one layout; ``several`` is True if messages can have several keys."""

    def __init__(self, topology: Topology, layout: Layout, missing: Missing, several: bool = False) -> None:
        self._topology = topology
        self._lowering = ConditionLowering(layout, missing, PatternBuilder(), self._selected)
        self._selectors: dict[str, SelectorParameterizer] = {}
        self._own_key: RoutingKey[Pattern] = SeveralKeys() if several else OnlyKey(signatures_to_look_up(topology))

    def of(self, binding: Binding, key: str | None) -> Pattern:
        """Return the pattern of ``binding`` for messages at its exchange.

        ``key`` is the key that has replaced the message's own key on the path; None if the key is the message's own.
        """
        exchange = self._topology.exchange_by_name[binding.source]
        # The condition is not cached, because a topology can have a million bindings.
        condition = binding_condition(self._topology.rules, exchange.type, binding)
        try:
            return self._lowering.lower(condition, self._routing_key(key))
        except LayoutError as error:
            [finding, *others] = error.diagnostics
            message = f"the binding {binding.source} -> {binding.destination}: {finding.message}"
            raise LayoutError([replace(finding, message=message), *others]) from None

    def of_default_exchange(self, key: str | None) -> Iterator[tuple[Pattern, str]]:
        """Yield the pattern and the queue of each binding of the default exchange; ``key`` is as in ``of``."""
        rules, routing_key = self._topology.rules, self._routing_key(key)
        for queue in sorted(self._topology.queue_names):
            if not rules.is_direct_reply(queue):
                yield routing_key.equals(key_equals(ROUTING_KEY, queue, rules), True), queue

    def _selected(self, selector: Selector, _: bool) -> Pattern:
        name = selector.dialect.name
        if name not in self._selectors:
            layout, missing = self._lowering.layout, self._lowering.missing
            self._selectors[name] = SelectorParameterizer(layout, selector.dialect, missing)
        selected, constants = self._selectors[name].pattern(selector.text)
        return Pattern(selected.predicate, constants)

    def _routing_key(self, key: str | None) -> RoutingKey[Pattern]:
        return self._own_key if key is None else KnownKey(key)
