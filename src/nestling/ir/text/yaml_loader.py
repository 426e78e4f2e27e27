"""Plain words of YAML 1.2's core schema on libyaml's parser: `NO` and `12:30` are text, as PyYAML's own loaders read neither."""

from __future__ import annotations

import re
from typing import Any, ClassVar

try:
    from yaml import CSafeLoader as Parser  # libyaml's, ten times as fast
except ImportError:
    from yaml import SafeLoader as Parser  # type: ignore[assignment]

_TAG = "tag:yaml.org,2002:"
_KINDS = {
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "bool": (r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    "int": (r"[-+]?(?:0b[01_]+|0o?[0-7_]+|[0-9_]+|0x[0-9a-fA-F_]+)", list("-+0123456789_")),
    "float": (
        (
            r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+"
            r"|[-+]?\.[0-9_]+(?:[eE][-+][0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
        ),
        list("-+.0123456789"),
    ),
}


class Loader(Parser):
    """Composes nodes whose plain scalars are null, booleans, numbers or text, as YAML 1.2 says."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}  # type: ignore[misc]


for _kind, (_pattern, _first) in _KINDS.items():
    Loader.add_implicit_resolver(_TAG + _kind, re.compile(rf"(?:{_pattern})\Z"), _first)
