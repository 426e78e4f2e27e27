"""Rewrites of statements: each makes a read cheaper and never changes its answer, so that any subset of them may be left out.

Those of relations give another relation, in the order of `plan_read()`; the others are asked while a relation becomes steps:
along an embedding, from a copy, by the id. A rewrite is made in the file of its name here, unless its line below says another.
The files that are called after none (`conjuncts`, `links`, `freshness`, `rows_left` …) say what several need.

Rewrites of relations, in the order they run (`planner/reads/ways.py`, then `_planned()` in `planner/reads/__init__.py`):

| file | what it makes |
|---|---|
| `child_join_as_exists` | of an inner join with embedded children an EXISTS, in a plan beside the first one |
| `parent_as_foreign_key` | the first children of one parent are found by their foreign key, in a plan beside the first one |
| `sets_first` | of the values EXISTS and IN find the start of the joins, in a plan beside the first one |
| `lists_first` | what NOT IN and NOT EXISTS refuse is one list, and the rows are read beside it, in a plan beside the first one |
| `distinct_as_exists` | of joins that only ask under DISTINCT of a table's key an EXISTS, in plans beside the first one |
| `order_first` | rows are sorted before other tables are asked, which ends with the limit, in a plan beside the first one |
| `pushdown` | predicates go to their tables; `implied_by_or` adds what an OR says of one table |
| `unneeded_join` | a join with a parent nothing is taken from is left out |
| `groups_as_parents` | of GROUP BY a parent's key one row of each parent, with computed values |
| `early_limits` | rows are limited before the aggregates of their children are made |
| `windowed` | of a subquery over the rows that are joined anyway a window |
| `join_order` | inner joins in the order that reads least; `grouped_in_as_join` makes joins of IN over groups |
| `early_groups` | rows are grouped before their parents are looked up |
| `early_sums` | rows are summed by parent before their parents are looked up |
| `values_first` | the one value of a subquery is made before the rows are read; of ANY and ALL the extreme (`extremes_first`) |
| `late_children` | rows are limited before their children are joined to them |
| `first_children` | of children under a LIMIT the copies in their parent; `extreme_child` finds greatest and least ones |
| `late_parents` | rows are limited before their parents are looked up |
"""

from __future__ import annotations

from enum import StrEnum


class Rewrite(StrEnum):
    """The closed set of rewrites."""

    PUSHDOWN = "pushdown"  # predicates go to the tables they are about, before joins and unwinds
    JOIN_ORDER = "join order"  # inner joins start at the table that is restricted most
    UNNEEDED_JOIN = "unneeded join"  # a join nothing is taken from and that changes no count disappears
    WINDOWED = "windowed"  # a subquery over the rows that are joined anyway is a window over these
    EARLY_GROUPS = "early groups"  # rows are grouped before they meet the parents that only name their groups
    EARLY_LIMITS = "early limits"  # rows that are groups are limited before their children are aggregated
    EARLY_SUMS = (
        "early sums"  # rows are summed up by their parent before they meet it, and then by what names the groups
    )
    VALUES_FIRST = "values first"  # a subquery that gives all rows one value begins, and the rows are read beside it
    SETS_FIRST = "sets first"  # the values EXISTS and IN find are made first, once, and the rows looked up by them
    LISTS_FIRST = "lists first"  # the values NOT IN and NOT EXISTS refuse are made first, as one list
    DISTINCT_EXISTS = "distinct exists"  # a table's key need not be made distinct where others are only asked for
    ORDER_FIRST = (
        "order first"  # rows are sorted before what other tables are asked for, so that a limit ends the asking
    )
    FOREIGN_KEY = "foreign key"  # the first children of one parent are found by theirs (`parent_as_foreign_key`)
    SIDE_BY_SIDE = "side by side"  # what belongs to many rows is looked up as arrays first (and `looked_up_elements`)
    LATE_CHILDREN = "late children"  # rows are limited before outer joins add children to each
    LATE_PARENTS = "late parents"  # rows are limited before each meets its one parent
    EMBEDDED_CHILD = "embedded child"  # children inside their parent's document are unwound, not looked up (`embedded`)
    EMBEDDED_PARENT = "embedded parent"  # the parent of a child inside its document is there already (`embedded`)
    EMBEDDED_EXISTS = "embedded exists"  # EXISTS over children inside their parent's document is asked of their array
    EMBEDDED_VALUE = "embedded value"  # an aggregate of children inside their parent's document is made of their array
    EQUALITY = "equality"  # a lookup by an equality on a stored field uses that field's index (`reads/correlate`)
    IDENTITY = (
        "identity"  # all parts of a compound `_id` are asked for as one, the first few as a range (`reads/correlate`)
    )
    PREFILTER = "prefilter"  # a predicate on elements leaves out documents before they are unwound
    BUCKET_STARTS = (
        "bucket starts"  # ranges of time leave out buckets whose windows lie beyond, before they are unwound
    )
    BELOW_GROUPS = "below groups"  # a predicate on what copies are grouped by leaves out copies before that
    ARCHIVED = "archived"  # old rows apart are left out where later ones are asked for
    COPIED = "copied"  # a copy that is fresh enough answers instead of a lookup
    COPIED_CHILDREN = (
        "copied children"  # copies of children in their parent answer instead of a lookup (`first_children`)
    )
    ANCESTORS = "ancestors"  # rows above each that its document holds answer instead of a walk along a tree
    COMPUTED = "computed"  # a computed value that is fresh enough answers an aggregate over rows (`groups_as_parents`)
    SUMMARY = "summary"  # groups at least as coarse as buckets are summed up from these
    SEMI_JOIN = "semi join"  # EXISTS and IN as whole conditions drop rows as they look (`reads/subqueries`)


ALL_REWRITES = frozenset(Rewrite)
NO_REWRITES: frozenset[Rewrite] = frozenset()
