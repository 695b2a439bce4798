#include "fuzz/oracles.h"

#include "base/random.h"
#include "fuzz/compare.h"
#include "fuzz/drawn_ways.h"
#include "fuzz/evaluate.h"
#include "fuzz/exported.h"
#include "fuzz/numbers.h"
#include "ir/bound_dims.h"
#include "ir/graph_text.h"
#include "loop/trial.h"
#include "loop/verify_loops.h"
#include "onnx/model/npy.h"
#include "onnx/read/import.h"
#include "onnx/write/export.h"
#include "tensor/evaluate_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace fw::fuzz {

namespace {

bool holdsNoNumber(const Graph& graph) {
    return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const NodePtr& node) {
        if (!node->data || !isFloat(node->data->dtype()))
            return false;
        const std::vector<double> values = node->data->toDoubles();
        return std::any_of(values.begin(), values.end(),
                           [](double value) { return !std::isfinite(value); });
    });
}

// The judge lets elements pass that are no sizes where the program refuses them.
bool bindsNoSize(const Case& with) {
    bool out = false;
    const auto look = [&](const Node& node, std::size_t, TensorData& data) {
        for (std::size_t i = 0; node.op == "bind_dims" && i < data.count(); ++i)
            out = out || data.integerAt(i) < 0 || data.integerAt(i) > largestBoundDim;
    };
    return evaluateNodes(*with.graph, with.sizes, with.inputs, look).ok() && out;
}

// The results where what is computed and no number is the largest one or 0 instead: an element that
// stays as it was has nothing infinite behind it.
std::vector<TensorData> keptInside(const Case& with) {
    const auto keep = [](const Node& node, std::size_t, TensorData& data) {
        if (node.isLeaf() || !isFloat(data.dtype()))
            return;
        const double largest = rangeOf(data.dtype()).largest;
        std::vector<double> values = numbersOf(data);
        for (double& value : values)
            value = std::isnan(value) ? 0 : std::clamp(value, -largest, largest);
        data = dataOf(data.dtype(), data.extents(), values);
    };
    Result<Evaluated> out = evaluateNodes(*with.graph, with.sizes, with.inputs, keep);
    return out ? std::move(out->results) : with.wanted;
}

struct Ask {
    Engine& engine;
    const Setting& setting;
    const Case& one;
    Answered out;

    // One graph in four runs on two threads by default; the others meet them by `threads`.
    int threads() const { return one.seed % 4 == 0 ? 2 : 1; }
    Way usual() const { return {setting.target(threads())}; }
    // False once something failed.
    bool fail(const std::string& what) {
        if (out.failure.empty())
            out.failure = what;
        return false;
    }
    bool compare(const std::string& name, const Case& with, Result<std::vector<TensorData>> got) {
        ++out.comparisons;
        if (!got)
            return (got.diag().code == DiagCode::InputMismatch && bindsNoSize(with)) ||
                   fail(name + " is refused: " + got.diag().text());
        const Differences found = differences(with, *got);
        return found.text.empty() || passesTheType(with, *got, found) ||
               fail(name + ": " + found.text);
    }
    // Rules hold but for overflow: a sum that left its type is not rounded where a batch norm went
    // into the weights, and 4 * -1.7e38 of weights and a scale is infinite where what they scale is
    // 0. Such elements, those that are no numbers, those behind what is none, as 0 = 1 / inf, or
    // all behind constants that are none, must be what the judge makes of the rewritten graph.
    bool passesTheType(const Case& with, const std::vector<TensorData>& got,
                       const Differences& found) {
        const Result<GraphPtr> graph = engine.rewritten(with.graph);
        if (!graph || found.places.empty())
            return false;
        const bool folded = holdsNoNumber(**graph) && !holdsNoNumber(*with.graph);
        const std::vector<TensorData> kept = keptInside(with);
        for (const Differences::Element& place : found.places) {
            const double wanted = numberAt(with.wanted[place.result], place.element);
            if (!folded && std::isfinite(wanted) &&
                numberAt(kept.at(place.result), place.element) == wanted)
                return false;
        }
        Case other = with;
        other.graph = *graph;
        const auto asItIs = [](const Node&, std::size_t, TensorData&) {};
        Result<Evaluated> evaluated =
            evaluateNodes(**graph, with.sizes, with.inputs, folded ? ValueHook() : asItIs);
        if (!evaluated) // what is right there is not promised
            return folded && evaluated.diag().code == DiagCode::LimitReached;
        other.wanted = std::move(evaluated->results);
        other.exact.assign(other.wanted.size(), false);
        const Differences still = differences(other, got);
        return std::none_of(found.places.begin(), found.places.end(), [&](const auto& place) {
            return std::find(still.places.begin(), still.places.end(), place) != still.places.end();
        });
    }
    bool compareWay(const std::string& name, const GraphPtr& graph, const Way& way) {
        Result<Built> built = engine.build(graph, way);
        if (!built) {
            ++out.comparisons;
            return fail(name + " is refused: " + built.diag().text());
        }
        return compare(name, one, built->loaded->run(one.inputs));
    }
};

void byDefault(Ask& ask) {
    ask.compareWay("default", ask.one.graph, ask.usual());
}

// Core's own evaluation, node by node, of the graph and of what the rules make of it.
void byReference(Ask& ask) {
    if (!ask.compare("the reference", ask.one, evaluateGraph(*ask.one.graph, ask.one.inputs)))
        return;
    const Result<GraphPtr> graph = ask.engine.rewritten(ask.one.graph);
    if (graph)
        ask.compare("rewritten", ask.one, evaluateGraph(**graph, ask.one.inputs));
}

// Every entry that says ready for a group, by a pin: of up to three groups, up to four each.
void byCandidates(Ask& ask) {
    const Result<GraphPtr> graph = ask.engine.rewritten(ask.one.graph);
    if (!graph)
        return;
    const Result<FusionPlan> plan = ask.engine.plan(**graph, ask.usual());
    if (!plan)
        return;
    int asked = 0;
    for (const Group& group : plan->groups) {
        if (group.isView() || asked >= 6)
            continue;
        for (const Candidate& candidate : group.candidates) {
            if (candidate.verdict != Verdict::Yes || candidate.chosen || asked >= 6)
                continue;
            PinClause pin;
            pin.kind = PinKind::Use;
            pin.names = {(*graph)->node(group.anchor).name};
            pin.implementation = candidate.implementation;
            Way way = ask.usual();
            way.pins = {pin};
            way.rewritten = false;
            // Less exact by design, and by a pin only.
            if (candidate.implementation.find("winograd") != std::string::npos)
                continue;
            ++asked;
            if (!ask.compareWay(fmt::format("{} for {}", candidate.implementation, pin.names[0]),
                                *graph, way))
                return;
        }
    }
    ask.out.asked = asked > 0;
}

// Edges that a user ties or cuts.
void byPins(Ask& ask) {
    const Result<GraphPtr> graph = ask.engine.rewritten(ask.one.graph);
    if (!graph)
        return;
    Random random(ask.one.seed ^ 0x9145);
    int asked = 0;
    for (const Edge& edge : someEdges(**graph, random, 3)) {
        PinClause pin;
        pin.kind = random.chance(60) ? PinKind::Together : PinKind::Apart;
        pin.names = {edge.from->name, edge.to->name};
        Way way = ask.usual();
        way.pins = {pin};
        way.rewritten = false;
        ++asked;
        if (!ask.compareWay(fmt::format("{} {}, {}",
                                        pin.kind == PinKind::Apart ? "apart" : "together",
                                        pin.names[0], pin.names[1]),
                            *graph, way))
            return;
    }
    ask.out.asked = asked > 0;
}

// Rules of a user that fuse what the graph has.
void byFuseRules(Ask& ask) {
    const Result<GraphPtr> graph = ask.engine.rewritten(ask.one.graph);
    if (!graph)
        return;
    Random random(ask.one.seed ^ 0xF05E);
    const char* const ways[] = {"", "  as stacked", "  as melted"};
    Way way = ask.usual();
    way.rewritten = false;
    std::size_t rules = 0;
    for (const Edge& edge : someEdges(**graph, random, 3))
        if (edge.from->outputs.size() == 1 && edge.to->outputs.size() == 1)
            way.fusion += fmt::format("fuse drawn{} {{ match {}{} }}\n", rules++, patternOf(edge),
                                      ways[random.below(std::size(ways))]);
    ask.out.asked = rules > 0 && ask.compareWay("with " + way.fusion, *graph, way);
    ask.out.asked = rules > 0;
}

// Operands as NumPy writes what was transposed.
void byFiles(Ask& ask) {
    for (const TensorData& data : ask.one.inputs) {
        const auto bytes = npyOfColumns(data);
        if (!bytes) // NumPy has no such type
            continue;
        ++ask.out.comparisons;
        const Result<TensorData> back = parseNpy(*bytes);
        if (!back || !(back->type() == data.type()) ||
            !std::ranges::equal(back->bytes(), data.bytes())) {
            ask.fail("an operand in Fortran order: " +
                     (back ? "other elements" : back.diag().text()));
            return;
        }
    }
}

void byLibraries(Ask& ask) {
    for (const char* libs : {"", "onednn", "openblas"})
        if (!ask.compareWay(fmt::format("-libs={}", libs), ask.one.graph,
                            {ask.setting.target(ask.threads(), libs)}))
            return;
}

// Own code at every level; the libraries' is the process's.
void byLevel(Ask& ask) {
    for (const Level& level : levels()) {
        if (!canPlay(level) || std::string_view(level.name) == "avx")
            continue;
        if (!ask.compareWay(fmt::format("-mcpu={} -libs=", level.cpu), ask.one.graph,
                            {fmt::format("-mcpu={} -libs= -threads={}", level.cpu, ask.threads())}))
            return;
    }
}

void byThreads(Ask& ask) {
    const int threads = 3 - ask.threads();
    ask.compareWay(fmt::format("-threads={}", threads), ask.one.graph,
                   {ask.setting.target(threads)});
}

void unrewritten(Ask& ask) {
    Way way = ask.usual();
    way.rewritten = false;
    ask.compareWay("unrewritten", ask.one.graph, way);
}

void byText(Ask& ask) {
    ++ask.out.comparisons;
    GraphTextOptions options;
    options.constants = constantsOf(*ask.one.graph);
    const std::string text = printGraph(*ask.one.graph);
    const Result<GraphPtr> back = parseGraph(text, ask.one.graph->operatorSet(), options);
    if (!back)
        ask.fail("the text is refused: " + back.diag().text());
    else if (!((*back)->hash() == ask.one.graph->hash()))
        ask.fail("the text reads back as another graph");
    else if (printGraph(**back) != text)
        ask.fail("the text of what was read is another text");
}

void byOnnx(Ask& ask) {
    if (hasConstantIndexOutside(ask.one)) {
        ask.out.asked = false;
        return;
    }
    const Result<ExportedModel> written = exportModel(*ask.one.graph);
    if (!written) { // what has no ONNX spelling, or none of its type, is refused by name
        ask.out.asked = written.diag().code != DiagCode::UnknownOperator &&
                        written.diag().code != DiagCode::DtypeMismatch &&
                        written.diag().code != DiagCode::UnsupportedAttribute;
        if (ask.out.asked)
            ask.fail("cannot be written as ONNX: " + written.diag().text());
        return;
    }
    const Result<Imported> back = importModelBytes(written->bytes, ask.engine.operators());
    if (!back) {
        ask.fail("the ONNX model is refused: " + back.diag().text());
        return;
    }
    for (const Diag& diag : back->diagnostics)
        if (diag.severity == Severity::Error) {
            ask.fail("the ONNX model: " + diag.text());
            return;
        }
    ask.compare("ONNX", ask.one, evaluateGraph(*back->graph, ask.one.inputs));
}

// The sizes bound before planning, and a second choice of them in what was compiled without.
void byBinding(Ask& ask) {
    if (ask.one.sizes.empty()) {
        ask.out.asked = false;
        return;
    }
    const Result<GraphPtr> early = bound(*ask.one.graph, ask.one.sizes);
    if (!early) {
        ask.fail("bound early: " + early.diag().text());
        return;
    }
    if (!ask.compareWay("bound early", *early, ask.usual()))
        return;
    Result<Built> late = ask.engine.build(ask.one.graph, ask.usual());
    if (!late)
        return; // the default says so
    Case other = ask.one;
    other.sizes = ask.one.others;
    if (const Status evaluated = evaluateCase(other); !evaluated) {
        if (evaluated.diag().code == DiagCode::LimitReached)
            return;
        // The module refuses these sizes, too.
        const Result<std::vector<TensorData>> inputs =
            operandsOf(*ask.one.graph, other.sizes, other.values);
        if (inputs && late->loaded->run(*inputs).ok())
            ask.fail("sizes that the reference refuses are run");
        return;
    }
    if (!isWild(other.values)) // as the generator leaves out what amplifies noise
        for (const TensorData& data : other.wanted)
            if (isFloat(data.dtype()) && !(largestOf(data) < 1e5))
                return;
    if (ask.compare("first sizes", ask.one, late->loaded->run(ask.one.inputs)) &&
        ask.compare("other sizes", other, late->loaded->run(other.inputs)))
        ask.compare("first sizes again", ask.one, late->loaded->run(ask.one.inputs));
}

std::string planText(const FusionPlan& plan) {
    std::string out;
    for (const Group& group : plan.groups) {
        out += fmt::format("{} {} {} {} {}:", group.name, group.implementation, group.source,
                           group.anchor, group.estimateUs);
        for (const NodeId id : group.nodes)
            out += fmt::format(" {}", id);
        out += "\n";
    }
    for (const auto& [value, map] : plan.layouts)
        out += fmt::format("{}.{} {}\n", value.node, value.output, map.text(8));
    for (const auto& [value, home] : plan.homes)
        out += fmt::format("{}.{} in {}.{}\n", value.node, value.output, home.node, home.output);
    return out;
}

void twice(Ask& ask) {
    ++ask.out.comparisons;
    const Result<GraphPtr> first = ask.engine.rewritten(ask.one.graph);
    const Result<GraphPtr> second = ask.engine.rewritten(ask.one.graph);
    if (!first || !second)
        return;
    if (printGraph(**first) != printGraph(**second)) {
        ask.fail("rewritten twice, two graphs");
        return;
    }
    const Result<FusionPlan> a = ask.engine.plan(**first, ask.usual());
    const Result<FusionPlan> b = ask.engine.plan(**second, ask.usual());
    if (!a || !b)
        return;
    if (planText(*a) != planText(*b)) {
        ask.fail("planned twice, two plans");
        return;
    }
    const Result<CompiledModule> one = ask.engine.compile(**first, *a, ask.usual(), nullptr);
    const Result<CompiledModule> two = ask.engine.compile(**second, *b, ask.usual(), nullptr);
    if (!one || !two)
        return;
    if (runtime::writeProgram(one->program) != runtime::writeProgram(two->program))
        ask.fail("compiled twice, two programs");
    for (std::size_t i = 0; i < std::min(one->kernels.size(), two->kernels.size()); ++i)
        if (one->kernels[i]->object != two->kernels[i]->object)
            ask.fail("compiled twice, two codes of " + one->kernels[i]->symbol);
}

bool verifyNests(Ask& ask, const KernelReport& report) {
    for (const KernelReport& part : report.parts)
        if (!verifyNests(ask, part))
            return false;
    if (!report.parts.empty() || !report.libraryCall.empty())
        return true;
    const LoopReport found = verifyLoops(report.nest);
    if (!found.ok())
        return ask.fail("loops of " + report.nest.name + ": " + found.errors[0].text());
    // Their accesses, for these sizes. Those that the graph binds while it runs have no value here.
    Bindings symbols;
    for (const Symbol symbol : report.nest.symbols) {
        const auto size = ask.one.sizes.find(symbol.text());
        if (size == ask.one.sizes.end())
            return true;
        symbols[symbol] = size->second;
    }
    std::uint64_t steps = 300'000;
    const Result<TrialEnd> ran = tryLoops(report.nest, symbols, steps);
    return ran.ok() || ask.fail("loops: " + ran.diag().text());
}

// The verifier after every step: graph, rewritten graph, plan, loops, program.
void verified(Ask& ask) {
    ++ask.out.comparisons;
    const auto sound = [&](const Graph& graph, const char* what) {
        const Diags found = verify(graph);
        return found.empty() || ask.fail(std::string(what) + ": " + found[0].text());
    };
    if (!sound(*ask.one.graph, "the graph"))
        return;
    Result<Built> built = ask.engine.build(ask.one.graph, ask.usual());
    if (!built || !sound(*built->graph, "the rewritten graph"))
        return; // refusals are the default's
    std::map<NodeId, int> place;
    for (const Group& group : built->plan.groups)
        for (const NodeId id : group.nodes)
            if (!place.emplace(id, group.id).second)
                ask.fail(fmt::format("node {} is in two groups", id));
    for (const NodePtr& node : built->graph->nodes()) {
        if (node->isInput() || node->isConstant())
            continue;
        if (!place.contains(node->id))
            ask.fail(node->name + " is in no group");
        for (const ValueRef& input : node->inputs)
            if (input.valid() && place.contains(input.node) &&
                place.at(input.node) > place.at(node->id))
                ask.fail(node->name + " comes before what it reads");
    }
    for (const KernelReport& report : built->module->reports)
        if (!verifyNests(ask, report))
            return;
    if (const runtime::Status status = runtime::checkProgram(built->module->program); !status.ok())
        ask.fail("the program: " + status.message);
}

void exported(Ask& ask) {
    if (ask.setting.folder.empty()) {
        ask.out.asked = false;
        return;
    }
    Result<Built> built = ask.engine.build(ask.one.graph, ask.usual());
    if (!built)
        return;
    ask.compare("exported", ask.one,
                runExported(*built->module, ask.setting.folder, ask.one.inputs));
}

struct Oracle {
    const char* name;
    void (*ask)(Ask&);
};

constexpr Oracle table[] = {
    {"default", byDefault},     {"candidates", byCandidates},
    {"libs", byLibraries},      {"level", byLevel},
    {"threads", byThreads},     {"unrewritten", unrewritten},
    {"pins", byPins},           {"rules", byFuseRules},
    {"files", byFiles},         {"text", byText},
    {"onnx", byOnnx},           {"binding", byBinding},
    {"twice", twice},           {"verified", verified},
    {"reference", byReference}, {"exported", exported},
};

} // namespace

std::string Setting::target(int threads) const {
    const std::string cpu = level == nullptr ? "native" : level->cpu;
    return fmt::format("-mcpu={}{} -threads={}", cpu, listed ? " -libs=" + libs : "", threads);
}

std::string Setting::target(int threads, const std::string& exactly) const {
    Setting one = *this;
    one.libs = exactly;
    one.listed = true;
    return one.target(threads);
}

Answered Judge::ask(const std::string& oracle, const Case& one) {
    Ask ask{m_engine, m_setting, one, {}};
    const auto* row = std::find_if(std::begin(table), std::end(table),
                                   [&](const Oracle& known) { return known.name == oracle; });
    if (row == std::end(table))
        throw InternalError("no oracle is called " + oracle);
    try {
        row->ask(ask);
    } catch (const std::exception& error) {
        ask.fail(std::string("thrown: ") + error.what());
    }
    return ask.out;
}

const std::vector<std::string>& oracleNames() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> out;
        for (const Oracle& oracle : table)
            out.emplace_back(oracle.name);
        return out;
    }();
    return names;
}

std::vector<std::string> oraclesFor(std::uint64_t seed) {
    std::vector<std::string> out = {"default"};
    std::vector<std::string> others(oracleNames().begin() + 1, oracleNames().end() - 1);
    Random random(seed ^ 0x5EED);
    for (int i = 0; i < 2; ++i) {
        const std::size_t at = random.below(others.size());
        out.push_back(others[at]);
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (seed % 50 == 0)
        out.push_back("exported");
    return out;
}

} // namespace fw::fuzz
