"""CSV cells: a property has its type by use, a header field is converted by its own rule, and all evaluations agree."""

from __future__ import annotations

import pytest

from transpiler import evaluate, transpile_selector
from transpiler.compiler.stores import csv
from transpiler.compiler.stores.own import unreadable_cell


@pytest.mark.parametrize(
    ("cells", "selector", "truth"),
    [
        ({"weight": "2600"}, "weight > 2500", True),
        ({"weight": "2600"}, "weight = '2600'", True),
        ({"JMSTimestamp": "2024-01-01T00:00:00Z"}, "JMSTimestamp = 1704067200000", True),
        ({"JMSTimestamp": "2024-01-01T02:00:00.5+02:00"}, "JMSTimestamp = 1704067200500", True),
        ({"JMSTimestamp": "2024-01-01"}, "JMSTimestamp = 1704067200000", True),
        ({"JMSExpiration": "7"}, "JMSExpiration = 7", True),
        ({"JMSRedelivered": "1"}, "JMSRedelivered", True),
        ({"JMSDeliveryMode": "2"}, "JMSDeliveryMode = 'PERSISTENT'", True),
        ({"JMSPriority": "9"}, "JMSPriority = 9", True),
        ({"JMSType": "5"}, "JMSType = '5'", True),
    ],
)
def test_a_csv_cell_has_the_type_that_its_name_implies(cells: dict[str, str], selector: str, truth: bool) -> None:
    layout = csv(cells)
    assert unreadable_cell(layout, cells) is None
    assert evaluate(selector, layout.message(cells)) is truth
    assert transpile_selector(selector, layout).sql


@pytest.mark.parametrize(
    ("name", "cell", "message"),
    [
        ("JMSPriority", "high", "JMSPriority: expected an integer, found 'high'"),
        (
            "JMSTimestamp",
            "noon",
            "JMSTimestamp: expected milliseconds or a time such as 2024-06-24T10:00:00Z, found 'noon'",
        ),
        ("JMSRedelivered", "maybe", "JMSRedelivered: expected true or false, found 'maybe'"),
        ("JMSDeliveryMode", "3", "JMSDeliveryMode: expected PERSISTENT or NON_PERSISTENT, found '3'"),
    ],
)
def test_a_cell_that_is_no_value_of_its_header_field_is_reported(name: str, cell: str, message: str) -> None:
    assert unreadable_cell(csv([name, "a"]), {name: cell, "a": "x"}) == message
