"""ActiveMQ's own selector engine, in the JVM that Spark runs in: messages for each second and core.

Janino, which is among Spark's jars, compiles the loop over the messages. The messages are in memory with their
properties unmarshalled. A broker has to unmarshal each message, and our figure includes reading Parquet.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession

from tests.benchmarks.filters import compiled, counting
from tests.benchmarks.measure import Table, in_turn, spark_cpu
from tests.benchmarks.messages import PROPERTIES
from tests.benchmarks.selectors import CASES, Case

ROOT = Path(__file__).parents[2]
DIRECTORIES = (ROOT / "build" / "activemq" / "usr" / "share" / "java", Path("/usr/share/java"))
JARS = ("activemq-client.jar", "geronimo-jms_1.1_spec.jar", "hawtbuf.jar")

_LOOP = """
org.apache.activemq.filter.BooleanExpression selector = (org.apache.activemq.filter.BooleanExpression) expression;
long passed = 0;
for (int round = 0; round < rounds; round++) {
    for (int place = 0; place < contexts.length; place++) {
        org.apache.activemq.filter.MessageEvaluationContext context =
            (org.apache.activemq.filter.MessageEvaluationContext) contexts[place];
        if (selector.matches(context)) { passed++; }
    }
}
return passed;
"""
_SETTERS = {
    "string": "setStringProperty",
    "long": "setLongProperty",
    "double": "setDoubleProperty",
    "boolean": "setBooleanProperty",
}


def find_jars() -> list[Path] | None:
    """Return the jars of ActiveMQ, as .ci/run unpacks them or from an installation; None if they are not found."""
    for directory in DIRECTORIES:
        jars = [directory / name for name in JARS]
        if all(jar.exists() for jar in jars):
            return jars
    return None


class Engine:
    """ActiveMQ's parser and evaluator, and a loop over messages in Java."""

    def __init__(self, spark: SparkSession, jars: list[Path]) -> None:
        self.jvm: Any = spark._jvm
        self.gateway: Any = spark.sparkContext._gateway
        urls = self._array(self.jvm.java.net.URL, [self.jvm.java.io.File(str(jar)).toURI().toURL() for jar in jars])
        parent = self.jvm.java.lang.Thread.currentThread().getContextClassLoader()
        self.loader = self.jvm.java.net.URLClassLoader(urls, parent)
        self.object = self.jvm.java.lang.Class.forName("java.lang.Object")
        text = self.jvm.java.lang.Class.forName("java.lang.String")
        parser = self.loader.loadClass("org.apache.activemq.selector.SelectorParser")
        self.parser = parser.getMethod("parse", self._array(self.jvm.java.lang.Class, [text]))
        self.loop = self.jvm.org.codehaus.janino.ScriptEvaluator()
        self.loop.setParentClassLoader(self.loader)
        self.loop.setReturnType(self.jvm.java.lang.Long.TYPE)
        objects = self.jvm.java.lang.Class.forName("[Ljava.lang.Object;")
        self.loop.setParameters(
            self._array(self.jvm.java.lang.String, ["expression", "contexts", "rounds"]),
            self._array(self.jvm.java.lang.Class, [self.object, objects, self.jvm.java.lang.Integer.TYPE]),
        )
        throws = self.jvm.java.lang.Class.forName("java.lang.Exception")
        self.loop.setThrownExceptions(self._array(self.jvm.java.lang.Class, [throws]))
        self.loop.cook(_LOOP)

    def _array(self, kind: Any, items: list[Any]) -> Any:
        found = self.gateway.new_array(kind, len(items))
        for index, item in enumerate(items):
            found[index] = item
        return found

    def _new(self, name: str) -> Any:
        constructor = self.loader.loadClass(name).getDeclaredConstructor(self._array(self.jvm.java.lang.Class, []))
        return constructor.newInstance(self._array(self.object_class, []))

    @property
    def object_class(self) -> Any:
        return self.jvm.java.lang.Object

    def contexts(self, rows: list[Row]) -> Any:
        """Return an evaluation context for the message of each typed row."""
        found = []
        for row in rows:
            message = self._new("org.apache.activemq.command.ActiveMQTextMessage")
            message.setJMSPriority(row["header"]["priority"])
            for name, (_, kind) in PROPERTIES.items():
                if row[name] is not None:
                    getattr(message, _SETTERS[kind])(name, row[name])
            context = self._new("org.apache.activemq.filter.NonCachedMessageEvaluationContext")
            context.setMessageReference(message)
            found.append(context)
        return self._array(self.object_class, found)

    def parse(self, selector: str) -> Any:
        """Return ActiveMQ's expression for ``selector``."""
        return self.parser.invoke(None, self._array(self.object_class, [selector]))

    def passed(self, expression: Any, contexts: Any, rounds: int) -> int:
        """Return the number of messages that pass, summed over all rounds."""
        return int(self.loop.evaluate(self._array(self.object_class, [expression, contexts, rounds])))


def parts(
    spark: SparkSession,
    frames: dict[str, DataFrame],
    count: int,
    few: int,
    rounds: int,
    cases: tuple[Case, ...] = CASES,
) -> Iterator[Table]:
    """Yield the table of this benchmark. If ActiveMQ's classes are missing, the table is empty and its note says so."""
    jars = find_jars()
    table = Table(
        f"ActiveMQ's selector engine in the same JVM, {few:,} messages again and again; ours on {count:,}",
        ("selector", "ActiveMQ, messages/s a core", "compiled, messages/s a core", "times"),
        "CPU seconds of Spark's process. ActiveMQ's messages are in memory and unmarshalled; ours are read from "
        "Parquet in the canonical layout.",
        unit="times as fast as ActiveMQ",
    )
    if jars is None:
        table.note = "ActiveMQ's classes are not here: run .ci/run, or apt-get install libactivemq-java."
        yield table
        return
    engine, cpu = Engine(spark, jars), spark_cpu(spark)
    rows = frames["typed"].limit(few).collect()
    contexts, again = engine.contexts(rows), max(1, count // few)
    for case in cases:
        if case.dialect != "jms":
            continue
        expression, sql = engine.parse(case.selector), compiled(case, "amqp")
        wanted = frames["typed"].limit(few).filter(case.hand("typed")).count()
        if engine.passed(expression, contexts, 1) != wanted:
            raise AssertionError(
                f"{case.title}: ActiveMQ passes {engine.passed(expression, contexts, 1)}, not {wanted}"
            )

        def theirs(expression: Any = expression) -> object:
            return engine.passed(expression, contexts, again)

        first, second = in_turn([theirs, counting(frames["canonical"], sql)], cpu, rounds)
        their_rate, our_rate = again * few / max(first.seconds, 0.01), count / max(second.seconds, 0.01)
        table.add(case.title, their_rate, our_rate, our_rate / their_rate)
        table.bars.append((case.title, our_rate / their_rate, None))
    yield table
