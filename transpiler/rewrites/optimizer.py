"""Laws that make a predicate smaller, or easier for a file reader, and never change where it holds.

``RULES`` is applied bottom-up, in order, until nothing changes. Each rule looks at one node whose parts are already
optimized, and says which law allows it. A predicate holds where it is TRUE; FALSE and NULL are the same to all rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import is_

from transpiler import ir
from transpiler.filters.topics import MANY_WORDS, ONE_WORD, read_words
from transpiler.ir.java_regex import regular_expression
from transpiler.layouts.columns import SparkType
from transpiler.rewrites.combine_in_lists import combine_in_lists
from transpiler.rewrites.invert_text import invert_text, text_is_null
from transpiler.rewrites.redundant_null_checks import remove_redundant_null_checks
from transpiler.rewrites.solve_timestamp import solve_timestamp
from transpiler.rewrites.unwrap_casts import unwrap_cast
from transpiler.selector.ast import Comparison
from transpiler.selector.pattern import Pattern

#: Terms of a short chain.
_FEW = 5
#: Characters of a constant that is matched with a pattern here, and not by Spark.
MAX_FOLDED = 2_000

Rule = Callable[[ir.Predicate], ir.Predicate]


def constant_to_the_right(node: ir.Predicate) -> ir.Predicate:
    """A comparison says the same with its operands exchanged and its operator mirrored."""
    if isinstance(node, ir.Compare) and isinstance(node.left, ir.Constant) and not isinstance(node.right, ir.Constant):
        return ir.Compare(node.operator.mirrored, node.right, node.left)
    return node


def fold_constants(node: ir.Predicate) -> ir.Predicate:
    """What depends on constants alone is known."""
    match node:
        case ir.Compare(operator=operator, left=ir.Constant(value=left), right=ir.Constant(value=right)):
            return ir.BoolConst(ir.compare_constants(operator, left, right))
        case ir.IsTrue(value=ir.Constant(value=value), negated=negated):
            return ir.BoolConst(bool(value) is not negated)
        case ir.IsNull(value=ir.Constant(), negated=negated):
            return ir.BoolConst(negated)
        case ir.In(value=ir.Constant(value=value), members=members, negated=negated):
            return ir.BoolConst((value in [member.value for member in members]) is not negated)
        case ir.Like(value=ir.Constant(value=str() as text), pattern=pattern, negated=negated) if (
            len(text) <= MAX_FOLDED
        ):
            return ir.BoolConst(_fits(text, pattern) is not negated)
        case ir.Topic(value=ir.Constant(value=str() as text), pattern=words, negated=negated) if (
            len(text) <= MAX_FOLDED
        ):
            return ir.BoolConst(_fits_words(text, words) is not negated)
        case ir.IsNan(value=ir.Constant(value=value), negated=negated):
            return ir.BoolConst((value != value) is not negated)
        case ir.IsNan(value=ir.Apply(function=ir.Function.TO_DOUBLE, arguments=(inner,)), negated=negated):
            # Only a 32-bit float brings a NaN along when it is widened.
            return ir.IsNan(inner, negated) if inner.type.kind is SparkType.FLOAT else ir.BoolConst(negated)
        case ir.IsNan(
            value=ir.Apply(function=ir.Function.FIRST, arguments=(*before, last), type=found), negated=negated
        ):
            # What is never NaN need not be asked, and NULL is not NaN either.
            if not isinstance(fold_constants(ir.IsNan(last)), ir.BoolConst):
                return node
            return ir.IsNan(
                before[0] if len(before) == 1 else ir.Apply(ir.Function.FIRST, tuple(before), found), negated
            )
        case _:
            return node


def boolean_as_condition(node: ir.Predicate) -> ir.Predicate:
    """A boolean that equals TRUE is TRUE; one that does not is FALSE."""
    match node:
        case ir.Compare(operator=operator, left=left, right=ir.Constant(value=bool() as value)):
            return ir.IsTrue(left, negated=(operator is Comparison.EQ) is not value)
        case _:
            return node


def pattern_as_text(node: ir.Predicate) -> ir.Predicate:
    """A pattern without wildcards is matched by its own text."""
    match node:
        case ir.Like(value=value, pattern=() | (str(),) as pattern, negated=negated):
            return ir.Compare(
                Comparison.NE if negated else Comparison.EQ, value, ir.constant("".join(map(str, pattern)))
            )
        case _:
            return node


def conversion_to_the_constant(node: ir.Predicate) -> ir.Predicate:
    """A condition on a monotone function of a column is a condition on the column: see ``rewrites.unwrap_casts``."""
    match node:
        case ir.Compare(operator=operator, left=left, right=ir.Constant() as bound):
            return unwrap_cast(operator, left, bound) or node
        case _:
            return node


def time_to_the_moment(node: ir.Predicate) -> ir.Predicate:
    """Solve a condition on milliseconds and the time of the query for the timestamp: see ``solve_timestamp``."""
    return solve_timestamp(node) or node if isinstance(node, ir.Compare) else node


def text_to_the_constant(node: ir.Predicate) -> ir.Predicate:
    """Equality with a text that is made from a column is equality of the column: see ``rewrites.invert_text``."""
    match node:
        case ir.IsNull(value=value, negated=negated):
            behind = text_is_null(value)
            return node if behind is value else ir.IsNull(behind, negated)
        case _:
            return invert_text(node) or node


def one_level(node: ir.Predicate) -> ir.Predicate:
    """AND and OR are associative and idempotent; TRUE and FALSE are their identities and absorb."""
    if not isinstance(node, ir.Chain):
        return node
    kinds = set(map(type, node.terms))
    if len(kinds) == len(node.terms) and kinds.isdisjoint((type(node), ir.BoolConst)):
        # Terms of unlike kinds are unlike.
        return node
    identity, absorbing = (ir.TRUE, ir.FALSE) if isinstance(node, ir.And) else (ir.FALSE, ir.TRUE)
    terms: list[ir.Predicate] = []
    for term in node.terms:
        for inner in term.terms if isinstance(term, type(node)) else (term,):
            if not isinstance(inner, ir.BoolConst):
                terms.append(inner)
            elif inner == absorbing:
                return absorbing
    found = _distinct(terms)
    if not found:
        return identity
    if len(found) == 1:
        return found[0]
    return node if len(found) == len(node.terms) and all(map(is_, found, node.terms)) else type(node)(found)


def _distinct(terms: list[ir.Predicate]) -> tuple[ir.Predicate, ...]:
    """The terms without repetitions, in order; of a few it is quicker to compare them than to find their hashes."""
    if len(terms) > _FEW:
        return tuple(dict.fromkeys(terms))
    found: list[ir.Predicate] = []
    for term in terms:
        if term not in found:
            found.append(term)
    return tuple(found)


def equalities_to_list(node: ir.Predicate) -> ir.Predicate:
    """``a = 1 OR a = 2`` is ``a IN (1, 2)``, and a list has no member twice: see ``rewrites.combine_in_lists``."""
    match node:
        case ir.And() | ir.Or():
            return combine_in_lists(node)
        case ir.In(value=value, members=(member,), negated=negated):
            return ir.Compare(Comparison.NE if negated else Comparison.EQ, value, member)
        case ir.In(members=members) if len(set(members)) < len(members):
            return replace(node, members=tuple(dict.fromkeys(members)))
        case _:
            return node


def implied_by_a_neighbour(node: ir.Predicate) -> ir.Predicate:
    """Remove a test that another one implies, or that implies another one: see ``redundant_null_checks``."""
    return remove_redundant_null_checks(node) if isinstance(node, ir.Chain) else node


def excluded_middle(node: ir.Predicate) -> ir.Predicate:
    """A value is NULL or it is not: one of the two tests holds, never both."""
    if not isinstance(node, ir.Chain):
        return node
    tested = {(term.value, term.negated) for term in node.terms if isinstance(term, ir.IsNull)}
    both = any((value, not negated) in tested for value, negated in tested)
    return ir.BoolConst(isinstance(node, ir.Or)) if both else node


def complement(node: ir.Predicate) -> ir.Predicate:
    """The complement of a test that is never NULL is the opposite test; two complements cancel out."""
    match node:
        case ir.NotTrue(predicate=ir.BoolConst(value=value)):
            return ir.BoolConst(not value)
        case ir.NotTrue(predicate=ir.IsNull() | ir.IsNan() as inner):
            return replace(inner, negated=not inner.negated)
        case ir.NotTrue(predicate=ir.NotTrue(predicate=inner)):
            return inner
        case _:
            return node


RULES: tuple[Rule, ...] = (
    constant_to_the_right,
    fold_constants,
    boolean_as_condition,
    pattern_as_text,
    time_to_the_moment,
    conversion_to_the_constant,
    text_to_the_constant,
    one_level,
    equalities_to_list,
    implied_by_a_neighbour,
    excluded_middle,
    complement,
)


#: The nodes that each rule looks at; the others it would hand back.
_NODES: Mapping[Rule, tuple[type[ir.Predicate], ...]] = {
    constant_to_the_right: (ir.Compare,),
    fold_constants: (ir.Compare, ir.IsTrue, ir.IsNull, ir.In, ir.Like, ir.Topic, ir.IsNan),
    boolean_as_condition: (ir.Compare,),
    pattern_as_text: (ir.Like,),
    time_to_the_moment: (ir.Compare,),
    conversion_to_the_constant: (ir.Compare,),
    text_to_the_constant: (ir.Compare, ir.In, ir.Like, ir.IsNull),
    one_level: (ir.And, ir.Or),
    equalities_to_list: (ir.And, ir.Or, ir.In),
    implied_by_a_neighbour: (ir.And, ir.Or),
    excluded_middle: (ir.And, ir.Or),
    complement: (ir.NotTrue,),
}
#: Of rules that look at AND and OR, the terms without any of which they would hand them back.
_TERMS: Mapping[Rule, frozenset[type[ir.Predicate]]] = {
    equalities_to_list: frozenset({ir.Compare, ir.In}),
    implied_by_a_neighbour: frozenset({ir.IsNull, ir.IsNan}),
    excluded_middle: frozenset({ir.IsNull}),
}
_RULES_OF = {kind: tuple(rule for rule in RULES if kind in _NODES[rule]) for kinds in _NODES.values() for kind in kinds}


def is_settled(node: ir.Predicate) -> bool:
    """Whether a node is plainly none that a rule has anything to say about, which most tests are.

    It asks a bare column, a constant or a pattern with wildcards stands beside it, and the constant is no boolean.
    """
    match node:
        case ir.Compare(left=ir.Column(), right=ir.Constant(value=value)):
            return not isinstance(value, bool)
        case ir.IsNull(value=ir.Column()) | ir.IsNan(value=ir.Column()) | ir.IsTrue(value=ir.Column()):
            return True
        case ir.Like(value=ir.Column(), pattern=(_, _, *_)):
            return True
        case _:
            return False


def optimize(node: ir.Predicate) -> ir.Predicate:
    """The predicate after all rules; it holds in the same rows."""
    return _Optimizer().visit(node)


class _Optimizer:
    """One run over one predicate. A part that is settled is never looked at again, in whatever node it turns up."""

    def __init__(self) -> None:
        #: By the identity of a node, the node and what it became: the node is kept, so that nothing takes its place.
        self.settled: dict[int, tuple[ir.Predicate, ir.Predicate]] = {}

    def visit(self, node: ir.Predicate) -> ir.Predicate:
        """The node after all rules."""
        if is_settled(node):
            return node
        known = self.settled.get(id(node))
        if known is None:
            found = self.settle(ir.rebuild(node, self.visit, self.value))
            known = self.settled[id(node)] = (node, found)
            self.settled[id(found)] = (found, found)
        return known[1]

    def settle(self, node: ir.Predicate) -> ir.Predicate:
        """A node whose parts are settled, after all rules."""
        terms = set(map(type, node.terms)) if isinstance(node, ir.Chain) else None
        for rule in _RULES_OF.get(type(node), ()):
            if terms is not None and rule in _TERMS and terms.isdisjoint(_TERMS[rule]):
                continue
            changed = rule(node)
            if changed is not node and changed != node:
                # A rule makes nodes that no rule has seen; the parts that it kept are settled.
                return self.visit(changed)
        return node

    def value(self, value: ir.Value) -> ir.Value:
        """The value, with the predicates inside it after all rules."""
        match value:
            case ir.Apply(arguments=arguments):
                changed = tuple(map(self.value, arguments))
                if all(map(is_, changed, arguments)):
                    return value
                return replace(value, arguments=changed)
            case ir.When(condition=condition, value=inner):
                new = self.visit(condition)
                return inner if new == ir.TRUE else ir.When(new, self.value(inner))
            case _:
                return value


def _fits(text: str, pattern: Pattern) -> bool:
    """Whether a text matches a pattern, by the regular expression that Spark would be given."""
    return re.match(regular_expression(pattern), text) is not None


def _fits_words(text: str, pattern: tuple[str, ...]) -> bool:
    """Whether the words of a text match those of a topic pattern, by the positions that each one can end at."""
    words = read_words(text)
    ends = {0}
    for token in pattern:
        if not ends:
            return False
        if token == MANY_WORDS:
            ends = set(range(min(ends), len(words) + 1))
        else:
            ends = {end + 1 for end in ends if end < len(words) and token in (ONE_WORD, words[end])}
    return len(words) in ends
