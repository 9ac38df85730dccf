"""What people type, and what both searches, that of the site and that of the command, must find for it."""

from __future__ import annotations

# What is typed, and the last parts of the names that lead: the first of them first, the others among the first three.
LEADS = [
    ("归约", ["reduce", "all_reduce"]),
    ("规约", ["reduce", "all_reduce"]),
    ("全归约", ["all_reduce"]),
    ("全规约", ["all_reduce"]),
    ("all reduce", ["all_reduce"]),
    ("广播", ["broadcast"]),
    ("组播", ["broadcast"]),
    ("broadcast", ["broadcast"]),
    ("收集", ["gather", "all_gather"]),
    ("聚集", ["gather", "all_gather"]),
    ("聚合", ["gather", "all_gather"]),
    ("全收集", ["all_gather"]),
    ("分散", ["scatter", "reduce_scatter"]),
    ("散射", ["scatter", "reduce_scatter"]),
    ("归约散射", ["reduce_scatter"]),
    ("规约散射", ["reduce_scatter"]),
    ("屏障", ["barrier", "monitored_barrier"]),
    ("同步", ["barrier", "monitored_barrier"]),
    ("阻塞", ["barrier", "monitored_barrier"]),
    ("synchronize", ["barrier", "monitored_barrier"]),
    ("sync", ["barrier", "monitored_barrier"]),
    ("死锁", ["monitored_barrier", "barrier"]),
    ("deadlock", ["monitored_barrier", "barrier"]),
    ("hang", ["monitored_barrier", "barrier"]),
    ("发送", ["send", "isend"]),
    ("接收", ["recv", "irecv"]),
    ("点对点", ["send", "recv", "isend"]),
    ("point to point", ["send", "recv", "isend"]),
    ("point-to-point", ["send", "recv", "isend"]),
    ("进程组", ["new_group", "init_process_group", "ProcessGroup"]),
    ("通信组", ["new_group", "init_process_group", "ProcessGroup"]),
    ("process group", ["new_group", "init_process_group", "ProcessGroup"]),
    ("超时", ["default_pg_timeout"]),
    ("异步", ["isend", "irecv", "Work"]),
    ("async", ["isend", "irecv", "Work"]),
    ("rank", ["get_rank"]),
    ("world_size", ["get_world_size"]),
    # In a phrase.
    ("归约操作", ["reduce", "all_reduce"]),
    ("广播 静默", ["broadcast"]),
    ("reduce overwrites", ["reduce"]),
    ("tensor overwritten on other ranks", ["reduce"]),
    ("partial result", ["reduce"]),
    ("how do I broadcast a tensor", ["broadcast"]),
    ("reduce xyzzy", ["reduce"]),
    # Letters of another width, and a slip of the pen.
    ("ＡＬＬ＿ＲＥＤＵＣＥ", ["all_reduce"]),
    ("ａｌｌ＿ｇａｔｈｅｒ", ["all_gather"]),
    ("alreduce", ["all_reduce"]),
    ("redcue", ["reduce"]),
    ("brodcast", ["broadcast"]),
]
# What is typed, and the last part of a name that is somewhere among all that is found.
FOUND = [
    ("静默", "reduce"),
    ("silent", "reduce"),
    ("崩溃", "all_reduce"),
    ("crash", "all_reduce"),
    ("超时", "init_process_group"),
    ("timeout", "init_process_group"),
    ("不支持", "send"),
    ("unsupported", "send"),
    ("已弃用", "send"),
    ("deprecated", "send"),
    ("报错", "all_gather"),
    ("async", "all_reduce"),
    ("异步", "all_reduce"),
    ("同步", "barrier"),
]
NONSENSE = ["no such thing xyzzy", "xyzzy", "purple elephants dancing", "看不懂的操作", "龘"]
# What is held as it is typed by nothing, and at least somewhat by something.
NEAR = ["alreduce", "reduce xyzzy", "冗余归约", "how do I broadcast a tensor"]


def wrong(typed: str, found: list[str], leads: list[str]) -> list[str]:
    """The first of what was found, where it is not led by the APIs of torch.distributed that are named.

    An API of another module that is called the same, or as it was typed, may stand before or between them.
    """
    wanted = [f"torch.distributed.{name}" for name in leads]
    same = {*leads, typed}
    mine = [name for name in found if name in wanted or name.rpartition(".")[2] not in same]
    fits = mine[:1] == wanted[:1] and set(wanted) <= set(mine[:3])
    return [] if fits else found[:4] or ["nothing"]
