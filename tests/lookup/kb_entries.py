"""Mappings made by hand, whose answers can be read off."""

from __future__ import annotations

from factories import claim_entry, entry, target_entry

from apidiff.derive.counterparts import serve
from apidiff.messages.evidence import observed_entry
from apidiff.model.base import Text
from apidiff.model.verdict import EvidenceCode, Observation, Outcome, evidence
from apidiff.model.views import (
    ClaimEntry,
    CounterpartEntry,
    DifferenceEntry,
    DocumentEntry,
    Entry,
    ExampleEntry,
    ObservedEntry,
    ObservedSummary,
    OtherwiseEntry,
    ParameterEntry,
    RangeEntry,
    StatedEntry,
    TargetEntry,
)

RELEASES = {
    "torch": ["2.6.0", "2.13.0"],
    "mindspore": ["2.3.1", "2.4.0", "2.10.0", "2.7.1", "2.8.0", "2.7.2"],
}
REDUCE = "torch.distributed.reduce"
PRIMITIVE = "mindspore.ops.Reduce"
COMM_FUNC = "mindspore.communication.comm_func.reduce"
MINT = "mindspore.mint.distributed.reduce"
GATHER = "torch.distributed.gather"
MINT_GATHER = "mindspore.mint.distributed.gather"
MONITORED = "torch.distributed.monitored_barrier"
BARRIER = "mindspore.mint.distributed.barrier"
# Looks like a member of the answer; must come out as the text it is.
TRICKY = 'says "asked_version":null and "observed":[1] and [/bold] \\ in one go'


def text(en: str, zh: str) -> Text:
    return Text(en=en, zh=zh)


def observation(outcome: Outcome, framework: str, version: str, size: int) -> ObservedEntry:
    backend = "gloo" if framework == "torch" else "mccl"
    run = f"{framework}-{version}/{backend}-cpu-{size}-0123456789ab"
    changed = evidence(EvidenceCode.CHANGED, 1, slot="tensor", before="[10]", after="[110]")
    seen = Observation(
        outcome=outcome,
        framework=framework,
        framework_version=version,
        backend=backend,
        device="cpu",
        world_size=size,
        probe="sync",
        run=run,
        facts=[changed] if outcome is Outcome.REFUTED else [],
    )
    return observed_entry(seen)


def claim(name: str, claim_id: str, said: Text, observed: list[ObservedEntry], kind: str = "keeps") -> ClaimEntry:
    rows = {(one.outcome, one.framework_version): one for one in observed}
    return claim_entry(
        f"{name}#{claim_id}",
        kind=kind,
        text=said,
        stated=[StatedEntry(document="diff", part="pytorch/1")],
        observed=observed,
        summary=[
            ObservedSummary(
                outcome=one.outcome.value,
                framework=one.framework,
                framework_version=one.framework_version,
                backend=one.backend,
                device=one.device,
                world_sizes=[one.world_size],
                runs=[one.run],
            )
            for one in rows.values()
        ],
        not_run=[] if observed else [text("mccl (cpu): not run", "mccl（cpu）：未运行")],
    )


def target(name: str, ranges: list[RangeEntry], risks: list[str]) -> TargetEntry:
    return target_entry(
        name,
        *ranges,
        parameters=[
            ParameterEntry(
                source="dst",
                target="root_rank",
                relations=["renamed"],
                risk="none",
                text=text("Named `root_rank` instead of `dst`.", "由 `dst` 改名为 `root_rank`。"),
            )
        ],
        differences=[
            DifferenceEntry(
                id=f"difference-{number}",
                kind="in_place",
                risk=risk,
                text=text(f"{risk} difference of {name}.", f"{name} 的差异：{risk}。"),
                claims=[f"{name}#keeps"],
            )
            for number, risk in enumerate(risks)
        ],
        risk=risks[0],
        signatures={"2.10.0": f"{name}(tensor, dst)"},
        before="torch.distributed.reduce(tensor, dst=0)",
        after=f"{name}(tensor, dst=0)",
    )


def row(since: str | None, until: str | None, status: str) -> RangeEntry:
    return RangeEntry(since=since, until=until, range=f"{since or ''}–{until or ''}", status=status)


def reduce_entry() -> Entry:
    return entry(
        REDUCE,
        summary=text(
            "Reduces a tensor over all ranks onto one.", "对所有 rank 上的张量做规约，结果只放在一个 rank 上。"
        ),
        aliases=['c10d "reduce"'],
        signatures={"2.13.0": "torch.distributed.reduce(tensor, dst=None)"},
        risk="silent",
        targets=[
            target(PRIMITIVE, [row(None, "2.3", "current"), row("2.4", None, "available")], ["error"]),
            target(
                COMM_FUNC,
                [row("2.4", "2.4", "current"), row("2.5", "2.8", "available"), row("2.9", None, "deprecated")],
                ["silent", "rewrite"],
            ),
            target(MINT, [row("2.5", None, "current")], ["silent", "error", "none"]),
        ],
        claims=[
            claim(
                REDUCE,
                "others-keep-tensor",
                text("`tensor` keeps its values on every rank but `dst`.", "`dst` 以外的 rank 上 `tensor` 不变。"),
                [
                    observation(Outcome.REFUTED, "torch", "2.13.0", 3),
                    observation(Outcome.HOLDS, "torch", "2.6.0", 3),
                ],
            ),
            claim(REDUCE, "tricky", text(TRICKY, TRICKY), []),
            claim(PRIMITIVE, "keeps", text("Keeps it.", "不变。"), []),
            claim(
                MINT,
                "keeps",
                text("Keeps it here too.", "这里也不变。"),
                [
                    observation(Outcome.HOLDS, "mindspore", "2.10.0", 3),
                    observation(Outcome.HOLDS, "mindspore", "2.7.2", 2),
                    observation(Outcome.HOLDS, "mindspore", "2.7.1", 3),
                    observation(Outcome.TIMEOUT, "mindspore", "2.7.1", 2),
                ],
            ),
        ],
        documents={
            "diff": DocumentEntry(title="The page", url="https://example.org", framework="torch", version="2.1")
        },
    )


def gather_entry() -> Entry:
    """Shares a short name with the targets of the other mapping: `mint.distributed.reduce` is not one, `twice` is."""
    return entry(
        "torch.distributed.gather",
        summary=text("Gathers tensors into a list on one rank.", "将各 rank 的张量收集到一个 rank 的列表中。"),
        aliases=["twice"],
        risk="rewrite",
        targets=[target("mindspore.mint.distributed.gather", [row("2.5", None, "current")], ["rewrite"])],
        claims=[claim("torch.distributed.gather", "handle", text("Returns a handle.", "返回句柄。"), [], "returns")],
        documents={
            "diff": DocumentEntry(title="The page", url="https://example.org", framework="torch", version="2.1")
        },
    )


def scatter_entry() -> Entry:
    """Has the alias of another mapping."""
    return entry(
        "torch.distributed.scatter",
        summary=text("Scatters a list of tensors from one rank.", "从一个 rank 分发张量列表。"),
        aliases=["twice"],
        risk="none",
        targets=[],
        claims=[],
    )


def gather_single_entry() -> Entry:
    """Has the target of another mapping, under a name of its own, and from a later version on."""
    return entry(
        "torch.distributed.gather_single",
        summary=text("Gathers into one tensor.", "收集到一个张量。"),
        risk="error",
        targets=[target(MINT_GATHER, [row("2.5", "2.7", "available"), row("2.8", None, "current")], ["error"])],
        claims=[],
    )


def otherwise(answer: str, since: str | None, until: str | None, uses: list[str]) -> OtherwiseEntry:
    recipe = ExampleEntry(
        framework="mindspore",
        path=f"{MONITORED}/mindspore_recipe.py",
        command=f"msrun {MONITORED}/mindspore_recipe.py",
        code="barrier()\n",
        expected="rank 0: done",
    )
    return OtherwiseEntry(
        answer=answer,
        since=since,
        until=until,
        range=f"{since or ''}–{until or ''}",
        why=text(f"Why it is {answer}.", f"为什么是 {answer}。"),
        instead=text("Wait with a deadline.", "等待时设置超时。"),
        recipe=recipe if answer == "composed" else None,
        before=f"{MONITORED}()",
        after="barrier()" if answer == "composed" else "",
        uses=uses,
        stated=[StatedEntry(document="diff", part="remarks")],
        differences=[
            DifferenceEntry(id="hangs", kind="error_behaviour", risk="error", text=text("It hangs.", "会挂起。"))
        ],
        risk="error",
    )


def monitored_barrier_entry() -> Entry:
    """Has no target: another answer up to 2.7 than from 2.8 on, and none before 2.4."""
    return entry(
        MONITORED,
        category="debug",
        summary=text("Waits for all ranks, and names those that are late.", "等待所有 rank，并指出迟到的 rank。"),
        risk="error",
        targets=[],
        otherwise=[
            otherwise("no_counterpart", "2.4", "2.7", []),
            otherwise("composed", "2.8", None, [BARRIER, "mindspore.Tensor"]),
        ],
        claims=[claim(MONITORED, "waits", text("Waits.", "等待。"), [])],
        documents={
            "diff": DocumentEntry(title="The page", url="https://example.org", framework="torch", version="2.1")
        },
    )


def all_entries() -> dict[str, Entry]:
    found = (reduce_entry(), gather_entry(), gather_single_entry(), monitored_barrier_entry(), scatter_entry())
    return {entry.id: entry for entry in found}


UNMATCHED = "mindspore.communication.get_comm_name"
UNNAMED = "mindspore.communication.release"


def counterparts() -> dict[str, CounterpartEntry]:
    only = {
        UNMATCHED: CounterpartEntry(
            name=UNMATCHED,
            serves=[],
            why=text("Names a communicator.", "返回通信域的名称。"),
            nearest=[REDUCE],
            documents=[
                DocumentEntry(title="A page", url="https://example.org/p", framework="mindspore", version="2.10")
            ],
        )
    }
    return serve(all_entries().values(), [BARRIER, UNNAMED], only)
