"""The names that the conditions of a topology read, with the first binding and the number of bindings of each."""

from __future__ import annotations

from transpiler.routing.asked_names import asked_names
from transpiler.topology import topology_from_dict


def test_a_name_has_its_first_binding_and_the_number_of_its_bindings() -> None:
    arguments = (
        {"x-match": "all", "color": "red"},
        {"x-match": "all", "color": "blue", "n": 1},
        {"x-match": "all", "x-filter-jms-selector": "color = 'x' AND color <> m"},
    )
    bindings = [{"source": "h", "queue": f"q{number}", "arguments": each} for number, each in enumerate(arguments)]
    described = {
        "broker": "qpid-java",
        "queues": [f"q{number}" for number in range(3)],
        "exchanges": [{"name": "h", "type": "headers"}],
        "bindings": bindings,
    }
    found = asked_names(topology_from_dict(described))
    assert {name: tuple(asked)[:2] for name, asked in found.items()} == {
        "color": ("h -> q0", 3),
        "n": ("h -> q1", 1),
        "m": ("h -> q2", 1),
    }
    assert found["n"][2] is None
    assert found["color"][2] is not None
