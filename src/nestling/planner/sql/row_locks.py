"""FOR UPDATE, FOR SHARE and LOCK IN SHARE MODE: MongoDB locks a row when it is written, never when it is read.

A locking read is compiled as the same read without a lock, and the query records how it locks. Inside a write that changes the
locked rows no note is needed: of two such writes at once, one begins again.
"""

from __future__ import annotations

from sqlglot import exp

from nestling.ir.statements.read_locks import ReadLock
from nestling.planner.sql.gaps import statement_gap
from nestling.planner.sql.scope import Translation


def note_locks(select: exp.Select, translation: Translation) -> None:
    """Keep how the SELECT locks rows; raises a gap inside a write that leaves these rows as they are."""
    locks = select.args.get("locks") or ()
    if not locks or _changes_what_it_reads(select):
        return
    if select.find_ancestor(exp.DML) is not None:
        raise statement_gap("a lock on rows that the statement only reads, which MongoDB does not have", locks[0])
    if any(_skips(lock) for lock in locks):
        translation.locks = ReadLock.SKIPPED
    translation.locks = translation.locks or ReadLock.HELD


def _skips(lock: exp.Expr) -> bool:
    return lock.args.get("wait") is False


def _changes_what_it_reads(select: exp.Select) -> bool:
    """Whether it is a subquery of an UPDATE or DELETE of the one table it reads."""
    write = select.find_ancestor(exp.DML)
    source = select.args.get("from_")
    if not isinstance(write, exp.Update | exp.Delete) or source is None or select.args.get("joins"):
        return False
    target, read = write.this, source.this
    return (
        isinstance(target, exp.Table) and isinstance(read, exp.Table) and target.name.casefold() == read.name.casefold()
    )
