"""Where each part of an expanded record was written: every item carries its file, line and kind of source."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from apidiff.database.yaml import Lines
from apidiff.errors import DataError

Plain = dict[str, Any]

ORIGIN = "@"
"""The key under which an item of plain data carries its `Origin`; no key of a record can be called so."""
ITEMS = ("probes", "claims", "parameters", "members", "differences", "caveats")
"""The keys of a record whose values are items by name."""
MOST_VALUES = 20_000  # the most is two fifths
_TEXT = 50  # characters that count as a value


@dataclass(frozen=True)
class Origin:
    """``what``: record, profile NAME, note KEY, signature of VERSION. ``line``: None where no line says it."""

    path: Path
    line: int | None
    what: str

    def error(self, found: str, remedy: str) -> DataError:
        """The error for what was found here."""
        return DataError(self.path, self.line, found, remedy)


def mark(plain: Plain, lines: Lines, path: Path, what: str) -> Plain:
    """``plain``, a record or profile as read, with the origin of each item in it, short forms written out."""

    def origin(*at: str | int) -> Origin:
        while at and at not in lines:
            at = at[:-1]
        return Origin(path, lines.get(at), what)

    def items(block: Plain, at: tuple[str | int, ...]) -> Plain:
        done = dict(block)
        for key in ITEMS:
            if key in done:
                done[key] = {
                    name: {**_written_out(key, item), ORIGIN: origin(*at, key, name)}
                    for name, item in (done[key] or {}).items()
                }
        if "cite" in done:
            done["cite"] = {
                document: {
                    part: {**_citation(entry), ORIGIN: origin(*at, "cite", document, written)}
                    for part, (written, entry) in _numbered(parts, origin(*at, "cite", document)).items()
                }
                for document, parts in done["cite"].items()
            }
        done[ORIGIN] = origin(*at)
        return done

    done = items(plain, ())
    if "notes" in plain:
        done["notes"] = {key: {**text, ORIGIN: origin("notes", key)} for key, text in plain["notes"].items()}
    if "samples" in plain:
        done["samples"] = {
            name: {**sample, ORIGIN: origin("samples", name)} for name, sample in plain["samples"].items()
        }
    if "source" in plain:
        done["source"] = items(plain["source"] or {}, ("source",))
    if "targets" in plain:
        done["targets"] = {name: items(block or {}, ("targets", name)) for name, block in plain["targets"].items()}
    if isinstance(answers := plain.get("otherwise"), list):
        done["otherwise"] = [{**answer, ORIGIN: origin("otherwise", index)} for index, answer in enumerate(answers)]
    elif answers:
        done["otherwise"] = {**answers, ORIGIN: origin("otherwise")}
    return done


def counted(before: int, block: Plain) -> int:
    """``before``, of the blocks of a record before this one, and how many values ``block`` holds; long texts count as several.

    Raises DataError where these are more than any record has: ``like`` and sweeps multiply those that are written, and a
    note is named from many places.
    """
    count, waiting = before, [iter([block])]
    while waiting:
        for value in waiting[-1]:
            count += 1 + (len(value) // _TEXT if isinstance(value, str) else 0)
            if isinstance(value, dict | list):
                waiting.append(iter(value.values() if isinstance(value, dict) else value))
                break
        else:
            waiting.pop()
        if count > MOST_VALUES:
            found = f"with it the record has more than {MOST_VALUES} values"
            remedy = (
                "Let fewer targets be like others, sweeps go over less, or profiles bring fewer samples and caveats."
            )
            raise block[ORIGIN].error(found, remedy)
    return count


def listed(value: Any) -> list[Any]:
    """A value that is written alone or as a list, as a list."""
    return list(value) if isinstance(value, list) else [] if value is None else [value]


def _written_out(key: str, item: Any) -> Plain:
    if key in {"parameters", "members"}:
        return {"to": item} if isinstance(item, str) else dict(item or {})
    done = dict(item or {})
    for short in {"claims": ("by",), "differences": ("source", "target"), "caveats": ("source",)}.get(key, ()):
        if short in done:
            done[short] = listed(done[short])
    return done


def _numbered(parts: Plain, origin: Origin) -> dict[str, tuple[str, list[Any]]]:
    """``parts`` with one entry for each number instead of those under ``…/*``, each with the key it was written under.

    Raises DataError for a null under another key, which would count nothing.
    """
    done: dict[str, tuple[str, list[Any]]] = {}
    for written, entry in parts.items():
        numbered = written.endswith("/*")
        if not numbered and None in listed(entry):
            raise origin.error(
                f"null among the claims of {written!r}", "Only a part such as 'raises/*' leaves numbers out."
            )
        for number, claims in enumerate(listed(entry), 1) if numbered else [(None, entry)]:
            part = f"{written[:-1]}{number}" if numbered else written
            if claims is not None:
                done[part] = (written, [*done.get(part, ("", []))[1], *listed(claims)])
    return done


def _citation(entry: Any) -> Plain:
    """``states``: entries with ``claims`` and perhaps ``text``; claims without a text come first, in one entry."""
    plain = [item for item in listed(entry) if isinstance(item, str)]
    told = [{**item, "claims": listed(item["claims"])} for item in listed(entry) if isinstance(item, dict)]
    return {"states": [*([{"claims": plain}] if plain else []), *told]}
