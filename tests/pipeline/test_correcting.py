"""What the search assumed is held against the compiled queries, and it searches again where these say otherwise."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import optimizer, pipeline
from nestling.common.server import Server
from nestling.cost import default_profile
from nestling.ir.design_problem import DesignProblem, Group, Mode, Solution, StatementStep, Structure
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.reading import Reading
from nestling.optimizer import solve
from nestling.optimizer.evaluate import evaluate
from nestling.pipeline import correcting
from nestling.pipeline.correcting import least_cost_solution
from nestling.pipeline.designing import explained_proposal, posed_problem, proposal_of
from nestling.pipeline.looked_choice import LookedChoice, choice_with_ways
from nestling.pipeline.proving import statements
from nestling.pipeline.query_prices import DearerQuery
from nestling.sources.mongo import LiveDatabase
from tests.patterns.scenario import scenario

TABLES = """
CREATE TABLE issue (id INTEGER PRIMARY KEY NOT NULL, title TEXT NOT NULL);
CREATE TABLE comment (id INTEGER PRIMARY KEY NOT NULL, issue_id INTEGER NOT NULL REFERENCES issue (id),
  parent_id INTEGER REFERENCES comment (id), body TEXT NOT NULL);
"""
WORKLOAD = """
-- name: page, rate: 100/s
SELECT i.title, c.id, c.body FROM issue i JOIN comment c ON c.issue_id = i.id WHERE i.id = :id;
-- name: thread, rate: 1/min
WITH RECURSIVE t (id) AS (SELECT id FROM comment WHERE id = :id
  UNION ALL SELECT c.id FROM comment c JOIN t ON c.parent_id = t.id) SELECT id FROM t;
-- name: odd, rate: 1/min
SELECT id, LEAD(id, id) OVER (ORDER BY id) AS x FROM issue;
"""


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    """Comments that are read with their issue, and now and then by what answers what."""
    comments = [(n, n % 40, n - 40 if n >= 40 else None, "x" * 30) for n in range(200)]
    rows: dict[str, list[tuple[object, ...]]] = {
        "issue": [(n, f"issue {n}") for n in range(40)],
        "comment": [*comments],
    }
    return scenario(tmp_path, TABLES, rows, WORKLOAD).reading


@pytest.mark.thorough
def test_a_design_that_answers_all_is_chosen(reading: Reading) -> None:
    """The search alone embeds comments, where the recursion has no query; a statement no design answers turns nothing."""
    found = posed_problem(reading, None, None)
    alone = explained_proposal(found, solve(found.problem))
    assert isinstance(pipeline.convert(alone, _sql(reading, "thread")), NotCompiled)
    made = pipeline.design(reading)
    assert not isinstance(pipeline.convert(made, _sql(reading, "thread")), NotCompiled)
    assert isinstance(pipeline.convert(made, _sql(reading, "odd")), NotCompiled)


@pytest.fixture
def live(mongod: Server, database: Database[Any], tmp_path: Path) -> LiveDatabase:
    """The same rows in a MongoDB, issues and comments apart."""
    database.issue.insert_many({"_id": n, "title": f"issue {n}"} for n in range(40))
    comments: list[dict[str, Any]] = [{"_id": n, "issue_id": n % 40, "body": "x" * 30} for n in range(200)]
    database.comment.insert_many(
        each | ({"parent_id": each["_id"] - 40} if each["_id"] >= 40 else {}) for each in comments
    )
    named = WORKLOAD.replace("id FROM comment", "_id FROM comment").replace("WHERE id =", "WHERE _id =")
    for name in ("i", "c"):
        named = named.replace(f" {name}.id", f" {name}._id")
    (tmp_path / "live.sql").write_text(named.split("-- name: odd")[0], encoding="utf-8")
    return pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?"), workload=tmp_path / "live.sql", rest=0.0)


def test_a_live_database_gets_a_design_that_answers_all(live: LiveDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search alone moves comments into their issue, where the recursion has no query. Changes have the same prices."""
    made = pipeline.redesign(live, "optimal")
    assert not isinstance(pipeline.convert(made.proposal, _sql(live.reading, "thread")), NotCompiled)
    assert made.today is not None
    assert made.better is not None
    assert sum(each.gain or 0.0 for each in made.changes) == pytest.approx(made.today - made.better)
    monkeypatch.setattr(correcting, "MOST_ROUNDS", 0)
    alone = pipeline.redesign(live, "optimal").proposal
    assert isinstance(pipeline.convert(alone, _sql(live.reading, "thread")), NotCompiled)


@pytest.mark.thorough
def test_today_is_priced_as_its_queries(live: LiveDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where today's design stays and its query costs far more than was assumed, that is what it is said to cost."""
    plain = replace(
        live.reading, workload=replace(live.reading.workload, statements=live.reading.workload.statements[:1])
    )
    known = statements.predicted_seconds
    before = pipeline.redesign(replace(live, reading=plain), "optimal")
    stays = replace(live, reading=plain, in_place=before.proposal)
    cheap = pipeline.redesign(stays, "optimal")
    assert not cheap.changes
    monkeypatch.setattr(statements, "predicted_seconds", lambda *args: 50 * (known(*args) or 0.0))
    dear = pipeline.redesign(stays, "optimal")
    assert dear.today is not None
    assert cheap.today is not None
    assert dear.today > 10 * cheap.today


def test_prices_are_those_of_the_queries(reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a query costs more with a structure, the design does without that, and its costs are those of its queries."""
    known = statements.predicted_seconds

    def dearer(*args: object) -> float | None:
        """Comments inside their issue are said to cost a hundred times as much."""
        proposal, statement = args[0], args[2]
        found = known(*args)  # type: ignore[arg-type]
        inside = "comment" not in {each.name for each in proposal.design.collections}  # type: ignore[attr-defined]
        return 100 * found if found and inside and statement.name == "page" else found  # type: ignore[attr-defined]

    plain = replace(reading, workload=replace(reading.workload, statements=reading.workload.statements[:1]))
    assert [each.name for each in pipeline.design(plain).design.collections] == ["issue"]
    monkeypatch.setattr(statements, "predicted_seconds", dearer)
    made = pipeline.design(plain)
    assert {each.name for each in made.design.collections} == {"issue", "comment"}
    assert made.costs is not None
    assert made.costs.gap == 0


@pytest.mark.thorough
def test_there_is_an_end_to_it(reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every design is dearer than was computed, the cheapest of those that were tried is taken, and nothing is proved."""
    monkeypatch.setattr(correcting, "MOST_ROUNDS", 2)
    times = iter(range(2, 100))
    known = statements.predicted_seconds

    def dearer(*args: object) -> float | None:
        found = known(*args)  # type: ignore[arg-type]
        return found * next(times) if found else found

    monkeypatch.setattr(statements, "predicted_seconds", dearer)
    made = pipeline.design(reading)
    assert made.costs is not None
    assert made.costs.cost >= made.costs.bound


def test_what_an_earlier_search_proved_holds(reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    """Corrections only add cost: a search whose time is up proves no less than those before it did."""
    searches, known = count(), statements.predicted_seconds

    def hurried(*args: Any, **options: Any) -> Solution:
        found = solve(*args, **options)
        return found if next(searches) == 0 else replace(found, bound=0.0, proved=False)

    monkeypatch.setattr(optimizer, "solve", hurried)
    monkeypatch.setattr(statements, "predicted_seconds", lambda *args: 2 * (known(*args) or 0.0))
    found = posed_problem(reading, None, None)
    _, solution = least_cost_solution(found, draft=partial(proposal_of, found), limit_seconds=60.0)
    assert next(searches) > 1
    assert solution.bound == pytest.approx(solve(found.problem).bound)


def test_what_no_allowed_design_answers_is_no_cost(reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement that only the plainest design is said to have a query for: what it counts for is gone."""
    known = statements.predicted_seconds
    searched = solve(posed_problem(reading, None, None).problem)

    def unknown(*args: object) -> float | None:
        return None if args[2].name == "page" else known(*args)  # type: ignore[attr-defined, arg-type]

    monkeypatch.setattr(statements, "predicted_seconds", unknown)
    monkeypatch.setattr(statements, "is_answered", lambda proposal, *_: proposal.strategy == "normalized")
    made = pipeline.design(reading)
    assert made.costs is not None
    assert made.costs.cost == pytest.approx(
        searched.cost, rel=0.02
    )  # it answers `thread`, which the search alone does not


def test_a_profile_of_ones_own_hides_nothing(reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever profile the prices are of, a query that costs far more is told."""
    mine = replace(default_profile(), name="mine")
    made = pipeline.design(reading, profile=mine)
    known = statements.predicted_seconds
    monkeypatch.setattr(statements, "predicted_seconds", lambda *args: 50 * (known(*args) or 0.0))
    told = pipeline.with_unconverted(made, reading, mine)
    assert told.costs is not None
    assert [each.statement for each in told.costs.dearer] == ["page"]


def _sql(reading: Reading, name: str) -> str:
    found = reading.workload.statement(name)
    assert found is not None
    return found.sql


@pytest.mark.thorough
def test_the_time_limit_bounds_what_comes_after_the_search(reading: Reading) -> None:
    """Nothing is weighed once the time is up, and the design says so."""
    assert pipeline.design(reading).weighed
    hurried = pipeline.design(reading, limit_seconds=0.001)
    assert any("raise --time-limit" in note for note in hurried.notes)
    assert not any(decision.alternatives and decision.alternatives[0].cost for decision in hurried.decisions)


def test_the_machines_pace_makes_no_other_design(reading: Reading) -> None:
    """Queries are bounded by their number; where the time limit ends them earlier, it is said."""
    found = posed_problem(reading, None, None)

    def at_pace(seconds: float) -> tuple[frozenset[str], tuple[str, ...]]:
        ticks = count(0.0, seconds)
        settling = least_cost_solution(
            found, draft=partial(proposal_of, found), limit_seconds=60.0, clock=lambda: next(ticks)
        )
        assert settling[0].queries is not None
        return settling[1].chosen, settling[0].queries.notes

    assert at_pace(1e-6) == at_pace(1e-3)
    assert at_pace(1e-3)[1] == ()
    assert "raise --time-limit" in at_pace(10.0)[1][0]


EVENTS = """
CREATE TABLE event (id INTEGER PRIMARY KEY NOT NULL, label TEXT NOT NULL, at INTEGER NOT NULL);
"""
ON_EVENTS = """
-- name: note, rate: 20/s
INSERT INTO event (id, label, at) VALUES (:id, :label, :at);
-- name: noted, rate: 3/s
SELECT id FROM event WHERE label = :label ORDER BY at;
"""


def test_what_every_design_pays_is_paid_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that costs more than was assumed, with and without an index, takes no index away: designs that have what
    several such findings are about pay for the dearest of them alone.
    """
    rows: dict[str, list[tuple[object, ...]]] = {"event": [(n, f"label {n % 500}", n) for n in range(1000)]}
    reading = scenario(tmp_path, EVENTS, rows, ON_EVENTS).reading
    plain = pipeline.design(reading)
    assert [each.keys[0][0] for each in plain.design.indexes] == ["label"]
    known = statements.predicted_seconds

    def dearer(*args: Any) -> float | None:
        found = known(*args)
        return found + 0.005 if found and args[2].name == "note" else found

    monkeypatch.setattr(statements, "predicted_seconds", dearer)
    made = pipeline.design(reading)
    assert made.design.indexes == plain.design.indexes
    assert plain.costs is not None
    assert made.costs is not None
    assert made.costs.cost == pytest.approx(plain.costs.cost + 20 * 0.005, rel=1e-4)
    weighed = [each for each in made.weighed if each.structure.startswith("index of event on label")]
    before = [each for each in plain.weighed if each.structure.startswith("index of event on label")]
    assert [each.gain for each in weighed] == pytest.approx([each.gain for each in before])


def test_what_has_a_cheaper_way_is_not_paid_beside_it() -> None:
    """A step tells nothing of designs whose query goes another, cheaper way: what that costs more has to be told by itself."""
    told = DearerQuery(frozenset({"index on a"}), 1.0, (Mode("", ("index on b",), 0.0, without=("list",)),))
    assert told.is_paid_beside(frozenset({"index on c"}))
    assert not told.is_paid_beside(frozenset({"index on b"}))
    assert told.is_paid_beside(frozenset({"index on b", "list"}))


def _choice() -> LookedChoice:
    """Rows found by one of three indexes or a scan, in one of three places."""
    ways = (("a", 1.0), ("b", 1.05), ("c", 4.0))
    modes = (*(Mode(name, (name,), seconds) for name, seconds in ways), Mode("scan", (), 40.0))
    steps = (
        StatementStep("page", "find", modes),
        StatementStep("page", "where", tuple(Mode(name, (name,), 1.0) for name in ("here", "there", "elsewhere"))),
    )
    structures = ("a", "b", "c", "here", "there", "elsewhere")
    indexes = (Group(name, (name,), optional=True) for name in "abc")
    problem = DesignProblem(
        tuple(Structure(name, name) for name in structures),
        (*indexes, Group("home", ("here", "there", "elsewhere"))),
        (),
        steps,
        (),
        (),
        {"page": 1.0},
    )
    chosen = frozenset({"a", "here"})
    evaluation = evaluate(problem, chosen)
    assert evaluation is not None
    return choice_with_ways(problem, chosen, evaluation)


def test_what_is_not_why_is_no_way_out() -> None:
    """An index that does as well in place of one that is not why saves nothing, one that is dearer as much less; a scan all."""
    found = list(
        _choice().instead("page", frozenset({"a"}), ("a", "b"), lambda _, other: other == "c", more=10, least=0.1)
    )
    assert [(each.without, each.cost) for each in found] == [(("a", "b"), 7.0), (("a", "b", "c"), 0.0)]
    found = list(_choice().instead("page", frozenset({"a"}), ("a", "b"), lambda *_: False, more=10.0, least=0.1))
    assert [(each.needs, each.without, each.cost) for each in found] == [
        (("c",), ("a", "b"), 0.0),
        ((), ("a", "b", "c"), 0.0),
    ]


def test_a_place_that_was_not_tried_may_be_a_way_out() -> None:
    """Of the places of rows only those that cost as much more when they were tried are none."""
    found = list(_choice().instead("page", frozenset({"here"}), ("here", "there"), lambda *_: True, more=10, least=0.1))
    assert [(each.without, each.cost) for each in found] == [(("here", "there"), 0.0)]


@pytest.mark.thorough
def test_many_indexes_that_do_as_well_are_not_tried_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A query that costs more by whichever index its rows are found is told of in a few searches."""
    rows: dict[str, list[tuple[object, ...]]] = {"event": [(n, f"label {n % 500}", n) for n in range(1000)]}
    orders = ("at", "at DESC", "at, id", "at DESC, id", "id", "id DESC", "at, id DESC", "at DESC, id DESC")
    each_asks = "".join(
        f"-- name: q{n}, rate: 3/s\nSELECT id FROM event WHERE label = :label ORDER BY {order};\n"
        for n, order in enumerate(orders)
    )
    reading = scenario(tmp_path, EVENTS, rows, each_asks).reading
    known, searches = statements.predicted_seconds, list[DesignProblem]()
    monkeypatch.setattr(
        statements,
        "predicted_seconds",
        lambda *args: 0.05 + (known(*args) or 0.0) if args[2].name == "q0" else known(*args),
    )
    found = posed_problem(reading, None, None)

    def counted(problem: DesignProblem, **options: Any) -> Solution:
        searches.append(problem)
        return solve(problem, **options)

    monkeypatch.setattr(optimizer, "solve", counted)
    problem, solution = least_cost_solution(found, draft=partial(proposal_of, found), limit_seconds=600.0)
    assert solution.proved
    assert len(searches) <= 5
    dearer = [each for each in problem.problem.steps if "costs more" in each.name]
    assert solution.cost == pytest.approx(solve(found.problem).cost + 3 * 0.05, rel=0.01), dearer


def test_the_trade_off_ends_at_the_design(reading: Reading) -> None:
    """Each point of cost against storage is found by the prices of its queries, as the design is."""
    costs = pipeline.design(reading).costs
    assert costs is not None
    last = pipeline.pareto(reading)[-1]
    assert last.solution.cost == pytest.approx(costs.cost)
    assert last.solution.cost > solve(posed_problem(reading, None, None).problem).cost
