"""The rules under which bindings match messages, as frozen data: words of keys, comparison of headers, absent keys.

Brokers differ in these rules; ``topology.broker_rules`` has one record for each broker. The filters of the Apache AMQP
filter document are bindings without an exchange, and this module has their record.
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
    """The rules of a broker under which a topic exchange splits routing keys and binding keys into words."""

    #: True if the key "" has no words, False if it has one empty word.
    empty_key_has_no_words: bool = False
    #: True if empty words at the end of a key are dropped, as in Java's ``String.split``. A binding key that consists
    #: only of dots then has no words.
    drops_trailing_empty_words: bool = False
    syntax: TopicSyntax = TOPIC_SYNTAX
    #: The separator between an address and a queue's name in a key. The queue's name becomes the first word of the key.
    #: Empty if keys contain no queue names.
    queue_mark: str = ""
    #: True if the names of addresses may have wildcards, False if only binding keys may have wildcards.
    wild_names: bool = True

    def words(self, key: str | None) -> tuple[str, ...]:
        """Split the routing key ``key`` into words; an absent key (None) has no words."""
        if key is None or (key == "" and self.empty_key_has_no_words):
            return ()
        key, queue = self._split(key)
        words = self.syntax.words(key)
        return (*queue, *(words if not self.drops_trailing_empty_words else _without_empty(words, key)))

    def pattern(self, key: str) -> TopicPattern:
        """Split the binding key ``key`` into words and wildcards."""
        if key == "" and self.empty_key_has_no_words:
            return ()
        key, queue = self._split(key)
        words = self.syntax.pattern(key)
        words = words if not self.drops_trailing_empty_words else _without_empty(words, key)
        return (*map(self.syntax.pattern_word, queue), *words)

    def key(self, pattern: Sequence[str | AnyWord], queue: str | AnyWord | None = None) -> str:
        """Join the words and wildcards of ``pattern`` to a binding key, with separators and escapes.

        Unless ``queue`` is None, the key ends with ``queue_mark`` and the queue's name.
        """
        end = "" if queue is None else self.queue_mark + self.syntax.escaped((queue,))
        return self.syntax.escaped(pattern) + end

    def literal(self, key: str) -> str | None:
        """Return the only routing key that the binding key ``key`` matches; None if ``key`` has wildcards."""
        pattern = self.pattern(key)
        if is_wild(pattern):
            return None
        queue = pattern[:1] if self._split(key)[1] else ()
        return self.syntax.text(pattern[len(queue) :]) + self.queue_mark * len(queue) + self.syntax.text(queue)

    def name_pattern(self, name: str) -> TopicPattern:
        """Split the name of an address into words and wildcards. Names, unlike keys, have no escape characters."""
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
    """The rules of a broker under which a headers exchange interprets a binding's arguments and compares headers."""

    #: True if the key ``x-match`` and its value are case-insensitive.
    ignores_case: bool = False
    #: The meaning of a binding without ``x-match``: if True, all pairs must match; if False, the binding matches no
    #: message.
    defaults_to_all: bool = True
    #: True if an unknown value of ``x-match`` counts as ``all``, False if the broker rejects the binding.
    tolerates_unknown_match: bool = False
    #: True if the broker has ``all-with-x`` and ``any-with-x``, which also compare keys that begin with ``x-``.
    with_x: bool = False
    #: True if keys that begin with ``x-``, except ``x-match``, are compared like other keys.
    counts_x: bool = False
    #: The meaning of a binding with ``x-match`` = ``any`` and no headers to compare: True if it matches every message,
    #: False if it matches no message.
    any_of_nothing: bool = False
    #: True if an empty string in a binding only requires that the key is present, as AMQP 0-9-1's void value does.
    empty_string_is_presence: bool = False
    equality: Equality = BY_VALUE


@dataclass(frozen=True, slots=True)
class BindingRules:
    """The rules of one broker, or of one document, under which bindings match messages.

    ``name`` identifies the rules in error messages.
    """

    name: str
    _: KW_ONLY
    topic: TopicRules = TopicRules()
    headers: HeadersRules = HeadersRules()
    #: True if a message without a routing key matches the direct binding key "" and topic binding keys that match zero
    #: words. If False, such a message matches no direct binding, and only the topic binding key "#".
    absent_key_is_empty: bool = True
    #: The name with which a headers binding or a query reads the message's subject; None if they cannot read it.
    subject_header: str | None = None
    #: The prefix of routing keys whose messages go directly to a waiting client instead of queues; None if none do.
    direct_replies: str | None = None

    def is_direct_reply(self, key: str) -> bool:
        """Return True if a message with the routing key ``key`` goes straight to a client that waits for a reply."""
        return self.direct_replies is not None and key.startswith(self.direct_replies)


#: The rules of the Apache AMQP filter document. For a message without a subject, section 1.1 states that a direct
#: binding "does not match", and section 1.2 that a topic binding "matches only if the value of the filter is a single
#: “#”".
APACHE_FILTERS = BindingRules("apache-filters", absent_key_is_empty=False)


@dataclass(frozen=True, slots=True)
class HeadersMatch:
    """The interpreted arguments of a headers binding: ``pairs`` of header name and value.

    If ``any`` is True, at least one pair must match, otherwise all pairs. A pair with the value None matches if the
    message has the header.
    """

    any: bool
    pairs: tuple[tuple[str, AmqpValue | None], ...]
    #: True if the broker never routes a message through the binding, because ``x-match`` is missing and required.
    never: bool = False


def read_headers_match(arguments: Mapping[str, AmqpValue], rules: BindingRules) -> HeadersMatch:
    """Interpret the arguments of a headers binding; raise ``TopologyError`` if the broker rejects the arguments."""
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
                "topology.x-match",
                f"x-match cannot have the value {mode!r}",
                hint=f"in {rules.name}, x-match must be one of {', '.join(modes)}",
            )
        mode = "all"
    if known.counts_x or mode.endswith("-with-x"):
        pairs += marked
    wants_any = mode.startswith("any")
    if wants_any and not pairs and known.any_of_nothing:
        return HeadersMatch(False, ())
    return HeadersMatch(wants_any, tuple(pairs))
