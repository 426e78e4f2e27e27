"""What the front end must know of a SQL dialect before it can write its semantics down."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nestling.common.errors import WorkloadError, unknown
from nestling.ir.statements import sql_dialects as names
from nestling.ir.statements.operators import CaseRule, Collation, Rules


@dataclass(frozen=True, slots=True)
class Dialect:
    """Habits of one database.

    `lenient`: booleans are numbers, any value can be a condition, and columns need not be grouped. `collation` is what texts are
    compared by when nothing else is known: PostgreSQL's depends on its database and is taken to be `C`.
    """

    rules: Rules
    grammar: str  # sqlglot's name
    collation: Collation
    like: CaseRule
    like_escape: str | None
    lenient: bool
    quoted_is_text: bool = False  # "x" that is no column is the text x
    aliases_everywhere: bool = False  # a select list's names are known in WHERE and ON too
    zero_fails: bool = False  # dividing by zero is an error

    @property
    def is_sqlite(self) -> bool:
        """Whether values carry their own types and columns have affinities."""
        return self.rules is Rules.SQLITE


SQLITE = Dialect(
    Rules.SQLITE,
    names.GRAMMARS[names.SQLITE],
    Collation.BINARY,
    CaseRule.ASCII,
    None,
    True,
    quoted_is_text=True,
    aliases_everywhere=True,
)
POSTGRESQL = Dialect(
    Rules.POSTGRESQL, names.GRAMMARS[names.POSTGRESQL], Collation.BINARY, CaseRule.EXACT, "\\", False, zero_fails=True
)
MYSQL = Dialect(Rules.MYSQL, names.GRAMMARS[names.MYSQL], Collation.UNICODE_CI, CaseRule.PRIMARY, "\\", True)

_MYSQL_WRITES = replace(MYSQL, zero_fails=True)
_DIALECTS = {names.SQLITE: SQLITE, names.POSTGRESQL: POSTGRESQL, names.MYSQL: MYSQL}


def dialect_of(name: str) -> Dialect:
    """The dialect called `name`; raises WorkloadError listing those there are."""
    try:
        return _DIALECTS[names.NAMES[name.lower() or names.SQLITE]]
    except KeyError:
        raise WorkloadError(unknown("dialect", name, names.DIALECTS)) from None


def for_writes(dialect: Dialect) -> Dialect:
    """The dialect for a statement that stores values: MySQL's default `sql_mode` refuses to divide by zero there."""
    return _MYSQL_WRITES if dialect is MYSQL else dialect
