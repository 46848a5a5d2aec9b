"""Assertions about topologies on DataFrames, for pytest and other test runners: ``assert_routes``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyspark.sql import DataFrame

from spark_ext.messages.schemas import check_frame
from spark_ext.routing.route_messages import route
from transpiler.base.arguments import unexpected
from transpiler.routing.compiled_topology import CompiledTopology
from transpiler.topology.model import Topology

__all__ = ["assert_routes"]

#: Maximum number of messages that the text of a failure lists.
_MAX_LISTED = 20


def assert_routes(
    df: DataFrame,
    topology: Topology | CompiledTopology,
    expected: Mapping[Any, Iterable[str]],
    layout: Any = None,
    *,
    id_column: str = "id",
    **options: Any,
) -> None:
    """Assert that the topology routes each message of a DataFrame to its expected queues.

    Args:
        df: The messages.
        topology: The topology, which may be compiled.
        expected: The queues of each message, in any order, by the message's value in ``id_column``. A message that
            reaches no queue has an empty list.
        layout: The layout of the messages; by default it is inferred from ``df``.
        id_column: The column whose values identify the messages.
        options: The options of ``route``.

    Raises:
        AssertionError: The text has a line for each message that has other queues, is not in ``expected``, or is not
            in ``df``.
    """
    __tracebackhide__ = True
    check_frame("df", df)
    if not isinstance(expected, Mapping):
        raise unexpected("expected", "a mapping from values of id_column to queues", expected)
    column = options.pop("column", "queues")
    routed = route(df, topology, layout, column=column, **options).select(id_column, column)
    found: dict[Any, list[list[str]]] = {}
    for name, queues in routed.collect():
        found.setdefault(name, []).append(queues)
    wrong = []
    for name in dict.fromkeys([*expected, *found]):
        wanted = sorted(set(expected[name])) if name in expected else None
        for queues in found.get(name, [None]):
            if queues != wanted:
                wrong.append(_difference(name, wanted, queues))
    if wrong:
        others = [f"… and {len(wrong) - _MAX_LISTED} more"] if len(wrong) > _MAX_LISTED else []
        headline = f"{len(wrong)} of {len(set(expected) | set(found))} messages go elsewhere:"
        raise AssertionError("\n".join([headline, *wrong[:_MAX_LISTED], *others]))


def _difference(name: object, wanted: list[str] | None, queues: list[str] | None) -> str:
    if queues is None:
        return f"  {name!r}: expected {_listed(wanted or [])}, and there is no such message"
    if wanted is None:
        return f"  {name!r}: goes to {_listed(queues)}, and nothing is expected of it"
    lost = [f"-{queue}" for queue in wanted if queue not in queues]
    more = [f"+{queue}" for queue in queues if queue not in wanted]
    return f"  {name!r}: expected {_listed(wanted)}, goes to {_listed(queues)} ({' '.join([*lost, *more])})"


def _listed(queues: list[str]) -> str:
    return ", ".join(queues) or "no queue"
