"""Definitions of RabbitMQ as the broker imports them: several files as one export, and objects that are there twice.

The broker loads the files of a directory in the order of their names, each as a whole
(``rabbit_definitions_import_local_filesystem:load_from_files``). It ignores a queue or an exchange that is there
already, and overwrites policies, parameters, users and permissions (``rabbit_definitions:add_queue_int``,
``add_policy``). A binding whose queue only a later file declares is refused.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from transpiler.base.documents.entries import Entry, Findings, refuse

#: The separator between the name of a file and the path in the file.
IN_FILE = ": "


@dataclass(frozen=True)
class Definitions(Entry):
    """An export of definitions; ``paths`` contains the path of each object in each list of the export.

    If the export was merged from several files, ``files`` contains their names in the order of the import.
    """

    paths: Mapping[str, list[str]] = field(default_factory=dict)
    files: tuple[str, ...] = ()

    def items(self, name: str) -> Iterator[tuple[Any, str]]:
        """Yield the objects in the list ``name``, each with its path."""
        return zip(self.data.get(name, ()), self.paths.get(name, ()), strict=True)


def merged_definitions(files: Mapping[str, Any]) -> Definitions:
    """Return the definitions in ``files`` (content by file name, in order) merged into one export.

    Lists of objects are concatenated. For any other member, the value in the first file that has it applies.
    """
    data: dict[str, Any] = {}
    paths: dict[str, list[str]] = {}
    for name, plain in files.items():
        entry = Entry.of(plain, f"{name}{IN_FILE}")
        for member, value in entry.data.items():
            if not isinstance(value, list | tuple):
                data.setdefault(member, value)
                continue
            listed = data.setdefault(member, [])
            if not isinstance(listed, list):
                refuse("topology.type", f"{name}{IN_FILE}{member}", "another file has no array here")
            listed += value
            paths.setdefault(member, []).extend(f"{name}{IN_FILE}{member}[{index}]" for index in range(len(value)))
    return Definitions(data, "", paths, tuple(files))


#: For each list of definitions, the members that identify an object. If several objects of a list have equal values of
#: these members, the broker keeps the first object (lists in ``_FIRST``) or the last (lists in ``_LAST``).
_FIRST: Mapping[str, tuple[str, ...]] = {"exchanges": ("name",), "queues": ("name",)}
_LAST: Mapping[str, tuple[str, ...]] = {
    "users": ("name",),
    "permissions": ("user",),
    "topic_permissions": ("user", "exchange"),
    "parameters": ("component", "name"),
    "policies": ("name",),
    "operator_policies": ("name",),
}


def as_imported(root: Entry, vhost: str | None, findings: Findings) -> Entry:
    """Return ``root`` without duplicates: of several objects with the same name, keep the one that RabbitMQ keeps.

    Only objects of the virtual host ``vhost`` are compared; None means every virtual host. Add a finding for each later
    object that differs from the earlier object of the same name.
    """
    changed: dict[str, list[Entry]] = {}
    for part, names in (*_FIRST.items(), *_LAST.items()):
        kept: dict[Hashable, Entry] = {}
        entries = [*root.entries(part)]
        for number, entry in enumerate(entries):
            is_of_another = vhost is not None and entry.data.get("vhost", vhost) != vhost
            if is_of_another or any(name not in entry.data for name in names):
                kept[number] = entry
                continue
            # A name may be any JSON value; an invalid name is reported where the object is read.
            key = tuple(repr(entry.data.get(name)) for name in names)
            before = kept.get(key)
            if before is not None and {**before.data, "vhost": None} != {**entry.data, "vhost": None}:
                called = " ".join(str(entry.data.get(name, "")) for name in names)
                which = "first" if part in _FIRST else "last"
                message = f"{called!r} is there already, and this entry differs: the broker keeps the {which}"
                findings.add("import.duplicate", entry.path, message)
            if before is None or part in _LAST:
                # If an object with this name is in the dict already, the last object replaces it at its position in the
                # order.
                kept[key] = entry
        if len(kept) < len(entries):
            changed[part] = [*kept.values()]
    if not changed:
        return root
    paths = {
        part: [path for _, path in root.items(part)]
        for part, objects in root.data.items()
        if isinstance(objects, list | tuple)
    }
    data = {**root.data, **{part: [one.data for one in kept_] for part, kept_ in changed.items()}}
    paths |= {part: [one.path for one in kept_] for part, kept_ in changed.items()}
    return Definitions(data, "", paths, root.files if isinstance(root, Definitions) else ())


def add_late_declarations(
    root: Entry, vhost: str | None, predeclared: Container[Any], *, stops: bool, findings: Findings
) -> None:
    """Add findings about bindings whose queue or exchange is declared only in a file that the broker loads later.

    Args:
        root: The definitions; if they are of one file, there are no findings.
        vhost: The virtual host whose bindings are tested, None for all.
        predeclared: The names of the exchanges that are always there.
        stops: True if the broker refuses a file with a refused binding, as from RabbitMQ 4.0 on; False if it goes on.
        findings: Receives one finding for each pair of files.
    """
    order = {name: number for number, name in enumerate(root.files)} if isinstance(root, Definitions) else {}
    if len(order) < 2:
        return
    declared: dict[tuple[str, Any], str] = {}
    for kind, part in (("queue", "queues"), ("exchange", "exchanges")):
        for one in root.entries(part):
            if vhost is None or one.data.get("vhost", vhost) == vhost:
                declared.setdefault((kind, one.data.get("name")), one.path.partition(IN_FILE)[0])
    late: dict[tuple[str, str], dict[tuple[str, Any], str]] = {}
    for one in root.entries("bindings"):
        if vhost is not None and one.data.get("vhost", vhost) != vhost:
            continue
        file = one.path.partition(IN_FILE)[0]
        ends = (
            ("exchange", one.data.get("source"), "source"),
            (one.data.get("destination_type", "queue"), one.data.get("destination"), "destination"),
        )
        for kind, name, member in ends:
            at = declared.get((kind, name), file)
            if order[at] > order[file] and not (kind == "exchange" and name in predeclared):
                late.setdefault((file, at), {}).setdefault((kind, name), one.at(member))
    for (_, at), found in late.items():
        [((kind, name), location), *others] = found.items()
        more = f" and {len(others):,} more" if others else ""
        message = (
            f"the {kind} {name!r}{more} {'are' if others else 'is'} declared in {at}, which comes after this file: "
        )
        message += "the broker refuses the whole file" if stops else "the broker goes on without the binding"
        hint = f"perhaps rename the files: the broker loads them in the order of their names, and {at} must come first"
        findings.add("import.refused", location, message, hint, severity="error" if stops else "warning")


def without_vhost(root: Definitions) -> Iterator[tuple[str, str]]:
    """Yield the path and kind of an object without a ``vhost``: the first such object in each file of a directory.

    RabbitMQ refuses such a file when it loads the directory (``rabbit_definitions:any_orphaned_in_doc``).
    """
    found: set[str] = set()
    for part in ("queues", "exchanges", "bindings"):
        for one in root.entries(part):
            file = one.path.partition(IN_FILE)[0]
            if not one.has("vhost") and file not in found:
                found.add(file)
                yield one.path, part.removesuffix("s")
