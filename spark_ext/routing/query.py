"""Route messages in one pass: broadcast joins with tables of constants, and no shuffle of the messages.

The plan of a topology becomes left joins with tables of constants, each of which has one row a key, so every
message stays one row. The text of the query depends on the signatures of the bindings and not on their number.

A query is a list of steps, each of which adds columns to the messages or takes some away: ``Query.routed``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial, reduce
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext.messages.generated_methods import codegen_barrier, codegen_barrier_column
from spark_ext.routing import tuning
from spark_ext.routing.broadcast_join import ConstantTable, Key, join, without
from spark_ext.routing.codegen_budget import columns_length, split_by_budget
from spark_ext.routing.constant_tables import ConstantTables, Payload
from spark_ext.routing.deliveries import CollectedDeliveries, distinct_in_order
from spark_ext.routing.exchange_graph import composed, with_direct
from spark_ext.routing.lookups import Lookup, build_lookups, cut_up
from spark_ext.routing.plans import Prepared
from spark_ext.routing.publish_outcomes import Outcomes
from spark_ext.routing.routing_keys import Published
from spark_ext.routing.topic_sql import deliveries_at_end, encode_words, key_words, run_automaton
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING
from transpiler.compiler.spark_plan.method_splitting import split_methods
from transpiler.compiler.sql import emit_filter, quote_name, quote_path, quote_text
from transpiler.routing.binding_patterns import WHOLE
from transpiler.routing.columns import (
    APART,
    BEFORE,
    BLOCK,
    DELIVERED,
    DIRECT,
    EDGES,
    ENDS,
    EXCHANGE,
    GRAMS,
    HASH,
    KEYS,
    KNOWN,
    KNOWN_DIRECT,
    LISTS,
    MATCHED,
    OTHERWISE,
    PREFIX,
    SLOTS,
    SO_FAR,
    START,
    START_WHOLE,
    TESTED,
    TOPICS,
    UNFUSED,
    WORDS,
)
from transpiler.routing.plan import EXCHANGE_COLUMN, Compiled, RoutingPlan
from transpiler.topology.publishing import Publisher

#: A pattern of the names of the other columns, which Spark may be told to ignore the case of.
_OTHERS = f"`(?s)(?!(?-i:{PREFIX})).*`"

#: The arrays of the automaton, by the names that the walk has for them.
_TRANSITIONS = {"edges": EDGES, "otherwise": OTHERWISE, "lists": LISTS}

#: A step of a query.
Step = Callable[[DataFrame], DataFrame]


class Names(NamedTuple):
    """The columns of the answer: the queues, and optionally the outcome and the exchange."""

    queues: str
    outcome: str | None = None
    exchange: str | None = None


class _Templates(NamedTuple):
    """SQL around the walk through the trie, and around the queues, that reuses ``KNOWN`` answers."""

    walk: str = "{}"
    queues: str = "{}"


_EVERYTHING = _Templates()
_UNLESS_KNOWN = _Templates(f"CASE WHEN {KNOWN} IS NULL THEN {{}} END", f"coalesce({KNOWN}, {{}})")
_UNLESS_MATCHED = _Templates(f"coalesce({KNOWN}, {{}})")


def _with(*columns: str) -> Step:
    """Return the step that adds columns."""
    return lambda frame: frame.selectExpr("*", *columns) if columns else frame


def _less(names: Iterable[str]) -> Step:
    """Return the step that takes columns away."""
    return lambda frame: without(frame, *names)


def _after(frame: DataFrame, steps: Iterable[Step]) -> DataFrame:
    return reduce(lambda before, step: step(before), steps, frame)


class Query:
    """Routes messages by a plan; the columns of its answer have these ``names``."""

    def __init__(
        self, session: SparkSession, prepared: Prepared, plan: RoutingPlan, publisher: Publisher, names: Names
    ) -> None:
        self._schema = prepared.columns.schema
        self._rules = prepared.topology.rules
        self._names = names
        self._published = Published(prepared.topology, prepared.columns, plan, prepared.to)
        self._outcomes = Outcomes(prepared.topology, plan, publisher, prepared.to.relay)
        self._plan = plan
        self._payload = Payload.QUEUE if plan.simple else Payload.DELIVERY
        # Without alternates every delivery is by bindings alone, and needs no column for that.
        self._direct = names.outcome is not None and self._outcomes.by_alternates
        self._grams = {value: f"{GRAMS}{number}" for number, value in enumerate(plan.grams)}
        self._tables = ConstantTables(session, plan, self._payload, self._room)
        self._nothing = f"CAST(NULL AS {self._payload.value})"

    def routed(self, messages: DataFrame, repeated: DataFrame | None) -> DataFrame:
        """The messages with their queues; the keys of ``repeated`` are matched first, each once."""
        steps: list[Step] = [self._published.with_subject, self._published.with_keys]
        templates = _EVERYTHING
        # Without a trie a key costs one look-up, and a look-up of its known answer would cost the same.
        if repeated is not None and self._plan.trie is not None:
            steps.append(self._known(repeated))
            templates = _UNLESS_KNOWN if self._plan.by_key else _UNLESS_MATCHED
        # The first column of the messages, or where these are not known, the first that is made for them.
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
        """Add the known answers of the keys: the queues where keys alone decide, else the matching patterns."""
        names = self._published.names
        self._published.check_keys(repeated)
        answers = [KNOWN]
        steps: list[Step] = [
            self._published.with_subject,
            self._published.with_keys,
            lambda frame: frame.select(*names).distinct(),
            self._published.with_words,
        ]
        if self._plan.by_key:
            steps += self._answer(KNOWN, _EVERYTHING, names[0])
            answers += [f"{DIRECT} AS {KNOWN_DIRECT}"] if self._direct else []
        else:
            steps += [self._entries(names[0]), *self._walk(KNOWN, _EVERYTHING, names[0])]
        hash_of_all = f"xxhash64({', '.join(names)})"
        known = {name: f"{name}_known" for name in names}
        renamed = _after(repeated, steps).selectExpr(
            f"{hash_of_all} AS {HASH}", *(f"{name} AS {new}" for name, new in known.items()), *answers
        )
        # Equal or both NULL: Spark makes ``<=>`` one more join key, and this a test of the joined rows.
        same = [f"coalesce({name} = {new}, {name} IS NULL AND {new} IS NULL)" for name, new in known.items()]
        condition = " AND ".join([f"{hash_of_all} = {HASH}", *same])
        joined = [HASH, *known.values()]
        return lambda frame: without(frame.join(sf.broadcast(renamed), sf.expr(condition), "left"), *joined)

    def _entries(self, first: str) -> Step:
        entries = self._tables.entries
        return partial(join, table=entries, keys=self._exchange_key(entries), first=first)

    def _walk(self, column: str, templates: _Templates, first: str) -> Iterator[Step]:
        """Add the deliveries of the trie to the messages, whose ``first`` column it is."""
        arrays = self._tables.automaton
        yield lambda frame: frame.withColumns(arrays)
        walked = [f"{templates.walk.format(self._trie_walk())} AS {column}"]
        if self._alone:
            walked.append(f"{self._unfused(first)} AS {APART}")
        yield _with(*walked)
        yield _less(arrays)

    def _answer(self, column: str, templates: _Templates, first: str) -> Iterator[Step]:
        """Add the queues to the messages, whose ``first`` column it is."""
        plan = self._plan
        collected = CollectedDeliveries(self._payload)
        yield _with(*(f"{quote_path(path)} AS {name}" for name, path in plan.reads.items()))
        yield _with(*(f"{cut_up(*each)} AS {self._grams[each[0]]}" for each in plan.grams.items()))
        if plan.trie is not None or not plan.simple:
            yield self._entries(first)
        if plan.trie is not None:
            yield from self._walk(TOPICS, templates, first)
            if self._alone:
                collected.add(APART)
            if None in plan.patterns:
                yield _with(f"{TOPICS}.i AS {MATCHED}")
            collected.add(f"{TOPICS}.d")
        for number, look_ups in enumerate(self._methods):
            if number:
                # The deliveries so far go on as one array.
                handed_on = f"{BEFORE}{number}"
                yield _with(f"{collected.together()} AS {SO_FAR}")
                yield _with(f"{codegen_barrier_column(SO_FAR)} AS {handed_on}")
                yield _less([SO_FAR])
                collected = CollectedDeliveries(self._payload)
                collected.add(handed_on)
            for look_up in look_ups:
                yield from self._look_up(look_up, collected, first)
        blocks = {f"{BLOCK}{number}": block for number, block in enumerate(self._blocks())}
        if blocks and not self._fused:
            blocks[UNFUSED] = self._unfused(first)
        yield _with(*(f"{block} AS {name}" for name, block in blocks.items()))
        collected.add(*blocks)
        if plan.simple:
            in_order = collected.in_order(self._distinct)
        else:
            yield _with(f"{collected.together()} AS {DELIVERED}")
            if self._direct:
                yield partial(with_direct, known=templates is _UNLESS_KNOWN)
            made, queues = composed(self._rules.alternate_on_no_match, plan.rings)
            yield _with(*made)
            in_order = distinct_in_order(codegen_barrier(queues))
        answer = sf.expr(templates.queues.format(in_order))
        yield lambda frame: frame.withColumn(column, answer)

    def _look_up(self, look_up: Lookup, output: CollectedDeliveries, first: str) -> Iterator[Step]:
        """Add the deliveries of a look-up to the messages."""
        table = self._tables.store([other for other in self._look_ups if other.store == look_up.store])
        keys = self._exchange_key(table) + look_up.pairs
        yield partial(join, table=table, keys=keys, first=first, part=look_up.part)
        columns = []
        for number, (flat, text) in enumerate(look_up.deliveries(self._grams)):
            name = f"{look_up.name}_f{number}"
            output.add(name, flat=flat)
            columns.append(f"{text} AS {name}")
        yield _with(*columns)
        yield _less(table.names)

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
        walked = self._words + (0 if plan.trie is None else tuning.WALK)
        lookups = build_lookups(PREFIX, plan.tables, room)
        if walked + sum(look_up.length for look_up in lookups) > room or not self._fused:
            # Several methods: what the first reads it hands on.
            room -= tuning.READ * len(plan.reads)
        return room

    @property
    def _walked(self) -> int:
        """The bytes of the words and the walk in the method of the first look-ups."""
        return self._words + (0 if self._plan.trie is None or self._alone else tuning.WALK)

    @property
    def _words(self) -> int:
        names = self._plan.words
        return tuning.WORDS + tuning.WORD * len(names) if names else 0

    @cached_property
    def _look_ups(self) -> list[Lookup]:
        return build_lookups(PREFIX, self._plan.tables, self._room)

    @cached_property
    def _methods(self) -> list[list[Lookup]]:
        """The look-ups, those in one generated method together; the first has the walk."""
        methods: list[list[Lookup]] = [[]]
        length = self._walked
        for look_up in self._look_ups:
            if length and length + look_up.length > self._room:
                methods.append([])
                length = 0
            methods[-1].append(look_up)
            length += look_up.length
        return methods

    @property
    def _fused(self) -> bool:
        """Return True if the compiled conditions are few and short enough to be in one method with their neighbours."""
        compiled = self._plan.compiled
        return len(compiled) <= tuning.FUSED and sum(ir.size(each.condition) for each in compiled) <= tuning.OPERATIONS

    def _trie_walk(self) -> str:
        """Return the deliveries of the trie, and the numbers of the matching patterns that conditions test."""
        assert self._plan.trie is not None
        repeats = self._plan.trie.repeats
        tested = TESTED if None in self._plan.patterns else None
        if self._plan.whole is None:
            walked = run_automaton(encode_words(WORDS, SLOTS), START, _TRANSITIONS, repeats)
            return deliveries_at_end(walked, ENDS, tested)
        words = key_words("k", self._rules.topic)
        whole = f"array(concat({quote_text(WHOLE)}, coalesce(k, '')))"
        # One walk for both initial states: a second one would make the method too long for the JIT.
        starts = f"array(struct({words} AS w, {START} AS s), struct({whole} AS w, {START_WHOLE} AS s))"
        walked = run_automaton(encode_words("way.w", SLOTS), "way.s", _TRANSITIONS, repeats)
        walks = f"transform(flatten(transform({KEYS}, k -> {starts})), way -> {walked})"
        return deliveries_at_end(f"flatten({walks})", ENDS, tested)

    def _exchange_key(self, table: ConstantTable) -> list[Key]:
        """Return the exchange, which is the first column of a table where messages come to several."""
        return [] if self._plan.exchange is not None else [(EXCHANGE_COLUMN, ir.Column((table.names[0],), STRING))]

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

    def _unfused(self, first: str) -> str:
        """Return an empty array that keeps a projection unfused: see ``codegen_budget``. A constant would be folded."""
        return codegen_barrier(f"transform(array_repeat({quote_name(first)}, 0), c -> {self._nothing})")

    def _delivered(self, compiled: Compiled) -> str:
        state, onward, queue = compiled.delivery
        name = "CAST(NULL AS STRING)" if queue is None else quote_text(self._plan.queues[queue])
        if self._plan.simple:
            return name
        return f"named_struct('x', {state}, 'e', CAST({'NULL' if onward is None else onward} AS INT), 'q', {name})"


def _published(exchanges: Iterable[str], condition: str) -> str:
    names = ", ".join(quote_text(name) for name in exchanges)
    return f"{EXCHANGE} IN ({names}) AND ({condition})" if names else condition
