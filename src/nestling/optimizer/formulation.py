"""The problem as a 0/1 linear model: one function per kind of element.

A structure is a binary column. A mode is a continuous one: with the structures fixed, the best modes are a vertex. The links of
a step are aggregated – the modes that use a structure sum to at most that structure – which keeps the linear bound tight.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from nestling.ir.design_problem import Charge, DesignProblem, Group, Limit, Needs, StatementStep
from nestling.optimizer.evaluate import limit_scale
from nestling.optimizer.linear_model import Builder, LinearModel
from nestling.optimizer.nested_costs import nested, nested_pairs

_Columns = Mapping[str, int]


def formulation(problem: DesignProblem) -> LinearModel:
    """The linear model of a weighted problem; column i is structure i. Constant charges are left out."""
    builder = Builder(len(problem.structures))
    columns = {structure.id: place for place, structure in enumerate(problem.structures)}
    for group in problem.groups:
        _add_group(builder, group, columns)
    for needs in problem.needs:
        _add_needs(builder, needs, columns)
    for step in problem.steps:
        _add_step(builder, step, columns)
    for limit in problem.limits:
        _add_limit(builder, limit, columns)
    _add_charges(builder, problem.charges, problem.groups, columns)
    return builder.model()


def _add_group(builder: Builder, group: Group, columns: _Columns) -> None:
    terms = [(columns[name], 1.0) for name in group.among]
    builder.row(terms, lower=0.0 if group.optional else 1.0, upper=1.0)


def _add_needs(builder: Builder, needs: Needs, columns: _Columns) -> None:
    if needs.structure not in needs.any_of:
        any_of = [(columns[name], -1.0) for name in dict.fromkeys(needs.any_of)]
        builder.row([(columns[needs.structure], 1.0), *any_of], upper=0.0)


def _add_step(builder: Builder, step: StatementStep, columns: _Columns) -> None:
    """One mode answers; modes that need a structure only with it, modes that exclude it only without."""
    modes = [builder.column(mode.cost) for mode in step.modes]
    builder.row([(mode, 1.0) for mode in modes], lower=1.0, upper=1.0)
    users: dict[str, list[int]] = defaultdict(list)
    excluders: dict[str, list[int]] = defaultdict(list)
    extras: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for column, mode in zip(modes, step.modes, strict=True):
        for name in dict.fromkeys(mode.needs):
            users[name].append(column)
        for name in dict.fromkeys(mode.without):
            excluders[name].append(column)
        for name, cost in mode.also:
            extras[name].append((cost, column))
    for name, using in users.items():
        builder.row([*((column, 1.0) for column in using), (columns[name], -1.0)], upper=0.0)
    for name, excluding in excluders.items():
        builder.row([*((column, 1.0) for column in excluding), (columns[name], 1.0)], upper=1.0)
    for name, costs in extras.items():
        for cost, affected in nested(costs):
            builder.product((affected, [columns[name]]), cost, at_least=cost > 0)


def _add_limit(builder: Builder, limit: Limit, columns: _Columns) -> None:
    """Amounts are divided by the largest, so that bytes and counts meet the solver's tolerance alike."""
    scale = limit_scale(limit)
    sums: dict[int, float] = defaultdict(float)
    constant = 0.0
    for when, amount in limit.amounts:
        names = tuple(dict.fromkeys(when))
        if not names:
            constant += amount / scale
        elif len(names) == 1:
            sums[columns[names[0]]] += amount / scale
        else:
            factors = [[columns[name]] for name in names]
            sums[builder.product(factors, 0.0, at_least=amount > 0)] += amount / scale
    builder.row(list(sums.items()), upper=limit.at_most / scale - constant)


def _add_charges(builder: Builder, charges: Sequence[Charge], groups: Sequence[Group], columns: _Columns) -> None:
    """One structure: straight into the objective. Two: nested along groups. More: one product each."""
    pairs: dict[tuple[str, str], float] = defaultdict(float)
    for charge in charges:
        names = sorted(set(charge.when))
        if len(names) == 1:
            builder.costs[columns[names[0]]] += charge.cost
        elif len(names) == 2:
            pairs[names[0], names[1]] += charge.cost
        elif names:
            builder.product([[columns[name]] for name in names], charge.cost, at_least=charge.cost > 0)
    for cost, one, others in nested_pairs(pairs, groups):
        builder.product(([columns[one]], [columns[name] for name in others]), cost, at_least=cost > 0)
