"""Reads the fixed words and sentence templates of both languages and fills them in.

They are data: a translator edits ``apidiff/data/messages/*.yaml``, where English and Chinese stand side by side under a key.
The values of an enumeration are keyed ``<enumeration>.<value>``, e.g. ``risk.silent``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from apidiff.errors import DataError, reinstall
from apidiff.folder_walk import visible_files
from apidiff.messages.escape_invisible import hidden
from apidiff.model.base import Language, Text
from apidiff.model.ranges import ALL

LANGUAGES: tuple[Language, ...] = ("en", "zh")
# Not by way of `apidiff.database`, which would cost an answer in the terminal the import of a YAML parser.
FOLDER = Path(__file__).resolve().parents[1] / "data" / "messages"
# A message as the files write it; a file of nothing else is read at once, 50 times as fast as by a YAML parser.
_MESSAGE = re.compile(r'^([A-Za-z][^\n:#]*):\n  en: ("(?:[^"\\]|\\.)+")\n  zh: ("(?:[^"\\]|\\.)+")$', re.MULTILINE)
# Between a Chinese character and a Latin letter, a digit or a backtick.
_BOUNDARY = re.compile(r"(?<=[一-鿿])(?=[A-Za-z0-9`])|(?<=[A-Za-z0-9`])(?=[一-鿿])")
_LINES = re.compile(r"^[^#\n]", re.MULTILINE)
# What a message is filled in by. It has no other braces, so that nothing of a value is looked into, padded or converted.
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_Value = TypeVar("_Value")


def label(key: str, language: Language, /, **values: str | int) -> str:
    """The words under ``key`` in ``language``, with their placeholders filled in, or as they are where no values are given.

    Raises DataError for a key that is in no file, and for a placeholder without a value.
    """
    words = LABELS[key].said_in(language)
    return _fill(key, words, values) if values else words


def filled(key: str, /, **values: Text | str | int) -> Text:
    """The message under ``key`` in both languages with its placeholders filled in; a `Text` fills each with its own words."""
    message = LABELS[key]
    english = {name: value.en if isinstance(value, Text) else value for name, value in values.items()}
    chinese = {name: value.zh if isinstance(value, Text) else value for name, value in values.items()}
    return Text(en=_fill(key, message.en, english), zh=_fill(key, message.zh, chinese))


def pieces(key: str, language: Language, values: Mapping[str, _Value]) -> Iterator[str | _Value]:
    """The words under ``key`` in ``language`` in pieces, with values of any kind in the place of the placeholders."""
    words, end = label(key, language), 0
    for placeholder in _PLACEHOLDER.finditer(words):
        if before := words[end : placeholder.start()]:
            yield before
        if (name := placeholder[1]) not in values:
            raise _no_value(key, name)
        yield values[name]
        end = placeholder.end()
    if after := words[end:]:
        yield after


def _fill(key: str, words: str, values: Mapping[str, str | int]) -> str:
    try:
        return words.format_map(values)
    except KeyError as error:
        raise _no_value(key, error.args[0]) from error


def _no_value(key: str, name: str) -> DataError:
    return reinstall(FOLDER, f"{key!r} has the placeholder {{{name}}}, for which there is no value")


def joined(key: str, texts: Iterable[Text | str]) -> Text:
    """``texts`` in both languages with what stands under ``key`` between them."""
    listed = list(texts)
    return Text(
        en=label(key, "en").join(text.en if isinstance(text, Text) else text for text in listed),
        zh=label(key, "zh").join(text.zh if isinstance(text, Text) else text for text in listed),
    )


def capitalised(text: Text) -> Text:
    """``text`` as a sentence of its own begins: English with a capital."""
    return Text(en=text.en[:1].upper() + text.en[1:], zh=text.zh)


def spaced(text: Text) -> Text:
    """``text`` with a space between Chinese characters and code, numbers or Latin words, as Chinese is set."""
    return Text(en=text.en, zh=_BOUNDARY.sub(" ", text.zh))


def sentence(text: Text) -> Text:
    """``text`` with a full stop, where the message that it quotes last has no end of its own or is cut off."""
    ends = text.en.endswith(("…", ".", "!", "?"))
    return Text(en=text.en if ends else f"{text.en}.", zh=f"{text.zh.rstrip('.!')}。")


def in_words(text: str, language: Language) -> str:
    """Writes a version range for a reader: words where the sign for all versions stands."""
    return label("range.all", language) if text == ALL else text


def between_sentences(language: Language) -> str:
    """What stands between two sentences on a line: Chinese full stops bring their own room."""
    return " " if language == "en" else ""


def read_messages(folder: Path = FOLDER) -> dict[str, Text]:
    """All messages in the files of ``folder``, by key. Raises DataError for a file that is not as it should be."""
    found: dict[str, Text] = {}
    for path in visible_files(folder, "*.yaml"):
        messages = _read(path)
        if again := found.keys() & messages.keys():
            raise DataError(path, None, f"{min(again)!r} is a message of another file too", "Keep one of the two.")
        _placeholders_are_names(path, messages)
        found.update(messages)
    return found


def _placeholders_are_names(path: Path, messages: Mapping[str, Text]) -> None:
    if _has_other_braces("\n".join([words for text in messages.values() for words in (text.en, text.zh)])):
        key = next(key for key, text in messages.items() if _has_other_braces(text.en) or _has_other_braces(text.zh))
        found = f"{key!r} has a brace that is no part of a placeholder"
        raise DataError(path, None, found, "Write placeholders as {name}, in small letters, or reinstall apidiff.")


def _has_other_braces(words: str) -> bool:
    names = len(_PLACEHOLDER.findall(words))
    return not names == words.count("{") == words.count("}")


def _read(path: Path) -> dict[str, Text]:
    if not path.is_file():  # a pipe would be waited for
        raise reinstall(path)
    try:
        return quickly_read(path.read_text("utf-8")) or _parsed(path)
    except DataError as error:
        place = error.path, error.line, error.found
        raise DataError(*place, f"{error.remedy} Or reinstall apidiff.", error.damage) from error
    except (OSError, ValueError) as error:
        raise reinstall(path) from error


def quickly_read(text: str) -> dict[str, Text]:
    """The messages of a file; none where some line is not of the form that all of our files have."""
    messages = _MESSAGE.findall(text)
    keys = {key for key, _, _ in messages}
    if not 3 * len(messages) == 3 * len(keys) == len(_LINES.findall(text)):
        return {}
    words = msgspec.json.decode(f"[{','.join(f'{en},{zh}' for _, en, zh in messages)}]", type=list[str])
    if hidden("".join(words)):
        return {}
    return {key: Text(en=words[2 * at], zh=words[2 * at + 1]) for at, (key, _, _) in enumerate(messages)}


def _parsed(path: Path) -> dict[str, Text]:
    from apidiff.database.yaml import read_yaml  # needed for an edited file only

    return read_yaml(path, dict[str, Text])[0]


class _Messages(dict[str, Text]):
    def __missing__(self, key: str) -> Text:
        raise reinstall(FOLDER, f"{key!r} is in none of its files: one is missing or cut off")


LABELS = _Messages(read_messages())
