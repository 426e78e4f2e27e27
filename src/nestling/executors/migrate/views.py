"""The server's views over collections that change: they stay, but yield different results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pymongo.database import Database

from nestling.common.errors import name_list
from nestling.executors.migrate.job import Job

_JOINS = ("$lookup", "$graphLookup")


def views_over(job: Job, database: Database[Any]) -> Iterator[str]:
    """Describe each view that reads one of these collections, directly or through other views, and what happens to it."""
    views = {each["name"]: each["options"] for each in database.list_collections(filter={"type": "view"})}
    direct = {name: frozenset((str(told["viewOn"]), *_read(told.get("pipeline")))) for name, told in views.items()}
    finals = frozenset(job.names.values())
    for view in views:
        read = _through(view, direct)
        anew = [name for name in job.replaced if name in read & finals]
        gone = [name for name in job.replaced if name in read - finals]
        told = [f"{name_list(anew)} (rebuilt)"] if anew else []
        told += [f"{name_list(gone)} (not in the new design)"] if gone else []
        if told:
            yield f"the view `{view}` over {' and '.join(told)}"


def _through(view: str, direct: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """All that a view reads; views do not read each other in a circle."""
    return direct[view].union(*(_through(name, direct) for name in direct[view] if name in direct))


def _read(stages: object) -> Iterator[str]:
    """The collections that a pipeline joins, in whichever pipeline of it."""
    if isinstance(stages, list):
        for each in stages:
            yield from _read(each)
    if isinstance(stages, Mapping):
        for name, body in stages.items():
            if name == "$unionWith":
                yield str(body.get("coll") if isinstance(body, Mapping) else body)
            elif name in _JOINS and isinstance(body, Mapping):
                yield str(body.get("from"))
            yield from _read(body)
