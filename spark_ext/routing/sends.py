"""Sends to destinations of a JMS broker: the names of their own queues, their outcomes, and lists of destinations.

A row with a list is routed once for each destination, and the results are grouped again, which shuffles only the rows
with lists. Streams do not support lists.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from spark_ext.routing.broadcast_join import without
from spark_ext.routing.plans import Prepared
from spark_ext.routing.routing_keys import PART, Sends
from transpiler.compiler.sql import quote_name, quote_text
from transpiler.routing.columns import KEPT, reached_end
from transpiler.topology.addressing import activemq_parts
from transpiler.topology.targets import DEAD_LETTER, FAILED, OWN_QUEUE, REJECTED, UNKNOWN

#: The columns with the number of a row that has a list, and with its message.
_ROW, _MESSAGE = f"{KEPT}row", f"{KEPT}message"

_OWN, _FAILED, _REJECTED, _DEAD_LETTER, _UNKNOWN = (
    quote_text(reached_end(*end[:2])) for end in (OWN_QUEUE, FAILED, REJECTED, DEAD_LETTER, UNKNOWN)
)

_NO_TEXTS = "CAST(array() AS ARRAY<STRING>)"


def sent(
    messages: DataFrame,
    prepared: Prepared,
    column: str,
    outcome: str | None,
    possible: str | None,
    exchange: str | None,
    routed: Callable[[DataFrame], DataFrame],
) -> DataFrame:
    """Route ``messages`` with the function ``routed``, and complete the result for a JMS broker.

    There, an array of queues can contain a name from ``reached_end`` that stands for something else: the queue that the
    broker creates for the destination, which gets its real name, or an outcome, which moves to the column ``outcome``.

    ``column``, ``outcome``, ``possible`` and ``exchange`` are the names of the added columns; None for no column.
    """
    topology = prepared.topology
    addressing = topology.rules.addressing
    if not addressing.names_destinations:
        return routed(messages)
    sends = Sends(topology, prepared.columns, prepared.to)
    answers = _Answers(sends, column, outcome, possible)
    if addressing.takes_lists:
        frame = answers.of_lists(messages, routed, prepared.to.named)
    else:
        frame = answers.named(routed(messages))
    frame = answers.settled(frame)
    return frame if exchange is None else frame.withColumn(exchange, sf.expr(sends.destination))


class _Answers:
    """Converter of the columns that routing has added to a JMS broker's messages.

    It replaces the names that ``reached_end`` returns for ends that are not queues of the topology: the queue that is
    named like the destination, and outcomes.
    """

    def __init__(self, sends: Sends, column: str, outcome: str | None, possible: str | None) -> None:
        self._sends = sends
        self._column = column
        self._outcome = outcome
        self._possible = possible

    @property
    def _arrays(self) -> list[str]:
        return [self._column] if self._possible is None else [self._column, self._possible]

    def named(self, frame: DataFrame) -> DataFrame:
        """Replace the name that represents a destination's own queue by the real name of that queue."""
        own = self._sends.own_queue
        for name in self._arrays:
            renamed = f"CASE WHEN q = {_OWN} THEN {own} ELSE q END"
            frame = frame.withColumn(
                name,
                sf.expr(
                    f"CASE WHEN array_contains({quote_name(name)}, {_OWN}) "
                    f"THEN array_sort(array_distinct(transform({quote_name(name)}, q -> {renamed}))) "
                    f"ELSE {quote_name(name)} END"
                ),
            )
        return frame

    def of_lists(
        self, messages: DataFrame, routed: Callable[[DataFrame], DataFrame], destination: str | None
    ) -> DataFrame:
        """Route messages to ActiveMQ with ``routed``. A message to a composite destination goes to each part of it.

        For example, the parts of ``a,b`` are ``a`` and ``b``. ``destination`` is the destination of all messages; None
        if each message has its own.
        """
        if destination is not None and len(list(activemq_parts(destination))) < 2:
            return without(self.named(routed(messages.withColumn(PART, sf.lit(0)))), PART)
        several = f"size({self._sends.parts}) > 1"
        first = "CAST(0 AS INT)"
        if messages.isStreaming:
            # In a stream, a message to a list reaches no queue (-1). It would need one row for each destination, and a
            # stream cannot group these rows again.
            first = f"CASE WHEN {several} THEN -1 ELSE 0 END"
            return without(self.named(routed(messages.selectExpr("*", f"{first} AS {PART}"))), PART)
        single = messages.filter(f"NOT coalesce({several}, false)").selectExpr("*", f"{first} AS {PART}")
        rows = messages.filter(several).selectExpr("*", f"struct(*) AS {_MESSAGE}")
        rows = rows.withColumn(_ROW, sf.monotonically_increasing_id())
        rows = rows.selectExpr("*", f"explode(sequence(0, size({self._sends.parts}) - 1)) AS {PART}")
        parts = self.named(routed(rows))
        gathered = [f"first({_MESSAGE}) AS {_MESSAGE}"]
        gathered += [
            f"array_sort(array_distinct(flatten(collect_list({quote_name(name)})))) AS {quote_name(name)}"
            for name in self._arrays
        ]
        if self._outcome is not None:
            outcomes = f"collect_list({quote_name(self._outcome)})"
            gathered.append(
                f"CASE WHEN array_contains({outcomes}, 'delivered') THEN 'delivered' "
                f"WHEN array_contains({outcomes}, 'undecided') THEN 'undecided' ELSE get({outcomes}, 0) END "
                f"AS {quote_name(self._outcome)}"
            )
        together = parts.groupBy(_ROW).agg(*map(sf.expr, gathered))
        answers = [*self._arrays, *([] if self._outcome is None else [self._outcome])]
        together = together.selectExpr(f"{_MESSAGE}.*", *map(quote_name, answers))
        return without(self.named(routed(single)), PART).unionByName(together)

    def settled(self, frame: DataFrame) -> DataFrame:
        """Set the column of the outcome by the names of outcomes in the arrays of queues, and remove these names."""
        queues = quote_name(self._column)
        possible = _NO_TEXTS if self._possible is None else quote_name(self._possible)
        failed, rejected, dead = (f"array_contains({queues}, {end})" for end in (_FAILED, _REJECTED, _DEAD_LETTER))
        ends = f"array({_FAILED}, {_REJECTED}, {_DEAD_LETTER}, {_UNKNOWN})"
        may_fail = f"arrays_overlap({possible}, array({_FAILED}, {_REJECTED}))"
        if self._outcome is not None:
            before = quote_name(self._outcome)
            cases = f"WHEN {failed} THEN 'error' WHEN {rejected} THEN 'rejected' WHEN {may_fail} THEN 'undecided' "
            cases += f"WHEN {dead} THEN 'dead-letter' "
            cases += f"WHEN array_contains({possible}, {_DEAD_LETTER}) THEN 'undecided' "
            unknown = f"array_contains(array_union({queues}, {possible}), {_UNKNOWN})"
            cases += f"WHEN {unknown} AND size(array_except({queues}, {ends})) = 0 THEN 'undecided' "
            cases += f"WHEN {before} = 'no-exchange' AND {self._sends.destination} IS NOT NULL THEN 'discarded'"
            frame = frame.withColumn(self._outcome, sf.expr(f"CASE {cases} ELSE {before} END"))
        # If the send fails, no queue is certain: which queues got the message before the failure depends on the order
        # in which the broker evaluates the bindings.
        uncertain = f"{failed} OR (NOT {rejected} AND {may_fail})"
        certain = (
            f"CASE WHEN {failed} OR {rejected} OR {may_fail} THEN {_NO_TEXTS} ELSE array_except({queues}, {ends}) END"
        )
        if self._possible is None:
            return frame.withColumn(self._column, sf.expr(certain))
        others = f"CASE WHEN {uncertain} THEN array_sort(array_union({queues}, {possible})) "
        others += f"WHEN {rejected} THEN {_NO_TEXTS} ELSE array_except({possible}, {queues}) END"
        answers = {self._column: sf.expr(certain), self._possible: sf.expr(f"array_except({others}, {ends})")}
        return frame.withColumns(answers)
