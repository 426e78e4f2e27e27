"""Texts without the passwords in them. Knows no driver: whatever is shown goes through here."""

from __future__ import annotations

import re

MASK = "***"
"""What stands for a secret."""
_USER_AND_PASSWORD = re.compile(
    r"""(?P<scheme>\b[a-z][a-z0-9+.\-]*://)
        (?: (?P<user>[^\s:/?]*) : (?P<password>    # the name of a user may be an address of e-mail
                \S*                                 # anything up to the last @: passwords hold raw @, / and ? as well
              | (?!\d+(?:[,/?\s]|$)) [^\n]*         # and raw spaces, if what follows the colon is no port
            ) @
          | (?P<lone>[^\s:/?]+) @                   # a user without a password, or a token
        )""",
    re.VERBOSE | re.IGNORECASE,
)
_DATABASE = re.compile(r"(?:mongodb|postgres|mysql|mariadb)[a-z0-9+.\-]*://", re.IGNORECASE)
"""Schemes whose addresses name a user before the @, and never a token."""
_USER = re.compile(r"(?:(?!%(?:25)*3a)[^@])+", re.IGNORECASE)
"""A user's name alone: with a colon in it, even an encoded one, or another @ it may be a password too."""
_PASSWORD_WITHOUT_HOST = re.compile(r"(\b[a-z][a-z0-9+.\-]*://[^\s:/?\[]+:)(?!\d+\b|\*)[^\s@/?]+", re.IGNORECASE)
_MISSPELT = re.compile(
    r"""(   \b[a-z][a-z0-9+.\-]*:?/+[^\s:/?]*:(?!\d+\b|\*)    # one slash or three, or no colon
          | (?<![^\s'"`(=,])[^\s:/?'"`]+:(?![/*])          # no scheme at all
        )\S+@(?=[\w\[])""",
    re.VERBOSE | re.IGNORECASE,
)
"""A user and a password in what was meant to be an address."""
_SECRET_PARAMETER = re.compile(
    r"""(?P<name>(?<![\w.\-])                         # from where the word begins: anywhere else takes as long again
          (?: [\w.\-]*(?:passw|passphrase|pwd|secret|token|credential|api_?key|authmechanismproperties)[\w.\-]* | pass )
          \s*=\s*)
        (?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\{(?:[^}]|\}\})*\}|[^&\s'"]+?(?=:\s|[&\s'"]|$))""",
    re.VERBOSE | re.IGNORECASE,
)


def redact(text: str) -> str:
    """Take the secrets out of every URI and connection string in a text: `mongodb://ada:***@host/db`.

    When a text is ambiguous (a raw `@` in a password, several URIs without a space between them), too much is hidden
    rather than too little. What no URI can hold may show in part: a password with both a raw blank and a raw `@`.
    A user's name is no secret: `postgresql://ada@host/db` stays as it is.
    """
    hidden = _USER_AND_PASSWORD.sub(_without_password, text)
    hidden = _PASSWORD_WITHOUT_HOST.sub(rf"\1{MASK}", hidden)  # what stands where a port should, and is none
    hidden = _MISSPELT.sub(rf"\1{MASK}@", hidden)
    return _SECRET_PARAMETER.sub(lambda match: f"{match['name']}{MASK}", hidden)


def _without_password(match: re.Match[str]) -> str:
    if match["lone"] and _DATABASE.fullmatch(match["scheme"]) and _USER.fullmatch(match["lone"]):
        return match[0]
    user = f"{match['user']}:" if match["user"] is not None else ""
    return f"{match['scheme']}{user}{MASK}@"
