"""Run records."""

from __future__ import annotations

from apidiff.messages.words import both as _t
from apidiff.model.base import Text

WORDS: dict[str, Text] = {
    "runs.empty": _t("No run record exists.", "没有运行记录。"),
    "run.title": _t(
        "{framework} {version}, {backend} on {device}, {world_size} ranks",
        "{framework} {version}，{backend}（{device}），{world_size} 个 rank",
    ),
    "run.raw": _t("Raw record (JSON)", "原始记录（JSON）"),
    "run.id": _t("Run record", "运行记录"),
    "run.environment": _t("Environment", "环境"),
    "run.framework": _t("Framework", "框架"),
    "run.backend": _t("Backend", "后端"),
    "run.device": _t("Device", "设备"),
    "run.build": _t("Build (no release)", "构建版本（非正式发布）"),
    "run.found": _t("Found by the device check", "设备检查所见"),
    "run.world_size": _t("Ranks", "rank 数"),
    "run.date": _t("Date", "日期"),
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
    "run.stage": _t("raised in {stage}", "发生在 {stage} 阶段"),
}
