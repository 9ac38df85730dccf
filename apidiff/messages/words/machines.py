"""What is published for programs, and what pages say of themselves to other sites."""

from __future__ import annotations

from apidiff.messages.words import both as _t
from apidiff.model.base import Text

WORDS: dict[str, Text] = {
    # Markdown files and llms.txt.
    "machines.documents": _t("Documents", "文档"),
    "machines.page": _t("The page of this API", "本 API 的页面"),
    "machines.entry": _t("Everything about it as JSON", "全部数据（JSON）"),
    "machines.how_to_read": _t(
        "For every public API of torch.distributed: the MindSpore API that replaces it, by version, how the two differ, "
        "and what runs of both frameworks showed. A claim holds or is refuted only where a run record says so. Each "
        "difference has a risk for ported code:",
        "针对 torch.distributed 的每个公开 API：在各 MindSpore 版本中由哪个 API 替代、两者有何差异、实际运行两个框架得到了什么"
        "结果。论断“成立”或“不成立”均有运行记录为证。每条差异都标明对移植代码的风险：",
    ),
    "machines.programs": _t("Data", "数据"),
    "machines.about_index": _t("every mapping with its file, summary and risk", "全部映射的目录：文件、摘要与风险"),
    "machines.about_whole": _t("everything in one file", "全部数据，一个文件"),
    "machines.about_schema": _t("the JSON Schema of a mapping's file", "单个映射文件的 JSON Schema"),
    "machines.about_sqlite": _t("the same as an SQLite database", "同样的数据，SQLite 数据库"),
    "machines.about_full": _t("the Markdown of all mappings in one file", "全部映射的 Markdown，合为一个文件"),
    "machines.guide": _t("Guide", "使用指南"),
    # The feed.
    "machines.feed": _t("apidiff: changed verdicts and new runs", "apidiff：结论变化与新增运行记录"),
    "machines.feed_about": _t(
        "verdicts that changed between versions of a framework, and run records, as an Atom feed",
        "框架版本之间发生变化的结论，以及运行记录（Atom 订阅）",
    ),
    "machines.changed": _t(
        "{claim}: {steps} ({framework} {before} → {after})", "{claim}：{steps}（{framework} {before} → {after}）"
    ),
    "machines.step": _t(
        "{backend} ({device}), world size {sizes}: {before} → {after}",
        "{backend}（{device}），world size 为 {sizes}：{before} → {after}",
    ),
    "machines.recorded": _t("Run recorded: {run}", "新增运行记录：{run}"),
    "machines.probes": _t("Probes: {count}", "探针：{count} 个"),
    "machines.claims": _t("Claims: {counts}", "论断：{counts}"),
    # What a page says of itself.
    "machines.about_mapping": _t(
        "{summary} Worst risk when ported to MindSpore: {risk}. {meaning}",
        "{summary}移植到 MindSpore 的最高风险：{risk}。{meaning}",
    ),
    "machines.card": _t(
        "apidiff: PyTorch APIs and their MindSpore counterparts", "apidiff：PyTorch API 与 MindSpore API 的差异"
    ),
}
