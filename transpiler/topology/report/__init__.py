"""Reports about a topology for people: ``diagram`` draws it as Mermaid or Graphviz text."""
