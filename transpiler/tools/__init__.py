"""Questions that people ask of selectors and topologies, each answered without Spark.

``analysis`` proves and finds messages, and all others ask it; ``explanation`` says why a message matches;
``dialect_tools`` compares, ports and diffs; ``lint`` finds mistakes in files; ``test_cases`` runs tests of selectors;
``topology_report`` draws and examines a topology; ``backtest`` compares routing with a broker's log;
``command_spelling`` writes hints as a command takes them.
"""
