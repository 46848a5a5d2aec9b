"""Route messages in one pass: broadcast joins with tables of constants, and no shuffle of the messages.

The plan of a topology becomes left joins with tables of constants, each of which has one row a key, so every
message stays one row. The text of the query depends on the signatures of the bindings and not on their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext.generated_methods import codegen_barrier, codegen_barrier_column
from spark_ext.routing import tuning
from spark_ext.routing.broadcast_join import ConstantTable, Key, join, without
from spark_ext.routing.choices import refuse_choices, route_with_choices, with_no_choices
from spark_ext.routing.codegen_budget import columns_length, split_by_budget
from spark_ext.routing.constant_tables import Payload
from spark_ext.routing.deliveries import CollectedDeliveries, distinct_in_order
from spark_ext.routing.exchange_graph import DELIVERED, DIRECT, KNOWN_DIRECT, composed, with_direct
from spark_ext.routing.lookups import Lookup, build_lookups, cut_up
from spark_ext.routing.plans import Prepared, plan_of, prepare, prepare_compiled, without_settings
from spark_ext.routing.publish_outcomes import Outcomes
from spark_ext.routing.routing_keys import WORDS, Published, Source
from spark_ext.routing.sends import sent
from spark_ext.routing.session_tables import SessionTables
from spark_ext.routing.topic_sql import deliveries_at_end, encode_words, key_words, literal_code, run_automaton
from spark_ext.schemas import MessageColumns, SchemaLike, message_columns
from transpiler import Layout, ir
from transpiler.gc_pause import pause_garbage_collection
from transpiler.ir.column_types import STRING
from transpiler.routing.binding_patterns import EXCHANGE, KEYS, WHOLE
from transpiler.routing.compiled_topology import CompiledTopology
from transpiler.routing.plan import EXCHANGE_COLUMN, MATCHED, Compiled, RoutingPlan
from transpiler.spark_plan.method_splitting import split_methods
from transpiler.sql import emit_filter, quote_name, quote_path, quote_text
from transpiler.topology.model import Topology
from transpiler.topology.publishing import Protocol, Publisher, PublishTo
from transpiler.topology.qpid_address.address import Address
from transpiler.topology.receivers import Sender

#: All columns that a message has while it is routed begin with this.
PREFIX = "_routing_"

#: A pattern of the names of the other columns, which Spark may be told to ignore the case of.
_OTHERS = f"`(?s)(?!(?-i:{PREFIX})).*`"

_START, _WHOLE = "_routing_start", "_routing_whole"
_HASH, _SLOTS = "_routing_hash", "_routing_slots"
_SO_FAR = "_routing_so_far"
_TOPICS, _APART, _KNOWN = "_routing_topics", "_routing_apart", "_routing_known"
#: The columns of the arrays of the automaton of topics.
_TRANSITIONS = {name: f"{PREFIX}{name}" for name in ("edges", "otherwise", "lists")}
#: The queues by the plan of a compiled topology before it was changed. It begins as no column of one query does.
_BEFORE = "_compiled_before"

_ENDS, _TESTED = "_routing_ends", "_routing_asked"


def route(
    messages: DataFrame,
    topology: Topology | CompiledTopology,
    layout: Layout | SchemaLike | None = None,
    *,
    exchange: str | None = None,
    column: str = "queues",
    missing: Literal["error", "null"] = "error",
    keys: DataFrame | None = None,
    address: str | Address | Sender | None = None,
    publish_to: PublishTo = "exchange",
    outcome: str | None = None,
    exchange_column: str | None = None,
    possible_column: str | None = None,
    routing_type: str | None = None,
    protocol: Protocol | None = None,
    mandatory: bool = False,
    reject_unroutable: bool = False,
) -> DataFrame:
    """Return the messages and, in ``column``, the queues that each goes to: ``ARRAY<STRING>``, distinct and sorted.

    Every row is kept once; a message that goes nowhere has an empty array. ``exchange`` names the exchange that all
    messages were published to; without it the column ``exchange`` does, or the layout's own place for it (AMQP 0-10),
    and where both are NULL or absent, they went to the topology's default exchange. The routing key is the layout's
    (AMQP 0-10's routing key, else the subject), or the column ``routing_key`` where the layout has none. For a broker
    with several routing keys a message (RabbitMQ's CC and BCC headers) an array ``routing_keys`` has all of them, where
    there is such a column and it is not NULL; other brokers read the first. ``missing`` decides what a property without
    a column means: an error, or NULL. Works on streams in append mode.

    In the query function of a declarative pipeline, where Spark analyzes no DataFrame, ``layout`` is a schema of the
    messages or a preset. The columns named above are read where that schema has them.

    ``address`` publishes all messages as a sender with that address does: ``queue``, ``exchange``, or
    ``exchange/subject`` with a subject for messages that have none. ``publish_to="to"`` publishes each to the anonymous
    relay, which reads the message's own ``to``. Both are as ``reference.route.publish`` has them.

    ``outcome`` names a column for what became of each message: ``delivered``; ``alternate``, where it reached queues
    only through alternates; ``discarded``, ``returned`` or ``rejected`` where it reached none, by ``protocol``,
    ``mandatory`` and ``reject_unroutable`` of the publisher and by the exchange; ``no-exchange``. ``exchange_column``
    names one for the exchange that each was published to, NULL where the relay rejected it.

    ``possible_column`` names one for the queues that a message may reach besides, by what an exchange chooses with a
    hash or at random (RabbitMQ's ``x-consistent-hash`` and its like); the messages are routed twice then. Without it a
    topology in which messages come to such an exchange is refused. ``undecided`` is the outcome of those that reach
    a queue or none by a choice.

    For a JMS broker ``exchange`` is the destination of all messages, and the column ``exchange`` that of each (Artemis:
    ``address`` or ``address::queue``; ActiveMQ: ``queue://name``, ``topic://name`` or a list with commas, which takes a
    shuffle of the lists and no stream). ``routing_type`` is that of all messages to an Artemis broker, and a column
    ``routing_type`` that of each. ``exchange_column`` has the destination.

    ``topology`` may be compiled before, by ``compile_topology``, which ``exchange``, ``address``, ``publish_to`` and
    ``missing`` are given to then. What is made of a topology is kept with the session and used again by its next
    queries, of a ``CompiledTopology`` and of a ``Topology`` that is the same object.

    ``keys`` are messages whose routing keys are matched first, each once, with the topic patterns: the same
    ``messages``, which are read twice then, or for a stream an archive of the same columns. It pays where keys repeat.
    A key that is not among them is matched where it comes. Raises ``TranspilerError``, and ``ValueError`` for
    parameters that exclude each other.
    """
    publisher = Publisher(protocol, mandatory, reject_unroutable)
    if isinstance(topology, CompiledTopology):
        without_settings(exchange, missing, address, publish_to, routing_type)
        prepared = prepare_compiled(topology, messages, layout)
        names = _Names(column, outcome, exchange_column)

        def by_plan(messages: DataFrame) -> DataFrame:
            frame = _compiled(messages, topology, prepared, publisher, names, keys)
            return frame if possible_column is None else with_no_choices(frame, possible_column)

        return sent(messages, prepared, column, outcome, possible_column, exchange_column, by_plan)
    columns = message_columns(messages, layout, "amqp")
    prepared = prepare(topology, columns, exchange, address, publish_to, routing_type)
    exchange, several = prepared.settings

    def routed(messages: DataFrame, topology: Topology, queues: str, complete: bool) -> DataFrame:
        plan = plan_of(topology, prepared.columns.layout, missing, exchange, several)
        names = _Names(queues, outcome, exchange_column) if complete else _Names(queues)
        with pause_garbage_collection():
            return _Query(messages, topology, prepared.columns, plan, prepared.source, publisher).routed(names, keys)

    def by_topology(messages: DataFrame) -> DataFrame:
        if possible_column is not None:
            return route_with_choices(messages, prepared.topology, column, outcome, possible_column, routed)
        refuse_choices(prepared.topology, exchange)
        return routed(messages, prepared.topology, column, True)

    return sent(messages, prepared, column, outcome, possible_column, exchange_column, by_topology)


def _compiled(
    messages: DataFrame,
    compiled: CompiledTopology,
    prepared: Prepared,
    publisher: Publisher,
    names: _Names,
    keys: DataFrame | None,
) -> DataFrame:
    """Route by a compiled topology; where it was changed, by two plans one after the other."""
    topology, columns, source, _ = prepared
    changes = compiled.changes
    with pause_garbage_collection():
        query = _Query(messages, topology, columns, compiled.plan, source, publisher)
        if changes is None:
            return query.routed(names, keys)
        frame = query.routed(_Names(_BEFORE), keys)
        frame = _Query(frame, topology, columns, changes.plan, source, publisher).routed(names, keys)
    queues = quote_name(names.queues)
    listed = ", ".join(map(quote_text, changes.queues))
    kept = f"filter({_BEFORE}, q -> q NOT IN ({listed}))" if listed else _BEFORE
    frame = frame.withColumn(names.queues, sf.expr(f"array_sort(array_union({kept}, {queues}))"))
    if names.outcome is not None:
        # By the second plan alone it is the outcome of a message that reaches no queue, where it reaches none.
        outcome = quote_name(names.outcome)
        decided = f"CASE WHEN size({queues}) > 0 THEN 'delivered' ELSE {outcome} END"
        frame = frame.withColumn(names.outcome, sf.expr(decided))
    return without(frame, _BEFORE)


def deliveries(routed: DataFrame, *, column: str = "queues", queue: str = "queue") -> DataFrame:
    """Return one row a delivery: each message once for each of its queues, named in ``queue`` in place of the array."""
    # A plain explode would compute the array twice, once to see that it is not empty.
    exploded = routed.withColumn(queue, sf.explode_outer(sf.col(quote_name(column))))
    return without(exploded, column).filter(sf.col(quote_name(queue)).isNotNull())


class _Names(NamedTuple):
    """The columns of the answer: the queues, and optionally the outcome and the exchange."""

    queues: str
    outcome: str | None = None
    exchange: str | None = None


class _Templates(NamedTuple):
    """SQL around the walk through the trie, and around the queues, that reuses ``_KNOWN`` answers."""

    walk: str = "{}"
    queues: str = "{}"


_EVERYTHING = _Templates()
_UNLESS_KNOWN = _Templates(f"CASE WHEN {_KNOWN} IS NULL THEN {{}} END", f"coalesce({_KNOWN}, {{}})")
_UNLESS_MATCHED = _Templates(f"coalesce({_KNOWN}, {{}})")


class _Query:
    def __init__(
        self,
        messages: DataFrame,
        topology: Topology,
        columns: MessageColumns,
        plan: RoutingPlan,
        source: Source,
        publisher: Publisher,
    ) -> None:
        self._messages = messages
        self._schema = columns.schema
        self._topology = topology
        self._published = Published(topology, columns, plan, source)
        self._outcomes = Outcomes(topology, plan, publisher, source.relay)
        self._plan = plan
        self._payload = Payload.QUEUE if plan.simple else Payload.DELIVERY
        self._direct = False
        self._grams = {value: f"{PREFIX}grams{number}" for number, value in enumerate(plan.grams)}
        self._tables = SessionTables(messages.sparkSession, plan, self._payload, self._room)
        self._nothing = f"CAST(NULL AS {self._payload.value})"
        words = [] if plan.trie is None else plan.trie.words
        self._code = literal_code(words, _hashed_from(messages.sparkSession))

    def routed(self, names: _Names, repeated: DataFrame | None) -> DataFrame:
        """The messages with their queues; the keys of ``repeated`` are matched first, each once."""
        # Without alternates every delivery is by bindings alone, and needs no column for that.
        self._direct = names.outcome is not None and self._outcomes.by_alternates
        frame = self._published.with_keys(self._published.with_subject(self._messages))
        templates = _EVERYTHING
        # Without a trie a key costs one look-up, and a look-up of its known answer would cost the same.
        if repeated is not None and self._plan.trie is not None:
            frame = self._with_known(frame, repeated)
            templates = _UNLESS_KNOWN if self._plan.by_key else _UNLESS_MATCHED
        frame = self._answered(self._published.with_words(frame), names.queues, templates, self._first)
        if names.outcome is not None:
            frame = self._outcomes.added(frame, names.queues, names.outcome)
        if names.exchange is not None:
            frame = frame.withColumn(names.exchange, sf.expr(self._outcomes.exchange))
        return frame.select(frame.colRegex(_OTHERS))

    def _with_known(self, frame: DataFrame, repeated: DataFrame) -> DataFrame:
        """Add the known answers of the keys: the queues where keys alone decide, else the matching patterns."""
        names = self._published.names
        self._published.check_keys(repeated)
        keys = self._published.with_keys(self._published.with_subject(repeated)).select(*names).distinct()
        keys = self._published.with_words(keys)
        answers = [_KNOWN]
        if self._plan.by_key:
            keys = self._answered(keys, _KNOWN, _EVERYTHING, names[0])
            answers += [f"{DIRECT} AS {KNOWN_DIRECT}"] if self._direct else []
        else:
            keys = self._walked(self._with_entries(keys, names[0]), _KNOWN, _EVERYTHING, names[0])
        hash_of_all = f"xxhash64({', '.join(names)})"
        known = {name: f"{name}_known" for name in names}
        renamed = keys.selectExpr(
            f"{hash_of_all} AS {_HASH}", *(f"{name} AS {new}" for name, new in known.items()), *answers
        )
        # Equal or both NULL: Spark makes ``<=>`` one more join key, and this a test of the joined rows.
        same = [f"coalesce({name} = {new}, {name} IS NULL AND {new} IS NULL)" for name, new in known.items()]
        condition = " AND ".join([f"{hash_of_all} = {_HASH}", *same])
        return without(frame.join(sf.broadcast(renamed), sf.expr(condition), "left"), _HASH, *known.values())

    def _with_entries(self, frame: DataFrame, first: str) -> DataFrame:
        entries = self._tables.entries
        return join(frame, entries, self._exchange_key(entries), first)

    def _walked(self, frame: DataFrame, column: str, templates: _Templates, first: str) -> DataFrame:
        """Add the deliveries of the trie to the messages, whose ``first`` column it is."""
        arrays = {f"{PREFIX}{name}": column for name, column in self._tables.automaton.items()}
        frame = frame.withColumns(arrays)
        walked = [f"{templates.walk.format(self._trie_walk())} AS {column}"]
        if self._alone:
            walked.append(f"{self._unfused(first)} AS {_APART}")
        return without(frame.selectExpr("*", *walked), *arrays)

    def _answered(self, frame: DataFrame, column: str, templates: _Templates, first: str) -> DataFrame:
        """Add the queues to the messages, whose ``first`` column it is."""
        plan = self._plan
        if plan.reads:
            frame = frame.selectExpr("*", *(f"{quote_path(path)} AS {name}" for name, path in plan.reads.items()))
        if plan.grams:
            frame = frame.selectExpr(
                "*", *(cut_up(*each) + f" AS {self._grams[each[0]]}" for each in plan.grams.items())
            )
        collected = self._collector()
        room = self._room
        if plan.trie is not None or not plan.simple:
            frame = self._with_entries(frame, first)
        if plan.trie is not None:
            frame = self._walked(frame, _TOPICS, templates, first)
            if self._alone:
                collected.add(_APART)
            if None in plan.patterns:
                frame = frame.selectExpr("*", f"{_TOPICS}.i AS {MATCHED}")
            collected.add(f"{_TOPICS}.d")
        length = 0 if plan.trie is None or self._alone else tuning.WALK
        all_look_ups = build_lookups(PREFIX, plan.tables, room, length, plan.simple)
        for look_up in all_look_ups:
            if length and length + look_up.length > room:
                # The deliveries so far go on as one array.
                frame = frame.selectExpr("*", f"{collected.together()} AS {_SO_FAR}")
                handed_on = f"{codegen_barrier_column(_SO_FAR)} AS {look_up.name}"
                frame = without(frame.selectExpr("*", handed_on), _SO_FAR)
                collected, length = self._collector(), 0
                collected.add(look_up.name)
            length += look_up.length
            table = self._tables.store([other for other in all_look_ups if other.store == look_up.store])
            frame = self._looked_up(frame, look_up, table, collected, first)
        blocks = list(self._blocks())
        if blocks:
            names = [f"{PREFIX}block{number}" for number in range(len(blocks))]
            if not self._fused:
                blocks.append(self._unfused(first))
                names.append(f"{PREFIX}unfused")
            columns = [f"{block} AS {name}" for block, name in zip(blocks, names, strict=True)]
            frame = frame.selectExpr("*", *columns)
            collected.add(*names)
        if plan.simple:
            frame, in_order = collected.in_order(frame, self._distinct)
        else:
            frame = frame.selectExpr("*", f"{collected.together()} AS {DELIVERED}")
            if self._direct:
                frame = with_direct(frame, templates is _UNLESS_KNOWN)
            frame, queues = composed(frame, self._topology.rules.alternate_on_no_match, plan.rings)
            in_order = distinct_in_order(codegen_barrier(queues))
        return frame.withColumn(column, sf.expr(templates.queues.format(in_order)))

    def _collector(self) -> CollectedDeliveries:
        return CollectedDeliveries(self._payload, self._plan.queues)

    @property
    def _distinct(self) -> bool:
        """Return True if no queue is delivered twice: of a condition that is split, several parts may hold."""
        whole = all(len(split_by_budget(table.signature.residual)) == 1 for table in self._plan.tables)
        return whole and self._plan.distinct

    @property
    def _alone(self) -> bool:
        """Return True if the walk is in a method of its own; keys as one word have a walk for each of them."""
        return self._plan.whole is not None or self._room < tuning.WALK

    @cached_property
    def _room(self) -> int:
        """The bytes of a generated method that the messages' columns and their answer leave free."""
        plan = self._plan
        room = tuning.METHOD - columns_length(self._schema)
        room -= 0 if all(table.flat for table in plan.tables) else tuning.NESTED
        walked = 0 if plan.trie is None else tuning.WALK
        lookups = build_lookups(PREFIX, plan.tables, room, walked, plan.simple)
        if walked + sum(look_up.length for look_up in lookups) > room or not self._fused:
            # Several methods: what the first reads it hands on.
            room -= tuning.READ * len(plan.reads)
        return room

    @property
    def _fused(self) -> bool:
        """Return True if the compiled conditions are few and short enough to be in one method with their neighbours."""
        compiled = self._plan.compiled
        return len(compiled) <= tuning.FUSED and sum(ir.size(each.condition) for each in compiled) <= tuning.OPERATIONS

    def _trie_walk(self) -> str:
        """Return the deliveries of the trie, and the numbers of the matching patterns that conditions test."""
        assert self._plan.trie is not None
        repeats = self._plan.trie.repeats
        tested = _TESTED if None in self._plan.patterns else None
        if self._plan.whole is None:
            walked = run_automaton(encode_words(WORDS, self._code, _SLOTS), _START, _TRANSITIONS, repeats)
            return deliveries_at_end(walked, _ENDS, tested)
        words = key_words("k", self._topology.rules.topic)
        whole = f"array(concat({quote_text(WHOLE)}, coalesce(k, '')))"
        # One walk for both initial states: a second one would make the method too long for the JIT.
        starts = f"array(struct({words} AS w, {_START} AS s), struct({whole} AS w, {_WHOLE} AS s))"
        walked = run_automaton(encode_words("way.w", self._code, _SLOTS), "way.s", _TRANSITIONS, repeats)
        walks = f"transform(flatten(transform({KEYS}, k -> {starts})), way -> {walked})"
        return deliveries_at_end(f"flatten({walks})", _ENDS, tested)

    def _exchange_key(self, table: ConstantTable) -> list[Key]:
        """Return the exchange, which is the first column of a table where messages come to several."""
        return [] if self._plan.exchange is not None else [(EXCHANGE_COLUMN, ir.Column((table.names[0],), STRING))]

    def _looked_up(
        self, frame: DataFrame, look_up: Lookup, table: ConstantTable, output: CollectedDeliveries, first: str
    ) -> DataFrame:
        """Add the deliveries of a look-up to the messages."""
        keys = self._exchange_key(table) + look_up.pairs
        frame = join(frame, table, keys, first, look_up.needed, look_up.part)
        columns = []
        for number, (form, text) in enumerate(look_up.deliveries(self._grams)):
            name = f"{look_up.name}_f{number}"
            output.add(name, form=form)
            columns.append(f"{text} AS {name}")
        return without(frame.selectExpr("*", *columns), *table.names)

    def _blocks(self) -> Iterator[str]:
        grouped: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        cases = []
        for compiled in self._plan.compiled:
            text = emit_filter(split_methods(compiled.condition))
            delivered = self._delivered(compiled)
            grouped.setdefault((text, compiled.exchanges), []).append(delivered)
        cases += [
            f"CASE WHEN {_published(exchanges, text)} THEN array({', '.join(delivered)}) END"
            for (text, exchanges), delivered in grouped.items()
        ]
        for start in range(0, len(cases), tuning.BLOCK):
            yield f"flatten(array_compact(array({', '.join(cases[start : start + tuning.BLOCK])})))"

    @property
    def _first(self) -> str:
        """The first column of the messages, or where these are not known, the first that is made for them."""
        return self._schema.names[0] if self._schema.names else self._published.names[0]

    def _unfused(self, first: str) -> str:
        """Return an empty array that keeps a projection unfused: see ``codegen_budget``. A constant would be folded."""
        return codegen_barrier(f"transform(array_repeat({quote_name(first)}, 0), c -> {self._nothing})")

    def _delivered(self, compiled: Compiled) -> str:
        state, onward, queue = compiled.delivery
        name = "CAST(NULL AS STRING)" if queue is None else quote_text(self._plan.queues[queue])
        if self._plan.simple:
            return name
        return f"named_struct('x', {state}, 'e', CAST({'NULL' if onward is None else onward} AS INT), 'q', {name})"


def _hashed_from(session: SparkSession) -> int | None:
    """Entries from which on Spark hashes the keys of a constant map; None before 4.2, which never does."""
    try:
        return int(session.conf.get("spark.sql.optimizer.mapLookupHashThreshold") or 0)
    except PySparkException:
        return None


def _published(exchanges: Iterable[str], condition: str) -> str:
    names = ", ".join(quote_text(name) for name in exchanges)
    return f"{EXCHANGE} IN ({names}) AND ({condition})" if names else condition
