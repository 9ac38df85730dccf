"""Citations: differences cite claims, and stated claims cite documents."""

from __future__ import annotations

from collections.abc import Iterator

from apidiff.database.checks.subject import Place, Subject
from apidiff.errors import DataError
from apidiff.model.claim import Stated
from apidiff.model.mapping import Difference

_MOST_CITED = 500  # each is put in words again; the most is an eighth


def differences_cite_claims(subject: Subject) -> Iterator[DataError]:
    """Differences cite claims that exist, say something, and have an ID of their own."""
    mapping = subject.mapping
    source = {claim.id for claim in mapping.source.claims}
    places: list[tuple[Place, Difference, set[str]]] = [
        (("caveats", i), difference, set()) for i, difference in enumerate(mapping.caveats)
    ]
    for t, target in enumerate(mapping.targets):
        mine = {claim.id for claim in target.api.claims}
        places += [
            (("targets", t, "differences", i), difference, mine) for i, difference in enumerate(target.differences)
        ]
        taken = {difference.id for difference in mapping.caveats}
        for i, difference in enumerate(target.differences):
            if difference.id in taken:
                found = f"difference {difference.id!r} of {target.api.name} is also that of a caveat or an earlier one"
                yield subject.error(("targets", t, "differences", i), found, "Rename one: it is an anchor on the page.")
            taken.add(difference.id)
    cited = 0
    for at, difference, mine in places:
        cited += len(difference.source_claims) + len(difference.target_claims)
        if cited > _MOST_CITED:
            found = f"with those of {difference.id!r} the differences cite more than {_MOST_CITED} claims"
            yield subject.error(at, found, "Cite the claims that a difference rests on, and no others.")
            return
        missing = [name for name in difference.source_claims if name not in source]
        missing += [name for name in difference.target_claims if name not in mine]
        for name in missing:
            yield subject.error(
                at, f"difference {difference.id!r} cites claim {name!r}", "There is no such claim there."
            )
        if not (difference.source_claims or difference.target_claims):
            yield subject.error(at, f"difference {difference.id!r} cites no claim", "Cite the claims it rests on.")


def documents_exist(subject: Subject) -> Iterator[DataError]:
    """What is stated is stated in a document that documents.yaml lists."""
    for at, stated in _stated(subject):
        if stated.document not in subject.data.documents:
            remedy = "Add the document to documents.yaml or mend the key."
            yield subject.error(at, f"unknown document {stated.document!r}", remedy)


def _stated(subject: Subject) -> Iterator[tuple[Place, Stated]]:
    for place, api in subject.apis():
        for index, claim in enumerate(api.claims):
            for number, stated in enumerate(claim.stated):
                yield (*place, "claims", index, "stated", number), stated
    for index, answer in enumerate(subject.mapping.otherwise):
        for number, stated in enumerate(answer.stated):
            yield ("otherwise", index, "stated", number), stated
