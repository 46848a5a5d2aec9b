"""The built page in a browser displays the library's results, is fast, and sends no request to another host."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.parse import quote

import pytest

from playground.downloads import AXE, fetch_npm
from tests.browser import SCREENSHOTS
from tests.devtools import Page, open_browser
from tests.playground.cases import HOSTILE, cases

pytestmark = pytest.mark.live

VERDICT = "document.documentElement?.dataset.ready && document.documentElement.dataset.verdicts"
ALL = f"{VERDICT} && document.getElementById('ported').childElementCount"
ROUTE = "document.documentElement?.dataset.routes"

#: Script that enters a case into the fields that a person uses, and returns the result.
JUDGE = """
async ({selector, dialect, message}) => {
  const put = (id, text) => { document.getElementById(id).value = text; };
  put("message-text", message);
  put("dialect", dialect);
  put("selector", selector);
  const root = document.documentElement, before = root.dataset.verdicts;
  document.getElementById("selector").dispatchEvent(new Event("input", {bubbles: true}));
  while (root.dataset.verdicts === before) await new Promise((resolve) => setTimeout(resolve, 1));
  return document.getElementById("verdict").dataset.verdict;
}
"""

AXE_RUN = """
axe.run().then(({violations}) => violations.map(({id, impact, nodes}) => [id, impact, nodes.map(({html}) => html)]))
"""

TYPED = "messageType = 'DENM' AND (quadTree LIKE '%,12002%' OR quadTree LIKE '%,1201%') AND JMSPriority > 4"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with open_browser(tmp_path / "profile") as opened:
        opened.resize(1280, 900)
        yield opened
        assert opened.failures == []


def text_of(page: Page, element: str) -> str:
    text: str = page.run(f"document.getElementById({element!r}).textContent")
    return text


def choose(page: Page, menu: str, value: str) -> None:
    page.run(f"document.getElementById({menu!r}).value = {value!r}")
    page.run(f"document.getElementById({menu!r}).dispatchEvent(new Event('change'))")


def link(**state: str) -> str:
    return f"#{'&'.join(f'{name}={value}' for name, value in state.items())}"


def test_two_hundred_verdicts_are_those_of_evaluate(page: Page, address: str) -> None:
    page.open(address)
    page.wait_for(VERDICT)
    page.run("document.querySelector('#message [value=json]').click()")
    for case in cases(200):
        assert page.run(f"({JUDGE})({json.dumps(case._asdict())})") == case.verdict, case


def test_typing_shows_findings_at_their_places_and_a_fix(page: Page, address: str) -> None:
    page.open(address)
    page.wait_for(VERDICT)
    page.run("document.getElementById('selector').select()")
    page.type("color = 'red' AND JMSPriorty > 4")
    page.wait_for("document.querySelector('#marks mark.warning')?.textContent === 'JMSPriorty'")
    page.wait_for("document.querySelector('#findings .fix') !== null")
    assert "did you mean JMSPriority?" in text_of(page, "findings")
    page.run("document.querySelector('#findings .fix').click()")
    page.wait_for("document.getElementById('findings').childElementCount === 0")
    assert page.run("document.getElementById('selector').value") == "color = 'red' AND JMSPriority > 4"
    page.type(" AND")
    page.wait_for("document.getElementById('headline').textContent === 'refused'")
    assert page.run("document.getElementById('selector').getAttribute('aria-invalid')") == "true"
    # Offsets count code points, while JavaScript strings are UTF-16.
    page.run("document.getElementById('selector').select()")
    page.type("a = '😀😀' AND JMSPriorty > 4")
    page.wait_for("document.querySelector('#marks mark.warning')?.textContent === 'JMSPriorty'")


def test_all_panels_follow_the_selector(page: Page, address: str) -> None:
    page.open(address)
    page.wait_for(VERDICT)
    choose(page, "example", "2")
    page.wait_for("document.getElementById('agreement').textContent === '1 of 8 differs from jms'")
    assert text_of(page, "headline") == "does not match: unknown"
    assert text_of(page, "reason").startswith("appId is missing (the message has appid)")
    assert page.run("document.querySelector('#parts code').textContent") == "appId <> 'app-1'"
    assert text_of(page, "sql") == "(appId <> 'app-1')"
    page.wait_for("document.getElementById('ported').textContent === \"appId NOT IN ('app-1')\"")
    # A click on the name of a dialect selects it. This dialect evaluates a missing property differently.
    page.run("[...document.querySelectorAll('#dialects button')].find(b => b.textContent === 'qpid-java').click()")
    page.wait_for("document.getElementById('headline').textContent === 'matches'")
    page.run("document.querySelector('.missing .add').click()")
    page.type("app-1")
    page.wait_for("document.getElementById('headline').textContent === 'does not match'")
    assert page.run("JSON.parse(document.getElementById('message-text').value)") == {"appid": "app-2", "appId": "app-1"}


def test_undo_takes_back_what_a_button_has_written(page: Page, address: str) -> None:
    page.open(address)
    page.wait_for(VERDICT)
    page.run("document.getElementById('selector').select()")
    page.type("color = 'red' AND JMSPriorty > 4")
    page.wait_for("document.querySelector('#findings .fix') !== null")
    page.run("document.querySelector('#findings .fix').click()")
    page.wait_for("document.getElementById('findings').childElementCount === 0")
    page.run("document.execCommand('undo')")
    page.wait_for("document.querySelector('#findings .fix') !== null")
    assert page.run("document.getElementById('selector').value") == "color = 'red' AND JMSPriorty > 4"
    page.run("document.getElementById('selector').select()")
    page.type("appId <> 'x'")
    page.wait_for("document.getElementById('ported').textContent === \"appId NOT IN ('x')\"")
    page.run("document.getElementById('use-port').click()")
    page.wait_for("document.getElementById('selector').value === \"appId NOT IN ('x')\"")
    page.run("document.execCommand('undo')")
    assert page.run("document.getElementById('selector').value") == "appId <> 'x'"


def test_an_example_that_is_chosen_again_resets_all_fields(page: Page, address: str) -> None:
    fields = ("selector", "dialect", "layout", "result", "target", "schema", "message-text")
    shown = f"Object.fromEntries({json.dumps(fields)}.map((id) => [id, document.getElementById(id).value]))"
    page.open(address)
    page.wait_for(ALL)
    before = page.run(shown)
    for menu, value in (("result", "ternary"), ("target", "rabbitmq"), ("dialect", "activemq")):
        page.run(f"document.getElementById({menu!r}).value = {value!r}")
        page.run(f"document.getElementById({menu!r}).dispatchEvent(new Event('input'))")
    page.run("document.getElementById('schema').select()")
    page.type("size INT")
    page.run("document.querySelector('#message [value=json]').click()")
    page.run("document.getElementById('message-text').select()")
    page.type('{"a": 1}')
    assert page.run("document.getElementById('example').value") == ""
    assert page.run(shown) != before
    choose(page, "example", "0")
    page.wait_for(
        f"JSON.stringify({shown}) === {json.dumps(json.dumps(before, separators=(',', ':'), ensure_ascii=False))}"
    )


def test_no_menu_is_empty_while_python_starts(built_page: Path) -> None:
    text = (built_page / "index.html").read_text(encoding="utf-8")
    menus = re.findall(r'<select id="([\w-]+)"[^>]*>(.*?)</select>', text, re.DOTALL)
    # The list of virtual hosts is filled when a topology has been parsed, and the menu is hidden before.
    assert [name for name, options in menus if "<option" not in options] == ["vhost"]
    assert len(menus) > 6


def test_the_columns_follow_the_message_until_they_are_changed(page: Page, address: str) -> None:
    page.open(address)
    page.wait_for(VERDICT)
    page.wait_for("document.getElementById('schema').value === 'JMSType STRING, color STRING, weight BIGINT'")
    assert text_of(page, "sql") == "(JMSType = 'car' AND color = 'blue' AND weight > 2500)"
    page.run("document.getElementById('selector').select()")
    page.type("size > 5")
    page.wait_for("document.getElementById('schema').value.startsWith('size BIGINT')")
    page.run("document.getElementById('schema').select()")
    page.type("size INT")
    page.wait_for("location.hash.includes('schema=size+INT')")
    page.run("document.getElementById('selector').select()")
    page.type("size > 6")
    page.wait_for("document.getElementById('sql').textContent === '(size > 6)'")
    assert page.run("document.getElementById('schema').value") == "size INT"


def test_the_report_of_a_topology_is_shown_whole(page: Page, address: str) -> None:
    names = [f"q{number}" for number in range(60)]
    bindings = [
        {"source": "x", "queue": name, "key": f"{name}.{behind}"} for name in names for behind in ("#", "orders")
    ]
    exchanges = [{"name": "x", "type": "topic"}]
    topology = {"broker": "rabbitmq", "exchanges": exchanges, "queues": names, "bindings": bindings}
    page.open(address + link(tab="topologies", topology=quote(json.dumps(topology)), exchange="x"))
    page.wait_for(ROUTE)
    cut = "(({scrollHeight, clientHeight}) => scrollHeight - clientHeight)(document.getElementById('report'))"
    assert text_of(page, "report").count("\n") > 20
    assert page.run(cut) == 0


def test_a_link_shows_the_same_again(page: Page, address: str) -> None:
    menus = {"dialect": "activemq", "layout": "variant", "result": "ternary"}
    page.open(address + link(selector="a%20%3E%201", message="%7B%22a%22%3A%202%7D", **menus))
    page.wait_for(VERDICT)
    assert text_of(page, "headline") == "matches"
    page.wait_for("document.getElementById('sql').textContent.includes('properties')")
    page.run("document.getElementById('selector').focus()")
    page.run("document.getElementById('selector').setSelectionRange(5, 5)")
    page.type("0")
    page.wait_for("document.getElementById('headline').textContent === 'does not match'")
    page.wait_for("location.hash.includes('a+%3E+10') && location.hash.includes('layout=variant')")
    shown = page.run("location.href")
    page.open("about:blank")
    page.open(shown)
    page.wait_for(VERDICT)
    assert page.run("document.getElementById('selector').value") == "a > 10"
    assert {menu: page.run(f"document.getElementById({menu!r}).value") for menu in menus} == menus


def test_a_topology_lights_the_path_of_a_message(page: Page, address: str) -> None:
    def lit() -> list[str]:
        texts = "[...document.querySelectorAll('.node.passed')].map((node) => node.querySelector('text').textContent)"
        return sorted(page.run(texts))

    page.open(address + "#tab=topologies")
    page.wait_for(ROUTE)
    assert lit() == ["billing", "by-type", "fragile", "orders", "shipping-eu"]
    assert page.run("document.querySelectorAll('.edge.passed').length") == 4
    assert text_of(page, "queues") == "to billing, fragile, shipping-eu"
    assert "amount is 'low', not 'high'" in text_of(page, "why")
    page.run("document.getElementById('key').select()")
    page.type("invoice")
    page.wait_for("document.getElementById('outcome').textContent === 'delivered by way of an alternate'")
    assert lit() == ["lost-and-found", "orders", "unrouted"]
    page.wait_for("location.hash.includes('key=invoice') && location.hash.includes('zipped=')")
    shown = page.run("location.href")
    page.open("about:blank")
    page.open(shown)
    page.wait_for(ROUTE)
    assert lit() == ["lost-and-found", "orders", "unrouted"]
    page.run("document.getElementById('topology').select()")
    page.type('{"broker": "rabbitmq", "queues": [1]}')
    # While the text is being typed, it is not valid JSON.
    page.wait_for("document.getElementById('topology-findings').textContent.includes('queues[0]')")
    page.wait_for("document.getElementById('outcome').textContent === 'not published'")


def test_the_title_leads_back_to_the_site(page: Page, address: str) -> None:
    page.open(address)
    page.wait_for(VERDICT)
    assert page.run("document.querySelector('h1 a').getAttribute('href')") == "../index.html"


def test_the_page_has_the_colours_that_were_chosen_on_the_site(page: Page, address: str) -> None:
    back = "getComputedStyle(document.body).backgroundColor"
    colours = {}
    for system in ("light", "dark"):
        page.resize(1280, 900, dark=system == "dark")
        page.open(address)
        page.wait_for(VERDICT)
        colours[system] = page.run(back)
    assert colours["light"] != colours["dark"]
    for scheme, colour in (("default", colours["light"]), ("slate", colours["dark"])):
        kept = json.dumps({"index": 0, "color": {"scheme": scheme}})
        page.run(f"localStorage.setItem('/.__palette', {kept!r})")
        page.open("about:blank")
        page.open(address)
        page.wait_for(VERDICT)
        assert page.run(back) == colour, scheme


def test_nothing_is_asked_of_anybody_else(page: Page, address: str) -> None:
    page.open(address)
    page.wait_for(VERDICT)
    page.run("document.getElementById('tab-topologies').click()")
    page.wait_for(ROUTE)
    own = (address, f"blob:{address}")
    assert [one for one in page.requests if not one.startswith(own)] == []
    assert {one.rsplit("/", 1)[1] for one in page.requests} >= {"pyodide.asm.wasm", "snapshot.bin.gz", "viz.js"}
    # Not even a page or worker with a bug could send a request: the policy is in the page itself and does not depend on
    # the server.
    elsewhere = address.replace("127.0.0.1", "localhost")
    asks = f"fetch({elsewhere!r}, {{mode: 'no-cors'}}).then(() => 'sent', () => 'refused')"
    assert page.run(asks) == "refused"
    worker = f"new Blob([{asks + '.then((text) => postMessage(text))'!r}], {{type: 'text/javascript'}})"
    heard = "new Promise((done) => { made.onmessage = (event) => done(event.data); })"
    answer = page.run(f"(() => {{ const made = new Worker(URL.createObjectURL({worker})); return {heard}; }})()")
    assert answer == "refused"
    page.failures.clear()


def test_hostile_texts_leave_the_page_alive(page: Page, address: str) -> None:
    page.open(address)
    page.wait_for(VERDICT)
    for selector in (*HOSTILE, "a = 1"):
        case = {"selector": selector, "dialect": "jms", "message": '{"a": 1}' if selector == "a = 1" else "[" * 50_000}
        verdict = page.run(f"({JUDGE})({json.dumps(case)})")
    assert verdict == "true"
    assert page.run("document.getElementById('status').hidden")
    # Pyodide reports that an interpreter's stack has overflowed. The page has already started a new interpreter.
    page.failures.clear()


def test_the_page_works_by_keyboard(page: Page, address: str) -> None:
    page.open(address)
    page.wait_for(VERDICT)
    seen = []
    for _ in range(40):
        page.press("Tab", 9)
        seen.append(page.run("document.activeElement.id || document.activeElement.className"))
    controls = "tab-selectors, link, example, dialect, selector, name code, value code, layout, result, sql, target"
    assert [name for name in controls.split(", ") if name not in seen] == []
    assert "tab-topologies" not in seen
    page.run("document.getElementById('tab-selectors').focus()")
    page.press("ArrowRight", 39)
    page.wait_for(ROUTE)
    assert page.run("document.activeElement.id") == "tab-topologies"
    assert page.run("document.getElementById('selectors').hidden")


def test_axe_has_no_findings_in_any_look(page: Page, address: str, tmp_path: Path) -> None:
    script = (fetch_npm(AXE, tmp_path) / "axe.min.js").read_text(encoding="utf-8")
    for tab, ready in (("selectors", ALL), ("topologies", ROUTE)):
        for name, width, height, dark in (
            ("wide", 1280, 900, False),
            ("wide-dark", 1280, 900, True),
            ("phone", 390, 844, False),
            ("phone-dark", 390, 844, True),
        ):
            page.resize(width, height, dark=dark)
            page.open("about:blank")
            page.open(f"{address}#tab={tab}")
            page.wait_for(ready)
            page.screenshot(f"playground-{tab}-{name}")
            page.run(script)
            found = page.run(AXE_RUN)
            assert found == [], (tab, name, found)
            assert page.run("document.documentElement.scrollWidth <= innerWidth"), (tab, name)


def test_how_long_the_first_verdict_and_a_keystroke_take(page: Page, address: str) -> None:
    """The times are measured and not asserted, because the machine may be busy. See build/screenshots."""
    measure = "performance.getEntriesByName('verdict').map((one) => [one.startTime, one.duration])"
    first = []
    for _ in range(5):
        page.open("about:blank")
        page.open(address)
        page.wait_for(VERDICT)
        first.append(sum(page.run(measure)[0]))
    page.run("performance.clearMeasures(); document.getElementById('selector').select()")
    for character in TYPED:
        page.type(character)
        time.sleep(0.1)
    strokes = [duration for _, duration in page.run(measure)]
    times: dict[str, Any] = {
        "first verdict, ms": [round(one) for one in first],
        "keystroke, ms, median": round(median(strokes), 1),
        "keystroke, ms, 95%": round(quantiles(strokes, n=20)[-1], 1),
        "keystrokes": len(strokes),
    }
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    (SCREENSHOTS / "playground-times.json").write_text(json.dumps(times, indent=2) + "\n", encoding="utf-8")
    print(times)
