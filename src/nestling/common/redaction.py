"""Texts without the passwords in them. Knows no driver: whatever is shown goes through here."""

from __future__ import annotations

import re

_USER_AND_PASSWORD = re.compile(
    r"""(?P<scheme>\b[a-z][a-z0-9+.\-]*://)
        (?: (?P<user>[^\s:/?@]*) : (?P<password>
                \S*                                 # anything up to the last @: passwords hold raw @, / and ? as well
              | (?!\d+(?:[,/?\s]|$)) [^\n]*         # and raw spaces, if what follows the colon is no port
            ) @
          | [^\s:/?]+ @                             # a lone token
        )""",
    re.VERBOSE | re.IGNORECASE,
)
_PASSWORD_WITHOUT_HOST = re.compile(r"(\b[a-z][a-z0-9+.\-]*://[^\s:/?@\[]+:)(?!\d+\b|\*)[^\s@/?]+", re.IGNORECASE)
_SECRET_PARAMETER = re.compile(
    r"""(?P<name>[\w.\-]*(?:passw|pwd|secret|token|credential|api_?key|authmechanismproperties)[\w.\-]*\s*=\s*)
        (?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^&\s'"]+)""",
    re.VERBOSE | re.IGNORECASE,
)


def redact(text: str) -> str:
    """Take the secrets out of every URI and connection string in a text: `mongodb://ada:***@host/db`.

    When a text is ambiguous (a raw `@` in a password, several URIs without a space between them), too much is hidden
    rather than too little. What no URI can hold may show in part: a password with both a raw blank and a raw `@`.
    """
    hidden = _USER_AND_PASSWORD.sub(_without_password, text)
    hidden = _PASSWORD_WITHOUT_HOST.sub(r"\1***", hidden)  # what stands where a port should, and is none
    return _SECRET_PARAMETER.sub(lambda match: f"{match['name']}***", hidden)


def _without_password(match: re.Match[str]) -> str:
    user = f"{match['user']}:" if match["user"] is not None else ""
    return f"{match['scheme']}{user}***@"
