"""Routing of messages in one pass: broadcast joins with tables of constants, without a shuffle of the messages.

The plan of a topology becomes left joins with tables of constants. Each table has one row for each key, so every
message stays one row. The text of the query depends on the signatures of the bindings and not on their number.

A query is a list of steps, each of which adds columns to the messages or drops columns: ``Query.routed``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial, reduce
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext.messages.generated_methods import codegen_barrier
from spark_ext.routing.broadcast_join import without
from spark_ext.routing.constant_tables import Payload, constant_table, declared
from spark_ext.routing.deliveries import composed, distinct_in_order, with_direct
from spark_ext.routing.plan_deliveries import PlanDeliveries, Step, adding, dropping, handing_on
from spark_ext.routing.plans import Prepared
from spark_ext.routing.routing_keys import Published
from spark_ext.routing.topic_sql import let
from transpiler.compiler.sql import quote_name, quote_text
from transpiler.routing.columns import (
    BEFORE,
    DELIVERED,
    DIRECT,
    EXCHANGE,
    HASH,
    KEPT,
    KNOWN,
    KNOWN_DIRECT,
    PREFIX,
    UNROUTABLE,
    UNROUTABLE_EXCHANGE,
)
from transpiler.routing.compiled_topology import Changes
from transpiler.routing.plan import RoutingPlan
from transpiler.topology.model import Topology
from transpiler.topology.publishing import Publisher
from transpiler.topology.targets import Outcome

#: A column name in backquotes, which Spark reads as a regular expression. It matches all columns except those that
#: routing adds and drops again. The prefix is matched case-sensitively, even if Spark is set to ignore case.
_OTHERS = f"`(?s)(?!(?-i:{PREFIX}(?!{KEPT.removeprefix(PREFIX)}))).*`"


class Names(NamedTuple):
    """The names of the columns of the result: the queues, and optionally the outcome and the exchange."""

    queues: str
    outcome: str | None = None
    exchange: str | None = None


class _Templates(NamedTuple):
    """SQL around two expressions of a query: the walk through the topic automaton, and the queues of a message.

    ``{}`` stands for the expression. Normally the expression is used alone. If distinct routing keys were matched
    before (the option ``keys`` of ``route``), the templates use the column ``KNOWN``, and evaluate the expression if it
    is NULL.
    """

    walk: str = "{}"
    queues: str = "{}"


_EVERYTHING = _Templates()
_UNLESS_KNOWN = _Templates(f"CASE WHEN {KNOWN} IS NULL THEN {{}} END", f"coalesce({KNOWN}, {{}})")
_UNLESS_MATCHED = _Templates(f"coalesce({KNOWN}, {{}})")


def _after(frame: DataFrame, steps: Iterable[Step]) -> DataFrame:
    return reduce(lambda before, step: step(before), steps, frame)


class Query:
    """A query that routes messages with ``plan`` and, if the topology was changed, also with the plan of ``changes``.

    ``changes`` is None if nothing was changed after the compilation. ``names`` are the names of the result's columns.
    """

    def __init__(
        self,
        session: SparkSession,
        prepared: Prepared,
        plan: RoutingPlan,
        publisher: Publisher,
        names: Names,
        changes: Changes | None = None,
    ) -> None:
        plans = [plan] if changes is None else [plan, changes.plan]
        self._schema = prepared.columns.schema
        self._rules = prepared.topology.rules
        self._names = names
        self._published = Published(prepared.topology, prepared.columns, plans, prepared.to)
        self._outcomes = _Outcomes(prepared.topology, plan, publisher, prepared.to.relay)
        self._plan = plan
        self._by_key = all(each.by_key for each in plans)
        # The outcome needs the column ``DIRECT`` only if some deliveries go through alternate exchanges.
        self._direct = names.outcome is not None and self._outcomes.by_alternates
        self._first = PlanDeliveries(session, plan, self._schema, self._rules)
        self._changes = changes
        self._second = None
        if changes is not None:
            self._second = PlanDeliveries(session, changes.plan, self._schema, self._rules, self._first)

    def routed(self, messages: DataFrame, repeated: DataFrame | None) -> DataFrame:
        """Return ``messages`` with the columns of the result.

        If ``repeated`` is given, its distinct routing keys are matched first, and ``messages`` with such a key look up
        the result.
        """
        if repeated is not None:
            self._published.check_keys(repeated)
        steps: list[Step] = [self._published.with_subject, self._published.with_keys]
        templates = _EVERYTHING
        # Match repeated keys first only if the plan has topic patterns. Otherwise a message's key takes one lookup, and
        # the lookup of its known result would not be faster.
        if repeated is not None and self._plan.trie is not None:
            steps.append(self._known(repeated))
            templates = _UNLESS_KNOWN if self._by_key else _UNLESS_MATCHED
        # Some steps need any column of the messages. If the columns are unknown, use the first column that
        # ``with_keys`` adds.
        first = self._schema.names[0] if self._schema.names else self._published.names[0]
        queues, outcome, exchange = self._names
        steps += [self._published.with_words, *self._answer(queues, templates, first)]
        if outcome is not None:
            steps.append(partial(self._outcomes.added, queues=queues, column=outcome))
        if exchange is not None:
            steps.append(lambda frame: frame.withColumn(exchange, sf.expr(self._outcomes.exchange)))
        steps.append(lambda frame: frame.select(frame.colRegex(_OTHERS)))
        return _after(messages, steps)

    def _known(self, repeated: DataFrame) -> Step:
        """Return the step that looks up each message's routing key among the distinct keys of ``repeated``.

        It adds the queues for this key, if exchange and routing key alone determine the queues; otherwise it adds the
        topic patterns that match the key. The columns are NULL if ``repeated`` does not contain the key.
        """
        names = self._published.names
        answers = [KNOWN]
        steps: list[Step] = [
            self._published.with_subject,
            self._published.with_keys,
            lambda frame: frame.select(*names).distinct(),
            self._published.with_words,
        ]
        if self._by_key:
            steps += self._answer(KNOWN, _EVERYTHING, names[0])
            answers += [f"{DIRECT} AS {KNOWN_DIRECT}"] if self._direct else []
        else:
            steps += [self._first.entries(names[0]), *self._first.walk(KNOWN, _EVERYTHING.walk, names[0])]
        hash_of_all = f"xxhash64({', '.join(names)})"
        known = {name: f"{name}_known" for name in names}
        renamed = _after(repeated, steps).selectExpr(
            f"{hash_of_all} AS {HASH}", *(f"{name} AS {new}" for name, new in known.items()), *answers
        )
        # These conditions mean the same as ``<=>``: the values are equal, or both are NULL. Spark would make ``<=>`` an
        # additional key of its hash join.
        same = [f"coalesce({name} = {new}, {name} IS NULL AND {new} IS NULL)" for name, new in known.items()]
        condition = " AND ".join([f"{hash_of_all} = {HASH}", *same])
        joined = [HASH, *known.values()]
        return lambda frame: without(frame.join(sf.broadcast(renamed), sf.expr(condition), "left"), *joined)

    def _answer(self, column: str, templates: _Templates, first: str) -> Iterator[Step]:
        """Yield the steps that add ``column`` with the queues of each message.

        ``templates`` is the SQL to put around the walk through the topic automaton and around the queues. ``first`` is
        any column of the messages.
        """
        plan = self._plan
        collected = yield from self._first.collected(first, templates.walk)
        distinct = self._first.distinct
        if self._second is not None:
            # Drop deliveries of the first plan to changed queues, because the second plan has all deliveries to changed
            # queues. The filter also drops deliveries to exchanges (their queue is NULL), which are in both plans.
            left = self._left(collected.together())
            if self._first.goes_on(self._second):
                yield adding(f"{left} AS {BEFORE}")
            else:
                yield from handing_on(left, BEFORE)
            yield dropping(self._first.between)
            walk = _EVERYTHING.walk if templates is _UNLESS_MATCHED else templates.walk
            collected = yield from self._second.collected(first, walk, BEFORE)
            distinct = distinct and self._second.distinct
        if plan.simple:
            in_order = collected.in_order(distinct)
        else:
            yield adding(f"{collected.together()} AS {DELIVERED}")
            if self._direct:
                yield partial(with_direct, known=templates is _UNLESS_KNOWN)
            made, queues = composed(self._rules.alternate_on_no_match, plan.rings)
            yield adding(*made)
            in_order = distinct_in_order(codegen_barrier(queues))
        answer = sf.expr(templates.queues.format(in_order))
        yield lambda frame: frame.withColumn(column, answer)

    def _left(self, deliveries: str) -> str:
        """Return SQL that removes from ``deliveries`` of the first plan those that the second plan computes anew.

        They are the deliveries to changed queues and to exchanges. If no queue was changed, nothing is removed.
        """
        assert self._changes is not None
        listed = ", ".join(map(quote_text, self._changes.queues))
        if not listed:
            return deliveries
        queue = "q.q" if self._first.payload is Payload.DELIVERY else "q"
        # Most messages reach no queue, so the filter is skipped for empty arrays.
        left = f"filter(d, q -> {queue} NOT IN ({listed}))"
        return let({"d": deliveries}, f"CASE WHEN size(d) > 0 THEN {left} ELSE d END")


class _Outcomes:
    """Builder of the column with the outcome of each routed message.

    The outcome of a message that reaches no queue depends only on its exchange and on the publisher, so one lookup by
    the exchange finds it. Source: section 4.6.4 of the exchanges chapter of the Qpid Broker-J book.

    ``relay`` is True if the messages were sent to the anonymous relay.
    """

    def __init__(self, topology: Topology, plan: RoutingPlan, publisher: Publisher, relay: bool) -> None:
        self._topology = topology
        self._plan = plan
        self._publisher = publisher
        self._relay = relay

    @property
    def by_alternates(self) -> bool:
        """True if some message may reach a queue through an alternate exchange, or may reach an alternate queue."""
        # Report the outcome "alternate" only for exchanges of the user. The importer of a JMS broker makes up exchanges
        # for the steps of its routing, and an alternate exchange is one of these ordinary steps.
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
        # The standard for the anonymous relay: "Messages ... that ... are otherwise unable to be relayed successfully
        # will be rejected by the peer."
        return "rejected" if self._relay else "no-exchange"
