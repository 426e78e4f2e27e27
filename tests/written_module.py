"""The function of a statement in a module that is written."""

from __future__ import annotations

from typing import Any

from nestling import pipeline
from nestling.emitters.python_code import module
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.proposal import Proposal


def written_function(proposal: Proposal, sql: str, dialect: str) -> Any:
    """It takes a database and the statement's parameters by name."""
    made = pipeline.convert(proposal, sql, name="statement", dialect=dialect)
    assert not isinstance(made, NotCompiled), made
    space: dict[str, Any] = {}
    exec(compile(module([made]), "queries.py", "exec"), space)
    return space["statement"]
