"""Topologies for people: pictures of who receives what, and reports of what is dead, double or in a loop.

A picture is a graph (``graph``), which is written as text of a language for diagrams (``diagram``), or laid out by
Graphviz as SVG and as one HTML page (``page``). A report (``findings``) claims only what is certain: containment of
bindings (``containment``) answers False where it does not know.

Not here: routing of messages, which is in ``reference.route``, and why one message went where it did.

To read: ``summary``, ``labels``, ``graph``, ``diagram``, ``page``; ``scope``; ``containment``, ``ways``, ``findings``.
"""
