"""Qpid addresses: ``name/subject; {create: …, node: {…}, link: {…}}``, and the bindings that one stands for.

In reading order: ``address_syntax`` (the text with the place of each part), ``address`` (what it means).
"""
