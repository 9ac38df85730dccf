"""The fixed words of pages and answers, in both languages: one table, keys by name.

Sentences about APIs are not here: they come from data through the phrase templates. Enumerations are keyed
``<enumeration>.<value>``, e.g. ``risk.silent``.
"""

from __future__ import annotations

from typing import Literal

from apidiff.model.base import Text

Language = Literal["en", "zh"]


def label(key: str, language: Language) -> str:
    """The words under ``key`` in ``language``. Raises KeyError for a key that is not in the table."""
    text = LABELS[key]
    return text.en if language == "en" else text.zh


def _t(en: str, zh: str) -> Text:
    return Text(en=en, zh=zh)


LABELS: dict[str, Text] = {
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
    "claim.prints": _t("prints", "打印"),
    # Sides and frameworks.
    "side.source": _t("Source", "源"),
    "side.target": _t("Target", "目标"),
    "framework.torch": _t("PyTorch", "PyTorch"),
    "framework.mindspore": _t("MindSpore", "MindSpore"),
    # Mapping pages.
    "also_written": _t("Also written", "又写作"),
    "box.current": _t("On MindSpore {version}, use", "在 MindSpore {version} 上使用"),
    "box.no_current": _t(
        "No target is the one to use on MindSpore {version}.", "MindSpore {version} 上没有推荐使用的目标。"
    ),
    "worst_risk": _t("Worst risk", "最高风险"),
    "differences": _t("Differences", "差异"),
    "differences.from": _t("Differences from {name}, worst first.", "与 {name} 的差异，风险最高的在前。"),
    "differences.none": _t("No difference is recorded.", "没有记录到差异。"),
    "differences.above": _t("Listed at the top of this page:", "见本页开头："),
    "evidence": _t("Evidence", "证据"),
    "evidence.of": _t("{size} ranks, probe {probe}:", "{size} 个 rank，探针 {probe}："),
    "rests_on": _t("Rests on", "依据"),
    "versions": _t("Targets by MindSpore version", "各 MindSpore 版本对应的目标"),
    "column.target": _t("Target", "目标"),
    "column.source": _t("Source", "源"),
    "column.range": _t("MindSpore versions", "版本区间"),
    "column.status": _t("Status", "状态"),
    "column.risk": _t("Risk", "风险"),
    "signatures": _t("Signatures", "签名"),
    "signature.other": _t("In other versions", "其他版本"),
    "signature.missing": _t("No signature is recorded.", "没有记录签名。"),
    "parameters": _t("Parameters", "参数"),
    "parameters.none": _t("No parameter rows are recorded.", "没有记录参数对照。"),
    "column.source_default": _t("Source default", "源默认值"),
    "column.target_default": _t("Target default", "目标默认值"),
    "column.relation": _t("Relation", "关系"),
    "column.remark": _t("Remark", "说明"),
    "absent": _t("absent", "无此参数"),
    "required": _t("required", "必填"),
    "code": _t("Before and after", "改写前后"),
    "code.before": _t("Before: {name}", "改写前：{name}"),
    "code.after": _t("After: {name}", "改写后：{name}"),
    "returns": _t("Return value and in-place behaviour", "返回值与就地修改"),
    "returns.none": _t("No claim speaks of this.", "没有相关论断。"),
    "column.claim": _t("Claim", "论断"),
    "column.kind": _t("Kind", "类别"),
    "column.outcomes": _t("Outcomes", "结论"),
    "examples": _t("Examples", "示例"),
    "examples.none": _t("No example is recorded.", "没有示例。"),
    "example.run": _t("Run it with", "运行命令"),
    "example.script": _t("Script", "脚本"),
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
    "column.ranks": _t("Ranks (run record)", "rank 数（运行记录）"),
    "column.evidence": _t("Evidence", "证据"),
    "column.run": _t("Run record", "运行记录"),
    "refuted": _t("Refuted statements", "与实测不符的陈述"),
    "refuted.none": _t("No run refutes what the documents state here.", "此处没有与实测不符的文档陈述。"),
    "refuted.intro": _t(
        "Documents state these; at least one run shows otherwise.", "以下内容见于文档，但至少一次运行的结果与之不符。"
    ),
    "repeat": _t("Repeat it", "如何复现"),
    "repeat.verify": _t(
        "Runs every probe of this page and compares the verdicts with those recorded:",
        "运行本页的全部探针，并与已记录的结论比较：",
    ),
    "repeat.backend": _t("On one backend only:", "只在某个后端上运行："),
    "repeat.lookup": _t("Shows the same answer in the terminal:", "在终端中查看同样的内容："),
    # Indexes.
    "column.api": _t("API", "API"),
    "column.api_and_target": _t("API → target on MindSpore {version}", "API → MindSpore {version} 上的目标"),
    "column.worst": _t("Worst difference", "风险最高的差异"),
    "column.claims": _t("Claims", "论断"),
    "index.claims": _t("{claims} claims, {refuted} refuted statements", "{claims} 条论断，{refuted} 条陈述与实测不符"),
    "index.empty": _t("No mapping is recorded.", "没有记录任何映射。"),
    "index.filter": _t("Filter the rows", "筛选表格行"),
    "index.risk_empty": _t("No mapping has a difference of this risk.", "没有哪个映射含有这类风险的差异。"),
    "column.difference": _t("Difference", "差异"),
    "refuted_index.empty": _t("No run refutes a stated claim.", "没有与实测不符的文档陈述。"),
    # Run records.
    "runs.empty": _t("No run record exists.", "没有运行记录。"),
    "run.title": _t(
        "{framework} {version}, {backend} on {device}, {world_size} ranks",
        "{framework} {version}，{backend}（{device}），{world_size} 个 rank",
    ),
    "run.summary": _t(
        "All traces of one run, as recorded; nothing on this page was written by hand.",
        "一次运行的全部轨迹，原样记录；本页内容均非手写。",
    ),
    "run.raw": _t("Raw record (JSON)", "原始记录（JSON）"),
    "run.id": _t("Run record", "运行记录"),
    "run.environment": _t("Environment", "环境"),
    "run.framework": _t("Framework", "框架"),
    "run.backend": _t("Backend", "后端"),
    "run.device": _t("Device", "设备"),
    "run.world_size": _t("Ranks", "rank 数"),
    "run.date": _t("Date (UTC)", "日期（UTC）"),
    "run.os": _t("Operating system", "操作系统"),
    "run.python": _t("Python", "Python"),
    "run.machine": _t("Machine", "机器架构"),
    "run.cores": _t("Cores", "CPU 核数"),
    "run.suite": _t("Suite version", "探针套件版本"),
    "run.variables": _t("Variables set for the ranks", "为各 rank 设置的环境变量"),
    "run.packages": _t("Installed packages", "已安装的软件包"),
    "run.package": _t("Package", "软件包"),
    "run.package_version": _t("Version", "版本"),
    "run.package_count": _t("{count} packages", "{count} 个软件包"),
    "run.signatures": _t("Signatures in the running framework", "运行时的签名"),
    "run.signature": _t("Signature", "签名"),
    "run.missing": _t("not there", "不存在"),
    "run.probes": _t("Probes", "探针"),
    "run.probe": _t("Probe", "探针"),
    "run.end": _t("End", "结束状态"),
    "run.rank": _t("rank", "rank"),
    "run.unchanged": _t("unchanged", "未变"),
    "run.returned": _t("returned", "返回"),
    "run.error": _t("error", "错误"),
    "run.output": _t("printed", "打印"),
    "run.log": _t("Last lines of the ranks' log", "各 rank 日志的末尾"),
    "run.no_trace": _t("No rank answered.", "没有任何 rank 应答。"),
    "run.confirmed": _t("Confirmed in fresh ranks.", "已在新启动的 rank 中确认。"),
    "run.again": _t("Second try in fresh ranks, with another result", "在新启动的 rank 中重试，结果不同"),
    "run.count": _t("Probes", "探针数"),
    "run.spec": _t("Digest of the call", "调用的摘要值"),
    "run.stage": _t("raised in {stage}", "发生在 {stage} 阶段"),
    # The shell of the site.
    "site.title": _t("apidiff", "apidiff"),
    "site.description": _t(
        "How PyTorch APIs differ from their MindSpore counterparts, checked by running both.",
        "PyTorch API 与 MindSpore 对应 API 的差异，均经两个框架实际运行验证。",
    ),
    "site.language": _t("Language", "语言"),
    "site.search": _t("Search", "搜索"),
    "site.search_hint": _t("Search APIs and behaviour", "搜索 API 与行为"),
    "site.search_noscript": _t(
        "Searching needs JavaScript. Without it, use the index of APIs.",
        "搜索需要 JavaScript。未启用时请使用 API 索引。",
    ),
    "site.search_index": _t("Index of APIs", "API 索引"),
    "site.search_served": _t(
        "Searching works when the site is served, not when it is opened as a file: run make serve.",
        "须通过 HTTP 访问站点才能搜索，直接打开文件时不可用：请运行 make serve。",
    ),
    "site.colon": _t(": ", "："),
    "site.comma": _t(", ", "、"),
    "site.semicolon": _t("; ", "；"),
}
