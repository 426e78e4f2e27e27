"""The places of parameters that say how many rows."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.common.errors import Problem, WorkloadError
from nestling.ir.programs.compiled import Placeholder
from nestling.ir.statements.operators import Rules
from nestling.ir.value_forms.row_counts import limit_of, offset_of


@dataclass(frozen=True, slots=True)
class RowCount(Placeholder):
    """Where the number of a LIMIT belongs, or of an OFFSET (`skips`), by the rules of the statement's dialect."""

    name: str
    skips: bool
    rules: Rules

    def bind(self, value: object) -> int | None:
        """The number; None for a LIMIT that is none. Raises `WorkloadError` for what is no number of rows in the dialect."""
        try:
            return (offset_of if self.skips else limit_of)(self.name, value, self.rules)
        except (TypeError, ValueError) as error:
            raise WorkloadError(Problem(str(error))) from None
