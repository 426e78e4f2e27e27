"""Random expressions of a server's SQL over a table with a column of every kind, made of templates whose slots say what is there.

A slot is `{t}` for a text, `{n}` a number, `{i}` a small integer, `{d}` a day or moment, `{o}` truth, `{a}` anything. Now and
then it holds what it should not: the server says what that means.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_SLOT = re.compile(r"\{([a-z])\}")
STRAYS = 0.08
"""How often a slot holds something of another kind."""


@dataclass(frozen=True)
class Grammar:
    """Leaves and templates by the kind of what they give; conditions are the templates of truth."""

    leaves: Mapping[str, Sequence[str]]
    templates: Mapping[str, Sequence[str]]
    statements: Sequence[str]

    def statement(self, draw: random.Random, depth: int = 2) -> str:
        """One statement."""
        return _SLOT.sub(lambda slot: self.expression(draw, slot[1], depth), draw.choice(self.statements))

    def expression(self, draw: random.Random, kind: str, depth: int) -> str:
        """One expression of that kind, at most so deep."""
        if kind == "a" or draw.random() < STRAYS:
            kind = draw.choice([*self.leaves])
        if kind not in self.templates or depth == 0 or draw.random() < (0.15 if depth == 2 else 0.6):
            return draw.choice(self.leaves[kind])
        template = draw.choice(self.templates[kind])
        return _SLOT.sub(lambda slot: self.expression(draw, slot[1], depth - 1), template)


_STATEMENTS = (
    "SELECT id, {a} FROM every",
    "SELECT id, {t} FROM every",
    "SELECT id, {n} FROM every",
    "SELECT id, {d} FROM every",
    "SELECT id, {o} FROM every",
    "SELECT id FROM every WHERE {o}",
    "SELECT id FROM every WHERE NOT ({o})",
    "SELECT id FROM every WHERE {o} AND {o}",
    "SELECT id FROM every WHERE {o} OR {o}",
    "SELECT id FROM every ORDER BY {t}, id",
    "SELECT count(*), min({a}), max({n}) FROM every",
    "SELECT count(DISTINCT {t}), sum({n}) FROM every",
    "SELECT {t} AS k, count(*) FROM every GROUP BY 1",
    "SELECT DISTINCT {t} FROM every",
    "SELECT a.id, b.id FROM every a JOIN every b ON a.t = b.v",
    "SELECT id FROM every WHERE {t} IN (SELECT v FROM every)",
    "SELECT id, (SELECT max(t) FROM every) || {t} FROM every",
)
_COMMON_TRUTH = (
    "{t} = {t}", "{t} <> {t}", "{t} < {t}", "{t} >= {t}", "{n} = {n}", "{n} < {n}", "{n} <> {n}", "{d} = {d}", "{d} < {d}",
    "{d} >= {d}", "{o} = {o}", "{t} IS NULL", "{n} IS NOT NULL", "({o}) IS TRUE", "({o}) IS NOT FALSE", "{t} LIKE {t}",
    "{t} LIKE 'a%'", "{t} NOT LIKE '%b%'", "{t} LIKE '_'", "{t} LIKE '%'", "{n} BETWEEN {n} AND {n}", "{t} BETWEEN {t} AND {t}",
    "{d} BETWEEN {d} AND {d}", "{t} IN ({t}, {t})", "{n} IN ({n}, {n}, NULL)", "{n} NOT IN ({n}, {n})", "NOT {o}",
    "({o} AND {o})", "({o} OR {o})", "coalesce({o}, {o})", "CASE WHEN {o} THEN {o} ELSE {o} END",
)  # fmt: skip
_COMMON_TEXT = (
    "lower({t})", "upper({t})", "concat({t}, {t})", "concat({a}, {a})", "concat({t}, {n}, {o})", "concat_ws('-', {t}, {a}, {t})",
    "left({t}, {i})", "right({t}, {i})", "substring({t} from {i} for {i})", "substring({t}, {i})", "substring({t}, {i}, {i})",
    "trim({t})", "ltrim({t})", "rtrim({t})", "trim(both 'a' from {t})", "replace({t}, {t}, {t})", "replace({t}, 'a', 'bc')",
    "reverse({t})", "repeat({t}, {i})", "lpad({t}, {i}, {t})", "rpad({t}, {i}, 'xy')", "coalesce({t}, {t})",
    "nullif({t}, {t})", "CASE WHEN {o} THEN {t} ELSE {t} END", "CASE {t} WHEN {t} THEN {t} ELSE 'z' END", "greatest({t}, {t})",
    "least({t}, {t})",
)  # fmt: skip
_COMMON_NUMBERS = (
    "({n} + {n})", "({n} - {n})", "({n} * {n})", "({n} / {n})", "({n} % {i})", "-({n})", "abs({n})", "round({n})",
    "round({n}, {i})", "floor({n})", "ceil({n})", "sign({n})", "sqrt(abs({n}))", "power({n}, 2)", "mod({i}, {i})",
    "char_length({t})", "length({t})", "octet_length({t})", "position({t} in {t})", "ascii({t})", "coalesce({n}, {n})",
    "nullif({n}, {n})", "greatest({n}, {n})", "least({n}, {n}, {n})", "CASE WHEN {o} THEN {n} ELSE {n} END",
    "CASE WHEN {o} THEN {n} END", "extract(year from {d})", "extract(month from {d})", "extract(day from {d})",
    "extract(hour from {d})", "extract(minute from {d})", "extract(quarter from {d})",
)  # fmt: skip

POSTGRESQL = Grammar(
    leaves={
        "t": ("t", "v", "t", "v", "'a'", "''", "'Ab'", "' ab '", "'12'", "'é'", "'%'", "'a_c'", "NULL", "t::text", "s::text"),
        "n": ("i", "b", "n", "x", "f", "r", "0", "1", "-7", "2.5", "0.1", "3", "1e2", "NULL", "2.50::numeric", "1.5::float8"),
        "i": ("i", "0", "1", "2", "3", "-1", "NULL", "5"),
        "d": (
            "d", "at", "z", "(DATE '2024-01-31')", "(TIMESTAMP '1969-07-20 20:17:40.5')", "(TIMESTAMPTZ '2024-01-31 10:00Z')",
            "at", "fine",
            "'2024-02-29'::date",
        ),
        "o": ("o", "true", "false", "o", "NULL"),
        "e": ("u", "s", "j", "'small'::size"),
    },
    templates={
        "t": (
            *_COMMON_TEXT, "({t} || {t})", "({t} || {n})", "({t} || {a})", "initcap({t})", "btrim({t}, {t})", "ltrim({t}, 'a')",
            "substring({t} from '[ab]+')", "substring({t} from 'a(.)')",
            "split_part({t}, 'b', {i})", "translate({t}, 'ab', 'x')", "{i}::text", "({o})::text", "({d})::text", "({n})::text",
            "({a})::text",
            "{t}::varchar(2)", "{t}::char(3)", "md5({t})", "to_char({d}, 'YYYY-MM-DD')",
            "to_char({d}, 'FMMonth Dy HH12 AM')", "to_char({d}, 'IYYY-IW Q')", "format('%s-%s', {a}, {t})",
            "chr({i} + 64)",
            "left({t}::varchar(3), 2)", "overlay({t} placing 'x' from 2)",
        ),
        "n": (
            *_COMMON_NUMBERS, "{n}::int", "{n}::numeric", "{n}::numeric(6,1)", "{n}::float8", "({o})::int", "{t}::int",
            "trunc({n})",
            "trunc({n}, {i})", "div({i}, {i})", "strpos({t}, {t})", "bit_length({t})", "ceiling({n})", "({i} & {i})",
            "({i} | {i})",
            "({i} # {i})", "({i} << 2)", "exp({i})", "ln(abs({n}) + 1)", "extract(dow from {d})", "extract(doy from {d})",
            "extract(isodow from {d})", "extract(epoch from {d})", "extract(week from {d})", "extract(second from {d})",
            "date_part('year', {d})", "extract(epoch from {d} - {d})",
            "({d}::date - {d}::date)", "mod({n}, {n})", "width_bucket({n}, 0, 10, 5)",
            "num_nulls({a}, {a})", "num_nonnulls({a}, {a}, {a})",
        ),
        "d": (
            "({d} + interval '1 month')", "({d} - interval '1 day')", "({d} + interval '1 year 2 days')",
            "({d} + {i} * interval '1 day')",
            "({d} + interval '90 minutes')", "date_trunc('month', {d})", "date_trunc('day', {d})", "date_trunc('hour', {d})",
            "date_trunc('week', {d})", "date_trunc('quarter', {d})", "{d}::date", "{d}::timestamp", "({d}::date + {i})",
            "coalesce({d}, {d})", "greatest({d}, {d})", "least({d}, {d})", "CASE WHEN {o} THEN {d} ELSE {d} END", "{t}::date",
            "make_date(2024, 2, {i})", "({d} AT TIME ZONE 'UTC')", "({d} AT TIME ZONE 'Europe/Berlin')", "nullif({d}, {d})",
        ),
        "o": (
            *_COMMON_TRUTH, "{t} ILIKE {t}", "{t} ~ 'a.b'", "{t} ~* '^A'", "{t} !~ 'b$'", "{t} SIMILAR TO 'a%'",
            "starts_with({t}, {t})",
            "{a} IS DISTINCT FROM {a}", "{t} IS NOT DISTINCT FROM {t}", "{a} = {a}", "{n}::int::boolean", "{t}::boolean",
            "{t} = ANY(ARRAY[{t}, {t}])", "{n} <> ALL(ARRAY[{n}, {n}])", "{n} > ALL(ARRAY[{n}, {n}])",
            "{n} > ALL (SELECT i FROM every)", "{t} <= ANY (SELECT v FROM every)",
            "{d} < SOME (SELECT d FROM every WHERE id < 4)",
            "{n} <> ANY (SELECT e.n FROM every e WHERE e.id > every.id)", "({d}, {n}) < ({d}, {n})", "({t}, {n}) = ({t}, {n})",
            "s > 'small'", "s = {t}", "u = 'a0000000-0000-0000-0000-00000000000a'", "({d}, {d}) OVERLAPS ({d}, {d})",
        ),
    },
    statements=(
        *_STATEMENTS, "SELECT stddev({i}), var_pop({i}) FROM every",
        "SELECT percentile_disc(0.4) WITHIN GROUP (ORDER BY {i}) FROM every",
        "SELECT string_agg({t}, ',' ORDER BY id) FROM every", "SELECT bool_and({o}), bool_or({o}) FROM every",
        "SELECT avg(DISTINCT {n}), sum(DISTINCT {n}) FROM every", "SELECT count(DISTINCT ({t}, {n})) FROM every",
        "SELECT count(*) FILTER (WHERE {o}), avg({n}) FROM every", "SELECT DISTINCT ON ({o}) id FROM every ORDER BY {o}, id",
        "SELECT id FROM every ORDER BY {t} DESC NULLS LAST, id LIMIT 3", "SELECT id, sum({n}) OVER (ORDER BY id) FROM every",
        "SELECT id, lag({t}) OVER (ORDER BY {t}, id) FROM every", "SELECT id, rank() OVER (ORDER BY {n}) FROM every",
    ),
)  # fmt: skip

MYSQL = Grammar(
    leaves={
        "t": ("t", "v", "k", "c", "t", "v", "'a'", "''", "'AB'", "' ab '", "'12'", "'é'", "'%'", "'a_c'", "NULL", "'Ann'"),
        "n": ("i", "b", "n", "f", "n", "0", "1", "-7", "2.5", "0.1", "3", "1e2", "NULL"),
        "i": ("i", "0", "1", "2", "3", "-1", "NULL", "5"),
        "d": ("d", "at", "fine", "DATE '2024-01-31'", "TIMESTAMP '1969-07-20 20:17:40'", "at", "'2024-02-29'"),
        "o": ("o", "TRUE", "FALSE", "o", "NULL"),
        "e": ("s", "tm"),
    },
    templates={
        "t": (
            *_COMMON_TEXT, "substring_index({t}, 'b', {i})", "substr({t}, {i}, 2)", "mid({t}, {i}, 2)", "lcase({t})",
            "ucase({t})",
            "ifnull({t}, {t})", "if({o}, {t}, {t})", "elt({i}, {t}, {t})", "insert({t}, 2, 1, 'x')", "space({i})", "hex({i})",
            "cast({n} AS char)", "cast({d} AS char)", "cast({a} AS char)", "cast({t} AS char(2))", "date_format({d}, '%Y-%m-%d')",
            "date_format({d}, '%b %e, %x-%v %p')",
            "format({n}, 2)", "md5({t})", "quote({t})", "conv({i}, 10, 2)", "field({t}, {t}, {t})", "char(65 + {i})",
            "trim(leading 'a' from {t})", "trim(trailing 'b' from {t})", "trim('ab' from {t})", "concat({d}, {t})",
            "ifnull({d}, {t})", "coalesce({t}, {d}, 'x')", "if({o}, {d}, {i})", "concat(time({d}))", "left({d}, 10)",
        ),
        "n": (
            *_COMMON_NUMBERS, "({n} DIV {n})",
            "({i} DIV {i})", "truncate({n}, 1)", "ifnull({n}, {n})", "if({o}, {n}, {n})", "locate({t}, {t})",
            "locate({t}, {t}, {i})", "instr({t}, {t})", "cast({n} AS signed)", "cast({n} AS decimal(8,2))", "cast({t} AS signed)",
            "({t} + 0)", "({o} + 1)", "year({d})", "month({d})", "day({d})", "dayofweek({d})", "weekday({d})", "dayofyear({d})",
            "week({d}, 1)", "yearweek({d})",
            "quarter({d})", "hour({d})", "minute({d})", "second({d})", "datediff({d}, {d})", "timestampdiff(DAY, {d}, {d})",
            "timestampdiff(MONTH, {d}, {d})", "week({d})", "unix_timestamp({d})", "field({t}, {t}, {t})",
            "find_in_set({t}, 'a,b,Ann')",
            "strcmp({t}, {t})", "({i} & {i})", "({i} | {i})", "({i} ^ {i})", "bit_length({t})", "crc32({t})",
            "interval({n}, 1, 10)",
            "to_days({d})", "ord({t})",
        ),
        "d": (
            "date_add({d}, interval 1 month)", "date_sub({d}, interval 1 day)", "({d} + interval {i} day)", "date({d})",
            "({d} + interval 1 year)", "last_day({d})", "cast({d} AS date)", "cast({d} AS datetime)", "coalesce({d}, {d})",
            "if({o}, {d}, {d})", "ifnull({d}, {d})", "greatest({d}, {d})", "least({d}, {d})", "str_to_date({t}, '%Y-%m-%d')",
            "addtime({d}, '1:30')",
            "date_add({d}, interval {i} hour)", "adddate({d}, {i})", "makedate(2024, {i} + 1)", "timestampadd(MINUTE, {i}, {d})",
        ),
        "o": (
            *_COMMON_TRUTH, "{d} LIKE '2024%'", "ifnull({d}, '2099-1-31') < {d}",
            "{t} REGEXP '^a'", "{t} RLIKE 'b'", "{t} <=> {t}", "{n} <=> {n}", "{a} = {a}", "{t} = {n}",
            "{t} > {n}", "({o} XOR {o})",
            "{t} LIKE BINARY 'A%'", "BINARY {t} = {t}", "s = {t}", "s > 'small'", "s IN ('big', 'LARGE')", "isnull({t})",
            "({t}, {n}) = ({t}, {n})", "{d} = {t}", "{n} AND {o}", "{t} COLLATE utf8mb4_bin = {t}",
            "{n} > ALL (SELECT i FROM every)", "{t} <= ANY (SELECT v FROM every)",
            "{d} < SOME (SELECT d FROM every WHERE id < 4)",
            "{n} <> ANY (SELECT e.n FROM every e WHERE e.id > every.id)",
        ),
    },
    statements=(
        *(each for each in _STATEMENTS if "||" not in each), "SELECT group_concat({t} ORDER BY id) FROM every",
        "SELECT avg(DISTINCT {n}), sum(DISTINCT {n}) FROM every", "SELECT count(DISTINCT {t}, {n}) FROM every",
        "SELECT group_concat(DISTINCT v ORDER BY v) FROM every WHERE {o}",
        "SELECT group_concat(DISTINCT i ORDER BY i DESC) FROM every", "SELECT id FROM every ORDER BY {t} DESC, id LIMIT 3",
        "SELECT {t} AS k, count(*) FROM every GROUP BY k HAVING k = 'a'", "SELECT id, sum({n}) OVER (ORDER BY id) FROM every",
        "SELECT id, lag({t}) OVER (ORDER BY {t}, id) FROM every", "SELECT id, rank() OVER (ORDER BY {t}) FROM every",
    ),
)  # fmt: skip
