"""A predicate on what rows are grouped by goes below the group, where an index may answer it: rows whose home is copies of them.

All rows of a group have the same values of its keys, so that it leaves out groups as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from nestling.ir.paths.access_path import FieldPath, GroupDocuments, ProjectDocuments, Step, Union
from nestling.ir.paths.row_steps import VARIABLE, ColumnId, Layout, Where
from nestling.ir.statements.expression import Expression
from nestling.ir.statements.operands import conjunction, conjuncts
from nestling.planner.reads.traverse import mentioned

Restrict: TypeAlias = Callable[[Step, Expression, Layout], Step]


def below_groups(
    step: Step, predicate: Expression, layout: Layout, restrict: Restrict
) -> tuple[Step, Expression | None]:
    """The step restricted by what can be asked below its group, and the rest of the predicate."""
    if isinstance(step, Where):
        source, rest = below_groups(step.source, predicate, layout, restrict)
        return replace(step, source=source), rest
    if not isinstance(step, GroupDocuments):
        return step, predicate
    sources = step.source.sources if isinstance(step.source, Union) else (step.source,)
    projects = [each for each in sources if isinstance(each, ProjectDocuments)]
    down: list[Expression] = []
    stay: list[Expression] = []
    for each in conjuncts(predicate):
        is_said = len(projects) == len(sources) and all(_paths_before(each, layout, source) for source in projects)
        (down if is_said else stay).append(each)
    asked = conjunction(*down)
    if asked is None:
        return step, predicate
    found = tuple(
        replace(each, source=restrict(each.source, asked, Layout.of(_paths_before(asked, layout, each) or {})))
        for each in projects
    )
    return replace(step, source=found[0] if len(found) == 1 else Union(found)), conjunction(*stay)


def _paths_before(predicate: Expression, layout: Layout, project: ProjectDocuments) -> dict[ColumnId, str] | None:
    """The paths of its columns before the projection; None where one is no plain field there, or there are none."""
    values = dict(project.fields)
    paths: dict[ColumnId, str] = {}
    for column in mentioned(predicate):
        path = layout.path(column)
        value = FieldPath(path) if path.startswith(VARIABLE) else values.get(path)
        if not isinstance(value, FieldPath):
            return None
        paths[column.alias, column.name] = value.path
    return paths or None
