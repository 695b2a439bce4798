// A worker for tests of the window: answers canned documents of a small residual network. The name
// of the model says how it misbehaves: `bad` cannot be opened, `die_COMMAND` aborts in that command
// after a line of progress, `hang_COMMAND` waits for cancel, `deaf_COMMAND` waits and ignores it,
// `fresh` needs a worker that answered nothing before, `never_fresh` finds none.
#include "snapshot/protocol.h"
#include "snapshot/schedule_records.h"
#include "window/fake_books.h"

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <mutex>
#include <set>
#include <thread>
#include <unistd.h>

using namespace fw;
using namespace fw::snapshot;

namespace {

std::mutex mutex;
std::condition_variable changed;
std::deque<Request> requests;
std::set<std::int64_t> cancelled;
bool ended = false;

void writeLine(const std::string& line) {
    std::cout << line << std::endl;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

NodeRecord node(NodeId id, const std::string& op, const std::string& name,
                const std::vector<NodeId>& inputs, const std::string& type) {
    NodeRecord out;
    out.id = id;
    out.op = op;
    out.name = name;
    for (const NodeId input : inputs)
        out.inputs.push_back({input, 0, "v" + std::to_string(input)});
    out.outputs = {{"v" + std::to_string(id), type}};
    out.source = "node " + std::to_string(id);
    if (op == "conv2d")
        out.attributes = {{"strides", "[1, 1]"}, {"pads", "[1, 1, 1, 1]"}, {"groups", "1"}};
    return out;
}

const std::string machineName = "Some CPU";
const std::string wide = "f32[1,64,56,56]";

GraphDocument importedGraph() {
    GraphDocument out;
    out.stage = "imported";
    out.name = "residual";
    out.nodes = {node(1, "input", "x", {}, wide),
                 node(2, "constant", "conv1.weight", {}, "f32[64,64,3,3]"),
                 node(3, "conv2d", "Conv_12", {1, 2}, wide),
                 node(4, "batch_norm", "Bn_13", {3}, wide),
                 node(5, "relu", "Relu_14", {4}, wide),
                 node(6, "conv2d", "Conv_15", {5}, wide),
                 node(7, "batch_norm", "Bn_16", {6}, wide),
                 node(8, "add", "Add_17", {7, 1}, wide),
                 node(9, "relu", "Relu_18", {8}, wide),
                 node(10, "softmax", "Softmax_19", {9}, wide)};
    out.nodes[1].constant = true;
    out.inputs = {1};
    out.results = {{10, 0, "v10"}};
    return out;
}

// With x86-64-v3, or without oneDNN, the addition stays alone; otherwise the second convolution
// absorbs it.
bool splitsAdd(const std::string& target) {
    return has(target, "v3") || (has(target, "-libs=") && !has(target, "onednn"));
}

GraphDocument fusedGraph(const std::string& target) {
    GraphDocument out;
    out.stage = "fused";
    out.name = "residual";
    out.nodes = {node(21, "input", "x", {}, wide),
                 node(22, "conv2d", "Conv_12", {21, 30}, wide),
                 node(23, "bias", "Bn_13 folded", {22}, wide),
                 node(24, "relu", "Relu_14", {23}, wide),
                 node(25, "conv2d", "Conv_15", {24}, wide),
                 node(26, "bias", "Bn_16 folded", {25}, wide),
                 node(27, "add", "Add_17", {26, 21}, wide),
                 node(28, "relu", "Relu_18", {27}, wide),
                 node(29, "softmax", "Softmax_19", {28}, wide)};
    out.nodes.insert(out.nodes.begin() + 1,
                     node(30, "constant", "conv1.weight", {}, "f32[64,64,3,3]"));
    out.nodes[1].constant = true;
    const std::vector<std::vector<NodeId>> origins = {{1},    {2}, {3, 4, 2}, {4}, {5},
                                                      {6, 7}, {7}, {8},       {9}, {10}};
    const bool split = splitsAdd(target);
    const std::vector<int> groups = {-1,           -1, 0, 0, 0, 1, 1, split ? 2 : 1, split ? 2 : 1,
                                     split ? 3 : 2};
    for (std::size_t i = 0; i < out.nodes.size(); ++i) {
        out.nodes[i].origins = origins[i];
        out.nodes[i].group = groups[i];
    }
    out.inputs = {21};
    out.results = {{29, 0, "v29"}};
    const MakerRecord ours{Maker::Generated, {}};
    out.groups = {
        {0, "conv2d_bias_relu_0", "generated.conv2d", ours, 210},
        {1, split ? "conv2d_bias_1" : "conv2d_bias_add_relu_1", "generated.conv2d", ours, 205}};
    if (split)
        out.groups.push_back({2, "add_relu_2", "generated.elementwise", ours, 22});
    out.groups.push_back(
        {split ? 3 : 2, split ? "softmax_3" : "softmax_2", "generated.reduction", ours, 31});
    return out;
}

FuseDocument plan(const std::string& model, const std::string& target,
                  const std::string& pins = {}) {
    FuseDocument out;
    out.model = model;
    out.target = target.empty() ? "x86-64 -mcpu=x86-64-v4 -libs= -threads=2" : target;
    const GraphDocument graph = fusedGraph(target);
    for (const GroupLabel& label : graph.groups) {
        GroupRecord group;
        group.id = label.id;
        group.name = label.name;
        group.implementation = label.implementation;
        group.maker = label.maker;
        group.source = "only";
        group.estUs = label.estUs;
        group.flops = 231e6;
        group.bytes = 1.8e6;
        group.schedule = "tile oc 16, ow 8\nvectorize oc\nparallel n, oh";
        group.inputs = group.outputs = {{"x", wide}};
        group.candidates = {{label.implementation,
                             label.maker,
                             "chosen",
                             "CHO01",
                             "the only implementation: generated",
                             10,
                             "",
                             "conv2d on any",
                             "strategy.fw:10",
                             label.estUs,
                             {}},
                            {"onednn.conv",
                             {Maker::Library, "onednn"},
                             "refused",
                             "GRD01",
                             "its condition does not hold: onednn is not in -libs",
                             15,
                             "libs has onednn: libs = ",
                             "conv2d on x86-64",
                             "strategy.fw:44",
                             {},
                             {}},
                            {"generated.plain",
                             {Maker::Generated, {}},
                             "ready",
                             "SCH11",
                             "the default schedule: plain",
                             5,
                             "",
                             "conv2d on any",
                             "strategy.fw:11",
                             2 * label.estUs.value_or(0),
                             {}}};
        for (const NodeRecord& member : graph.nodes) {
            if (member.group == label.id) {
                group.nodes.push_back(member.name);
                group.nodeIds.push_back(member.id);
            }
        }
        group.anchor = group.nodes.front();
        group.anchorId = group.nodeIds.front();
        if (has(pins, group.anchor))
            group.source = "pin";
        out.groups.push_back(group);
    }
    out.decisions = {
        {"Conv_12", "Bn_13", 22, 23, "yes", "FUS02",
         "the implementation absorbs it as an epilogue: bias"},
        {"Relu_14", "Conv_15", 24, 25, "no", "IMP03", "the group already has an anchor: Conv_12"}};
    if (splitsAdd(target))
        out.decisions.push_back(
            {"Bn_16", "Add_17", 26, 27, "no", "IMP02",
             "the implementation cannot absorb it: an add with a second tensor"});
    return out;
}

ProfileDocument profile(const std::string& model, const std::string& target) {
    ProfileDocument out;
    out.model = model;
    out.target = target;
    const FuseDocument groups = plan(model, target);
    double sum = 0;
    for (const GroupRecord& group : groups.groups)
        sum += *group.estUs;
    for (const GroupRecord& group : groups.groups) {
        ProfileRow row;
        row.groupId = group.id;
        row.group = group.name;
        row.implementation = group.implementation;
        row.calls = 1;
        row.medianUs = *group.estUs;
        row.iqrUs = *group.estUs / 50;
        row.share = *group.estUs / sum;
        row.flops = group.flops;
        row.bytes = group.bytes;
        row.gflops = *group.flops / *group.estUs / 1e3;
        row.gbps = *group.bytes / *group.estUs / 1e3;
        for (std::size_t i = 0; i < group.nodeIds.size(); ++i)
            row.nodes.push_back(
                {group.nodeIds[i], group.nodes[i], i == 0 ? 0.9 : 0.05, group.nodeIds.size() > 1});
        out.rows.push_back(row);
    }
    out.sumMs = sum / 1e3;
    out.endToEndMs = out.sumMs * 1.04;
    out.runs = 200;
    out.threads = 2;
    out.iqrPercent = 2;
    out.compileMs = 812;
    out.randomInputs = true;
    out.machine = machineName;
    out.taken = "2026-11-28T18:40:12Z";
    out.inputs = {{"x", wide}};
    return out;
}

// `fuse --measure --of`: the groups of these nodes.
FuseDocument measured(FuseDocument of, const std::vector<std::string>& nodes) {
    std::erase_if(of.groups, [&](const GroupRecord& group) {
        return std::none_of(nodes.begin(), nodes.end(), [&](const std::string& name) {
            return name == "#" + std::to_string(group.anchorId);
        });
    });
    for (GroupRecord& group : of.groups) {
        group.aloneUs = *group.estUs;
        group.aloneIqrUs = 2;
        group.splitUs = *group.estUs * 1.5;
        group.splitIqrUs = 4;
        group.splitEstUs = *group.estUs * 2;
        group.agree = true;
    }
    if (of.groups.size() == 2) {
        of.groups[0].forcedUs = *of.groups[0].estUs;
        of.groups[0].forcedIqrUs = 3;
        of.groups[0].forcedEstUs = 190;
        of.groups[0].forced = of.groups[0].nodes;
    }
    return of;
}

ExplainDocument explain(const Arguments& arguments) {
    ExplainDocument out;
    out.subject = arguments.nodes.size() > 1 ? "Bn_16 and Add_17" : "Add_17";
    for (const std::string& name : arguments.nodes)
        out.nodes.push_back(std::atoll(name.c_str() + 1));
    out.group = 1;
    const bool no = splitsAdd(arguments.target);
    out.verdict = decltype(out.verdict)::of(no ? "no" : "yes");
    out.code = no ? "IMP02" : "FUS02";
    out.sentence = no ? "Add_17 is not fused into conv2d_bias_1."
                      : "Add_17 is fused into conv2d_bias_add_relu_1.";
    out.gates = {{"anchor found", true, "FUS01", "conv2d, generated.conv2d"},
                 {"shapes equal", true, "FUS01", wide},
                 {"single consumer", true, "FUS01", "Bn_16 to Add_17"},
                 {"convex", true, "FUS01", "no path leaves the group"},
                 {"implementation absorbs it", !no, no ? "IMP02" : "FUS02",
                  no ? "generated.conv2d absorbs bias, relu; not an add with a second tensor"
                     : "an add with a second tensor"}};
    out.counterfactuals = {{"-libs=onednn", "yes", {"conv2d_bias_add_relu_1"}},
                           {"-libs=", "no", {"add_relu_2"}}};
    return out;
}

ScheduleDocument schedule(const Arguments& arguments) {
    ScheduleDocument out;
    out.group = arguments.group.value_or(-1);
    out.name = "group";
    out.implementation = arguments.name.empty() ? "generated.tiled" : arguments.name;
    out.notBegun = "it is canned";
    out.bytes = 1536;
    out.held = HeldRecord{64, 0, 0};
    out.loops = {{0, "loop", "n", "parallel", "4"},
                 {1, "held", "t0", "register", "f32[16]", 64},
                 {1, "loop", "a", "vector", "16"},
                 {2, "computed", "out0", "stored"}};
    return out;
}

StagesDocument stages(const Arguments& arguments) {
    StagesDocument out;
    out.stage = arguments.stage;
    out.group = arguments.group;
    out.text = "# stage " + arguments.stage +
               "\nparallel for n, oh:\n    for oc_o in 0..4:\n"
               "        acc[16] = 0\n        for ic, kh, kw:\n            acc += x * w\n"
               "        y = max(acc + b, 0)\n";
    out.spans = {{2, 6, {22}}, {7, 7, {23, 24}}};
    return out;
}

bool waitForCancel(std::int64_t id) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ended || cancelled.contains(id); });
    return cancelled.contains(id);
}

void serve(const Request& request) {
    const std::string& command = request.command;
    const std::string& model = request.arguments.model;
    std::cerr << "fake: " << command << " " << request.arguments.stage << std::endl;
    if (has(model, "bad"))
        return writeLine(
            errorLine(request.id, makeDiag(DiagCode::NotOnnx, "this is no model",
                                           Where{model, "", 0, 0}, "choose an .onnx file")));
    static int served = 0;
    if (has(model, "never_fresh") || (has(model, "fresh") && served > 0))
        return writeLine(
            errorLine(request.id, makeDiag(DiagCode::LibraryLevel, "onednn was opened at avx2")));
    ++served;
    // A book may part the addition, too.
    Arguments asked = request.arguments;
    for (const std::string& file : asked.rules)
        if (has(fake::textOf(asked, file), "part_the_addition"))
            asked.target += " -mcpu=x86-64-v3";
    for (const BookSource& source : asked.texts)
        if (has(source.text, "die_"))
            std::abort();
    const Arguments& arguments = asked;
    if (has(arguments.target, "bogus"))
        return writeLine(errorLine(
            request.id, makeDiag(DiagCode::UnknownTarget, "unknown target 'bogus'", {}, "x86-64")));
    if (command == "graph" || command == "fuse")
        for (const std::string& book : arguments.rules)
            if (book.ends_with("missing.fw"))
                return writeLine(errorLine(
                    request.id, makeDiag(DiagCode::FileMissing, "cannot be read", {book})));
    writeLine(progressLine(request.id, {command, "conv2d_bias_relu_0", 1, 3}));
    if (has(arguments.model, "die_" + command))
        std::abort();
    if (has(arguments.model, "deaf_" + command)) {
        while (true)
            pause();
    }
    if (has(arguments.model, "hang_" + command) && waitForCancel(request.id))
        return writeLine(errorLine(request.id, makeDiag(DiagCode::Cancelled, "cancelled")));
    std::string document;
    if (command == "info") {
        InfoDocument info;
        info.model = arguments.model;
        info.name = "residual";
        info.inputs = info.outputs = {{"x", wide}};
        info.nodes = 8;
        info.ops = {{"conv2d", 2}, {"batch_norm", 2}, {"relu", 2}, {"add", 1}, {"softmax", 1}};
        info.opset = 13;
        document = toJson(info);
    } else if (command == "graph") {
        document =
            toJson(arguments.stage == "fused" ? fusedGraph(arguments.target) : importedGraph());
    } else if (command == "fuse") {
        if (arguments.measure && has(arguments.model, "hang_measure") && waitForCancel(request.id))
            return writeLine(errorLine(request.id, makeDiag(DiagCode::Cancelled, "cancelled")));
        const FuseDocument all = plan(arguments.model, arguments.target, arguments.pins);
        document = toJson(arguments.measure ? measured(all, arguments.nodes) : all);
    } else if (command == "profile") {
        document = toJson(profile(arguments.model, arguments.target));
    } else if (command == "explain") {
        document = toJson(explain(arguments));
    } else if (command == "stages") {
        document = toJson(stages(arguments));
    } else if (command == "schedule") {
        document = toJson(schedule(arguments));
    } else if (command == "rewrite") {
        RewriteDocument done;
        done.nodesBefore = 8;
        done.nodesAfter = 7;
        done.applied = {{"fold_batch_norm", "simplify.fw", 2, 0.1}};
        done.stopReason = "fixpoint";
        for (const BookSource& source : arguments.texts)
            if (has(source.text, "never_ends"))
                done.stopReason = "limit: 10000 applications";
        if (!arguments.rules.empty())
            done.applied.push_back({"my_rule", arguments.rules.front(), 3, 0.2});
        document = toJson(done);
    } else if (command == "order") {
        document = toJson(fake::order(arguments));
    } else if (command == "match" && !arguments.book.empty()) {
        const std::string& file = arguments.book;
        document = toJson(fake::match(arguments.stage, file, fake::textOf(arguments, file)));
    } else if (command == "check" && !arguments.texts.empty()) {
        const std::string file = arguments.rules.front();
        document = toJson(fake::check(file, fake::textOf(arguments, file)));
    } else if (command == "assist") {
        document = toJson(
            fake::assist(fake::textOf(arguments, arguments.position->file), *arguments.position));
    } else if (command == "format") {
        document = toJson(fake::format(arguments.book, fake::textOf(arguments, arguments.book)));
    } else if (command == "book") {
        document = toJson(fake::book(arguments.name));
    } else if (command == "match") {
        MatchDocument found;
        found.stage = MatchedStage::find(arguments.stage).value_or(MatchedStage());
        if (arguments.rules.empty() || arguments.shipped.value_or(false)) {
            found.rules.resize(2);
            found.rules[0].name = "fold_batch_norm";
            found.rules[0].line = 25;
            found.rules[1].name = "merge_bias";
            found.rules[1].line = 40;
            for (RuleMatches& rule : found.rules) {
                rule.kind = "rule";
                rule.file = "simplify.fw";
            }
            found.rules[0].matches = {{"Bn_13", 4, {"Conv_12", "Bn_13"}, {3, 4}, {{"c", "v3"}}}};
            found.rules[0].matches[0].outcome = "RUL11 a rule was applied: number 1";
            found.rules[1].nearMisses = {{"Conv_12", 3, 1, 2, "bias(x)", "bias", "conv2d"}};
        }
        if (!arguments.rules.empty()) {
            RuleMatches& own = found.rules.emplace_back();
            own.name = "my_rule";
            own.kind = "rule";
            own.file = arguments.rules[0];
            own.line = 1;
        }
        document = toJson(found);
    } else if (command == "check") {
        CheckDocument check;
        check.file = arguments.rules.front();
        check.items = {{{}, "my_rule", "rule", "ok", {}, {}, {}}};
        if (has(check.file, "wrong"))
            check.items.push_back(
                {{},
                 "broken_rule",
                 "rule",
                 "refused",
                 {makeDiag(DiagCode::RuleIllegal, "y is not bound", Where{check.file, "", 3, 1})},
                 {},
                 {}});
        document = toJson(check);
    } else if (command == "value") {
        ValueDocument value;
        value.name = "conv1.weight";
        value.node = std::atoll(arguments.nodes.front().c_str() + 1);
        value.type = "f32[64,64,3,3]";
        value.origin = "constant";
        value.count = 36864;
        value.least = -0.5;
        value.most = 0.75;
        value.mean = 0.01;
        value.deviation = 0.1;
        value.histogram = {1, 5, 20, 9, 2};
        value.first = {"0.1", "-0.2"};
        document = toJson(value);
    } else if (command == "run") {
        RunDocument run;
        run.compileMs = 812;
        run.runMs = 0.5;
        document = toJson(run);
    } else if (command == "export") {
        ExportDocument done;
        done.directory = arguments.output;
        done.files = {"libresidual.so", "residual.h", "weights.bin"};
        document = toJson(done);
    } else if (command == "lint") {
        document = toJson(LintDocument{true, {}});
    } else if (command == "ops") {
        document = toJson(OpsDocument());
    } else if (command == "doctor") {
        DoctorDocument doctor;
        doctor.cpu = {machineName, "x86-64-v4", {"avx2", "avx512f"}, 2, 512};
        doctor.libraries = {
            {"onednn", "2.6.3", "avx512", "ready", "", ""},
            {"openblas", "", "", "missing", "the library was not found", "libopenblas0-openmp"}};
        document = toJson(doctor);
    } else {
        return writeLine(errorLine(request.id, makeDiag(DiagCode::Usage, "unknown " + command)));
    }
    writeLine(resultLine(request.id, document));
}

} // namespace

int main(int count, char** arguments) {
    if (count != 2 || std::string(arguments[1]) != "--worker")
        return 2;
    if (std::getenv("FW_FAKE_DIES_AT_START"))
        return 3;
    writeLine(helloLine({"fake", getpid()}));
    std::thread reader([] {
        std::string line;
        while (std::getline(std::cin, line)) {
            auto command = readCommand(line);
            if (!command) {
                writeLine(errorLine(0, command.diag()));
                continue;
            }
            const std::scoped_lock lock(mutex);
            if (command->cancel)
                cancelled.insert(*command->cancel);
            else
                requests.push_back(*command->request);
            changed.notify_all();
        }
        const std::scoped_lock lock(mutex);
        ended = true;
        changed.notify_all();
    });
    reader.detach();
    while (true) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [] { return ended || !requests.empty(); });
        if (requests.empty())
            _exit(0);
        const Request request = requests.front();
        requests.pop_front();
        lock.unlock();
        serve(request);
    }
}
