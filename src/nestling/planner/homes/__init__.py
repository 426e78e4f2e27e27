"""From an entity to its rows: the places they are stored at, and the access paths that yield all of them (home views)."""
