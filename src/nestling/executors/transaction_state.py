"""The state of a transaction of several statements: whether one has failed, and whether it is over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from nestling.common.errors import InputError, NestlingError, Problem, TransactionFailed
from nestling.ir.statements.sql_dialects import MYSQL

_MOVE = "catch the error outside the function given to `transaction`, and start again; if a row may already exist, use "
_ROW_MAY_BE_THERE = {MYSQL: "INSERT IGNORE or ON DUPLICATE KEY UPDATE"}


@dataclass(slots=True)
class TransactionState:
    """Whether a statement of the transaction has failed, and whether it is over.

    MongoDB cannot undo a single statement of a transaction: one that fails undoes all of it, whether its error is caught or not.
    """

    dialect: str
    failed: BaseException | None = None
    is_over: bool = False

    @contextmanager
    def statement(self) -> Iterator[None]:
        """Run one statement; raises `TransactionFailed` after one that failed, `InputError` after the end."""
        if self.is_over:
            move = "run statements inside the function given to `transaction`, or on the store itself"
            raise InputError(Problem("the transaction is over", next_move=move))
        self.check()
        try:
            yield
        except BaseException as error:
            self.failed = error
            raise

    def check(self) -> None:
        """Raise the reason why it cannot go on; a driver's error is raised unchanged, because it may be retried."""
        if isinstance(self.failed, NestlingError):
            first = self.failed.problems[0]
            what = f"the transaction has already failed, and nothing of it is kept: {first.what}"
            move = _MOVE + _ROW_MAY_BE_THERE.get(self.dialect, "ON CONFLICT")
            raise TransactionFailed(Problem(what, where=first.where, next_move=move)) from self.failed
        if self.failed is not None:
            raise self.failed

    @contextmanager
    def until_end(self) -> Iterator[None]:
        """Run to the end of the work. Raises the errors of `check` if a statement failed and its error was caught."""
        try:
            yield
            self.check()
        finally:
            self.is_over = True
