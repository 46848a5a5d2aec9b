"""Routing keys as SQL: what they are compared with, their words, and the walk through the trie of binding keys."""

from __future__ import annotations

from transpiler.routing.tries import SHIFT, SPREAD
from transpiler.sql import quote_text
from transpiler.topology.rules import TopicRules

#: What a walk takes of a generated method, in bytes of bytecode: measured, and rounded up.
WALK_LENGTH = 6_500

_DOT = quote_text("\\.")


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
    none, split = "CAST(array() AS ARRAY<STRING>)", f"split({subject}, {_DOT}, -1)"
    if rules.empty_key_has_no_words:
        return f"CASE WHEN coalesce({subject}, '') = '' THEN {none} ELSE {split} END"
    if not rules.drops_trailing_empty_words:
        return f"coalesce({split}, {none})"
    trimmed = f"TRIM(TRAILING '.' FROM {subject})"
    return (
        f"CASE WHEN {subject} = '' THEN array('') WHEN {trimmed} <> '' "
        f"THEN split({trimmed}, {_DOT}, -1) ELSE {none} END"
    )


#: The arrays of the trie that each step looks into.
_ARRAYS = ("words", "codes", "bases", "owners", "following", "otherwise", "lists")


def walk(words: str, start: str) -> str:
    """The states in which the trie is after some words."""
    first, second = "CAST(h & t.mask AS INT)", f"CAST(t.mask + 1 + (shiftright(h * {SPREAD}, {SHIFT}) & t.mask) AS INT)"
    code = (
        f"CASE WHEN get(words, {first}) = w THEN get(codes, {first}) "
        f"WHEN get(words, {second}) = w THEN get(codes, {second}) ELSE coalesce(t.more[w], 0) END"
    )
    coded = f"transform({words}, w -> {bound_to({'h': 'crc32(w)'}, code)})"
    place = "get(bases, s) + c"
    step = f"CASE WHEN get(owners, {place}) = s THEN get(following, {place}) ELSE get(otherwise, s) END"
    return (
        f"aggregate({coded}, coalesce({start}, CAST(array() AS ARRAY<INT>)), "
        f"(states, c) -> flatten(transform(states, s -> get(lists, {step}))))"
    )


def found_at_end(trie: str, walk: str, asked: bool) -> str:
    """What ends in some states, and the numbers of the patterns there that are ``asked`` for elsewhere.

    ``trie`` is the struct that ``Tables.trie`` makes. It is bound to a name by a lambda, so that it is one value in
    one place of the query; so are its arrays, each of which would else be taken out of it at each step.
    """
    arrays = {name: f"t.{name}" for name in _ARRAYS}
    ends = "flatten(transform(states, s -> get(t.{}, s)))"
    found = f"named_struct('d', {ends.format('d')}" + (f", 'i', {ends.format('i')})" if asked else ")")
    return bound_to({"t": trie, "states": bound_to(arrays, walk)}, found)


def bound_to(names: dict[str, str], text: str) -> str:
    """The text with names for some values, each of which may be made of those before it."""
    for name, value in reversed(names.items()):
        text = f"transform(array({value}), {name} -> {text})[0]"
    return text
