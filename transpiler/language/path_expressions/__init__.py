"""Paths into XML: XPath 1.0 in selectors, XQuery in bindings, each read once.

A parser yields a tree with the places of its parts, and judges nothing: ``reference`` evaluates the tree on a message,
``lowering`` says which trees Spark can be given. Names are XML's own (``xml_names``).

Not here: documents (``message.documents``), and what is outside the subset of either side.

Read ``xml_names``, ``xpath_nodes``, ``xpath``; ``xquery_nodes``, ``xquery``.
"""
