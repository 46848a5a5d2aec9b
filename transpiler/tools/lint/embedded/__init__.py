"""Selectors embedded in files: which files contain selectors, where, and the position of each character.

The idea: a reader for each kind of file yields texts with the position of each character (``selector_text``), so that
a finding in a selector has a position in the file, even with XML entities, JSON escapes, continued lines and
concatenated literals.

Invariants: a reader yields complete selectors; a selector that is completed later, by a tool or at run time, is yielded
as unread. Only ``selector_patterns`` contains the names of keys, elements and calls with selectors. ``UnreadableError``
is raised for a file that is not of the kind of its name.

Deliberately not here: opening files (``transpiler.cli``), and the meaning of selectors.

In reading order: ``selector_patterns``, ``selector_text``, ``markers``; ``data_text``, ``xml_text``; ``code_tokens``,
``code_scopes``, ``code_values``, ``code_constants``, ``code_patterns``, ``code_functions``, ``code_text``;
``shell_text``, ``notebook_text``; ``prose``, ``placeholders``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import PurePath

from transpiler.tools.lint.embedded.code_functions import Declarations
from transpiler.tools.lint.embedded.code_text import find_in_code
from transpiler.tools.lint.embedded.code_tokens import FAMILIES
from transpiler.tools.lint.embedded.data_text import find_in_json, find_in_lines, find_in_properties, find_in_yaml
from transpiler.tools.lint.embedded.notebook_text import find_in_notebook
from transpiler.tools.lint.embedded.prose import without_prose
from transpiler.tools.lint.embedded.selector_patterns import is_near, is_worth_reading
from transpiler.tools.lint.embedded.selector_text import FoundSelector, InFile, UnreadableError, UnreadSelector
from transpiler.tools.lint.embedded.shell_text import find_in_shell
from transpiler.tools.lint.embedded.xml_text import find_in_xml

__all__ = [
    "KINDS",
    "Declarations",
    "FoundSelector",
    "UnreadSelector",
    "UnreadableError",
    "find_selectors",
    "is_code",
    "is_known",
    "is_selector_file",
]

#: The file name extensions of selector files.
SELECTOR_FILES = (".sel", ".selector", ".selectors")
_READERS: Mapping[str, Callable[[str], Iterator[InFile]]] = {
    **dict.fromkeys(SELECTOR_FILES, find_in_lines),
    **dict.fromkeys((".xml", ".jmx"), find_in_xml),
    ".json": find_in_json,
    ".yaml": find_in_yaml,
    ".yml": find_in_yaml,
    ".properties": find_in_properties,
    ".ipynb": find_in_notebook,
    **{suffix: partial(find_in_code, family=family) for suffix, family in FAMILIES.items()},
}
#: The file name extensions of shell scripts.
_SCRIPTS = (".sh", ".bash")
#: A file name extension for each kind of file. The key is the name of the kind in the command line's options.
KINDS: Mapping[str, str] = {
    "selectors": SELECTOR_FILES[0],
    **{suffix[1:]: suffix for suffix in _READERS if suffix not in SELECTOR_FILES},
}


def is_known(name: str) -> bool:
    """Return True if ``name`` is the name of a file of a kind that can be searched for selectors."""
    return PurePath(name).suffix.lower() in _READERS


def is_code(name: str) -> bool:
    """Return True if ``name`` is the name of a file of source code, except shell scripts."""
    suffix = PurePath(name).suffix.lower()
    return suffix in FAMILIES and suffix not in _SCRIPTS


def is_selector_file(name: str) -> bool:
    """Return True if ``name`` is the name of a selector file, which has one selector on each line."""
    return PurePath(name).suffix.lower() in SELECTOR_FILES


def find_selectors(text: str, name: str, declarations: Declarations | None = None) -> Iterator[InFile]:
    """Yield the selectors in ``text``, the content of a file; the extension of ``name`` determines the kind of file.

    ``declarations`` are the declarations of all source files of the run, to look up constants and functions. Lines of
    ``text`` end with LF. Raises ``UnreadableError``, also for an unknown extension.
    """
    if not is_known(name):
        raise UnreadableError("check does not know this kind of file")
    if is_selector_file(name):
        yield from find_in_lines(text)
        return
    suffix = PurePath(name).suffix.lower()
    known = declarations if is_code(name) else None
    others = [] if known is None else known.functions_of(text, name)
    if known is not None and (others or is_worth_reading(text, True)):
        yield from find_in_code(text, FAMILIES[suffix], others, partial(known.constants.find, text, name))
    elif is_worth_reading(text, is_code(name)):
        near = (one for one in _READERS[suffix](text) if is_near(one.whence, text))
        yield from without_prose(near, text, name)
        if suffix in _SCRIPTS:
            yield from find_in_shell(text)
