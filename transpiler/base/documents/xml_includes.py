"""Files that an XML document includes: they are read from the document's folder, and their elements inserted.

A file is read only if its name is a relative path and the file lies in the folder of the document, after symbolic links
are followed. Names with a scheme, such as URLs, are never opened, nor is anything but a regular file. An element whose
file is not read stays in the document, with the reason in ``Element.unread``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from transpiler.base.documents.decoding import EncodingError, decode_text
from transpiler.base.documents.xml_elements import Element, XmlDocument, parse_xml
from transpiler.base.local_files import open_file
from transpiler.base.source import Source

#: Limits for all included files of a document: ``MAX_FILES`` is the number of files, ``MAX_LEVELS`` the number of files
#: that include one another, and ``MAX_BYTES`` the size of all files in bytes.
MAX_FILES, MAX_LEVELS, MAX_BYTES = 200, 10, 2**25

_ABSENT = "there is no such file in the folder of the file"


class Inclusion(NamedTuple):
    """The file that an element includes, by its path ``name``.

    If ``is_root`` is True, the root element of the file replaces the including element. Otherwise the children of the
    root element do. ``why_not`` is a reason not to read the file, as text for users; empty if there is no reason.
    """

    name: str
    is_root: bool
    why_not: str = ""


@dataclass(slots=True)
class Includer:
    """A reader of the files that the document in the file ``path`` includes; None is a text that is not in a file.

    ``included`` returns what an element includes, and None for any other element. ``properties`` are the values of
    placeholders. ``read`` lists the names of the files that were read.
    """

    path: Path | None
    included: Callable[[Element], Inclusion | None]
    properties: Mapping[str, str]
    read: list[str] = field(default_factory=list)
    _left: int = MAX_BYTES

    def expand(self, root: Element, within: tuple[str, ...] = ()) -> None:
        """Insert the elements of all included files below ``root``.

        ``within`` are the paths of the files that include one another down to ``root``.
        """
        waiting = [root]
        while waiting:
            parent = waiting.pop()
            children: list[Element] = []
            for child in parent.children:
                inclusion = self.included(child)
                if inclusion is None:
                    children.append(child)
                    waiting.append(child)
                else:
                    children += self._inserted(child, inclusion, within)
            parent.children[:] = children

    def _inserted(self, element: Element, inclusion: Inclusion, within: tuple[str, ...]) -> list[Element]:
        """Return the elements of the included file, or ``element`` itself if the file is not read."""
        path = _Reason(inclusion.why_not) if inclusion.why_not else self._path(inclusion.name, within)
        root = path if isinstance(path, _Reason) else self._document(path, inclusion.name)
        if isinstance(path, _Reason) or isinstance(root, _Reason):
            element.unread = path if isinstance(path, _Reason) else str(root)
            return [element]
        self.read.append(inclusion.name)
        # The root element may itself include a file, so it gets a parent whose children are expanded.
        holder = Element(root.document, "", 0, root.line, root.column, children=[root])
        self.expand(holder, (*within, path))
        return holder.children if inclusion.is_root else [each for top in holder.children for each in top.children]

    def _path(self, name: str, within: tuple[str, ...]) -> str | _Reason:
        """Return the path of the included file ``name``, or the reason not to read it."""
        if self.path is None or not self.path.is_file():
            return _Reason("the text is not in a file, so it has no folder")
        try:
            parts = urlsplit(name)
            if parts.scheme or parts.netloc or os.path.isabs(name):
                return _Reason("only relative paths are read")
            own = os.path.realpath(self.path)
            folder, base = os.path.dirname(own), os.path.dirname(within[-1] if within else own)
            path = os.path.realpath(os.path.join(base, name))
            if os.path.commonpath([folder, path]) != folder:
                return _Reason("it is outside the folder of the file")
        except (OSError, ValueError):
            return _Reason(_ABSENT)
        if path in (own, *within):
            return _Reason("it includes itself")
        if len(within) >= MAX_LEVELS:
            return _Reason(f"more than {MAX_LEVELS} files include one another")
        if len(self.read) >= MAX_FILES:
            return _Reason(f"more than {MAX_FILES} files are included")
        return path

    def _document(self, path: str, name: str) -> Element | _Reason:
        """Return the root element of the file at ``path``, or the reason why it cannot be read."""
        try:
            with open_file(path) as stream:
                data = stream.read(self._left + 1)
        except FileNotFoundError:
            return _Reason(_ABSENT)
        except OSError as error:
            return _Reason(error.strerror or str(error))
        self._left -= len(data)
        if self._left < 0:
            self._left = 0
            return _Reason(f"the included files have more than {MAX_BYTES:,} bytes")
        try:
            text = decode_text(data).replace("\r\n", "\n").replace("\r", "\n")
        except (UnicodeDecodeError, EncodingError):
            return _Reason("it is not text in UTF-8")
        return parse_xml(XmlDocument(Source(text, name), self.properties, f"{name}:"))


class _Reason(str):
    """The reason why an included file is not read, as text for users."""

    __slots__ = ()
