"""Tools of every room that no standard of messaging defines: source texts, diagnostics, documents, numbers, patterns.

Invariants: nothing here knows a message, a selector, a broker or a column; imports within follow the order below.

In reading order: ``source`` (texts and spans), ``diagnostics``, ``errors``, ``arguments`` (wrong arguments of public
functions), ``documents`` (JSON, YAML and XML with places), ``times``, ``ieee754``, ``comparison``, ``text_pattern``,
``topics``, ``regex``, ``html``.
"""
