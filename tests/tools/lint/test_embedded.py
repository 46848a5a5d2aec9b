"""Selectors in files are found, complete, and with their exact location."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler.base.source import Span
from transpiler.tools.lint.embedded import FoundSelector, UnreadableError, find_selectors

ARTEMIS = """<?xml version="1.0"?>
<configuration xmlns="urn:activemq">
  <core xmlns="urn:activemq:core"><!-- é -->
    <queue name="a"><filter string="color = &apos;red&apos; AND size &gt; 3 AND é = 5"/></queue>
    <divert name="d"><filter string='x = "y"'/></divert>
    <search><filter string="Active" name="x"/></search>
  </core>
</configuration>
"""
EJB = """<ejb-jar>
  <message-selector>
    JMSType = 'car' AND weight &gt; 2500 <!-- not this -->
    AND x = <![CDATA[ 5 < 6 &gt; ]]>
  </message-selector>
  <activation-config-property>
    <activation-config-property-name>messageSelector</activation-config-property-name>
    <activation-config-property-value>a = 'b'</activation-config-property-value>
  </activation-config-property>
  <bean><property name="messageSelector" value="c = 'd'"/><property name="messageSelector"><value>e=1</value></property>
    <property name="messageSelector" value="${later}"/></bean>
  <listener selector="a=1"/>
</ejb-jar>
"""
CLASSIC = """<beans><broker xmlns="http://activemq.apache.org/schema/core">
<filteredDestination selector="odd = 'yes'" queue="FOO"/></broker></beans>"""
JAVA = r"""
class A { // "x"
  @ActivationConfigProperty(propertyName = "messageSelector",
      propertyValue = "NewsType = 'Sports' " + // more
          "OR NewsType = 'Opinion'")
  @JmsListener(destination = "q", selector = "type = 'a\u00e9'")
  void x() {
    c.setMessageSelector("JMSType = '" + t + "'");
    c.setMessageSelector("JMSType = 'x'");
    String s = "a = 1"; // selector
    // selector[artemis]
    foo("b = 2");
    String f = String.format("a = %s", x); // selector
    String messageSelector = "eventName = 'E'";
    String css = "a.b"; /* selector */
  }
}
"""
PYTHON = """
S = (
    "color = 'red' "
    r"AND b = 2"
)  # selector
# selector
t = 'c = 5'
u = f"a = {x}"  # selector
v = "a = %s" % 5  # selector
consumer(message_selector="z = 1", other="no")
w = '''d = 1
AND e = 2'''  # selector
"""
YAML = r"""
jms:
  listener:
    selector: color = 'red'
    message-selector: 'it''s = 1'
    messageSelector: "a = 'x' \u0041"
  filterString: a = 'y'  # selector[activemq]
spec:
  selector: {app: x}
  sql: |  # selector
    a = 1
    AND b = 2
  # selector[artemis]
  q: >-
    a = 1
    OR c = 3
  list:
    - plain  # selector
    - other
"""
PROPERTIES = r"""
# c
jms.selector = color = 'red' \
    AND b = '\u0041'
queueConfigs.Q.filterString="x = 1"
# selector
any=b = 2
# selector[activemq]
queueConfigs.Q.filterString=y = 1
log=5
spring.jms.selector: ${x}
"""
BROKER_J = r"""{"bindings": [{"arguments": {"x-filter-jms-selector": "color=\u0027blue\u0027"}}],
 "queue": {"defaultFilters": "{\"x-filter-jms-selector\": {\"x-filter-jms-selector\": [\"a = 'b'\"]}}"},
 "selector": "#id", "jms": {"selector": "a=1"}, "messageSelector": "${x}", "sql-filter": "p.subject = 'x'"}"""

FILES = (
    ("broker.xml", ARTEMIS, [("color = 'red' AND size > 3 AND é = 5", "artemis-core"), ('x = "y"', "artemis-core")]),
    (
        "ejb.xml",
        EJB,
        [
            ("JMSType = 'car' AND weight > 2500 \n    AND x =  5 < 6 &gt;", None),
            ("a = 'b'", None),
            ("c = 'd'", None),
            ("e=1", None),
            ("a=1", None),
        ],
    ),
    ("activemq.xml", CLASSIC, [("odd = 'yes'", "activemq")]),
    (
        "A.java",
        JAVA,
        [
            ("NewsType = 'Sports' OR NewsType = 'Opinion'", None),
            ("type = 'aé'", None),
            ("JMSType = 'x'", None),
            ("a = 1", None),
            ("b = 2", "artemis"),
            ("eventName = 'E'", None),
            ("a.b", None),
        ],
    ),
    (
        "a.py",
        PYTHON,
        [("color = 'red' AND b = 2", None), ("c = 5", None), ("z = 1", None), ("d = 1\nAND e = 2", None)],
    ),
    (
        "a.yaml",
        YAML,
        [
            ("color = 'red'", None),
            ("it's = 1", None),
            ("a = 'x' A", None),
            ("a = 'y'", "activemq"),
            ("a = 1\nAND b = 2", None),
            ("a = 1 OR c = 3", "artemis"),
            ("plain", None),
        ],
    ),
    (
        "a.properties",
        PROPERTIES,
        [("color = 'red' AND b = 'A'", None), ("x = 1", "artemis-core"), ("b = 2", None), ("y = 1", "activemq")],
    ),
    (
        "d.json",
        BROKER_J,
        [("color='blue'", "qpid-java"), ("a = 'b'", "qpid-java"), ("a=1", None), ("p.subject = 'x'", "rabbitmq")],
    ),
    ("x.sel", "# c\na = 1\n\nb = '5'  # selector-sql: ignore[quoted-number]\n", [("a = 1", None), ("b = '5'", None)]),
    ("page.html.py", "x = 1\n", []),
)


@pytest.mark.parametrize(("name", "text", "found"), FILES, ids=[name for name, _, _ in FILES])
def test_selectors_are_found_in_a_file(name: str, text: str, found: list[tuple[str, str | None]]) -> None:
    assert [(one.mapped.text, one.dialect) for one in _complete(text, name)] == found


def _complete(text: str, name: str) -> list[FoundSelector]:
    return [one for one in find_selectors(text, name) if isinstance(one, FoundSelector)]


#: Escape sequences for a character in some kind of file.
SPELLINGS = {"'": ("&apos;", "''", "\\u0027"), '"': ('\\"',), ">": ("&gt;",), "A": ("\\u0041",), "é": ("\\u00e9",)}


@pytest.mark.parametrize(("name", "text", "found"), FILES, ids=[name for name, _, _ in FILES])
def test_every_character_has_its_place(name: str, text: str, found: list[tuple[str, str | None]]) -> None:
    for one in _complete(text, name):
        for offset, character in enumerate(one.mapped.text):
            start, end = one.mapped.location(Span(offset, offset + 1))
            written = text[start:end]
            assert written == character or written in SPELLINGS.get(character, ()) or character.isspace(), found


PROSE = (
    ("messages_fr.properties", "jms_selector=JMS Selector\nmessage.selector=Message selector:\n", 0),
    ("i18n/ui.yaml", "jms:\n  selector: Choose a selector\n", 0),
    ("api.xml", '<doc><members><m><p name="messageSelector">The selector to use.</p></m></members></doc>', 0),
    ("codes.json", '{"messageSelector": "The selector is wrong", "queue": "There is no such queue"}', 0),
    ("src/docs/toc.yml", "intro: Introduction\nmessageSelector: Message Selectors\n", 0),
    # A text with an operator is a selector in every file. In a file without prose, a text without an operator is a
    # selector with a mistake.
    ("messages_fr.properties", "jms_selector=color == 'red'\n", 1),
    ("messages_fr.properties", "jms_selector=color\n", 1),
    ("application.properties", "jms.selector=color red\nport=80\n", 1),
    ("standalone.xml", '<a messageSelector="color red"/>', 1),
    ("A.java", 'setMessageSelector("color red");', 1),
)


@pytest.mark.parametrize(("name", "text", "count"), PROSE)
def test_prose_in_a_file_of_texts_is_no_selector(name: str, text: str, count: int) -> None:
    assert len(list(find_selectors(text, name))) == count


_texts = st.text(st.sampled_from("ab'\"\\<>&é=\t 😀"), min_size=1, max_size=12).map(lambda text: f"x{text}x")


@given(_texts)
def test_json_and_xml_give_back_what_was_written(text: str) -> None:
    (found,) = _complete(json.dumps({"messageSelector": text}), "a.json")
    assert found.mapped.text == text
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    (found,) = _complete(f'<a messageSelector="{escaped}"/>', "a.xml")
    assert found.mapped.text == text


@given(_texts)
def test_yaml_gives_back_what_was_written(text: str) -> None:
    import yaml

    for style in ("'", '"', "|", None):
        document = yaml.dump({"messageSelector": text}, default_style=style, allow_unicode=True, width=20)
        found = _complete(document, "a.yaml")
        assert [one.mapped.text.rstrip("\n") for one in found] == [text]
        for one in found:
            start, end = one.mapped.location(Span(0, len(one.mapped.text)))
            assert document[start] == "x"
            assert document[end - 1] == "x"


@pytest.mark.parametrize(
    ("name", "text", "message", "offset"),
    [
        ("a.xml", "<selector><b></selector>", "mismatched tag", 15),
        ("a.json", '{"selector": }', "this is not JSON", 13),
        ("a.yaml", "selector: [", "this is not YAML", 11),
        ("a.yaml", "selector: {{ x }}\n", "", None),
        ("unknown.txt", "a = 1\n", "check does not know this kind of file", None),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_refused(
    name: str, text: str, message: str, offset: int | None
) -> None:
    if not message:
        list(find_selectors(text, name))
        return
    with pytest.raises(UnreadableError, match=message) as raised:
        list(find_selectors(text, name))
    assert raised.value.offset == offset


@given(st.sampled_from(["a.xml", "a.json", "a.yaml", "a.properties", "a.java", "a.py", "a.sql", "a.sel"]), st.text())
def test_any_text_is_read_or_refused(name: str, text: str) -> None:
    for prefix in ("", "messageSelector = ", "<a messageSelector='"):
        try:
            for found in _complete(prefix + text.replace("\r", "\n"), name):
                assert len(found.mapped.starts) == len(found.mapped.ends) == len(found.mapped.text)
        except UnreadableError:
            pass
