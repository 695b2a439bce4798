// One list of fields per record, used for reading and for writing: `fields(visitor, record)` calls
// `visitor("name", member)` in the order in which the fields are printed. Included by the .cpp
// files of this folder only.
#pragma once

#include "snapshot/authoring_records.h"
#include "snapshot/drawing_records.h"
#include "snapshot/protocol.h"
#include "snapshot/schedule_records.h"

namespace fw::snapshot {

#define FW_FIELDS(Record, ...)                                                                     \
    template <class Visitor, class R>                                                              \
    requires std::is_same_v<std::remove_const_t<R>, Record>                                        \
    void fields(Visitor& v, R& r) {                                                                \
        __VA_ARGS__                                                                                \
    }

// Of a record that is a TextRange as well: beside its own fields.
template <class Visitor, class R>
void rangeFields(Visitor& v, R& r) {
    v("line", r.line);
    v("column", r.column);
    v("end_line", r.endLine);
    v("end_column", r.endColumn);
}

// Who computes it, beside its own fields.
template <class Visitor, class R>
void makerFields(Visitor& v, R& r) {
    v("by", r.by);
    v("library", r.library);
}

// clang-format off
FW_FIELDS(TensorRecord, v("name", r.name); v("type", r.type);)
FW_FIELDS(InputRef, v("node", r.node); v("output", r.output); v("name", r.name);)
FW_FIELDS(Where, v("file", r.file); v("node", r.node); v("line", r.line); v("column", r.column);)
FW_FIELDS(Diag, v("code", r.code); v("message", r.message); v("severity", r.severity); v("where", r.where);
          v("hint", r.hint);)
FW_FIELDS(BookSource, v("file", r.file); v("text", r.text);)
FW_FIELDS(TextPlace, v("file", r.file); v("line", r.line); v("column", r.column);)
FW_FIELDS(TextRange, rangeFields(v, r);)
FW_FIELDS(Fix, rangeFields(v, r); v("text", r.text); v("label", r.label);)
FW_FIELDS(BodyRecord, v("path", r.path); v("name", r.name); v("inputs", r.inputs); v("captured", r.captured);
          v("outputs", r.outputs); v("nodes", r.nodes);)
FW_FIELDS(InfoDocument, v("model", r.model); v("format", r.format); v("name", r.name); v("producer", r.producer);
          v("inputs", r.inputs); v("outputs", r.outputs); v("free_dims", r.freeDims); v("untyped", r.untyped);
          v("nodes", r.nodes); v("ops", r.ops); v("parameters", r.parameters); v("parameter_bytes", r.parameterBytes); v("flops", r.flops);
          v("opset", r.opset); v("bodies", r.bodies); v("runnable", r.runnable); v("diagnostics", r.diagnostics);
          v("readings", r.readings);)
FW_FIELDS(NodeRecord, v("id", r.id); v("name", r.name); v("op", r.op); v("inputs", r.inputs); v("outputs", r.outputs);
          v("attributes", r.attributes); v("bodies", r.bodies); v("origins", r.origins); v("group", r.group); v("constant", r.constant);
          v("unsupported", r.unsupported); v("source", r.source); v("line", r.line);)
FW_FIELDS(GroupLabel, v("id", r.id); v("name", r.name); v("implementation", r.implementation); makerFields(v, r.maker); v("est_us", r.estUs);)
FW_FIELDS(BorderRecord, v("name", r.name); v("type", r.type); v("node", r.node); v("bytes", r.bytes);)
FW_FIELDS(RegionCall, v("group", r.group); v("name", r.name); v("by", r.by); v("post_ops", r.postOps);)
FW_FIELDS(AnchorUse, v("anchor", r.anchor); v("implementation", r.implementation);)
FW_FIELDS(RegionChoice, v("owner", r.owner); v("uses", r.uses);)
FW_FIELDS(RegionRecord, v("id", r.id); v("name", r.name); v("owner", r.owner); v("calls", r.calls); v("inputs", r.inputs);
          v("outputs", r.outputs); v("choices", r.choices);)
FW_FIELDS(GraphDocument, v("stage", r.stage); v("name", r.name); v("body", r.body); v("nodes", r.nodes); v("inputs", r.inputs);
          v("results", r.results); v("groups", r.groups); v("regions", r.regions); v("bytes_crossing", r.bytesCrossing);
          v("imported", r.imported); v("diagnostics", r.diagnostics);)
FW_FIELDS(CandidateRecord, v("name", r.name); makerFields(v, r.maker); v("verdict", r.verdict); v("code", r.code); v("sentence", r.sentence);
          v("priority", r.priority); v("guard", r.guard); v("level", r.level); v("place", r.place);
          v("est_us", r.estUs); v("measured_us", r.measuredUs);)
FW_FIELDS(CallRecord, v("library", r.library); v("post_ops", r.postOps);)
FW_FIELDS(ReorderRecord, v("name", r.name); v("value", r.value); v("layout", r.layout); v("bytes", r.bytes);
          v("est_us", r.estUs);)
FW_FIELDS(GroupRecord, v("id", r.id); v("name", r.name); v("nodes", r.nodes); v("node_ids", r.nodeIds);
          v("anchor", r.anchor); v("anchor_id", r.anchorId); v("implementation", r.implementation); makerFields(v, r.maker);
          v("source", r.source); v("untuned", r.untuned); v("candidates", r.candidates); v("schedule", r.schedule); v("call", r.call);
          v("reorders", r.reorders); v("warnings", r.warnings);
          v("inputs", r.inputs); v("outputs", r.outputs); v("est_us", r.estUs); v("flops", r.flops);
          v("bytes", r.bytes); v("alone_us", r.aloneUs); v("split_us", r.splitUs); v("forced_us", r.forcedUs); v("disturbed", r.disturbed);
          v("forced", r.forced); v("agree", r.agree);)
FW_FIELDS(DecisionRecord, v("from", r.from); v("to", r.to); v("from_id", r.fromId); v("to_id", r.toId);
          v("verdict", r.verdict); v("code", r.code); v("sentence", r.sentence);)
FW_FIELDS(MadeRecord, v("imported", r.imported); v("rewritten", r.rewritten); v("planned", r.planned);
          v("lowered", r.lowered);)
FW_FIELDS(FuseDocument, v("model", r.model); v("target", r.target); v("groups", r.groups); v("decisions", r.decisions);
          v("assumptions", r.assumptions); v("notices", r.notices); v("arena_bytes", r.arenaBytes);
          v("made", r.made);)
FW_FIELDS(GateRecord, v("name", r.name); v("pass", r.pass); v("code", r.code); v("evidence", r.evidence);
          v("candidate", r.candidate);)
FW_FIELDS(CounterfactualRecord, v("change", r.change); v("verdict", r.verdict); v("groups", r.groups);)
FW_FIELDS(WayRecord, v("node", r.node); v("name", r.name);)
FW_FIELDS(ExplainDocument, v("subject", r.subject); v("nodes", r.nodes); v("group", r.group); v("verdict", r.verdict);
          v("code", r.code); v("sentence", r.sentence); v("gates", r.gates); v("decisions", r.decisions);
          v("counterfactuals", r.counterfactuals); v("way", r.way);)
FW_FIELDS(FunnelStep, rangeFields(v, r); v("clause", r.clause); v("count", r.count); v("optional", r.optional);)
FW_FIELDS(CaptureRecord, v("name", r.name); v("kind", r.kind); v("ranges", r.ranges);)
FW_FIELDS(BindingRecord, v("capture", r.capture); v("node", r.node); v("output", r.output);)
FW_FIELDS(MatchRecord, v("root", r.root); v("root_id", r.rootId); v("nodes", r.nodes); v("node_ids", r.nodeIds);
          v("bindings", r.bindings); v("bound", r.bound); v("outcome", r.outcome);)
FW_FIELDS(NearMissRecord, v("root", r.root); v("root_id", r.rootId); v("matched", r.matched); v("total", r.total);
          v("clause", r.clause); v("expected", r.expected); v("found", r.found); v("range", r.range);
          v("relax", r.relax);)
FW_FIELDS(RuleMatches, v("name", r.name); v("kind", r.kind); v("doc", r.doc); v("file", r.file); rangeFields(v, r);
          v("captures", r.captures); v("funnel", r.funnel); v("matches", r.matches);
          v("near_misses", r.nearMisses); v("near_miss_count", r.nearMissCount); v("ms", r.ms);
          v("stopped", r.stopped); v("diagnostics", r.diagnostics); v("behind_rules", r.behindRules);
          v("made_by", r.madeBy); v("before_rules", r.beforeRules); v("taken_by", r.takenBy);)
FW_FIELDS(ProbeRow, rangeFields(v, r); v("kind", r.kind); v("verdict", r.verdict); v("clause", r.clause);
          v("expected", r.expected); v("found", r.found);)
FW_FIELDS(ProbeDocument, v("model", r.model); v("stage", r.stage); v("rule", r.rule); v("kind", r.kind);
          v("node", r.node); v("node_id", r.nodeId); v("op", r.op); v("rows", r.rows);
          v("diagnostics", r.diagnostics);)
FW_FIELDS(UseRecord, rangeFields(v, r); v("kind", r.kind); v("name", r.name); v("how", r.how); v("file", r.file);
          v("shipped", r.shipped); v("group", r.group); v("nodes", r.nodes);)
FW_FIELDS(UsesDocument, v("name", r.name); v("kind", r.kind); v("uses", r.uses); v("more", r.more);
          v("planned", r.planned);)
FW_FIELDS(MatchDocument, v("model", r.model); v("stage", r.stage); v("rules", r.rules);
          v("diagnostics", r.diagnostics);)
FW_FIELDS(ChangeRecord, v("kind", r.kind); v("name", r.name); v("sentence", r.sentence); v("before", r.before);
          v("after", r.after); v("before_ids", r.beforeIds); v("after_ids", r.afterIds); v("nodes", r.nodes);
          v("est_before_us", r.estBeforeUs); v("est_after_us", r.estAfterUs);)
FW_FIELDS(DiffDocument, v("before", r.before); v("after", r.after); v("added", r.added); v("removed", r.removed);
          v("changed", r.changed);)
FW_FIELDS(DiffSideDocument, v("label", r.label); v("plan", r.plan); v("graphs", r.graphs);)
FW_FIELDS(OutputRecord, v("name", r.name); v("dtype", r.dtype); v("shape", r.shape); v("file", r.file);
          v("summary", r.summary);)
FW_FIELDS(OutputDifference, v("name", r.name); v("elements", r.elements); v("outside", r.outside);
          v("max_abs", r.maxAbs); v("relative_l2", r.relativeL2); v("cosine", r.cosine); v("same_top", r.sameTop);)
FW_FIELDS(ComparisonRecord, v("name", r.name); v("pass", r.pass); v("max_abs", r.maxAbs); v("max_rel", r.maxRel);
          v("max_ulp", r.maxUlp); v("worst", r.worst); v("rule", r.rule); v("outputs", r.outputs);)
FW_FIELDS(StartRecord, v("process_ms", r.processMs); v("import_ms", r.importMs); v("rewrite_ms", r.rewriteMs);
          v("libraries_ms", r.librariesMs); v("machine_ms", r.machineMs); v("fuse_ms", r.fuseMs);
          v("lower_ms", r.lowerMs); v("kernels_ms", r.kernelsMs); v("codegen_ms", r.codegenMs);
          v("assemble_ms", r.assembleMs); v("load_ms", r.loadMs); v("compiled", r.compiled); v("cached", r.cached);
          v("packed_bytes", r.packedBytes);)
FW_FIELDS(RunDocument, v("model", r.model); v("target", r.target); v("outputs", r.outputs); v("values", r.values); v("sets", r.sets);
          v("random_inputs", r.randomInputs); v("compile_ms", r.compileMs); v("run_ms", r.runMs);
          v("start", r.start); v("notices", r.notices);)
FW_FIELDS(BenchRow, v("model", r.model); v("median_ms", r.medianMs); v("p90_ms", r.p90Ms); v("min_ms", r.minMs);
          v("runs", r.runs); v("compile_ms", r.compileMs); v("load_ms", r.loadMs); v("peak_rss_mb", r.peakRssMb);
          v("threads", r.threads); v("start", r.start); v("disturbed", r.disturbed); v("beside", r.beside);
          v("beside_ms", r.besideMs);)
FW_FIELDS(BenchDocument, v("target", r.target); v("models", r.models); v("notices", r.notices);)
FW_FIELDS(ShareRecord, v("id", r.id); v("name", r.name); v("share", r.share); v("estimated", r.estimated);
          v("alone_us", r.aloneUs);)
FW_FIELDS(ProfileRow, v("group_id", r.groupId); v("group", r.group); v("nodes", r.nodes);
          v("implementation", r.implementation); makerFields(v, r.maker); v("calls", r.calls); v("median_us", r.medianUs); v("min_us", r.minUs); v("disturbed", r.disturbed); v("p95_us", r.p95Us); v("alone_us", r.aloneUs);
          v("share", r.share); v("flops", r.flops); v("bytes", r.bytes); v("gflops", r.gflops); v("gbps", r.gbps); v("est_us", r.estUs);)
FW_FIELDS(ProfileDocument, v("model", r.model); v("target", r.target); v("rows", r.rows);
          v("end_to_end_ms", r.endToEndMs); v("sum_ms", r.sumMs); v("runs", r.runs); v("threads", r.threads);
          v("iqr_percent", r.iqrPercent); v("disturbed", r.disturbed); v("compile_ms", r.compileMs); v("start", r.start);
          v("random_inputs", r.randomInputs); v("dims", r.dims); v("misses", r.misses); v("notices", r.notices);)
FW_FIELDS(TuneRow, v("group", r.group); v("size", r.size); v("implementation", r.implementation); v("us", r.us); v("count", r.count);
          v("chosen_before", r.chosenBefore); v("chosen_now", r.chosenNow); v("disturbed", r.disturbed);)
FW_FIELDS(TuneDocument, v("model", r.model); v("target", r.target); v("log", r.log); v("rows", r.rows);
          v("measured", r.measured); v("workloads", r.workloads); v("improved", r.improved); v("before_ms", r.beforeMs); v("after_ms", r.afterMs);
          v("notices", r.notices);)
FW_FIELDS(VerifyRow, v("group", r.group); v("groups", r.groups); v("implementation", r.implementation);
          v("verdict", r.verdict); v("differs", r.differs); v("exact", r.exact); v("comparisons", r.comparisons);
          v("integers", r.integers); v("random", r.random); v("share", r.share); v("worst", r.worst);
          v("reason", r.reason); v("file", r.file);)
FW_FIELDS(VerifyModel, v("model", r.model); v("rows", r.rows); v("groups", r.groups); v("agreeing", r.agreeing);
          v("differing", r.differing); v("not_run", r.notRun); v("elements", r.elements); v("judged", r.judged);
          v("seconds", r.seconds); v("notices", r.notices);)
FW_FIELDS(VerifyDocument, v("target", r.target); v("models", r.models);)
FW_FIELDS(ValueDocument, v("name", r.name); v("type", r.type); v("origin", r.origin); v("node", r.node);
          v("output", r.output); v("count", r.count); v("zeros", r.zeros); v("not_numbers", r.notNumbers);
          v("infinite", r.infinite); v("least", r.least); v("most", r.most); v("mean", r.mean);
          v("deviation", r.deviation); v("histogram", r.histogram); v("first", r.first);)
FW_FIELDS(SpanRecord, v("from", r.from); v("to", r.to); v("nodes", r.nodes);)
FW_FIELDS(StagesDocument, v("stage", r.stage); v("group", r.group); v("text", r.text); v("spans", r.spans);)
FW_FIELDS(ExportDocument, v("directory", r.directory); v("files", r.files); v("abi", r.abi); v("target", r.target);
          v("libraries", r.libraries); v("sha256", r.sha256); v("notices", r.notices);)
FW_FIELDS(AppliedRecord, v("rule", r.rule); v("file", r.file); v("count", r.count); v("ms", r.ms);)
FW_FIELDS(RewrittenNode, v("name", r.name); v("op", r.op);)
FW_FIELDS(RewrittenResult, v("name", r.name); v("before", r.before); v("became", r.became); v("after", r.after);)
FW_FIELDS(BoundNameRecord, v("name", r.name); v("values", r.values);)
FW_FIELDS(ApplicationRecord, v("number", r.number); v("rule", r.rule); v("at", r.at); v("file", r.file); v("line", r.line);
          v("body", r.body); v("matched", r.matched); v("origins", r.origins); v("created", r.created); v("erased", r.erased);
          v("results", r.results); v("bindings", r.bindings); v("flops_before", r.flopsBefore);
          v("flops_after", r.flopsAfter); v("bytes_before", r.bytesBefore); v("bytes_after", r.bytesAfter);)
FW_FIELDS(CircleRecord, v("rules", r.rules); v("node", r.node); v("before", r.before); v("after", r.after);
          v("places", r.places);)
FW_FIELDS(RewriteDocument, v("applied", r.applied); v("nodes_before", r.nodesBefore); v("nodes_after", r.nodesAfter);
          v("stop_reason", r.stopReason); v("file", r.file); v("text", r.text);
          v("applications", r.applications); v("circles", r.circles); v("opset", r.opset);
          v("diagnostics", r.diagnostics); v("notices", r.notices);)
FW_FIELDS(SteppedNode, v("node", r.node); v("mark", r.mark); v("matched", r.matched);
          v("before", r.before); v("behind", r.behind);)
FW_FIELDS(ApplicationRun, v("rule", r.rule); v("file", r.file); v("line", r.line); v("first", r.first);
          v("count", r.count);)
FW_FIELDS(StepChoice, v("rule", r.rule); v("at", r.at); v("file", r.file); v("line", r.line);
          v("matched", r.matched); v("shared", r.shared); v("unfit", r.unfit);)
FW_FIELDS(StepInstead, v("leave_out", r.leaveOut); v("again", r.again); v("number", r.number);
          v("refused", r.refused);)
FW_FIELDS(LoopRow, v("depth", r.depth); v("kind", r.kind); v("name", r.name); v("how", r.how); v("size", r.size);
          v("bytes", r.bytes); v("nodes", r.nodes); v("ops", r.ops);)
FW_FIELDS(HeldRecord, v("registers", r.registers); v("stack", r.stack); v("memory", r.memory);)
FW_FIELDS(WayOfGroup, v("way", r.way); v("implementation", r.implementation); v("taken", r.taken); v("est_us", r.estUs);
          v("measured_us", r.measuredUs); v("bytes", r.bytes); v("held", r.held); v("note", r.note);)
FW_FIELDS(BranchRecord, v("implementation", r.implementation); v("condition", r.condition); v("sizes", r.sizes);
          v("est_us", r.estUs);)
FW_FIELDS(ScheduleDocument, v("model", r.model); v("target", r.target); v("group", r.group); v("name", r.name);
          v("implementation", r.implementation); v("text", r.text); v("begun", r.begun); v("not_begun", r.notBegun);
          v("written", r.written); v("refused", r.refused); v("est_us", r.estUs); v("measured_us", r.measuredUs);
          v("bytes", r.bytes); v("held", r.held); v("loops", r.loops); v("more_loops", r.moreLoops); v("ways", r.ways);
          v("branches", r.branches); v("conflicts", r.conflicts);)
FW_FIELDS(StepDocument, v("model", r.model); v("total", r.total); v("application", r.application);
          v("stopped", r.stopped); v("graph", r.graph); v("nodes", r.nodes); v("hidden", r.hidden);
          v("runs", r.runs); v("choices", r.choices); v("choices_stopped", r.choicesStopped);
          v("choice", r.choice); v("instead", r.instead);)
FW_FIELDS(ApplicationError, v("number", r.number); v("rule", r.rule); v("file", r.file); v("line", r.line);
          v("at", r.at); v("max_abs", r.maxAbs); v("within", r.within);)
FW_FIELDS(BisectDocument, v("model", r.model); v("applications", r.applications); v("states", r.states);
          v("random_inputs", r.randomInputs); v("rtol", r.rtol); v("atol", r.atol); v("max_abs", r.maxAbs);
          v("first", r.first); v("max_abs_before", r.maxAbsBefore); v("max_abs_after", r.maxAbsAfter);
          v("worst", r.worst); v("before", r.before); v("after", r.after); v("alone", r.alone);
          v("file", r.file); v("errors", r.errors);)
FW_FIELDS(SketchFactRecord, v("key", r.key); v("node", r.node); v("what", r.what); v("value", r.value);
          v("levels", r.levels); v("level", r.level);)
FW_FIELDS(SketchAdvice, v("levels", r.levels); v("matches", r.matches);)
FW_FIELDS(SketchDocument, v("model", r.model); v("stage", r.stage); v("kind", r.kind); v("name", r.name);
          v("text", r.text); v("nodes", r.nodes); v("facts", r.facts); v("matches", r.matches);
          v("advice", r.advice); v("notices", r.notices); v("diagnostics", r.diagnostics);)
FW_FIELDS(DrawnNode, v("node", r.node); v("mark", r.mark); v("range", r.range); v("name", r.name);)
FW_FIELDS(DrawingDocument, v("name", r.name); v("kind", r.kind); v("range", r.range); v("graph", r.graph);
          v("nodes", r.nodes); v("diagnostics", r.diagnostics);)
FW_FIELDS(OrderRecord, v("phase", r.phase); v("kind", r.kind); v("name", r.name); v("doc", r.doc); v("file", r.file);
          v("line", r.line); v("count", r.count); v("ms", r.ms); v("shadowed", r.shadowed);)
FW_FIELDS(BookGain, v("file", r.file); v("applied", r.applied); v("operators_without", r.operatorsWithout);
          v("est_us_without", r.estUsWithout);)
FW_FIELDS(OrderDocument, v("model", r.model); v("entries", r.entries); v("planned", r.planned);
          v("diagnostics", r.diagnostics); v("est_us", r.estUs); v("books", r.books);)
FW_FIELDS(ButForRecord, v("what", r.what); v("difference", r.difference);)
FW_FIELDS(CheckItem, v("name", r.name); v("kind", r.kind); v("verdict", r.verdict); rangeFields(v, r);
          v("diagnostics", r.diagnostics); v("trials", r.trials); v("proofs", r.proofs); v("but_for", r.butFor);
          v("counterexample", r.counterexample); v("becomes", r.becomes); v("saved", r.saved);)
FW_FIELDS(MarkRecord, rangeFields(v, r); v("diag", r.diag); v("fixes", r.fixes);)
FW_FIELDS(CheckDocument, v("file", r.file); v("items", r.items); v("diagnostics", r.diagnostics);
          v("marks", r.marks);)
FW_FIELDS(CompletionRecord, v("text", r.text); v("kind", r.kind); v("detail", r.detail);
          v("documentation", r.documentation);)
FW_FIELDS(HoverRecord, rangeFields(v, r); v("lines", r.lines);)
FW_FIELDS(LocationRecord, v("file", r.file); rangeFields(v, r); v("shipped", r.shipped);)
FW_FIELDS(AssistDocument, v("replace", r.replace); v("completions", r.completions); v("hover", r.hover);
          v("definition", r.definition); v("references", r.references);)
FW_FIELDS(ShippedBook, v("file", r.file); v("title", r.title); v("library", r.library);)
FW_FIELDS(FormatDocument, v("file", r.file); v("text", r.text); v("changed", r.changed);
          v("diagnostics", r.diagnostics);)
FW_FIELDS(BookDocument, v("file", r.file); v("text", r.text); v("books", r.books);)
FW_FIELDS(OpRecord, v("name", r.name); v("signature", r.signature); v("kind", r.kind); v("facts", r.facts);
          v("doc", r.doc); v("expression", r.expression); v("implementations", r.implementations);)
FW_FIELDS(OpsDocument, v("ops", r.ops);)
FW_FIELDS(CaseRecord, v("name", r.name); v("verdict", r.verdict); v("reason", r.reason);
          v("sets", r.sets);)
FW_FIELDS(TestDocument, v("total", r.total); v("passed", r.passed); v("failed", r.failed);
          v("unsupported", r.unsupported); v("crashed", r.crashed); v("cases", r.cases);)
FW_FIELDS(CpuRecord, v("name", r.name); v("target", r.target); v("features", r.features); v("cores", r.cores);
          v("vector_bits", r.vectorBits);)
FW_FIELDS(LibraryRecord, v("name", r.name); v("version", r.version); v("core", r.core); v("status", r.status);
          v("reason", r.reason); v("package", r.package); v("path", r.path); v("content", r.content);)
FW_FIELDS(LevelsRecord, v("of", r.of); v("plays", r.plays); v("lacks", r.lacks);)
FW_FIELDS(CeilingRecord, v("name", r.name); v("unit", r.unit); v("sentence", r.sentence);
          v("value", r.value);)
FW_FIELDS(DoctorDocument, v("version", r.version); v("cpu", r.cpu); v("libraries", r.libraries);
          v("levels", r.levels); v("problems", r.problems); v("ceilings", r.ceilings);
          v("ceilings_from", r.ceilingsFrom);)
FW_FIELDS(DrawDocument, v("file", r.file); v("width", r.width); v("height", r.height); v("nodes", r.nodes);
          v("layout", r.layout); v("notices", r.notices);)
FW_FIELDS(SizeRange, v("least", r.least); v("most", r.most);)
FW_FIELDS(Arguments, v("model", r.model); v("models", r.models); v("folders", r.folders); v("target", r.target);
          v("rules", r.rules); v("texts", r.texts); v("without", r.without); v("left_out", r.leftOut); v("pins", r.pins); v("log", r.log); v("agreed", r.agreed); v("targets", r.targets); v("versus", r.versus); v("side", r.side); v("dims", r.dims); v("ranges", r.ranges); v("types", r.types);
          v("stage", r.stage); v("body", r.body); v("group", r.group); v("nodes", r.nodes);
          v("name", r.name); v("kind", r.kind); v("levels", r.levels); v("book", r.book); v("shipped", r.shipped); v("output", r.output); v("embed", r.embed); v("static", r.isStatic); v("inputs", r.inputs); v("values", r.values);
          v("expect", r.expect); v("each", r.each); v("measure", r.measure); v("decisions", r.decisions); v("rtol", r.rtol); v("atol", r.atol); v("strict", r.strict); v("threads", r.threads);
          v("seconds", r.seconds); v("shard", r.shard); v("limit", r.limit); v("application", r.application); v("until", r.until); v("choice", r.choice); v("around", r.around); v("position", r.position); v("beside", r.beside); v("trace", r.trace); v("seed", r.seed);)
FW_FIELDS(Request, v("id", r.id); v("command", r.command); v("arguments", r.arguments);)
FW_FIELDS(Progress, v("stage", r.stage); v("text", r.text); v("done", r.done); v("total", r.total);
          v("library", r.library); v("nodes", r.nodes);)
FW_FIELDS(Hello, v("version", r.version); v("pid", r.pid);)
// clang-format on

#undef FW_FIELDS

} // namespace fw::snapshot
