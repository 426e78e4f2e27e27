"""What the columns of PostgreSQL's `unnest(…)` in FROM are called."""

from __future__ import annotations

from sqlglot import exp


def element_titles(node: exp.Unnest, alias: exp.TableAlias | None) -> list[str]:
    """The column of elements, by the list of names behind the alias, else by the alias; and of WITH ORDINALITY their place."""
    found = [column.name for column in alias.columns] if alias is not None else []
    found = found or [alias.name if alias is not None and alias.name else "unnest"]
    place = node.args.get("offset")
    return [*found, place.name if isinstance(place, exp.Identifier) else "ordinality"] if place else found
