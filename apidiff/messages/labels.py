"""The fixed words of pages and answers, in both languages: one table, keys by name.

Sentences about APIs are not here: they come from data through the phrase templates. Enumerations are keyed
``<enumeration>.<value>``, e.g. ``risk.silent``.
"""

from __future__ import annotations

from typing import Literal

from apidiff.messages.words import both as _t
from apidiff.messages.words import machines, official, picture, port, run, search, trust, versions
from apidiff.model.base import Text

Language = Literal["en", "zh"]


def label(key: str, language: Language) -> str:
    """The words under ``key`` in ``language``. Raises KeyError for a key that is not in the table."""
    text = LABELS[key]
    return text.en if language == "en" else text.zh


def between_sentences(language: Language) -> str:
    """What stands between two sentences on a line: Chinese full stops bring their own room."""
    return " " if language == "en" else ""


_WORDS: dict[str, Text] = {
    # Risks, with what they mean for ported code.
    "risk.silent": _t("silent", "静默"),
    "risk.error": _t("error", "报错"),
    "risk.rewrite": _t("rewrite", "需改写"),
    "risk.none": _t("none", "无风险"),
    "risk_meaning.silent": _t(
        "Ported code runs, with another result or in another buffer.", "移植后代码照常运行，但结果或写入的缓冲区不同。"
    ),
    "risk_meaning.error": _t("Ported code raises or hangs.", "移植后代码抛出异常或挂起。"),
    "risk_meaning.rewrite": _t("Needs an edit that nobody can miss.", "必须改写代码，且不会漏改。"),
    "risk_meaning.none": _t("Nothing changes for ported code.", "对移植后的代码没有影响。"),
    # Standing of a target in a version range.
    "status.current": _t("current", "推荐"),
    "status.available": _t("available", "可用"),
    "status.deprecated": _t("deprecated", "已弃用"),
    "status.removed": _t("removed", "已移除"),
    # Outcomes.
    "outcome.holds": _t("holds", "成立"),
    "outcome.refuted": _t("refuted", "不成立"),
    "outcome.unsupported": _t("unsupported", "不支持"),
    "outcome.error": _t("error", "报错"),
    "outcome.timeout": _t("timeout", "超时"),
    "outcome.crash": _t("crash", "崩溃"),
    "outcome.flaky": _t("flaky", "结果不稳定"),
    "outcome.not run": _t("not run", "未运行"),
    "outcome.undecided": _t("not decided", "未能判定"),
    # How a probe ended.
    "end.completed": _t("completed", "完成"),
    "end.timeout": _t("timeout", "超时"),
    "end.crash": _t("crash", "崩溃"),
    # Parameter relations.
    "relation.same": _t("same", "一致"),
    "relation.renamed": _t("renamed", "名称不同"),
    "relation.only_in_source": _t("only in source", "仅源有"),
    "relation.only_in_target": _t("only in target", "仅目标有"),
    "relation.type_differs": _t("type differs", "类型不同"),
    "relation.default_differs": _t("default differs", "默认值不同"),
    "relation.meaning_differs": _t("meaning differs", "含义不同"),
    # Kinds of differences.
    "difference.in_place": _t("in-place behaviour", "就地修改"),
    "difference.return_value": _t("return value", "返回值"),
    "difference.result_layout": _t("result layout", "结果布局"),
    "difference.parameter": _t("parameter", "参数"),
    "difference.member": _t("member", "成员"),
    "difference.error_behaviour": _t("error behaviour", "报错行为"),
    "difference.call_style": _t("call style", "调用方式"),
    "difference.backend_support": _t("backend support", "后端支持"),
    "difference.documentation": _t("documentation", "文档"),
    # Kinds of claims.
    "claim.writes": _t("writes", "写入"),
    "claim.keeps": _t("keeps", "保持不变"),
    "claim.returns": _t("returns", "返回"),
    "claim.result": _t("result", "结果"),
    "claim.raises": _t("raises", "抛出异常"),
    "claim.completes": _t("completes", "正常完成"),
    "claim.aliases": _t("aliases", "内存共享"),
    "claim.parameter": _t("has the parameter", "有参数"),
    "claim.lacks": _t("lacks the parameter", "没有参数"),
    "claim.equals": _t("equals", "等于"),
    "claim.member": _t("has the member", "有成员"),
    "claim.lacks_member": _t("lacks the member", "没有成员"),
    "claim.corresponds": _t("corresponds", "对应关系"),
    "claim.prints": _t("prints", "打印"),
    # What answers a source API at a version.
    "answer.maps_to": _t("maps to", "直接映射"),
    "answer.composed": _t("composed", "组合实现"),
    "answer.not_needed": _t("not needed", "无需使用"),
    "answer.no_counterpart": _t("no counterpart", "无对应 API"),
    "answer_meaning.composed": _t(
        "No single MindSpore API replaces it; a few lines of MindSpore code do the same.",
        "没有哪个 MindSpore API 能单独替代它，用几行 MindSpore 代码可以实现同样的功能。",
    ),
    "answer_meaning.not_needed": _t("MindSpore does without it.", "在 MindSpore 中不需要它。"),
    "answer_meaning.no_counterpart": _t("Nothing in MindSpore does the same.", "MindSpore 中没有功能相同的 API。"),
    "answer.at": _t("On MindSpore {version}: {answer}", "在 MindSpore {version} 上：{answer}"),
    "instead": _t("Instead", "替代做法"),
    "uses": _t("Uses", "用到的 API"),
    "recipe": _t("Recipe", "组合写法"),
    "members": _t("Members", "成员"),
    "otherwise.title": _t("{range}: {answer}", "{range}：{answer}"),
    "code.recipe": _t("After: the recipe", "改写后：组合写法"),
    "column.answer_or_target": _t("Target or other answer", "目标或其他答案"),
    "column.answer": _t("Answer", "答案"),
    "column.why": _t("Why", "原因"),
    # MindSpore APIs and the sources they serve.
    "serves": _t("PyTorch APIs that {name} serves", "{name} 对应的 PyTorch API"),
    "serves.none": _t("No PyTorch API corresponds to it.", "没有与之对应的 PyTorch API。"),
    "nearest": _t("Nearest", "最接近的 API"),
    "serves.nearest": _t(" (this API is named as the nearest)", "（此处的 API 列为最接近者）"),
    "serves.unnamed": _t("No record names it.", "没有任何记录提到它。"),
    "serves.not_there": _t("not on MindSpore {version}", "不适用于 MindSpore {version}"),
    "role.target": _t("target", "目标"),
    "role.used": _t("in its answer", "答案中用到"),
    "column.mindspore_api": _t("MindSpore API", "MindSpore API"),
    "column.serves": _t("PyTorch APIs, by MindSpore version", "对应的 PyTorch API（按 MindSpore 版本）"),
    # Categories of source APIs, in the order of the index.
    "category.collective": _t("Collective communication", "集合通信"),
    "category.p2p": _t("Point-to-point communication", "点对点通信"),
    "category.object": _t("Communication of Python objects", "Python 对象通信"),
    "category.setup": _t("Set-up and tear-down", "初始化与销毁"),
    "category.group": _t("Process groups", "通信组"),
    "category.query": _t("Queries", "信息查询"),
    "category.option": _t("Operations and options", "归约类型与选项"),
    "category.store": _t("Stores and rendezvous", "键值存储与进程汇合"),
    "category.mesh": _t("Device meshes", "设备网格"),
    "category.ddp": _t("Data-parallel training", "数据并行训练"),
    "category.launcher": _t("Launchers and environment variables", "启动工具与环境变量"),
    "category.error": _t("Errors and time-outs", "异常与超时"),
    "category.debug": _t("Debugging and logging", "调试与日志"),
    # Sides and frameworks.
    "side.source": _t("Source", "源"),
    "side.target": _t("Target", "目标"),
    "framework.torch": _t("PyTorch", "PyTorch"),
    "framework.mindspore": _t("MindSpore", "MindSpore"),
    # Mapping pages.
    "also_written": _t("Also written", "又写作"),
    "box.current": _t("On MindSpore {version}, use", "在 MindSpore {version} 上使用"),
    "box.answer": _t("On MindSpore {version}", "在 MindSpore {version} 上"),
    "box.no_current": _t(
        "No target is the one to use on MindSpore {version}.", "MindSpore {version} 上没有推荐使用的目标。"
    ),
    "worst_risk": _t("Worst risk", "最高风险"),
    "differences": _t("Differences", "差异"),
    "differences.from": _t("Differences from {name}, worst first.", "与 {name} 的差异，风险最高的在前。"),
    "differences.of_source": _t(
        "What to mind of the PyTorch API itself, worst first.", "PyTorch API 本身需要留意之处，风险最高的在前。"
    ),
    "differences.none": _t("No difference is recorded.", "没有记录到差异。"),
    "evidence": _t("Evidence", "证据"),
    "evidence.of": _t("{size} ranks, probe {probe}:", "{size} 个 rank，探针 {probe}："),
    "rests_on": _t("Rests on", "依据"),
    "versions": _t("Answers by MindSpore version", "各 MindSpore 版本的答案"),
    "column.target": _t("Target", "目标"),
    "column.source": _t("Source", "源"),
    "range.all": _t("all versions", "所有版本"),
    "column.range": _t("MindSpore versions", "版本区间"),
    "column.status": _t("Status", "状态"),
    "column.risk": _t("Risk", "风险"),
    "timeline": _t("Timeline", "变更历史"),
    "timeline.about": _t(
        "Read from the signatures of the versions in this table and those between them that are known; documents tell of "
        "versions without signatures.",
        "由已知各版本的签名比较得出；没有签名的版本以文档为据。",
    ),
    "timeline.none": _t("No version is known to have it.", "尚无版本信息。"),
    "timeline.signatures": _t("signatures", "签名"),
    "timeline.stubs": _t("type stubs, which may be wrong", "类型存根（可能有误）"),
    "timeline.documented": _t("documented: ", "文档："),
    "column.version": _t("Version", "版本"),
    "column.change": _t("Change", "变更"),
    "drift.mappings": _t("Mappings: ", "映射："),
    "drift.claims": _t("Stated claims: ", "文档所述论断："),
    "drift.documents": _t("Stated by: ", "出处："),
    "drift.none": _t("No public API changed.", "公开 API 没有变更。"),
    "drift.count": _t(
        "{changes} changes; they touch {mappings} of {all} mappings and {claims} stated claims.",
        "共 {changes} 处变更，涉及 {all} 个映射中的 {mappings} 个，以及文档所述的 {claims} 条论断。",
    ),
    "drift.verdicts": _t("Verdicts that runs of both versions give otherwise", "两个版本的运行得出不同结论的论断"),
    "drift.verdicts_none": _t("Runs of both versions give the same verdicts.", "两个版本的运行结论相同。"),
    "drift.verdicts_unknown": _t(
        "No backend has run records of both versions, so nothing is said of behaviour.",
        "没有哪个后端同时有这两个版本的运行记录，无法比较行为。",
    ),
    "drift.where": _t("{backend} ({device}), {sizes} ranks", "{backend}（{device}），{sizes} 个 rank"),
    "signatures": _t("Signatures", "签名"),
    "signature.missing": _t("No signature is recorded.", "没有记录签名。"),
    "parameters": _t("Parameters", "参数"),
    "parameters.none": _t("No parameter rows are recorded.", "没有记录参数对照。"),
    "column.source_default": _t("Source default", "源默认值"),
    "column.target_default": _t("Target default", "目标默认值"),
    "column.relation": _t("Relation", "关系"),
    "column.remark": _t("Remark", "说明"),
    "absent": _t("absent", "无此参数"),
    "absent_member": _t("absent", "无此成员"),
    "required": _t("required", "必填"),
    "code": _t("Before and after", "改写前后"),
    "code.before": _t("Before: {name}", "改写前：{name}"),
    "code.after": _t("After: {name}", "改写后：{name}"),
    "returns": _t("Return value and in-place behaviour", "返回值与就地修改"),
    "column.claim": _t("Claim", "论断"),
    "column.kind": _t("Kind", "类别"),
    "column.claims": _t("Claims", "论断"),
    "column.outcomes": _t("Outcomes", "结论"),
    "examples": _t("Examples", "示例"),
    "examples.none": _t("No example is recorded.", "没有示例。"),
    "example.run": _t("Run it with", "运行命令"),
    "example.output": _t("Expected output", "预期输出"),
    "example.checked": _t("Checked by", "由以下论断验证"),
    "claims": _t("Claims", "论断"),
    "claims.about": _t("About {name}", "关于 {name}"),
    "claim.link": _t("Link to this claim", "本论断的链接"),
    "claim.call": _t("Calls", "调用"),
    "claim.stated": _t("Stated by", "文档所述"),
    "claim.stated_nowhere": _t("No document states this; it was observed.", "没有文档陈述此论断，仅来自实测。"),
    "claim.observed": _t("Observed", "实测"),
    "claim.not_run": _t("Not run", "未运行"),
    "claim.reason": _t("Why it has no probe", "没有探针的原因"),
    "stated.part": _t(", part ", "，位置 "),
    "stated.version": _t(", for {framework} {version}", "，针对 {framework} {version}"),
    "column.outcome": _t("Outcome", "结论"),
    "column.framework": _t("Framework", "框架"),
    "column.backend": _t("Backend", "后端"),
    "column.device": _t("Device", "设备"),
    "column.ranks": _t("Ranks (opens the traces)", "rank 数（点击查看轨迹）"),
    "column.evidence": _t("Evidence", "证据"),
    "column.run": _t("Run record", "运行记录"),
    "refuted": _t("Refuted statements", "与实测不符的陈述"),
    "refuted.none": _t("No run refutes what the documents state here.", "此处没有与实测不符的文档陈述。"),
    "refuted.none_chosen": _t(
        "Runs of the chosen versions refute none of them; those of other versions refute {count}.",
        "所选版本的运行没有发现不符之处；其他版本的运行发现 {count} 处。",
    ),
    "parameters.defaults": _t(
        "Defaults are those of the newest version on record that has the parameter, up to {versions}.",
        "默认值取自已收录版本中含有该参数的最新版本（收录至 {versions}）。",
    ),
    "refuted.intro": _t(
        "Documents state these; at least one run shows otherwise.", "以下内容见于文档，但至少一次运行的结果与之不符。"
    ),
    # Indexes.
    "column.api": _t("API", "API"),
    "column.api_and_target": _t("API → target on MindSpore {version}", "API → MindSpore {version} 上的目标"),
    "index.empty": _t("No mapping is recorded.", "没有记录任何映射。"),
    "index.filter": _t("Filter the rows", "筛选表格行"),
    "index.risk_empty": _t("No mapping has a difference of this risk.", "没有哪个映射含有这类风险的差异。"),
    "column.difference": _t("Difference", "差异"),
    "refuted_index.empty": _t("No run refutes a stated claim.", "没有与实测不符的文档陈述。"),
    # The shell of the site.
    "site.title": _t("apidiff", "apidiff"),
    "site.description": _t(
        "How PyTorch APIs differ from their MindSpore counterparts, checked by running both.",
        "PyTorch API 与 MindSpore 对应 API 的差异，均经两个框架实际运行验证。",
    ),
    "site.language": _t("Language", "语言"),
    "site.main_pages": _t("Main pages", "主要页面"),
    "site.copy": _t("Copy", "复制"),
    "site.copy.done": _t("Copied", "已复制"),
    "site.copy.failed": _t("Copying failed", "复制失败"),
    "site.region.table": _t("Table: {name}", "表格：{name}"),
    "site.region.code": _t("Code: {name}", "代码：{name}"),
    "site.region.again": _t("{name} ({number})", "{name}（{number}）"),
    "site.more": _t("More", "更多"),
    "site.unfold": _t("Pages below", "下级页面"),
    "site.search": _t("Search", "搜索"),
    "site.search_hint": _t("Search APIs and behaviour", "搜索 API 与行为"),
    "site.search_noscript": _t(
        "Searching needs JavaScript. Without it, use the index of APIs.",
        "搜索需要 JavaScript。未启用时请使用 API 索引。",
    ),
    "site.search_index": _t("Index of APIs", "API 索引"),
    "site.colon": _t(": ", "："),
    "site.comma": _t(", ", "、"),
    "site.pause": _t(", ", "，"),
    "site.semicolon": _t("; ", "；"),
}

LABELS: dict[str, Text] = {
    **_WORDS,
    **machines.WORDS,
    **official.WORDS,
    **picture.WORDS,
    **port.WORDS,
    **run.WORDS,
    **search.WORDS,
    **trust.WORDS,
    **versions.WORDS,
}
