"""Topologies for people: pictures of who receives what, and reports of what is dead, double or in a loop.

A picture (``picture``) is a graph, which is written as text of a language for diagrams, or laid out by Graphviz as SVG
and as one HTML page. A report (``findings``) claims only what is certain.

Not here: routing of messages, which is in ``reference.route``, and why one message went where it did.

To read: ``summary``, ``labels``, ``listing``, ``picture``, ``diagram_languages``; ``letters``,
``ways``, ``findings``; ``operator_questions``, ``policies``, ``retries``, ``permissions``, ``ways_in``.
"""
