"""The typed core: what selectors, filters and bindings all become before they become SQL."""
