"""What messages were published with, as columns: the exchange, the routing keys, and the words of these."""

from __future__ import annotations

from pyspark.sql import DataFrame

from spark_ext.topics import exact_key, key_words
from transpiler import Layout
from transpiler.analysis.operands import at
from transpiler.errors import LayoutError
from transpiler.layouts.columns import STRING
from transpiler.message.fields import Place
from transpiler.predicate.core import Column, Value
from transpiler.routing.conditions import EXCHANGE, KEY, KEYS, SUBJECT, TOPIC
from transpiler.routing.program import Program
from transpiler.sql import emit_filter, emit_value, quote_text
from transpiler.topology.model import Topology

#: The words of the only routing key.
WORDS = "_routing_words"


class Published:
    """Makes the columns that the conditions of a program name."""

    def __init__(self, topology: Topology, layout: Layout, program: Program) -> None:
        self._topology = topology
        self._layout = layout
        self._program = program

    def with_keys(self, frame: DataFrame) -> DataFrame:
        """The messages with their exchange, where the program knows no only one, and their routing keys."""
        columns = []
        if self._program.exchange is None:
            default = quote_text(self._topology.default_exchange)
            columns.append(f"coalesce(exchange, {default}) AS {EXCHANGE}")
        if self._program.whole is not None:
            columns.append(f"coalesce(routing_keys, array({self._only_key(frame)})) AS {KEYS}")
        elif self._asks_for_key():
            columns.append(f"{emit_value(self._subject(frame))} AS {SUBJECT}")
        else:
            columns.append(f"CAST(NULL AS STRING) AS {SUBJECT}")
        return frame.selectExpr("*", *columns)

    def with_words(self, frame: DataFrame) -> DataFrame:
        """The messages that have keys with the forms in which the program compares these."""
        if self._program.whole is not None:
            return frame.selectExpr("*", f"CASE WHEN size({KEYS}) = 1 THEN get({KEYS}, 0) END AS {SUBJECT}")
        if not self._asks_for_key():
            return frame
        rules = self._topology.rules.topic
        columns = [f"coalesce({SUBJECT}, '') AS {KEY}", f"{exact_key(SUBJECT, rules)} AS {TOPIC}"]
        if self._program.trie is not None:
            columns.append(f"{key_words(SUBJECT, rules)} AS {WORDS}")
        return frame.selectExpr("*", *columns)

    def _only_key(self, frame: DataFrame) -> str:
        try:
            return emit_value(self._subject(frame))
        except LayoutError:
            return "CAST(NULL AS STRING)"

    def _asks_for_key(self) -> bool:
        program = self._program
        if program.trie is not None:
            return True
        key_columns = {Column((KEY,), STRING), Column((TOPIC,), STRING)}
        return any(key_columns & set(table.shape.keys) for table in program.tables) or any(
            name in emit_filter(compiled.condition) for compiled in program.compiled for name in (SUBJECT, KEY, TOPIC)
        )

    def _subject(self, frame: DataFrame) -> Value:
        location = self._layout.field(Place("properties", "subject"))
        if location is not None:
            return at(location).alternatives[0].value
        if "routing_key" in frame.columns:
            return Column(("routing_key",), STRING)
        raise LayoutError.at(
            "route.no-key",
            "the topology routes by key, and the messages have no properties.subject and no column routing_key",
            hint="give the messages a column routing_key",
        )
