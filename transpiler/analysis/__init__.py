"""From surface trees to the typed core: names become typed alternatives, conditions become predicates."""
