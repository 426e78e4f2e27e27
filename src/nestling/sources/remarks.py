"""What a source does that a model does not say, in the words of DDL files and of live databases alike."""

from __future__ import annotations


def carried(declared: str) -> str:
    """A type that has no conceptual one."""
    if declared.rpartition(".")[2] == "citext":
        return (
            f"type `{declared}` is carried as text: the case of A to Z does not count where it is compared, but in LIKE"
        )
    return f"type `{declared}` is carried as found"


def computed(table: str, column: str) -> str:
    """A generated column."""
    return f"`{table}.{column}` is computed by the database: it is kept as a plain attribute"


def unique_for_some(table: str) -> str:
    """A partial unique index."""
    return f"a unique index of `{table}` is over some rows only: no attributes are unique by it"


def unique_by_expression(table: str) -> str:
    """A unique index over what is no column."""
    return f"a unique index of `{table}` is over an expression: no attributes are unique by it"
