"""What is read of each node of sqlglot's tree. Anything else that is set is a gap: nothing a statement says is passed over.

sqlglot puts a construct's variants into arguments of its node (`negate` of LIKE, `symmetric` of BETWEEN), and new ones come with
its releases; an argument nobody reads would change answers in silence.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from nestling.planner.sql.called import sql_as_written
from nestling.planner.sql.dialect import Dialect
from nestling.planner.sql.gaps import StatementGap, statement_gap

_ALWAYS = frozenset(
    {
        "this", "expression", "expressions", "alias",
        # sqlglot's notes to itself on how the text was meant to behave in its dialect; ours come from `Dialect`
        "safe", "typed", "big_int", "padside", "quoted", "is_string", "coalesce", "ignore_nulls", "is_nvl", "is_null",
        "casts_non_integer_decimals", "fractions_supported", "negative_length_returns_empty", "empty_is_zero", "charset",
        "input_type_preserved", "date_part_boundary", "requires_int128", "round_input", "zero_start", "flatten", "_type",
        "nested",
    }
)  # fmt: skip
_QUERY = {"with_", "order", "limit", "offset"}
_SELECT = _QUERY | {
    "from_", "joins", "where", "group", "having", "distinct", "windows", "locks", "hint",
    "operation_modifiers", "laterals", "match", "distribute", "sort",
    "cluster", "connect", "prewhere", "qualify", "into", "kind",  # refused by name
}  # fmt: skip
_READ: dict[type[exp.Expr], frozenset[str] | set[str]] = {
    exp.Column: {"table", "db", "catalog"},
    exp.Table: {"db", "catalog", "joins", "pivots", "sample", "hints", "indexed", "only"},
    exp.Select: _SELECT,
    exp.Union: _QUERY | {"distinct", "by_name", "side", "on"},
    exp.Intersect: _QUERY | {"distinct", "by_name", "side", "on"},
    exp.Except: _QUERY | {"distinct", "by_name", "side", "on"},
    exp.Subquery: _QUERY | {"joins"},
    exp.Values: _QUERY,
    exp.IndexTableHint: {"target"},
    exp.Lock: {"update", "wait", "key"},
    exp.With: {"recursive"},
    exp.CTE: {"materialized"},
    exp.TableAlias: {"columns"},
    exp.Unnest: {"offset"},
    exp.Join: {"side", "kind", "method", "on", "using"},
    exp.Group: {"rollup", "cube", "grouping_sets", "totals", "all"},
    exp.Distinct: {"on"},
    exp.Ordered: {"desc", "nulls_first"},
    exp.Limit: {"offset"},
    exp.Fetch: {"count", "direction", "limit_options"},
    exp.LimitOptions: {"rows", "with_ties"},
    exp.Is: {"negate"},
    exp.Like: {"negate"},
    exp.ILike: {"negate"},
    exp.Between: {"low", "high", "symmetric"},
    exp.In: {"query", "field", "unnest"},
    exp.Case: {"ifs", "default"},
    exp.If: {"true", "false"},
    exp.Cast: {"to"},
    exp.DataType: {"values", "kind"},
    exp.Interval: {"unit", "fraction_in_string"},
    exp.ArrayAgg: {"nulls_excluded"},
    exp.ArrayToString: {"null"},
    exp.Filter: set(),
    exp.GroupConcat: {"separator"},
    exp.Window: {"partition_by", "order", "spec", "over", "first"},
    exp.WindowSpec: {"kind", "start", "start_side", "end", "end_side", "exclude"},
    exp.Lag: {"offset", "default"},
    exp.Lead: {"offset", "default"},
    exp.NthValue: {"offset"},
    exp.Round: {"decimals"},
    exp.Trunc: {"decimals"},
    exp.Floor: {"decimals", "to"},
    exp.Ceil: {"decimals", "to"},
    exp.Length: {"binary"},
    exp.Substring: {"start", "length"},
    exp.Trim: {"position"},
    exp.StrPosition: {"substr", "position", "occurrence"},
    exp.Replace: {"replacement"},
    exp.SubstringIndex: {"delimiter", "count"},
    exp.SplitPart: {"delimiter", "part_index"},
    exp.TimestampAdd: {"unit"},
    exp.TimestampDiff: {"unit"},
    exp.Pad: {"fill_pattern", "is_left"},
    exp.Repeat: {"times"},
    exp.Translate: {"from_", "to"},
    exp.Date: {"zone"},
    exp.TimeToStr: {"format"},
    exp.ExplodingGenerateSeries: {"start", "end", "step"},
    exp.Week: {"mode"},
    exp.TimestampTrunc: {"unit", "zone"},
    exp.AtTimeZone: {"zone"},
    exp.ConvertTimezone: {"source_tz", "target_tz", "timestamp"},
    exp.DateTrunc: {"unit"},
    exp.DateAdd: {"unit"},
    exp.DateSub: {"unit"},
    exp.JSONExtract: {"only_json_types"},
    exp.JSONExtractScalar: {"only_json_types", "json_subtype", "scalar_only"},
    exp.Insert: {
        "alternative", "conflict", "ignore", "with_", "returning", "overwrite", "partition", "by_name", "default",
    },
    exp.OnConflict: {"action", "conflict_keys", "constraint", "duplicate", "index_predicate", "where"},
    exp.Update: {"where", "from_", "returning", "order", "limit", "with_"},
    exp.Delete: {"where", "using", "returning", "order", "limit", "tables", "with_", "cluster"},
}  # fmt: skip
_NOTHING: frozenset[str] = frozenset()


_CLAUSES = (exp.DML, exp.Query, exp.Table, exp.Join, exp.Group, exp.Order, exp.OnConflict, exp.Limit, exp.Fetch)


def refuse_unread(tree: exp.Expr, dialect: Dialect) -> None:
    """Raise the first of these gaps."""
    for _, found in unread(tree, dialect):
        raise found


def unread(tree: exp.Expr, dialect: Dialect) -> Iterator[tuple[exp.Expr, StatementGap]]:
    """Yield each node of the tree with an argument that no code here reads, and the gap for it."""
    for node in tree.walk():
        read = _READ.get(type(node), _NOTHING)
        for name, value in node.args.items():
            if value and name not in _ALWAYS and name not in read:
                if isinstance(node, _CLAUSES):
                    yield node, statement_gap(f"{node.key.upper()} with {name.strip('_').upper()}", node)
                else:
                    yield node, statement_gap(sql_as_written(node, dialect.grammar), node)
