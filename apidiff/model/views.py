"""Entries: everything derived about one mapping, ready to be shown. Pages, answers, JSON, SQLite and search read these.

An entry is rebuilt from the authored, extracted and measured layers by ``apidiff.lookup.entry`` and is the source of
nothing. Text stands in both languages; verdicts stand in ``observed``.
"""
# Annotations are evaluated when this is imported: as strings, msgspec would have to compile them before it reads an entry.

from typing import TYPE_CHECKING

from apidiff.model.base import Record, Text
from apidiff.model.condition import Condition
from apidiff.model.trust import Trust
from apidiff.model.verdict import Observation
from apidiff.model.vocabulary import Execution

if TYPE_CHECKING:
    from apidiff.model.mapping import Document


class View(Record, frozen=True, kw_only=True, omit_defaults=False):
    """A derived record: encoded with every field, so that a program need not know defaults."""


class StatedEntry(View, frozen=True, kw_only=True):
    """One place in a document that states a claim."""

    document: str  # key of Entry.documents
    part: str  # 'parameters/1', 'pytorch/2', …
    text: Text | None = None


class ObservedEntry(Observation, frozen=True, kw_only=True):
    """An observation with its facts in words.

    ``evidence``: one line per fact, e.g. ``rank 1: tensor [10, 20] → [110, 220]`` or ``rank 0: RuntimeError: …``;
    ``evidence_zh``: the same in Chinese, empty where both languages write the same.
    """

    evidence: list[str] = []
    evidence_zh: list[str] = []


class ObservedSummary(View, frozen=True, kw_only=True):
    """A verdict of one framework version on one backend over all probes, and the world sizes and run records that share it.

    Where records disagree each has its say: the same world size then stands in several rows. Of known signers' records, which
    are told beside this project's, each signer has rows of their own: ``signer``, otherwise empty.
    """

    outcome: str
    framework: str
    framework_version: str
    backend: str
    device: str
    world_sizes: list[int]
    runs: list[str]
    trust: str = Trust.UNSIGNED.value  # of the one of its records that is trusted most
    signer: str = ""


class VersionSpan(View, frozen=True, kw_only=True):
    """Versions that follow each other among those run, with the same outcome in each.

    ``runs``: version → the run records that say so, oldest version first. ``unjudged``: known versions between the span before
    and this one of which no run gives a verdict; ``disputed``: those of which records disagree.
    """

    outcome: str
    runs: dict[str, list[str]]
    unjudged: list[str] = []
    disputed: list[str] = []


class VerdictChange(View, frozen=True, kw_only=True):
    """A verdict that is not the same in all versions run on one backend, at the world sizes at which it goes the same way.

    ``spans``: oldest first, at least two.
    """

    framework: str
    backend: str
    device: str
    world_sizes: list[int]
    spans: list[VersionSpan]


class ChangeEntry(VerdictChange, frozen=True, kw_only=True):
    """A change of a verdict with its sentence."""

    text: Text


class Dispute(View, frozen=True, kw_only=True):
    """Run records of the same version, backend, device and world size that disagree.

    ``outcomes``: by run record. ``vouched_for``: whether those disagree for which somebody vouches; where not, one side is of
    unsigned records alone, and what they say decides nothing.
    """

    framework: str
    framework_version: str
    backend: str
    device: str
    world_size: int
    outcomes: dict[str, str]
    vouched_for: bool


class DisputeEntry(Dispute, frozen=True, kw_only=True):
    """A dispute with its sentence."""

    text: Text


class Confirmation(View, frozen=True, kw_only=True):
    """Run records of different makers that agree: the same version, backend and device, at these world sizes.

    ``runs``: one of each maker: this project, and each signer. Nobody knows of an unsigned record who made it.
    """

    framework: str
    framework_version: str
    backend: str
    device: str
    world_sizes: list[int]
    outcome: str
    runs: list[str]


class ConfirmationEntry(Confirmation, frozen=True, kw_only=True):
    """A confirmation with its sentence."""

    text: Text


class SweptEntry(View, frozen=True, kw_only=True):
    """What a claim's probe passes of a sweep. ``value``: the dtype or layout; ``argument``: what is a part of a larger tensor."""

    sweep: str
    value: str
    argument: str = ""


class ContradictedEntry(View, frozen=True, kw_only=True):
    """What runs say against a claim that documents state.

    ``standing``: 'refuted' by runs of a version that a document speaks of; 'outdated' where runs of other versions alone show
    otherwise, 'not_yet' where all of these are older. ``versions``: of ``framework``, those that show it, newest first.
    """

    standing: str
    framework: str
    versions: list[str]


class ClaimEntry(View, frozen=True, kw_only=True):
    """A claim with its verdicts. ``id`` is ``<API name>#<claim>``; it is the anchor on the page with '#' written '--'."""

    id: str
    subject: str  # the API's name
    side: str  # 'source' or 'target'
    kind: str
    text: Text
    stated: list[StatedEntry] = []
    contradicted: ContradictedEntry | None = None
    observed: list[ObservedEntry] = []
    unsigned: list[ObservedEntry] = []  # what records say for which nobody vouches; nothing else is made from it
    summary: list[ObservedSummary] = []
    aside: list[ObservedSummary] = []  # what known signers' records say; nothing else is made from it
    changes: list[ChangeEntry] = []
    disputes: list[DisputeEntry] = []
    confirmations: list[ConfirmationEntry] = []
    not_run: list[Text] = []  # backends without a run and why ('hccl: no run record')
    call: list[str] = []  # the calls of its probes as code, one per probe
    reason: Text | None = None
    swept: SweptEntry | None = None  # where it is one of a family that is shown as a table


class EvidenceEntry(View, frozen=True, kw_only=True):
    """What runs say of a claim or show on samples: in words, with run records that hold it.

    ``claim``: its full ID, empty where ``samples`` show it: their names, ``inputs`` as of a `RepeatEntry`. Versions of which
    runs say the same share one: ``versions`` are these, newest first, and ``runs`` holds a record of each; of samples the
    record of the source, then that of the target.
    """

    claim: str
    samples: list[str] = []
    inputs: str = ""
    run: str  # the first of ``runs``
    text: Text
    framework: str = ""
    versions: list[str] = []
    runs: list[str] = []


class DifferencePart(View, frozen=True, kw_only=True):
    """One sentence of a difference's text.

    ``side``: the framework it is about, None where it names that itself. ``note``: whether it is advice, not what runs show.
    """

    side: str | None = None
    note: bool = False
    text: Text


class RepeatEntry(View, frozen=True, kw_only=True):
    """How to repeat what one sample shows.

    ``sample``: its name; ``inputs``: ``extracted`` where it is taken from PyTorch's own tests. ``command``: makes the call again
    with both frameworks, judges it and compares with what is recorded. ``script``: makes it without this package.
    """

    sample: str
    inputs: str = ""
    command: str
    script: str


class DifferenceEntry(View, frozen=True, kw_only=True):
    """A difference. ``claims``: full claim IDs it rests on. ``evidence``: what runs say of them, or the samples that show it.

    ``headline``: the fact in at most ten words. ``reach``: everyday, edge or source-only. ``parts``: the sentences of
    ``text``, where it is made from claims. ``covers``: the IDs that rows would have as differences whose remarks are told here.
    ``repeat``: how to repeat it, where a sample shows it. ``when``: what a call must be like to meet it, as alternatives, each of
    conditions that all have to hold; empty: any call of the API may.
    ``alike``: the MindSpore versions whose runs show it no more, or not yet: what is claimed holds on both sides.
    ``device``: where samples show it; empty where it rests on something else.
    ``condition``: where only some samples show it, how that is told: ``rule``, a condition that samples held back bear out;
    ``seen``, what samples were seen with of which no other can tell; or ``some_inputs``. Otherwise empty.
    """

    id: str
    kind: str
    risk: str
    text: Text
    parts: list[DifferencePart] = []
    headline: Text | None = None
    reach: str = "everyday"
    evidence: list[EvidenceEntry] = []
    claims: list[str] = []
    parameter: str | None = None
    covers: list[str] = []
    repeat: RepeatEntry | None = None
    alike: list[str] = []
    when: list[list[Condition]] = []
    device: str = ""
    condition: str = ""

    @property
    def claim_evidence(self) -> list[EvidenceEntry]:
        """What runs say of its claims."""
        return [evidence for evidence in self.evidence if evidence.claim]


class DefaultEntry(View, frozen=True, kw_only=True):
    """The default that a parameter has in a range of the versions which have it ('≥ 2.6'); None: there it is required."""

    value: str | None
    range: str


class ParameterEntry(View, frozen=True, kw_only=True):
    """One row of the parameter table; defaults are read from signatures, None where there is none.

    A default is that of the newest version which has the parameter; where other versions have another, ``source_defaults`` and
    ``target_defaults`` list all, oldest first. ``source_range`` and ``target_range``: the versions that have the parameter
    ('≥ 2.6'), None where every known version of the API has it. Rows of members have no defaults.
    """

    source: str | None = None
    target: str | None = None
    source_default: str | None = None
    target_default: str | None = None
    source_defaults: list[DefaultEntry] = []
    target_defaults: list[DefaultEntry] = []
    source_range: str | None = None
    target_range: str | None = None
    relations: list[str]
    risk: str
    text: Text
    headline: Text | None = None  # where a person gave one
    note: Text | None = None  # the part of ``text`` that relations and defaults do not say


class CaseEntry(View, frozen=True, kw_only=True):
    """A sample on which a facet does not agree.

    ``call``: the source's call as code; ``given``: its tensors, with names in backquotes; ``text``: what shows it.
    """

    sample: str
    agreement: str
    call: str
    given: str = ""
    text: Text


class AgreementDispute(View, frozen=True, kw_only=True):
    """What a known signer's record shows otherwise than this project's own, which decides.

    ``agreement``: the worst over the samples that came out otherwise; ``counts``: these by agreement. ``run``: the record.
    """

    run: str
    signer: str
    agreement: str
    counts: dict[str, int]


class AgreementEntry(View, frozen=True, kw_only=True):
    """What runs of one target version on one device say of one facet, against one source version.

    ``agreement``: the worst over the samples; ``counts``: samples by agreement; ``cases``: those that do not agree. ``runs``: the
    run records of both sides. ``inputs``: ``extracted`` where the samples are taken from PyTorch's own tests; of those
    that do not agree the smallest are shown. ``trust``: of the one of ``runs`` that is trusted least; ``signers``: who
    signed those of them that are known signers' records, by run; ``told_by``: the one of these that tells what this project's
    own do not. ``disputes``: records of known signers that say otherwise.
    """

    facet: str
    agreement: str
    framework_version: str
    source_version: str
    device: str
    counts: dict[str, int]
    cases: list[CaseEntry] = []
    runs: list[str] = []
    inputs: str = ""
    trust: str = Trust.UNSIGNED.value
    signers: dict[str, str] = {}
    told_by: str = ""
    disputes: list[AgreementDispute] = []


class RangeEntry(View, frozen=True, kw_only=True):
    """A version range of a target. ``range`` is the range as text: '2.4 – 2.8', '≤ 2.3', '≥ 2.9'."""

    since: str | None
    until: str | None
    range: str
    status: str


class RuleEntry(View, frozen=True, kw_only=True):
    """How far runs of one version on one device prove the rule by which a target replaces the source.

    ``label``: verified where all facets agree on every sample, unsafe where some do not, manual where the rule was not run;
    ``facets``: those that do not agree. ``rule``: the ordinary call as the target writes it.
    """

    framework_version: str
    source_version: str
    device: str
    label: str
    facets: list[str] = []
    rule: str = ""


class RunsOnEntry(View, frozen=True, kw_only=True):
    """What is known of a target on one device (cpu, cuda, npu).

    ``documented``: MindSpore's newest documents list it; ``documented_in``: the versions whose documents do. ``outcome``: how the
    canonical call ended, or the plain one where that was not run, in the newest versions run, which ``versions`` lists: 'holds'
    where it came back, whatever it gave. ``outcomes``: the same of every version that was run. Versions stand newest first.
    """

    device: str
    documented: bool
    outcome: str
    versions: list[str] = []
    documented_in: list[str] = []
    outcomes: dict[str, str] = {}


class TargetEntry(View, frozen=True, kw_only=True):
    """A target, with the differences of the mapping seen from it, worst first.

    ``members``: of a class, like ``parameters``. ``defined_in``: the mapping that holds its claims, where it is another.
    ``composed``: whether one call of the source becomes several lines, in which this is the API that matters most.
    ``refused``: that no run made the call shown, nor another one, without an exception.
    """

    name: str
    kind: str
    composed: bool = False
    refused: Text | None = None
    ranges: list[RangeEntry]
    parameters: list[ParameterEntry]
    members: list[ParameterEntry] = []
    differences: list[DifferenceEntry]
    risk: str  # the worst of its everyday differences
    runs_on: list[RunsOnEntry] = []  # Ascend, GPU, CPU
    limits: list[str] = []  # what the newest documentation limits it to: 'pynative', 'before-tensors'
    signatures: dict[str, str] = {}  # framework version: signature text
    before: str = ""  # the source's call as code, taken from its probe
    after: str = ""  # the target's call as code
    note: Text | None = None
    defined_in: str | None = None
    agreements: list[AgreementEntry] = []  # by facet, of mappings with single execution; newest version first
    aside: list[AgreementEntry] = []  # the same of places that known signers ran, and this project did not
    rules: list[RuleEntry] = []  # of the same mappings, by version and device; newest version first


class ExampleEntry(View, frozen=True, kw_only=True):
    """An example script with what it prints, by the newest run of each backend."""

    framework: str
    path: str
    command: str
    code: str
    expected: str
    claim: str | None = None  # ID of the claim that it prints what it says


class OtherwiseEntry(View, frozen=True, kw_only=True):
    """The answer in versions where no target replaces the source; ``answer`` is composed, not_needed or no_counterpart.

    ``recipe``: the script that does it in MindSpore. ``uses``: MindSpore APIs that go into it or take its place.
    ``before``: the source's call as code, ``after``: what the recipe does instead of it. ``differences``: what a porter
    must know of the source itself, worst first. ``risk``: at least ``rewrite``.
    """

    answer: str
    since: str | None
    until: str | None
    range: str
    why: Text
    instead: Text | None = None
    recipe: ExampleEntry | None = None
    before: str = ""
    after: str = ""
    uses: list[str] = []
    stated: list[StatedEntry] = []
    differences: list[DifferenceEntry] = []
    risk: str


class DocumentEntry(View, frozen=True, kw_only=True):
    """A document that states claims of this mapping."""

    title: str
    url: str
    framework: str
    version: str
    seed: bool = False
    url_zh: str = ""  # of its Chinese twin, empty where it has none
    title_zh: str = ""

    def address(self, language: str) -> str:
        """Where a reader of ``language`` finds it."""
        return self.url_zh or self.url if language == "zh" else self.url

    def name(self, language: str) -> str:
        """Its title for a reader of ``language``."""
        return self.title_zh or self.title if language == "zh" else self.title

    @classmethod
    def of(cls, document: "Document") -> "DocumentEntry":
        """What a reader sees of ``document``."""
        return cls(
            title=document.title,
            url=document.url,
            framework=document.framework.value,
            version=document.version,
            url_zh=document.url_zh,
            title_zh=document.title_zh,
            seed=document.seed is not None,
        )


class HistoryEntry(View, frozen=True, kw_only=True):
    """One change of an API in ``version``, seen against ``after`` (None: nothing older is known).

    ``change``: a value of ``apidiff.derive.api_history.ChangeKind``. ``evidence``: 'signatures', 'stubs' (type stubs of compiled
    modules, which may be wrong), or the key of the document that tells it; ``after_evidence``: the document that tells of
    ``after``, where signatures do not.
    """

    api: str
    version: str
    after: str | None
    change: str
    text: Text
    evidence: str
    after_evidence: str | None = None


class Entry(View, frozen=True, kw_only=True):
    """Everything shown about one mapping. ``risk``: the worst over the answer to newest MindSpore versions.

    ``official``: API → the address of its official documentation, in each language. ``uses``: how often real code names the
    source, by ``uses.yaml``.
    """

    id: str
    category: str
    summary: Text
    execution: str = Execution.COLLECTIVE.value
    aliases: list[str]
    source: str
    signatures: dict[str, str]  # torch version: signature text
    risk: str
    targets: list[TargetEntry]
    otherwise: list[OtherwiseEntry] = []
    claims: list[ClaimEntry]
    examples: list[ExampleEntry] = []
    documents: dict[str, DocumentEntry] = {}
    history: list[HistoryEntry] = []  # of the source, then of each target; newest change of each first
    official: dict[str, Text] = {}
    uses: int = 0
    unread: dict[str, list[str]] = {}  # API → versions whose signatures were read without looking for it


class ServedEntry(View, frozen=True, kw_only=True):
    """A source that a MindSpore API serves: as its target, or (``role`` used) by going into what answers it otherwise.

    ``ranges``: where it is the target, with its standing there; where it is used, with the answer as ``status``.
    """

    id: str
    source: str
    role: str  # 'target' or 'used'
    ranges: list[RangeEntry]
    risk: str


class CounterpartEntry(View, frozen=True, kw_only=True):
    """A MindSpore communication API seen from its side: the sources it serves.

    ``why``: why no PyTorch API corresponds to it, ``nearest`` the mappings that a reader may be looking for, ``documents``
    what that rests on. Where there is neither that nor a source, no record names it.
    """

    name: str
    serves: list[ServedEntry]
    why: Text | None = None
    nearest: list[str] = []
    documents: list[DocumentEntry] = []
