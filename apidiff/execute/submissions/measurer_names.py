"""Refuses names of measurers that would be read as somebody else's: this project's, or a statement on who vouches for them.

Names are shown in quotes as they were typed, so what they look like is what a reader takes them for.
"""

from __future__ import annotations

import unicodedata

# Letters of other scripts that look like Latin ones, from Unicode's confusables.txt (UTS #39), lower case after casefold.
_ALIKE = str.maketrans(
    "\u0430\u0441\u0501\u0435\u04bb\u0456\u0458\u04cf\u043e\u0440\u051b\u0455\u051d\u0445\u0443\u043a\u043c\u043d\u0442\u0432\u0433"
    "\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c5\u03c7\u03b3\u03b5\u03b7\u03c4\u03b2\u0561\u0570\u0578\u057d\u0585\u0581\u0131\u0251\u0261\u1d0f",
    "acdehijlopqswxykmhtbr" + "aikvopuxyentbwhnuogiago",
)
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
_CLAIMS = ("verified", "signedby", "attested", "trusted", "已验证", "已签名", "已认证", "官方认证")
_LONGEST = 200


def name_fault(text: str) -> str | None:
    """What keeps the words on who measured from being shown as somebody's name; None where nothing does."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    letters = "".join(char for char in plain if char.isalnum() and char not in _UNSEEN)
    looks = letters.translate(_ALIKE)
    if not letters or looks in _RESERVED:
        return "names nobody"
    if len(text) > _LONGEST:
        return f"has more than {_LONGEST} characters"
    odd = next((char for char in text if unicodedata.category(char) in {"Cc", "Cf", "Co", "Cn", "Zl", "Zp"}), None)
    if odd is not None or _UNSEEN & set(text):
        return f"holds a character that nobody sees (U+{ord(odd or min(_UNSEEN & set(text))):04X})"
    for word in plain.split():
        scripts = {_LETTERS_OF[name] for char in word if (name := _script(char)) in _LETTERS_OF}
        if len(scripts) > 1:
            return f"mixes letters of {' and '.join(sorted(scripts))} in {word[:40]!r}, which look alike"
    if any(name in looks for name in _OURS):
        return "is named after this project"
    if any(claim in looks for claim in _CLAIMS):
        return "says what only a signature can show"
    return None


def is_somebody(text: str) -> bool:
    """Tells whether the words on who measured can stand as somebody's name, however they are spaced or written."""
    return name_fault(text) is None


def _script(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0] if char.isalpha() else ""
