"""Options of collections that no design has: they are lost with the collection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

from pymongo.database import Database

from nestling.executors.migrate.undo_record import OLD_SUFFIX
from nestling.ir.literals import shell
from nestling.ir.migration import REFUSES_ALL
from nestling.ir.programs.command import Command, CreateCollection
from nestling.ir.storage.validator_form import validator_form


def lost_options(
    database: Database[Any],
    names: Iterable[str],
    ours: Set[tuple[str, bytes]],
    coming: Iterable[Command],
) -> tuple[str, ...]:
    """Options of these collections that the new design's commands do not set, in words.

    `ours`: the collections with the forms of the old design's own validators.
    """
    there = {each["name"]: each.get("options", {}) for each in database.list_collections()}
    new = {each.name: each.options for each in coming if isinstance(each, CreateCollection)}
    found = ((name, there.get(f"{name}{OLD_SUFFIX}", there.get(name, {}))) for name in names)
    return tuple(
        f"{what} of `{name}`" for name, options in found for what in _lost(name, options, ours, new.get(name, {}))
    )


def _lost(name: str, today: Mapping[str, Any], ours: Set[tuple[str, bytes]], new: Mapping[str, Any]) -> Iterator[str]:
    collation = today.get("collation")
    if collation:
        told = {part: collation[part] for part in ("locale", "strength") if part in collation}
        yield f"the default collation {shell(told)}, by which texts and unique indexes are compared,"
    if today.get("capped") and (today.get("size"), today.get("max")) != (new.get("size"), new.get("max")):
        most = f", {today['max']:,} documents" if today.get("max") else ""
        yield f"the bounds ({today['size']:,} bytes{most}; capped)"
    if "expireAfterSeconds" in today and today["expireAfterSeconds"] != new.get("expireAfterSeconds"):
        yield f"the expiry after {today['expireAfterSeconds']:,} s"
    form = validator_form(today.get("validator"))
    if form not in (validator_form({}), validator_form(REFUSES_ALL)) and (name, form) not in ours:
        yield "the application's own validator"
