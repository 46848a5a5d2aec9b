"""Tools that all packages use and no messaging standard defines: source texts, diagnostics, documents, regexes.

Invariants: no module of this package knows a message, a selector, a broker or a column. The modules import each other
only in the order below.

In reading order: ``source`` (texts and spans), ``diagnostics``, ``errors``, ``arguments`` (wrong arguments of public
functions), ``documents`` (JSON, YAML and XML with locations), ``times``, ``ieee754``, ``comparison``, ``text_pattern``,
``topics``, ``regex``, ``html``.
"""
