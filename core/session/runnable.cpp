#include "session/runnable.h"

#include "expr/simplify.h"
#include "fusion/computable.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sys/sysinfo.h>

namespace fw {

namespace {

constexpr std::int64_t largestValue = std::int64_t(1) << 47; // bytes, as whoever plans memory
constexpr std::size_t mostConditions = 64;                   // that are held against each other

// Bytes that this machine has for a process at most; what whoever plans memory takes if it does
// not say.
std::int64_t memoryOfMachine() {
    struct sysinfo machine = {};
    if (::sysinfo(&machine) != 0 || machine.totalram == 0)
        return largestValue;
    const auto units = static_cast<std::int64_t>(machine.totalram + machine.totalswap);
    return std::min(largestValue, units * static_cast<std::int64_t>(machine.mem_unit));
}

Diag ofText(const Output& output, const std::string& node) {
    return makeDiag(DiagCode::NotRunnable,
                    fmt::format("{} is text, which no code works with", output.name), {{}, node},
                    "what reads it can be looked at, the model cannot be run");
}

// nullopt: more than any memory has. 0 for what has free dimensions.
std::optional<std::int64_t> bytesOf(const TensorType& type) {
    const auto extents = fixedExtents(type.shape);
    if (!extents || type.dtype == DType::Text)
        return 0;
    const Result<std::int64_t> count = checkedCount(*extents);
    const auto each = static_cast<std::int64_t>(dtypeBytes(type.dtype));
    return count && *count <= largestValue / each ? std::optional(*count * each) : std::nullopt;
}

std::optional<Diag> ofSize(const Output& output, const std::string& node) {
    static const std::int64_t most = memoryOfMachine();
    const std::optional<std::int64_t> bytes = bytesOf(output.type);
    if (bytes && *bytes <= most)
        return std::nullopt;
    return makeDiag(DiagCode::DimOverflow,
                    fmt::format("{} is too large for {} memory: {}", output.name,
                                bytes ? "this machine's" : "any", output.type.text()),
                    {{}, node}, "let smaller extents be asked for");
}

// A value that is handed in or out lies there as long as all others of them.
void ofSizeTogether(const Graph& graph, Diags& out) {
    static const std::int64_t most = memoryOfMachine();
    std::set<ValueRef> counted;
    std::int64_t total = 0;
    const auto add = [&](const ValueRef& value) {
        const Node& node = graph.node(value.node);
        const Output& output = node.outputs.at(static_cast<std::size_t>(value.output));
        const std::int64_t bytes = bytesOf(output.type).value_or(0);
        if (node.isConstant() || bytes > most || !counted.insert(value).second)
            return; // lies in a file, or is told by itself
        if (bytes <= most - total) {
            total += bytes;
            return;
        }
        out.push_back(makeDiag(
            DiagCode::DimOverflow,
            fmt::format("{} is too large for this machine's memory beside the other inputs and "
                        "results: {}",
                        output.name, output.type.text()),
            {{}, node.name}, "let smaller extents be asked for"));
    };
    for (const NodeId id : graph.inputs())
        add({id, 0});
    for (const NamedValue& result : graph.results())
        add(result.value);
}

// Two conditions on the free dimensions of which no sizes meet both: "M == 2" and "M == 3".
void ofConditions(const Graph& graph, Diags& out) {
    std::vector<const Assumption*> known;
    for (const Assumption& one : graph.assumptions()) {
        if (known.size() == mostConditions)
            break;
        const std::set<Symbol> dims = freeVars(one.condition);
        for (const Assumption* other : known) {
            Ranges sizes;
            bool shared = false;
            for (const Symbol dim : freeVars(other->condition))
                shared = shared || dims.contains(dim);
            if (!shared)
                continue;
            for (const Symbol dim : dims)
                sizes.assume(leExpr(Expr(0), varExpr(dim)));
            sizes.assume(other->condition);
            if (decide(simplify(one.condition, sizes), sizes) != std::optional(false))
                continue;
            out.push_back(makeDiag(
                DiagCode::NotRunnable,
                fmt::format("no sizes fit: {}; and {}", other->sentence, one.sentence),
                {{}, one.node}, "give the inputs types that agree: --type, or in the model"));
            break;
        }
        if (std::none_of(known.begin(), known.end(), [&](const Assumption* other) {
                return other->condition == one.condition;
            }))
            known.push_back(&one);
    }
}

} // namespace

Diags reasonsNotToRun(const Graph& graph) {
    Diags out = obstacles(graph);
    for (const NodePtr& node : graph.nodes())
        for (std::size_t i = 0; i < node->outputs.size(); ++i) {
            const Output& output = node->outputs[i];
            if (output.type.dtype == DType::Text &&
                (node->isInput() || graph.isResult({node->id, static_cast<int>(i)})))
                out.push_back(ofText(output, node->name));
            if (auto large = node->isConstant() ? std::nullopt : ofSize(output, node->name))
                out.push_back(std::move(*large));
        }
    ofSizeTogether(graph, out);
    ofConditions(graph, out);
    return out;
}

} // namespace fw
