"""Views: their SELECT stands where a statement names them, read in a scope of its own."""

from __future__ import annotations

from dataclasses import replace

from nestling.common.errors import Problem, WorkloadError
from nestling.ir.model import Model, View
from nestling.ir.quantity_words import counted
from nestling.ir.reading import Gap, GapKind
from nestling.planner.sql.dialect import dialect_of
from nestling.planner.sql.gaps import StatementGap, statement_gap
from nestling.planner.sql.known_nodes import refuse_unread
from nestling.planner.sql.names_alike import refuse_alike
from nestling.planner.sql.outputs import BoundQuery, result_names
from nestling.planner.sql.parse import parse
from nestling.planner.sql.queries import bind_query
from nestling.planner.sql.scope import Env, Translation


def bind_view(view: View, translation: Translation, wish: str) -> BoundQuery:
    """The view's rows; errors in its SELECT name the view."""
    if view.name in translation.open_views:
        raise statement_gap(f"view `{view.name}`, which refers to itself")
    if dialect_of(view.dialect) is not translation.dialect and view.dialect:
        raise statement_gap(f"view `{view.name}`, which is in another dialect than the statement")
    translation.open_views.append(view.name)
    try:
        return _bound(view, translation, wish)
    except StatementGap as error:
        raise StatementGap(replace(error.gap, what=_of(view, error.gap.what), where="")) from None
    except WorkloadError as error:
        first = error.problems[0]
        raise WorkloadError(replace(first, what=_of(view, first.what), where="")) from None
    finally:
        translation.open_views.pop()


def _of(view: View, what: str) -> str:
    return what if what.startswith("view `") else f"view `{view.name}`: {what}"


def _bound(view: View, translation: Translation, wish: str) -> BoundQuery:
    parsed = parse(view.sql, translation.dialect)
    refuse_alike(parsed.tree, translation.model)
    refuse_unread(parsed.tree, translation.dialect)
    bound = bind_query(parsed.tree, Env(translation), wish)
    names = view.columns or result_names(bound, parsed, translation.dialect)
    if len(names) != len(bound.names):
        what = f"view `{view.name}` has {counted(len(bound.names), 'column')}, not {len(names)}"
        raise WorkloadError(Problem(what=what))
    return BoundQuery(bound.relation, names)


def unusable_views(model: Model, dialect: str) -> tuple[Gap, ...]:
    """A gap for each view no statement could name."""
    return tuple(found for view in model.views if (found := _gap_of(view, model, view.dialect or dialect)) is not None)


def _gap_of(view: View, model: Model, dialect: str) -> Gap | None:
    try:
        bind_view(view, Translation(model, dialect_of(dialect)), view.name)
    except StatementGap as error:
        return error.at(view.name)
    except WorkloadError as error:
        return Gap(GapKind.INPUT, error.problems[0].what, view.name)
    return None
