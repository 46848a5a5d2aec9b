"""Files that broker.xml includes by XInclude and activemq.xml imports by Spring, and the files in a directory.

Read in apache/activemq-artemis: ``XMLUtil.readerToElement`` (the text is parsed with XInclude and without the file's
name, so relative paths begin at the directory in which the broker was started), ``XmlProvider`` (the property
``artemis.disableXxe`` switches XInclude off), ``FileDeploymentManager.readConfiguration``, and
docs/user-manual/configuration-index.adoc; in apache/activemq: ``XBeanBrokerFactory.createApplicationContext``. Spring
reads that file, and resolves an import beside the importing file.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import size
from tests.tools.topology_report.configurations import configuration
from transpiler import read_topology
from transpiler.base.documents import xml_includes
from transpiler.base.errors import TopologyError
from transpiler.cli import main
from transpiler.reference.route import publish
from transpiler.tools.topology_report.findings import report
from transpiler.topology.displayed_addresses import addresses_of
from transpiler.topology.files import definition_files, parse_topology, vhosts_of
from transpiler.topology.importers.artemis_config import _WITHOUT_ROUTING

XI = "xmlns:xi='http://www.w3.org/2001/XInclude'"
ORDERS = "<address name='orders'><anycast><queue name='orders'/></anycast></address>"


def core(inner: str) -> str:
    return f"<configuration {XI}><core>{inner}</core></configuration>"


def include(name: str) -> str:
    return f"<xi:include {XI} href='{name}'/>"


def written(folder: Path, **files: str) -> Path:
    """Write ``files``, whose names lack the suffix, and return the path of the broker's file."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.xml"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text, encoding="utf-8")
    return folder / "broker.xml"


def test_an_included_file_counts_as_if_it_stood_in_its_place(tmp_path: Path) -> None:
    inner = f"<addresses {XI}>{include('deeper/orders.xml')}</addresses>"
    path = written(tmp_path, broker=core(include("parts/addresses.xml")), parts__addresses=inner)
    written(tmp_path / "parts", deeper__orders=ORDERS)
    topology = read_topology(path)
    assert topology == parse_topology(core(f"<addresses>{ORDERS}</addresses>"), "broker.xml")
    assert topology.not_computed == ()
    [note] = topology.findings
    assert (note.severity, note.code) == ("info", "topology.include")
    assert "Artemis looks in the directory in which it was started" in note.message
    result = CliRunner().invoke(main, ["topology", str(path)])
    assert (result.exit_code, result.stderr) == (0, "")
    assert "orders: from orders" in result.stdout


@given(seed=st.integers(0, 2**32))
@settings(max_examples=size(5, 100), deadline=None)
def test_any_division_of_a_file_into_included_files_has_the_same_topology(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    draw = Random(seed)
    whole = configuration("artemis", draw)
    root = ElementTree.fromstring(whole.text)
    folder = tmp_path_factory.mktemp("divided")
    for number, parent in enumerate([*root.iter()]):
        for place, child in enumerate([*parent]):
            if draw.random() < 0.15:
                name = f"part{number}_{place}.xml"
                (folder / name).write_text(ElementTree.tostring(child, "unicode"), encoding="utf-8")
                parent[place] = ElementTree.Element("include", {"href": name})
    path = folder / "broker.xml"
    # A part that was written before one of its own children was replaced has the child in place.
    path.write_text(ElementTree.tostring(root, "unicode"), encoding="utf-8")
    assert read_topology(path, state=whole.state) == whole.read()


#: The content of broker.xml in ``core``, and a part of the reason why the included file is not read.
NOT_READ = [
    (include("absent.xml"), "there is no such file"),
    (include("http://example.org/a.xml"), "only relative paths"),
    (include("file:///etc/hosts"), "only relative paths"),
    (include("/etc/hosts"), "only relative paths"),
    (include("//example.org/a.xml"), "only relative paths"),
    (include("../outside.xml"), "outside the folder"),
    (include("leading_out.xml"), "outside the folder"),
    (include("pipe"), "a named pipe"),
    (include("folder"), "Is a directory"),
    (include("broker.xml"), "it includes itself"),
    (include("bytes.xml"), "not text in UTF-8"),
    (include("a%00b.xml"), "there is no such file"),
    (include("${where}/a.xml"), "has no value"),
    (f"<xi:include {XI} href='addresses.xml' parse='text'/>", "only whole XML files"),
    (f"<xi:include {XI} href='addresses.xml' xpointer='x'/>", "only whole XML files"),
]


@pytest.mark.parametrize(("inner", "reason"), NOT_READ)
def test_what_a_file_that_is_not_read_contains_is_not_known(inner: str, reason: str, tmp_path: Path) -> None:
    folder = tmp_path / "etc"
    path = written(folder, broker=core(f"{inner}<addresses>{ORDERS}</addresses>"), addresses="<addresses/>")
    (tmp_path / "outside.xml").write_text("<addresses/>", encoding="utf-8")
    (folder / "leading_out.xml").symlink_to(tmp_path / "outside.xml")
    (folder / "bytes.xml").write_bytes(b"<a>\xff</a>")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    topology = read_topology(path, state={"queues": []})
    [message] = topology.not_computed
    assert reason in message
    routed = publish(topology, {}, "orders", routing_type="ANYCAST")
    assert (routed.queues, routed.possible_queues, routed.outcome) == ((), ("orders",), "undecided")
    assert "contains is not known" in routed.reasons[0]
    # A send to another address may reach a queue of the other file.
    assert publish(topology, {}, "other", routing_type="MULTICAST").outcome == "undecided"
    assert not report(addresses_of(topology)).findings


def test_a_file_without_a_folder_includes_nothing() -> None:
    topology = parse_topology(core(include("README.md")), "broker.xml")
    assert "has no folder" in topology.not_computed[0]
    assert "has no folder" in parse_topology(core(include("0")), "x.xml", file=Path("/dev/fd/0")).not_computed[0]


@pytest.mark.parametrize("parent", sorted(_WITHOUT_ROUTING))
def test_a_file_for_what_does_not_route_leaves_answers_certain(parent: str) -> None:
    inner = f"<{parent}>{include('absent.xml')}</{parent}><addresses>{ORDERS}</addresses>"
    topology = parse_topology(core(inner), "broker.xml", state={"queues": []})
    assert not any("is not known" in message for message in topology.not_computed)
    assert publish(topology, {}, "orders", routing_type="ANYCAST").queues == ("orders",)


def test_files_that_include_one_another_end(tmp_path: Path) -> None:
    loop = f"<addresses {XI}>{include('addresses.xml')}{ORDERS}</addresses>"
    topology = read_topology(written(tmp_path, broker=core(include("addresses.xml")), addresses=loop))
    assert ["it includes itself" in message for message in topology.not_computed] == [True]
    assert topology.queue_names == {"orders"}


@pytest.mark.parametrize(
    ("limit", "reason"), [("MAX_FILES", "files are included"), ("MAX_LEVELS", "include one another")]
)
def test_included_files_have_limits(limit: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Each file includes the next one twice, so their number would double with each level.
    files = {f"a{n}": f"<addresses {XI}>{include(f'a{n + 1}.xml') * 2}</addresses>" for n in range(30)}
    monkeypatch.setattr(xml_includes, limit, 5)
    topology = read_topology(written(tmp_path, broker=core(include("a0.xml")), **files))
    assert any(reason in message for message in topology.not_computed)


def test_the_size_of_included_files_is_limited(tmp_path: Path) -> None:
    path = written(tmp_path, broker=core(include("a.xml")), a=f"<addresses>{' ' * xml_includes.MAX_BYTES}</addresses>")
    assert "bytes" in read_topology(path).not_computed[0]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<addresses>", "topology.xml"),
        ("<!DOCTYPE a [<!ENTITY x 'xxxx'><!ENTITY y '&x;&x;'>]><addresses>&y;</addresses>", "topology.entity"),
    ],
)
def test_an_included_file_that_is_not_well_formed_is_refused_with_its_name(
    text: str, code: str, tmp_path: Path
) -> None:
    path = written(tmp_path, broker=core(include("part.xml")), part=text)
    with pytest.raises(TopologyError, match=r"part\.xml:1") as caught:
        read_topology(path)
    assert caught.value.diagnostics[0].code == code


def test_spring_imports_are_read_beside_the_importing_file(tmp_path: Path) -> None:
    broker = (
        "<beans><broker brokerName='b'><destinations><queue physicalName='q'/></destinations></broker>"
        "<import resource='jetty.xml'/></beans>"
    )
    path = written(tmp_path, broker="<beans><import resource='conf/b.xml'/></beans>", conf__b=broker)
    (tmp_path / "conf" / "jetty.xml").write_text("<beans><broken", encoding="utf-8")
    topology = read_topology(path)
    assert topology.queue_names == {"queue://q"}
    assert [(one.severity, one.code) for one in topology.findings] == [("info", "topology.include")]
    assert vhosts_of(path.read_text(encoding="utf-8"), str(path), path) == ["b"]
    # Without the file there is no broker, and the error says why.
    (tmp_path / "conf" / "b.xml").unlink()
    with pytest.raises(TopologyError, match="contains no broker, and a file is included and not read: there is no"):
        read_topology(path)


@pytest.mark.parametrize(
    "resource", ["camel.xml", "classpath:camel.xml", "file:${activemq.conf}/camel.xml", "../c.xml"]
)
def test_a_spring_import_that_is_not_read_is_a_member_of_answers(resource: str, tmp_path: Path) -> None:
    queue = "<destinations><queue physicalName='q'/></destinations>"
    path = written(tmp_path, broker=f"<beans><import resource='{resource}'/><broker>{queue}</broker></beans>")
    topology = read_topology(path)
    [message] = topology.not_computed
    assert message.startswith(f"{resource} is imported, and not read: ")
    # A bean of another file acts on the broker only if the broker refers to it, which is a finding of its own.
    assert publish(topology, {}, "queue://q").queues == ("queue://q",)


def test_what_is_no_file_in_a_directory_of_definitions_is_skipped_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"queues": [{"name": "q", "vhost": "/"}]}', encoding="utf-8")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "readme.txt").touch()
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "gone.json").symlink_to(tmp_path / "nothing")
    (tmp_path / ".hidden").touch()
    found = definition_files(tmp_path)
    assert found.files == [tmp_path / "a.json"]
    warning, note = (finding.message for finding in found.left_out)
    assert "folder.json (a directory)" in warning
    assert "pipe.json" in warning
    assert "gone.json" in warning
    assert "readme.txt" in note
    assert ".hidden" not in note + warning
