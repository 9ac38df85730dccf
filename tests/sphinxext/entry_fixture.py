"""Content made by hand for tests of the pages: one mapping with two targets, two run records."""

from __future__ import annotations

import hashlib
from pathlib import Path

import factories
import msgspec

from apidiff.derive.counterparts import serve
from apidiff.derive.coverage import coverage
from apidiff.derive.evidence import ProbeCall
from apidiff.messages.evidence import observed_entry
from apidiff.model.base import Text
from apidiff.model.trace import (
    CallError,
    ObjectDump,
    ParameterDump,
    ProbeRun,
    RankTrace,
    RunRecord,
    ScalarDump,
    SequenceDump,
    SignatureDump,
    TensorDump,
)
from apidiff.model.verdict import EvidenceCode, Observation, Outcome, evidence
from apidiff.model.views import (
    ClaimEntry,
    CounterpartEntry,
    DifferenceEntry,
    DocumentEntry,
    Entry,
    EvidenceEntry,
    ExampleEntry,
    ObservedEntry,
    ObservedSummary,
    OtherwiseEntry,
    ParameterEntry,
    RangeEntry,
    StatedEntry,
    TargetEntry,
)
from apidiff.sphinxext.site_content import Content
from apidiff.sphinxext.versions import Releases

RELEASES = Releases(
    known={
        "torch": ["2.14.0", "2.13.0", "2.9.1", "2.5.0"],
        "mindspore": ["2.10.0", "2.9.0", "2.8.0", "2.7.1", "2.4.0", "2.3.0"],
    },
    signed={"torch": ["2.13.0", "2.6.0"], "mindspore": ["2.10.0", "2.7.1"]},
)
SOURCE = "torch.distributed.reduce"
NEW = "mindspore.ops.communication.reduce"
OLD = "mindspore.communication.comm_func.reduce"
COMPOSED = "torch.distributed.monitored_barrier"
USED = "mindspore.mint.distributed.barrier"
UNMATCHED = "mindspore.communication.get_comm_name"
UNNAMED = "mindspore.ops.NeighborExchange"


def _tensor(values: list[float], label: int) -> TensorDump:
    return TensorDump(type="Tensor", dtype="float32", shape=[len(values)], values=values, storage=label, object=label)


def run_record(world_size: int = 3, date: str = "2026-11-20T10:00:00Z") -> RunRecord:
    """A run of torch with a finished, a failed and a flaky probe."""
    ranks = [
        RankTrace(
            rank=rank,
            before={"tensor": _tensor([10.0**rank, 2 * 10.0**rank], 1), "dst": ScalarDump(value=0)},
            after={"tensor": _tensor([111.0, 222.0] if rank == 0 else [110.0, 220.0], 1), "dst": ScalarDump(value=0)},
            returned=ScalarDump(value=None),
        )
        for rank in range(world_size)
    ]
    failed = [
        RankTrace(
            rank=0,
            before={"tensor": SequenceDump(type="list", items=[_tensor([1.0], 1)], object=2)},
            error=CallError(stage="call", type="RuntimeError", message="first line\nsecond <b>line</b> `x`"),
        )
    ]
    again = ProbeRun(api=SOURCE, probe="async", spec="0" * 12, end="timeout", ranks=[], log=["rank 0: waiting"])
    handle = [
        RankTrace(
            rank=0,
            returned=ObjectDump(type="Work", text="<Work>", tensors={"held": _tensor([7.0], 1)}, object=3),
            output=["printed"],
        )
    ]
    return factories.run_record(
        world_size=world_size,
        date=date,
        os="Linux 6.1",
        python="3.11.7",
        packages={"numpy": "1.26.4", "torch": "2.13.0"},
        environment={"MASTER_ADDR": "127.0.0.1"},
        signatures=[
            SignatureDump(
                api=SOURCE,
                parameters=[ParameterDump(name="tensor", kind="positional")],
                text="(tensor, dst=None, op=<RedOpType.SUM: 0>, group=None, async_op=False, group_dst=None)",
            ),
            SignatureDump(api="torch.distributed.ReduceOp", text="(op)", members=["AVG", "SUM"]),
            SignatureDump(api="torch.distributed.gone", missing=True, error="AttributeError"),
        ],
        probes=[
            ProbeRun(api=SOURCE, probe="sync", spec="a" * 12, end="completed", ranks=ranks),
            ProbeRun(api=SOURCE, probe="wrong-shape", spec="b" * 12, end="completed", ranks=failed, confirmed=True),
            ProbeRun(api=SOURCE, probe="async", spec="c" * 12, end="completed", ranks=handle, again=again),
        ],
    )


def write_run(folder: Path, record: RunRecord, name: str = "") -> tuple[str, Path]:
    """Write the record below ``folder`` under its ID, or under ``name`` and its digest."""
    data = msgspec.json.encode(record)
    place = f"{record.framework}-{record.framework_version}/{record.backend}-{record.device}-{record.world_size}"
    run = f"{name or place}-{hashlib.sha256(data).hexdigest()}"
    path = folder / f"{run}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return run, path


def _seen(outcome: Outcome, run: str, lines: list[str]) -> tuple[list[ObservedEntry], list[ObservedSummary]]:
    where = {"framework": "torch", "framework_version": "2.13.0", "backend": "gloo", "device": "cpu"}
    facts = [evidence(EvidenceCode.SIGNATURE, signature=line) for line in lines]
    observed = Observation(outcome=outcome, world_size=3, probe="sync", run=run, facts=facts, **where)
    return [observed_entry(observed)], [ObservedSummary(outcome=outcome.value, world_sizes=[3], runs=[run], **where)]


def _claims(run: str) -> list[ClaimEntry]:
    refuted, refuted_summary = _seen(Outcome.REFUTED, run, ["rank 1: tensor [10, 20] → [110, 220]"])
    holds, holds_summary = _seen(Outcome.HOLDS, run, [])
    not_run = [Text(en="hccl: no run record", zh="hccl：没有运行记录")]
    stated = [
        StatedEntry(
            document="seed-reduce",
            part="pytorch/2",
            text=Text(en="Other processes' tensors remain unchanged.", zh="其他进程的张量保持不变。"),
        )
    ]
    return [
        factories.claim_entry(
            f"{SOURCE}#others-keep-tensor",
            kind="keeps",
            text=Text(
                en="`tensor` keeps its values on every rank but `dst`.",
                zh="除 `dst` 以外的进程上，`tensor` 的值保持不变。",
            ),
            stated=stated,
            observed=refuted,
            summary=refuted_summary,
            call=["torch.distributed.reduce(tensor, dst=0)"],
        ),
        factories.claim_entry(
            f"{SOURCE}#root-has-sum",
            kind="result",
            text=Text(en="On `dst`, `tensor` holds the sum.", zh="在 `dst` 上，`tensor` 为求和结果。"),
            observed=holds,
            summary=holds_summary,
            call=["torch.distributed.reduce(tensor, dst=0)"],
        ),
        factories.claim_entry(
            f"{NEW}#others-keep-tensor",
            kind="keeps",
            text=Text(
                en="`tensor` keeps its values on every rank but `dst`.",
                zh="除 `dst` 以外的进程上，`tensor` 的值保持不变。",
            ),
            stated=stated,
            not_run=not_run,
            reason=Text(en="The kernel is not registered on CPU.", zh="CPU 上没有注册该算子。"),
        ),
        factories.claim_entry(
            f"{OLD}#returns-tensor",
            kind="returns",
            text=Text(en="Returns `(Tensor, CommHandle)`.", zh="返回 `(Tensor, CommHandle)`。"),
            not_run=not_run,
        ),
    ]


def _target(name: str, ranges: list[RangeEntry], risk: str, differences: list[DifferenceEntry]) -> TargetEntry:
    return factories.target_entry(
        name,
        *ranges,
        parameters=[
            ParameterEntry(
                source="tensor",
                target="tensor",
                relations=["same"],
                risk="none",
                text=Text(en="The same.", zh="一致。"),
            ),
            ParameterEntry(
                source="async_op",
                target="async_op",
                source_default="False",
                target_default="False",
                relations=["same"],
                risk="none",
                text=Text(en="The same.", zh="一致。"),
            ),
            ParameterEntry(
                source="group_dst",
                source_default="None",
                relations=["only_in_source"],
                risk="rewrite",
                source_range="≥ 2.6",
                text=Text(en="`group_dst` has no counterpart.", zh="`group_dst` 没有对应参数。"),
            ),
        ],
        members=[
            ParameterEntry(
                target="wait",
                target_range="2.8 – 2.9",
                relations=["only_in_target"],
                risk="none",
                text=Text(en="`wait` exists only in MindSpore.", zh="只有 MindSpore 有 `wait`。"),
            ),
        ],
        differences=differences,
        risk=risk,
        signatures={
            "2.10.0": f"{name}(tensor, dst, op='sum', group=None, async_op=False)",
            "2.7.1": f"{name}(tensor, dst)",
        },
        before="torch.distributed.reduce(tensor, dst=0)",
        after=f"{name}(tensor, 0)",
        note=Text(en="Ascend only.", zh="仅支持昇腾。"),
    )


def reduce_entry(run: str, summary: str = "Reduces tensors of all ranks to one rank.") -> Entry:
    """The mapping of ``torch.distributed.reduce``, observed in ``run``."""
    silent = DifferenceEntry(
        id="others",
        kind="in_place",
        risk="silent",
        text=Text(
            en="Ranks other than `dst` have their tensor overwritten by gloo; the target leaves it alone.",
            zh="gloo 会覆盖 `dst` 以外进程的张量（原地修改），目标则保持不变。",
        ),
        evidence=[
            EvidenceEntry(
                claim=f"{SOURCE}#others-keep-tensor",
                run=run,
                framework="torch",
                versions=["2.13.0"],
                runs=[run],
                text=Text(en="gloo, 3 ranks: rank 1 holds [110, 220].", zh="gloo，3 个进程：进程 1 为 [110, 220]。"),
            )
        ],
        claims=[f"{SOURCE}#others-keep-tensor", f"{NEW}#others-keep-tensor"],
    )
    parameter = DifferenceEntry(
        id="group-dst",
        kind="parameter",
        risk="rewrite",
        text=Text(en="`group_dst` has no counterpart.", zh="`group_dst` 没有对应参数。"),
        parameter="group_dst",
    )
    return factories.entry(
        SOURCE,
        summary=Text(en=summary, zh="规约操作：将所有进程的张量规约到一个进程。"),
        aliases=["dist.reduce"],
        signatures={
            "2.13.0": "torch.distributed.reduce(tensor, dst=None, op=SUM, group=None, async_op=False, group_dst=None)"
        },
        risk="silent",
        targets=[
            _target(
                NEW,
                [factories.range_entry("2.9", status="current")],
                "silent",
                [silent, parameter],
            ),
            _target(
                OLD,
                [
                    factories.range_entry("2.4", "2.8", "current"),
                    factories.range_entry("2.9", status="deprecated"),
                ],
                "rewrite",
                [parameter],
            ),
        ],
        claims=_claims(run),
        examples=[
            ExampleEntry(
                framework="torch",
                path="torch.distributed.reduce/torch_example.py",
                command="torchrun --nproc-per-node 3 torch_example.py",
                code='"""Reduce to rank 0."""\nimport torch\n\nprint(torch.ones(2))\n',
                expected="rank 0: [111, 222]",
                claim=f"{SOURCE}#root-has-sum",
            )
        ],
        documents={
            "seed-reduce": DocumentEntry(
                title="Differences with torch.distributed.reduce",
                url="https://example.org/reduce.html",
                framework="mindspore",
                version="2.4.10",
                seed=True,
            )
        },
    )


def other_entry() -> Entry:
    """A mapping with nothing but a name: every 'none recorded' text is shown."""
    summary = Text(en="Waits for all ranks.", zh="等待所有进程。")
    return factories.entry("torch.distributed.barrier", summary=summary)


def composed_entry() -> Entry:
    """A mapping without a target: another answer before 2.8 than since."""
    recipe = ExampleEntry(
        framework="mindspore",
        path=f"{COMPOSED}/mindspore_recipe.py",
        command=f"msrun {COMPOSED}/mindspore_recipe.py",
        code="mint.distributed.barrier()  # the whole script\n",
        expected="rank 0: came by",
    )
    hangs = DifferenceEntry(
        id="hangs", kind="error_behaviour", risk="error", text=Text(en="It may hang.", zh="可能会挂起。")
    )
    return factories.entry(
        COMPOSED,
        category="debug",
        summary=Text(en="Waits, and names who is late.", zh="等待，并指出迟到者。"),
        risk="error",
        otherwise=[
            OtherwiseEntry(
                answer="no_counterpart",
                since=None,
                until="2.7",
                range="≤ 2.7",
                why=Text(en="Nobody waits there.", zh="那里没有等待功能。"),
                instead=Text(en="Sleep.", zh="改用休眠。"),
                stated=[StatedEntry(document="guide", part="remarks")],
                risk="rewrite",
            ),
            OtherwiseEntry(
                answer="composed",
                since="2.8",
                until=None,
                range="≥ 2.8",
                why=Text(en="A barrier with a deadline does it.", zh="带超时的屏障即可。"),
                recipe=recipe,
                before=f"{COMPOSED}()",
                after="mint.distributed.barrier()",
                uses=[USED, "mindspore.Tensor"],
                differences=[hangs],
                risk="error",
            ),
        ],
        documents={
            "guide": DocumentEntry(title="A guide", url="https://example.org/g", framework="mindspore", version="2.7")
        },
    )


BACKENDS = [
    factories.backend(*one)
    for one in (("gloo", "torch", "cpu"), ("nccl", "torch", "cuda"), ("hccl", "mindspore", "npu"))
]
COVERED = {"torch": ["2.12.0", "2.13.0", "2.14.0"], "mindspore": ["2.7.1", "2.10.0"]}


def content(folder: Path) -> Content:
    """Three mappings and one run record, whose file is written below ``folder``."""
    record = run_record()
    run_id, path = write_run(folder, record)
    entries = {entry.id: entry for entry in (reduce_entry(run_id), composed_entry(), other_entry())}
    only = {
        UNMATCHED: CounterpartEntry(
            name=UNMATCHED,
            serves=[],
            why=Text(en="It names a communicator.", zh="返回通信域名称。"),
            nearest=[COMPOSED],
            documents=[DocumentEntry(title="A page", url="https://example.org/p", framework="mindspore", version="2")],
        )
    }
    calls = {
        "sync": ProbeCall(code="torch.distributed.reduce(tensor, dst=0)", spec="a" * 12),
        "async": ProbeCall(code="torch.distributed.reduce(tensor, dst=0, async_op=True)", spec="d" * 12),
    }
    yaml = folder / "reduce.yaml"
    yaml.write_text(f"id: {SOURCE}\n")
    return Content(
        entries=entries,
        calls={SOURCE: calls},
        coverage=coverage(entries, {run_id: record}, BACKENDS, COVERED, {}),
        records={SOURCE: yaml},
        newest={framework: versions[0] for framework, versions in RELEASES.known.items()},
        releases=RELEASES,
        runs={run_id: path},
        counterparts=serve(entries.values(), [USED, UNNAMED], only),
    )
