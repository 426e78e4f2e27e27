"""Proving a design from a source: the recommended design, its rivals, their rows and parameter values, measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from nestling.ir.proof import Proof
from nestling.ir.proposal import Proposal
from nestling.ir.quantity_words import counted
from nestling.ir.reading import Reading
from nestling.ir.statistics import UNKNOWN_ROWS, Statistics, value_of
from nestling.ir.watching import Watch
from nestling.pipeline.arguments import checks_arguments
from nestling.pipeline.designing import design, finished_design, inspect, read_proposal
from nestling.pipeline.generating import generate, scaled_reading
from nestling.pipeline.parameter_values import Draws, drawn_values
from nestling.pipeline.proving.effort import FULL, Effort
from nestling.pipeline.proving.prove import prove
from nestling.pipeline.reversing import is_mongodb
from nestling.pipeline.rivals import of_the_model, rivals
from nestling.pipeline.source_answers import opened_source

if TYPE_CHECKING:
    from pymongo.database import Database

    from nestling.common.server import Server
    from nestling.cost import Profile


@checks_arguments
def prove_source(
    reading: Reading,
    address: Path | str,
    on: tuple[Server, Database[Any]],
    *,
    proposal: Proposal | None = None,
    files: Iterable[Path | str] = (),
    random: int = 0,
    variants: bool = True,
    scale: float | None = None,
    profile: Profile | None = None,
    effort: Effort = FULL,
    watch: Watch | None = None,
) -> Proof:
    """Prove the design of a reading with the rows behind `address`.

    - `proposal`: the recommended design. None means the one in `address`, if that is a design file, or else the one that `design`
      finds for this reading, whatever rows are generated.
    - `variants`: also measure designs with one decision changed, unless the design comes from a file.
    - `profile`: the cost of work, for designs that are chosen by cost.
    - `scale`: generate this multiple of the rows in the statistics.

    Rows are also generated, up to the effort's limit, if `address` holds none, and for a live MongoDB, whose documents are not
    read as rows; a note says so. If the rows are a SQL database's own, it is asked the reads as well. Raises the errors of
    `prove` and `rivals`.
    """
    from nestling.sources.front import open_rows

    paths = [Path(path) for path in files]
    for path in paths:  # before there is anything to wait for
        of_the_model(read_proposal(path), reading, path)
    with _rows(reading, address, scale, effort, watch) as (known, place, made_up):
        if watch is not None:
            watch("designing", 0, None)
        values = drawn_values(known, open_rows(place, known.model), seed=effort.seed)
        measured, left_out = _with_values(known, values)
        finished = finished_design(address)
        advised = proposal or finished or design(reading, profile=profile, weighed=False)
        racing = rivals(
            reading,
            advised,
            files=paths,
            variants=variants and finished is None,
            random=random,
            seed=effort.seed,
            profile=profile,
        )
        proof = prove(
            measured,
            racing,
            lambda model: open_rows(place, model),
            values.found,
            on,
            source="the rows are generated" if made_up else lambda: opened_source(place, known.model),
            effort=effort,
            watch=watch,
        )
        setting = replace(proof.setting, left_out=proof.setting.left_out + len(values.without))
        return replace(proof, setting=setting, notes=(*made_up, *left_out, *proof.notes))


def _with_values(reading: Reading, values: Draws) -> tuple[Reading, tuple[str, ...]]:
    """Restrict the reading to statements with parameter values, with a note on each other. Raises an error if none is left."""
    from nestling.common.errors import WorkloadError

    problems = [problem for each in values.without.values() for problem in each]
    if problems and not values.found:
        raise WorkloadError(*problems)
    kept = tuple(each for each in reading.workload.statements if each.name not in values.without)
    told = tuple(f"left out: {problem.what}; {problem.next_move}" for problem in problems)
    return replace(reading, workload=replace(reading.workload, statements=kept)), told


@contextmanager
def _rows(
    reading: Reading, address: Path | str, scale: float | None, effort: Effort, watch: Watch | None
) -> Iterator[tuple[Reading, Path | str, tuple[str, ...]]]:
    """Return the reading, the address of the rows and notes: the source's own rows, or generated ones."""
    from nestling.sources.front import has_rows

    if scale is None and has_rows(address) and not is_mongodb(address):
        yield reading, address, ()
        return
    with TemporaryDirectory(prefix="nestling-prove-") as folder:
        times = scale if scale is not None else _within(reading, effort.made_rows)
        larger = scaled_reading(reading, times)
        place = generate(larger, Path(folder) / "rows.db", seed=effort.seed, watch=watch)
        made = inspect(place).statistics
        known, _ = larger.statistics.merged(Statistics(made.entities))
        said = f", {times:.3g} times as many" if times != 1 else ""
        cut = " (to save time; --scale 1 generates all)" if scale is None and times < 1 else ""
        told = f"the rows are generated from the statistics of `{reading.model.name}`{said}{cut}"
        yield replace(larger, statistics=known), place, (told, *_fewer(larger, made))


def _within(reading: Reading, most: int) -> float:
    """Return the share of the statistics' rows that can be generated without exceeding `most` in all."""
    known = reading.statistics
    rows = sum(value_of(known.entity(entity.name).count, UNKNOWN_ROWS) for entity in reading.model.entities)
    return min(1.0, most / rows) if rows else 1.0


def _fewer(wanted: Reading, made: Statistics) -> Iterator[str]:
    """A note for each entity that got fewer rows than its statistics say."""
    for entity in wanted.model.entities:
        rows = round(value_of(wanted.statistics.entity(entity.name).count, 0.0))
        found = round(value_of(made.entity(entity.name).count, 0.0))
        if found < rows:
            yield (
                f"generated only {counted(found, 'row')} of `{entity.name}`, not {rows:,}: its foreign keys are unique, "
                "and there are not enough different ones; generate more of its parents"
            )
