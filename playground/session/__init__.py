"""Answers to the requests of the playground's page, as JSON.

A request is an object with the name of a question (``ask``) and its parameters; the answer is an object, too. Mistakes
in the user's input are part of the answer (``findings``, ``problem``) and never raise an exception.

Offsets count code points, as everywhere in ``transpiler``; the page converts them to JavaScript's offsets.

In reading order: ``answer``, ``selectors``, ``columns``, ``messages``, ``topologies``, ``examples``.
"""

from __future__ import annotations

from playground.session.answer import handle

__all__ = ["handle"]
