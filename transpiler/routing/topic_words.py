"""Binding keys with wildcards as conditions on the words of a routing key, for lookups in constant tables.

A binding key with at most one ``#`` is a conjunction: equalities for the words at certain positions, counted from the
front or from the back, and the number or minimum number of words. Binding keys that differ only in their words have the
same *signature*, so that a hundred thousand of them need a single lookup. The automaton handles binding keys with
several ``#``, and rare signatures, because its time depends on the words of a routing key and not on signatures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.base.topics import AnyWord, is_wild, simplify_words, split_at_many
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, STRING
from transpiler.routing import tuning
from transpiler.routing.columns import COUNT, word_column
from transpiler.routing.signatures import Parameter, parameter
from transpiler.topology.exchange_types import KeyTest
from transpiler.topology.model import Topology


class WordsSignature(NamedTuple):
    """The signature of a binding key with wildcards: the positions of its words that are not wildcards.

    ``front`` contains positions from the front, ``back`` positions from the back of the key. ``many`` is True if the
    binding key has a ``#``. Then ``least`` is the minimum number of words; 0 if the positions already imply that
    minimum.
    """

    front: tuple[int, ...]
    back: tuple[int, ...]
    many: bool
    least: int

    @property
    def predicate(self) -> ir.Predicate:
        """The condition on a routing key. The parameters are the words, and their number if ``many`` is False."""
        names = [word_column(position) for position in self.front] + [
            word_column(position, back=True) for position in self.back
        ]
        tests: list[ir.Predicate] = [
            ir.Compare(Comparison.EQ, ir.Column((name,), STRING), parameter(number, STRING))
            for number, name in enumerate(names)
        ]
        count = ir.Column((COUNT,), BIGINT)
        if not self.many:
            tests.append(ir.Compare(Comparison.EQ, count, parameter(len(names), BIGINT)))
        elif self.least:
            tests.append(ir.Compare(Comparison.GE, count, ir.constant(self.least)))
        return ir.all_of(*tests)


def words_signature(words: Sequence[str | AnyWord]) -> tuple[WordsSignature, tuple[Parameter, ...]] | None:
    """Return the words signature of the binding key ``words``, and its constants; None if it has several ``#``.

    The constants are the literal words of the key and, if it has no ``#``, the number of its words.
    """
    parts = split_at_many(simplify_words(words))
    if len(parts) > 2:
        return None
    first, last = parts[0], parts[1][::-1] if len(parts) > 1 else ()
    front, back = (tuple(index for index, word in enumerate(part) if isinstance(word, str)) for part in (first, last))
    constants: list[Parameter] = [word for word in (*first, *last) if isinstance(word, str)]
    least = len(first) + len(last)
    if len(parts) == 1:
        return WordsSignature(front, (), False, 0), (*constants, least)
    implied = max((*front, *back), default=-1) + 1
    return WordsSignature(front, back, True, least if least > implied else 0), tuple(constants)


def signatures_to_look_up(topology: Topology) -> frozenset[WordsSignature]:
    """Return the most frequent signatures of binding keys with wildcards, for lookups instead of the automaton.

    The set is empty if ``TOPIC_LOOK_UPS`` signatures do not cover the share ``LOOKED_UP`` of the binding keys with
    wildcards. That many lookups take about as long as the automaton, which would have to run for the other keys, too.
    """
    counts: Counter[WordsSignature] = Counter()
    total = 0
    types = topology.exchange_by_name
    for binding in topology.bindings:
        if types[binding.source].kind.key is KeyTest.WORDS:
            words = topology.rules.topic.pattern(binding.key)
            if is_wild(words):
                total += 1
                found = words_signature(words)
                if found is not None:
                    counts[found[0]] += 1
    most = counts.most_common(tuning.TOPIC_LOOK_UPS)
    if sum(count for _, count in most) < total * tuning.LOOKED_UP:
        return frozenset()
    return frozenset(signature for signature, _ in most)
