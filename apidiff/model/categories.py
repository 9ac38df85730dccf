"""What source APIs are about. An index lists them in this order."""

CATEGORIES = (
    "collective",
    "p2p",
    "object",
    "setup",
    "group",
    "query",
    "option",
    "store",
    "mesh",
    "ddp",
    "launcher",
    "error",
    "debug",
)
