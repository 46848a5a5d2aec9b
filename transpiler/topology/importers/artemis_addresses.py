"""An address in an Artemis broker: its queues and diverts, its settings, and its answer to a send (rules 14 to 18).

In this module an address is a tuple of words, in which wildcards are not text. The broker keeps addresses in a tree of
words and never evaluates a pattern as a whole. Two traversals of the tree decide: from a new wildcard address to
existing addresses, and from a new address to existing wildcards (``AddressPartNode``: ``visitNonWildcard`` and
``visitMatchingWildcards``). For a multi-word wildcard at the end, both traversals match zero or more words. Elsewhere
they differ, so that the result depends on which address was created first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from functools import cached_property

from transpiler.base.topics import MANY_WORDS, ONE_WORD, AnyWord, TopicPattern, is_wild
from transpiler.topology.importers.artemis_config import DEFAULTS, AddressBinding, ArtemisConfig, Settings
from transpiler.topology.importers.artemis_links import Reader


def is_plain(words: TopicPattern) -> bool:
    """Return True if the address pattern ``words`` has multi-word wildcards only at its end.

    For any other address pattern, it depends on the order of creation if the pattern matches an address.
    """
    return MANY_WORDS not in words[:-1]


class Reaction(Enum):
    """The reaction of the broker to a message that is sent to an address, in addition to routing the message."""

    NOTHING = "nothing"
    #: The broker creates a queue with the name of the address.
    CREATED = "created"
    REFUSED = "refused"


class Addresses:
    """The addresses of a configuration, with ``bindings``: the queues and diverts at them, in startup order."""

    def __init__(self, config: ArtemisConfig) -> None:
        self._config = config
        self.rules = config.rules
        routed = (queue for queue in config.queues if queue.routed)
        named = (replace(each, routing_name=each.address if each.type == "ANYCAST" else each.name) for each in routed)
        self.bindings = [
            replace(each, words=self.words(each.address), order=number)
            for number, each in enumerate((*named, *config.diverts))
        ]
        #: For each address without wildcards, the index in startup order of the first queue or divert bound to it.
        self.made: dict[TopicPattern, int] = {}
        for binding in self.bindings:
            if not is_wild(binding.words):
                self.made.setdefault(binding.words, binding.order)
        #: The queues by which other brokers read addresses. It is unknown whether they exist, so they are ignored when
        #: the broker's reaction to a send depends on the queues of an address.
        self.readers = [
            AddressBinding(
                each.name,
                pattern,
                "MULTICAST",
                None,
                each.location,
                unless="if it reads the address",
                routing_name=each.name,
                words=self.words(pattern),
                order=len(self.bindings),
            )
            for each in config.connections.readers
            for pattern in self._read_by(each)
        ]
        self.settings = self._ordered(config.settings)
        self._answers: dict[str, dict[TopicPattern, Reaction]] = {}
        self._queues = {queue.name: queue for queue in config.queues}

    def _read_by(self, reader: Reader) -> Iterable[str]:
        """Return the distinct addresses (declared or patterns) whose messages another broker reads by ``reader``."""
        declared = (name for name, types in self._config.addresses.items() if "MULTICAST" in types)
        found = [name for name in declared if reader.matches(name, "")]
        return dict.fromkeys((*found, *reader.patterns))

    def words(self, address: str) -> TopicPattern:
        """Return the words of ``address``, which can be an address pattern (with wildcards)."""
        return self.rules.topic.name_pattern(address)

    def name(self, words: TopicPattern | None) -> str | None:
        """Return the address that consists of ``words``; None if ``words`` is None."""
        return None if words is None else self.rules.topic.syntax.text(words)

    @cached_property
    def known(self) -> list[TopicPattern]:
        """The addresses in the file that have no wildcards."""
        named = [*self._config.addresses, *(queue.address for queue in self._config.queues)]
        listed = dict.fromkeys(map(self.words, named))
        return [words for words in listed if not is_wild(words)]

    @cached_property
    def _types(self) -> dict[TopicPattern, set[str]]:
        types = {self.words(name): set(listed) for name, listed in self._config.addresses.items()}
        for queue in self._config.queues:
            types.setdefault(self.words(queue.address), set()).add(queue.type)
        return types

    @cached_property
    def _with_queue(self) -> set[TopicPattern]:
        """The addresses that have a queue bound to exactly this address."""
        return {binding.words for binding in self.bindings if not binding.is_divert}

    def without_queues(self, routing_type: str) -> list[TopicPattern]:
        """Return the declared addresses of ``routing_type`` that have no queue of this type."""
        own = {self.words(queue.address) for queue in self._config.queues if queue.type == routing_type}
        declared = (self.words(name) for name, types in self._config.addresses.items() if routing_type in types)
        return [words for words in declared if words not in own]

    @cached_property
    def declared(self) -> Sequence[str]:
        """The addresses that the file declares, as spelled in the file."""
        return tuple(self._config.addresses)

    @cached_property
    def _wild_queues(self) -> list[AddressBinding]:
        return [binding for binding in self.bindings if not binding.is_divert and is_wild(binding.words)]

    def matches(self, binding: AddressBinding, address: TopicPattern) -> bool:
        """Return True if a message to ``address`` reaches the queue or divert ``binding``.

        If the binding is for an address with wildcards, this depends on which of the two addresses was created first.
        """
        if is_plain(binding.words):
            return matches_later(binding.words, address)
        if self.made.get(address, binding.order) < binding.order:
            return address in matched_earlier(binding.words, self.earlier(binding))
        return matches_later(binding.words, address)

    @cached_property
    def _plain_bindings(self) -> dict[TopicPattern, list[AddressBinding]]:
        """The queues and diverts bound to each address without wildcards."""
        by_address: dict[TopicPattern, list[AddressBinding]] = {}
        for binding in (*self.bindings, *self.readers):
            if not is_wild(binding.words):
                by_address.setdefault(binding.words, []).append(binding)
        return by_address

    @cached_property
    def _wildcard_bindings(self) -> list[AddressBinding]:
        return [binding for binding in (*self.bindings, *self.readers) if is_wild(binding.words)]

    def bindings_at(self, address: TopicPattern) -> list[AddressBinding]:
        """Return the queues and diverts that a message to ``address`` reaches, in startup order."""
        wild = (binding for binding in self._wildcard_bindings if self.matches(binding, address))
        return sorted((*self._plain_bindings.get(address, ()), *wild), key=lambda binding: binding.order)

    def earlier(self, binding: AddressBinding) -> list[TopicPattern]:
        """Return the addresses that were created before the queue or divert ``binding``."""
        return [address for address, order in self.made.items() if order < binding.order]

    def _is_local(self, address: TopicPattern) -> bool:
        """Return True if ``address`` has a queue of its own or the queue of a matching wildcard address."""
        return address in self._with_queue or any(self.matches(binding, address) for binding in self._wild_queues)

    def _ordered(self, settings: Iterable[Settings]) -> list[Settings]:
        """Return ``settings``, each merged with the settings that it inherits, the most specific first."""

        def rank(setting: Settings) -> tuple[bool, int]:
            return MANY_WORDS in self.words(setting["match"]), -len(setting["match"])

        ordered = sorted(settings, key=rank)
        return [self._merged(setting, ordered[number + 1 :]) for number, setting in enumerate(ordered)]

    def _merged(self, setting: Settings, behind: Sequence[Settings]) -> Settings:
        words = self.words(setting["match"])
        for other in behind:
            if matches_later(self.words(other["match"]), words):
                setting = {**other, **setting}
        return {**DEFAULTS, **setting}

    def settings_at(self, address: TopicPattern) -> Settings:
        """Return the merged settings of ``address``."""
        for setting in self.settings:
            if matches_later(self.words(setting["match"]), address):
                return setting
        return DEFAULTS

    def answers(self, routing_type: str) -> dict[TopicPattern, Reaction]:
        """Return what the broker does on sends with ``routing_type``, for each address and queue name in the file."""
        if routing_type not in self._answers:
            self._answers[routing_type] = self._answered(routing_type)
        return self._answers[routing_type]

    def _answered(self, routing_type: str) -> dict[TopicPattern, Reaction]:
        named = [address for address in map(self.words, self._queues) if not is_wild(address)]
        answers = {address: self._answer(address, routing_type) for address in (*self.known, *named)}
        if routing_type == "ANYCAST":
            # The broker refuses a send to the empty address, because it would create a queue with an empty name.
            answers[("",)] = Reaction.REFUSED
        return answers

    def _answer(self, address: TopicPattern, routing_type: str) -> Reaction:
        if self._is_local(address):
            return Reaction.NOTHING
        settings = self.settings_at(address)
        if routing_type not in self._types.get(address, set()) and not settings["auto-create-addresses"]:
            return Reaction.REFUSED
        return (
            self._creates_queue(self.name(address) or "", settings) if routing_type == "ANYCAST" else Reaction.NOTHING
        )

    def _creates_queue(self, name: str, settings: Settings) -> Reaction:
        known = self._queues.get(name)
        if known is not None:
            return Reaction.NOTHING if known.type == "ANYCAST" else Reaction.REFUSED
        return Reaction.CREATED if settings["auto-create-queues"] and name else Reaction.REFUSED


def answer_anew(routing_type: str, settings: Settings) -> Reaction:
    """Return what the broker does on a send to an address that does not exist yet and has ``settings``."""
    if not settings["auto-create-addresses"]:
        return Reaction.REFUSED
    if routing_type != "ANYCAST":
        return Reaction.NOTHING
    return Reaction.CREATED if settings["auto-create-queues"] else Reaction.REFUSED


def matches_later(pattern: TopicPattern, address: TopicPattern) -> bool:
    """Return True if ``address``, created after the wildcard address ``pattern``, gets the queues of ``pattern``."""
    if not address:
        return pattern in ((), (MANY_WORDS,))
    if not pattern:
        return False
    first, rest = pattern[0], pattern[1:]
    if first == MANY_WORDS:
        return not rest or _tail_matches_later(rest, address)
    return first in (ONE_WORD, address[0]) and matches_later(rest, address[1:])


def _tail_matches_later(pattern: TopicPattern, address: TopicPattern) -> bool:
    """Return True if ``address`` matches ``pattern``, the words of a pattern after a multi-word wildcard.

    Artemis skips leading words of ``pattern`` that do not occur in the address at all, and this function does the same.
    """
    while pattern:
        found = [number for number, word in enumerate(address) if word == pattern[0]]
        if found:
            return any(matches_later(pattern[1:], address[number + 1 :]) for number in found)
        pattern = pattern[1:]
    return False


def matched_earlier(pattern: TopicPattern, addresses: Iterable[TopicPattern]) -> set[TopicPattern]:
    """Return the ``addresses`` that get the queues of ``pattern``, a wildcard address that was created after them."""
    tree = _Tree()
    for address in addresses:
        tree.add(address)
    return set(_walk(tree, pattern))


class _Tree:
    def __init__(self, path: TopicPattern = ()) -> None:
        self.path = path
        self.is_address = False
        self.children: dict[str | AnyWord, _Tree] = {}

    def add(self, address: TopicPattern) -> None:
        node = self
        for word in address:
            node = node.children.setdefault(word, _Tree((*node.path, word)))
        node.is_address = True

    def own(self) -> Iterator[TopicPattern]:
        if self.is_address:
            yield self.path

    def all(self) -> Iterator[TopicPattern]:
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield from node.own()
            waiting += node.children.values()


def _walk(node: _Tree, pattern: TopicPattern) -> Iterator[TopicPattern]:
    if not pattern:
        yield from node.own()
        return
    first, rest = pattern[0], pattern[1:]
    if first == MANY_WORDS and not rest:
        yield from node.all()
    elif first == MANY_WORDS:
        yield from node.own()
        yield from _walk_tail(node, rest)
    elif first == ONE_WORD:
        for child in node.children.values():
            yield from _walk(child, rest)
    elif first in node.children:
        yield from _walk(node.children[first], rest)


def _walk_tail(node: _Tree, pattern: TopicPattern) -> Iterator[TopicPattern]:
    """Yield the addresses below ``node`` that match ``pattern``, the rest of a pattern after a multi-word wildcard.

    Find the first word of ``pattern`` for which ``node`` has a child, and match the following words below this child.
    Repeat the search below all other children of ``node``.
    """
    match: _Tree | None = None
    for number, word in enumerate(pattern):
        if isinstance(word, str) and word in node.children:
            match = node.children[word]
            yield from _walk(match, pattern[number + 1 :])
            break
    for child in node.children.values():
        if child is not match:
            yield from _walk_tail(child, pattern)
