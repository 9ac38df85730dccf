"""Makes claims of the scripts that a record has below executable_examples/: each prints what its docstring shows."""

from __future__ import annotations

from pathlib import Path

from apidiff.database.expansion.origins import ORIGIN, Origin, Plain
from apidiff.database.expansion.signatures import ranges_of
from apidiff.model.vocabulary import Status

_OF_SOURCE = {"torch_example.py": "example", "mindspore_recipe.py": "recipe"}
_OF_TARGET = "mindspore_example.py"


def claim_scripts(record: Plain, name: str, folder: Path) -> Plain:
    """``record`` with a claim for each script of ``folder``/``name``.

    PyTorch's example and the recipe are claims of the source; MindSpore's example is one of the target that is current in
    the newest release, unless a target claims it in the record.
    """
    done = {**record, "targets": dict(record["targets"])}
    for file, key in _OF_SOURCE.items():
        done["source"] = _claimed(done["source"], key, name, folder / name / file)
    written = any("example" in block.get("claims", {}) for block in record["targets"].values())
    for target, block in record["targets"].items():
        open_ended = [span for span in ranges_of(block) if "until" not in span]
        current = any(span["status"] == Status.CURRENT.value for span in open_ended)
        if current and not written and not block.get("defined_in"):
            done["targets"][target] = _claimed(block, "example", name, folder / name / _OF_TARGET)
    return done


def _claimed(block: Plain, key: str, name: str, script: Path) -> Plain:
    if not script.is_file():
        return block
    claim = {"prints": f"{name}/{script.name}", ORIGIN: Origin(script, None, "script")}
    return {**block, "claims": {**block.get("claims", {}), key: block.get("claims", {}).get(key, claim)}}
