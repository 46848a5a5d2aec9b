"""Lint: rules that find mistakes in selectors, in arguments, in selector files and embedded in other files.

The idea: a rule is a record with a function and the text of its page (``rule``); the registry is a tuple of rules. A
finding has a span in a selector, and a selector knows its location in a file, so every finding has a line and a column.

Invariants:

- Results of an analysis are proved: a condition reported as "never true" is TRUE for no message, in the semantics of
  the dialect (``analysis``).
- A legal selector has no error. Findings that depend on the data, such as a property that may be missing, are notes.
- Every rule has a page (``pages``). The rule reports the page's wrong example, and does not report its right example.

Deliberately not here: opening files, colours and exit codes (``transpiler.cli``).

In reading order: ``rule``, the modules of ``rules``, ``registry``; ``check``, ``embedded``, ``report``, ``run``,
``fixes``, ``formats``, ``pages``.
"""
