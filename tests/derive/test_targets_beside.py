"""Which targets are shown for devices on which the one to use has no kernel."""

from __future__ import annotations

import msgspec
import pytest

from apidiff.derive.answers import targets_beside
from apidiff.model.base import Text
from apidiff.model.views import AgreementEntry, DifferenceEntry, RunsOnEntry, TargetEntry
from tests.factories import entry, range_entry, target_entry

VERSION = "2.10.0"
MAIN = "mindspore.mint.f"


def other(name: str, devices: list[str], **risks: str) -> TargetEntry:
    """A target whose calls were compared on ``devices``, with an everyday difference of a risk on each of some of them."""
    text = Text(en="It differs.", zh="不同。")
    return target_entry(
        f"mindspore.ops.{name}",
        range_entry("2.7", status="available"),
        after=f"mindspore.ops.{name}(input)",
        differences=[
            DifferenceEntry(id=f"error-{device}", kind="error", risk=risk, text=text, device=device.removesuffix("all"))
            for device, risk in risks.items()
        ],
        agreements=[
            AgreementEntry(
                facet="value",
                agreement="agrees",
                framework_version=VERSION,
                source_version="2.13.0",
                device=device,
                counts={"agrees": 1},
            )
            for device in devices
        ],
    )


@pytest.mark.parametrize(
    ("targets", "shown"),
    [
        ([other("g", ["cpu"])], {"g": (["cpu"], [])}),
        ([other("g", [])], {}),
        ([other("g", ["npu"])], {}),  # where the one to use runs
        ([other("g", ["cpu"], cpu="silent")], {"g": (["cpu"], ["silent"])}),
        ([other("g", ["cpu"], cpu="error")], {"g": (["cpu"], ["error"])}),  # the only one there is
        ([other("g", ["cpu"], cpu="error"), other("h", ["cpu"])], {"h": (["cpu"], [])}),
        # What raises on another device does not put a reader off on this one.
        ([other("g", ["cpu"], cuda="error"), other("h", ["cpu"])], {"g": (["cpu"], []), "h": (["cpu"], [])}),
        ([other("g", ["cpu", "cuda"], cuda="error"), other("h", ["cuda"])], {"g": (["cpu"], []), "h": (["cuda"], [])}),
        ([other("g", ["cpu"], all="error"), other("h", ["cpu"])], {"h": (["cpu"], [])}),  # raises wherever it runs
        ([other("g", ["cpu"], cpu="silent"), other("h", ["cpu"])], {"h": (["cpu"], [])}),
        ([other("g", ["cpu"], cpu="silent"), other("h", ["cpu"], cpu="error")], {"g": (["cpu"], ["silent"])}),
    ],
)
def test_targets_for_other_devices(targets: list[TargetEntry], shown: dict[str, tuple[list[str], list[str]]]) -> None:
    places = [
        RunsOnEntry(device="npu", documented=True, outcome="holds", outcomes={VERSION: "holds"}),
        RunsOnEntry(device="cpu", documented=True, outcome="unsupported", outcomes={VERSION: "unsupported"}),
    ]
    main = target_entry(MAIN, range_entry("2.7"), runs_on=places)
    found = targets_beside(entry("torch.f", targets=[main, *targets]), main, VERSION)
    assert {
        one.target.name.rpartition(".")[2]: (one.devices, [row.risk for row in one.watch]) for one in found
    } == shown


@pytest.mark.parametrize(
    ("kind", "reach", "alike", "shown"),
    [
        ("backend_support", "everyday", [], 1),  # some calls run there, and the everyday ones find no kernel
        ("backend_support", "edge", [], 0),
        ("backend_support", "everyday", [VERSION], 0),  # not in this version
        ("error", "everyday", [], 0),
    ],
)
def test_a_target_that_lacks_a_kernel_for_everyday_calls(kind: str, reach: str, alike: list[str], shown: int) -> None:
    text = Text(en="It differs.", zh="不同。")
    lacks = DifferenceEntry(id="d", kind=kind, risk="error", text=text, reach=reach, alike=alike, device="cpu")
    runs = RunsOnEntry(device="cpu", documented=True, outcome="holds", outcomes={VERSION: "holds"})
    main = target_entry(MAIN, range_entry("2.7"), runs_on=[runs], differences=[lacks])
    assert len(targets_beside(entry("torch.f", targets=[main, other("g", ["cpu"])]), main, VERSION)) == shown


@pytest.mark.parametrize(
    ("after", "code"),
    [
        ("layer = G()\nlayer(input)", "layer = G()"),  # what both end with
        ("layer = F()\nlayer.set_train()\nlayer(input)", "layer = F()\nlayer.set_train()\nlayer(input)"),  # steps
        ("values = sort(input)\nvalues[0]", "values = sort(input)\nvalues[0]"),
        ("layer(input)", "layer(input)"),
    ],
)
def test_the_code_of_a_target_beside(after: str, code: str) -> None:
    main = target_entry(MAIN, range_entry("2.7"), after="layer = F()\nlayer(input)")
    target = msgspec.structs.replace(other("g", ["cpu"]), after=after)
    assert [one.code for one in targets_beside(entry("torch.f", targets=[main, target]), main, VERSION)] == [code]
