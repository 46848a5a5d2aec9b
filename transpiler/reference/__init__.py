"""The oracle: evaluation of surface trees on one message in plain Python, one clause for each sentence of a standard.

No module here imports the compiler (lowering, rewrites, layouts or SQL), whose results are tested against the oracle.
"""
