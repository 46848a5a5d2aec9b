"""Topologies for people: pictures of which queue receives which messages, and reports of unused or duplicate elements.

A picture (``picture``) is a graph. It is written in a diagram language, or laid out by Graphviz as SVG or as one HTML
page. A report (``findings``) also lists loops and lost messages, and claims only what is certain.

Not here: the routing of messages (``reference.route``), and explanations of a message's route (``explanation``).

In reading order: ``summary``, ``labels``, ``listing``, ``picture``, ``diagram_languages``; ``letters``, ``ways``,
``findings``; ``operator_questions``, ``policies``, ``retries``, ``permissions``, ``ways_in``.
"""
