"""Snippets of code with the APIs that they name: one table for the site's porting panel and for `apidiff scan`."""

D = "torch.distributed."
SAMPLER = "torch.utils.data.distributed.DistributedSampler"
DIST = "import torch.distributed as dist\n"

# Code, and every find in it as (line:column, the API's full name, member or argument marks left out).
CASES: list[tuple[str, str, list[tuple[str, str]]]] = [
    ("plain", "import torch\ntorch.distributed.all_reduce(x)", [("2:1", "all_reduce")]),
    ("module alias", DIST + "x = dist.get_rank()", [("2:5", "get_rank")]),
    ("second alias", "from torch import distributed as d\nd.reduce(x, 0)", [("2:1", "reduce")]),
    (
        "imported names",
        "from torch.distributed import (\n    all_reduce as ar,\n    ReduceOp,\n)\nar(t, ReduceOp.MAX)",
        [("2:5", "all_reduce"), ("3:5", "ReduceOp"), ("5:1", "all_reduce"), ("5:7", "ReduceOp")],
    ),
    (
        "star import, a name taken back",
        "from torch.distributed import *\nall_reduce(x)\nreduce = 3\nreduce(x)",
        [("2:1", "all_reduce")],
    ),
    (
        "bound by assignment, then to something else",
        DIST + "f = dist.all_reduce\nf(x)\nf = print\nf(x)",
        [("2:5", "all_reduce"), ("3:1", "all_reduce")],
    ),
    (
        "several targets",
        DIST + "a, b = dist.all_reduce, dist.barrier\na(x); b()",
        [("2:8", "all_reduce"), ("2:25", "barrier"), ("3:1", "all_reduce"), ("3:7", "barrier")],
    ),
    ("parameter", DIST + "def g(dist):\n    dist.all_reduce(x)", []),
    ("parameter with the module as default", DIST + "def g(d=dist):\n    d.barrier()", [("3:5", "barrier")]),
    ("local variable", DIST + "def h():\n    dist = 3\n    dist.all_reduce(x)", []),
    (
        "local before its assignment, and the module around",
        DIST + "def h():\n    dist.barrier()\n    dist = 3\ndist.barrier()",
        [("5:1", "barrier")],
    ),
    ("function of that name", DIST + "def dist(): ...\ndist.barrier()", []),
    (
        "class body, not its methods",
        DIST + "class A:\n    dist = None\n    dist.barrier()\n    def m(self):\n        dist.barrier()",
        [("6:9", "barrier")],
    ),
    (
        "nested functions",
        DIST + "def outer():\n    d = dist\n    def inner():\n        return d.get_world_size()\n    return inner",
        [("5:16", "get_world_size")],
    ),
    (
        "bound elsewhere with global",
        "dist = None\ndef train():\n    dist.barrier()\ndef setup():\n    global dist\n    import torch.distributed as dist",
        [("3:5", "barrier")],
    ),
    (
        "optional import",
        "try:\n    import torch.distributed as dist\nexcept ImportError:\n    dist = None\ndist.barrier()",
        [("5:1", "barrier")],
    ),
    (
        "comprehension, generator and lambda variables",
        DIST + "[dist.barrier() for t in ts]\n[dist for dist in xs if dist.barrier()]\n"
        "sum(dist.barrier() for dist in xs)\nlambda dist: dist.barrier()\nf = lambda: dist.barrier()",
        [("2:2", "barrier"), ("6:13", "barrier")],
    ),
    ("loop variable", DIST + "for dist in xs:\n    dist.barrier()", []),
    ("with, except, walrus", DIST + "with f() as dist:\n    dist.barrier()\nif (dist := f()):\n    dist.barrier()", []),
    (
        "pattern",
        DIST + "match op:\n    case dist.ReduceOp.SUM:\n        pass\n    case dist:\n        dist.barrier()",
        [("3:10", "ReduceOp")],
    ),
    ("deleted", DIST + "del dist\ndist.barrier()", []),
    (
        "another module's name, relative imports",
        "from . import dist\ndist.barrier()\nfrom .torch import distributed as td\ntd.barrier()",
        [],
    ),
    (
        "re-exports and aliases",
        "import torch\nimport torch.distributed.distributed_c10d as c10d\nc10d.all_reduce(x)\n"
        "torch.distributed.distributed_c10d.TCPStore('a', 1)\ntorch.distributed.rendezvous.rendezvous('x')\n"
        "from torch.utils.data import DistributedSampler",
        [("3:1", "all_reduce"), ("4:1", "TCPStore"), ("5:1", "rendezvous"), ("6:30", SAMPLER)],
    ),
    (
        "members, constructors, instances",
        DIST + "print(dist.group.WORLD.size())\nstore = dist.TCPStore('h', 1, 2, True)\nstore.set('a', 'b')",
        [("2:7", "group"), ("3:9", "TCPStore"), ("4:1", "TCPStore")],
    ),
    (
        "strings and comments",
        DIST + "s = '''dist.all_reduce(x)'''  # dist.all_reduce(x)\nf'{dist.get_rank()} dist.barrier()'",
        [("3:4", "get_rank")],
    ),
    (
        "getattr with a written name",
        DIST + "getattr(dist, 'broadcast')(x, 0)\ngetattr(dist, name)(x)",
        [("2:1", "broadcast")],
    ),
    (
        "decorator, annotation, base class, default",
        DIST + "def f(op=dist.ReduceOp.SUM) -> dist.ProcessGroup: ...\nclass B(dist.Store): pass",
        [("2:10", "ReduceOp"), ("2:32", "ProcessGroup"), ("3:9", "Store")],
    ),
    (
        "line continued",
        "import torch.distributed \\\n    as dist\nx = (dist\n     .all_reduce)(t)",
        [("3:6", "all_reduce")],
    ),
    ("cut off", DIST + "dist.all_reduce(x, op=dist.ReduceOp.", [("2:1", "all_reduce"), ("2:23", "ReduceOp")]),
    (
        "broken line in between",
        DIST + "def f(:\n  3 +* 4\ndist.barrier()\n)))\ndist.get_rank()",
        [("4:1", "barrier"), ("6:1", "get_rank")],
    ),
    ("notebook", "!pip install torch\n%time x\n" + DIST + "dist.barrier()", [("4:1", "barrier")]),
    ("CRLF and tabs", "import torch.distributed as dist\r\nif x:\r\n\tdist.barrier()\r\n", [("3:2", "barrier")]),
    ("indented", "    import torch.distributed as dist\n    if a:\n        dist.barrier()", [("3:9", "barrier")]),
    ("prompts", ">>> import torch.distributed as dist\n>>> dist.get_rank()\n0", [("2:5", "get_rank")]),
    ("wide characters", DIST + "x = '求和🙂'; dist.barrier()", [("2:12", "barrier")]),
    ("no import at all", "dist.all_reduce(x)", [("1:1", "all_reduce")]),
    (
        "unknown",
        "from torch.distributed.fsdp import FullyShardedDataParallel as FSDP\nm = FSDP(m)\nimport torch.nn as n\nn.Linear(1, 1)",
        [
            ("1:36", "?torch.distributed.fsdp.FullyShardedDataParallel"),
            ("2:5", "?torch.distributed.fsdp.FullyShardedDataParallel"),
            ("4:1", "torch.nn.Linear"),
        ],
    ),
    (
        "names for distributed work outside torch.distributed",
        "import torch.nn as nn\nfrom torch.nn.parallel import DistributedDataParallel as DDP\nm = DDP(nn.Linear(1, 1))\n"
        "nn.SyncBatchNorm(2)\nnn.parallel.DistributedDataParallel(m)\nnn.parallel.data_parallel(m)",
        [
            ("2:31", "torch.nn.parallel.DistributedDataParallel"),
            ("3:5", "torch.nn.parallel.DistributedDataParallel"),
            ("3:9", "torch.nn.Linear"),
            ("4:1", "torch.nn.SyncBatchNorm"),
            ("5:1", "torch.nn.parallel.DistributedDataParallel"),
            ("6:1", "?torch.nn.parallel.data_parallel"),
        ],
    ),
    (
        "one of many things",
        DIST + "".join(f"if a == {number}: f = dist.barrier\n" for number in range(3)) + "f = f or dist.reduce\nf()",
        [
            ("2:16", "barrier"),
            ("3:16", "barrier"),
            ("4:16", "barrier"),
            ("5:5", "barrier"),
            ("5:10", "reduce"),
            ("6:1", "barrier"),
        ],
    ),
    (
        "bound in branches, and taken back in one",
        DIST + "if a:\n    f = dist.barrier\nelif b:\n    f = None\nf()\nif a:\n    f = None\nelse:\n    f = 1\nf()",
        [("3:9", "barrier"), ("6:1", "barrier")],
    ),
    (
        "bound in a try and its handlers",
        DIST + "try:\n    f = dist.barrier\nexcept KeyError:\n    f = dist.reduce\nexcept OSError:\n    f()\nf()",
        [("3:9", "barrier"), ("5:9", "reduce"), ("7:5", "barrier"), ("8:1", "barrier")],
    ),
    ("nothing", "print('dist.all_reduce')", []),
]

CLASS = "→ mindspore.ops.ReduceOp recommended"
M = "mindspore."
UNKNOWN = "The database does not know the member"
# Code with one find, versions of torch and MindSpore, the target that both tell (None where there is none), and what else stands
# in the panel as its goal, and its risk; None where it is not looked at.
ANSWERS: list[tuple[str, str, str, str | None, str | None, str | None]] = [
    (DIST + "dist.all_reduce(x)", "2.15.0", "2.10.0", M + "mint.distributed.all_reduce", None, None),
    (DIST + "dist.all_reduce(x)", "2.15.0", "2.4.0", M + "communication.comm_func.all_reduce", None, "silent"),
    (DIST + "dist.all_reduce(x)", "2.15.0", "2.0.0", M + "ops.AllReduce", None, None),
    (DIST + "op = dist.ReduceOp.PRODUCT", "2.15.0", "2.10.0", M + "ops.ReduceOp.PROD", None, "rewrite"),
    (DIST + "dist.group.WORLD", "2.15.0", "2.10.0", M + "communication.GlobalComm.WORLD_COMM_GROUP", None, "rewrite"),
    (DIST + "dist.monitored_barrier()", "2.15.0", "2.10.0", None, "composed", None),
    (DIST + "dist.monitored_barrier()", "2.15.0", "1.0.0", None, None, None),
    (DIST + "dist.nope()", "2.15.0", "2.10.0", None, "The database has nothing about it.", ""),
    (
        DIST + "dist.ReduceOp.constructor",
        "2.15.0",
        "2.10.0",
        None,
        f"{CLASS} {UNKNOWN}",
        "",
    ),
    (
        DIST + "dist.ReduceOp.NOSUCH",
        "2.15.0",
        "2.0.0",
        None,
        f"{CLASS} {UNKNOWN} NOSUCH.",
        "",
    ),
    (
        DIST + "dist.ReduceOp.BAND",
        "2.15.0",
        "2.10.0",
        M + "ops.ReduceOp",
        f"{CLASS} It has no member in the place of BAND.",
        "rewrite",
    ),
    (
        DIST + "dist.ReduceOp.SUM",
        "2.15.0",
        "2.0.0",
        M + "ops.ReduceOp.SUM",
        "→ mindspore.ops.ReduceOp.SUM recommended",
        None,
    ),
    (
        DIST + "dist.ReduceOp.AVG",
        "2.15.0",
        "2.10.0",
        M + "ops.ReduceOp.AVG",
        "→ mindspore.ops.ReduceOp.AVG recommended",
        "error",
    ),
    (DIST + "dist.ReduceOp.AVG", "2.15.0", "2.9.0", M + "ops.ReduceOp", f"{CLASS} No such member in 2.9.0.", "error"),
    (DIST + "dist.ReduceOp.AVG", "2.15.0", "2.0.0", M + "ops.ReduceOp", f"{CLASS} No such member in 2.0.0.", "error"),
]
