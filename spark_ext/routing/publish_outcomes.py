"""The outcome of each routed message as a column: section 4.6.4 of the exchanges chapter of the Qpid Broker-J book.

The outcome of a message that reaches no queue depends only on its exchange and on the publisher, so it needs a single
lookup.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from spark_ext.routing.constant_tables import constant_table, declared
from transpiler.compiler.sql import quote_name, quote_text
from transpiler.routing.columns import DIRECT, EXCHANGE, UNROUTABLE, UNROUTABLE_EXCHANGE
from transpiler.routing.plan import RoutingPlan
from transpiler.topology.model import Topology
from transpiler.topology.publishing import Publisher
from transpiler.topology.targets import Outcome


class Outcomes:
    """Builder of the column with the outcome of each routed message.

    ``relay`` is True if the messages were sent to the anonymous relay.
    """

    def __init__(self, topology: Topology, plan: RoutingPlan, publisher: Publisher, relay: bool) -> None:
        self._topology = topology
        self._plan = plan
        self._publisher = publisher
        self._relay = relay

    @property
    def by_alternates(self) -> bool:
        """True if some message may reach a queue through an alternate."""
        # An importer created the exchanges of a JMS broker; their alternates are cases of an address, not fallbacks.
        is_fallback = self._topology.rules.addressing.has_exchanges
        return is_fallback and any(entry.alternates for entry in self._plan.entries.values())

    @property
    def exchange(self) -> str:
        """The SQL of the exchange that a message was published to."""
        return EXCHANGE if self._plan.exchange is None else quote_text(self._plan.exchange)

    def added(self, frame: DataFrame, queues: str, column: str) -> DataFrame:
        """Add the outcome to ``frame`` as ``column``; ``queues`` names the column with the queues of each message."""
        unroutable = self._unroutable()
        if self._plan.exchange is not None:
            text = quote_text(unroutable.get(self._plan.exchange, self._unknown))
        else:
            columns: dict[str, list[str]] = {
                declared(UNROUTABLE_EXCHANGE): list(unroutable),
                declared(UNROUTABLE): list(unroutable.values()),
            }
            rows = constant_table(frame.sparkSession, columns).rows
            frame = frame.join(sf.broadcast(rows), sf.expr(f"{EXCHANGE} = {UNROUTABLE_EXCHANGE}"), "left")
            text = f"coalesce({UNROUTABLE}, {quote_text(self._unknown)})"
        delivered = f"CASE WHEN {DIRECT} THEN 'delivered' ELSE 'alternate' END"
        if not self.by_alternates:
            delivered = "'delivered'"
        outcome = f"CASE WHEN size({quote_name(queues)}) > 0 THEN {delivered} ELSE {text} END"
        return frame.withColumn(column, sf.expr(outcome))

    def _unroutable(self) -> dict[str, Outcome]:
        """Return, for the name of each exchange, the outcome of a message to that exchange that reaches no queue."""
        exchanges = self._topology.exchange_by_name.values()
        return {exchange.name: self._publisher.outcome(exchange, self._topology.rules) for exchange in exchanges}

    @property
    def _unknown(self) -> Outcome:
        """The outcome of a message to an exchange that does not exist."""
        # "Messages ... that ... are otherwise unable to be relayed successfully will be rejected by the peer."
        return "rejected" if self._relay else "no-exchange"
