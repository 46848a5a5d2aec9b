"""Documents of data: texts whose parts have places."""
