"""The process that brings MindSpore's ranks together. ``python -m apidiff.execute.scheduler DEVICE READ_FD WRITE_FD``.

Nothing is asked through its pipes; they tell each side of the other's end.
"""

from __future__ import annotations

import sys

from apidiff.execute.parent_death import end_with_parent


def main() -> None:
    """Serves until it is killed or its ranks have left."""
    end_with_parent(int(sys.argv[2]), int(sys.argv[3]))
    import mindspore
    from mindspore.communication import init

    mindspore.set_device({"cpu": "CPU", "cuda": "GPU", "npu": "Ascend"}[sys.argv[1]])
    init()


if __name__ == "__main__":
    main()
