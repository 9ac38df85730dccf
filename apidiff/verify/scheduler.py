"""The process that brings MindSpore's ranks together. ``python -m apidiff.verify.scheduler DEVICE``."""

from __future__ import annotations

import sys

from apidiff.verify.parent import end_with_parent


def main() -> None:
    """Serves until it is killed or its ranks have left."""
    end_with_parent()
    import mindspore
    from mindspore.communication import init

    mindspore.set_device({"cpu": "CPU", "cuda": "GPU", "npu": "Ascend"}[sys.argv[1]])
    init()


if __name__ == "__main__":
    main()
