"""Where a design keeps its rows and how: collections, documents, fields, arrays, stored names."""
