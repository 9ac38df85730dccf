"""Refuses names of measurers that would be read as somebody else's: this project's, or a statement on who vouches for them.

Names are shown in quotes as they were typed, so what they look like is what a reader takes them for.
"""

from __future__ import annotations

import unicodedata
from functools import cache

from apidiff.database.paths import DATA
from apidiff.database.regular_files import read_text
from apidiff.errors import reinstall

_LETTERS_OF = {
    "LATIN": "Latin",
    "CYRILLIC": "Cyrillic",
    "GREEK": "Greek",
    "ARMENIAN": "Armenian",
    "CHEROKEE": "Cherokee",
}
_UNSEEN = {"\u115f", "\u1160", "\u3164", "\uffa0", "\u2800"}  # letters by their category, and blank
_RESERVED = {"thisproject", "本项目"}  # what pages call this project
_OURS = ("apidiff",)
_CLAIMS = ("verified", "signedby", "signature", "attested", "trusted", "已验证", "签名", "已认证", "官方认证")
# What pages say of records that this project made.
_STANDINGS = ("bythisproject", "thisprojectsci", "ownrecords", "由本项目", "本项目ci", "本项目的ci", "自有记录")
# Chinese that is written or looks like characters of the names above.
_ALIKE = str.maketrans(
    {"項": "项", "頂": "项", "顶": "项", "驗": "验", "證": "证", "簽": "签", "認": "认", "記": "记", "錄": "录"}
)
_LONGEST = 200


def name_fault(text: str) -> str | None:
    """What keeps the words on who measured from being shown as somebody's name; None where nothing does."""
    if len(text) > _LONGEST:
        return f"has more than {_LONGEST} characters"
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    if plain.strip() and unicodedata.category(plain.lstrip()[0]) == "Pd":
        return "begins with a dash, as an option does"
    letters = "".join(char for char in plain if char.isalnum() and char not in _UNSEEN)
    looks = _looks_like(text)
    if not any(map(str.isalpha, letters)) or looks in {_looks_like(name) for name in _RESERVED}:
        return "names nobody"
    odd = next((char for char in text if unicodedata.category(char) in {"Cc", "Cf", "Co", "Cn", "Zl", "Zp"}), None)
    if odd is not None or _UNSEEN & set(text):
        return f"holds a character that nobody sees (U+{ord(odd or min(_UNSEEN & set(text))):04X})"
    for word in plain.split():
        scripts = {_LETTERS_OF[name] for char in word if (name := _script(char)) in _LETTERS_OF}
        if len(scripts) > 1:
            return f"mixes letters of {' and '.join(sorted(scripts))} in {word[:40]!r}, which look alike"
    if any(_looks_like(name) in looks for name in _OURS):
        return "is named after this project"
    if any(_looks_like(claim) in looks for claim in (*_CLAIMS, *_STANDINGS)) or "signed" in plain.split():
        return "says what only a signature can show"
    return None


def _script(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0] if char.isalpha() else ""


def _looks_like(text: str) -> str:
    """What two texts share that look alike, as UTS #39 makes it: each character as the one it looks like, without marks.

    Of that letters and digits are kept, in small letters: how a name is spaced and accented does not make it another one. I, l
    and 1 become one, as they do in many a font.
    """
    plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).translate(_ALIKE).replace("專案", "项目"))
    skeleton = unicodedata.normalize("NFD", "".join(map(_small, plain)).translate(_confusables()))
    return "".join(char for char in skeleton.casefold() if char.isalnum() and char not in _UNSEEN).replace("l", "i")


def _small(char: str) -> str:
    """The Latin letter that ``char`` is a small capital of; ``char`` where it is none."""
    letter = unicodedata.name(char, "").removeprefix("LATIN LETTER SMALL CAPITAL ")
    return letter if len(letter) == 1 else char


@cache
def _confusables() -> dict[int, str]:
    """Unicode's table of characters that look like others: code point → what it looks like. Raises DataError where damaged."""
    table: dict[int, str] = {}
    path = DATA / "confusables.txt"
    try:
        for line in read_text(path).splitlines():
            if not line.startswith("#"):
                char, _, alike = line.partition(";")
                table[int(char, 16)] = "".join(chr(int(code, 16)) for code in alike.split())
    except (OSError, ValueError, OverflowError) as error:
        raise reinstall(path) from error
    if not table:
        raise reinstall(path)
    return table
