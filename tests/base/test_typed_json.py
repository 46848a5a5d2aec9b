"""Values of declared types as JSON: a written value is read back, and JSON of another type is rejected."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler.base.typed_json import TypedJson


class Colour(Enum):
    RED = "r"
    BLUE = "b"


class Point(NamedTuple):
    x: int
    y: int | None = None


@dataclass(frozen=True)
class Leaf:
    value: bool | int | float | str | bytes | Decimal | UUID | None


@dataclass(frozen=True)
class Node:
    word: Literal["and", "or"]
    terms: tuple[Tree, ...]
    computed: int = field(default=0, init=False)


@dataclass(frozen=True)
class Empty:
    pass


Tree = Leaf | Node | Empty


@dataclass
class Everything:
    tree: Tree
    trees: list[Tree]
    points: tuple[Point, ...]
    groups: dict[tuple[int | str, ...], dict[tuple[str, ...], list[Point]]]
    pair: tuple[str, Colour]
    pairs: list[tuple[str, Colour | str]]
    names: frozenset[str]
    free: Any
    colours: Mapping[Colour, str | None]
    texts: list[str]
    shape: Shape | None = None
    called: Callable[[], int] | None = None


class Shape:
    """A base class whose subclasses are given to ``TypedJson`` separately."""


@dataclass(frozen=True)
class Square(Shape):
    side: float


TYPED = TypedJson({}, lambda kind: (Square,) if kind is Shape else (), {}, open_records=(Point,))

_TEXTS = st.text(st.characters(exclude_categories=()), max_size=5)
_INTEGERS = st.integers(-(2**70), 2**70)
_LEAVES = st.builds(
    Leaf,
    st.none()
    | st.booleans()
    | _INTEGERS
    | st.floats(allow_nan=False)
    | _TEXTS
    | st.binary()
    | st.decimals(allow_nan=False)
    | st.uuids(),
)
_TREES: st.SearchStrategy[Tree] = st.recursive(
    _LEAVES | st.builds(Empty),
    lambda inner: st.builds(Node, st.sampled_from(["and", "or"]), st.lists(inner, max_size=4).map(tuple)),
    max_leaves=8,
)
_POINTS = st.builds(Point, _INTEGERS, st.none() | _INTEGERS)
_FREE = st.recursive(
    st.none() | st.booleans() | _INTEGERS | _TEXTS | _POINTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=6,
)
_EVERYTHING = st.builds(
    Everything,
    _TREES,
    st.lists(_TREES, max_size=3),
    st.lists(_POINTS, max_size=3).map(tuple),
    st.dictionaries(
        st.tuples(_INTEGERS, _TEXTS) | st.tuples(_TEXTS),
        st.dictionaries(st.lists(_TEXTS, max_size=2).map(tuple), st.lists(_POINTS, max_size=3), max_size=2),
        max_size=3,
    ),
    st.tuples(_TEXTS, st.sampled_from(Colour)),
    st.lists(st.tuples(_TEXTS, st.sampled_from(Colour) | _TEXTS), max_size=3),
    st.frozensets(_TEXTS, max_size=3),
    _FREE,
    st.dictionaries(st.sampled_from(Colour), st.none() | _TEXTS).map(MappingProxyType),
    st.lists(st.sampled_from(["a", "b", "\\u2028"]), max_size=9),
    st.none() | st.builds(Square, st.floats(allow_nan=False)),
    st.none(),
)


@given(_EVERYTHING)
def test_what_is_written_is_read_back(value: Everything) -> None:
    read = TYPED.read(Everything, TYPED.write(Everything, value))
    assert read == value
    # Compare representations, because True == 1 and 0.0 == -0.0. The iteration order of a set is not preserved.
    assert repr(read.tree) == repr(value.tree)
    assert repr(read.groups) == repr(value.groups)


def _paths(data: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    inner = enumerate(data) if isinstance(data, list) else data.items() if isinstance(data, dict) else ()
    return [path, *(inner_path for key, item in inner for inner_path in _paths(item, (*path, key)))]


def _altered(data: Any, path: tuple[Any, ...], value: object) -> Any:
    if not path:
        return value
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[path[0]] = _altered(copy[path[0]], path[1:], value)
    return copy


WRONG = (
    None,
    True,
    -1,
    2**80,
    1.5,
    float("nan"),
    "",
    "Point",
    [],
    {},
    [[]],
    ["Point", [1, 2]],
    {"texts": [], "places": [1]},
)


@given(_EVERYTHING, st.data(), st.sampled_from(WRONG))
def test_an_altered_form_is_refused_or_is_a_value_of_the_declared_types(
    value: Everything, data: st.DataObject, wrong: object
) -> None:
    form = json.loads(TYPED.write(Everything, value))
    altered = _altered(form, data.draw(st.sampled_from(_paths(form))), wrong)
    try:
        read = TYPED.read(Everything, json.dumps(altered).encode())
    except ValueError:
        return
    # The value has the declared type: it can be written, and is read back from what was written.
    assert repr(TYPED.read(Everything, TYPED.write(Everything, read))) == repr(read)


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        (Leaf, Leaf(Path("x"))),
        (Leaf, Leaf(len)),
        (Leaf, Point(1)),
        (Point, Point("1")),
        (Node, Node("xor", ())),
        (list[int], [True]),
        (list[int], (1,)),
        (Shape, Shape()),
        (Callable[[], int] | None, len),
        (Any, len),
        (Any, {1: 2}),
        (bytes, "x"),
        (Colour, "RED"),
        (dict[str, int], [("a", 1)]),
        (float | None, object()),
    ],
    # The repr of an object may contain its address, which differs in each process.
    ids=lambda value: re.sub(r" at 0x[0-9a-f]+", "", str(value)),
)
def test_a_value_of_another_type_is_not_written(declared: Any, value: object) -> None:
    with pytest.raises(TypeError):
        TYPED.write(declared, value)


@pytest.mark.parametrize(
    ("declared", "form"),
    [
        (Leaf, []),
        (Leaf, [["bytes", "x"]]),
        (Leaf, [["decimal", "1_0"]]),
        (Leaf, [["uuid", "0" * 32]]),
        (Leaf, [["Path", "x"]]),
        (Leaf, [{"texts": ["a"], "places": [0]}]),
        (Tree, ["Everything", []]),
        (Tree, ["Shape", []]),
        (Point, [1]),
        (Point, [1.0, None]),
        (Colour, "r"),
        (Colour, "mro"),
        (Callable[[], int] | None, ["len", []]),
        (list[str], {"texts": ["a"], "places": [-1]}),
        (list[str], {"texts": ["a"], "places": [1]}),
        (list[str], {"texts": ["a"], "places": [True]}),
        (list[str], {"texts": ["a"]}),
        (list[list[int]], [[2], [1]]),
        (list[list[int]], [[2, -1], [1]]),
        (list[list[int]], [[-1], [1]]),
        (list[Point], [[1, 2], [3]]),
        (list[Empty], [[], [1]]),
        (dict[str, int], [["a", "a"], [1, 2]]),
        (dict[str, int], [["a"], [1, 2]]),
        (Any, ["dict", [[1], [2]]]),
        (Any, ["Leaf", [1]]),
    ],
    ids=str,
)
def test_what_is_no_form_is_refused(declared: Any, form: object) -> None:
    # The error must come from this form: the valid element beside it must be accepted.
    with pytest.raises(ValueError, match=r"."):
        TYPED.read(declared, json.dumps(form).encode())


def test_a_form_nested_too_deeply_is_refused() -> None:
    deep = '["and",' * 1_000_000
    with pytest.raises(ValueError, match="nested too deeply"):
        TYPED.read(Any, ('["list",' * 100_000).encode())
    with pytest.raises(ValueError, match="nested too deeply"):
        TYPED.read(Tree, deep.encode())
    nested = '["Node",["and",[' * 3_000 + '["Leaf",[1]]' + "]]]" * 3_000
    with pytest.raises(ValueError, match="nested too deeply"):
        TYPED.read(Tree, nested.encode())
