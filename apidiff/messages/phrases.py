"""Writes a claim as one sentence in each language, made from its data."""

from __future__ import annotations

import msgspec

from apidiff.derive.calls import symbols_of
from apidiff.derive.probe_conditions import conditions
from apidiff.judge.recorded_values import steps_of
from apidiff.messages.conditions import conditions_text
from apidiff.messages.labels import capitalised, filled, joined, spaced
from apidiff.model.base import Text
from apidiff.model.claim import (
    CANONICAL_CLAIM,
    Aliases,
    Claim,
    Completes,
    Corresponds,
    Equals,
    Formula,
    Keeps,
    KeepsRest,
    Lacks,
    LacksMember,
    Member,
    Parameter,
    Prints,
    Raises,
    RankSet,
    Result,
    Returns,
    Writes,
)
from apidiff.model.mapping import Api
from apidiff.model.probe_resolution import collective_of, is_partial
from apidiff.model.vocabulary import ApiKind

# The sets of ranks of which some may be meant, and what a claim says of all ranks where nothing is said of them.
SOME_RANKS = (RankSet.ALL, RankSet.OTHERS, RankSet.CALLERS)
_NUMBERS = {Formula.RANK, Formula.WORLD}


def phrase(claim: Claim, api: Api) -> Text:
    """The claim as one sentence, with the conditions under which its probes observe it in front."""
    return sentence(clause_text(claim, api))


def sentence(clause: Text) -> Text:
    """A clause as a sentence of its own."""
    return capitalised(filled("sentence.full", clause=clause))


def clause_text(claim: Claim, api: Api) -> Text:
    """The claim as part of a sentence: conditions and all, without a capital and a full stop."""
    clause = _clause(claim, api)
    under = conditions_text(conditions(claim, api), collective_of(api).root or "root")
    return spaced(filled("sentence.under", condition=under, clause=clause) if under else clause)


def _clause(claim: Claim, api: Api) -> Text:
    body, everyone = claim.body, RankSet.ALL
    root = collective_of(api).root or "root"
    if _leaves_ranks_out(claim, api):
        # What is said of all ranks is said of those that call.
        everyone = RankSet.CALLERS
        if getattr(body, "ranks", None) is RankSet.ALL:
            body = msgspec.structs.replace(body, ranks=everyone)
    match body:
        case Writes(argument=argument, ranks=ranks, some=some):
            return _on(ranks, root, filled("clause.writes", argument=argument), some=some)
        case Keeps(argument=argument, ranks=ranks):
            return _on(ranks, root, filled("clause.keeps", argument=argument))
        case KeepsRest(argument=argument, ranks=ranks):
            return _on(ranks, root, filled("clause.keeps_rest", argument=argument))
        case Returns(structure=structure, ranks=ranks):
            constant = api.kind is ApiKind.CONSTANT
            clause = filled("clause.constant_type" if constant else "clause.returns", structure=structure)
            return clause if ranks is everyone else _on(ranks, root, clause)
        case Result():
            return _result(body, root)
        case Equals(at=at, ranks=ranks, written=written):
            constant = api.kind is ApiKind.CONSTANT and at == "return"
            place = filled("place.value_of_constant") if constant else place_text(at)
            clause = filled("clause.equals", place=place, value=written)
            return clause if ranks is everyone else _on(ranks, root, clause)
        case Raises(type=kind, ranks=ranks, some=some):
            clause = filled("clause.raises", type=kind) if kind else filled("clause.raises_any")
            clause = _on(ranks, root, clause, some=some)
            if body.within is None:
                return clause
            return filled(
                "clause.raises_between", clause=clause, after=f"{body.after or 0:g}", within=f"{body.within:g}"
            )
        case Completes(ranks=ranks):
            clause = filled("clause.canonical" if claim.id == CANONICAL_CLAIM else "clause.completes")
            return clause if ranks is everyone else _on(ranks, root, clause)
        case Aliases(slot=slot, with_=other, share=share):
            if slot == other:
                return filled("clause.same_object_as_passed", place=place_text(slot))
            return filled(f"clause.aliases.{share.value}", place=place_text(slot), other=place_text(other))
        case Parameter(name=name, default=str(default)):
            return filled("clause.parameter_default", name=name, default=default)
        case Parameter(name=name, required=required):
            return filled("clause.parameter_required" if required else "clause.parameter", name=name)
        case Lacks(parameter=name):
            return filled("clause.lacks", name=name)
        case Member(name=name):
            return filled("clause.member", name=name)
        case LacksMember(name=name):
            return filled("clause.lacks_member", name=name)
        case Corresponds():
            return _listed(body)
        case Prints(example=example):
            recipe = example.endswith("_recipe.py")
            return filled("clause.prints_recipe" if recipe else "clause.prints", example=example)
    raise TypeError(f"no sentence for {type(body).__name__}")


def result_text(body: Result, root: str) -> Text:
    """What a result is, in words."""
    if body.formula is Formula.SENT and body.ranks is RankSet.PARTNERS:
        return filled("formula.sent_by_caller", x=body.of or "")
    if body.among:
        return filled(f"formula_among.{body.formula.value}", x=body.of or "")
    return filled(f"formula.{body.formula.value}", x=body.of or "", root=root, sizes=body.sizes or "")


def _result(body: Result, root: str) -> Text:
    result = result_text(body, root)
    key = "clause.result_number" if body.formula in _NUMBERS else "clause.result"
    clause = filled(key, place=place_text(body.at), result=result, symbols=symbols_of(body))
    return filled("sentence.of_ranks", ranks=_among(body) or ranks_text(body.ranks, root), clause=clause)


def _among(body: Result) -> Text | None:
    """The groups of ranks that a result is computed in, where a probe's code makes several."""
    groups = [filled("ranks.group", ranks=joined("site.comma", map(str, group))) for group in body.among]
    return joined("ranks.and", groups) if groups else None


def _listed(body: Corresponds) -> Text:
    """What a row of upstream's table says; without a source, that PyTorch has no such API."""
    version = body.source_version
    if body.source is None:
        return filled("clause.no_source_release", version=version) if version else filled("clause.no_source")
    if version:
        source = filled("clause.source_release", name=body.source, version=version)
    else:
        source = filled("clause.source", name=body.source)
    return filled(f"clause.listed.{body.listed.value}", source=source)


def _leaves_ranks_out(claim: Claim, api: Api) -> bool:
    """Whether all probes of a claim leave ranks out."""
    probes = [probe for probe in claim.probes if probe in collective_of(api).probes]
    return bool(probes) and all(is_partial(api, probe) for probe in probes)


def place_text(slot: str) -> Text:
    """A slot as a reader names it: ``return[0]`` is element 0 of the returned value, ``return.tensor`` an attribute."""
    if not slot.startswith("return"):
        return filled("place.argument", slot=slot)
    if slot.startswith("return."):
        return filled("place.attribute", attribute=slot.removeprefix("return."))
    place = filled("place.return")
    for depth, index in enumerate(steps_of(slot)):
        place = filled("place.inner_element" if depth else "place.element", index=index, whole=place)
    return place


def _on(ranks: RankSet, root: str, clause: Text, *, some: bool = False) -> Text:
    return filled("sentence.on_ranks", clause=clause, ranks=ranks_text(ranks, root, some=some))


def ranks_text(ranks: RankSet, root: str, *, some: bool = False) -> Text:
    """The ranks that a claim is about; with ``some``, at least one of them."""
    if some and ranks in SOME_RANKS:
        return filled(f"some_ranks.{ranks.value}", root=root)
    return filled(f"ranks.{ranks.value}", root=root)
