"""The playground: one static page that runs the compiler in the browser, for selectors and for topologies.

The core runs there as it is, in Pyodide. ``python -m playground.build OUTDIR`` writes the page with everything it
loads; nothing is fetched from elsewhere when it is open, and nothing that is typed leaves it.

- ``session`` answers the page's questions: JSON in, JSON out. It is plain Python and tested as such.
- ``page`` has the page's HTML, CSS and JavaScript, which are shipped as they are.
- ``build`` puts these together with Pyodide, Graphviz and a *snapshot*: the memory of the interpreter after it has
  imported the core, so that opening the page imports nothing. ``downloads`` pins what comes from registries.

Not here: the command ``selector-sql playground``, which serves a built page (``transpiler.cli.playground``).

To read: ``session``, ``page/worker.js``, ``page/session.js``, ``page/app.js``; ``build``.
"""
