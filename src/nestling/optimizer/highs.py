"""Calls HiGHS. No other file does."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from enum import Enum

import highspy
import numpy as np

from nestling.optimizer.growing_model import GrowingModel, StoredRows
from nestling.optimizer.linear_model import Floats, Integers, LinearModel

FEASIBILITY = 1e-9
"""How far the solver may step over a row or from a whole number; ours is `evaluate.TOLERANCE`, of the same size."""

GAP = 1e-9
"""The relative gap at which the solver stops: well below the gap that counts as proved."""

MOST_COLUMNS_WITHOUT_PRESOLVE = 1_000
"""Relaxations of up to this many columns are solved three times as fast without the solver's own presolve."""


class Status(Enum):
    """How a run ended."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    STOPPED = "stopped"  # by the time limit, with or without a solution


@dataclass(frozen=True, slots=True)
class Outcome:
    """The solver's result, in the model's own units. `bound` is proved; `values` is None without a solution."""

    status: Status
    bound: float
    values: Floats | None
    reduced_costs: Floats | None = None


def minimise(
    model: LinearModel, *, seconds: float, scale: float = 1.0, fixed: Floats | None = None, absolute_gap: float = 0.0
) -> Outcome:
    """Solve a model; costs are divided by `scale`, and `fixed` (NaN: free) holds some columns."""
    solver = _solver(seconds)
    solver.setOptionValue("mip_rel_gap", GAP)
    solver.setOptionValue("mip_abs_gap", absolute_gap / scale)
    solver.setOptionValue("mip_feasibility_tolerance", FEASIBILITY)
    columns = len(model.cost)
    lower, upper = np.zeros(columns), np.ones(columns)
    if fixed is not None:
        held = ~np.isnan(fixed)
        lower[held] = upper[held] = fixed[held]
    kinds = np.zeros(columns, dtype=np.int32)
    kinds[: model.binary] = int(highspy.HighsVarType.kInteger)
    rows = StoredRows(model.lower, model.upper, model.starts, model.columns, model.values)
    _pass(solver, model.cost / scale, lower, upper, rows, kinds)
    solver.run()
    status, info = _status(solver.getModelStatus()), solver.getInfo()
    bound = info.mip_dual_bound if model.binary else info.objective_function_value
    return Outcome(status, bound * scale, _values(solver) if status is not Status.INFEASIBLE else None)


def relax(growing: GrowingModel, *, seconds: float, scale: float = 1.0) -> Outcome:
    """Solve a model without integrality, growing it as far as necessary; costs are divided by `scale`.

    If time runs out, the bound is that of the model without some of its products, if that was solved.
    """
    end = time.perf_counter() + seconds
    solver, columns = _solver(seconds), len(growing.columns)
    if columns <= MOST_COLUMNS_WITHOUT_PRESOLVE:
        solver.setOptionValue("presolve", "off")
    whole = np.zeros(columns, dtype=np.int32)
    _pass(solver, growing.cost / scale, np.zeros(columns), np.ones(columns), growing.rows(), whole)
    bound = -math.inf
    while True:
        solver.run()
        status = _status(solver.getModelStatus())
        if status is not Status.OPTIMAL:
            return Outcome(status, bound, None)
        bound = solver.getInfo().objective_function_value * scale
        solution = solver.getSolution()
        values = np.array(solution.col_value)
        more = growing.add(values)
        if more is None:
            reduced_costs = growing.whole(np.array(solution.col_dual) * scale, otherwise=growing.of.cost)
            return Outcome(status, bound, growing.whole(values), reduced_costs)
        _grow(solver, growing.cost[len(values) :] / scale, more)
        solver.setOptionValue("time_limit", solver.getRunTime() + max(end - time.perf_counter(), 0.01))


class _Quiet(highspy.Highs):
    """A solver that prints nothing: some versions greet on the standard output while they are made, as soon as this is called."""

    def enableCallbacks(self) -> None:  # noqa: N802 - the name it has there
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()  # type: ignore[no-untyped-call]


def _solver(seconds: float) -> highspy.Highs:
    solver = _Quiet()  # type: ignore[no-untyped-call]
    solver.setOptionValue("time_limit", max(seconds, 0.01))
    solver.setOptionValue("primal_feasibility_tolerance", FEASIBILITY)
    return solver


def _pass(solver: highspy.Highs, cost: Floats, lower: Floats, upper: Floats, rows: StoredRows, kinds: Integers) -> None:
    solver.passModel(
        len(cost),
        len(rows.lower),
        len(rows.columns),
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize),
        0.0,
        cost,
        lower,
        upper,
        rows.lower,
        rows.upper,
        rows.starts,
        rows.columns,
        rows.values,
        kinds,
    )


def _grow(solver: highspy.Highs, cost: Floats, rows: StoredRows) -> None:
    """Columns more, and rows over these and the others."""
    none = np.zeros(0, dtype=np.int32)
    zeros = np.zeros(len(cost), dtype=np.int32)
    solver.addCols(len(cost), cost, np.zeros(len(cost)), np.ones(len(cost)), 0, zeros, none, np.zeros(0))
    solver.addRows(len(rows.lower), rows.lower, rows.upper, len(rows.columns), rows.starts, rows.columns, rows.values)


def _values(solver: highspy.Highs) -> Floats | None:
    """The solution the solver has, if it has one."""
    info = solver.getInfo()
    found = math.isfinite(info.objective_function_value) and info.primal_solution_status == 2
    return np.array(solver.getSolution().col_value) if found else None


def _status(status: highspy.HighsModelStatus) -> Status:
    kinds = highspy.HighsModelStatus
    if status in (kinds.kOptimal, kinds.kModelEmpty):
        return Status.OPTIMAL
    if status in (kinds.kInfeasible, kinds.kUnboundedOrInfeasible):  # columns are bounded: it is never unbounded
        return Status.INFEASIBLE
    return Status.STOPPED
