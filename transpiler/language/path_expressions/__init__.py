"""Paths into XML: XPath 1.0 in selectors, XQuery in bindings, with one tree and one parser of paths.

The parser returns a tree whose nodes have their spans in the text. ``reference.paths`` evaluates the tree for a
message, and ``compiler.lowering.paths`` checks whether Spark can evaluate it.

Deliberately not here: which texts are XML documents (``message.documents``), and the limits of Java's XPath.

In reading order: ``path_tree``, ``xpath``, ``xquery``.
"""
