"""Where a target runs, in words: devices with what documents say and runs showed, then what documents limit it to."""

from __future__ import annotations

import pytest

from apidiff.messages.first_screen import where_text
from apidiff.model.views import Entry, RunsOnEntry

NPU = RunsOnEntry(device="npu", documented=True, outcome="not run")
CPU = RunsOnEntry(device="cpu", documented=True, outcome="holds", versions=["2.10.0", "2.9.0", "2.8.0"])
GPU = RunsOnEntry(device="cuda", documented=False, outcome="not run")

WHERE = [
    ([GPU], [], None, None),
    (
        [NPU, GPU],
        [],
        "Ascend (documented, not run); GPU (not documented, not run)",
        "Ascend（文档标明支持，未实测）；GPU（文档未标明，未实测）",
    ),
    (
        [NPU, GPU, CPU],
        ["pynative"],
        "Ascend (documented, not run); GPU (not documented, not run); "
        "CPU (documented, run on 2.10.0, 2.9.0, 2.8.0); PyNative mode only",
        "Ascend（文档标明支持，未实测）；GPU（文档未标明，未实测）；"
        "CPU（文档标明支持，2.10.0、2.9.0、2.8.0 实测可用）；仅支持 PyNative 模式",
    ),
]


@pytest.mark.parametrize(("places", "limits", "en", "zh"), WHERE)
def test_where_a_target_runs(places: list[RunsOnEntry], limits: list[str], en: str | None, zh: str | None) -> None:
    text = where_text(places, limits)
    assert (text and text.en, text and text.zh) == (en, zh)


def test_collectives_of_mint_say_that_they_need_pynative_mode(all_entries: dict[str, Entry]) -> None:
    targets = [target for entry in all_entries.values() for target in entry.targets]
    limits = {target.name: target.limits for target in targets}
    assert limits["mindspore.mint.distributed.all_reduce"] == ["pynative"]
    assert limits["mindspore.mint.distributed.init_process_group"] == ["pynative", "before-tensors"]
    assert limits["mindspore.communication.init"] == ["before-tensors"]
    assert limits["mindspore.ops.AllReduce"] == []
