"""Where models come from: one module or package per kind of source, each imported only when it is used."""
