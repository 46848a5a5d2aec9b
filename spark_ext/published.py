"""What messages were published with, as columns: the exchange, the routing keys, and the words of these."""

from __future__ import annotations

from pyspark.sql import DataFrame

from spark_ext.topics import exact_key, key_words
from transpiler import Layout
from transpiler.analysis.operands import at
from transpiler.errors import LayoutError, UnsupportedFeatureError
from transpiler.layouts.columns import STRING
from transpiler.message.fields import Place
from transpiler.predicate.core import Column, Value
from transpiler.routing.conditions import EXCHANGE, KEY, KEYS, SUBJECT, TOPIC
from transpiler.routing.program import Program
from transpiler.routing.shapes import columns
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

    @property
    def names(self) -> list[str]:
        """The columns that ``with_keys`` makes."""
        exchange = [EXCHANGE] if self._program.exchange is None else []
        return [*exchange, SUBJECT if self._program.whole is None else KEYS]

    def check_keys(self, keys: DataFrame, messages: DataFrame) -> None:
        """Raise what is wrong with messages whose keys are to be matched before others."""
        if keys.isStreaming:
            raise UnsupportedFeatureError.at(
                "route.keys-stream",
                "keys is a stream, and its routing keys have to be known before the messages come",
                hint="give keys an archive of messages, or leave it out: each message's key is matched then",
            )
        needed = [] if self._program.exchange is not None else ["exchange"]
        if self._program.whole is not None:
            needed.append("routing_keys")
        try:
            needed += [str(column.path[0]) for column in columns(self._subject(messages))]
        except LayoutError:
            # Messages with several keys may do without a subject.
            if self._program.whole is None:
                raise
        missing = [name for name in needed if name not in keys.columns]
        if missing:
            raise LayoutError.at(
                "route.keys",
                f"keys has no column {' and no column '.join(missing)}, where the messages have their routing keys",
                hint="give keys the messages themselves, or others with the same columns",
            )

    def with_keys(self, frame: DataFrame) -> DataFrame:
        """The messages with their exchange, where the program knows no only one, and their routing keys."""
        made = []
        if self._program.exchange is None:
            default = quote_text(self._topology.default_exchange)
            made.append(f"coalesce(exchange, {default}) AS {EXCHANGE}")
        if self._program.whole is not None:
            made.append(f"coalesce(routing_keys, array({self._only_key(frame)})) AS {KEYS}")
        elif self._asks_for_key():
            made.append(f"{emit_value(self._subject(frame))} AS {SUBJECT}")
        else:
            made.append(f"CAST(NULL AS STRING) AS {SUBJECT}")
        return frame.selectExpr("*", *made)

    def with_words(self, frame: DataFrame) -> DataFrame:
        """The messages that have keys with the forms in which the program compares these."""
        if self._program.whole is not None:
            return frame.selectExpr("*", f"CASE WHEN size({KEYS}) = 1 THEN get({KEYS}, 0) END AS {SUBJECT}")
        if not self._asks_for_key():
            return frame
        rules = self._topology.rules.topic
        made = [f"coalesce({SUBJECT}, '') AS {KEY}", f"{exact_key(SUBJECT, rules)} AS {TOPIC}"]
        if self._program.trie is not None:
            made.append(f"{key_words(SUBJECT, rules)} AS {WORDS}")
        return frame.selectExpr("*", *made)

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
