"""Pictures from traces: which probes are drawn, what became of each buffer, and what strikes as unexpected."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from factories import run_record

from apidiff.database import Data
from apidiff.database.backends import load_backends
from apidiff.derive.buffers import UnmodifiedBuffers
from apidiff.derive.picture import Painter, async_probe, pictures, plain_probe, rank_parts
from apidiff.judge import make_context
from apidiff.model.claim import Claim, Formula, Keeps, RankSet, Result, Writes
from apidiff.model.collective import Collective
from apidiff.model.mapping import Api
from apidiff.model.picture import Buffer, Origin, Picture, RankPart, Side
from apidiff.model.probe import Input, Probe
from apidiff.model.probe_resolution import collective_of, digest
from apidiff.model.trace import CallError, ObjectDump, ProbeRun, RankTrace, ScalarDump, SequenceDump, TensorDump, Value

TENSOR = Input(shape=[2])


def tensor(values: list[float], storage: int = 0) -> TensorDump:
    return TensorDump(
        type="Tensor", dtype="float32", shape=[len(values)], values=values, storage=storage, object=storage
    )


def trace(rank: int, before: Value, after: Value, returned: Value | None = None) -> RankTrace:
    return RankTrace(rank=rank, before={"tensor": before}, after={"tensor": after}, returned=returned)


def drawn(traces: list[RankTrace], claims: list[Claim] | None = None, end: str = "completed") -> list[RankPart]:
    """The parts of the ranks in a call of an API with one probe."""
    api = Api(
        name="torch.distributed.reduce",
        collective=Collective(root="dst", probes={"sync": Probe(set={"tensor": TENSOR, "dst": 0})}),
        claims=claims or [],
    )
    run = ProbeRun(api=api.name, probe="sync", spec=digest(api, "sync"), end=end, ranks=traces)
    record = run_record()
    return rank_parts(api, run, 2, UnmodifiedBuffers(api, run, record, ()))


KEPT = Claim(id="kept", probes=["sync"], keeps=Keeps(argument="tensor", ranks=RankSet.OTHERS))
SUM = Claim(id="sum", probes=["sync"], result=Result(at="tensor", formula=Formula.SUM, of="tensor", ranks=RankSet.ROOT))
SOME = Claim(id="some", probes=["sync"], writes=Writes(argument="tensor", ranks=RankSet.OTHERS, some=True))
ALL = Claim(id="all", probes=["sync"], writes=Writes(argument="tensor"))
ROOT_KEEPS = Claim(id="root", probes=["sync"], keeps=Keeps(argument="tensor", ranks=RankSet.ROOT))
PARTIAL = [
    trace(0, tensor([1, 2]), tensor([11, 22])),
    trace(1, tensor([10, 20]), tensor([10, 22])),
]


@pytest.mark.parametrize(
    ("claims", "unexpected"),
    [
        ([], []),
        ([KEPT], [(1, 1)]),
        ([KEPT, SUM], [(1, 1)]),
        ([SUM], [(1, 1)]),  # the ranks that are written are known, and this is none of them
        ([SOME], []),  # 'on at least one' names no rank
        ([KEPT, SOME, SUM], [(1, 1)]),
        ([KEPT, ALL], []),  # a document that says otherwise is excused by a claim that holds
        ([ROOT_KEEPS], [(0, 0), (0, 1)]),
    ],
)
def test_writes_where_none_belong_strike(claims: list[Claim], unexpected: list[tuple[int, int]]) -> None:
    parts = drawn(PARTIAL, claims)
    cells = [(part.rank, i, cell) for part in parts for i, cell in enumerate(part.buffers[0].after or [])]
    assert [(rank, i) for rank, i, cell in cells if cell.unexpected] == unexpected


def only(part: RankPart) -> Buffer:
    (buffer,) = part.buffers
    return buffer


@pytest.mark.parametrize(
    ("after", "returned", "written", "fresh", "shares"),
    [
        (tensor([1, 2]), None, [False], [False], [[]]),
        (tensor([5, 2]), None, [True], [False], [[]]),
        (tensor([1, 2], storage=7), None, [False], [True], [[]]),  # the argument is another buffer now
        (tensor([1, 2]), tensor([1, 2], storage=1), [False, False], [False, True], [[], []]),
        (tensor([1, 2]), tensor([1, 2], storage=0), [False, False], [False, False], [[], ["tensor"]]),
    ],
)
def test_flags_of_buffers(
    after: TensorDump, returned: Value | None, written: list[bool], fresh: list[bool], shares: list[list[str]]
) -> None:
    part = drawn([trace(0, tensor([1, 2]), after, returned)])[0]
    assert [one.written for one in part.buffers] == written
    assert [one.fresh for one in part.buffers] == fresh
    assert [one.shares for one in part.buffers] == shares


def test_origins_and_changes_of_cells() -> None:
    buffer = only(drawn(PARTIAL)[1])
    assert buffer.after is not None
    assert [cell.origin for cell in buffer.after] == [
        Origin(ranks=[1], buffer="tensor", element=0),
        Origin(ranks=[0, 1], buffer="tensor", element=1),
    ]
    assert [cell.changed for cell in buffer.after] == [False, True]


def test_after_an_error_nothing_is_told_of_buffers() -> None:
    error = CallError(stage="call", type="RuntimeError", message="first\n - second\n")
    parts = drawn([RankTrace(rank=0, before={"tensor": tensor([1, 2])}, error=error)], end="timeout")
    assert only(parts[0]).after is None
    assert parts[0].error == "RuntimeError: first second"
    assert (parts[1].silent, parts[1].buffers) == (True, [])


def test_numbers_that_steer_a_call_are_no_buffers_and_texts_that_travel_are() -> None:
    def texts(rank: int) -> RankTrace:
        lists = [
            SequenceDump(type="list", items=[ScalarDump(value=v) for v in values], object=1)
            for values in ([None, None], ["rank 0", "rank 1"])
        ]
        steering: dict[str, Value] = {"dst": ScalarDump(value=0), "group": ScalarDump(value="world")}
        steering["ranks"] = SequenceDump(type="list", items=[ScalarDump(value=0)], object=2)
        own: dict[str, Value] = {"obj": ScalarDump(value=f"rank {rank}")}
        return RankTrace(rank=rank, before=own | steering | {"out": lists[0]}, after=own | steering | {"out": lists[1]})

    part = drawn([texts(0), texts(1)])[0]
    assert [one.name for one in part.buffers] == ["obj", "out"]
    assert [cell.origin for cell in part.buffers[1].after or []] == [
        Origin(ranks=[rank], buffer="obj", element=0) for rank in (0, 1)
    ]


def test_tensors_inside_objects_and_lists_are_found() -> None:
    held = ObjectDump(type="P2POp", tensors={"tensor": tensor([1, 2], 3)}, object=9)
    value = SequenceDump(type="list", items=[tensor([4.0], 4), held], object=8)
    part = drawn([trace(0, value, value, ScalarDump(value=None))])[0]
    assert [one.name for one in part.buffers] == ["tensor[0]", "tensor[1].tensor"]
    assert part.returned == "None"


def probe_api(**probes: Probe) -> Api:
    probes = {key.replace("_", "-"): probe for key, probe in probes.items()}
    return Api(name="torch.distributed.x", collective=Collective(probes=probes))


PLAIN, ASYNC = Probe(set={"tensor": TENSOR}), Probe(like="plain", set={"async_op": True})


@pytest.mark.parametrize(
    ("probes", "expected"),
    [
        ({"plain": PLAIN}, ("plain", None)),
        ({"plain": PLAIN, "later": ASYNC}, ("plain", "later")),
        ({"plain": PLAIN, "other": Probe(set={"tensor": TENSOR, "dst": 1, "async_op": True})}, ("plain", None)),
        ({"first": Probe(set={"async_op": True}), "plain": PLAIN}, ("plain", None)),
        ({"first": Probe(set={"async_op": True})}, (None, "first")),
    ],
)
def test_which_probes_are_drawn(probes: dict[str, Probe], expected: tuple[str | None, str | None]) -> None:
    api = probe_api(**probes)
    names = list(collective_of(api).probes)
    plain = plain_probe(api, names)
    assert (plain, async_probe(api, names, plain)) == expected


@pytest.fixture(scope="module")
def recorded(database: Data) -> dict[str, Picture]:
    return pictures(database)


@pytest.fixture(scope="module")
def side(recorded: dict[str, Picture]) -> Callable[..., Side]:
    """``side(mapping)`` is how its source is pictured, ``side(mapping, api)`` how a target is."""

    def find(mapping: str, api: str | None = None) -> Side:
        picture = recorded[f"torch.distributed.{mapping}"]
        return picture.source if api is None else next(one for one in picture.targets if one.api == api)

    return find


@pytest.mark.parametrize(("mode", "size"), [(False, 2), (False, 3), (False, 4), (True, 3)])
def test_partial_sums_that_reduce_leaves_on_gloo_strike(side: Callable[..., Side], mode: bool, size: int) -> None:
    scene = next(one for one in side("reduce").scenes if one.world_size == size and one.asks_async is mode)
    unexpected = [part.rank for part in scene.ranks if any(buffer.unexpected for buffer in part.buffers)]
    assert unexpected == list(range(1, size))
    if size == 3:
        cells = only(scene.ranks[1]).after or []
        assert [(cell.value, cell.origin and cell.origin.ranks) for cell in cells] == [
            (110.0, [1, 2]),
            (220.0, [1, 2]),
            (333.0, [0, 1, 2]),
        ]


def test_nothing_else_that_is_recorded_on_cpu_strikes(recorded: dict[str, Picture]) -> None:
    found = {
        one.api
        for picture in recorded.values()
        for one in [picture.source, *picture.targets]
        for scene in one.scenes
        if scene.device == "cpu" and any(buffer.unexpected for part in scene.ranks for buffer in part.buffers)
    }
    assert found == {"torch.distributed.reduce"}


def test_every_pictured_source_with_a_run_has_a_picture(database: Data, recorded: dict[str, Picture]) -> None:
    run = {
        probe.api for _, record in database.runs for probe in record.probes if not probe.probe.startswith("example:")
    }
    wanted = {
        key
        for key, one in database.mappings.items()
        if one.category in {"collective", "p2p", "object"} and one.source.name in run
    }
    assert set(recorded) == wanted


def test_versions_with_the_same_traces_share_a_scene(side: Callable[..., Side]) -> None:
    scenes = [one for one in side("all_reduce", "mindspore.mint.distributed.all_reduce").scenes if one.world_size == 3]
    assert [one.versions for one in scenes] == [["2.10.0", "2.9.0", "2.8.0", "2.7.1"]] * 2
    assert all(len(one.runs) == 4 for one in scenes)


def test_missing_kernels_are_told_as_unsupported(side: Callable[..., Side]) -> None:
    scenes = side("reduce", "mindspore.mint.distributed.reduce").scenes
    assert scenes
    assert all(one.unsupported and all(part.error for part in one.ranks) for one in scenes)


def test_current_spans_are_known_versions(side: Callable[..., Side]) -> None:
    assert side("all_reduce", "mindspore.mint.distributed.all_reduce").current == ["2.5.0..2.10.0"]
    assert side("all_reduce", "mindspore.ops.communication.all_reduce").current == []


def test_a_run_of_another_call_is_not_drawn(database: Data) -> None:
    mapping = database.mappings["torch.distributed.reduce"]
    other = Collective(root="dst", probes={"sync": Probe(set={"tensor": Input(shape=[4]), "dst": 0})})
    source = msgspec.structs.replace(mapping.source, collective=other)
    painter = Painter(database, make_context(load_backends(), []))
    assert painter.picture(msgspec.structs.replace(mapping, source=source)) is None


def test_pictures_are_json(recorded: dict[str, Picture]) -> None:
    for picture in recorded.values():
        assert msgspec.json.decode(msgspec.json.encode(picture), type=Picture) == picture
