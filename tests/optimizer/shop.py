"""A decision everyone knows, as a problem: order lines inside orders or apart, a copied name, an index."""

from __future__ import annotations

from nestling.ir.design_problem import Charge, DesignProblem, Group, Mode, Needs, StatementStep, Structure


def shop(*, reads: float = 100.0, changes: float = 1.0) -> DesignProblem:
    """Reading an order with its lines at `reads` a second, changing a product's name at `changes` a second."""
    return DesignProblem(
        structures=(
            Structure("apart", "lines in their own collection", 100.0),
            Structure("inside", "lines inside their order", 90.0),
            Structure("copy", "the product's name beside each line", 30.0),
            Structure("index", "an index on the lines' order", 20.0),
        ),
        groups=(Group("home of line", ("apart", "inside")), Group("product name", ("copy",), optional=True)),
        needs=(Needs("index", ("apart",)),),
        steps=(
            StatementStep(
                "page",
                "lines",
                (Mode("unwind", ("inside",), 1.0), Mode("seek", ("index",), 3.0), Mode("scan", ("apart",), 50.0)),
            ),
            StatementStep("page", "name", (Mode("copied", ("copy",), 0.0), Mode("looked up", (), 2.0))),
            StatementStep("rename", "write", (Mode("write", (), 1.0),)),
            StatementStep(
                "line", "write", (Mode("rewrite the order", ("inside",), 10.0), Mode("insert", ("apart",), 1.0))
            ),
        ),
        charges=(
            Charge("rename", "names that follow", ("copy",), 40.0),
            Charge("line", "index entry", ("index",), 0.5),
        ),
        limits=(),
        rates={"page": reads, "rename": changes, "line": 5.0},
    )
