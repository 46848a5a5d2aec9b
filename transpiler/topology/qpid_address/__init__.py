"""Qpid addresses: ``name/subject; {create: …, node: {…}, link: {…}}``, and the bindings that an address implies.

In reading order: ``address_syntax`` (the syntax, with the location of each element), ``address`` (the meaning).
"""
