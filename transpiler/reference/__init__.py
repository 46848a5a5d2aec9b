"""The oracle: plain evaluation of surface trees on one message in Python, one clause under each sentence of a standard.

Nothing here imports analysis, predicate, optimizer, layouts or the emitter, whose results are tested against this.
"""
