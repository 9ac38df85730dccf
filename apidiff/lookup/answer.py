"""What `lookup` and `search` answer. `--json` prints these records; every field is always present there."""

from apidiff.model.base import Text
from apidiff.model.views import (
    AgreementEntry,
    ClaimEntry,
    DifferenceEntry,
    DocumentEntry,
    ObservedEntry,
    OtherwiseEntry,
    ParameterEntry,
    RuleEntry,
    RunsOnEntry,
    StatedEntry,
    View,
)


class Asked(View, frozen=True, kw_only=True):
    """What was asked: the name as typed, the API it stands for, and the releases it was resolved to.

    ``api`` is the source's name where the name typed fits several targets of one source. ``torch`` is None where no
    version was named.
    """

    name: str
    api: str
    mindspore: str
    torch: str | None


class AnsweredTarget(View, frozen=True, kw_only=True):
    """The target answered, with its standing at the MindSpore release asked for.

    ``status``, ``range``, ``since`` and ``until`` are None where no range of the target covers that release, which
    happens only when the target itself was asked for. ``note`` is what its author says of it. ``composed``: whether several
    lines replace one call of the source, in which this is the API that matters most. ``refused``: that no run made the call
    shown, nor another one, without an exception.
    """

    name: str
    kind: str
    composed: bool = False
    refused: Text | None = None
    status: str | None
    range: str | None
    since: str | None
    until: str | None
    signatures: dict[str, str]
    note: Text | None
    runs_on: list[RunsOnEntry] = []
    limits: list[str] = []


class BesideTarget(View, frozen=True, kw_only=True):
    """Another target of the release asked for, which runs on ``devices`` where the one to use has no kernel.

    ``code``: its ordinary call, without the end that the call of the one to use has too. ``watch``: headlines of what
    silently differs, or raises, in everyday use of it.
    """

    name: str
    devices: list[str]
    code: str
    note: Text | None
    watch: list[Text] = []


class TargetRow(View, frozen=True, kw_only=True):
    """A target in one range of MindSpore versions: ``range`` as text, ``since`` and ``until`` included, None if open."""

    name: str
    range: str
    status: str
    since: str | None
    until: str | None


class OtherwiseRow(View, frozen=True, kw_only=True):
    """What answers the source in a range of versions without a target: composed, not_needed or no_counterpart."""

    answer: str
    range: str
    since: str | None
    until: str | None


class ServedRow(View, frozen=True, kw_only=True):
    """A source that the MindSpore API serves. ``role``: target, or used by what answers the source otherwise.

    ``status``: its standing at the release asked for, or what it is used for there (composed, not_needed,
    no_counterpart); None where it is neither at that release.
    """

    id: str
    source: str
    role: str
    status: str | None


class AnsweredStated(StatedEntry, frozen=True, kw_only=True):
    """A place in a document that states a claim, with the document."""

    title: str
    url: str
    url_zh: str  # of the Chinese twin, empty where there is none
    title_zh: str
    framework: str
    version: str

    @property
    def speaks_of(self) -> tuple[str, str]:
        """The framework, and the version of it that the document names."""
        return self.framework, self.version


class AnsweredObservation(ObservedEntry, frozen=True, kw_only=True):
    """A verdict. ``asked_version``: its framework's version is the one asked for, or none was asked for."""

    asked_version: bool


class AnsweredClaim(ClaimEntry, frozen=True, kw_only=True):
    """A claim of the source or of the target answered; observations of the versions asked for come first."""

    stated: list[AnsweredStated] = []  # type: ignore[assignment]
    observed: list[AnsweredObservation] = []  # type: ignore[assignment]


class AnsweredOtherwise(OtherwiseEntry, frozen=True, kw_only=True):
    """What answers the source at the release asked for, where no target does."""

    stated: list[AnsweredStated] = []  # type: ignore[assignment]


class Answer(View, frozen=True, kw_only=True):
    """What answers one source API at the MindSpore release asked for, and how the two differ.

    ``answer``: maps_to, composed, not_needed or no_counterpart; None at releases before those the mapping covers.
    ``target`` is None where no target is current at that release; ``otherwise`` then says what people do instead, and
    ``risk``, ``differences`` (worst first), ``before`` and ``after`` are those of that answer. A target asked for by name
    is answered whatever its standing; ``current`` always names the one to use. ``targets`` and ``otherwise_ranges`` have
    one row per range of versions. ``serves``: every source that the target answered, or the MindSpore API asked for,
    serves. ``agreements``: what runs of both sides on the same inputs say, by facet, where calls are made in a single
    process; ``aside``: the same of what known signers ran and this project did not. ``rules``: how far runs prove the rule,
    by version and device. ``beside``: targets for devices on which the one to use has no kernel.
    """

    asked: Asked
    id: str
    category: str
    source: str
    summary: Text
    execution: str
    aliases: list[str]
    signatures: dict[str, str]
    documents: dict[str, DocumentEntry]
    targets: list[TargetRow]
    otherwise_ranges: list[OtherwiseRow]
    answer: str | None
    target: AnsweredTarget | None
    current: str | None
    otherwise: AnsweredOtherwise | None
    serves: list[ServedRow]
    risk: str
    differences: list[DifferenceEntry]
    parameters: list[ParameterEntry]
    members: list[ParameterEntry]
    agreements: list[AgreementEntry]
    aside: list[AgreementEntry] = []
    rules: list[RuleEntry] = []
    before: str
    after: str
    claims: list[AnsweredClaim]
    beside: list[BesideTarget] = []


class Unmatched(View, frozen=True, kw_only=True):
    """What a lookup of a MindSpore API answers to which no PyTorch API corresponds.

    ``why`` is None where nothing is recorded of the API. ``nearest``: mappings one may be looking for. ``documents``: what
    that rests on.
    """

    asked: Asked
    counterpart: None = None
    why: Text | None
    nearest: list[str]
    documents: list[DocumentEntry]


class Match(View, frozen=True, kw_only=True):
    """A passage that fits the words.

    ``kind``: summary, difference, claim, parameter, member, target or otherwise; ``ref`` says which.
    """

    kind: str
    ref: str
    risk: str | None
    text: Text


class Found(View, frozen=True, kw_only=True):
    """A mapping that fits the words, with its best passages. The higher the score the better it fits.

    ``id`` is the name of a MindSpore API where that one fits and has no PyTorch counterpart.
    """

    id: str
    summary: Text
    risk: str
    score: float
    matches: list[Match]


class SearchResult(View, frozen=True, kw_only=True):
    """Mappings that fit, best first. ``corrected``: words that are nowhere, with the names searched for instead."""

    words: str
    corrected: dict[str, str]
    results: list[Found]
