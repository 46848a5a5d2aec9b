"""Containment of selectors: does one select every message that another one selects?

Decided by case analysis (``cases``), exact in the fragment that is stated there: AND, OR and NOT over tests of one name
against literals. A "no" is given with a message only, which the reference evaluator has judged; beyond the fragment
such a message is looked for among samples. A "yes" is a proof in the dialect's own semantics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from transpiler.compiler import parse_selector
from transpiler.dialect_tools.counterexamples.places import places_of
from transpiler.dialect_tools.counterexamples.sample_messages import samples
from transpiler.errors import DecodeError
from transpiler.lint.cases import Case, Cases, Requirement, TooManyCasesError
from transpiler.lint.cells import NOT_TRUE, CellValue
from transpiler.message.message import Message
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.evaluate import judge
from transpiler.selector import ast
from transpiler.selector.dialects import Dialect, find_dialect
from transpiler.selector.satisfiability import Name

#: The time of UTC() for both selectors, in milliseconds since the epoch.
_NOW = 1_750_772_279_000
#: Parts of a message that samples vary, and samples that are tried.
_MAX_PLACES, _MAX_SAMPLES = 12, 2_000


@dataclass(frozen=True, slots=True)
class Containment:
    """The answer: True, False, or None if it is not decided.

    ``counterexample`` is a message that the contained selector selects and the other one does not. ``tried`` messages
    were judged to find one.
    """

    holds: bool | None
    counterexample: Message | None = None
    tried: int = 0


def subsumes(
    container: str | ast.Expression | None, contained: str | ast.Expression | None, dialect: str | Dialect = "jms"
) -> bool | None:
    """Return True if the first selector selects every message that the second one selects.

    False if there is a message that only the second one selects, None if that is not decided. A selector is text or a
    parsed tree; an empty one, or None, selects every message. Selectors of AND, OR and NOT over tests of one name
    against literals (``=``, ``<>``, ``<``, BETWEEN, IN, LIKE 'prefix%', IS NULL, a boolean property) are decided
    exactly, up to some hundred tests; of others, and in dialects in which a test may throw, a "yes" is proven as well,
    and for a "no" messages are tried. Raises what ``parse_selector`` raises.
    """
    return containment(container, contained, dialect).holds


def containment(
    container: str | ast.Expression | None, contained: str | ast.Expression | None, dialect: str | Dialect = "jms"
) -> Containment:
    """Decide as ``subsumes`` does, and return the counterexample too."""
    rules = find_dialect(dialect)
    first, second = _tree(container, rules), _tree(contained, rules)
    if first is None:
        return Containment(True)
    requirements = [Requirement(first, NOT_TRUE)]
    if second is not None:
        requirements.append(Requirement(second))
    search = _Search(first, second, rules)
    try:
        case = Cases([requirement.condition for requirement in requirements], rules).possible(requirements)
    except TooManyCasesError:
        pass
    else:
        if case is None:
            return Containment(True)
        counterexample = search.first_of(_messages_of(case, rules))
        if counterexample is not None:
            return Containment(False, counterexample, search.tried)
    counterexample = search.first_of(_sample_messages(first, second, rules))
    return Containment(None if counterexample is None else False, counterexample, search.tried)


def _tree(selector: str | ast.Expression | None, dialect: Dialect) -> ast.Expression | None:
    return parse_selector(selector, dialect) if isinstance(selector, str) else selector


class _Search:
    """A search for a message that only the second of two selectors selects."""

    def __init__(self, first: ast.Expression, second: ast.Expression | None, dialect: Dialect) -> None:
        self._first, self._second, self._dialect = first, second, dialect
        self.tried = 0

    def first_of(self, messages: Iterator[Message]) -> Message | None:
        """Return the first of some messages that is a counterexample."""
        for message in messages:
            self.tried += 1
            if not self._selects(self._first, message) and self._selects(self._second, message):
                return message
        return None

    def _selects(self, tree: ast.Expression | None, message: Message) -> bool:
        return judge(tree, message, self._dialect, now=_NOW).truth is True


def _messages_of(case: Case, dialect: Dialect) -> Iterator[Message]:
    """Yield the message of a case whose names are those of properties, or of header fields of JMS."""
    properties: dict[str, AmqpValue] = {}
    headers: dict[str, CellValue] = {}
    for name, value in case.values.items():
        if not _is_property(name, dialect):
            headers[name[1]] = value
        elif value is not None:
            properties[name[1]] = _property_value(value)
    try:
        message = Message.of(**{name: value for name, value in headers.items() if value is not None})
    except DecodeError:
        return
    yield Message(
        header=message.header,
        message_annotations=message.message_annotations,
        properties=message.properties,
        application_properties=properties or message.application_properties,
        body=message.body,
    )


def _is_property(name: Name, dialect: Dialect) -> bool:
    section, text = name
    return section is None and dialect.fields.find(text, section) is None


def _property_value(value: bool | int | float | str | bytes) -> AmqpValue:
    match value:
        case bool():
            return AmqpValue(AmqpType.BOOLEAN, value)
        case int():
            return AmqpValue(AmqpType.LONG if value < 2**63 else AmqpType.ULONG, value)
        case float():
            return AmqpValue(AmqpType.DOUBLE, value)
        case str():
            return AmqpValue(AmqpType.STRING, value)
        case bytes():
            return AmqpValue(AmqpType.BINARY, value)


def _sample_messages(first: ast.Expression, second: ast.Expression | None, dialect: Dialect) -> Iterator[Message]:
    trees = [first] if second is None else [first, second]
    places = {place for tree in trees for place in places_of(tree, dialect)}
    if len(places) > _MAX_PLACES:
        return
    nodes = [node for tree in trees for node in ast.walk(tree)]
    calculating = any(isinstance(node, ast.Calculate | ast.Sign) for node in nodes)
    for sample in islice(samples(places, _constants(nodes), calculating), _MAX_SAMPLES):
        yield sample.message


def _constants(nodes: Sequence[ast.Expression]) -> list[object]:
    values: dict[object, None] = {}
    for node in nodes:
        match node:
            case ast.StringLiteral(value=value) | ast.IntegerLiteral(value=value) | ast.FloatLiteral(value=value):
                values[value] = None
            case ast.Like(pattern=pattern):
                values[pattern.value] = None
                values[pattern.value.replace("%", "x").replace("_", "x")] = None
                values[pattern.value.replace("%", "").replace("_", "x")] = None
            case _:
                pass
    return list(values)
