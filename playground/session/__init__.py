"""Answers to the playground's questions, as JSON.

A request is an object with the name of a question (``ask``) and its parameters; the answer is an object, too. What the
user typed may be wrong in any way: that is part of an answer (``findings``, ``problem``) and never an exception.

Offsets count code points, as everywhere in the core; the page converts them to JavaScript's.

To read: ``answer``, ``selectors``, ``fixes``, ``messages``, ``topologies``, ``examples``.
"""

from __future__ import annotations

from playground.session.answer import handle

__all__ = ["handle"]
