"""`nestling design`: each strategy, from each kind of source, with thresholds and a workload."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

from nestling import pipeline
from nestling.cli.parts.weighing import thresholds_of
from nestling.cost import default_profile
from nestling.cost.profile_text import profile_text
from nestling.ir.proposal import Choice, Proposal
from nestling.ir.text import read_file, read_proposal
from nestling.pipeline import designing
from nestling.strategies import strategy_names
from tests.cli.commands import nestling, process
from tests.cli.conftest import write_library
from tests.planner.reads.beside_postgresql import created

SOURCES = ("sqlite:///shop.db", "schema.sql", "model.yaml")
STRATEGIES = ("optimal", *strategy_names())


@pytest.mark.one_in(2)
@pytest.mark.in_turn("source")
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_from_every_source(shop: Path, tmp_path: Path, strategy: str, source: str) -> None:
    """A design file is written that reads back, by the strategy asked for, with a decision on every relationship.

    Only the model file has a workload; without one the tree decides.
    """
    design = tmp_path / "design.yaml"
    done = nestling("design", source, "--strategy", strategy, "-o", design, cwd=shop)
    assert done.code == 0, done.err
    found = read_file(design)
    assert isinstance(found, Proposal)
    assert found.strategy == ("tree" if strategy == "optimal" and source != "model.yaml" else strategy)
    model = found.design.model
    linked = {name for both in model.many_to_many for name in (both.left, both.right)}
    expected = {link.name for link in model.relationships} - linked | {both.name for both in model.many_to_many}
    assert {made.relationship for made in found.decisions} == expected


def test_json_is_all_that_is_printed(shop: Path) -> None:
    """In a process of its own: what the solver's library writes to the standard output would be seen there alone."""
    done = process("design", "model.yaml", "--json", cwd=shop)
    assert done.code == 0, done.err
    assert json.loads(done.out)["strategy"] == "optimal"


@pytest.mark.thorough
def test_short_names(shop: Path, tmp_path: Path) -> None:
    """Attributes are stored under initials, the design says which, and a note says what that saves."""
    design = tmp_path / "design.yaml"
    done = nestling("design", "sqlite:///shop.db", "--short-names", "-o", design, cwd=shop)
    assert done.code == 0, done.err
    assert "short field names save" in done.out + done.err
    found = read_file(design)
    assert isinstance(found, Proposal)
    product = next(each for each in found.design.collections if each.root == "product")
    assert ("description", "d") in {(field.attribute, field.path) for field in product.body.fields}


FEW = """
-- name: product_page, rate: 900/s
SELECT p.name, r.rating FROM product p LEFT JOIN review r ON r.product_id = p.product_id WHERE p.product_id = :id;
-- name: review, rate: 5/s
INSERT INTO review (review_id, product_id, customer_id, rating) VALUES (:id, :product, :customer, :rating);
"""


@pytest.fixture(scope="module")
def few(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of the shop with two statements: a design that is found in no time."""
    folder = tmp_path_factory.mktemp("few")
    (folder / "few.sql").write_text(FEW, encoding="utf-8")
    done = nestling(
        "inspect", "sqlite:///shop.db", "--workload", folder / "few.sql", "-o", folder / "few.yaml", cwd=shop
    )
    assert done.code == 0, done.err
    return folder / "few.yaml"


KEYS = {
    "strategy", "collections", "decisions", "weighed", "cost", "bound", "optimality_gap", "threshold", "seconds", "profile",
    "statements", "rates", "dearer", "left_out", "in_part", "gaps", "notes",
}  # fmt: skip
WEIGHED_KEYS = {
    "structure",
    "pattern",
    "chosen",
    "gain",
    "price",
    "motives",
    "flips",
    "because",
    "about",
    "instead",
    "dropped",
    "statements",
    "checked",
    "threshold",
}


@pytest.fixture(scope="module")
def decided(shop: Path) -> dict[str, Any]:
    """What `--json` says of the shop's design."""
    found: dict[str, Any] = nestling("design", "model.yaml", "--json", cwd=shop).json
    return found


def test_json_shape(shop: Path, decided: dict[str, Any]) -> None:
    """`--json` has exactly the documented keys, and choices from the closed set."""
    found = decided
    assert set(found) == KEYS
    assert all(isinstance(note, str) for note in found["notes"])
    assert found["notes"], "the shop has more notes than a terminal shows"
    assert found["strategy"] == "optimal"
    assert 0 < found["bound"] <= found["cost"]
    assert 0 <= found["optimality_gap"] < 1e-6
    assert set(found["rates"]) == set(found["statements"])
    assert set(found["statements"]) == {
        s["name"] for s in nestling("inspect", "model.yaml", "--json", cwd=shop).json["statements"]
    }
    for decision in found["decisions"]:
        assert set(decision) == {"relationship", "choice", "patterns", "reasons", "alternatives", "flips"}
        assert decision["choice"] in set(Choice)
        assert decision["reasons"]
        assert all(set(reason) == {"rule", "text", "number", "statements"} for reason in decision["reasons"])
        assert all(set(other) == {"choice", "text", "cost", "checked"} for other in decision["alternatives"])
        assert all(other["cost"] is None or other["cost"] >= found["bound"] for other in decision["alternatives"])
        assert all(set(flip) == {"quantity", "now", "at", "to", "checked"} for flip in decision["flips"])
    for each in found["weighed"]:
        assert set(each) == WEIGHED_KEYS
        assert not each["chosen"] or each["gain"] is None or each["gain"] >= 0
    choices = {each["relationship"]: each["choice"] for each in found["decisions"]}
    assert choices["purchase_purchase_line"] == "embed"
    assert choices["product_review"] == "parent-reference"


def test_the_workload_decides(tmp_path: Path) -> None:
    """Two designs of one schema differ by its statements alone: what is read on its own is not embedded."""
    (tmp_path / "schema.sql").write_text(
        "CREATE TABLE author (id INT PRIMARY KEY);"
        "CREATE TABLE book (id INT PRIMARY KEY, author_id INT NOT NULL REFERENCES author (id), title TEXT);"
    )
    (tmp_path / "alone.sql").write_text("-- name: book, rate: 9/s\nSELECT title FROM book WHERE id = :id;\n")
    (tmp_path / "with.sql").write_text(
        "-- name: author, rate: 9/s\nSELECT b.title FROM author a JOIN book b ON b.author_id = a.id WHERE a.id = :id;\n"
    )
    choices = {
        name: nestling(
            "design",
            "schema.sql",
            "--workload",
            name,
            "--strategy",
            "tree",
            "--threshold",
            "few=10",
            "--json",
            cwd=tmp_path,
        ).json["decisions"][0]["choice"]
        for name in ("alone.sql", "with.sql")
    }
    assert choices == {"alone.sql": "parent-reference", "with.sql": "embed"}


def test_a_key_becomes_the_id(shop: Path) -> None:
    """A natural key is `_id`, which saves an index; rows without a key get one of MongoDB's."""
    found = nestling("design", "model.yaml", "--strategy", "normalized", "--json", cwd=shop).json["collections"]
    ids = {name: collection["id"] for name, collection in found.items()}
    assert ids["product"] == ["product_id"]
    assert ids["purchase_line"] == ["purchase_id", "line"]
    assert ids["page_view"] == []
    keys = [{"product_id": 1}, {"purchase_id": 1, "line": 1}, {"purchase_id": 1}]
    assert [
        index["keys"] for name in ids for index in found[name]["indexes"] if name == "product" and index["keys"] in keys
    ] == []


@pytest.mark.thorough
def test_a_threshold_changes_the_answer(shop: Path) -> None:
    """With `few=2` and nothing always read together, the addresses of a customer are many, and the answer says so."""
    reasons = {
        few: nestling(
            "design", "model.yaml", "--strategy", "tree", "--threshold", f"few={few}", "--json", cwd=shop
        ).json["decisions"][0]["reasons"]
        for few in (50, 2)
    }
    assert reasons[50][0]["rule"] == "A2"
    assert reasons[2][0]["rule"] == "A3"


@pytest.mark.thorough
def test_a_design_is_the_same_twice(shop: Path, decided: dict[str, Any]) -> None:
    """Deciding again gives the same bytes, but for how long it took."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "design", designing.design)
        again = nestling("design", "model.yaml", "--json", cwd=shop).json
        assert again | {"seconds": 0} == decided | {"seconds": 0}


def test_what_people_see(shop: Path) -> None:
    """Collections with their indexes, decisions with the reason that decided, and what to do next."""
    done = nestling("design", "model.yaml", cwd=shop)
    assert "shop, by strategy optimal" in done.out
    assert "purchase_purchase_line   embed              about equal: purchase_line in purchase saves" in done.out
    assert "Kept besides\n" in done.out
    assert re.search(
        r"^The workload costs [\d,]+ ms/s by the cost model \(wiredtiger\), proved least \(search: ",
        done.out,
        re.MULTILINE,
    )
    assert "Next: keep it with -o design.yaml" in done.err


@pytest.mark.thorough
def test_what_comes_next_names_the_source(few: Path, tmp_path: Path) -> None:
    """A model file says where it was read from; where nobody knows, it is for the reader to say."""
    done = nestling("design", few, "-o", tmp_path / "a.yaml")
    assert re.search(r"nestling load \S+ --from sqlite:///\S*shop\.db --to mongodb://…", done.err)
    done = nestling("design", tmp_path / "a.yaml", "--strategy", "tree", "-o", tmp_path / "b.yaml")
    assert "b.yaml --to mongodb://…  # empty; --from sqlite:///your.db loads rows" in done.err


def test_what_comes_next_without_a_database(tmp_path: Path) -> None:
    """A model and DDL have no rows: the collections are created empty, and the code is made of the statements given."""
    (tmp_path / "schema.sql").write_text("CREATE TABLE n (id integer PRIMARY KEY, t text);", encoding="utf-8")
    (tmp_path / "w.sql").write_text("-- name: g, rate: 5/s\nSELECT t FROM n WHERE id = :id;", encoding="utf-8")
    done = nestling("design", "schema.sql", "--workload", "w.sql", "-o", "d.yaml", cwd=tmp_path)
    assert "nestling load d.yaml --to mongodb://…" in done.err
    assert "nestling emit d.yaml --as python --workload w.sql -o code" in done.err
    nestling("inspect", "schema.sql", "--workload", "w.sql", "-o", "model.yaml", cwd=tmp_path)
    done = nestling("design", "model.yaml", "-o", "d.yaml", cwd=tmp_path)
    assert "nestling emit d.yaml --as python --workload model.yaml -o code" in done.err


def test_the_tree_is_shown_with_its_rules(shop: Path) -> None:
    """By the decision tree, the reason is the rule that decided, and nothing costs anything."""
    done = nestling("design", "model.yaml", "--strategy", "tree", cwd=shop)
    assert "customer_address         embed              one-to-few: p99 3, at most 3, fewer than 50 (A2)" in done.out
    assert "ms/s" not in done.out


def test_without_a_workload(shop: Path) -> None:
    """With cardinalities alone the tree decides, and the output says what to add; of a bare schema also the fan-outs."""
    done = nestling("design", "schema.sql", cwd=shop)
    assert done.code == 0
    assert "by strategy tree" in done.out
    assert "ms/s" not in done.out
    assert "so fixed rules decided" in done.err
    assert "-- name: product_page, rate: 900/s" in done.err
    assert "better: how many children a parent has is not known for" in done.err


def test_what_is_weighed_but_cannot_be_converted(shop: Path, tmp_path: Path) -> None:
    """A statement counts in the design although nothing is made of it: that is told once for all that are alike."""
    insert = "DELETE FROM loyalty_card WHERE customer_id = :id LIMIT 1;"
    workload = tmp_path / "workload.sql"
    workload.write_text("".join(f"-- name: add_{n}, rate: 5/s\n{insert}\n" for n in range(5)))
    done = nestling("design", "sqlite:///shop.db", "--workload", workload, cwd=shop)
    assert done.code == 1
    told = "statements `add_0`, `add_1`, `add_2` and 2 more: weighed, but not converted: DELETE with LIMIT"
    assert done.err.count("DELETE with LIMIT") == 1
    assert told in done.err.replace("\n", " ")


@pytest.mark.thorough
def test_what_this_design_does_not_convert(shop: Path, tmp_path: Path) -> None:
    """What only compiling tells of is named too, by `design` and by `explain` of the statement."""
    workload = tmp_path / "workload.sql"
    sql = "SELECT customer_id, LEAD(customer_id, customer_id) OVER (ORDER BY customer_id) AS x FROM loyalty_card"
    workload.write_text(f"-- name: ranks, rate: 5/s\n{sql};\n")
    done = nestling("design", "sqlite:///shop.db", "--workload", workload, "-o", tmp_path / "d.yaml", cwd=shop)
    told = "statement `ranks`: weighed, but not converted: a distance between rows that is not a constant integer"
    assert done.code == 1
    assert done.err.replace("\n", " ").count(told) == 1
    done = nestling("explain", tmp_path / "d.yaml", "ranks", "--json", cwd=shop)
    assert told in done.out


@pytest.mark.thorough
def test_a_workload_that_touches_nothing(shop: Path, tmp_path: Path) -> None:
    """Statements without a table are no workload: the tree decides, and the output says so."""
    (tmp_path / "nothing.sql").write_text("-- name: alive, rate: 5/s\nSELECT 1;\n", encoding="utf-8")
    done = nestling("design", "sqlite:///shop.db", "--workload", tmp_path / "nothing.sql", cwd=shop)
    assert done.code == 0
    assert "no statement of a workload is about the model" in done.err


def test_rates_that_are_none(shop: Path, tmp_path: Path) -> None:
    """A rate of zero weighs nothing, which is said with its line; a negative one is an error with its line."""
    text = "-- name: never, rate: 0/s\nSELECT name FROM product;\n"
    (tmp_path / "rates.sql").write_text(text, encoding="utf-8")
    done = nestling("design", "sqlite:///shop.db", "--workload", tmp_path / "rates.sql", cwd=shop)
    assert done.code == 0
    assert "the rate is 0 of `never`" in done.err
    text += "-- name: less, rate: -3/s\nSELECT name FROM product;\n"
    (tmp_path / "rates.sql").write_text(text, encoding="utf-8")
    done = nestling("design", "sqlite:///shop.db", "--workload", tmp_path / "rates.sql", cwd=shop)
    assert (done.code, done.out) == (2, "")
    assert "rates.sql:3: statement `less`: `-3/s` is not a rate\n  → write `900/s`" in done.err


@pytest.mark.thorough
def test_a_workload_without_statements(shop: Path, tmp_path: Path) -> None:
    """The file is named, and what to write into it."""
    (tmp_path / "empty.sql").write_text("", encoding="utf-8")
    done = nestling("design", "sqlite:///shop.db", "--workload", tmp_path / "empty.sql", cwd=shop)
    assert done.code == 2
    assert "empty.sql: the file contains no statements\n  → write each statement under a line" in done.err


def test_a_threshold_is_any_number() -> None:
    """Whole ones stay whole, however they are written."""
    found = thresholds_of(("few=1e3", "many=2000.0", "orphan_share=5e-2"))
    assert repr((found.few, found.many, found.orphan_share)) == "(1000, 2000, 0.05)"


def test_a_budget(few: Path) -> None:
    """What the data alone needs cannot be gone below, and the message says so; a wrong word says how to write it."""
    done = nestling("design", few, "--budget", "storage=1kB")
    assert done.code == 2
    assert "the storage budget (at most 1.0 kB)" in done.err
    wrong = nestling("design", few, "--budget", "size=3")
    assert wrong.code == 2
    assert "write it as storage=500MB" in wrong.err
    no_size = nestling("design", few, "--budget", "storage=0.2 B")
    assert no_size.code == 2
    assert "`0.2 B` is not a size: write it as 500MB, 20 GB or 512 MiB" in no_size.err


@pytest.mark.parametrize(
    ("given", "said"),
    [(("schema.sql",), "budgets need a workload"), (("model.yaml", "--strategy", "tree"), "--strategy optimal")],
)
def test_a_budget_that_nothing_would_keep_to(given: tuple[str, ...], said: str, shop: Path) -> None:
    """Without a workload, or by a strategy that knows no costs, it is refused."""
    done = nestling("design", *given, "--budget", "storage=1MB", cwd=shop)
    assert done.code == 2
    assert said in done.err


def test_what_storage_buys(few: Path) -> None:
    """More storage never costs more, and the last point is the design itself."""
    found = nestling("design", few, "--pareto", "--json").json
    assert set(found) == KEYS | {"pareto"}
    costs = [point["cost"] for point in found["pareto"]]
    assert len(costs) > 1
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == pytest.approx(found["cost"])
    sizes = [point["storage_bytes"] for point in found["pareto"]]
    assert sizes == sorted(sizes)


@pytest.mark.thorough
def test_a_profile(few: Path, tmp_path: Path) -> None:
    """Costs are by the profile that is named; a file that is none says what is wrong with it."""
    text = profile_text(replace(default_profile("mmapv1"), name="ours"))
    (tmp_path / "profile.yaml").write_text(text, encoding="utf-8")
    found = nestling("design", few, "--profile", tmp_path / "profile.yaml", "--json").json
    assert found["profile"] == "ours"
    done = nestling("design", few, "--profile", few.with_suffix(".sql"))
    assert done.code == 2


def test_an_unknown_strategy(shop: Path) -> None:
    """The message lists all there are, `optimal` among them."""
    done = nestling("design", "model.yaml", "--strategy", "optimum", cwd=shop)
    assert done.code == 2
    assert "no strategy `optimum`; there is `optimal`" in done.err


def test_a_password_in_the_source_is_not_repeated(postgresql: str, tmp_path: Path) -> None:
    """The suggestion of what to do next shows the source without its password."""
    secret = make_url(postgresql).password
    assert secret
    _, url, _ = created(postgresql, "CREATE TABLE person (id integer PRIMARY KEY)")
    done = nestling("design", url, "-o", tmp_path / "design.yaml")
    assert done.code == 0, done.err
    assert "--from 'postgresql" in done.err
    assert f":{secret}@" not in done.out + done.err + (tmp_path / "design.yaml").read_text(encoding="utf-8")


def test_a_folder_that_is_made_is_named(shop: Path, tmp_path: Path) -> None:
    """Where the design is written to one that was not there; nothing is said of one that was."""
    made = nestling("design", "model.yaml", "--strategy", "tree", "-o", tmp_path / "no" / "x.yaml", cwd=shop)
    assert f"Created the folder {tmp_path / 'no'}\n" in made.err
    assert (
        "Made"
        not in nestling("design", "model.yaml", "--strategy", "tree", "-o", tmp_path / "no" / "y.yaml", cwd=shop).err
    )


LACKING = """
-- name: fine, rate: 5/s
SELECT name FROM customer WHERE customer_id = :id;
-- name: no_sql, rate: 5/s
SELEC name FRM customer;
-- name: no_table, rate: 5/s
SELECT name FROM custmers WHERE customer_id = :id;
-- name: no_column, rate: 5/s
SELECT nmae FROM customer WHERE customer_id = :id;
-- name: no_query, rate: 5/s
SELECT soundex(name) FROM customer WHERE customer_id = :id;
"""


@pytest.mark.thorough
@pytest.mark.parametrize(("strategy", "of"), [("optimal", "2 of 5 statements"), ("tree", "2 statements")])
def test_statements_that_are_left_out(shop: Path, tmp_path: Path, strategy: str, of: str) -> None:
    """They stand beside the proof by name, in the file, in `explain` and in the JSON, and the exit code is 1."""
    workload, design = tmp_path / "workload.sql", tmp_path / "design.yaml"
    workload.write_text(LACKING)
    options = ("--workload", workload, "--strategy", strategy)
    done = nestling("design", "sqlite:///shop.db", *options, "-o", design, cwd=shop)
    assert done.code == 1
    said = (
        f"{of} are left out of this decision: `no_sql`, `no_table`. 1 statement is weighed only with the parts that could be"
        " read: `no_column`. 1 statement is weighed, but not converted: `no_query`."
    )
    last = " ".join(done.out.strip().split("\n\n")[-1].split())
    assert last.endswith(said)
    assert ("proved least" in last) == (strategy == "optimal")
    assert said in " ".join(nestling("explain", design).out.split())
    assert said in " ".join(nestling("emit", design, "--as", "markdown").out.split())
    as_json = nestling("design", "sqlite:///shop.db", *options, "--json", cwd=shop)
    assert (as_json.code, as_json.json["left_out"], as_json.json["in_part"]) == (
        1,
        ["no_sql", "no_table"],
        ["no_column"],
    )


@pytest.mark.thorough
def test_left_out_of_a_model_file(shop: Path, tmp_path: Path) -> None:
    """A model file keeps the names of what its workload file had and nobody could read."""
    workload, model = tmp_path / "workload.sql", tmp_path / "model.yaml"
    workload.write_text(LACKING)
    nestling("inspect", "sqlite:///shop.db", "--workload", workload, "-o", model, cwd=shop)
    found = nestling("design", model, "--json")
    assert (found.code, found.json["left_out"], found.json["in_part"]) == (1, ["no_sql", "no_table"], ["no_column"])


@pytest.mark.thorough
def test_another_cache(few: Path, tmp_path: Path) -> None:
    """A cache that holds little is said, in explanations too; what is no size is refused."""
    found = nestling("design", few, "--cache", "10kB", "-o", tmp_path / "design.yaml")
    assert "prices assume a cache of 10.0 kB for" in " ".join(found.out.split() + found.err.split())
    explained = nestling("explain", tmp_path / "design.yaml")
    assert "prices assume a cache of 10.0 kB for" in " ".join(explained.out.split())
    done = nestling("design", few, "--cache", "much")
    assert done.code == 2
    assert "write it as 500MB, 20 GB or 512 MiB" in done.err


def test_rows_that_nobody_counted_are_told(tmp_path: Path) -> None:
    """A schema without data has prices for so many rows, which the output says; one that says how many does not."""
    (tmp_path / "schema.sql").write_text("CREATE TABLE n (id integer PRIMARY KEY, t text);", encoding="utf-8")
    (tmp_path / "w.sql").write_text("-- name: g, rate: 5/s\nSELECT t FROM n WHERE t = :t;", encoding="utf-8")
    told = "better: prices assume 1,000 rows each for n, whose rows were not counted"
    design = ("design", "schema.sql", "--workload", "w.sql")
    assert told in nestling(*design, cwd=tmp_path).err
    assert told not in nestling(*design, "--strategy", "tree", cwd=tmp_path).err


def test_a_former_design_with_other_collections_is_kept(tmp_path: Path) -> None:
    """As `.bak`, in place of an older one; the same design, and what is none, are overwritten."""
    write_library(tmp_path / "library.db")
    file, kept = tmp_path / "d.yaml", tmp_path / "d.yaml.bak"

    def designed(strategy: str) -> str:
        done = nestling("design", "library.db", "--strategy", strategy, "-o", "d.yaml", cwd=tmp_path)
        assert done.code == 0, done.err
        return done.err

    file.write_text("nothing of the kind", encoding="utf-8")
    for _ in range(2):
        assert "Kept" not in designed("normalized")
    first = file.read_bytes()
    assert not kept.exists()
    kept.write_text("older", encoding="utf-8")
    assert "Kept the former design as d.yaml.bak\n" in designed("embedded")
    assert kept.read_bytes() == first
    refused = nestling("design", "d.yaml.bak", "-o", "d.yaml", cwd=tmp_path)
    assert refused.code == 2
    assert "the command reads this file (SOURCE) and would overwrite it" in refused.err


def test_documents_that_will_not_fit_come_first(tmp_path: Path) -> None:
    """A strategy that embeds whatever the size says so before anything else; another one has nothing to warn of."""
    with closing(sqlite3.connect(tmp_path / "large.db")) as source, source:
        source.executescript(
            "CREATE TABLE hotel (id INTEGER PRIMARY KEY); INSERT INTO hotel VALUES (1), (2);"
            "CREATE TABLE stay (id INTEGER PRIMARY KEY, hotel INT NOT NULL REFERENCES hotel ON DELETE CASCADE, note TEXT);"
            "WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 200)"
            "INSERT INTO stay SELECT n, 1, hex(zeroblob(500)) FROM n"
        )
    insert = "-- name: add, rate: 20/s\nINSERT INTO stay VALUES (:id, :hotel, :note);\n"
    (tmp_path / "w.sql").write_text(insert + "-- name: one, rate: 9/s\nSELECT * FROM stay WHERE hotel = :h;\n")
    told = ("design", "large.db", "--workload", "w.sql", "--strategy")
    done = nestling(*told, "embedded", "-o", "d.yaml", cwd=tmp_path)
    first, _, rest = done.out.partition("\n\n")
    said = " ".join(first.split())
    assert said.startswith("Warning: a document of `hotel` reaches ")
    assert "the bound is 16.8 MB: writes to it will fail. Keep its largest array in a collection of its own" in said
    assert "by strategy embedded" in rest
    assert "a document of" not in done.err
    assert "a document of `hotel`" in read_proposal((tmp_path / "d.yaml").read_text(), "d.yaml").notes[0]
    assert "Warning" not in nestling(*told, "tree", cwd=tmp_path).out
