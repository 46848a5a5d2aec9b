"""Paths into XML: XPath 1.0 in selectors, XQuery in bindings, with one tree and one parser of paths.

A parser yields a tree with the places of its parts: ``reference.paths`` evaluates the tree on a message, and
``lowering.paths`` says which trees Spark can be given.

Not here: documents (``message.documents``), and what is outside the subset of either side.

Read ``path_tree``, ``xpath``, ``xquery``.
"""
