"""`docs/errors.md`: the error tree, as `nestling.common.errors` has it."""

from __future__ import annotations

import inspect

from nestling.common import errors

HEAD = """# Errors

Everything nestling raises on purpose is one of these. Each message says what is wrong, where (file, line and column where there
are some), what was known, and what to do. A file with several mistakes gets one error that lists them all. On the command line
they all end with exit code 2; anything else that escapes is a fault of nestling's and says so.

```text
{tree}
```

From Python, `from nestling import NestlingError`; the others are in `nestling.common.errors`. `error.problems` are values with
`what`, `where`, `path`, `known` and `next_move`; `str(error)` is what the command line prints.
"""


def page() -> str:
    """The page's text."""
    return HEAD.format(tree=_tree())


def _tree() -> str:
    text = inspect.cleandoc(errors.__doc__ or "")
    drawn = text.partition("::\n\n")[2].split("\n\n")[0]
    return inspect.cleandoc(drawn)
