"""The pages of docs/: generated ones are fresh, links lead somewhere, and every page is in the navigation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nestling.cli import group
from nestling.patterns import pattern_names
from scripts.pages import DOCS, ROOT, pages
from scripts.pages._pattern_pages import titles

WRITTEN = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))
PROSE = [*(DOCS / name for name in WRITTEN), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", pages())
def test_a_generated_page_is_what_the_code_says(name: str) -> None:
    """The committed page equals the generated one; `python -m scripts.pages` writes them anew."""
    assert (DOCS / name).read_text(encoding="utf-8") == pages()[name]()


@pytest.mark.parametrize("stem", pattern_names())
def test_a_page_of_a_pattern_has_a_title(stem: str) -> None:
    """A few words before the colon of its docstring, and something behind it."""
    page = pages()[f"patterns/{stem.replace('_', '-')}.md"]().splitlines()
    assert page[0] == f"# {titles()[stem]}"
    assert 1 <= len(titles()[stem].split()) <= 6
    assert len(page[2].split()) > 4


@pytest.mark.parametrize("path", PROSE, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    """Every link to a file of ours finds it, and its heading where it names one."""
    for target in _LINK.findall(_FENCE.sub("", path.read_text(encoding="utf-8"))):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        linked = (path.parent / file).resolve() if file else path
        assert linked.exists(), f"{path.name} links to {target}"
        if anchor:
            assert anchor in _anchors(linked), f"{path.name} links to {target}"


def _anchors(path: Path) -> set[str]:
    """The ids of a page's headings, as the site makes them."""
    found = set()
    for line in _FENCE.sub("", path.read_text(encoding="utf-8")).splitlines():
        if line.startswith("#"):
            own = re.search(r"\{#([\w-]+)\}", line)
            words = re.sub(r"[^\w\s-]", "", line.lstrip("#").replace("`", "").strip().lower())
            found.add(own[1] if own else re.sub(r"[\s-]+", "-", words))
    return found


def test_every_page_is_in_the_navigation() -> None:
    """`mkdocs.yml` names each page once, and none that is not there; `patterns.md` does so for those of the patterns."""
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2].partition("\n\n")[0]
    listed = (DOCS / "patterns.md").read_text(encoding="utf-8").partition("{#proposed}")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"([\w/-]+\.md)", navigation + listed)) == WRITTEN


@pytest.mark.parametrize("command", group.list_commands(None))  # type: ignore[arg-type]  # needs no context
def test_every_json_shape_is_described(command: str) -> None:
    """Each command's `--json` has a section of its own."""
    assert f"## {command}\n" in (DOCS / "json.md").read_text(encoding="utf-8")


def test_pages_say_nothing_of_a_machine() -> None:
    """No path of a developer's machine has found its way into a page."""
    for path in PROSE:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(?<!\w)/(home|root|work|Users)/|/tmp/(?!nestling-demo)", text), path.name
