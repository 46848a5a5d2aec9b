"""The dialect ``activemq`` agrees with ActiveMQ itself: its own parser and evaluator, in the JVM that Spark runs in.

Debian's packages libactivemq-java, libgeronimo-jms-1.1-spec-java and libhawtbuf-java contain the classes; ``.ci/run``
unpacks them below ``build/activemq``. These tests are skipped if neither that nor an installation is found.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from tests.spark_ext import strategies
from tests.spark_ext.test_agreement import EXAMPLES, PHASES
from transpiler import Message, TranspilerError, parse_selector, print_selector
from transpiler.language.selector import ast
from transpiler.language.selector.broker_dialects import ACTIVEMQ
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.evaluate import judge

pytestmark = pytest.mark.live

ROOT = Path(__file__).parents[2]
DIRECTORIES = (ROOT / "build" / "activemq" / "usr" / "share" / "java", Path("/usr/share/java"))
JARS = ("activemq-client.jar", "geronimo-jms_1.1_spec.jar", "hawtbuf.jar")

SETTERS = {
    AmqpType.BOOLEAN: "setBooleanProperty",
    AmqpType.BYTE: "setByteProperty",
    AmqpType.SHORT: "setShortProperty",
    AmqpType.INT: "setIntProperty",
    AmqpType.LONG: "setLongProperty",
    AmqpType.FLOAT: "setFloatProperty",
    AmqpType.DOUBLE: "setDoubleProperty",
    AmqpType.STRING: "setStringProperty",
}


class Broker:
    """ActiveMQ's selector classes, loaded into Spark's JVM."""

    def __init__(self, spark: SparkSession, jars: list[Path]) -> None:
        self.jvm: Any = spark._jvm
        gateway: Any = spark.sparkContext._gateway
        urls = gateway.new_array(self.jvm.java.net.URL, len(jars))
        for index, jar in enumerate(jars):
            urls[index] = self.jvm.java.io.File(str(jar)).toURI().toURL()
        self.loader = self.jvm.java.net.URLClassLoader(urls)
        self.gateway = gateway
        text = self.jvm.java.lang.Class.forName("java.lang.String")
        types = gateway.new_array(self.jvm.java.lang.Class, 1)
        types[0] = text
        self.parser = self.loader.loadClass("org.apache.activemq.selector.SelectorParser").getMethod("parse", types)
        clear = self.loader.loadClass("org.apache.activemq.selector.SelectorParser").getMethod(
            "clearCache", gateway.new_array(self.jvm.java.lang.Class, 0)
        )
        self.clear = lambda: clear.invoke(None, gateway.new_array(self.jvm.java.lang.Object, 0))

    def new(self, name: str) -> Any:
        """Return a new object of one of ActiveMQ's classes."""
        return (
            self.loader.loadClass(name)
            .getDeclaredConstructor(self.gateway.new_array(self.jvm.java.lang.Class, 0))
            .newInstance(self.gateway.new_array(self.jvm.java.lang.Object, 0))
        )

    def parse(self, selector: str) -> Any:
        """Return ActiveMQ's expression for ``selector``; None if ActiveMQ rejects it."""
        arguments = self.gateway.new_array(self.jvm.java.lang.Object, 1)
        arguments[0] = selector
        # The cache stores a selector with a prefix under its text without the prefix.
        self.clear()
        try:
            return self.parser.invoke(None, arguments)
        except Py4JJavaError:
            return None

    def message(self, message: Message) -> Any:
        """Return the evaluation context of a message with the properties of ``message``."""
        found = self.new("org.apache.activemq.command.ActiveMQTextMessage")
        for name, value in (message.application_properties or {}).items():
            getattr(found, SETTERS[value.type])(name, value.value)
        context = self.new("org.apache.activemq.filter.NonCachedMessageEvaluationContext")
        context.setMessageReference(found)
        return context

    def evaluate(self, expression: Any, context: Any) -> str:
        """Return the result: T, F, U for unknown, or X for an exception."""
        try:
            return {True: "T", False: "F", None: "U"}[expression.evaluate(context)]
        except Py4JJavaError:
            return "X"


@pytest.fixture(scope="module")
def broker(spark: SparkSession) -> Broker:
    for directory in DIRECTORIES:
        jars = [directory / name for name in JARS]
        if all(jar.exists() for jar in jars):
            return Broker(spark, jars)
    pytest.skip("ActiveMQ's classes are not here: run .ci/run, or apt-get install libactivemq-java")


_KINDS = tuple(SETTERS)
_NAMES = ("a", "b", "c", "d", "missing")
values = st.sampled_from(_KINDS).flatmap(
    lambda kind: strategies._VALUES[kind].map(lambda value: AmqpValue(kind, value))
)
messages = st.dictionaries(st.sampled_from(_NAMES[:-1]), values, max_size=4).map(
    lambda properties: Message(application_properties=properties)
)


#: Members of lists: values of each type, NULL, and names.
_MEMBERS = (
    "'a'",
    "'5'",
    "''",
    "'a,5,,'",
    "5",
    "5L",
    "3000000000",
    "2.5",
    "0.0",
    "-0.0",
    "TRUE",
    "NULL",
    "a",
    "b",
    "missing",
)
_EXPRESSIONS = ("'[ab]'", "'x*'", "'5'", "b")


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Draw selectors in ActiveMQ's own spelling, including remainders, chains and conversions."""
    text = print_selector(draw(strategies.selectors(_NAMES)), ACTIVEMQ)
    match draw(st.integers(0, 9)):
        case 0:
            return f"NOT {text}"
        case 1:
            return f"{text} = {draw(st.sampled_from(('TRUE', 'FALSE', 'a', 'NULL')))}"
        case 2:
            return f"{draw(st.sampled_from(_NAMES))} % {draw(st.sampled_from(('2', '0', 'b', '1.5')))} = 1 OR {text}"
        case 3:
            return f"convert_string_expressions:{text}"
        case 4:
            return (
                f"{text} AND REGEX('{draw(st.sampled_from(('a', '^5', '[0-9]+$')))}', {draw(st.sampled_from(_NAMES))})"
            )
        case 5:
            listed = ", ".join(draw(st.lists(st.sampled_from(_MEMBERS), min_size=1, max_size=4)))
            split = f"SPLIT(',a,5,,', ','{draw(st.sampled_from(('', ', 0', ', 1', ', 2', ', -1', ', 2L', ', a')))})"
            made = draw(st.sampled_from((f"MAKELIST({listed})", split, "a")))
            return f"INLIST({made}, {draw(st.sampled_from((*_NAMES, *_MEMBERS)))})"
        case 6:
            subject, member, other = (draw(st.sampled_from(some)) for some in (_NAMES, _MEMBERS, _MEMBERS))
            return f"REPLACE({subject}, {draw(st.sampled_from(_EXPRESSIONS))}, {member}) = {other}"
        case _:
            return text


def read(text: str) -> ast.Expression | None:
    """Return the dialect's tree of ``text``; None if the dialect rejects it."""
    try:
        return parse_selector(text, ACTIVEMQ)
    except TranspilerError:
        return None


LETTERS = {True: "T", False: "F", None: "U"}


@given(data=st.data())
@settings(max_examples=max(4, EXAMPLES // 3), phases=PHASES, suppress_health_check=list(HealthCheck))
def test_the_dialect_says_what_activemq_says(broker: Broker, data: st.DataObject) -> None:
    drawn = data.draw(st.lists(messages, min_size=6, max_size=6))
    contexts = [broker.message(message) for message in drawn]
    for text in data.draw(st.lists(texts(), min_size=12, max_size=12)):
        expression = broker.parse(text)
        tree = read(text)
        assert (tree is None) is (expression is None), text
        if tree is None:
            continue
        for message, context in zip(drawn, contexts, strict=True):
            verdict = judge(tree, message, ACTIVEMQ)
            mine = "X" if verdict.thrown is not None else LETTERS[verdict.truth]
            assert mine == broker.evaluate(expression, context), f"{text}\n{message.to_dict()}"


_SOUP = st.lists(
    st.sampled_from(
        "a b NOT AND OR ( ) = <> < >= + - * / % 5 5L 0x1F 017 08 5.5 1e3 'x' '5' TRUE NULL IS IN BETWEEN LIKE ESCAPE"
        " , ('x') XPATH REGEX( -- /* */".split()
    ),
    max_size=9,
).map(" ".join)


@given(data=st.data())
@settings(max_examples=EXAMPLES, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_the_dialect_refuses_what_activemq_refuses(broker: Broker, data: st.DataObject) -> None:
    for text in data.draw(st.lists(_SOUP, min_size=20, max_size=20)):
        assert (broker.parse(text) is None) is (read(text) is None), text
