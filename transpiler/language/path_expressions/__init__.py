"""Paths into XML: XPath 1.0 in selectors, XQuery in bindings, each read once.

A parser yields a tree with the places of its parts: ``reference`` evaluates the tree on a message, ``lowering`` says
which trees Spark can be given, and ``xpath_subset`` which trees neither of them evaluates.
Names are XML's own (``xml_names``).

Not here: documents (``message.documents``), and what is outside the subset of either side.

Read ``xml_names``, ``xpath_nodes``, ``xpath``, ``xpath_subset``; ``xquery_nodes``, ``xquery``.
"""
