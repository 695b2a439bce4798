// What crosses the worker's door: plain records without code or handles, one per command of `fw`.
//
// The same documents are printed by `fw --json`, sent by `fw --worker` and shown by the window.
// Field names in JSON are those of resources/docs/command-line.md, the members' names in snake_case
// (documents.h reads and writes them). Node ids are the engine's own, stable inside one stage of
// one model; names are for people and may be empty or used twice. Times are microseconds or
// milliseconds as the name says; an optional without a value is a number that nobody knows, never
// zero. What a large plan says again and again is a SharedText.
#pragma once

#include "base/diag.h"
#include "base/shared_text.h"
#include "snapshot/book_records.h"
#include "snapshot/edge_records.h"
#include "snapshot/maker.h"
#include "snapshot/record.h"
#include "snapshot/region_records.h"
#include "snapshot/report_records.h"
#include "snapshot/rewrite_records.h"
#include "snapshot/sketch_records.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fw::snapshot {

// clang-format off

FW_RECORD(TensorRecord,
    (std::string, name),
    (std::string, type) // "f32[1,64,56,56]"; a free dimension is its name
)

// A graph inside a node: the body of a loop, a branch, the function that is called.
FW_RECORD(BodyRecord,
    (std::string, path),                   // how it is asked for: "Loop_3/body"; of an inner one "Loop_3/body/If_1/then"
    (std::string, name),
    (std::vector<TensorRecord>, inputs),   // what the operator or the call gives it
    (std::vector<TensorRecord>, captured), // what it takes from the graph around it
    (std::vector<TensorRecord>, outputs),
    (std::int64_t, nodes)
)

// --- info

FW_WORDS(DecisionVerdict, "note", "yes", "no")

FW_RECORD(DecisionRecord,
    (std::string, from),      // names; `to` is empty if the decision is about one node or group
    (std::string, to),
    (NodeId, fromId, noNode), // ids of stage "fused", of how a model is read those of "imported"
    (NodeId, toId, noNode),
    (DecisionVerdict, verdict),
    (std::string, code),
    (std::string, sentence)
)

FW_WORDS(ModelFormat, "onnx", "fw", "folder")

FW_RECORD(InfoDocument,
    (std::string, model),                   // path as given
    (ModelFormat, format),
    (std::string, name),
    (std::string, producer),
    (std::vector<TensorRecord>, inputs),
    (std::vector<TensorRecord>, outputs),
    (std::vector<std::string>, freeDims),   // names
    // Values whose type nothing infers, because the operator that makes them is not known. Those
    // that are computed from them are not listed.
    (std::vector<std::string>, untyped),
    (std::int64_t, nodes),
    (ByName<std::int64_t>, ops),            // operator -> how many nodes
    (std::int64_t, parameters),             // elements
    (std::int64_t, parameterBytes),
    (std::optional<double>, flops),         // unknown with free dimensions
    (std::int64_t, opset),
    (std::vector<BodyRecord>, bodies),      // of all depths, outer ones first
    (bool, runnable, true),
    (Diags, diagnostics),
    (std::vector<DecisionRecord>, readings) // how nodes were read, where that is not one for one
)

// --- graph

// Of which stage a graph is; `pattern` is a drawing of one, `step` lies inside an
// application of a rule, `text` is written in a book.
FW_WORDS(GraphStage, "imported", "rewritten", "fused", "partitioned", "pattern", "step",
         "text")
// What an application of a rule does to an operator.
FW_WORDS(NodeMark, "", "kept", "changed", "erased", "created")

FW_RECORD(NodeRecord,
    (NodeId, id, noNode),
    (std::string, name),
    (std::string, op),              // "conv2d"; "input" for graph inputs, "constant" for weights and constants
    (std::vector<InputRef>, inputs),
    (std::vector<TensorRecord>, outputs),
    (ByName<std::string>, attributes),
    (std::vector<BodyRecord>, bodies),
    (std::vector<NodeId>, origins), // ids of nodes of stage "imported"; empty in that stage itself
    (int, group, -1),               // id of a group of the plan; only in stage "fused"
    (bool, constant),               // weight or constant: usually folded into its consumers when drawn
    (bool, unsupported),            // shown, but stops `run`
    (std::string, source),          // where it comes from: "node 18 of model.onnx"; may be empty
    (int, line)                     // from 1, for graphs in text
)

// What a picture needs to know of a group; all of it is in FuseDocument.
FW_RECORD(GroupLabel,
    (int, id, -1),
    (std::string, name),
    (std::string, implementation),
    (MakerRecord, maker),
    (std::optional<double>, estUs)
)

FW_RECORD(GraphDocument,
    (GraphStage, stage),
    (std::string, name),
    (std::string, body),                    // its path, of a body; its ids are its own
    (std::vector<NodeRecord>, nodes),       // topologically ordered, with input and constant nodes
    (std::vector<NodeId>, inputs),
    (std::vector<InputRef>, results),
    (std::vector<InsideRecord>, insides),   // if they were asked for: of all depths, inner ones behind their outer ones
    (std::vector<EdgeRecord>, edges),       // that carry no mere data
    (std::vector<GroupLabel>, groups),      // stage "fused"; of "partitioned" its regions
    (std::vector<RegionRecord>, regions),   // stage "partitioned", beside `groups`
    (std::optional<double>, bytesCrossing), // that one region hands to another
    // Of the imported graph: where two documents have the same, origins are ids of the same nodes.
    (std::string, imported),
    (Diags, diagnostics)
)

// --- fuse and explain

FW_WORDS(CandidateVerdict, "", "chosen", "ready", "refused")

FW_RECORD(CandidateRecord,
    (SharedText, name),
    (MakerRecord, maker),
    (CandidateVerdict, verdict),
    (SharedText, code),    // reason code, e.g. CHO02
    (SharedText, sentence),
    (std::optional<int>, priority),
    (SharedText, guard),   // with the values of its names: "M > 16: M = 8"; empty if there is none
    (SharedText, level),   // the block of the books: "dense on x86-64"
    (SharedText, place),   // where the books say it: "strategy.fw:12, my.fw:3"
    (std::optional<double>, estUs),
    (std::optional<double>, measuredUs)
)

// What a library computes for a group: `postOps` is what its call does behind its own computation.
FW_RECORD(CallRecord,
    (std::string, library), // "onednn"
    (std::vector<std::string>, postOps)
)

// A step of its own that brings a tensor into the order that a library wants, or back.
FW_RECORD(ReorderRecord,
    (std::string, name),            // of the step, as `fw profile` shows it
    (std::string, value),           // the tensor
    (std::string, layout),          // of the library's side
    (std::optional<double>, bytes), // read and written; none with free dimensions
    (std::optional<double>, estUs)
)

FW_WORDS(ChoiceSource, "", "pin", "priority", "only", "cost", "order", "rule", "log")

FW_RECORD(GroupRecord,
    (int, id, -1),
    (std::string, name),
    (std::vector<std::string>, nodes),  // names, in order of execution
    (std::vector<NodeId>, nodeIds),     // the same nodes, ids of stage "fused"
    (std::vector<NodeId>, origins),     // nodes of the imported graph that they stand for
    (NodeId, anchorId, noNode),
    (std::string, anchor),
    (SharedText, implementation),
    (MakerRecord, maker),
    (ChoiceSource, source),             // empty of a view
    (bool, untuned),                    // a log was named, which knows none of the candidates
    (std::vector<CandidateRecord>, candidates),
    (SharedText, schedule),             // the schedule as text
    (std::optional<CallRecord>, call),
    (std::vector<ReorderRecord>, reorders),
    (std::vector<std::string>, warnings),
    (std::vector<TensorRecord>, inputs),
    (std::vector<TensorRecord>, outputs),
    (std::optional<double>, estUs),
    (std::optional<double>, flops),
    (std::optional<double>, bytes),     // read and written by the group
    (std::optional<double>, aloneUs),   // measured, repeated on warm caches
    (std::optional<double>, splitUs),   // measured with every operator in a group of its own
    (std::optional<double>, forcedUs),  // measured together with what the implementation refused
    (std::vector<std::string>, forced), // the operators of that
    (std::optional<bool>, agree),       // the measured forms gave equal outputs, within 1e-4
    (bool, disturbed),                  // other work disturbed one of these times
    // Of these times the spread, third quartile less first, and what plans of these forms expect.
    (std::optional<double>, aloneIqrUs),
    (std::optional<double>, splitIqrUs),
    (std::optional<double>, forcedIqrUs),
    (std::optional<double>, splitEstUs),
    (std::optional<double>, forcedEstUs)
)

// For people: "cost, untuned"; empty of a view.
inline std::string chosenBy(const GroupRecord& group) {
    return group.source.str() + (group.untuned ? ", untuned" : "");
}

// What an answer made anew; the rest was known from earlier ones.
FW_RECORD(MadeRecord,
    (bool, imported),
    (bool, rewritten),
    (bool, planned),
    (std::int64_t, lowered) // groups: their loops, or the call of a library
)

FW_RECORD(FuseDocument,
    (std::string, model),
    (std::string, target),                      // complete: every part spelled out
    (std::vector<GroupRecord>, groups),
    (std::vector<DecisionRecord>, decisions),
    (std::vector<DecisionRecord>, assumptions), // about free dimensions; `from` is the node that asks
    (std::vector<std::string>, notices),
    (std::optional<std::int64_t>, arenaBytes),
    (MadeRecord, made)
)

FW_RECORD(GateRecord,
    (std::string, name),
    (bool, pass),
    (std::string, code),
    (std::string, evidence),
    (CandidateVerdict, candidate) // empty: no implementation but a gate
)

FW_RECORD(CounterfactualRecord,
    (std::string, change), // "-libs=", "with simplify.fw"
    (std::string, verdict),
    (std::vector<std::string>, groups),
    (std::string, book)    // that is shipped and switched off; empty: other libraries
)

FW_RECORD(WayRecord,
    (NodeId, node, -1),
    (std::string, name)
)

FW_RECORD(ExplainDocument,
    (std::string, subject),           // "Add_18 and Clip_17", "group 3"
    (std::vector<NodeId>, nodes),     // of stage "fused"
    (std::optional<int>, group),      // that holds the subject, if it is one group
    (DecisionVerdict, verdict),
    (std::string, code),
    (std::string, sentence),
    (std::vector<GateRecord>, gates), // in the order in which they were asked
    (std::vector<DecisionRecord>, decisions),
    (std::vector<CounterfactualRecord>, counterfactuals),
    // ESC01: from where a value is made over what reads it outside to where it comes back, if it
    // does. Of stage "fused".
    (std::vector<WayRecord>, way)
)

// --- what is compared with what was before

// What the same operators took in two runs. A difference below the noise says nothing.
FW_RECORD(TimeDifference,
    (std::optional<double>, beforeUs), // nothing: not there, or not measured
    (std::optional<double>, afterUs),
    (double, noiseUs),                 // half of the spreads of both: where their middle halves meet
    (SharedText, code)                 // TIM04: disturbed, TIM06: within the noise; empty: it counts
)

// Groups that belong together: those of the later run, and what they were.
FW_RECORD(GroupDifference,
    (std::vector<int>, groupIds),
    (std::vector<std::string>, groups),
    (std::vector<std::string>, before),
    (TimeDifference, time)
)

// A run beside one that was kept: the baseline.
FW_RECORD(TimesComparison,
    (std::string, model),                // of the baseline, like all down to `threads`
    (std::string, target),
    (std::string, machine),
    (std::string, taken),
    (int, threads),
    (std::vector<DecisionRecord>, apart), // why the runs do not compare; `note`: what to know
    (TimeDifference, endToEnd),
    (TimeDifference, sum),                // of all groups
    (std::vector<GroupDifference>, groups)
)

// Whether differences mean anything.
inline bool isComparable(const TimesComparison& times) {
    for (const DecisionRecord& decision : times.apart)
        if (decision.verdict == "no")
            return false;
    return true;
}

// --- diff

// `changed` of graphs, the first five of plans.
FW_WORDS(ChangeKind, "", "merged", "split", "regrouped", "nodes", "implementation", "added", "removed",
         "changed")

FW_RECORD(ChangeRecord,
    (ChangeKind, kind),
    (std::string, name),                  // of the first group after (before, if none is left)
    (std::string, sentence),              // for people
    (std::vector<std::string>, before),   // groups
    (std::vector<std::string>, after),
    (std::vector<int>, beforeIds),
    (std::vector<int>, afterIds),
    (std::vector<NodeId>, nodes),         // of the groups after (before, if none is left)
    (std::optional<double>, estBeforeUs), // sums over the groups
    (std::optional<double>, estAfterUs),
    (std::optional<TimeDifference>, measured)
)

FW_RECORD(DiffDocument,
    (std::string, before), // what is compared: targets, models or books
    (std::string, after),
    (std::vector<ChangeRecord>, added),
    (std::vector<ChangeRecord>, removed),
    (std::vector<ChangeRecord>, changed),
    (std::optional<double>, estBeforeUs), // of two plans: sums over all groups with code
    (std::optional<double>, estAfterUs),
    (std::string, otherSizes),            // why estimates say nothing of each other: "y is f32[8, 4] and was f32[M, 4]"
    (std::optional<TimeDifference>, measured), // of all groups, where both plans were
    (std::vector<DecisionRecord>, apart),      // why these times do not compare
    (std::vector<ChangeRecord>, same)          // groups that are as they were; only where they are asked for
)
inline bool isEmpty(const DiffDocument& diff) {
    return diff.added.empty() && diff.removed.empty() && diff.changed.empty();
}

// One side of `fw diff`: a plan, or for two graphs the whole answer.
FW_RECORD(DiffSideDocument,
    (std::string, label),
    (FuseDocument, plan),
    (std::optional<DiffDocument>, graphs)
)

// --- run, bench, profile

FW_RECORD(OutputRecord,
    (std::string, name),
    (std::string, dtype),
    (std::vector<std::int64_t>, shape),
    (std::string, file),   // empty if not written
    (std::string, summary) // a few values, for people
)

// What a start cost, in milliseconds of wall time unless said.
FW_RECORD(StartRecord,
    (double, processMs),      // until the worker took requests: loading the program and LLVM
    (double, importMs),       // with the books
    (double, rewriteMs),
    (double, librariesMs),    // opening oneDNN and OpenBLAS
    (double, machineMs),      // measuring ceilings of this machine that were not known
    (double, fuseMs),
    (double, lowerMs),        // schedules and loops, on all cores
    (double, kernelsMs),      // calls of libraries and machine code, on all cores
    (double, codegenMs),      // of these machine code, summed over threads
    (double, assembleMs),
    (double, loadMs),
    (std::int64_t, compiled), // kernels
    (std::int64_t, cached),   // kernels that the cache had
    (double, packedBytes)     // of weights; the others were those of an earlier compilation
)

FW_RECORD(RunDocument,
    (std::string, model),
    (std::string, target),
    (std::vector<OutputRecord>, outputs),
    (std::vector<ComparisonRecord>, sets),
    (bool, randomInputs),               // seeded, because no data were given
    (double, compileMs),
    (double, runMs),
    (StartRecord, start),
    (std::vector<std::string>, notices),
    (std::vector<OutputRecord>, values) // inner ones that were asked for
)

FW_RECORD(BenchRow,
    (std::string, model),
    (double, medianMs),
    (double, p90Ms),
    (double, minMs),
    (bool, disturbed),                     // by other work
    (std::optional<std::int64_t>, beside), // busy processes beside a second measurement
    (std::optional<double>, besideMs),     // its median
    (std::int64_t, runs),
    (double, compileMs),
    (double, loadMs),
    (double, peakRssMb),
    (int, threads),
    (StartRecord, start)
)

FW_RECORD(BenchDocument,
    (std::string, target),
    (std::vector<BenchRow>, models),
    (std::vector<std::string>, notices)
)

FW_RECORD(ShareRecord,
    (NodeId, id, noNode),            // of stage "fused"
    (std::string, name),
    (std::optional<double>, share),  // of the group's time, 0..1
    (bool, estimated, true),         // divided by estimate inside one kernel, not measured
    (std::optional<double>, aloneUs) // measured as a group of its own; with --each
)

FW_RECORD(ProfileRow,
    (int, groupId, -1),
    (std::string, group),
    (std::vector<ShareRecord>, nodes),
    (std::string, implementation),
    (MakerRecord, maker),
    (std::int64_t, calls),            // per run of the model
    (double, medianUs),               // per run of the model
    (double, minUs),
    (bool, disturbed),                // by other work
    (std::optional<double>, p95Us),
    (double, share),                  // of the sum of all groups, 0..1
    (std::optional<double>, flops),
    (std::optional<double>, bytes),
    (std::optional<double>, gflops),  // per second
    (std::optional<double>, gbps),
    (std::optional<double>, aloneUs), // repeated on warm caches; with --each
    // What the plan expected of the group; nothing if it has several rows, or free dimensions.
    (std::optional<double>, estUs),
    (std::optional<double>, iqrUs),   // third quartile less first
    (std::vector<NodeId>, origins)    // nodes of the imported graph that its nodes stand for
)

FW_RECORD(ProfileDocument,
    (std::string, model),
    (std::string, target),
    (std::vector<ProfileRow>, rows),
    (double, endToEndMs),               // median of runs without instrumentation
    (double, sumMs),                    // of the groups' medians
    (std::int64_t, runs),
    (int, threads),
    (double, iqrPercent),               // (q3 - q1) / median of the end-to-end runs
    (bool, disturbed),                  // the end-to-end runs, by other work
    (double, compileMs),
    (StartRecord, start),
    (bool, randomInputs),
    (ByName<std::int64_t>, dims),       // what the free dimensions were
    (std::vector<std::string>, misses), // groups whose time was expected wrongly, the worst first
    (std::vector<std::string>, notices),
    (std::string, machine),             // its CPU
    (std::string, taken),               // when: "2026-11-28T18:40:12Z"
    (ByName<std::string>, inputs),      // what was given: "f32[1, 3, 224, 224]"
    (std::optional<TimesComparison>, against)
)

// --- tune

// One implementation of one workload.
FW_RECORD(TuneRow,
    (std::string, group),  // the first with this workload
    (std::string, size),   // "N = 16" where it was measured at several; else empty
    (std::string, implementation),
    (double, us),          // of the group's operators, with this implementation for its anchor
    (std::int64_t, count), // groups with this workload
    (bool, chosenBefore),
    (bool, chosenNow),
    (bool, disturbed)      // by other work: it decides nothing
)

FW_RECORD(TuneDocument,
    (std::string, model),
    (std::string, target),
    (std::string, log),        // the file that was appended to
    (std::vector<TuneRow>, rows),
    (std::int64_t, measured),  // workloads
    (std::int64_t, workloads), // all that have a choice, those of other shards among them
    (std::int64_t, improved),  // of them, those that get another implementation
    // Sums over all groups that were measured; of one at several sizes their mean.
    (double, beforeMs),
    (double, afterMs),
    (std::vector<std::string>, notices)
)

// --- verify

FW_WORDS(VerifyVerdict, "", "exact", "within", "differs", "not run",
         "refused") // no code for it

// One implementation of one group against the reference.
FW_RECORD(VerifyRow,
    (std::string, group),              // the first with these operators
    (std::vector<int>, groups),        // ids of all that have them
    (std::string, implementation),
    (VerifyVerdict, verdict),
    (bool, differs),
    (bool, exact, true),               // on integers every bound was 0
    (std::int64_t, comparisons),       // values x sizes x threads x runs
    (std::optional<double>, integers), // the largest error on integers
    (std::optional<double>, random),   // on random values
    (std::optional<double>, share),    // of what is allowed, the largest; none: nothing was
    (std::string, worst),              // where, and at which values, sizes and threads
    (std::string, reason),             // not run, or refused
    (std::string, file)                // the smallest graph that shows it
)

FW_RECORD(VerifyModel,
    (std::string, model),
    (std::vector<VerifyRow>, rows),
    (std::int64_t, groups),   // distinct ones
    (std::int64_t, agreeing),
    (std::int64_t, differing),
    (std::int64_t, notRun),
    (std::int64_t, elements), // of the references, over values and sizes
    (std::int64_t, judged),   // of them, those with a bound
    (double, seconds),
    (std::vector<std::string>, notices)
)

FW_RECORD(VerifyDocument,
    (std::string, target),
    (std::vector<VerifyModel>, models)
)

// --- value

// A tensor of the model, in numbers. Those that are no finite numbers are counted, and left out of
// the rest.
FW_RECORD(ValueDocument,
    (std::string, name),
    (std::string, type),
    (std::string, origin),                  // "constant", "computed of random inputs", ...
    (NodeId, node, noNode),
    (int, output),
    (std::int64_t, count),                  // elements
    (std::int64_t, zeros),
    (std::int64_t, notNumbers),             // NaN
    (std::int64_t, infinite),
    (std::optional<double>, least),
    (std::optional<double>, most),
    (std::optional<double>, mean),
    (std::optional<double>, deviation),     // standard
    (std::vector<std::int64_t>, histogram), // equal steps from least to most
    (std::vector<std::string>, first),      // elements in row-major order, as text
    (std::string, file)                     // where all of them were written; empty: nowhere
)

// --- the other commands

FW_RECORD(SpanRecord,
    (int, from),                 // lines of the text, from 1, both included
    (int, to),
    (std::vector<NodeId>, nodes) // of stage "fused"
)

FW_RECORD(StagesDocument,
    (std::string, stage),
    (std::optional<int>, group),
    (std::string, text),
    (std::vector<SpanRecord>, spans)
)

FW_RECORD(ExportDocument,
    (std::string, directory),
    (std::vector<std::string>, files), // relative to the directory
    (std::string, abi),
    (std::string, target),
    (std::vector<std::string>, libraries),
    (ByName<std::string>, sha256),     // file -> digest
    (std::vector<std::string>, notices)
)

// clang-format on

} // namespace fw::snapshot
