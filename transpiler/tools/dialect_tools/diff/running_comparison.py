"""A declared topology against what a running broker answers: what is missing there, extra or changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from transpiler.base.arguments import check_keywords, local_path
from transpiler.base.documents.decoding import EncodingError, decode_text
from transpiler.base.errors import TopologyError
from transpiler.base.local_files import read_file
from transpiler.base.source import Source
from transpiler.tools.dialect_tools.diff.topology_changes import Change, TopologyDiff, diff_topologies
from transpiler.tools.topology_report.policies import applied_policies
from transpiler.topology.files import ReadOptions, parse_topology
from transpiler.topology.importers.running_answers import Answers, PoliciesOf, read_answers
from transpiler.topology.model import Topology

_ELSEWHERE = "copy the file to this machine"


def diff_running(
    declared: str | Path,
    answers: str | Path | Iterable[str | Path],
    *,
    state: str | Path | Mapping[str, Any] | None = None,
    examples: int = 5,
    names: Mapping[str, str] | None = None,
    **options: Unpack[ReadOptions],
) -> TopologyDiff:
    """Compare a topology's file with what the running broker answers, as ``selector-sql diff FILE ANSWER`` does.

    Args:
        declared: The name of the topology's file.
        answers: The name of a file with an answer, or of a directory of such files, or several names. An answer is
            ``GET /api/queues``, ``/api/exchanges``, ``/api/bindings`` or ``/api/policies`` of RabbitMQ, the output of
            ``rabbitmqctl list_queues`` and its like or of ``artemis queue stat``, or an answer of Jolokia.
        form: The form of the file, as for ``read_topology``; so are ``vhost``, ``state``, ``properties`` and
            ``broker_version``.
        vhost: The virtual host, if the file has several.
        state: Runtime state that the file of a JMS broker cannot contain.
        properties: The values of ``${placeholders}`` in the file.
        broker_version: The version of RabbitMQ.
        examples: Maximum number of example messages, as for ``diff_topologies``.
        names: New names for exchanges and queues, as for ``diff_topologies``.

    Returns:
        The differences. Elements that only the broker has are ``extra``, and those that it lacks are ``missing``. What
        no answer contains is not compared.

    Raises:
        TopologyError: The file is not a topology, or a file in ``answers`` is not an answer of a broker of its kind.
    """
    check_keywords("diff_running", ReadOptions, options)
    given = [answers] if isinstance(answers, str | Path) else [*answers]
    files = [file for one in given for file in _files(local_path("answers", one, _ELSEWHERE))]
    found = read_answers([_source(file) for file in files])
    if found is None:
        named = ", ".join(str(file) for file in files) or "the directory"
        raise TopologyError.at(
            "topology.form", f"no output of a running broker, such as its list of queues, was found in {named}"
        )
    file = local_path("declared", declared, _ELSEWHERE)
    source = _source(file)
    old, new = (
        parse_topology(source.text, source.name, state=state, running=running, file=file, **options)
        for running in (None, found)
    )
    return with_answers(diff_topologies(old, new, examples=examples, names=names), old, found)


def with_answers(found: TopologyDiff, declared: Topology, answers: Answers) -> TopologyDiff:
    """Return ``found`` as the difference from a running broker, with the notes and policies of its ``answers``.

    ``found`` is the difference between ``declared`` and the topology of the running broker. That has the objects that
    the ``answers`` contain, and the declared ones where no answer contains any.
    """
    found = found.of_running(answers.notes)
    return replace(found, settings=(*found.settings, *_policy_changes(declared, answers.policies)))


def _files(path: Path) -> list[Path]:
    return sorted(one for one in path.iterdir() if one.is_file()) if path.is_dir() else [path]


def _source(path: Path) -> Source:
    try:
        return Source(decode_text(read_file(path)).replace("\r\n", "\n").replace("\r", "\n"), str(path))
    except (UnicodeDecodeError, EncodingError):
        raise TopologyError.at("topology.text", f"{path} is not a text in UTF-8") from None


def _policy_changes(declared: Topology, running: Iterable[PoliciesOf]) -> Iterator[Change]:
    """Yield the queues to which the running broker applies another policy or policy setting than the declared one."""
    applied = applied_policies(declared)
    for one in running:
        known = applied.get(one.queue) if one.vhost in (None, declared.vhost) or declared.vhost is None else None
        if known is None:
            continue
        differs = False
        for kind, name in (("policy", one.policy), ("operator policy", one.operator)):
            was = known.names.get(kind)
            if name is not None and was is not None and name != was:
                differs = True
                yield Change("queue", "changed", one.queue, f"{kind} {name or 'none'} in effect, was {was or 'none'}")
        if differs or one.settings is None or len(known.names) < 2:
            continue
        texts = {name: _text(value) for name, value in one.settings.items()}
        for name in dict.fromkeys((*known.settings, *texts)):
            before = known.settings[name].value if name in known.settings else "none"
            if texts.get(name, "none") != before:
                detail = f"{name} {texts.get(name, 'none')} by policy, was {before}"
                yield Change("queue", "changed", one.queue, detail)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
