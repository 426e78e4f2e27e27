"""Walking queries: SELECTs with their sources and subqueries, set operations, WITH."""

from __future__ import annotations

from sqlglot import exp

from nestling.common.element_titles import element_titles
from nestling.ir.workload import StatementKind
from nestling.sources.statements.aggregates import note_outputs
from nestling.sources.statements.groups import note_groups
from nestling.sources.statements.occurrences import NamedSource, NameScope, Origins, add_read, add_shown, add_sort
from nestling.sources.statements.predicates import conditions, natural_join, using_join
from nestling.sources.statements.walk import StatementWalk, outermost

_Outputs = dict[str, Origins]


def walk_query(
    query: exp.Expr, walk: StatementWalk, parent: NameScope | None, *, counts_only: bool = False
) -> _Outputs:
    """Walk a query and say where its output columns come from; `counts_only` when nobody reads them (EXISTS)."""
    with walk.inside(query, parent):
        if isinstance(query, exp.SetOperation):
            outputs = _set_operation(query, walk, parent)
        elif isinstance(query, exp.Select):
            outputs = _select(query, walk, parent, counts_only=counts_only)
        elif isinstance(query, exp.Subquery | exp.Paren):
            outputs = _wrapped(query, walk, parent, counts_only=counts_only)
        else:
            visit(query, walk, NameScope(parent))
            outputs = {}
    return walk.remember_result(query, outputs)


def visit(node: exp.Expr | None, walk: StatementWalk, scope: NameScope) -> None:
    """Resolve every column of an expression and walk every query in it."""
    if node is None:
        return
    for found in outermost(node, lambda each: isinstance(each, exp.Column | exp.Query)):
        if isinstance(found, exp.Column):
            if not isinstance(found.this, exp.Star):
                walk.remember(found, walk.resolve(found, scope))
        else:
            walk_query(found, walk, scope, counts_only=isinstance(found.parent, exp.Exists))


def with_queries(node: exp.Expr, walk: StatementWalk, scope: NameScope) -> None:
    """Walk the WITH queries of a statement and name them in the scope."""
    clause = node.args.get("with_")
    if clause is None:
        return
    for part in clause.expressions:
        body = part.this
        if clause.recursive and isinstance(body, exp.SetOperation):
            anchor = walk_query(body.left, walk, scope)
            scope.queries[part.alias] = _named(part, anchor)
            before = len(walk.occurrences)
            walk_query(body.right, walk, scope)
            for occurrence in walk.occurrences[before:]:
                occurrence.recurs = True
        else:
            scope.queries[part.alias] = _named(part, walk_query(body, walk, scope))


def _named(part: exp.Expr, outputs: _Outputs) -> NamedSource:
    """The outputs under an alias, and under the column names the alias lists."""
    names = [name.name for name in part.args["alias"].columns] if part.args.get("alias") else []
    renamed = {names[i] if i < len(names) else name: origins for i, (name, origins) in enumerate(outputs.items())}
    return NamedSource(part.alias_or_name, renamed or dict.fromkeys(names, ()), is_open=not renamed and not names)


def _wrapped(query: exp.Expr, walk: StatementWalk, parent: NameScope | None, *, counts_only: bool) -> _Outputs:
    scope = NameScope(parent)
    with_queries(query, walk, scope)
    outputs = walk_query(query.this, walk, scope, counts_only=counts_only)
    scope.outputs = outputs
    _order(query, walk, scope, list(outputs.values()))
    return outputs


def _set_operation(query: exp.SetOperation, walk: StatementWalk, parent: NameScope | None) -> _Outputs:
    scope = NameScope(parent)
    with_queries(query, walk, scope)
    left, right = walk_query(query.left, walk, scope), walk_query(query.right, walk, scope)
    others = list(right.values())
    outputs = {name: origins + (others[i] if i < len(others) else ()) for i, (name, origins) in enumerate(left.items())}
    scope.outputs = outputs
    _order(query, walk, scope, list(outputs.values()))
    return outputs


# --- SELECT ----------------------------------------------------------------------------------------------------------


def _select(query: exp.Select, walk: StatementWalk, parent: NameScope | None, *, counts_only: bool) -> _Outputs:
    scope = NameScope(parent)
    with_queries(query, walk, scope)
    add_sources(query, walk, scope)
    where = query.args.get("where")
    outputs = _outputs(query, walk, scope, counts_only=counts_only)
    scope.outputs = {name: origins for name, origins in outputs.items() if name}
    if where:
        visit(where.this, walk, scope)
        conditions(where.this, walk)
    for part in ("group", "having", "qualify", "windows", "limit", "offset", "distinct"):
        for node in _as_list(query.args.get(part)):
            visit(node, walk, scope)
    if not counts_only:
        note_outputs(query, walk, scope)
        note_groups(query, walk, scope)
    _order(query, walk, scope, list(outputs.values()))
    return outputs


def _as_list(found: object) -> list[exp.Expr]:
    nodes = found if isinstance(found, list) else [found]
    return [node for node in nodes if isinstance(node, exp.Expr)]


def add_sources(node: exp.Expr, walk: StatementWalk, scope: NameScope) -> None:
    """Put what FROM and the joins of a query, an UPDATE or a DELETE name into the scope."""
    clause = node.args.get("from_")
    if clause is not None:
        add_source(clause.this, walk, scope)
    for join in _as_list(node.args.get("joins")):
        _join(join, walk, scope)
    for lateral in _as_list(node.args.get("laterals")):
        visit(lateral.this, walk, scope)
        scope.sources.append(NamedSource(lateral.alias_or_name, {}, is_open=True))


def _join(join: exp.Expr, walk: StatementWalk, scope: NameScope) -> None:
    before = list(scope.sources)
    add_source(join.this, walk, scope)
    added = scope.sources[len(before) :]
    if str(join.args.get("method") or "").upper() == "NATURAL":
        natural_join(before, added, walk, scope)
    using_join([name.name for name in join.args.get("using") or ()], before, added, walk, scope)
    if (on := join.args.get("on")) is not None:
        visit(on, walk, scope)
        conditions(join.args["on"], walk)
    side = str(join.args.get("side") or "").upper()
    _note_optional(added if side in ("LEFT", "FULL") else [])
    _note_optional(before if side in ("RIGHT", "FULL") else [])


def _note_optional(sources: list[NamedSource]) -> None:
    """Say that rows of these may be missing beside others."""
    for origins in (origins for source in sources for origins in source.columns.values()):
        for occurrence, _ in origins:
            occurrence.optional = True


def add_source(
    node: exp.Expr, walk: StatementWalk, scope: NameScope, kind: StatementKind = StatementKind.SELECT
) -> None:
    """Put one table, subquery or function into the scope."""
    if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
        query = scope.query(node.name) if not node.db else None
        source = NamedSource(node.alias_or_name, query.columns, is_open=query.is_open) if query else None
        scope.sources.append(source or walk.occurrence(node, kind)[1])
    elif isinstance(node, exp.Subquery) and _is_around_join(node):
        add_source(node.this, walk, scope)
    elif isinstance(node, exp.Subquery):
        apart = NameScope(scope.parent, queries=scope.queries)  # its neighbours in FROM are none of its business
        scope.sources.append(_named(node, walk_query(node.this, walk, apart)))
    elif isinstance(node, exp.Lateral) and isinstance(node.this, exp.Subquery):
        seen = NameScope(scope.parent, sources=list(scope.sources), queries=scope.queries)
        scope.sources.append(_named(node, walk_query(node.this, walk, seen)))
    elif (unnest := node.this if isinstance(node, exp.Lateral) else node) and isinstance(unnest, exp.Unnest):
        visit(unnest, walk, scope)
        titles = element_titles(unnest, node.args.get("alias"))
        scope.sources.append(NamedSource(node.alias or "unnest", dict.fromkeys(titles, ())))
    else:
        visit(node, walk, NameScope(scope))
        scope.sources.append(NamedSource(node.alias_or_name, {}, is_open=True))
    for join in _as_list(node.args.get("joins")):
        _join(join, walk, scope)


def _is_around_join(node: exp.Subquery) -> bool:
    """Whether it is parentheses around a table or a join, and no query with a name of its own."""
    return isinstance(node.this, exp.Table) or (isinstance(node.this, exp.Subquery) and not node.alias)


def _outputs(query: exp.Select, walk: StatementWalk, scope: NameScope, *, counts_only: bool) -> _Outputs:
    outputs: _Outputs = {}
    for position, item in enumerate(query.expressions):
        starred = item.this if isinstance(item, exp.Column) else item
        if isinstance(starred, exp.Star):
            outputs |= _star(item, walk, scope, counts_only=counts_only)
            continue
        visit(item, walk, scope)
        plain = query.expressions[position].unalias()
        name = item.alias_or_name or f"?{position}"
        outputs.setdefault(name if name not in outputs else f"?{position}", walk.origins(plain))
    return outputs


def _star(item: exp.Expr, walk: StatementWalk, scope: NameScope, *, counts_only: bool) -> _Outputs:
    """All columns of one source or of all; those that USING merged once."""
    sources = scope.sources
    if isinstance(item, exp.Column) and item.table:
        one = scope.source(item.table)
        if one is None:
            walk.resolve(item, scope)
        sources = [one] if one else []
    outputs: _Outputs = {}
    for source in sources:
        for name, origins in source.columns.items():
            if not counts_only:
                add_read(origins)
                add_shown(origins)
            merged = name in outputs and name.casefold() in scope.merged
            if not merged:
                outputs[name if name not in outputs else f"{source.alias}.{name}"] = origins
    return outputs


def _order(query: exp.Expr, walk: StatementWalk, scope: NameScope, outputs: list[Origins]) -> None:
    """ORDER BY: outputs by name or position first, then columns."""
    clause = query.args.get("order")
    for ordered in clause.expressions if clause else ():
        what, down = ordered.this, bool(ordered.args.get("desc"))
        first = bool(ordered.args.get("nulls_first"))
        if isinstance(what, exp.Literal) and not what.is_string and what.name.isdigit():
            position = int(what.name) - 1
            add_sort(outputs[position] if position < len(outputs) else (), descending=down, nulls_first=first)
        elif isinstance(what, exp.Column) and not what.table and what.name in scope.outputs:
            add_sort(walk.remember(what, scope.outputs[what.name]), descending=down, nulls_first=first)
        else:
            visit(ordered, walk, scope)
            add_sort(walk.origins(ordered.this), descending=down, nulls_first=first)
