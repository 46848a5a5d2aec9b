"""Direct and topic bindings as conditions on the subject.

A binding accepts a message or does not: it knows no *unknown*. So what is lowered for FALSE is the complement of what
is lowered for TRUE, rows without a subject included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from transpiler import ir
from transpiler.filters.topics import MANY_WORDS, ONE_WORD, SEPARATOR, simplify_words, split_at_many
from transpiler.layouts.columns import STRING
from transpiler.lowering.operands import complement as not_true
from transpiler.lowering.plain_operands import Operand
from transpiler.message.types import TypeClass
from transpiler.selector.ast import Comparison
from transpiler.selector.pattern import Wildcard


def direct(subject: Operand, key: str, wanted: bool = True) -> ir.Predicate:
    """Where the subject is, or is not, exactly a key; an absent subject is none."""
    return _test(subject, lambda value: _is(value, key), False, wanted)


def topic(
    subject: Operand,
    pattern: Sequence[str],
    wanted: bool = True,
    *,
    absent: bool = False,
    empty_has_no_words: bool = False,
    drops_trailing_empty_words: bool = False,
) -> ir.Predicate:
    """Where the words of the subject match, or do not match, the words of a pattern.

    ``absent`` says whether an absent subject matches. ``empty_has_no_words`` is RabbitMQ's reading of the subject ""
    (elsewhere it is one empty word), and the pattern () its reading of the pattern "". Broker-J drops the empty words
    at the end of a subject, but not the one of "".
    """
    words = simplify_words(pattern)

    def test(value: ir.Value) -> ir.Predicate:
        if not drops_trailing_empty_words:
            return _matches(value, words, empty_has_no_words)
        # The text "" keeps its one empty word, and texts of dots only have none.
        trimmed = ir.Apply(ir.Function.WITHOUT_TRAILING_DOTS, (value,), STRING)
        rest = ir.all_of(_is_not(value, ""), _matches(trimmed, words, empty_has_no_words=True))
        return ir.any_of(_is(value, ""), rest) if _takes_empty_word(words) else rest

    return _test(subject, test, absent, wanted)


def _test(subject: Operand, make: Callable[[ir.Value], ir.Predicate], absent: bool, wanted: bool) -> ir.Predicate:
    strings = subject.of(TypeClass.STRING)
    found = ir.any_of(*(ir.all_of(item.guard, make(item.value)) for item in strings))
    if wanted:
        return ir.any_of(found, subject.absent) if absent else found
    if len(subject.alternatives) == len(strings) == 1 and strings[0].guard == ir.TRUE:
        # All tests of one value are NULL where it is, so SQL's NOT says everything but that.
        turned = ir.sql_not(found)
        if turned is not None:
            return ir.all_of(turned, subject.present) if absent else ir.any_of(turned, subject.absent)
    return not_true(ir.any_of(found, subject.absent) if absent else found)


def _matches(value: ir.Value, words: tuple[str, ...], empty_has_no_words: bool) -> ir.Predicate:
    found = _count_every_word(value, words) if words else ir.FALSE
    takes_nothing = all(word == MANY_WORDS for word in words)
    if not empty_has_no_words or takes_nothing == _takes_empty_word(words):
        return found
    return ir.any_of(found, _is(value, "")) if takes_nothing else ir.all_of(found, _is_not(value, ""))


def _count_every_word(value: ir.Value, words: tuple[str, ...]) -> ir.Predicate:
    """The test of a text as one word or more, as the cheapest one that says the same."""
    literal = SEPARATOR.join(word for word in words if word != MANY_WORDS)
    if ONE_WORD not in words:
        match split_at_many(words):
            case [_]:
                return _is(value, literal)
            case [(), ()]:
                return ir.IsNull(value, negated=True)
            case [_, ()]:
                return ir.any_of(_is(value, literal), ir.Like(value, (literal + SEPARATOR, Wildcard.ANY)))
            case [(), _]:
                return ir.any_of(_is(value, literal), ir.Like(value, (Wildcard.ANY, SEPARATOR + literal)))
    return ir.Topic(value, words)


def _takes_empty_word(words: tuple[str, ...]) -> bool:
    counted = [word for word in words if word != MANY_WORDS]
    return bool(words) and (not counted or (len(counted) == 1 and counted[0] in ("", ONE_WORD)))


def _is(value: ir.Value, text: str) -> ir.Predicate:
    return ir.Compare(Comparison.EQ, value, ir.constant(text))


def _is_not(value: ir.Value, text: str) -> ir.Predicate:
    return ir.Compare(Comparison.NE, value, ir.constant(text))
