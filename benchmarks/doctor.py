"""The doctor's measures: what it finds in real data, and how fast it gathers facts (to a busy server: `benchmarks.doctor_load`).

    .venv/bin/python -m benchmarks.doctor
    .venv/bin/python -m benchmarks.doctor cases [FOLDER]
    .venv/bin/python -m benchmarks.doctor speed [N] [DIR]
    .venv/bin/python -m benchmarks.doctor many [N]

cases: expected problems found, and everything found beside them. speed: documents a second of all facts, default facts, a scan in
the client, and the package mongodb-schema where DIR has it (`npm install mongodb-schema mongodb`). many: a database of N
collections at default settings. Without a word: all three, but for the package.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import resource
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bson import json_util
from pymongo import MongoClient
from pymongo.database import Database

from nestling.common.connection import connect
from nestling.common.server import start_server
from nestling.executors.facts import Budget, gather
from nestling.ir.finding import Severity
from nestling.pipeline import diagnose
from tests import shared_cases
from tests.shared_cases import required

Db = Database[dict[str, Any]]
CASES = shared_cases.CASES / "mongo"
DOCUMENTS = 1_000_000
COLLECTIONS = 100

SCHEMA_PACKAGE = """
const { MongoClient } = require("mongodb");
const { analyzeDocuments } = require("mongodb-schema");
(async () => {
  const client = await MongoClient.connect(process.argv[1]);
  const cursor = client.db("speed").collection("things").find().limit(Number(process.argv[2]));
  const start = process.hrtime.bigint();
  const analyzer = await analyzeDocuments(cursor);
  await analyzer.getInternalSchema();
  console.log(Number(process.hrtime.bigint() - start) / 1e9);
  await client.close();
})();
"""

EXPECTED = {
    ("geo_samples", "shipwrecks", "mixed-types", "depth"),
    ("github_webhook_events", "events", "deep-nesting", ""),
    ("github_webhook_events", "events", "many-fields", ""),
    ("github_webhook_events", "events", "mixed-types", "payload.repository.created_at"),
    ("github_webhook_events", "events", "mixed-types", "payload.repository.pushed_at"),
    ("github_webhook_events", "events", "mixed-types", "payload.workflow"),
    ("github_webhook_events", "events", "mixed-types", "payload.installation.created_at"),
    ("github_webhook_events", "events", "mixed-types", "payload.installation.updated_at"),
    ("mongodb_json_files", "books", "mixed-types", "_id"),
    ("mongodb_json_files", "countries-big", "awkward-field-names", "\\ufeffISO"),
    ("mongodb_json_files", "countries-small", "dynamic-field-names", "languages.{*}"),
    ("mongodb_json_files", "countries-small", "dynamic-field-names", "name.native.{*}"),
    ("mongodb_json_files", "products", "mixed-types", "_id"),
    ("mongodb_json_files", "products", "mixed-types", "type"),
    ("mongodb_json_files", "products", "mixed-types", "for"),
    ("mongodb_json_files", "products", "mixed-types", "limits.data.n"),
    ("mongodb_json_files", "products", "mixed-types", "limits.sms.n"),
    ("mongodb_json_files", "restaurant", "mixed-types", "address"),
    ("mongodb_json_files", "restaurant", "mixed-types", "rating"),
    ("sample_analytics_part", "customers", "dynamic-field-names", "tier_and_details.{*}"),
    ("sample_mflix_part", "comments", "dangling-reference", "movie_id"),
    ("world_factbook", "countries", "bloated-document", ""),
    ("world_factbook", "countries", "dynamic-field-names", ""),
    ("world_factbook", "countries", "many-fields", ""),
}
"""What the notes beside the data say is wrong: database, collection, rule, path (empty: any)."""
UNCOVERED = (
    "geo_samples.shipwrecks: empty texts instead of missing values, where a field has no other type",
    "geo_samples.shipwrecks: coordinates without a GeoJSON wrapper",
    "github_webhook_events.events: the same entity embedded in full many times",
    "mongodb_json_files.countries-big: a table in disguise, one row for each country and language",
    "sample_mflix_part.comments: linked to users by e-mail instead of id",
    "video_movie_details: numbers as int here and double there (taken for one type on purpose)",
    "video_movie_details: three collections about the same films",
    "world_factbook.countries: numbers stored as prose",
    "world_factbook.countries: no arrays where lists are meant",
)
"""What the notes say besides, and no rule looks for."""
CONTROLS = {
    ("geo_samples", "neighborhoods"),
    ("geo_samples", "zips"),
    ("video_movie_details", "movieDetails"),
    ("sample_analytics_part", "accounts"),
}
"""Collections the notes call healthy, or large for a good reason."""
ALWAYS = ("no-validator",)
"""Rules that rightly hold of every one of these collections."""


def load_case(client: MongoClient[dict[str, Any]], folder: Path) -> Db:
    """A case's collections and indexes, in a database of its name."""
    database: Db = client[folder.name]
    for file in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            documents = [json_util.loads(line) for line in lines]
        database[file.name.removesuffix(".jsonl.gz")].insert_many(documents)
    indexes = folder / "indexes.json"
    for name, specs in (json.loads(indexes.read_text()) if indexes.exists() else {}).items():
        for spec in specs:
            if spec["name"] != "_id_":
                database[name].create_index(list(spec["key"].items()), name=spec["name"])
    return database


def cases(folder: Path = CASES) -> None:
    required(folder)
    found: set[tuple[str, str, str, str]] = set()
    errors, counts = [], Counter[str]()
    with start_server() as server, connect(server.uri) as client:
        for case in sorted(path for path in folder.iterdir() if path.is_dir()):
            database = load_case(client, case)
            start = time.perf_counter()
            facts = gather(client, [database.name], Budget())
            seconds = time.perf_counter() - start
            findings = diagnose(facts)
            print(f"{case.name}: {seconds:.1f} s, {dict(Counter(each.rule for each in findings))}")
            errors += [each.place for each in findings if each.severity is Severity.ERROR]
            for each in findings:
                collection = each.namespace.partition(".")[2]
                found |= {(case.name, collection, each.rule, each.path), (case.name, collection, each.rule, "")}
                counts[each.rule] += 1
    met = EXPECTED & found
    print(f"\nexpected by the notes: {len(EXPECTED)}, found {len(met)} (recall {len(met) / len(EXPECTED):.0%})")
    print("missed:", sorted(EXPECTED - found))
    hints = len(EXPECTED) + len(UNCOVERED)
    print(f"hints no rule covers: {len(UNCOVERED)}, so {len(met)} of {hints} hints in all ({len(met) / hints:.0%})")
    noisy = {(d, c, r, p) for d, c, r, p in found if (d, c) in CONTROLS and r not in ALWAYS}
    print(f"findings in {len(CONTROLS)} healthy collections, besides {', '.join(ALWAYS)}: {sorted(noisy)}")
    print("errors:", errors)
    told = {(d, c, r, p) for d, c, r, p in found if p} | {each for each in found if not each[3]}
    expected_places = {(d, c, r) for d, c, r, _ in EXPECTED}
    beside = sorted({(d, c, r) for d, c, r, _ in told if r not in ALWAYS} - expected_places)
    print("beside the notes:", beside)


def filled(database: Db, number: int) -> None:
    words = ["alpha", "beta", "gamma", "delta"]
    draw = random.Random(1)
    for start in range(0, number, 10_000):
        database.things.insert_many(
            {
                "n": n,
                "name": f"thing {n}",
                "kind": words[n % 4],
                "price": draw.random() * 100,
                "tags": words[: n % 5],
                "maker": {"name": f"maker {n % 999}", "city": words[n % 3], "since": 1900 + n % 120},
                "lines": [{"sku": k, "qty": n % 7} for k in range(n % 4)],
            }
            for n in range(start, min(start + 10_000, number))
        )


def speed(number: int = DOCUMENTS, node_modules: Path | None = None) -> None:
    with start_server() as server, connect(server.uri) as client:
        database: Db = client["speed"]
        filled(database, number)
        runs = {"all facts (--whole)": Budget(600, whole=True), "default": Budget(600)}
        for name, budget in runs.items():
            seconds = _timed(lambda budget=budget: gather(client, ["speed"], budget))
            print(f"{name}: {seconds:.1f} s, {number / seconds:,.0f} documents/s")
        part = min(number, 100_000)
        seconds = _timed(lambda: _scan(database, part))
        print(f"scan in the client (dicts, path by path): {part / seconds:,.0f} documents/s")
        if node_modules is not None:
            done = subprocess.run(
                ["node", "-e", SCHEMA_PACKAGE, server.uri, str(part)],
                cwd=node_modules,
                capture_output=True,
                text=True,
                check=True,
            )
            print(f"mongodb-schema: {part / float(done.stdout):,.0f} documents/s")
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB at most")


def _timed(action: Any) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _scan(database: Db, number: int) -> Counter[tuple[str, str]]:
    """What a client that reads every document does: count the types of every path."""
    counts: Counter[tuple[str, str]] = Counter()

    def walk(value: Any, path: str) -> None:
        counts[path, type(value).__name__] += 1
        if isinstance(value, dict):
            for name, inner in value.items():
                walk(inner, f"{path}.{name}")
        elif isinstance(value, list):
            for inner in value:
                walk(inner, f"{path}[]")

    for document in database.things.find().limit(number):
        walk(document, "")
    return counts


def many(number: int = COLLECTIONS) -> None:
    with start_server() as server, connect(server.uri) as client:
        database: Db = client["many"]
        for place in range(number):
            documents = [
                {"a": n, "b": {"c": f"text {n}"}, "l": [1, 2, n]} for n in range(20_000 if place % 10 == 0 else 500)
            ]
            database[f"c{place}"].insert_many(documents)
        seconds = _timed(lambda: diagnose(gather(client, ["many"], Budget())))
        print(f"{number} collections: {seconds:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.set_defaults(run=_all)
    measures = parser.add_subparsers(metavar="MEASURE")
    one = measures.add_parser("cases")
    one.add_argument("folder", nargs="?", type=Path, default=CASES)
    one.set_defaults(run=lambda given: cases(given.folder))
    one = measures.add_parser("speed")
    one.add_argument("number", nargs="?", type=int, default=DOCUMENTS)
    one.add_argument("package", nargs="?", type=Path, metavar="DIR")
    one.set_defaults(run=lambda given: speed(given.number, given.package))
    one = measures.add_parser("many")
    one.add_argument("number", nargs="?", type=int, default=COLLECTIONS)
    one.set_defaults(run=lambda given: many(given.number))
    given = parser.parse_args()
    given.run(given)


def _all(_: argparse.Namespace) -> None:
    speed()
    many()
    cases()


if __name__ == "__main__":
    main()
