"""`nestling completion`: shells complete with what it prints."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from nestling.cli.completion import SCHEMAS, SHELLS
from nestling.ir.text.schema import FileKind
from nestling.ir.text.yaml_loader import Loader
from tests.cli.commands import environment, nestling
from tests.cli.conftest import write_library

_COMPLETE = """
COMP_WORDS=({words}); COMP_CWORD={place}
_nestling_completion nestling
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize(
    ("words", "offered"),
    [("nestling des", ["design"]), ("nestling completion ''", [*SHELLS, *SCHEMAS]), ("nestling load --fr", ["--from"])],
)
def test_bash_completes(words: str, offered: list[str]) -> None:
    """A real bash that has read the lines offers commands, choices and options."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("needs bash")
    script = nestling("completion", "bash").out + _COMPLETE.format(words=words, place=len(words.split()) - 1)
    beside = Path(sys.executable).parent
    done = subprocess.run(
        [bash, "--norc", "-c", script],
        capture_output=True,
        text=True,
        env=environment(PATH=f"{beside}:/usr/bin:/bin"),
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == offered


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_lines_of_its_own(shell: str) -> None:
    """Stdout can be appended to the file that stderr names."""
    done, data = nestling("completion", shell), nestling("completion", shell, "--json").json
    assert done.code == 0
    assert f"_NESTLING_COMPLETE={shell}_complete" in done.out
    assert data["file"] in done.err
    assert data["script"] == done.out.strip()


@pytest.mark.parametrize("kind", SCHEMAS)
def test_editors_have_the_schema_that_files_name(kind: FileKind, tmp_path: Path) -> None:
    """Beside a file that was written it is found, and the file is as it says."""
    write_library(tmp_path / "library.db")
    nestling("inspect", "sqlite:///library.db", "-o", "model.yaml", cwd=tmp_path)
    nestling("design", "sqlite:///library.db", "-o", "design.yaml", cwd=tmp_path)
    done, data = nestling("completion", kind), nestling("completion", kind, "--json").json
    text = (tmp_path / f"{kind}.yaml").read_text(encoding="utf-8")
    assert text.startswith(f"# yaml-language-server: $schema={data['file']}\n")
    assert json.loads(done.out) == data["schema"]
    written = json.loads(json.dumps(yaml.load(text, Loader=Loader), default=str))
    jsonschema.validate(written, data["schema"])


def test_a_shell_nobody_knows_is_misuse() -> None:
    """Those there are, are named."""
    done = nestling("completion", "tcsh")
    assert done.code == 2
    assert all(shell in done.err for shell in SHELLS)
