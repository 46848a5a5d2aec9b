"""SQL for routing keys: the form for comparisons, the words, and the walk through the automaton of binding keys."""

from __future__ import annotations

from collections.abc import Mapping

from spark_ext.routing import tuning
from transpiler.compiler.sql import quote_text
from transpiler.language.binding_rules import TopicRules
from transpiler.routing.columns import BACK, COUNT, FRONT, WORDS


def exact_key(subject: str, rules: TopicRules) -> str:
    """Return the SQL of the routing key ``subject`` in the form in which topic exchanges compare it without wildcards.

    A binding key without wildcards matches if it equals this form: for example, the key without trailing dots. The form
    is NULL if no binding key can match.
    """
    if rules.empty_key_has_no_words:
        return f"coalesce({subject}, '')"
    if not rules.drops_trailing_empty_words:
        return subject
    trimmed = f"TRIM(TRAILING '.' FROM {subject})"
    return f"CASE WHEN {subject} = '' OR {trimmed} <> '' THEN {trimmed} END"


def key_words(subject: str, rules: TopicRules) -> str:
    """Return the SQL of the words of a routing key, as an array."""
    none, split = "CAST(array() AS ARRAY<STRING>)", _split(subject, rules)
    if rules.empty_key_has_no_words:
        return f"CASE WHEN coalesce({subject}, '') = '' THEN {none} ELSE {split} END"
    if not rules.drops_trailing_empty_words:
        return f"coalesce({split}, {none})"
    trimmed = f"TRIM(TRAILING '.' FROM {subject})"
    return f"CASE WHEN {subject} = '' THEN array('') WHEN {trimmed} <> '' THEN {_split(trimmed, rules)} ELSE {none} END"


def _split(text: str, rules: TopicRules) -> str:
    # Java splits by a regular expression of one literal character without compiling a regular expression.
    plain = rules.syntax.delimiter
    delimiter = quote_text(f"\\{plain}" if plain.isascii() and not plain.isalnum() else plain)
    if not rules.queue_mark:
        return f"split({text}, {delimiter}, -1)"
    mark = quote_text(rules.queue_mark)
    queue = f"substr({text}, instr({text}, {mark}) + {len(rules.queue_mark)})"
    words = f"split(substring_index({text}, {mark}, 1), {delimiter}, -1)"
    return f"CASE WHEN contains({text}, {mark}) THEN concat(array({queue}), {words}) ELSE {words} END"


def word(name: str) -> str:
    """Return the SQL of the column ``name``: the number of words, or the word at one position (NULL if missing)."""
    if name == COUNT:
        return f"CAST(size({WORDS}) AS BIGINT)"
    if name.startswith(FRONT):
        return f"get({WORDS}, {name.removeprefix(FRONT)})"
    return f"get({WORDS}, size({WORDS}) - {int(name.removeprefix(BACK)) + 1})"


def encode_words(words: str, slots: str) -> str:
    """Return the SQL of the codes of ``words``, with 0 for a word without a code.

    ``slots`` is the column with the codes of all words, a hash table.
    """
    code = "coalesce(get(slots, CAST(crc32(w) & (size(slots) - 1) AS INT))[w], 0)"
    return let({"slots": slots}, f"transform({words}, w -> {code})")


def run_automaton(codes: str, start: str, transitions: Mapping[str, str], repeats: bool) -> str:
    """Return the SQL of the states that the automaton reaches from ``start`` over the encoded words ``codes``.

    ``transitions`` maps ``edges``, ``otherwise`` and ``lists`` to the columns with these arrays. If ``repeats`` is
    True, the automaton can reach a state several times, and the result can contain duplicates.
    """
    edge = "get(t.edges, s + c)"
    target = f"CAST({edge} & {2**31 - 1} AS INT)"
    following = f"CASE WHEN shiftright({edge}, 32) = s THEN {target} ELSE get(t.otherwise, s) END"
    reached = f"flatten(transform(states, s -> get(t.lists, {following})))"
    if repeats:
        # With several # in a topic pattern and many equal words in a routing key, millions of states would be reached
        # repeatedly.
        once = f"CASE WHEN size(reached) > {tuning.MANY_STATES} THEN array_distinct(reached) ELSE reached END"
        reached = let({"reached": reached}, once)
    states = f"aggregate({codes}, coalesce({start}, array_repeat(0, 0)), (states, c) -> {reached})"
    # Put the arrays into one struct, which is bound once for each message. If they were columns of a joined row, Spark
    # would create a new object each time that a state reads an array.
    arrays = ", ".join(f"'{name}', {column}" for name, column in transitions.items())
    return let({"t": f"named_struct({arrays})"}, states)


def deliveries_at_end(walk: str, delivered: str, tested: str | None) -> str:
    """Return the SQL of the result of a walk through the topic automaton, a struct, from its final states.

    Field ``d`` has the deliveries of the binding keys that match, field ``i`` the numbers of the matching keys whose
    bindings have further conditions. ``delivered`` and ``tested`` are the columns that list them for each state.
    ``tested`` is None if no such binding has further conditions; then there is no field ``i``.
    """
    ending = f"filter({walk}, s -> (s & 1) = 1)"
    if tested is None:
        return f"named_struct('d', flatten(transform({ending}, s -> get({delivered}, s))))"
    ends = "flatten(transform(states, s -> get({}, s)))"
    deliveries = f"named_struct('d', {ends.format(delivered)}, 'i', {ends.format(tested)})"
    return let({"states": ending}, deliveries)


def let(names: dict[str, str], text: str) -> str:
    """Return SQL for the expression ``text``, in which the variables in ``names`` are defined.

    ``names`` maps each variable to its SQL expression, which can use the variables before it.
    """
    for name, value in reversed(names.items()):
        text = f"transform(array({value}), {name} -> {text})[0]"
    return text
