"""The playground: one static page that runs the compiler in the browser, for selectors and for topologies.

The unchanged package ``transpiler`` runs there in Pyodide. ``python -m playground.build OUTDIR`` writes the page with
all files that it loads. The open page fetches nothing from other servers, and sends nothing that the user types.

- ``session`` answers the page's requests: JSON in, JSON out. It is plain Python and tested as such.
- ``page`` contains the page's HTML, CSS and JavaScript, which are shipped unchanged.
- ``build`` combines these with Pyodide, Graphviz and a *snapshot*: the memory of the interpreter after it has imported
  ``transpiler``, so that opening the page imports nothing. ``downloads`` pins the packages from registries.

Not here: the command ``selector-sql playground``, which serves a built page (``transpiler.cli.playground``).

In reading order: ``session``, ``page/worker.js``, ``page/session.js``, ``page/app.js``; ``build``.
"""
