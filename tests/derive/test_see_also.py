"""What stands beside a mapping: the same target, or a similar name, the nearest first."""

from __future__ import annotations

from pathlib import Path

import msgspec
from entry_fixture import COMPOSED, SOURCE, content

from apidiff.derive.see_also import see_also


def test_the_nearest_stand_first_and_strangers_not_at_all(tmp_path: Path) -> None:
    entries = content(tmp_path).entries
    named = {
        name: msgspec.structs.replace(entries[COMPOSED], id=name, source=name)
        for name in (
            "torch.distributed.all_reduce",
            "torch.distributed.reduce_scatter_tensor",
            "torch.distributed.gather",
        )
    }
    alone = msgspec.structs.replace(entries[COMPOSED], id="torch.reduce", source="torch.reduce", execution="single")
    same_target = msgspec.structs.replace(entries[SOURCE], id="torch.other", source="torch.other")
    found = see_also({SOURCE: entries[SOURCE], "torch.other": same_target, "torch.reduce": alone, **named})
    assert found[SOURCE] == ["torch.other", "torch.distributed.all_reduce"]
    assert found["torch.distributed.gather"] == []


def test_no_mapping_stands_beside_itself_and_none_twice(tmp_path: Path) -> None:
    entries = content(tmp_path).entries
    for mapping, beside in see_also(entries).items():
        assert mapping not in beside
        assert len(set(beside)) == len(beside) <= 6
