"""A proof with something in every part, made by hand."""

from __future__ import annotations

from nestling.ir.proof import (
    CopyAges,
    Examined,
    Interval,
    Latency,
    OpenLoop,
    OtherAnswer,
    Proof,
    RivalFigures,
    Setting,
    SourceComparison,
    Space,
    StatementFigures,
    WritingCost,
)

SETTING = Setting("MongoDB 6.0.5, 2 cores", 512 * 2**20, 25_315, 1, 30, 7, 93.4, 3289.0, "shop")


def latency(middle: float) -> Latency:
    return Latency(middle, 2 * middle, 5 * middle, 1.2 * middle, 400)


def statements(factor: float) -> tuple[StatementFigures, ...]:
    page = StatementFigures(
        "product_page", 900.0, False, latency(0.001 * factor), 0.0009, latency(0.002), Examined(1, 1, 1, 0, 0), 60
    )
    rename = StatementFigures(
        "rename_product_and_everything_that_follows_from_it", 5 / 86_400, True, latency(0.004), 0.003, None,
        Examined(3, 4, 4, 2.5, 1), 12, 3,
    )  # fmt: skip
    return page, rename


def rival(name: str, times: float, *, why: str = "") -> RivalFigures:
    return RivalFigures(
        name,
        disqualified=why,
        throughput=1000 / times,
        interval=Interval(950 / times, 1050 / times),
        times=times,
        times_interval=Interval(times * 0.97, times * 1.03) if times != 1 else Interval(1.0, 1.0),
        predicted=0.001 * times,
        space=Space(900_000, 1_000_000, 2_000_000),
        upkeep=WritingCost(150, 113_024, 133, 2),
        load_seconds=1.5,
        opened=OpenLoop(500.0, 499.0, latency(0.003)),
        statements=statements(times),
        copies=(CopyAges("page_view.product_and_where_it_is_from", 5.0, times < 1.5, 200, 9, 2, 0.0, 0.013, 7.25),),
    )


PROOF = Proof(
    SETTING,
    (
        rival("chosen", 1.0),
        rival("normalized", 1.9),
        rival("embedded", 1.01),
        rival("tree", 0.7, why="`product_page` gives another answer: 0 rows, where others give 1 rows, first <b>"),
        rival("runner-up: without index of purchase on customer_id", 1.0),
        rival(
            "ablation: page_view in buckets by product_id and 1000 instead of page_view in a collection of its own", 1.4
        ),
    ),
    noise=0.02,
    notes=("the workload asks for more than the server reaches",),
    missing="the server was lost after 29 of 30 rounds",
    source=SourceComparison(
        "SQLite",
        76,
        8,
        (("newest", "rows may be tied in the ORDER BY of a LIMIT"),),
        (("sales", "it uses the current time"),),
        (OtherAnswer("product_page", (("id", 7),), "1 row", "0 rows", ("tree",)),),
    ),
)
