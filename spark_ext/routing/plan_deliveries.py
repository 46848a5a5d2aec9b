"""The steps that add the deliveries of one plan to the messages: the walk, the lookups and the compiled conditions.

A query has one plan, or two plans in sequence if a compiled topology was changed. The columns of the second plan have
different names, and its lookups share the last generated method of the first plan if there is room.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from functools import cached_property, partial

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from spark_ext.messages.generated_methods import codegen_barrier, codegen_barrier_column
from spark_ext.routing import tuning
from spark_ext.routing.broadcast_join import ConstantTable, Key, join, without
from spark_ext.routing.codegen_budget import columns_length, split_by_budget
from spark_ext.routing.constant_tables import ConstantTables, Payload
from spark_ext.routing.deliveries import CollectedDeliveries
from spark_ext.routing.lookups import Lookup, build_lookups, cut_up
from spark_ext.routing.topic_sql import deliveries_at_end, encode_words, key_words, run_automaton
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING, Path
from transpiler.compiler.spark_plan.guarded_conversions import guard_conversions
from transpiler.compiler.spark_plan.method_splitting import split_methods
from transpiler.compiler.sql import emit_filter, quote_name, quote_path, quote_text
from transpiler.routing.binding_patterns import WHOLE
from transpiler.routing.columns import (
    APART,
    BEFORE,
    BLOCK,
    EDGES,
    ENDS,
    ENTRY,
    EXCHANGE,
    GRAMS,
    KEYS,
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
    labelled,
)
from transpiler.routing.plan import EXCHANGE_COLUMN, Compiled, RoutingPlan
from transpiler.topology.broker_rules import Rules

#: The columns with the arrays of the automaton, by their names in ``run_automaton``.
_TRANSITIONS = {"edges": EDGES, "otherwise": OTHERWISE, "lists": LISTS}

#: A step of a query: a function that adds columns to the messages or drops columns.
Step = Callable[[DataFrame], DataFrame]


def adding(*columns: str) -> Step:
    """Return the step that adds the SQL expressions ``columns``."""
    return lambda frame: frame.selectExpr("*", *columns) if columns else frame


def dropping(names: Collection[str]) -> Step:
    """Return the step that drops the columns ``names``."""
    return lambda frame: without(frame, *names) if names else frame


class PlanDeliveries:
    """Builder of the steps of a query that find the deliveries of each message under one routing plan.

    If the topology was changed after it was compiled, the query has a second plan, for the changed queues. In the
    builder of the second plan, ``after`` is the builder of the first; otherwise ``after`` is None.
    """

    def __init__(
        self,
        session: SparkSession,
        plan: RoutingPlan,
        schema: StructType,
        rules: Rules,
        after: PlanDeliveries | None = None,
    ) -> None:
        self._plan = plan
        self._schema = schema
        self._rules = rules
        self._after = after
        self._mark = "" if after is None else "c"
        self.payload = Payload.QUEUE if plan.simple else Payload.DELIVERY
        self._grams = {
            value: labelled(f"{GRAMS}{self._mark}{number}", _paths_in([value]))
            for number, value in enumerate(plan.grams)
        }
        self._tables = ConstantTables(session, plan, self.payload, self._room)
        self._nothing = f"CAST(NULL AS {self.payload.value})"

    def entries(self, first: str) -> Step:
        """Return the step that joins to each message the row of its exchange, with the start states of the automaton.

        ``first`` is the first column of the messages.
        """
        entries = self._tables.entries
        if self._after is not None:
            # In the second plan, join only the start states of its automaton. The first plan has already added all
            # other columns of the row.
            named = {name: f"{name}{self._mark}" if name == ENTRY else name for name in entries.names}
            kept = [name for name in named if name in (ENTRY, START, START_WHOLE)]
            rows = entries.rows.selectExpr(*(f"{name} AS {named[name]}" for name in kept))
            entries = ConstantTable(rows, tuple(named[name] for name in kept))
        return partial(join, table=entries, keys=self._exchange_key(entries.names[:1]), first=first)

    def walk(self, column: str, template: str, first: str) -> Iterator[Step]:
        """Yield the steps that add ``column`` with the deliveries of the binding keys that the topic automaton matches.

        ``template`` is SQL with a placeholder ``{}`` for the SQL of the automaton. ``first`` is any column of the
        messages.
        """
        arrays = self._tables.automaton
        yield lambda frame: frame.withColumns(arrays)
        walked = [f"{template.format(self._trie_walk())} AS {column}"]
        if self._alone:
            walked.append(f"{self._unfused(first)} AS {APART}{self._mark}")
        yield adding(*walked)
        yield dropping(arrays)

    def collected(
        self, first: str, template: str = "{}", before: str | None = None
    ) -> Generator[Step, None, CollectedDeliveries]:
        """Yield the steps that add the deliveries to the messages, and return the columns with the deliveries.

        ``first`` is the first column of the messages. ``template`` is SQL with a placeholder ``{}`` for the SQL of the
        walk through the topic automaton. ``before`` is the column with the deliveries of the first plan; None if this
        is the first plan.
        """
        plan, mark = self._plan, self._mark
        collected = CollectedDeliveries(self.payload)
        known: Iterable[str] = ()
        if self._after is not None and before is not None:
            collected.add(before)
            known = self._after._plan.reads
        yield adding(*(f"{quote_path(path)} AS {name}" for name, path in plan.reads.items() if name not in known))
        yield adding(*(f"{cut_up(*each)} AS {self._grams[each[0]]}" for each in plan.grams.items()))
        if plan.trie is not None or (not plan.simple and self._after is None):
            yield self.entries(first)
        if plan.trie is not None:
            topics = f"{TOPICS}{mark}"
            yield from self.walk(topics, template, first)
            if self._alone:
                collected.add(f"{APART}{mark}")
            if None in plan.patterns:
                yield adding(f"{topics}.i AS {MATCHED}")
            collected.add(f"{topics}.d")
        for number, look_ups in enumerate(self._methods):
            if number:
                handed_on = f"{BEFORE}{mark}{number}"
                yield from handing_on(collected.together(), handed_on)
                collected = CollectedDeliveries(self.payload)
                collected.add(handed_on)
            for look_up in look_ups:
                yield from self._look_up(look_up, collected, first)
        blocks = {
            labelled(f"{BLOCK}{mark}{number}", _paths_in(read)): block
            for number, (block, read) in enumerate(self._blocks())
        }
        if blocks and not self._fused:
            blocks[f"{UNFUSED}{mark}"] = self._unfused(first)
        yield adding(*(f"{block} AS {name}" for name, block in blocks.items()))
        collected.add(*blocks)
        return collected

    @property
    def between(self) -> list[str]:
        """The columns of this first plan to drop before the second plan adds columns of the same names."""
        plan = self._plan
        matched = [MATCHED] if plan.trie is not None and None in plan.patterns else []
        return [*matched, *([START, START_WHOLE] if plan.trie is not None or not plan.simple else [])]

    def _look_up(self, look_up: Lookup, output: CollectedDeliveries, first: str) -> Iterator[Step]:
        """Yield the steps that add columns with the deliveries of ``look_up``; register these columns in ``output``.

        ``first`` is any column of the messages.
        """
        table = self._tables.store([other for other in self._look_ups if other.store == look_up.store])
        keys = self._exchange_key(look_up.exchange) + look_up.pairs
        yield partial(join, table=table, keys=keys, first=first, part=look_up.part)
        columns = []
        for number, (flat, text) in enumerate(look_up.deliveries(self._grams)):
            name = f"{look_up.name}_found{number}"
            output.add(name, flat=flat)
            columns.append(f"{text} AS {name}")
        yield adding(*columns)
        yield dropping(table.names)

    @property
    def distinct(self) -> bool:
        """True if the deliveries of a message never contain a queue twice, so that duplicates need not be removed.

        That is the case if the plan excludes duplicates, and no residual predicate was split into several predicates,
        of which more than one can hold.
        """
        whole = all(len(split_by_budget(table.signature.residual)) == 1 for table in self._plan.tables)
        return whole and self._plan.distinct

    @property
    def _alone(self) -> bool:
        """True if the topic automaton runs in a Java method of its own.

        This is so if messages can have several keys, because it runs once for each key; if the first method is too long
        to include it; or if this plan is the second plan of the route.
        """
        return self._plan.whole is not None or self._room < tuning.WALK or self._after is not None

    @cached_property
    def _room(self) -> int:
        """The maximum size of the lookups and the walk in a generated method, in bytes of bytecode."""
        plan = self._plan
        room = tuning.METHOD - columns_length(self._schema)
        room -= 0 if all(table.flat for table in plan.tables) else tuning.NESTED
        walked = self._words + (0 if plan.trie is None else tuning.WALK)
        lookups = build_lookups(PREFIX, plan.tables, room)
        if walked + sum(look_up.length for look_up in lookups) > room or not self._fused:
            # If the query needs several generated Java methods, the first method looks up the values in maps and passes
            # them to the others, which takes room.
            room -= tuning.READ * len(plan.reads)
        return room

    @property
    def _walked(self) -> int:
        """The size of the code before the first lookup, in bytes: splitting keys into words, perhaps the automaton."""
        return self._words + (0 if self._plan.trie is None or self._alone else tuning.WALK)

    @property
    def _words(self) -> int:
        names = self._plan.words
        return tuning.WORDS + tuning.WORD * len(names) if names else 0

    @cached_property
    def _look_ups(self) -> list[Lookup]:
        return build_lookups(f"{PREFIX}{self._mark}", self._plan.tables, self._room)

    @cached_property
    def _methods(self) -> list[list[Lookup]]:
        """The lookups in each generated method. The first method also contains the walk unless ``_alone`` is True."""
        methods: list[list[Lookup]] = [[]]
        length = self._walked
        for look_up in self._look_ups:
            if length and length + look_up.length > self._room:
                methods.append([])
                length = 0
            methods[-1].append(look_up)
            length += look_up.length
        return methods

    def goes_on(self, following: PlanDeliveries) -> bool:
        """Return True if the first method of ``following``, the second plan, fits into the last method of this plan."""
        here = [self, following] if len(self._methods) == 1 else [following]
        length = sum(look_up.length for look_up in (*self._methods[-1], *following._methods[0]))
        length += sum(
            tuning.CONDITION * ir.size(each.condition) for each in (*self._plan.compiled, *following._plan.compiled)
        )
        return self._fused and length + sum(each._walked for each in here) + tuning.NESTED <= self._room

    @cached_property
    def _fused(self) -> bool:
        """True if the conditions without a lookup are few and short enough to share a generated method with lookups."""
        compiled = self._plan.compiled
        return len(compiled) <= tuning.FUSED and sum(ir.size(each.condition) for each in compiled) <= tuning.OPERATIONS

    def _trie_walk(self) -> str:
        """Return the SQL of a walk through the topic automaton with the words of a message's routing key.

        The SQL yields the deliveries of the matching topic patterns, and the numbers of those that residual predicates
        test.
        """
        assert self._plan.trie is not None
        repeats = self._plan.trie.repeats
        tested = TESTED if None in self._plan.patterns else None
        if self._plan.whole is None:
            walked = run_automaton(encode_words(WORDS, SLOTS), START, _TRANSITIONS, repeats)
            return deliveries_at_end(walked, ENDS, tested)
        words = key_words("k", self._rules.topic)
        whole = f"array(concat({quote_text(WHOLE)}, coalesce(k, '')))"
        # Read the words of a key and the whole key as one word in the same walk: the code for two walks would make the
        # method too long for the JIT compiler.
        starts = f"array(struct({words} AS w, {START} AS s), struct({whole} AS w, {START_WHOLE} AS s))"
        walked = run_automaton(encode_words("way.w", SLOTS), "way.s", _TRANSITIONS, repeats)
        walks = f"transform(flatten(transform({KEYS}, k -> {starts})), way -> {walked})"
        return deliveries_at_end(f"flatten({walks})", ENDS, tested)

    def _exchange_key(self, path: Path) -> list[Key]:
        """Return the join key for the exchange, in the column ``path`` of a table; empty if there is one exchange."""
        return [] if self._plan.exchange is not None else [(EXCHANGE_COLUMN, ir.Column(path, STRING))]

    def _blocks(self) -> Iterator[tuple[str, list[ir.Predicate]]]:
        """Yield each block of compiled conditions: the SQL of an array of its deliveries, and its conditions."""
        grouped: dict[tuple[str, tuple[str, ...]], list[Compiled]] = {}
        for compiled in self._plan.compiled:
            text = emit_filter(guard_conversions(split_methods(compiled.condition), is_part=True))
            grouped.setdefault((text, compiled.exchanges), []).append(compiled)
        groups = list(grouped.items())
        for start in range(0, len(groups), tuning.BLOCK):
            block = groups[start : start + tuning.BLOCK]
            cases = [
                f"CASE WHEN {_published(exchanges, text)} THEN array({', '.join(map(self._delivered, equal))}) END"
                for (text, exchanges), equal in block
            ]
            yield f"flatten(array_compact(array({', '.join(cases)})))", [equal[0].condition for _, equal in block]

    def _unfused(self, first: str) -> str:
        """Return SQL of an empty array that makes Spark generate separate Java methods for two projections.

        Its value does not matter. It reads the column ``first``, because Spark would evaluate a constant at once and
        remove it.
        """
        return codegen_barrier(f"transform(array_repeat({quote_name(first)}, 0), c -> {self._nothing})")

    def _delivered(self, compiled: Compiled) -> str:
        state, onward, queue = compiled.delivery
        name = "CAST(NULL AS STRING)" if queue is None else quote_text(self._plan.queues[queue])
        if self._plan.simple:
            return name
        return f"named_struct('x', {state}, 'e', CAST({'NULL' if onward is None else onward} AS INT), 'q', {name})"


def _paths_in(read: Iterable[ir.Value | ir.Predicate]) -> Iterator[Path]:
    return (column.path for node in read for column in ir.columns_in(node))


def handing_on(deliveries: str, column: str) -> Iterator[Step]:
    """Yield the steps that compute the SQL ``deliveries`` as ``column`` and end the generated Java method there.

    The next Java method reads the column.
    """
    yield adding(f"{deliveries} AS {SO_FAR}")
    yield adding(f"{codegen_barrier_column(SO_FAR)} AS {column}")
    yield dropping([SO_FAR])


def _published(exchanges: Iterable[str], condition: str) -> str:
    names = ", ".join(quote_text(name) for name in exchanges)
    return f"{EXCHANGE} IN ({names}) AND ({condition})" if names else condition
