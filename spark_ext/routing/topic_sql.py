"""Routing keys as SQL: what they are compared with, their words, and the walk through the trie of binding keys."""

from __future__ import annotations

from collections.abc import Mapping

from spark_ext.routing import tuning
from transpiler.compiler.sql import quote_text
from transpiler.language.binding_rules import TopicRules
from transpiler.routing.columns import BACK, COUNT, FRONT, WORDS


def exact_key(subject: str, rules: TopicRules) -> str:
    """A routing key as it is compared with binding keys without wildcards; NULL where it equals none."""
    if rules.empty_key_has_no_words:
        return f"coalesce({subject}, '')"
    if not rules.drops_trailing_empty_words:
        return subject
    trimmed = f"TRIM(TRAILING '.' FROM {subject})"
    return f"CASE WHEN {subject} = '' OR {trimmed} <> '' THEN {trimmed} END"


def key_words(subject: str, rules: TopicRules) -> str:
    """The words of a routing key."""
    none, split = "CAST(array() AS ARRAY<STRING>)", _split(subject, rules)
    if rules.empty_key_has_no_words:
        return f"CASE WHEN coalesce({subject}, '') = '' THEN {none} ELSE {split} END"
    if not rules.drops_trailing_empty_words:
        return f"coalesce({split}, {none})"
    trimmed = f"TRIM(TRAILING '.' FROM {subject})"
    return f"CASE WHEN {subject} = '' THEN array('') WHEN {trimmed} <> '' THEN {_split(trimmed, rules)} ELSE {none} END"


def _split(text: str, rules: TopicRules) -> str:
    # A regular expression of one literal character, which Java splits by without a pattern.
    plain = rules.syntax.delimiter
    delimiter = quote_text(f"\\{plain}" if plain.isascii() and not plain.isalnum() else plain)
    if not rules.queue_mark:
        return f"split({text}, {delimiter}, -1)"
    mark = quote_text(rules.queue_mark)
    queue = f"substr({text}, instr({text}, {mark}) + {len(rules.queue_mark)})"
    words = f"split(substring_index({text}, {mark}, 1), {delimiter}, -1)"
    return f"CASE WHEN contains({text}, {mark}) THEN concat(array({queue}), {words}) ELSE {words} END"


def word(name: str) -> str:
    """The number of the words, or the word in the place, that a column is named for; NULL where there is none."""
    if name == COUNT:
        return f"CAST(size({WORDS}) AS BIGINT)"
    if name.startswith(FRONT):
        return f"get({WORDS}, {name.removeprefix(FRONT)})"
    return f"get({WORDS}, size({WORDS}) - {int(name.removeprefix(BACK)) + 1})"


def encode_words(words: str, slots: str) -> str:
    """Return the codes of some words by ``slots``, a column; 0 for a word that has none."""
    code = "coalesce(get(slots, CAST(crc32(w) & (size(slots) - 1) AS INT))[w], 0)"
    return let({"slots": slots}, f"transform({words}, w -> {code})")


def run_automaton(codes: str, start: str, transitions: Mapping[str, str], repeats: bool) -> str:
    """Run the automaton over encoded words; return the state set.

    The ``transitions`` are columns of arrays: ``edges``, ``otherwise`` and ``lists``. Where the automaton ``repeats``,
    a state may be there several times.
    """
    edge = "get(t.edges, s + c)"
    target = f"CAST({edge} & {2**31 - 1} AS INT)"
    following = f"CASE WHEN shiftright({edge}, 32) = s THEN {target} ELSE get(t.otherwise, s) END"
    reached = f"flatten(transform(states, s -> get(t.lists, {following})))"
    if repeats:
        # A pattern with several # and a key of many like words would reach millions of states, most of them repeated.
        once = f"CASE WHEN size(reached) > {tuning.MANY_STATES} THEN array_distinct(reached) ELSE reached END"
        reached = let({"reached": reached}, once)
    states = f"aggregate({codes}, coalesce({start}, array_repeat(0, 0)), (states, c) -> {reached})"
    # Each array is read in one place, and got once a message. A row that is made there holds the arrays themselves,
    # where one of a table makes an object for each array that a state reads. A name copies what is computed with it.
    arrays = ", ".join(f"'{name}', {column}" for name, column in transitions.items())
    return let({"t": f"named_struct({arrays})"}, states)


def deliveries_at_end(walk: str, delivered: str, tested: str | None) -> str:
    """Return the deliveries of a walk's final states, and the numbers of their patterns that conditions test."""
    ending = f"filter({walk}, s -> (s & 1) = 1)"
    if tested is None:
        return f"named_struct('d', flatten(transform({ending}, s -> get({delivered}, s))))"
    ends = "flatten(transform(states, s -> get({}, s)))"
    deliveries = f"named_struct('d', {ends.format(delivered)}, 'i', {ends.format(tested)})"
    return let({"states": ending}, deliveries)


def let(names: dict[str, str], text: str) -> str:
    """The text with names for some values, each of which may be made of those before it."""
    for name, value in reversed(names.items()):
        text = f"transform(array({value}), {name} -> {text})[0]"
    return text
