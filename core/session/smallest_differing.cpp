#include "session/smallest_differing.h"

#include "base/files.h"
#include "ir/graph_text.h"
#include "onnx/model/tensor_file.h"
#include "session/candidates.h"
#include "session/graph_file.h"
#include "session/group_graph.h"
#include "syntax/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

namespace fw {

namespace {

constexpr double secondsAtMost = 30;

class Shrinking {
public:
    Shrinking(Pipeline& pipeline, Differing start, const Context& context)
        : m_pipeline(pipeline), m_now(std::move(start)), m_context(context) {}

    Result<Differing> run() {
        bindDims();
        while (dropResults() || dropOperands()) {
        }
        while (shrinkOne()) {
        }
        if (m_context.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "the work was cancelled");
        return m_now;
    }

private:
    // True, and then it is what is shrunk on.
    bool take(const Result<GraphPtr>& part, const Sizes& sizes) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - m_start;
        if (!part || passed.count() > secondsAtMost || m_context.cancel.cancelled())
            return false;
        Differing next = m_now;
        next.part = *part;
        next.sizes = sizes;
        const std::optional<Judgement> judged = judgementOf(next);
        if (!judged || !judged->differs)
            return false;
        next.worst = judged->worst;
        m_now = std::move(next);
        return true;
    }

    // Nothing if it cannot be computed.
    std::optional<Judgement> judgementOf(const Differing& what) const {
        if (what.part->findByName(what.anchor) == nullptr)
            return {};
        const Result<GraphPtr> valued = withValues(*what.part, what.kind, what.seed);
        if (!valued)
            return {};
        Result<Trials> compiled =
            trialsOf(m_pipeline, *valued, what.anchor, what.implementation, m_context);
        if (!compiled)
            return failed(compiled.diag());
        const Result<Instance> instance =
            instanceOf(**valued, what.sizes, what.kind, what.seed, m_context.cancel);
        if (!instance)
            return {};
        const Result<std::vector<Trials::Trial>> trials = compiled->on(**valued, *instance);
        if (!trials)
            return {};
        const auto worst = std::max_element(trials->begin(), trials->end(),
                                            [](const Trials::Trial& a, const Trials::Trial& b) {
                                                return a.judgement.share < b.judgement.share;
                                            });
        return worst->judgement;
    }

    void bindDims() {
        if (!m_now.sizes.empty())
            take(boundTo(*m_now.part, m_now.sizes), {});
    }

    const Node* anchor() const { return m_now.part->findByName(m_now.anchor); }

    // The results of one node instead of the graph's.
    bool dropResults() {
        const Graph& graph = *m_now.part;
        const std::size_t before = graph.nodes().size();
        for (const NodePtr& node : graph.nodes()) {
            if (node->isInput() || node->isConstant())
                continue;
            std::vector<NamedValue> results;
            for (std::size_t i = 0; i < node->outputs.size(); ++i)
                results.push_back({node->outputs[i].name, {node->id, static_cast<int>(i)}});
            const Result<GraphPtr> part = partOf(graph, {}, results, BoundDims::Computed);
            if (part && (*part)->nodes().size() < before && take(part, m_now.sizes))
                return true;
        }
        return false;
    }

    // A computed value, which becomes an input.
    bool dropOperands() {
        const Graph& graph = *m_now.part;
        const std::size_t before = graph.nodes().size();
        for (const NodePtr& node : graph.nodes()) {
            if (node->isInput() || node->isConstant() || node->name == m_now.anchor ||
                node->outputs.size() != 1)
                continue;
            const Result<GraphPtr> part =
                partOf(graph, {{node->id, 0}}, graph.results(), BoundDims::Computed);
            if (part && (*part)->nodes().size() < before && take(part, m_now.sizes))
                return true;
        }
        return false;
    }

    bool shrinkOne() {
        std::set<std::int64_t, std::greater<>> extents;
        for (const NodePtr& node : m_now.part->nodes())
            if (node->isInput() || (node->isConstant() && node->data->count() > 1))
                for (const Dim& dim : node->outputs[0].type.shape)
                    if (dim.asInt().value_or(0) > 1)
                        extents.insert(*dim.asInt());
        for (const std::int64_t from : extents)
            for (const std::int64_t to : {std::int64_t(1), std::int64_t(2), std::int64_t(3),
                                          std::int64_t(4), std::int64_t(8), from / 2})
                if (to < from && to > 0 && m_tried.insert({from, to, extents.size()}).second &&
                    take(resized(from, to), m_now.sizes))
                    return true;
        return false;
    }

    Result<GraphPtr> resized(std::int64_t from, std::int64_t to) const {
        Refilling with;
        with.input = [&](const Node& node) {
            TensorType type = node.outputs[0].type;
            for (Dim& dim : type.shape)
                if (dim.isInt(from))
                    dim = intExpr(to);
            return type;
        };
        with.constant = [&](const Node& node) {
            const TensorData& data = *node.data;
            std::vector<std::int64_t> extents = data.extents();
            std::replace(extents.begin(), extents.end(), from, to);
            // Its values matter in their signs alone: see standIn().
            return isFloat(data.dtype()) && extents != data.extents() && data.count() > 0
                       ? standIn(dataFromDoubles(data.dtype(), extents, firstOf(data, extents)),
                                 m_now.kind, 1)
                       : data;
        };
        return refilled(*m_now.part, with);
    }

    static std::vector<double> firstOf(const TensorData& data,
                                       const std::vector<std::int64_t>& extents) {
        std::vector<double> values = data.toDoubles();
        std::size_t count = 1;
        for (const std::int64_t extent : extents)
            count *= static_cast<std::size_t>(extent);
        std::sort(values.begin(), values.end()); // negative ones stay among them
        values.resize(count, values.front());
        return values;
    }

    Pipeline& m_pipeline;
    Differing m_now;
    const Context& m_context;
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    std::set<std::tuple<std::int64_t, std::int64_t, std::size_t>> m_tried;
};

} // namespace

Result<Differing> smallestOf(Pipeline& pipeline, Differing start, const Context& context) {
    return Shrinking(pipeline, std::move(start), context).run();
}

Result<std::string> writeDiffering(const Differing& what, const std::string& folder,
                                   const std::string& name, const std::vector<std::string>& said) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        return makeDiag(DiagCode::FileUnwritable, "the folder cannot be made: " + error.message(),
                        {folder});
    FW_TRY(const GraphPtr graph, withValues(*what.part, what.kind, what.seed));
    std::string text;
    for (const std::string& line : said)
        text += "# " + line + "\n";
    text += printGraph(*graph);
    std::size_t position = 0;
    for (const NodePtr& node : graph->nodes()) {
        if (!node->isConstant())
            continue;
        const std::uint64_t seed = constantSeed(what.seed, position++);
        const std::string written =
            fmt::format("@{} hash \"{}\"", quoteText(node->name), node->data->hash().hex());
        const std::size_t at = text.find(written);
        if (at == std::string::npos)
            continue; // its elements are part of the text
        if (*node->data == randomData(node->data->dtype(), node->data->extents(), seed))
            text.replace(at, written.size(), fmt::format("random({})", seed));
        else
            FW_CHECK(writeTensorFile(tensorFile(folder, node->name, node->data->dtype()),
                                     {node->name, *node->data}));
    }
    const std::string path = (std::filesystem::path(folder) / (name + ".fw")).string();
    FW_CHECK(writeFile(path, text));
    return path;
}

} // namespace fw
