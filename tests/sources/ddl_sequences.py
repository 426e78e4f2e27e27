"""Random sequences of CREATE, ALTER and DROP, as a database executes them: each knows what those before it made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

TYPES = {
    "postgresql": ("integer", "bigint", "varchar(20)", "text", "numeric(8,2)", "date", "timestamp(3)", "float(10)"),
    "mysql": ("int", "bigint", "varchar(20)", "varchar(9) BINARY", "decimal(8,2)", "date", "datetime(3)", "float(10)"),
    "sqlite": ("INTEGER", "INT", "VARCHAR(20)", "TEXT", "NUMERIC(8,2)", "DATE", "REAL"),
}
DEFAULTS = {
    "postgresql": ("7", "'a''b\\c'", "E'a\\'b\\n'", "CURRENT_DATE", "('now'::text)::date", "NULL"),
    "mysql": ("7", "'a\\'b\\\\c\\n'", "'it''s'", "NULL", "CURRENT_TIMESTAMP(3)", "'2024-02-29'"),
    "sqlite": ("7", "'a''b\\c'", "NULL", "CURRENT_DATE", '"dq"'),
}
ACTIONS = ("", "", " ON DELETE CASCADE", " ON DELETE SET NULL", " ON DELETE NO ACTION ON UPDATE CASCADE")


@dataclass
class Table:
    """What a sequence remembers of a table."""

    name: str
    columns: list[str]
    names: list[str] = field(default_factory=list)
    targets: list[tuple[str, ...]] = field(default_factory=list)


class Sequences:
    """One sequence: `run` executes a statement and says whether it was taken; those that were are `taken`."""

    def __init__(self, dialect: str, prefix: str, run: Callable[[str], bool], random: Random) -> None:
        self.dialect = dialect
        self.prefix = prefix
        self.taken: list[str] = []
        self._run = run
        self._random = random
        self._tables: list[Table] = []
        self._count = 0

    def extend(self, steps: int) -> None:
        """Try so many statements, behind that of a first table."""
        while not self._tables:
            self._create()
        for _ in range(steps):
            self._random.choice(self._steps())()

    def _steps(self) -> list[Callable[[], None]]:
        common = [self._create, self._add_column, self._add_column, self._rename_column, self._drop_column]
        common += [self._create_index, self._create_index, self._drop_index, self._rename_table, self._drop_table]
        if self.dialect == "sqlite":
            return common
        server = [self._add_constraint, self._drop_constraint, self._change_column]
        return [*common, *server, *server, *server, self._rename_constraint]

    def _try(self, sql: str) -> bool:
        is_taken = self._run(sql)
        if is_taken:
            self.taken.append(sql)
        return is_taken

    def _new(self, word: str) -> str:
        self._count += 1
        return f"{word}{self._count}"

    def _table(self) -> Table:
        return self._random.choice(self._tables) if self._tables else Table("none", ["none"])

    def _some(self, table: Table) -> list[str]:
        number = self._random.choice((1, 1, 2))
        return self._random.sample(table.columns, min(number, len(table.columns)))

    def _maybe(self, text: str, odds: float = 0.3) -> str:
        return text if self._random.random() < odds else ""

    # --- parts of statements -----------------------------------------------------------------------------------------

    def _column(self, name: str, *, with_keys: bool = True) -> str:
        kind = self._random.choice(TYPES[self.dialect]) if self._random.random() < 0.5 else TYPES[self.dialect][0]
        default = self._maybe(f" DEFAULT {self._random.choice(DEFAULTS[self.dialect])}", 0.25)
        unique = self._maybe(" UNIQUE", 0.2) if with_keys else ""
        link = self._maybe(self._reference(), 0.2) if with_keys else ""
        return f"{name} {kind}{default}{self._maybe(' NOT NULL')}{unique}{link}"

    def _reference(self) -> str:
        table = self._table()
        single = [each[0] for each in table.targets if len(each) == 1] or table.columns
        is_said = self.dialect == "mysql" or self._random.random() < 0.5  # MariaDB refuses REFERENCES without columns
        columns = f" ({self._random.choice(single)})" if is_said else ""
        return f" REFERENCES {table.name}{columns}{self._random.choice(ACTIONS)}"

    def _constraint(self, table: Table) -> str:
        names = self._some(table)
        listed = ", ".join(names)
        word = self._random.choice(("UNIQUE", "UNIQUE", "PRIMARY KEY", "FOREIGN KEY"))
        given = self._new("k") if self._random.random() < 0.5 else ""
        table.names += [given] if given else self._given_names(table, names)
        named = f"CONSTRAINT {given} " if given else ""
        if word != "FOREIGN KEY":
            table.targets.append(tuple(names))
            return f"{named}{word} ({listed})"
        target = self._table()
        keys = [each for each in target.targets if len(each) == len(names)] or [tuple(self._some(target))]
        referenced = f"{target.name} ({', '.join(self._random.choice(keys))})"
        return f"{named}{word} ({listed}) REFERENCES {referenced}{self._random.choice(ACTIONS)}"

    def _given_names(self, table: Table, names: Sequence[str]) -> list[str]:
        """What the database may call a constraint or index over these columns."""
        if self.dialect == "mysql":
            return [names[0], f"{names[0]}_2", f"{table.name}_ibfk_1", f"{table.name}_ibfk_2"]
        bare = f"{table.name}_{'_'.join(names)}"
        return [f"{table.name}_pkey", f"{bare}_key", f"{bare}_fkey", f"{bare}_fkey1", f"{bare}_key1", f"{bare}_idx"]

    def _name(self, table: Table) -> str:
        guessed = self._given_names(table, self._some(table))
        return self._random.choice([*table.names, *guessed])

    # --- statements --------------------------------------------------------------------------------------------------

    def _create(self) -> None:
        table = Table(f"{self.prefix}t{self._new('')}", [f"c{number}" for number in range(self._random.randint(2, 4))])
        parts = [self._column(name) for name in table.columns]
        if self._random.random() < 0.7:
            parts[0] = f"{table.columns[0]} {TYPES[self.dialect][0]} PRIMARY KEY"
            table.targets.append((table.columns[0],))
        self._tables.append(table)
        parts += [self._constraint(table) for _ in range(self._random.choice((0, 1, 1, 2)))]
        if self.dialect == "mysql":
            parts += [self._maybe(f"KEY ({', '.join(self._some(table))})")]
        if not self._try(f"CREATE TABLE {table.name} ({', '.join(filter(None, parts))})"):
            self._tables.remove(table)

    def _add_column(self) -> None:
        table, name = self._table(), self._new("a")
        place = self._maybe(f" {self._random.choice(('FIRST', f'AFTER {table.columns[0]}'))}", 0.6)
        column = self._column(name, with_keys=self.dialect != "sqlite")
        if self._try(f"ALTER TABLE {table.name} ADD COLUMN {column}{place if self.dialect == 'mysql' else ''}"):
            table.columns.append(name)

    def _change_column(self) -> None:
        table = self._table()
        name = self._random.choice(table.columns)
        if self.dialect == "postgresql":
            words = (
                "SET NOT NULL",
                "DROP NOT NULL",
                "DROP DEFAULT",
                "SET DEFAULT 9",
                "TYPE text",
                "SET DEFAULT E'x\\'y'",
            )
            self._try(f"ALTER TABLE {table.name} ALTER COLUMN {name} {self._random.choice(words)}")
            return
        other = self._random.choice(table.columns)
        place = self._random.choice(("", " FIRST", f" AFTER {other}"))
        if self._random.random() < 0.5:
            self._try(f"ALTER TABLE {table.name} MODIFY {self._column(name, with_keys=False)}{place}")
        elif self._try(
            f"ALTER TABLE {table.name} CHANGE {name} {self._column(new := self._new('m'), with_keys=False)}{place}"
        ):
            self._renamed(table, name, new)

    def _renamed(self, table: Table, old: str, new: str) -> None:
        table.columns = [new if each == old else each for each in table.columns]
        table.targets = [tuple(new if each == old else each for each in names) for names in table.targets]

    def _rename_column(self) -> None:
        table, new = self._table(), self._new("r")
        old = self._random.choice(table.columns)
        if self._try(f"ALTER TABLE {table.name} RENAME COLUMN {old} TO {new}"):
            self._renamed(table, old, new)

    def _drop_column(self) -> None:
        table = self._table()
        name = self._random.choice(table.columns)
        cascade = self._maybe(" CASCADE", 0.5) if self.dialect == "postgresql" else ""
        if len(table.columns) > 2 and self._try(f"ALTER TABLE {table.name} DROP COLUMN {name}{cascade}"):
            table.columns.remove(name)

    def _create_index(self) -> None:
        table = self._table()
        names, unique = self._some(table), self._maybe("UNIQUE ", 0.7)
        is_named = self.dialect != "postgresql" or self._random.random() < 0.5
        name = f"{self.prefix}{self._new('i')}" if is_named else ""
        if self._try(f"CREATE {unique}INDEX {name} ON {table.name} ({', '.join(names)})"):
            table.names += [name] if name else []
            table.targets += [tuple(names)] if unique else []

    def _drop_index(self) -> None:
        table = self._table()
        name, exists = self._name(table), self._maybe("IF EXISTS ")
        on = f" ON {table.name}" if self.dialect == "mysql" else ""
        cascade = self._maybe(" CASCADE") if self.dialect == "postgresql" else ""
        self._try(f"DROP INDEX {exists}{name}{on}{cascade}")

    def _add_constraint(self) -> None:
        table = self._table()
        self._try(f"ALTER TABLE {table.name} ADD {self._constraint(table)}")

    def _drop_constraint(self) -> None:
        table = self._table()
        name, cascade = self._name(table), ""
        words = ["CONSTRAINT "]
        if self.dialect == "mysql":
            words += ["INDEX ", "KEY ", "FOREIGN KEY ", "FOREIGN KEY "]
        else:
            cascade = self._maybe(" CASCADE", 0.5)
        dropped = f"{self._random.choice(words)}{self._maybe('IF EXISTS ')}{name}{cascade}"
        is_key = self.dialect == "mysql" and self._random.random() < 0.15
        again = self._maybe(f", ADD {self._constraint(table)}", 0.25)
        self._try(f"ALTER TABLE {table.name} DROP {'PRIMARY KEY' if is_key else dropped}{again}")

    def _rename_constraint(self) -> None:
        table, new = self._table(), self._new("n")
        word = "INDEX" if self.dialect == "mysql" else "CONSTRAINT"
        if self._try(f"ALTER TABLE {table.name} RENAME {word} {self._name(table)} TO {new}"):
            table.names.append(new)

    def _rename_table(self) -> None:
        table, new = self._table(), f"{self.prefix}t{self._new('')}"
        if self._try(f"ALTER TABLE {table.name} RENAME TO {new}"):
            table.name = new

    def _drop_table(self) -> None:
        table = self._table()
        if len(self._tables) > 2 and self._try(
            f"DROP TABLE {table.name}{self._maybe(' CASCADE', 0.5) if self.dialect == 'postgresql' else ''}"
        ):
            self._tables.remove(table)
