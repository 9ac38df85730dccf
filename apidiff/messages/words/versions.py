"""Choosing versions, and what a page shows of each."""

from __future__ import annotations

from apidiff.messages.words import both as _t
from apidiff.model.base import Text

WORDS: dict[str, Text] = {
    # The chooser in the header.
    "chooser.label": _t("Versions that the pages are about", "页面所针对的版本"),
    "chooser.newest": _t("Newest", "最新版本"),
    "chooser.back": _t("Back to the newest pair of versions", "恢复为最新的一对版本"),
    "chooser.said": _t(
        "Now for PyTorch {torch} and MindSpore {mindspore}.", "现针对 PyTorch {torch} 与 MindSpore {mindspore}。"
    ),
    "chooser.unknown": _t(
        "{framework} {asked} is not known; shown: {framework} {shown}.",
        "没有收录 {framework} {asked}，现显示 {framework} {shown}。",
    ),
    # The answer of the chosen versions.
    "box.also_there": _t("Also there", "同时可用"),
    "source.absent": _t("{name} is not in PyTorch {version}.", "PyTorch {version} 中没有 {name}。"),
    "source.old": _t(
        "Whether PyTorch {version} has {name} is not known: the oldest signatures on record are those of {oldest}.",
        "不清楚 PyTorch {version} 中有没有 {name}：已收录的最早签名属于 {oldest}。",
    ),
    "nearest.signatures": _t(
        "Read from {nearest}, the nearest version whose signatures are on record.",
        "据 {nearest} 得出：它是签名已收录的版本中最接近的一个。",
    ),
    "runs.other_versions": _t(
        "{framework} {version} was not run. Verdicts are from runs of {versions}.",
        "没有在 {framework} {version} 上运行过，结论来自 {versions} 的运行。",
    ),
    "runs.no_version": _t("No run on {framework} is recorded here.", "此处没有 {framework} 的运行记录。"),
    "runs.sizes": _t("{sizes} ranks", "{sizes} 个 rank"),
    "claim.other_versions": _t(
        "Not run on {version}; shown are {versions}.", "未在 {version} 上运行，以下为 {versions}。"
    ),
    # Behaviour that a version changed.
    "change.head": _t(
        "{framework} on {backend} ({device}), {sizes} ranks: ", "{framework}，{backend}（{device}），{sizes} 个 rank："
    ),
    "change.first": _t("{outcome} up to {last}", "{last} 及之前{outcome}"),
    "change.middle": _t("{outcome} from {first} to {last}", "{first} 至 {last} {outcome}"),
    "change.one": _t("{outcome} in {last}", "{last} 中{outcome}"),
    "change.last": _t("{outcome} from {first} on", "{first} 起{outcome}"),
    "change.then": _t(", ", "，"),
    "change.unjudged": _t(
        "no verdict between {before} and {after}: {versions}", "{before} 与 {after} 之间没有结论：{versions}"
    ),
    "change.disputed": _t(
        "records disagree between {before} and {after}: {versions}",
        "{before} 与 {after} 之间运行记录相互矛盾：{versions}",
    ),
    "change.end": _t(".", "。"),
    # The page of all of it.
    "changed.about": _t(
        "Claims whose verdict is another in one version of a framework than in the version before it that was run on the same "
        "backend, with the same number of ranks. All of it is derived from run records; a version leads to what its runs "
        "showed. What was not run is not compared.",
        "在同一后端、同样的 rank 数下，与前一个运行过的版本相比结论发生变化的论断。全部内容由运行记录得出，点击版本即可查看"
        "该版本的运行证据。没有运行过的版本不参与比较。",
    ),
    "changed.compared": _t("Versions that were run", "运行过的版本"),
    "changed.place": _t(
        "{framework} on {backend} ({device}): {versions}", "{framework}，{backend}（{device}）：{versions}"
    ),
    "changed.one_version": _t(
        "{framework} on {backend} ({device}): {versions} only, so nothing can be compared",
        "{framework}，{backend}（{device}）：只有 {versions}，无从比较",
    ),
    "changed.none": _t(
        "No verdict differs between the versions that were run.", "运行过的各版本之间没有结论发生变化。"
    ),
    "changed.count": _t(
        "Claims with another verdict: {claims}, of mappings: {mappings}.",
        "{mappings} 个映射中有 {claims} 条论断的结论发生变化。",
    ),
    "changed.where": _t("Where", "运行环境"),
    "changed.at": _t("{backend} ({device})", "{backend}（{device}）"),
    "changed.before": _t("Up to", "变化前（截至）"),
    "changed.after": _t("From", "变化后（起始）"),
    "changed.unjudged": _t("no verdict between: {versions}", "其间没有结论：{versions}"),
    "changed.disputed": _t("records disagree between: {versions}", "其间运行记录相互矛盾：{versions}"),
    "dispute.head": _t(
        "Records disagree for {framework} {version} on {backend} ({device}), {size} ranks: ",
        "{framework} {version}，{backend}（{device}），{size} 个 rank 的运行记录相互矛盾：",
    ),
    "dispute.each": _t("{outcome} by {run} ({measurer})", "{run}（{measurer}）的结论为{outcome}"),
    # Sections about other answers.
    "others.hidden": _t(
        "Hidden, because they are not the answer on MindSpore {version}: {count} sections.",
        "以下 {count} 节不是 MindSpore {version} 上的答案，已隐藏。",
    ),
    "others.hidden_one": _t(
        "Hidden, because it is not the answer on MindSpore {version}: {count} section.",
        "以下 {count} 节不是 MindSpore {version} 上的答案，已隐藏。",
    ),
    "others.shown": _t("All answers are shown.", "已显示全部答案。"),
    "others.show": _t("Show", "显示"),
    "others.hide": _t("Hide again", "重新隐藏"),
    # Signatures and parameters of a version.
    "signature.all": _t("In all versions on record", "已收录的各版本"),
    "signature.nearest": _t("the nearest on record to {version}", "已收录的版本中最接近 {version} 的一个"),
    "signature.absent": _t("{framework} {version} does not have {name}.", "{framework} {version} 中没有 {name}。"),
    "signature.old": _t(
        "No signature of {framework} {version} is on record; the oldest is that of {oldest}.",
        "没有收录 {framework} {version} 的签名，最早的是 {oldest}。",
    ),
    "cell.absent": _t("not in {version}", "{version} 中没有"),
    # Lids of what is folded.
    "fold.claims": _t("{count} claims", "{count} 条论断"),
    "claims.rest": _t("Everything else", "其他"),
    "fold.script": _t("Script {path}", "脚本 {path}"),
    "fold.changed": _t("{count} with another verdict in other versions", "{count} 条的结论因版本而异"),
    "fold.disputed": _t("{count} on which records disagree", "{count} 条的运行记录相互矛盾"),
    "claim.changed": _t("Changed between the versions run", "在运行过的版本之间有变化"),
    "fold.changes": _t("{count} changes", "{count} 处变更"),
    # Our own words in lines of evidence; `apidiff.judge.evidence_messages` has them in English.
    "said.no_exception": _t("no exception", "没有抛出异常"),
    "said.timeout": _t("timeout", "超时"),
    "said.crash": _t("crash", "崩溃"),
    "said.returned": _t("returned {value}", "返回 {value}"),
    "said.nothing_at": _t("nothing at {slot}", "{slot} 处没有值"),
    "said.no_input": _t("no input at {slot}", "{slot} 处没有输入"),
    "said.nothing_to_compare": _t("nothing to compare at {slot} and {other}", "{slot} 与 {other} 无可比较"),
    "said.no_other_end": _t("the probe names no rank at the other end", "探针没有指明另一端的 rank"),
    "said.object": _t("{slot}, {other}: object", "{slot} 与 {other}：同一对象"),
    "said.storage": _t("{slot}, {other}: storage", "{slot} 与 {other}：共享内存"),
    "said.nothing": _t("{slot}, {other}: nothing", "{slot} 与 {other}：互不共享"),
    "said.printed": _t("printed {got} ≠ {wanted}", "打印了 {got} ≠ {wanted}"),
    "said.also_by": _t("{error} (also by probe {probe})", "{error}（探针 {probe} 也如此）"),
}
