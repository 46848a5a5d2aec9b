"""The tools of the site beside MkDocs: its hooks, the check of its links, its plots and its picture."""
