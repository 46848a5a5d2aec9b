"""Broadcasts that all queries of a session share: Spark itself makes a broadcast anew in every query.

Spark's planner turns a logical leaf that has a physical plan with it, a ``LogicalQueryStage``, into that plan; its
adaptive execution is made of those. Here the physical plan is a ``ReusedExchangeExec``, with which Spark uses the
broadcast of one part of a query in another part of it. Its exchange is made, and broadcast, once.

The exchange has to be the join's own child, so nothing may come between: no projection, which pruning of columns would
put there, and no filter. The join's condition names all columns, in a term that is TRUE for every row of the table;
and what the table delivers depends on a column of the message, so that no filter on it is one on the table alone.

Deliberately not here: Spark Connect, which has no such plans, and a Spark whose planner is another one, which a trial
shows; there each query makes its own broadcasts.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext.routing.arrow_frames import BY_PARTS, broadcast_error
from spark_ext.routing.session_trials import is_possible
from spark_ext.spark_errors import spark_error
from transpiler.sql import quote_name

#: The column of a table with the hash of its keys, and the column of a message that it is compared with.
HASH, SOUGHT = "_routing_hash", "_routing_sought"

_ADAPTIVE = "spark.sql.adaptive.enabled"


class SharedTable:
    """A table whose broadcasts are shared; ``names`` are its columns. It has one for each hash that it is joined by."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._made: dict[str, DataFrame] = {}

    def rows(self, table: DataFrame, stored: str) -> DataFrame:
        """Return the table with the hash of its rows, an SQL expression, as a leaf with its own broadcast."""
        made = self._made.get(stored)
        if made is None:
            # Declared free of NULL: Spark would put a filter before the join.
            hashed = table.selectExpr(f"coalesce({stored}, 0) AS {HASH}", "*")
            made = self._made[stored] = _broadcast(hashed, self.condition)
        return made

    @property
    def condition(self) -> str:
        """A condition on a matched row that names all columns of the table, and is TRUE."""
        named = " OR ".join(f"{quote_name(name)} IS NOT NULL" for name in self.names)
        return f"(({SOUGHT} ^ {SOUGHT}) <> 0 OR {named})"

    def guarded(self, delivered: str) -> str:
        """Return a column of the table, where the message has a row, as one that depends on the message."""
        return f"CASE WHEN ({SOUGHT} ^ {SOUGHT}) = 0 THEN {quote_name(delivered)} END"


_SHARED: weakref.WeakKeyDictionary[DataFrame, SharedTable] = weakref.WeakKeyDictionary()


def share(table: DataFrame, names: Sequence[str]) -> None:
    """Share the broadcasts of a table among the queries that join it, where the table's Spark can do that."""
    if is_possible(table.sparkSession, _tried):
        _SHARED[table] = SharedTable(names)


def _tried(session: SparkSession) -> bool:
    """Return True if a join with a shared broadcast gives the rows that it should."""
    common = SharedTable(["key", "trial"])
    leaf = common.rows(session.createDataFrame([(1, "a")], "key BIGINT, trial STRING"), "key")
    probe = session.range(2).selectExpr(f"id AS {SOUGHT}")
    joined = probe.join(sf.broadcast(leaf), sf.expr(f"{matched(0)} AND {common.condition}"), "left")
    rows = joined.selectExpr(SOUGHT, common.guarded("trial")).collect()
    return {tuple(row) for row in rows} == {(0, None), (1, "a")}


def shared(table: DataFrame) -> SharedTable | None:
    """Return the table as one whose broadcasts are shared, if it is one."""
    return _SHARED.get(table)


def matched(number: int) -> str:
    """Return the condition that a message has the hash of a row of part ``number``.

    An attribute alone would be replaced by the table's in all conditions, as its equal.
    """
    return f"({SOUGHT} ^ {number}) = {HASH}"


def _broadcast(hashed: DataFrame, condition: str) -> DataFrame:
    """Make the broadcast of a table, and return the table as a leaf that has it."""
    session = hashed.sparkSession
    probe = session.range(1).selectExpr(f"id AS {SOUGHT}")
    joined = probe.join(sf.broadcast(hashed), sf.expr(f"{matched(0)} AND {condition}"), "left")
    jvm: Any = session._jvm
    # A session of its own, since a setting of the user's holds for other threads as well.
    apart = session._jsparkSession.cloneSession()
    apart.conf().set(_ADAPTIVE, "false")
    dataset = jvm.org.apache.spark.sql.classic.Dataset
    execution = dataset.ofRows(apart, joined._jdf.queryExecution().analyzed()).queryExecution()
    exchange = _node(execution.executedPlan(), "BroadcastExchangeExec")
    logical = _node(execution.optimizedPlan(), "Join").right()
    try:
        exchange.executeBroadcast()
    except (Py4JError, PySparkException) as error:
        hint = f"give the driver more memory (spark.driver.memory), or {BY_PARTS}"
        raise broadcast_error(f"cannot be broadcast: {spark_error(error)}", hint) from error
    physical = jvm.org.apache.spark.sql.execution.exchange.ReusedExchangeExec(exchange.output(), exchange)
    leaf = jvm.org.apache.spark.sql.execution.adaptive.LogicalQueryStage(logical, physical)
    return DataFrame(dataset.ofRows(session._jsparkSession, leaf), session)


def _node(plan: Any, name: str) -> Any:
    """Return the first node of a class in a plan of Spark's."""
    waiting = [plan]
    while waiting:
        node = waiting.pop()
        if node.getClass().getSimpleName() == name:
            return node
        children = node.children()
        waiting += [children.apply(place) for place in range(children.size())]
    raise AssertionError(f"a plan without {name}")
