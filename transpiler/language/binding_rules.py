"""The rules by which bindings match messages, as frozen data: keys split into words, headers compared, absent keys.

Brokers differ in them; ``topology.broker_rules`` has a record of each. The filters of the Apache AMQP filter document
are bindings without an exchange, and their record is here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TypeVar

from transpiler.base.errors import TopologyError
from transpiler.base.topics import TOPIC_SYNTAX, AnyWord, TopicPattern, TopicSyntax, is_wild
from transpiler.message.types import BY_VALUE, AmqpType, AmqpValue, Equality


@dataclass(frozen=True, slots=True)
class TopicRules:
    """The rules by which a topic exchange splits keys into words."""

    #: The key "" has no words; elsewhere it is one empty word.
    empty_key_has_no_words: bool = False
    #: Empty words at the end of a key are dropped, as Java's ``String.split`` does; then a binding cannot be dots only.
    drops_trailing_empty_words: bool = False
    syntax: TopicSyntax = TOPIC_SYNTAX
    #: The text between an address and a queue, of which the queue is the first word; "" where a key names none.
    queue_mark: str = ""
    #: Names of addresses may be patterns; else wildcards are in binding keys only.
    wild_names: bool = True

    def words(self, key: str | None) -> tuple[str, ...]:
        """The words of a routing key; an absent one has none."""
        if key is None or (key == "" and self.empty_key_has_no_words):
            return ()
        key, queue = self._split(key)
        words = self.syntax.words(key)
        return (*queue, *(words if not self.drops_trailing_empty_words else _without_empty(words, key)))

    def pattern(self, key: str) -> TopicPattern:
        """The words of a binding key."""
        if key == "" and self.empty_key_has_no_words:
            return ()
        key, queue = self._split(key)
        words = self.syntax.pattern(key)
        words = words if not self.drops_trailing_empty_words else _without_empty(words, key)
        return (*map(self.syntax.pattern_word, queue), *words)

    def key(self, pattern: Sequence[str | AnyWord], queue: str | AnyWord | None = None) -> str:
        """The binding key that has the words of a pattern, where keys name a queue with the word for that."""
        end = "" if queue is None else self.queue_mark + self.syntax.escaped((queue,))
        return self.syntax.escaped(pattern) + end

    def literal(self, key: str) -> str | None:
        """The only routing key that a binding key matches; None where it has wildcards."""
        pattern = self.pattern(key)
        if is_wild(pattern):
            return None
        queue = pattern[:1] if self._split(key)[1] else ()
        return self.syntax.text(pattern[len(queue) :]) + self.queue_mark * len(queue) + self.syntax.text(queue)

    def name_pattern(self, name: str) -> TopicPattern:
        """The words of the name of an address, in which nothing is escaped."""
        return replace(self.syntax, escape="").pattern(name) if self.wild_names else self.syntax.words(name)

    def _split(self, key: str) -> tuple[str, tuple[str, ...]]:
        if not self.queue_mark or self.queue_mark not in key:
            return key, ()
        address, _, queue = key.partition(self.queue_mark)
        return address, (queue,)


_Words = TypeVar("_Words", tuple[str, ...], TopicPattern)


def _without_empty(words: _Words, key: str) -> _Words:
    kept = len(words) if key else 0
    while kept and not words[kept - 1]:
        kept -= 1
    return words[:kept] if key else words


@dataclass(frozen=True, slots=True)
class HeadersRules:
    """The rules by which a headers exchange reads a binding's arguments and compares values."""

    #: Keys and values of ``x-match`` are read in any case.
    ignores_case: bool = False
    #: Without ``x-match`` all pairs must match; where this is False such a binding matches nothing.
    defaults_to_all: bool = True
    #: A value of ``x-match`` that is not known counts as ``all``; elsewhere it is refused.
    tolerates_unknown_match: bool = False
    #: ``all-with-x`` and ``any-with-x`` compare the other keys that begin with ``x-`` as well.
    with_x: bool = False
    #: Keys beginning with ``x-`` other than ``x-match`` take part as any other key does.
    counts_x: bool = False
    #: ``any`` without a single pair matches every message; elsewhere none.
    any_of_nothing: bool = False
    #: An empty string in a binding requires presence only, as a void value does.
    empty_string_is_presence: bool = False
    equality: Equality = BY_VALUE


@dataclass(frozen=True, slots=True)
class BindingRules:
    """The rules by which bindings of one broker, or of one document, match messages; ``name`` is for errors."""

    name: str
    _: KW_ONLY
    topic: TopicRules = TopicRules()
    headers: HeadersRules = HeadersRules()
    #: A message without a routing key matches the direct binding key "", and topic binding keys that match no words.
    #: Elsewhere it matches no direct binding, and of the topic binding keys "#" alone.
    absent_key_is_empty: bool = True
    #: The header by which a headers binding or a query names the message's subject.
    subject_header: str | None = None
    #: Routing keys that go back to one waiting client, past all queues.
    direct_replies: str | None = None

    def is_direct_reply(self, key: str) -> bool:
        """Return True if a routing key goes back to one waiting client."""
        return self.direct_replies is not None and key.startswith(self.direct_replies)


#: The Apache AMQP filter document: for a message without a subject, section 1.1 states that a direct binding "does not
#: match", and section 1.2 that a topic binding "matches only if the value of the filter is a single “#”".
APACHE_FILTERS = BindingRules("apache-filters", absent_key_is_empty=False)


@dataclass(frozen=True, slots=True)
class HeadersMatch:
    """The meaning of a headers binding's arguments: all pairs, or any of them; a value None requires presence only."""

    any: bool
    pairs: tuple[tuple[str, AmqpValue | None], ...]
    #: The broker takes such a binding, or refuses it, and delivers nothing through it.
    never: bool = False


def read_headers_match(arguments: Mapping[str, AmqpValue], rules: BindingRules) -> HeadersMatch:
    """Read the arguments of a headers binding; raise ``TopologyError`` where the broker refuses them."""
    known = rules.headers
    mode: str | None = None
    pairs: list[tuple[str, AmqpValue | None]] = []
    marked: list[tuple[str, AmqpValue | None]] = []
    for key, value in arguments.items():
        folded = key.lower() if known.ignores_case else key
        if folded == "x-match":
            text = value.value if isinstance(value.value, str) else str(value.value)
            mode = text.lower() if known.ignores_case else text
            continue
        presence = value.type is AmqpType.NULL or (known.empty_string_is_presence and value.value == "")
        (marked if folded.startswith("x-") else pairs).append((key, None if presence else value))
    if mode is None:
        mode = "all"
        if not known.defaults_to_all:
            return HeadersMatch(False, tuple(pairs), never=True)
    modes = ("all", "any", "all-with-x", "any-with-x") if known.with_x else ("all", "any")
    if mode not in modes:
        if not known.tolerates_unknown_match:
            raise TopologyError.at(
                "topology.x-match", f"x-match cannot be {mode!r}", hint=f"{rules.name} knows {', '.join(modes)}"
            )
        mode = "all"
    if known.counts_x or mode.endswith("-with-x"):
        pairs += marked
    wants_any = mode.startswith("any")
    if wants_any and not pairs and known.any_of_nothing:
        return HeadersMatch(False, ())
    return HeadersMatch(wants_any, tuple(pairs))
