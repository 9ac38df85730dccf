"""Refuses names of measurers and signers that would be read as this project's, or as a statement on who vouches for them.

Names are shown in quotes as they were typed, so what they look like is what a reader takes them for, and none may end its quote.
"""

from __future__ import annotations

import html
import re
import sys
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
# Marks that change how a character is drawn, or nothing: they would part words for a program that a reader sees as one.
_UNSEEN_MARKS = re.compile("[\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
# An apostrophe is none, alone. What looks like two is found by Unicode's table.
_QUOTATION_MARKS = re.compile("''|[\"“”„‟‘‚‛«»‹›「」『』《》〈〉〝〞〟⹂❛-❠❮❯﹁-﹄⟨-⟫⸂-⸅🙶-🙸ᐥ]")
DETACHED_MARKS = re.compile("(?<![^\\W\\d_])[\u030b\u030e\u030f]")
"""Marks of two strokes that stand over no letter: they look like a quotation mark."""
_COMMAS_ABOVE = "\u0312-\u0315\u0343"  # marks on a letter, drawn as an apostrophe is
# What pages call this project, or may seem to.
_RESERVED = ("thisproject", "thisrepo", "本项目", "此项目", "该项目", "我们项目", "我们的项目", "本仓库")
# What a reader takes for this project's own where it stands alone; "PyTorch CI" is somebody's.
_NOBODY = (
    "project",
    "the project",
    "CI",
    "our CI",
    "the CI",
    "maintainer",
    "maintainers",
    "the maintainers",
    "维护者",
    "官方",
    "项目组",
)
_NOT_OURS = ("sfriends", "组之外", "之外", "组以外", "以外")  # behind these words: somebody else
_OURS = ("apidiff",)
_CLAIMS = ("verified", "signedby", "signature", "knownsigner", "attested", "trusted", "ownrecords")
_CLAIMS_ZH = ("已验证", "已核实", "验签", "签名", "签过名", "签字", "签署", "已认证", "已签", "官方认证", "自有记录")
_CLAIMING_WORD = "signed"  # as a word of its own: "designed" says nothing of the kind
# Chinese that is written or looks like characters of the names above.
_ALIKE = str.maketrans(
    "項頂顶顼頊曰日夲木末未該驗騐證証核覈實簽籤過認記紀錄録宇暑宫宮白己巳維護專",
    "项项项项项目目本本本本该验验证证核核实签签过认记记录录字署官官自已已维护专",
)
_LETTER_LIKE = str.maketrans("!¡ʃ$@∂°◯†‡§\u2d57", "iifsadoottsi")
_DIGITS_AS_LETTERS = str.maketrans("3457", "east")  # by who writes so; two signers may differ by them
# By the names of characters: small capitals, letters on black and of flags, which are symbols and not letters for Unicode.
_DRAWN = re.compile(r"^(?!COMBINING).*(?:LATIN LETTER SMALL CAPITAL|LATIN CAPITAL LETTER|SYMBOL LETTER) ([A-Z])$")
LONGEST = 200  # characters
_MOST_ALIKE = 24  # characters that one looks like; in Unicode's table 18
# That a name has beside letters, their marks and digits. Others are signs of HTML, Markdown or a shell, or pictures.
_SIGNS = frozenset(" .,:;-–—_&'’()@/+!?%#×·（），、：；。")


def name_fault(text: str) -> str | None:
    """What keeps the words on who measured from being shown as somebody's name; None where nothing does."""
    if len(text) > LONGEST:
        return f"has more than {LONGEST} characters"
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    if plain.strip() and unicodedata.category(plain.lstrip()[0]) == "Pd":
        return "begins with a dash, as an option does"
    letters = "".join(char for char in plain if char.isalnum() and char not in _UNSEEN)
    looks = looks_like(text).translate(_DIGITS_AS_LETTERS)
    reserved = [looks_like(name) for name in _RESERVED]
    if not any(map(str.isalpha, letters)) or looks in {*reserved, *map(looks_like, _NOBODY)}:
        return "names nobody"
    odd = next((char for char in text if unicodedata.category(char) in {"Cc", "Cf", "Co", "Cn", "Zl", "Zp"}), None)
    if mark := _UNSEEN_MARKS.search(text):
        odd = odd or mark[0]
    if odd is not None or _UNSEEN & set(text):
        return f"holds a character that nobody sees (U+{ord(odd or min(_UNSEEN & set(text))):04X})"
    both = text + "\n" + unicodedata.normalize("NFKC", text)
    marks = _QUOTATION_MARKS, DETACHED_MARKS, doubled_apostrophes()
    if quotation_marks() & set(both) or any(mark.search(both) for mark in marks):
        return "holds a quotation mark, which would end the quote that it is shown in"
    if html.unescape(text) != text:
        return "holds a character that is written as HTML writes it"
    for word in plain.split():
        scripts = {_LETTERS_OF[name] for char in word if (name := _script(char)) in _LETTERS_OF}
        if len(scripts) > 1:
            return f"mixes letters of {' and '.join(sorted(scripts))} in {word[:40]!r}, which look alike"
    if any(looks_like(name) in looks for name in _OURS):
        return "is named after this project"
    if any(looks_like(claim) in looks for claim in (*_CLAIMS, *_CLAIMS_ZH)) or _CLAIMING_WORD in {
        looks,
        *_words(text),
    }:
        return "says what only a signature can show"
    if any(re.search(f"{name}(?!{'|'.join(map(looks_like, _NOT_OURS))})", looks) for name in reserved):
        return "is named after this project"
    other = next((char for char in text if unicodedata.category(char)[0] not in "LMN" and char not in _SIGNS), None)
    if other is not None:
        return f"holds a sign that names do not have (U+{ord(other):04X})"
    return None


def _script(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0] if char.isalpha() else ""


def looks_like(text: str) -> str:
    """What two texts share that a reader may take for one, as UTS #39 makes it: each character as the one it looks like, bare.

    Of that letters and digits are kept, in small letters: how a name is spaced and accented does not make it another one. I, l
    and 1 become one, as they do in many a font.
    """
    return "".join(char for char in _folded(text) if char.isalnum() and char not in _UNSEEN)


def _words(text: str) -> list[str]:
    """Its words, each as `looks_like` makes it."""
    return re.findall(r"[^\W_]+", _folded(text))


def _folded(text: str) -> str:
    """Its skeleton without marks, in small letters, with letters for the signs that are written in their place."""
    # Unicode's table has small letters alone for some: m, which looks like rn.
    text = unicodedata.normalize("NFKC", text).casefold()
    plain = "".join(char for char in _skeleton(text) if not unicodedata.category(char).startswith("M"))
    return plain.casefold().translate(_LETTER_LIKE).replace("l", "i")


def _skeleton(text: str) -> str:
    plain = unicodedata.normalize(
        "NFD", unicodedata.normalize("NFKC", text).translate(_ALIKE).replace("专案", "项目").replace("🆔", "ID")
    )
    return unicodedata.normalize("NFD", "".join(map(_drawn, plain)).translate(confusables()))


def _drawn(char: str) -> str:
    """The Latin letter that ``char`` is drawn as, a small capital or a white one on black; ``char`` where it is none."""
    found = _DRAWN.search(unicodedata.name(char, ""))
    return found[1] if found else char


@cache
def quotation_marks() -> frozenset[str]:
    """The characters that are quotation marks or look like them. Raises DataError where Unicode's table is damaged."""
    ours = (chr(code) for code in range(sys.maxunicode + 1) if _QUOTATION_MARKS.match(chr(code)))
    return frozenset((*ours, *(chr(code) for code, alike in confusables().items() if _QUOTATION_MARKS.match(alike))))


@cache
def doubled_apostrophes() -> re.Pattern[str]:
    """Finds what looks like an apostrophe before another one, together a quotation mark; between them may be marks on the first.

    Raises DataError where Unicode's table is damaged.
    """
    # Two of the letter yod stand in many a Hebrew name.
    alike = "".join(chr(code) for code, alike in confusables().items() if alike == "'" and chr(code) not in "`\u05d9")
    marks = "".join(char for char in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(char) in {"Mn", "Me"})
    return re.compile(f"['`{alike}{_COMMAS_ABOVE}](?=[{marks}]*['`{alike}{_COMMAS_ABOVE}])")


@cache
def confusables() -> dict[int, str]:
    """Unicode's table of characters that look like others: code point → what it looks like. Raises DataError where damaged."""
    table: dict[int, str] = {}
    path = DATA / "confusables.txt"
    try:
        for line in read_text(path).splitlines():
            if not line.startswith("#"):
                char, separator, alike = line.partition(";")
                if not separator:
                    raise ValueError(line)
                codes = alike.split()
                if len(codes) > _MOST_ALIKE:  # each letter of a name becomes as many
                    raise ValueError(line)
                table[ord(chr(int(char, 16)))] = "".join(chr(int(code, 16)) for code in codes)
    except (OSError, ValueError, OverflowError) as error:
        raise reinstall(path) from error
    if not table:
        raise reinstall(path)
    return table
