"""Hypothesis strategies for messages that suit a selector, and for selectors of a dialect."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from transpiler.base.comparison import Comparison
from transpiler.base.errors import TranspilerError
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.parsing import SelectorLike, parse_selector, print_selector
from transpiler.message.message import Message
from transpiler.tools.test_cases.boundaries import boundary_messages

_NAMES = ("color", "weight", "region", "count", "active")
_TEXTS = st.sampled_from(["", "a", "red", "blue", "it's", "5", "TRUE", "x%y", "x_y", "é", "\U0001f600"]) | st.text(
    max_size=8
)
_NUMBERS = st.sampled_from([0, 1, -1, 2500, 2**31 - 1, 2**53, 2**63 - 1, -(2**63)]) | st.integers(-1000, 1000)
_FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=64)
_VALUES = st.one_of(_TEXTS, _NUMBERS, _FLOATS, st.booleans())


@st.composite
def messages_for(draw: st.DrawFn, selector: SelectorLike, dialect: Dialect) -> Message:
    """Draw a message near the limits of ``selector``, with some properties changed or removed.

    It is a combination of messages from ``boundary_messages``.
    """
    tree = parse_selector(selector, dialect)
    known = boundary_messages(selector, dialect)
    made: dict[str, Any] = {}
    for one in draw(st.lists(st.sampled_from(known), min_size=1, max_size=3)):
        for section, content in one.to_dict().items():
            both = isinstance(content, dict) and isinstance(made.get(section), dict)
            made[section] = made[section] | content if both else content
    names = [] if tree is None else ast.names_of(tree)
    properties = [name.name for name in names if dialect.fields.find(name.name, name.section) is None]
    for name in dict.fromkeys(properties):
        own = made.setdefault("application_properties", {})
        match draw(st.sampled_from(["kept", "other", "missing"])):
            case "other":
                own[name] = draw(_VALUES)
            case "missing":
                own.pop(name, None)
    return Message.from_dict({section: content for section, content in made.items() if content != {}})


def selectors_of(dialect: Dialect) -> st.SearchStrategy[str]:
    """Return a strategy for selectors that ``dialect`` accepts, with up to about ten conditions."""
    name = st.sampled_from(_NAMES).map(ast.Identifier)
    text = _TEXTS.map(ast.StringLiteral)
    number = st.integers(0, 10_000).map(ast.IntegerLiteral) | st.integers(1, 99).map(
        lambda tenths: ast.FloatLiteral(tenths / 10)
    )
    texts = st.lists(text, min_size=1, max_size=4).map(tuple)
    total = st.builds(ast.Calculate, st.sampled_from([*ast.Arithmetic][:3]), name, number)
    conditions = st.one_of(
        st.builds(ast.Compare, st.sampled_from([Comparison.EQ, Comparison.NE]), name, text | number),
        st.builds(ast.Compare, st.sampled_from([*Comparison]), name | total, number),
        st.builds(ast.Between, name, number, number, st.booleans()),
        st.builds(ast.In, name, texts, st.booleans()),
        st.builds(ast.Like, name, text, st.none(), st.booleans()),
        st.builds(ast.IsNull, name, st.booleans()),
    )
    trees: st.SearchStrategy[ast.Expression] = st.recursive(conditions, _joined, max_leaves=10)
    return trees.map(lambda tree: print_selector(tree, dialect)).filter(lambda written: _is_legal(written, dialect))


def _joined(inner: st.SearchStrategy[ast.Expression]) -> st.SearchStrategy[ast.Expression]:
    terms = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.builds(ast.And, terms) | st.builds(ast.Or, terms) | st.builds(ast.Not, inner)


def _is_legal(text: str, dialect: Dialect) -> bool:
    try:
        parse_selector(text, dialect)
    except TranspilerError:
        return False
    return True
