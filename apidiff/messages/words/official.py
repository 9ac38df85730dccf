"""The report on upstream's tables."""

from __future__ import annotations

from apidiff.messages.words import both as _t
from apidiff.model.base import Text

WORDS: dict[str, Text] = {
    "listed.consistent": _t("Consistent", "一致"),
    "listed.diff": _t("difference page", "差异对比"),
    "listed.text": _t("remark", "说明"),
    "standing.contradicted": _t("contradicted by runs", "与实测不符"),
    "standing.differs": _t("differs in the package, not run", "软件包中的签名不符，未运行"),
    "standing.no_record": _t("no record yet", "尚无记录"),
    "standing.undecided": _t("not decided by a run", "尚未由运行判定"),
    "standing.confirmed": _t("borne out by runs", "与实测相符"),
    "official.title": _t("What the official table says, and what runs show", "官方映射表的说法与实测结果"),
    "official.table": _t("Table of {name}", "{name} 映射表"),
    "official.name": _t("Table", "映射表"),
    "official.source": _t("The table", "原表"),
    "official.how": _t(
        "Upstream's table of PyTorch and MindSpore APIs calls a pair Consistent when both do the same and their parameters "
        "agree in number, order, names, types and defaults; it lists exceptions. Every row is a claim here. It is judged by "
        "the signature that a run of MindSpore recorded, against that of the PyTorch release the row names, with the "
        "exceptions applied. Types come from annotations and, where there are none, from the documentation of the parameter. "
        "What is not known decides nothing.",
        "官方的 PyTorch 与 MindSpore API 映射表把两个 API 标为“一致”，意味着功能一致，且参数的数量、顺序、名称、数据类型和"
        "默认值都一致；表中另列有若干例外。这里把每一行当作一条论断：以运行 MindSpore 时记录下来的签名，对照该行所指 PyTorch "
        "版本的签名，并按表中的例外放宽。参数类型取自类型注解，没有注解时取自参数文档。无法确定的部分不参与判定。",
    ),
    "official.function": _t(
        "That both do the same is judged by behaviour: listed are the recorded differences that change what ported code does, "
        "where runs show that PyTorch does what is claimed of it and MindSpore does otherwise. What the backend that ran cannot "
        "do at all is listed apart: it may work on other devices.",
        "“功能一致”按行为判定：列出的是会改变移植后代码行为的差异，且运行结果表明 PyTorch 与所述相符，而 MindSpore 与之不同。"
        "运行所用后端完全无法执行的情形单独列出，在其他设备上可能可用。",
    ),
    "official.unrun": _t(
        "Where no run recorded a MindSpore version, the lines are read from the source of its package and are marked not run.",
        "没有运行记录的 MindSpore 版本，其内容取自该版本软件包的源码，并标为“未运行”。",
    ),
    "official.notation": _t("Notation", "记号"),
    "official.notation.minus": _t("only PyTorch has the parameter", "只有 PyTorch 有该参数"),
    "official.notation.plus": _t("only MindSpore has the parameter", "只有 MindSpore 有该参数"),
    "official.notation.differs": _t(
        "type or default: the first in PyTorch, the second in MindSpore",
        "类型或默认值：前者为 PyTorch 的，后者为 MindSpore 的",
    ),
    "official.notation.open": _t("not known on one side, or not comparable", "一侧未知，或无法比较"),
    "official.notation.torch": _t(
        "the signature of release 1.13.0 stands in for that of 1.8.1, which is not on record",
        "1.8.1 的签名没有收录，以 1.13.0 的签名代替",
    ),
    "official.totals": _t("Rows by what they come to", "各行的判定结果"),
    "official.contradictions": _t("Contradictions", "与实测不符的行"),
    "official.contradictions.none": _t("No run contradicts a row of this table.", "没有与实测不符的行。"),
    "official.rows": _t("All rows", "全部行"),
    "official.row": _t("Row", "行"),
    "official.pair": _t("Pair", "API 对"),
    "official.no_source": _t("no PyTorch API", "无 PyTorch API"),
    "official.listed": _t("Listed as", "表中标注"),
    "official.standing": _t("Comes to", "判定结果"),
    "official.versions": _t("By MindSpore version", "各 MindSpore 版本"),
    "official.signature": _t("Signature", "签名"),
    "official.behaviour": _t("Behaviour", "行为"),
    "official.lacking": _t("Could not be run", "无法运行"),
    "official.open": _t("not decided", "未判定"),
    "official.repeat": _t("Repeat it", "复现"),
    "official.runs": _t("Run records cited", "引用的运行记录"),
}
