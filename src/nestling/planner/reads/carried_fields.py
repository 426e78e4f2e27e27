"""Removes unused fields before the first row of each group is taken.

Normally the server reads only the fields that a pipeline mentions, but not for a stage that takes whole documents. Each row
unwound from an array would hold a copy of the document around it. Documents of a collection are left as they are, because an
index may find the first one of each group.
"""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.paths.access_path import (
    ClientFile,
    CollectionScan,
    GroupDocuments,
    ProjectDocuments,
    Step,
    Union,
    Unwind,
)
from nestling.ir.paths.row_steps import (
    VARIABLE,
    Add,
    Compute,
    Constants,
    Correlate,
    FirstRows,
    GraphLookup,
    GroupRows,
    Shape,
    Windows,
)
from nestling.ir.paths.used_paths import own_paths
from nestling.ir.storage.names import is_within


def with_used_fields(step: Step, used: frozenset[str] | None = None) -> Step:
    """Return the step with only the `used` fields (None: all) in the rows from which the first of each group is taken."""
    match step:
        case CollectionScan() | Constants():
            return step
        case Union(sources):
            return Union(tuple(with_used_fields(each, used) for each in sources))
        case Correlate(foreign=foreign):
            step = replace(step, foreign=with_used_fields(foreign))
        case FirstRows() if used is not None and _is_unwound(step.source):
            used |= own_paths(step)
            step = replace(step, fields=_outermost(used))
        case _:
            pass
    return replace(step, source=with_used_fields(step.source, _used_before(step, used)))


def _used_before(step: Step, used: frozenset[str] | None) -> frozenset[str] | None:
    match step:
        case Shape() | GroupRows() | ProjectDocuments():
            return own_paths(step)
        case GroupDocuments() | ClientFile():
            return None
        case _ if used is None:
            return None
        case Correlate(field=field, equal=equal, variables=variables, identity=identity):
            here = [path for _, path in (*variables, *identity)] + ([equal[0]] if equal is not None else [])
            return frozenset(here) | _others(used, field)
        case GraphLookup(start=start, field=field):
            return frozenset([start]) | _others(used, field)
        case Compute(fields=fields) | Add(fields=fields) | Windows(functions=fields):
            return own_paths(step) | _others(used, *(name for name, _ in fields))
        case _:
            return used | own_paths(step)


def _others(used: frozenset[str], *made: str) -> frozenset[str]:
    """The paths that do not lead to these fields."""
    return frozenset(path for path in used if not any(is_within(path, field) for field in made))


def _is_unwound(step: Step) -> bool:
    """Whether the rows come from arrays of a collection's documents."""
    match step:
        case Unwind():
            return True
        case CollectionScan() | Constants() | Union() | Shape() | GroupRows() | ProjectDocuments() | GroupDocuments():
            return False
        case _:
            return _is_unwound(step.source)


def _outermost(used: frozenset[str]) -> tuple[str, ...]:
    """Return the paths that are not inside another one, without variables from outside."""
    paths = {path for path in used if not path.startswith(VARIABLE)}
    return tuple(sorted(path for path in paths if not any(path != each and is_within(path, each) for each in paths)))
