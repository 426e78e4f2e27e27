"""Arguments of another kind are told in words, by every function of the pipeline, before any work."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import InputError
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.pipeline.proving.source import prove_source


@pytest.fixture(scope="module")
def proposal(reading: Reading) -> Proposal:
    """A design of the bundled shop."""
    return pipeline.design(reading, "normalized")


def _wrong(work: Callable[[], object], said: str, move: str = "") -> None:
    with pytest.raises(InputError) as error:
        work()
    (problem,) = error.value.problems
    assert said in problem.what
    assert move in problem.next_move


def test_every_function_checks_its_arguments() -> None:
    """Those that are called from notebooks, and the proof; each parameter of a class of nestling's is checked."""
    functions: list[Any] = [getattr(pipeline, name) for name in pipeline.__all__]
    checked: list[Any] = [*(each for each in functions if inspect.isfunction(each)), prove_source]
    for each in checked:
        assert "pipeline/arguments.py" in each.__code__.co_filename, each.__name__
    wrong: Any = object()
    _wrong(lambda: pipeline.explain(wrong), "`proposal`: expected a design with its decisions, not object")
    _wrong(lambda: pipeline.explain(proposal=wrong), "`proposal`: expected a design with its decisions, not object")


def test_what_is_nearly_right(reading: Reading, proposal: Proposal, tmp_path: Path) -> None:
    """It says what is wanted, what was given, and how to come by the one from the other."""
    p: Any = pipeline
    made = "give what `design` or `read_proposal` returns"
    _wrong(lambda: p.explain(proposal.design), "`proposal`: expected a design with its decisions, not Design", made)
    _wrong(lambda: p.explain("d.yaml"), "expected a design with its decisions, not str", made)
    _wrong(lambda: p.explain(proposal, 5), "`about`: expected a string, not int")
    _wrong(lambda: p.design(proposal), "expected a source as it was read or the address of a source, not Proposal")
    _wrong(lambda: p.design(reading, thresholds={"few": 30}), "expected `Thresholds`, not dict", "Thresholds(few=30)")
    _wrong(lambda: p.pareto(proposal), "`reading`: expected a source as it was read, not Proposal", "`inspect`")
    _wrong(lambda: p.inspect("shop.db", workload=["SELECT 1"]), "`workload`: expected a file of statements, not list")
    _wrong(lambda: p.convert(proposal, 5), "`sql`: expected a statement, not int", "give SQL as a string")
    _wrong(lambda: p.facts_of(5), "`uri`: expected the address of a MongoDB, not int", "mongodb://host/database")
    _wrong(lambda: p.diagnose(None), "`facts`: expected facts about a MongoDB, not NoneType", "`facts_of`")
    for work in (p.load, p.verify, p.unload):
        with pytest.raises(InputError, match="`database`: expected a pymongo database, not str") as error:
            work(proposal, tmp_path / "shop.db", "mongodb://x/shop")
        assert error.value.problems[0].next_move == 'get one with MongoClient(uri)["shop"]'
    database = MongoClient[dict[str, Any]](connect=False)["shop"]
    _wrong(lambda: p.load(proposal, "shop.db", database, mode="replace"), "a member of `LoadMode`", "LoadMode.REPLACE")
    _wrong(lambda: p.check(proposal, database, since="2024"), "`since`: expected a datetime, not str", "datetime(2024")
    _wrong(lambda: p.check(proposal, database, sample="x"), "`sample`: expected a number, not str")


@pytest.mark.parametrize("sample", [-1, 0, 1.5, float("nan"), float("inf")])
def test_a_sample_that_is_none(proposal: Proposal, database: Database[Any], shop_folder: Path, sample: float) -> None:
    """Neither a number of documents nor a share of them is no sample, and nothing is found clean by it."""
    pipeline.load(proposal, shop_folder / "shop.db", database, check=False)
    _wrong(lambda: pipeline.check(proposal, database, sample=sample), f"`sample`: {sample} is neither", "write 1000")
