"""Calls HiGHS. No other file does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import highspy
import numpy as np

from nestling.optimizer.linear_model import Floats, LinearModel

FEASIBILITY = 1e-9
"""How far the solver may step over a row or from a whole number; ours is `evaluate.TOLERANCE`, of the same size."""

GAP = 1e-9
"""The relative gap at which the solver stops: well below what counts as proved."""

SMALL = 1_000
"""Columns of a relaxation that is solved in a third of the time when the solver does not look for reductions of its own."""


class Status(Enum):
    """How a run ended."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    STOPPED = "stopped"  # by the time limit, with or without a solution


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the solver found, in the model's own units. `bound` is proved; `values` is None when it has no solution."""

    status: Status
    bound: float
    values: Floats | None
    reduced_costs: Floats | None = None


def minimise(
    model: LinearModel,
    *,
    seconds: float,
    scale: float = 1.0,
    relaxed: bool = False,
    fixed: Floats | None = None,
    absolute_gap: float = 0.0,
) -> Outcome:
    """Solve a model; costs are divided by `scale`. `relaxed` leaves the binaries out, `fixed` (NaN: free) holds some columns."""
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("time_limit", max(seconds, 0.01))
    solver.setOptionValue("mip_rel_gap", GAP)
    solver.setOptionValue("mip_abs_gap", absolute_gap / scale)
    solver.setOptionValue("mip_feasibility_tolerance", FEASIBILITY)
    solver.setOptionValue("primal_feasibility_tolerance", FEASIBILITY)
    if relaxed and len(model.cost) <= SMALL:
        solver.setOptionValue("presolve", "off")
    _pass(solver, model, scale, relaxed, fixed)
    solver.run()
    return _outcome(solver, model, scale, relaxed)


def _pass(solver: highspy.Highs, model: LinearModel, scale: float, relaxed: bool, fixed: Floats | None) -> None:
    columns = len(model.cost)
    lower, upper = np.zeros(columns), np.ones(columns)
    if fixed is not None:
        held = ~np.isnan(fixed)
        lower[held] = upper[held] = fixed[held]
    kinds = np.zeros(columns, dtype=np.int32)
    kinds[: 0 if relaxed else model.binary] = int(highspy.HighsVarType.kInteger)
    solver.passModel(
        columns,
        len(model.lower),
        len(model.columns),
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize),
        0.0,
        model.cost / scale,
        lower,
        upper,
        model.lower,
        model.upper,
        model.starts,
        model.columns,
        model.values,
        kinds,
    )


def _outcome(solver: highspy.Highs, model: LinearModel, scale: float, relaxed: bool) -> Outcome:
    status = _status(solver.getModelStatus())
    info = solver.getInfo()
    solution = solver.getSolution()
    found = math.isfinite(info.objective_function_value) and info.primal_solution_status == 2
    values = np.array(solution.col_value) if found and status is not Status.INFEASIBLE else None
    if relaxed:
        bound = info.objective_function_value if status is Status.OPTIMAL else -math.inf
        return Outcome(status, bound * scale, values, np.array(solution.col_dual) * scale)
    bound = info.mip_dual_bound if model.binary else info.objective_function_value
    return Outcome(status, bound * scale, values)


def _status(status: highspy.HighsModelStatus) -> Status:
    kinds = highspy.HighsModelStatus
    if status in (kinds.kOptimal, kinds.kModelEmpty):
        return Status.OPTIMAL
    if status in (kinds.kInfeasible, kinds.kUnboundedOrInfeasible):  # columns are bounded: it is never unbounded
        return Status.INFEASIBLE
    return Status.STOPPED
