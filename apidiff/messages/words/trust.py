"""Evidence, coverage, repeating runs, and correcting a record."""

from __future__ import annotations

from apidiff.messages.words import both as _t
from apidiff.model.base import Text

WORDS: dict[str, Text] = {
    # The header of the site, where its links do not fit.
    "site.more": _t("More", "更多"),
    # The page of a run record.
    "run.summary": _t(
        "One run, as it was recorded; nothing here was written by hand. Every probe leads to what each rank saw.",
        "一次运行的原样记录，内容均非手写。点击探针即可查看各 rank 的轨迹。",
    ),
    "run.probes_about": _t(
        "By API. Behind a name: how the probe ended where not every rank answered, and the types of errors raised.",
        "按 API 列出。名称之后注明：未能在所有 rank 上完成时的结束状态，以及抛出的异常类型。",
    ),
    "run.measured_by": _t("Measured by", "测量者"),
    "run.this_project": _t("this project", "本项目"),
    "run.signed": _t("Record's signature", "记录的签名"),
    "run.signature_file": _t("Signature (minisign)", "签名文件（minisign）"),
    "run.signer": _t("Signer", "签名者"),
    "run.stopped": _t(
        "This run ended before all that was planned was done, for this reason: {why}. Its verdicts are of what was done before.",
        "这次运行没有做完计划的全部内容就结束了，原因：{why}。由它得出的结论只涉及此前已完成的部分。",
    ),
    "run.stopped_short": _t("stopped half-way", "中途停止"),
    "signed.unsigned": _t("unsigned", "未签名"),
    "signed.verified": _t("signed by {name} (verified)", "由 {name} 签名（已验证）"),
    "signed.unknown_key": _t(
        "signed with the key {key}, which is none of those known here", "由密钥 {key} 签名，该密钥不在已知签名者之列"
    ),
    "signed.not_checked": _t(
        "signature that names the key of {name}, not checked because the program minisign is missing",
        "签名使用的是 {name} 的密钥，但因缺少 minisign 程序而未验证",
    ),
    # Evidence of an API.
    "evidence.where": _t(
        " in {framework} {version}, {backend} on {device}", "：{framework} {version}，{backend}（{device}）"
    ),
    "evidence.about": _t(
        "What every rank saw when the probes of this API ran: its arguments before and after the call, what was returned, "
        "raised and printed. Values that the call changed are marked.",
        "运行此 API 的探针时各 rank 的轨迹：调用前后的参数、返回值、异常和打印内容。被调用改变的值带有标记。",
    ),
    "evidence.mapping": _t("Mapping", "映射"),
    "evidence.runs": _t("Run records", "运行记录"),
    "evidence.whole": _t("Environment and all probes", "环境与全部探针"),
    "evidence.machine": _t("{machine}, {cores} cores", "{machine}，{cores} 核"),
    "evidence.repeat": _t(
        "With {framework} installed, this runs the same probes again and compares the verdicts with those recorded:",
        "安装 {framework} 后，以下命令重新运行同样的探针，并与已记录的结论比较：",
    ),
    "evidence.ranks": _t("{count} ranks", "{count} 个 rank"),
    "evidence.ranks_by": _t("{ranks}, measured by {measurer}, {date}", "{ranks}，测量者：{measurer}，{date}"),
    "evidence.changes": _t("Other verdicts in other versions or records", "因版本或运行记录而异的结论"),
    "evidence.call": _t("Call", "调用"),
    "evidence.gone": _t(
        "The record no longer has this probe, so no verdict rests on it.",
        "映射记录中已没有这个探针，没有结论以它为依据。",
    ),
    "evidence.outdated": _t(
        "Recorded when this probe called something else than it does now, so no verdict rests on it.",
        "记录时该探针的调用与现在不同，没有结论以它为依据。",
    ),
    "evidence.second": _t("second try", "第二次"),
    "evidence.silent": _t("No answer from rank {ranks}.", "rank {ranks} 没有应答。"),
    "evidence.claims": _t("Verdicts that rest on it", "以此为依据的结论"),
    "trace.what": _t("Value", "值"),
    "trace.ranks": _t("Ranks", "rank"),
    "trace.before": _t("Before the call", "调用前"),
    "trace.after": _t("After the call", "调用后"),
    "trace.every": _t("every rank", "所有 rank"),
    "trace.rank": _t("rank {ranks}", "rank {ranks}"),
    "trace.unknown": _t("not seen", "未能观察"),
    "trace.more": _t("The rest of the text", "其余内容"),
    "trace.same_object": _t("the same object as {name}", "与 {name} 是同一对象"),
    "trace.same_storage": _t("shares memory with {name}", "与 {name} 共享内存"),
    # Coverage.
    "coverage.totals": _t(
        "{claims} claims in {mappings} mappings; {judged} of the claims have at least one verdict from a run.",
        "{mappings} 个映射共有 {claims} 条论断，其中 {judged} 条至少有一个由运行得出的结论。",
    ),
    "coverage.about": _t(
        "Claims that several mappings share count once. Unsupported, not run and waiting for a device are three things: "
        "unsupported was run, and the backend said that it has no implementation of the call.",
        "多个映射共用的论断只计一次。“不支持”“未运行”“没有设备”是三回事：“不支持”是运行过的，由后端报告没有相应的算子实现。",
    ),
    "coverage.outcomes": _t("Claims by outcome, framework version and backend", "按框架版本和后端统计的结论"),
    "coverage.column.place": _t("Where", "运行环境"),
    "coverage.place": _t(
        "{framework} {version}, {backend} on {device}", "{framework} {version}，{backend}（{device}）"
    ),
    "coverage.sizes": _t("By number of ranks", "按 rank 数统计"),
    "coverage.sizes_about": _t(
        "Some probes make sense at certain numbers of ranks only; their claims stand in the last column of the others.",
        "有些探针只适用于特定的 rank 数，其论断在其余各行计入最后一列。",
    ),
    "coverage.other_sizes": _t("only with other numbers of ranks", "仅在其他 rank 数下运行"),
    "coverage.never_run": _t("Never run: Ascend and GPU", "从未运行：昇腾与 GPU"),
    "coverage.never_run_about": _t(
        "No run record exists of these backends, since no such device was at hand. Nothing is said of how claims fare there.",
        "这些后端没有任何运行记录，因为手边没有相应的设备。各论断在这些后端上是否成立，本站不作任何说明。",
    ),
    "coverage.never_run_none": _t("Every backend has a run record.", "每个后端都有运行记录。"),
    "coverage.waiting": _t("{framework} with {backend} ({device})", "{framework}，{backend}（{device}）"),
    "meanings.risk": _t(
        "A difference is named by what happens to ported code that does not mind it:",
        "差异按移植时没有留意会怎样来分类：",
    ),
    "meanings.answer": _t(
        "Where no single API replaces one, the list below says what does. Such a call has to be edited in any case; the table "
        "of all APIs and its own page name the worst that is left to mind in what replaces it, so that an API that is composed "
        "here may stand there as “error”:",
        "没有单个 API 可以替代时，下面的列表会注明如何处理。这样的调用无论如何都要改写；全部 API 的表格和该 API 自己的页面另外"
        "标出替代做法中仍需留意的最高风险，因此这里标为“组合实现”的 API，在那里可能标为“报错”：",
    ),
    "coverage.looks_for": _t("A run looks for", "运行前检查"),
    "coverage.claims_of_apis": _t("{claims} claims on {apis} APIs", "{apis} 个 API 的 {claims} 条论断"),
    "coverage.refuted": _t("Stated claims that runs refute", "与实测不符的文档陈述"),
    "coverage.refuted_about": _t(
        "{refuted} of {stated} stated claims are refuted by at least one run. By mapping: ",
        "文档所述的 {stated} 条论断中，有 {refuted} 条至少被一次运行证明不成立。按映射统计，详见",
    ),
    "coverage.refuted_page": _t("all of them with the evidence", "全部条目及证据"),
    "coverage.unsupported": _t("Unsupported calls", "不支持的调用"),
    "coverage.unsupported_about": _t(
        "The backend ran the call and said that it has no implementation of it, with at least one number of ranks.",
        "后端执行了调用，并在至少一种 rank 数下报告没有相应的算子实现。",
    ),
    "coverage.unsupported_none": _t("No call is unsupported where it was run.", "运行过的调用中没有不支持的。"),
    "coverage.changes": _t("What changed between versions", "版本之间的变化"),
    "coverage.changes_none": _t(
        "No backend was run with two versions of its framework.", "没有哪个后端运行过所属框架的两个版本。"
    ),
    "coverage.changed": _t(
        "{framework} on {backend} ({device}), {before} against {after}: {changed} of {compared} claims with verdicts in both "
        "have another verdict.",
        "{framework}，{backend}（{device}），{before} 与 {after} 相比：两个版本都有结论的 {compared} 条论断中，"
        "{changed} 条的结论不同。",
    ),
    "coverage.changed_page": _t("Which version changed which behaviour", "哪个版本改变了哪些行为"),
    "coverage.without_run": _t("Claims without a run", "没有运行过的论断"),
    "coverage.without_run_about": _t(
        "{count} claims have no verdict from any run, each with the reason.",
        "{count} 条论断没有任何运行结论，逐条列出原因。",
    ),
    "coverage.without_run_none": _t("Every claim has a verdict from a run.", "每条论断都有运行得出的结论。"),
    "coverage.records": _t("Age of the records", "运行记录的时间"),
    "coverage.records_about": _t(
        "When each run was recorded, and which known releases of the framework are newer and have no record on this backend.",
        "各次运行的记录时间，以及框架的哪些更新的发布版本在该后端上还没有记录。",
    ),
    "coverage.newer": _t("Newer releases without a record", "尚无记录的更新版本"),
    "coverage.newest": _t("none", "无"),
    "not_run.no_device": _t("no device", "没有设备"),
    "not_run.no_probe": _t("no probe", "没有探针"),
    "not_run.not_there": _t("not in this version", "该版本没有此 API"),
    "not_run.one_rank": _t("one rank only", "仅单个 rank"),
    "not_run.not_recorded": _t("not recorded", "没有记录"),
    "not_run_meaning.no_device": _t(
        "No device of the backend was at hand, so nothing was run.", "手边没有该后端的设备，没有运行。"
    ),
    "not_run_meaning.no_probe": _t(
        "No probe can observe the claim; its record says why.", "没有探针可以观察该论断，映射记录中写明了原因。"
    ),
    "not_run_meaning.not_there": _t(
        "No version range of a mapping has the API in this version of the framework.",
        "映射的版本区间都不包括该框架版本中的这个 API。",
    ),
    "not_run_meaning.one_rank": _t(
        "The runs at this place have a single rank, which cannot show what is stated of several.",
        "此处的运行只有一个 rank，无法体现关于多个 rank 的论断。",
    ),
    "not_run_meaning.not_recorded": _t(
        "The runs recorded nothing that decides the claim.", "运行记录中没有可以判定该论断的内容。"
    ),
    # Repeating.
    "repeat": _t("Repeat its runs", "如何复现"),
    "repeat.verify": _t(
        "Runs every probe of this page on every backend that is here, and compares the verdicts with those recorded:",
        "在本机可用的所有后端上运行本页的全部探针，并与已记录的结论比较：",
    ),
    "repeat.install": _t("The version that was recorded, {framework}:", "安装所记录的版本 {framework}："),
    "repeat.backend": _t("The same probes with the same numbers of ranks:", "以同样的 rank 数运行同样的探针："),
    "repeat.pytest": _t(
        "Each claim as a test of pytest; claims of APIs whose names begin alike run too:",
        "以 pytest 运行，每条论断是一个测试；名称以此开头的其他 API 的论断也会运行：",
    ),
    "repeat.examples_about": _t(
        "From the root of a checkout, with the framework's own launcher.",
        "在代码仓库的根目录下，用框架自带的启动工具运行。",
    ),
    "repeat.example": _t("{name}:", "{name} 的启动命令："),
    "repeat.lookup_title": _t("In the terminal", "在终端中查看"),
    "repeat.lookup": _t("Shows the same answer in the terminal:", "在终端中查看同样的内容："),
    # Contributing.
    "contribute": _t("Correct this page", "更正本页"),
    "contribute.about": _t(
        "All of this page is made from these files and from runs. Something is wrong, or behaves otherwise on your device? "
        "An issue with what you saw helps, and so does a run on a device that was not at hand here.",
        "本页内容全部由以下文件和运行记录生成。如果有误，或者在你的设备上表现不同，请提交 issue 说明实际情况；"
        "在此处没有的设备上运行的结果同样有帮助。",
    ),
    "contribute.record": _t("Record", "映射记录"),
    "contribute.example": _t("Example", "示例"),
    "contribute.copy": _t("copy on this site", "本站副本"),
    "contribute.open": _t("Open an issue about this mapping", "就此映射提交 issue"),
    "contribute.text": _t("The text of a correction issue, ready to be copied", "更正 issue 的文本，可直接复制"),
    "contribute.title": _t("Correction: {name}", "更正：{name}"),
    "contribute.mapping": _t("Mapping", "映射"),
    "contribute.targets": _t("Targets", "目标"),
    "contribute.file": _t("File", "文件"),
    "contribute.versions": _t("Newest versions known to the page", "本页所知的最新版本"),
    "contribute.runs": _t("Recorded runs", "已记录的运行"),
    "contribute.wrong": _t("What is wrong", "有误之处"),
    "contribute.seen": _t("What you saw instead (versions, device, output)", "实际情况（版本、设备、输出）"),
    "contribute.claims": _t("Claims on the page (keep those concerned)", "本页的论断（请保留相关的）"),
}
