"""Tools that answer questions about selectors and topologies without Spark.

``analysis`` proves claims about conditions and finds example messages; the other packages build on it. ``explanation``
explains why a message matches; ``dialect_tools`` compares dialects, ports selectors and diffs topologies; ``lint``
finds mistakes in files; ``test_cases`` runs tests of selectors; ``topology_report`` draws and examines a topology;
``backtest`` compares routing with a broker's log; ``command_spelling`` writes hints in the syntax of the command line.
"""
