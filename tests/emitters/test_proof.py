"""Proofs in words, as JSON, and as a page in a real browser."""

from __future__ import annotations

import html as escaping
import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nestling.cli.prove import code
from nestling.emitters.proof import html, proof_json
from nestling.ir.proof import Proof, SourceComparison
from nestling.ir.words.proof_words import bought, disqualified, labels, ratio, source_notes, verdict
from tests.emitters.proofs import PROOF, rival


def test_the_verdict() -> None:
    """One line: how fast, against whom, whether something is faster beyond the noise, who was thrown out."""
    assert verdict(PROOF) == (
        "The chosen design answers 1,000 statements/s; 1.9× normalized, no clear difference to embedded; no rival is faster"
        " beyond the noise (± 2.0 %); DISQUALIFIED: tree; 76 answers of 8 reads equal to the source's (SQLite), 1 read answered"
        " differently where SQL leaves a choice, ANOTHER ANSWER THAN THE SOURCE'S (SQLite): `product_page`, 1 READ NOT COMPARED"
        " WITH THE SOURCE"
    )


def test_a_reason_is_told_once() -> None:
    """Behind all the designs it is true of, in their order; another reason is a line of its own."""
    out = [
        replace(rival(name, 1.0), disqualified=why)
        for name, why in (("tree", "one"), ("embedded", "two"), ("normalized", "one"))
    ]
    assert [*disqualified(replace(PROOF, designs=tuple(out)))] == ["tree, normalized: one", "embedded: two"]


def test_statements_left_out_are_told() -> None:
    """Answers are equal of what was run; the last words, and the exit code, are about what was not."""
    unasked = SourceComparison(why_not="the rows are generated")
    told = replace(
        PROOF, setting=replace(PROOF.setting, left_out=2), designs=PROOF.designs[:1], missing="", source=unasked
    )
    assert verdict(told).endswith(
        "all answers and rows equal to one another; not compared with a source: the rows are generated; NOTHING IS PROVED OF 2"
        " STATEMENTS LEFT OUT"
    )
    assert code(told) == 1
    assert code(replace(told, setting=replace(told.setting, left_out=0))) == 0


def test_reads_left_out_for_one_reason_are_told_together() -> None:
    """Where the time for comparing ran out, one note tells of a hundred statements."""
    slow = [(f"q{number}", "the 8 s for this ran out first") for number in range(100)]
    source = replace(PROOF.source, not_compared=(("now", "it uses the current time"), *slow))
    told = [note for note in source_notes(replace(PROOF, source=source)) if "not compared with the source" in note]
    assert told == [
        "`now` is not compared with the source: it uses the current time",
        "`q0`, `q1`, `q2` and 97 more are not compared with the source: the 8 s for this ran out first",
    ]


def test_a_figure_within_the_noise_says_so() -> None:
    """Where a design's own interval leaves 1 out and the noise does not, the table and the verdict both say it is noise."""
    noisy = replace(PROOF, noise=0.27, designs=(PROOF.designs[0], rival("normalized", 1.9), rival("tree", 1.24)))
    assert "1.9× normalized, no clear difference to tree (1.24, within the noise)" in verdict(noisy)
    assert [ratio(each, noisy) for each in noisy.designs[1:]] == ["1.90 (1.84–1.96)", "1.24 (1.20–1.28), noise"]


def test_a_wrong_answer_is_never_the_best() -> None:
    """However fast, a disqualified design is no yardstick; a faster right one is, and the regret says by how much."""
    assert (PROOF.best, PROOF.regret, PROOF.is_best, PROOF.equal) == ("chosen", 0.0, True, False)
    beaten = replace(PROOF, designs=(*PROOF.designs, rival("expert", 0.8)))
    assert (beaten.best, beaten.is_best) == ("expert", False)
    assert beaten.regret == pytest.approx(0.25)
    assert "expert is faster: regret 25 %" in verdict(beaten)
    noisy = replace(beaten, noise=0.3)
    assert noisy.is_best, "less than the noise is nothing"


def test_a_proof_without_the_chosen_design() -> None:
    """That is the verdict then."""
    out = replace(PROOF, designs=(replace(PROOF.designs[0], disqualified="it cannot be loaded: …"), *PROOF.designs[1:]))
    assert verdict(out) == "The chosen design does not count: it cannot be loaded: …"
    assert out.regret is None
    assert html(out)


def test_what_decisions_buy() -> None:
    """Designs that differ in one decision, those that pay most first, and whether it can be told from noise."""
    found = bought(PROOF)
    assert [(each.figures.times, each.certain) for each in found] == [(1.4, True), (1.0, False)]
    assert labels(PROOF)[PROOF.designs[-1].name] == "ablation 1"


def test_json() -> None:
    """The documented shape, plain enough for JSON."""
    shape = json.loads(json.dumps(proof_json(PROOF)))
    assert {"designs", "best", "advised", "regret", "noise", "equal"} <= set(shape)
    page = shape["designs"]["normalized"]["statements"]["product_page"]
    assert (page["p50"], page["p95"], page["p99"], page["predicted"]) == (0.0019, 0.0038, 0.0095, 0.0009)
    age = shape["designs"]["chosen"]["copies"]["page_view.product_and_where_it_is_from"]
    assert age == {
        "allowed": 5.0, "synced": True, "reads": 200, "behind": 9, "late": 2, "p50": 0.0, "p95": 0.013, "oldest": 7.25
    }  # fmt: skip
    assert shape["source"]["choices"] == {"newest": "rows may be tied in the ORDER BY of a LIMIT"}
    assert shape["source"]["not_compared"] == {"sales": "it uses the current time"}
    assert shape["source"]["differences"][0]["values"] == {"id": 7}
    assert shape["designs"]["tree"]["disqualified"].startswith("`product_page` gives another answer")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_in_a_browser(chromium: str, tmp_path: Path, width: int) -> None:
    """On a phone and on a desk it fits its window, draws its plots, and says who was disqualified; values are escaped."""
    found = _opened(chromium, tmp_path, PROOF, width)
    assert found["width"] <= width
    assert found["plots"] == 23
    assert found["empty"] == 0, "every drawing has a size"
    assert found["tallest"] < 60, "numbers in tables are not broken into pieces"
    assert found["bold"] == 0, "text of a statement is no markup"
    assert "tree is disqualified" in found["text"]
    assert "`product_page` with id = 7: the source (SQLite) gives 1 row; tree gave 0 rows" in found["text"]
    assert "`sales` is not compared with the source: it uses the current time" in found["text"]
    assert "Not all of it was measured: the server was lost" in found["text"]
    assert "13 ms" in found["text"], "how old copies were"


def test_the_page_needs_nothing_else() -> None:
    """No script, no file, no font, no address."""
    assert not re.search(r"<script|<link|@import|url\(|https?://|src=", html(PROOF))


def _opened(chromium: str, folder: Path, proof: Proof, width: int) -> dict[str, Any]:
    """What a browser makes of the page in a window of that width; windows below 500 are frames."""
    page = escaping.escape(html(proof), quote=True)
    script = """
      const d = document.querySelector('iframe').contentDocument, svgs = [...d.querySelectorAll('svg')];
      document.body.textContent = JSON.stringify({
        width: d.documentElement.scrollWidth, plots: svgs.length, text: d.body.innerText,
        empty: svgs.filter(s => s.getBoundingClientRect().width < 20).length,
        tallest: Math.max(...[...d.querySelectorAll('tr')].slice(1).filter(r => r.cells[0].innerText.length < 20 &&
          r.querySelector('td')).map(r => r.clientHeight)),
        bold: [...d.querySelectorAll('.out b')].length });
    """
    frame = f'<iframe style="width:{width}px;height:900px;border:0" srcdoc="{page}"></iframe>'
    file = folder / "frame.html"
    file.write_text(
        f"<!doctype html><meta charset=utf-8><body>{frame}<script>onload = () => {{{script}}}</script>",
        encoding="utf-8",
    )
    options = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}", "--dump-dom")
    done = subprocess.run([chromium, *options, file.as_uri()], capture_output=True, text=True, timeout=120, check=True)
    body = re.search(r"<body>(.*)</body>", done.stdout, re.DOTALL)
    assert body, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(escaping.unescape(body[1]))
    return found
