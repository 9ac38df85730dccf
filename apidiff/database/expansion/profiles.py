"""Merges profiles into a record, and what one target has in common with another, and fills placeholders in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from apidiff.database.expansion.origins import ITEMS, ORIGIN, Origin, Plain, counted, listed
from apidiff.database.yaml import MAX_DEPTH
from apidiff.errors import DataError
from apidiff.model.vocabulary import ApiKind

# The part of a claim that is not its body.
_BESIDE = {"by", "reason", "when", ORIGIN}
_CLAIM_KINDS = {
    *("writes", "keeps", "keeps_rest", "returns", "result", "equals", "raises", "completes", "aliases"),
    *("parameter", "lacks", "member", "lacks_member", "prints"),
}
_NOT_ALIKE = ("since", "status", "ranges", "note", "like", "defined_in", "without", ORIGIN)
_OF_THE_PAIR = ("since", "status", "ranges", "parameters", "note", ORIGIN)
# A file, the line in it of a claim, and a probe that the claim names.
Observed = tuple[Path, int | None, str]

_WHOLE = ("category", "summary", "execution")
"""Keys of a record that it takes from a profile as they are where it has none."""
_MOST_VALUES_OF_ALL = 500_000  # of all records; they have half of that
_MOST_FILLED_IN = 2**13  # characters; the most is a tenth of that
_PLACEHOLDER = re.compile(r"\$(\w+)")
_GENERATIONS = {
    "mindspore.mint.distributed.": "mint",
    "mindspore.communication.comm_func.": "comm_func",
    "mindspore.communication.": "communication",
    "mindspore.ops.communication.": "ops",
    "mindspore.ops.": "primitive",
}


def generation_of(name: str) -> str:
    """The generation of a MindSpore API, by which profiles have their parts: mint, ops, comm_func, … or other."""
    return next((kind for prefix, kind in _GENERATIONS.items() if name.startswith(prefix)), "other")


@dataclass
class Profiles:
    """All profiles by name. ``used``: those that a record names; ``unneeded``: what could go from the records.

    ``observed``: the probes that claims of profiles name and that an API of a record has. ``refused``: files of profiles that
    could not be read. ``values``: how many all records hold that were expanded, with their texts.
    """

    by_name: dict[str, Plain]
    refused: list[Path] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    observed: set[Observed] = field(default_factory=set)
    unneeded: list[DataError] = field(default_factory=list)
    values: int = 0

    def count(self, values: int, origin: Origin) -> None:
        """Count the values of a record. Raises DataError where all have more than any do: what profiles bring is in hundreds.

        Long texts count as several: a note is named wherever a profile names it.
        """
        self.values += values
        if self.values > _MOST_VALUES_OF_ALL:
            found = f"with it all records have more than {_MOST_VALUES_OF_ALL} values"
            remedy = "Let profiles that many records name bring fewer samples and caveats, and shorter texts."
            raise origin.error(found, remedy)

    def note_repeated(self, over: Plain, what: str, remedy: str) -> None:
        """Note that ``over``, of a record, says what its profile says already."""
        self.unneeded.append(over[ORIGIN].error(f"{what} what the profile says already", remedy))

    def unused(self) -> list[DataError]:
        """An error for each profile that no record names, and each probe that a claim of one names and no API has."""
        errors = [
            profile[ORIGIN].error(f"no record names the profile {name!r}", "Remove it.")
            for name, profile in self.by_name.items()
            if name not in self.used
        ]
        return [*errors, *self._unobserved()]

    def _unobserved(self) -> Iterator[DataError]:
        for profile in [self.by_name[name] for name in self.by_name if name in self.used]:
            for block in [profile.get("source", {}), *profile.get("targets", {}).values()]:
                for key, claim in block.get("claims", {}).items():
                    origin = claim[ORIGIN]
                    for probe in claim.get("by", []):
                        if (origin.path, origin.line, probe) not in self.observed:
                            found = (
                                f"claim {key!r} of a profile names the probe {probe!r}, which no API of its records has"
                            )
                            yield origin.error(found, "Mend the name, or take it out of 'by'.")

    def layers(self, names: list[str], origin: Origin) -> Iterator[Plain]:
        """The profiles called ``names``, each after those that it builds on, none twice. Raises DataError."""
        seen: set[str] = set()
        for name in names:
            yield from self._walk(name, (), seen, origin)

    def _walk(self, name: str, above: tuple[str, ...], seen: set[str], origin: Origin) -> Iterator[Plain]:
        if name not in self.by_name:
            known = ", ".join(sorted(self.by_name))
            refused = "".join(f" Or mend {path.name}, which may have it." for path in self.refused)
            remedy = f"Name one of apidiff/data/profiles: {known}.{refused}"
            raise origin.error(f"there is no profile {name!r}", remedy)
        if name in above:
            raise origin.error(f"profile {name!r} builds on itself", "Take it out of its own 'profile'.")
        if len(above) == MAX_DEPTH:
            found = f"profile {above[0]!r} builds on others over more than {MAX_DEPTH} steps"
            raise origin.error(found, "Let it build on fewer.")
        if name in seen:
            return
        seen.add(name)
        profile = self.by_name[name]
        for base in listed(profile.get("profile")):
            yield from self._walk(base, (*above, name), seen, origin)
        self.used.add(name)
        yield profile


def apply_profiles(record: Plain, profiles: Profiles) -> Plain:
    """``record`` with its profiles merged in: into its source, each of its targets, its answers and caveats."""
    layers = list(profiles.layers(listed(record.get("profile")), record[ORIGIN]))
    taken: Plain = {}
    whole: dict[str, str] = {}
    for profile in layers:
        taken |= {key: profile[key] for key in _WHOLE if key in profile}
        whole |= profile.get("with", {})
    for key in _repeated(record, taken):
        if key != "category":  # records may tell it in any case
            profiles.note_repeated(record, f"{key!r} says", f"Remove {key!r}.")
    done = taken | record
    whole |= record.get("with", {})

    def merged(block: Plain, parts: Callable[[Plain], list[Plain]], like: Plain | None = None) -> Plain:
        own = list(profiles.layers(listed(block.get("profile")), block[ORIGIN]))
        base: Plain = like or {}
        for layer in [*layers, *own]:
            for section in parts(layer):
                base = _overlaid(base, section, profiles)
        given: dict[str, str] = {}
        for layer in own:
            given |= layer.get("with", {})
        base = {**base, "with": {**whole, **base.get("with", {}), **given}}
        mine = {**(like or {}).get("probes", {}), **block.get("probes", {})}
        return _plain_call_first(_overlaid(base, block, profiles, own=True), mine)

    done["sweeps"] = {}
    for layer in [*layers, record]:
        done["sweeps"] |= layer.get("sweeps", {})
    source = record.get("source") or {ORIGIN: record[ORIGIN]}
    done["source"] = merged(source, _source_part)
    done["targets"] = {}
    values = counted(0, done["source"])
    for name, block in record.get("targets", {}).items():
        block = _with_like(name, block, done["targets"], layers, profiles)
        like = _alike(name, block, {"source": done["source"], **done["targets"]})
        done["targets"][name] = merged(block, partial(_target_parts, name, block), like)
        values = counted(values, done["targets"][name])
    done["otherwise"] = _answers(record, layers, profiles)
    if samples := _samples(record, layers, profiles, done["source"].get("kind") == ApiKind.METHOD.value):
        done["samples"] = samples
    inherited: Plain = {}
    for profile in layers:
        inherited = _overlaid(inherited, {"caveats": profile.get("caveats", {})}, profiles)
    own = {key: record[key] for key in ("caveats", "without", ORIGIN) if key in record}
    done["caveats"] = _overlaid(inherited, own, profiles, own=True).get("caveats", {})
    done["with"] = whole
    rest: Plain = {key: done[key] for key in ("samples", "caveats", "otherwise") if key in done}
    counted(values, {**rest, ORIGIN: record[ORIGIN]})  # raises where it has more than any record
    return done


def _answers(record: Plain, layers: list[Plain], profiles: Profiles) -> list[Plain]:
    """The answers of ``record``, each with what its profile's has and it has not; that one alone where there is no other."""
    base = next((layer["otherwise"] for layer in reversed(layers) if "otherwise" in layer), None)
    if base is None:
        return list(record.get("otherwise", []))
    if "otherwise" not in record:
        return [] if record.get("targets") else [base]
    done = []
    for answer in record["otherwise"]:
        for key in _repeated(answer, base):
            profiles.note_repeated(answer, f"{key!r} of an answer says", f"Remove {key!r}.")
        done.append({**base, **answer})
    return done


def _repeated(over: Plain, base: Plain) -> list[str]:
    """The keys under which ``over`` has what ``base`` has."""
    return [key for key in over if key != ORIGIN and key in base and _bare_value(over[key]) == _bare_value(base[key])]


def _bare_value(value: Any) -> Any:
    return _bare(value) if isinstance(value, dict) else value


def _samples(record: Plain, layers: list[Plain], profiles: Profiles, method: bool) -> Plain:
    """The samples of the profiles, then those of ``record``. ``method``: whether its source is one, called on a receiver."""
    done: Plain = {}
    for layer in layers:
        for name, sample in layer.get("samples", {}).items():
            done[name] = _on_receiver(sample) if method else sample
    written: Plain = record.get("samples", {})
    for name in _repeated(written, done):
        profiles.note_repeated(written[name], f"the sample {name!r} says", "Remove it.")
    return done | written


def _on_receiver(sample: Plain) -> Plain:
    """``sample``, written for a function, with its first argument as the receiver; code names its tensors itself."""
    if not sample.get("args") or "receiver" in sample or "code" in sample:
        return sample
    (_, receiver), *rest = sample["args"].items()
    return {**sample, "receiver": receiver, "args": dict(rest)}


def _plain_call_first(block: Plain, own: Plain) -> Plain:
    """``block`` with the probe first whose call a reader is shown: like no other, not raising, of no group.

    Where several are, the record's come before a profile's. ``own``: the probes that the record gives, in its order.
    """
    if "probes" not in block:
        return block
    probes = block["probes"]
    place = {name: number for number, name in enumerate(own)}
    claims = block.get("claims", {}).values()
    raising = {
        name for claim in claims if "raises" in claim and "ranks" not in claim for name in listed(claim.get("by"))
    }

    def plainness(name: str) -> tuple[bool, bool, bool, int]:
        given = probes[name].get("set", {})
        like = "like" in probes[name]
        return like, name in raising, "group" in given, place.get(name, len(place))

    return {**block, "probes": {name: probes[name] for name in sorted(probes, key=plainness)}}


def _source_part(layer: Plain) -> list[Plain]:
    return [layer["source"]] if "source" in layer else []


def _target_parts(name: str, block: Plain, layer: Plain) -> list[Plain]:
    """The parts of a profile that a target takes: what any has, and what those of its generation have.

    One that another record defines takes where it stands, and rows; one that is like another has what any has from there.
    """
    keys = [generation_of(name)] if block.get("like", "source") != "source" else ["any", generation_of(name)]
    parts = [_unlike(layer["targets"][key]) for key in keys if key in layer.get("targets", {})]
    if block.get("defined_in"):
        return [{key: value for key, value in part.items() if key in _OF_THE_PAIR} for part in parts]
    return parts


def _with_like(name: str, block: Plain, before: Plain, layers: list[Plain], profiles: Profiles) -> Plain:
    """``block``, a target, with the name of what it is like, where only profiles say so: the source, or a generation.

    Of a generation it is the target ``before`` it that has the same last name; where there is none, it is like nothing.
    """
    kind, last = generation_of(name), name.rpartition(".")[2]
    told = [part["like"] for layer in layers if "like" in (part := layer.get("targets", {}).get(kind, {}))]
    if not told or block.get("defined_in"):
        return block
    namesakes = [key for key in before if generation_of(key) == told[-1] and key.endswith(f".{last}")]
    like = "source" if told[-1] == "source" else next(iter(namesakes), None)
    if "like" in block:
        if block["like"] == like:
            profiles.note_repeated(block, f"'like' of {name} says", "Remove 'like'.")
        return block if block["like"] else _unlike(block)
    return {**block, "like": like} if like else block


def _unlike(block: Plain) -> Plain:
    return {key: value for key, value in block.items() if key != "like"}


def _alike(name: str, block: Plain, targets: Plain) -> Plain | None:
    """What ``block`` takes from the target that it is like: all but where it stands, its note and its examples.

    From the source it takes the probes and what they observe; other documents speak of it, and its signature is another.
    """
    if "like" not in block:
        return None
    other = block["like"]
    if other not in targets:
        found = f"{name} is like {other!r}, which is no target before it"
        raise block[ORIGIN].error(found, f"Name one of {', '.join(targets)}.")
    if other == "source":
        whole = targets[other]
        claims = {key: claim for key, claim in whole.get("claims", {}).items() if claim.get("by")}
        targets = {other: {"probes": whole.get("probes", {}), "claims": claims}}
    alike = {key: value for key, value in targets[other].items() if key not in _NOT_ALIKE}
    for key in [key for key, claim in alike.get("claims", {}).items() if "prints" in claim]:
        alike = dropped(alike, key)
    taken: Plain = _taken(alike, f"like {other}")
    return taken


def _taken(value: Any, what: str) -> Any:
    """``value`` with items that say they were taken from another target."""
    if isinstance(value, dict):
        done = {key: _taken(item, what) for key, item in value.items() if key != ORIGIN}
        return {**done, ORIGIN: replace(value[ORIGIN], what=what)} if ORIGIN in value else done
    return [_taken(item, what) for item in value] if isinstance(value, list) else value


def _overlaid(base: Plain, over: Plain, profiles: Profiles, own: bool = False) -> Plain:
    """``base`` with what ``over`` drops, changes and adds. ``own``: ``over`` is a record's, and must need to say so."""
    done = base
    if "without" in over and not over["without"]:
        profiles.unneeded.append(over[ORIGIN].error("'without' names nothing", "Remove 'without'."))
    for name in over.get("without", []):
        if not any(name in (done.get(key) or {}) for key in ITEMS):
            found = f"'without' names {name!r}, which no profile brings here"
            profiles.unneeded.append(over[ORIGIN].error(found, "Take it out of the list, or mend its name."))
        done = dropped(done, name)
    done = {**done}
    if "ranges" in over or "since" in over:
        done = {key: value for key, value in done.items() if key not in {"since", "ranges"}}
        if "ranges" in over:
            done.pop("status", None)
    for key, value in over.items():
        if key in ITEMS:
            items = dict(done.get(key) or {})
            written = {name: _item(key, name, items.get(name), item, profiles, own) for name, item in value.items()}
            # The first probe that is like no other makes the plain call. What is written here leads, save in a target
            # that is like another one: that one's leads.
            leads = over.get("like", "source") == "source"
            done[key] = written | (items | written) if leads else items | written
        elif key == "cite":
            done[key] = _with_citations(done.get(key, {}), value, profiles, own)
        elif key == "with":
            done[key] = {**done.get(key, {}), **value}
        elif key not in {"profile", "without"}:
            if own and key != ORIGIN and key in base and base[key] == value:
                profiles.note_repeated(over, f"{key!r} says", f"Remove {key!r}.")
            done[key] = value
    return done


def dropped(block: Plain, name: str) -> Plain:
    """``block`` without what is called ``name``, what only observed or cited that, and mentions of either."""
    done = {**block}
    for key in ITEMS:
        if name in (done.get(key) or {}):
            done[key] = {item: value for item, value in done[key].items() if item != name}
    gone = set(block.get("claims", {})) - set(done.get("claims", {}))
    if name in block.get("probes", {}):
        claims = {}
        for key, claim in done.get("claims", {}).items():
            left = [probe for probe in claim.get("by", []) if probe != name]
            if left or not claim.get("by"):
                claims[key] = {**claim, "by": left} if "by" in claim else claim
            else:
                gone.add(key)
        done["claims"] = claims
    if not gone:
        return done
    for key in ("differences", "caveats"):
        for item, difference in list((done.get(key) or {}).items()):
            sides = {side: [claim for claim in difference.get(side, []) if claim not in gone] for side in _cited(key)}
            if sides != {side: difference.get(side, []) for side in _cited(key)}:
                rest = {**difference, **sides}
                done[key] = {**done[key], item: rest}
                if not rest.get("source") and not rest.get("target"):
                    del done[key][item]
    if "cite" in done:
        done["cite"] = {
            document: {part: without_claims(entry, gone) for part, entry in parts.items()}
            for document, parts in done["cite"].items()
        }
    return done


def _cited(key: str) -> tuple[str, ...]:
    return ("target",) if key == "differences" else ("source",)


def without_claims(entry: Plain, gone: set[str]) -> Plain:
    """A citation without the claims ``gone``."""
    states = [{**item, "claims": [key for key in item["claims"] if key not in gone]} for item in entry["states"]]
    return {**entry, "states": states}


def _item(key: str, name: str, base: Plain | None, over: Plain, profiles: Profiles, own: bool) -> Plain:
    if base is None:
        return over
    if key == "probes" or (key in {"differences", "caveats"} and "kind" in over):
        done = over
    elif key == "claims" and _CLAIM_KINDS & over.keys():
        done = {**{part: value for part, value in base.items() if part in _BESIDE}, **over}
    else:
        done = {**base, **over}
    done = {part: value for part, value in done.items() if value is not None or part == "equals"}
    if own and _bare(done) == _bare(base):
        profiles.unneeded.append(
            over[ORIGIN].error(f"{name!r} in {key!r} is what it is without this entry", "Remove the entry.")
        )
    return done


def _with_citations(base: Plain, over: Plain, profiles: Profiles, own: bool) -> Plain:
    done = {document: dict(parts) for document, parts in base.items()}
    for document, parts in over.items():
        into = done.setdefault(document, {})
        for part, entry in parts.items():
            if own and part in into and _bare(into[part]) == _bare(entry):
                profiles.unneeded.append(
                    entry[ORIGIN].error(f"{part!r} of {document} is cited so already", "Remove the entry.")
                )
            into[part] = entry
    return done


def _bare(item: Plain) -> Plain:
    return {key: value for key, value in item.items() if key != ORIGIN}


def fill_placeholders(record: Plain, name: str) -> Plain:
    """``record`` with every placeholder of its blocks replaced.

    ``$api``, ``$module`` and ``$name`` are those of each API, ``$source`` is the record's.
    Raises DataError for one that has no value.
    """
    shared = record.get("with", {})
    filling = _Filling()
    done = dict(record)
    done["source"] = filling.block(record["source"], name, {**shared, "source": name})
    done["targets"] = {
        key: filling.block(block, key, {**shared, "source": name}) for key, block in record["targets"].items()
    }
    for key in ("summary", "samples", "otherwise", "caveats"):
        if key not in record:
            continue
        done[key] = filling.filled(record[key], {**shared, **_names(name), "source": name}, record[ORIGIN])
    return done


def _names(api: str) -> dict[str, str]:
    module, _, last = api.rpartition(".")
    return {"api": api, "module": module, "name": last}


class _Filling:
    """Fills one record, up to a limit: its placeholders could make gigabytes of a kilobyte."""

    def __init__(self) -> None:
        self._filled_in = 0  # characters

    def block(self, block: Plain, api: str, shared: dict[str, str]) -> Plain:
        """A source or target with its placeholders replaced."""
        values = {**shared, **block.get("with", {}), **_names(api)}
        rest = {key: value for key, value in block.items() if key != "with"}
        filled: Plain = self.filled(rest, values, block[ORIGIN])
        return filled

    def filled(self, value: Any, values: dict[str, str], origin: Origin) -> Any:
        """``value`` with its placeholders replaced by ``values``. Raises DataError."""
        if isinstance(value, str):
            return _PLACEHOLDER.sub(lambda hit: self._value(hit, values, origin), value) if "$" in value else value
        if isinstance(value, dict):
            origin = value.get(ORIGIN, origin)
            return {self.filled(key, values, origin): self.filled(item, values, origin) for key, item in value.items()}
        if isinstance(value, list):
            return [self.filled(item, values, origin) for item in value]
        return value

    def _value(self, hit: re.Match[str], values: dict[str, str], origin: Origin) -> str:
        if hit[1] not in values:
            raise origin.error(f"nothing says what ${hit[1]} stands for", f"Give it a value: 'with: {{{hit[1]}: …}}'.")
        value = values[hit[1]]
        self._filled_in += len(value)
        if self._filled_in > _MOST_FILLED_IN:
            found = f"placeholders stand for more than {_MOST_FILLED_IN} characters in one record"
            raise origin.error(found, f"Give ${hit[1]} a shorter value, or write the texts out.")
        return value
