"""Characters that MySQL's collations sort or equate differently from MongoDB, as regular expressions.

MongoDB uses the order of Unicode's collation algorithm (UCA), without case and accents. The agreement was measured on MariaDB;
`tests/sources/sql/test_text_orders.py` measures it again. MySQL's `…_0900_…` are assumed to equal MariaDB's `…_uca1400_…`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

_UNICODE = frozenset({"utf8", "utf8mb3", "utf8mb4", "ucs2", "utf16", "utf16le", "utf32"})
_PLAIN = frozenset({"general", "unicode", "520", "uca1400", "0900", "nopad", "ai", "as", "ci", "mysql500", "mysql561"})
"""Parts of a collation's name that name no language."""
_OTHER_ASCII = frozenset(
    {
        "croatian", "czech", "danish", "estonian", "hungarian", "latvian", "lithuanian", "roman", "slovak", "spanish2", "thai",
        "turkish", "hr", "cs", "da", "et", "hu", "lv", "lt", "la", "sk", "tr", "trad", "bs",
    }
)  # fmt: skip
"""Languages that order letters of A to Z otherwise, or pairs of them as one letter."""
_ODD_CHARSETS = frozenset({"cp1257", "cp866", "latin5", "latin7", "macce"})
"""Character sets in which letters of A to Z, or signs, have an order of their own."""
_HAN = "㐀-䶵一-鿿"
_LATIN = "À-ÅÇ-ÏÑ-ÖÙ-Ýà-åç-ïñ-öù-ýÿ-ďĒ-ĥĨ-İĴ-ķĹ-ľŃ-ŉŌ-őŔ-ťŨ-ſƠơƯưẠ-ỹ"
_GENERAL = f"-0-9A-Za-z ./{_LATIN}Άά-ώΈ-ΊΌΎ-ΡΣ-ΫΑ-ΡЁА-яё가-힣"
_CYRILLIC = "ЃѓЇїЌќЎў"
_OLD_LETTERS = "ÐØðøĐđĦħĿŀŁłǾǿ"
_MARKS = "`^¨©®¯´¸"


@dataclass(frozen=True, slots=True)
class Unlike:
    """Regular expressions for a text with a character that is sorted differently, and for one with a letter that equals others.

    Empty if there are none. `example`: the difference in words. `is_usual`: whether many texts have such characters.
    """

    ordered: str = ""
    equal: str = ""
    example: str = ""
    is_usual: bool = False


_CHINESE = Unlike(f"[{_HAN}]", "", "Chinese characters sort by code point, on MongoDB by radical and strokes")
_520 = Unlike(f"[{_MARKS}{_CYRILLIC}{_HAN}]", f"[{_CYRILLIC}]", "`^` sorts before `_`, on MongoDB after it")
_400 = Unlike(
    f"[{_MARKS}{_OLD_LETTERS}{_CYRILLIC}{_HAN}]",
    f"[ÆæǢǣǼǽẞ{_OLD_LETTERS}{_CYRILLIC}]",
    "`^` sorts before `_`, and `ł` after every `l`; on MongoDB `ł` sorts as an `l`",
)
_BY_CODE = "`_` sorts after letters and `@` after digits, on MongoDB before them"
_OF_GENERAL = Unlike(f"[^{_GENERAL}]", "[ªºÆÐØßæðøĐđĦħıĲĳĿŀŁłŒœǄ-ǌǢǣǱ-ǳǼ-ǿẞ]", _BY_CODE, is_usual=True)
_OF_BYTES = Unlike("[^-0-9A-Za-z ./]", "[^\t-~]", _BY_CODE, is_usual=True)
_OF_LANGUAGE = Unlike("[^ -\\]_a-~]", "[^\t-~]", "accents and letters sort by the rules of a language", is_usual=True)
_OF_LETTERS = Unlike("[A-Za-z^`]|[^ -~]", "[A-Za-z]|[^\t-~]", "letters sort by the rules of a language", is_usual=True)
_OF_DIGITS = replace(_OF_LETTERS, ordered="[^0-9]")
_OF_CASE = Unlike("[^0-9a-z]", "", "`a` sorts before `B`, on MongoDB upper case comes first", is_usual=True)


def unlike(collation: str) -> Unlike:
    """How a collation differs from MongoDB."""
    charset, *parts = collation.split("_")
    if not parts or "bin" in parts:
        return Unlike()
    languages = {*parts[:-1]} - _PLAIN
    if parts[-1] == "cs":
        return _OF_CASE if not languages & _OTHER_ASCII else replace(_OF_DIGITS, equal="")
    if charset not in _UNICODE:
        return _OF_DIGITS if charset in _ODD_CHARSETS else _OF_BYTES
    if languages & _OTHER_ASCII:
        return _OF_LETTERS
    if languages or "as" in parts:
        return _OF_LANGUAGE
    if "general" in parts:
        return _OF_GENERAL
    if "520" in parts:
        return _520
    return _400 if "unicode" in parts else _CHINESE
