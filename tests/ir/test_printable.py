from nestling.ir.printable import blanked, markdown_code, printable


def test_what_cannot_be_printed_is_escaped_or_blank():
    """Line breaks, control characters and invisible ones; letters of every language stay."""
    assert printable("é\n\x1b[1m\u200b") == r"é\n\x1b[1m\u200b"
    assert printable("é\n\x1b", kept="\n") == "é\n\\x1b"
    assert blanked("é\n\x1b[1m\u200b") == "é  [1m "


def test_backticks_within_code():
    """Code with backticks is put between two of them."""
    assert [markdown_code("a"), markdown_code("a`b")] == ["`a`", "`` a`b ``"]
