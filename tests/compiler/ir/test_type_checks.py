"""The emitter writes nothing without quotes except the names of types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from transpiler.compiler.ir.column_types import AsType, Element
from transpiler.compiler.ir.type_checks import check_parameters


@pytest.mark.parametrize(
    "spark_type",
    [
        "BIGINT",
        "DECIMAL(10,2)",
        "DECIMAL(10, -2)",
        "STRING COLLATE UTF8_BINARY",
        "TIMESTAMP_LTZ",
        "INTERVAL YEAR TO MONTH",
        ("ARRAY", ("MAP", "STRING", "INT")),
        ("STRUCT", ("any name`, x", "INT"), ("b", ("ARRAY", "INT"))),
    ],
    ids=str,
)
def test_a_valid_type_is_accepted(spark_type: Any) -> None:
    assert AsType(spark_type).type == spark_type


@pytest.mark.parametrize(
    "spark_type",
    [
        "",
        "bigint",
        "BIGINT) + (1",
        "INT\n",
        "DECIMAL(10,2))",
        "STRING COLLATE a b",
        "ARRAY<INT>",
        ("ARRAY", "INT) x"),
        ("ARRAY", "INT", "INT"),
        ("LIST", "INT"),
        ("STRUCT", "a", "INT"),
        ("STRUCT", (1, "INT")),
        ("MAP", "STRING", "INT --"),
        (),
        None,
    ],
    ids=repr,
)
def test_an_invalid_type_is_rejected(spark_type: Any) -> None:
    with pytest.raises(ValueError, match="is no "):
        AsType(spark_type)


def test_an_invalid_type_is_rejected_at_each_place_of_a_type() -> None:
    inner: Any = ("STRUCT", ("a", "INT"), ("b", ("ARRAY", "STRING")))
    valid: Any = ("MAP", ("ARRAY", inner), ("MAP", "STRING", inner))
    assert AsType(valid).type == valid
    invalid = list(_with_one_name_replaced(valid, "INT) x"))
    assert len(invalid) == 5
    for spark_type in invalid:
        with pytest.raises(ValueError, match="is no type of Spark"):
            AsType(spark_type)


def _with_one_name_replaced(spark_type: Any, name: str) -> Iterator[Any]:
    """Yield ``spark_type`` with each of the type names in it replaced by ``name``, one at a time."""
    match spark_type:
        case str():
            yield name
        case ("STRUCT", *fields):
            for index, (field, inner) in enumerate(fields):
                for replaced in _with_one_name_replaced(inner, name):
                    yield ("STRUCT", *fields[:index], (field, replaced), *fields[index + 1 :])
        case (kind, *parts):
            for index, part in enumerate(parts):
                for replaced in _with_one_name_replaced(part, name):
                    yield (kind, *parts[:index], replaced, *parts[index + 1 :])


@pytest.mark.parametrize("name", ["", "a b", "x)", "x -> y", "é", "1"])
def test_a_variable_is_a_word(name: str) -> None:
    with pytest.raises(ValueError, match="is no name of a variable"):
        Element(name)


@pytest.mark.parametrize(
    ("precision", "scale", "collation"),
    [
        (39, 2, "UTF8_BINARY"),
        (-1, 2, "UTF8_BINARY"),
        (10, -(10**9), "UTF8_BINARY"),
        (0, 0, "UTF8_BINARY) OR (1"),
        (0, 0, ""),
    ],
)
def test_parameters_that_no_type_has_are_refused(precision: int, scale: int, collation: str) -> None:
    with pytest.raises(ValueError, match=r"there is no DECIMAL|no name of a collation"):
        check_parameters(precision, scale, collation)
