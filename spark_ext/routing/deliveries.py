"""Collect the deliveries of all lookups into one array, and the queues into one in their order."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from itertools import count

from spark_ext.routing.constant_tables import Payload
from spark_ext.routing.lookups import LookupForm
from spark_ext.routing.topic_sql import let
from transpiler.sql import quote_text

_FIRST, _LAST, _COUNT = "_routing_first", "_routing_last", "_routing_count"


class CollectedDeliveries:
    """The columns of deliveries that are computed so far, by their form."""

    def __init__(self, payload: Payload, queues: Collection[str]) -> None:
        self._payload = payload
        self._queues = queues
        self._names: dict[LookupForm, list[str]] = {form: [] for form in LookupForm}

    def add(self, *names: str, form: LookupForm = LookupForm.MANY) -> None:
        """Add columns of one form."""
        self._names[form] += names

    def together(self) -> str:
        """Concatenate all deliveries to one array."""
        empty = self._payload.empty
        parts = [f"coalesce({name}, {empty})" for name in self._names[LookupForm.MANY]]
        if lists := self._names[LookupForm.LISTS]:
            # One flatten for all: it is long once compiled, and a generated method has little room.
            none = f"array_repeat({empty}, 0)"
            parts.append(f"flatten(concat({', '.join(f'coalesce({name}, {none})' for name in lists)}))")
        if ones := self._names[LookupForm.ONE]:
            # Leaving out NULLs needs a lambda, which is several times as slow.
            queues = ", ".join(f"coalesce({name}, {self._no_queue})" for name in ones)
            parts.append(f"array_remove(array({queues}), {self._no_queue})")
        if len(parts) < 2:
            return parts[0] if parts else empty
        return f"concat({', '.join(parts)})"

    def in_order(self, distinct: bool) -> tuple[tuple[str, ...], str]:
        """Return columns to add, and the SQL of the queues in order; ``distinct`` if none is delivered twice."""
        if not distinct:
            return (), distinct_in_order(self.together())
        ones, empty = self._names[LookupForm.ONE], self._payload.empty
        in_order = f"sort_array({self.together()})"
        if self._names[LookupForm.MANY] or self._names[LookupForm.LISTS] or len(ones) < 2:
            return (), in_order
        # Most messages go to two queues at most, and these are the first and the last of all: nothing is to be sorted.
        listed = ", ".join(ones)
        counted = " + ".join(f"CAST({name} IS NOT NULL AS INT)" for name in ones)
        columns = f"least({listed}) AS {_FIRST}", f"greatest({listed}) AS {_LAST}", f"{counted} AS {_COUNT}"
        few = f"WHEN 0 THEN {empty} WHEN 1 THEN array({_FIRST}) WHEN 2 THEN array({_FIRST}, {_LAST})"
        return columns, f"CASE {_COUNT} {few} ELSE {in_order} END"

    @cached_property
    def _no_queue(self) -> str:
        """A placeholder that is no queue, in an array of queues."""
        # Looked for in the list: a set of a million names would be made for each query.
        return quote_text(next(name for length in count() if (name := "-" * length) not in self._queues))


def distinct_in_order(queues: str) -> str:
    """Return an array of queues without those that repeat, in order."""
    # Most messages go to a queue or two. Lambdas and no columns give the parts their names: a filter behind the query
    # would copy each column that it is pushed through, once for every time that it is named.
    once = let({"s": "sort_array(q)"}, "filter(s, (n, i) -> NOT n <=> get(s, i - 1))")
    return let({"q": queues}, f"CASE WHEN size(q) > 1 THEN {once} ELSE q END")
