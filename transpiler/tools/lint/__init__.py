"""Lint: rules over selectors, in arguments, selector files and wherever other files have selectors.

The idea: a rule is a record with the text of its page and a function (``rule``); the registry is a tuple. What a rule
says is at a place in a selector, and a selector knows its place in a file, so every finding has a line and a column.

Invariants:

- What an analysis says is proven: a condition that is "never true" is so for every message, in the dialect's own
  semantics (``analysis``).
- A legal selector has no error. Findings that are a matter of the data, such as a property that may be missing, are
  notes.
- Every rule has a page (``pages``) whose wrong example yields it and whose right one does not.

Deliberately not here: opening files, colours and exit codes (``transpiler.cli``).

In reading order: ``rule``, the modules of ``rules``, ``registry``; ``check``, ``embedded``, ``report``, ``run``,
``fixes``, ``formats``, ``pages``.
"""
