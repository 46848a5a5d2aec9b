"""Each recognised location of a selector is read, or listed as unread: all locations, all forms of a value."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from transpiler.base.source import Span
from transpiler.tools.lint.embedded import FoundSelector, UnreadSelector, find_selectors
from transpiler.tools.lint.embedded.selector_patterns import SELECTOR_PATTERNS, SelectorPattern, is_worth_reading
from transpiler.tools.lint.report import Lines
from transpiler.tools.lint.run import Run, Text

#: Values in source code that are, or may be, a selector.
SHAPES = (
    "\"kind == 'a'\"",
    '"kind == " + 5',
    '"kind == " + N',
    '"kind == " + -1',
    '"kind == " + true',
    '"kind == " + null',
    '"kind == " + (5)',
    '("kind == " + x)',
    '("kind == ") + (x)',
    'x + " == 5"',
    'x.y().z + " == 5"',
    "TYPE + \" == 'order'\"",
    "N + \" == 'order'\"",
    'Foo.class.getName() + " == 5"',
    '5 + " == x"',
    "'kind == ' + a[0]",
    '!x ? "kind == 1" : "kind == 2"',
    'N > 5 ? "kind == 1" : "kind == 2"',
    'x ? null : "kind == 2"',
    '(String) "kind == 5"',
    '"kind == 5".trim()',
    '"kind == %d".formatted(5)',
    '"kind == %s" % x',
    'String.format("kind == %s", x)',
    'new String("kind == 5")',
    'new StringBuilder("kind == 5").append(x).toString()',
    'String.join(" AND ", parts("a"))',
    "build(5)",
    "this.build(x, y)",
    "selector",
    "this.selector",
    "settings.selector",
    "Other.SELECTOR",
    "parts[0]",
    "&selector",
    "*selector",
)
#: Values that are not a selector.
NO_SHAPES = (
    "null",
    "(null)",
    "true",
    "5",
    "-1",
    "N",
    "String.class",
    'm -> log("m == 1")',
    '(m) -> { log("m == 1"); }',
    "this::receive",
    "new Handler()",
    '""',
)
#: Names of other things, and names that merely end in such a name. A constant in any file may have such a name.
OTHER_NAMES = ("handler", "messageListener()", "dest", "queue1", "clientId", "byName")
NAMES_WITH_ENDS = ("paid", "valid", "grid", "this.paid", "overrides", "invoid")
CONTEXT = """
static final int N = 5;
static final String TYPE = "type";
// transpiler JmsClient org.apache.camel uamqp selector-filter
void own(String queue, String jmsSelector) { }
boolean ownSelector(String queue, String text) { }
// jms session proton rhea stomp artemis.api.core ConsumerConfiguration servicebus ibm
"""


#: Patterns of locations that are certain in some files.
_CERTAIN = {record.pattern for record in SELECTOR_PATTERNS if record.is_certain}


def _calls(is_certain: bool) -> Iterator[str]:
    """Yield a call or an assignment for each location in source code, with ``$`` for the selector."""
    for record in SELECTOR_PATTERNS:
        if record.pattern.startswith("def "):
            # The context contains the declaration of the function.
            if not is_certain:
                yield "own(q, $)" if " = $" in record.pattern else "ownSelector(q, $)"
        elif (
            record.language == "code"
            and record.is_certain is is_certain
            and (is_certain or record.pattern not in _CERTAIN)
        ):
            text = re.sub(r"\*(?=\w)", "a", record.pattern).replace("*(selector", "B(selector")
            text = (
                re.sub(r"^\*\(", "f(", text)
                .replace("_", "q")
                .replace("*", "7")
                .replace("...", "p, q")
                .replace("'", '"')
            )
            yield text


@pytest.mark.parametrize("call", list(dict.fromkeys(_calls(True))))
def test_a_value_in_a_place_of_source_code_is_read_or_listed(call: str) -> None:
    # In a call that accepts any value, only a value with a text is certainly a selector.
    only_texts = call.endswith(" = $") or call.startswith("f(")
    shapes = [shape for shape in SHAPES if not only_texts or ('"' in shape and "(" not in shape)]
    for shape in shapes:
        found = list(find_selectors(f"{CONTEXT}x.{call.replace('$', shape)};\n", "A.java"))
        assert len(found) == 1, shape
    for shape in NO_SHAPES:
        found = list(find_selectors(f"{CONTEXT}x.{call.replace('$', shape)};\n", "A.java"))
        assert not found, shape
    # If an argument can only be a selector, no name excludes it; otherwise the last word of its name may exclude it.
    is_only = "select" in call.partition("(")[0].lower() or " = $)" in call
    for name in () if only_texts else OTHER_NAMES:
        found = list(find_selectors(f"{CONTEXT}x.{call.replace('$', name)};\n", "A.java"))
        assert len(found) == is_only, name
    for name in () if only_texts else NAMES_WITH_ENDS:
        assert len(list(find_selectors(f"{CONTEXT}x.{call.replace('$', name)};\n", "A.java"))) == 1, name


@pytest.mark.parametrize("call", list(dict.fromkeys(_calls(False))))
def test_in_a_call_that_takes_other_texts_one_with_an_operator_is_read_or_listed(call: str) -> None:
    for shape in SHAPES:
        if shape.startswith('"'):
            assert list(find_selectors(f"{CONTEXT}x.{call.replace('$', shape)};\n", "A.java")), shape
    other = call.replace("$", '"orders"')
    assert not list(find_selectors(f"{CONTEXT}x.{other};\n", "A.java"))


@pytest.mark.parametrize("suffix", ["java", "kt", "scala", "groovy", "ts", "go", "rs", "cs", "cpp", "swift", "py"])
def test_values_are_read_or_listed_in_each_programming_language(suffix: str) -> None:
    for shape in SHAPES:
        text = f"session.setMessageSelector({shape})\nsession.createConsumer(q, {shape})\n"
        lines = Lines(text)
        found = list(find_selectors(text, f"a.{suffix}"))
        seen = [
            lines.location(
                one.mapped.location(Span(0, 1)) if isinstance(one, FoundSelector) else Span(one.offset, one.offset)
            ).line
            for one in found
        ]
        assert sorted(set(seen)) == [1, 2], shape


def test_places_of_one_value_are_one_and_places_of_equal_beginnings_are_not() -> None:
    text = """class A { static final String P = "kind", ALL = "kind = 1"; // jms
      void a() { s.createConsumer(q, P + " = 1"); s.createConsumer(q, P + " == 2"); s.createConsumer(q, P); }
      void b() { s.createConsumer(q, ALL); s.createConsumer(q, ALL); } }"""
    found = [one.mapped.text for one in find_selectors(text, "A.java") if isinstance(one, FoundSelector)]
    assert found == ["kind", "kind = 1", "kind == 2", "kind = 1"]


def test_what_is_wrong_in_a_constant_is_reported_once() -> None:
    text = """class A { static final String P = "kind == 'a'"; // jms
      void a() { s.createConsumer(q, P + " AND b = 1"); s.createConsumer(q, P + " AND c = 1"); } }"""
    report = Run().report([Text(text, "A.java")])
    assert (report.selectors, report.affected, len(report.findings)) == (2, 2, 1)


#: A file, its methods that use a name, and the selectors: None for one that cannot be read.
SCOPES = (
    ("A.java", 'void a(){ String s = "a=1"; r(s); } void b(){ String s = "b=1"; r(s); }', ["a=1", "b=1"]),
    ("A.java", 'void a(){ String s = "a=1"; } void b(String s){ r(s); }', [None]),
    ("A.java", 'String s = "a=1"; void b(String s){ r(s); } void c() { r(s); }', [None, "a=1"]),
    ("A.java", 'void a(){ String s = "a=1"; if (x) { s = "b=1"; } r(s); }', [None]),
    ("A.java", 'void a(){ String s = "a=1"; if (x) { String t = "b=1"; r(s); r(t); } }', ["a=1", "b=1"]),
    ("A.java", 'String s; A() { this.s = "a=1"; } void b() { r(s); r(this.s); }', ["a=1"]),
    (
        "A.java",
        'interface C { String S = "a=1"; } class B implements C { void b() { r(S); r(C.S); r(D.S); } }',
        ["a=1", None],
    ),
    (
        "A.java",
        'class B { String S = "a=1"; } class C { String S = "b=1"; void b() { r(B.S); r(C.S); r(S); } }',
        ["a=1", "b=1"],
    ),
    ("a.kt", 'class B { companion object { const val S = "a=1" } fun b() { r(S); r(B.S) } }', ["a=1"]),
    ("a.js", 'function a() { const s = "a=1"; r(s) }\nconst b = (s) => { r(s) }', ["a=1", None]),
    (
        "a.php",
        '<?php function a() { $s = "a=1"; r($s); } function b() { $s = "b=1"; $s .= "x"; r($s); }',
        ["a=1", None],
    ),
    ("a.go", 'const (\n S = "a=1"\n)\nfunc a() { s := "b=1"; r(s); r(S) }', ["a=1", "b=1"]),
    (
        "a.py",
        'S = "a=1"\ndef a():\n    s = "b=1"\n    r(s)\n    r(S)\ndef b(s):\n    r(s)\n'
        'class C:\n    T = "c=1"\n    def d(self):\n        r(self.T)\n',
        ["a=1", "b=1", None, "c=1"],
    ),
)


@pytest.mark.parametrize(("name", "text", "expected"), SCOPES)
def test_a_name_has_the_value_of_its_block(name: str, text: str, expected: list[str | None]) -> None:
    found = find_selectors(text.replace("r(", "setMessageSelector("), name)
    texts = {one.mapped.text if isinstance(one, FoundSelector) else None for one in found}
    assert texts == set(expected)


def _path(record: SelectorPattern) -> list[str]:
    steps = [step.rpartition(":")[2] for step in re.split("[/>]", record.pattern)]
    return [step.replace("*", "x").replace("xjmsx", "jms") if step != "*" else "x" for step in steps]


#: A value in a data file, and True if it is read as a selector.
DATA_VALUES = (("a = 1", True), ("${k}", True), ("a = '#{x}'", True), ("", False))


@pytest.mark.parametrize("record", [record for record in SELECTOR_PATTERNS if record.language in ("data", "yaml")])
def test_a_value_in_a_place_of_data_is_read_or_listed(record: SelectorPattern) -> None:
    *outer, last = _path(record)
    for value, is_one in DATA_VALUES:
        begin = "".join(f"{'  ' * level}{step}:\n" for level, step in enumerate(outer))
        # A location with ``near`` counts only in a file about messages.
        about = "# for amqp\n" if record.near else ""
        texts = [("a.yaml", f'{about}{begin}{"  " * len(outer)}{last}: "{value}"\n')]
        if record.language == "data":
            texts += [
                ("a.properties", f"{'.'.join((*outer, last))}={value}\n"),
                (
                    "a.json",
                    "{" + "".join(f'"{step}": {{' for step in outer) + f'"{last}": "{value}"' + "}" * (len(outer) + 1),
                ),
                (
                    "a.xml",
                    "".join(f"<{step}>" for step in outer)
                    + f'<b {last}="{value}"/>'
                    + "".join(f"</{step}>" for step in reversed(outer)),
                ),
            ]
        for name, text in texts:
            assert len(list(find_selectors(text, name))) == is_one, (name, text)


@pytest.mark.parametrize(
    ("name", "text", "is_one"),
    [
        ("a.yaml", "messageSelector: !Sub 'a = ${x}'\n", True),
        ("a.yaml", "messageSelector: !vault |\n  3132\n", True),
        ("a.yaml", "x: &x\n  selector: a = 1\njms: *x\nactivemq: *x\n", True),
        ("a.yaml", "messageSelector: 5\n", False),
        ("a.properties", "k = INSERT WITHJMSSELECTOR=abc\n", True),
        ("a.properties", "k = INSERT WITHJMSSELECTOR=`a = 1\n", True),
        ("a.xml", "<b><property name='messageSelector' ref='x'/></b>", True),
        ("a.xml", "<b><property name='messageSelector'><bean class='x'/></property></b>", True),
        ("a.xml", "<b><property name='messageSelector'><null/></property></b>", False),
        ("a.xml", "<b><property name='messageSelector'/></b>", False),
        ("a.java", 'from("jms:" + q + "?selector=a%3D1&x=" + y)', True),
        ("a.java", 'from("jms:o?" + "selector=" + y)', True),
        ("a.java", 'from("jms:o?x=" + y)', False),
        ("a.kt", 'from("jms:$q?selector=a%3D1&x=$y")', True),
        ("a.py", '"jms:{}?selector=a".format(3)', True),
    ],
)
def test_other_shapes_are_read_or_listed(name: str, text: str, is_one: bool) -> None:
    assert len(list(find_selectors(text, name))) == is_one


@pytest.mark.parametrize("record", SELECTOR_PATTERNS)
def test_a_file_with_a_place_is_worth_reading(record: SelectorPattern) -> None:
    near = re.sub(r"\\b|[()?:]", " ", record.near)
    assert is_worth_reading(f"{record.pattern.replace('*', 'a')} {near}", record.language in ("code", "text"))


def test_an_unread_selector_is_at_its_expression() -> None:
    text = 'c.setMessageSelector("a = " + id());'
    [one] = find_selectors(text, "A.java")
    assert isinstance(one, UnreadSelector)
    assert one.offset == text.index('"a')
