#include "session/folded.h"

#include "rewrite/history.h"
#include "session/judgement.h"
#include "tensor/bounded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

// Of larger constants some rows are judged (BoundedOptions::work).
constexpr std::int64_t judgedWork = std::int64_t(1) << 22;

// One operator with the data that it was computed from, and the data that took its place.
struct Fold {
    NodePtr node;
    std::vector<const TensorData*> operands; // nullptr: absent
    std::vector<NodePtr> kept;               // for each result; empty where nobody reads it
};

// The application as such a one; nothing if it is another one.
std::optional<Fold> foldOf(const Application& application, const Graph& before) {
    if (application.matched.size() != 1)
        return std::nullopt;
    Fold out{application.matched[0], {}, {}};
    if (out.node->isLeaf() || out.node->inputs.empty() ||
        application.results.size() != out.node->outputs.size())
        return std::nullopt;
    for (const ValueRef& input : out.node->inputs) {
        out.operands.push_back(input.valid() ? before.constant(input) : nullptr);
        if (input.valid() && out.operands.back() == nullptr)
            return std::nullopt;
    }
    for (const auto& [from, to] : application.results) {
        const auto made = std::find_if(
            application.step.edits.begin(), application.step.edits.end(),
            [&](const GraphStep::Edit& edit) { return edit.after && edit.after->id == to.node; });
        const bool found = made != application.step.edits.end();
        if (found && !made->after->isConstant())
            return std::nullopt;
        out.kept.push_back(found ? made->after : nullptr);
    }
    if (std::all_of(out.kept.begin(), out.kept.end(), [](const NodePtr& node) { return !node; }))
        return std::nullopt;
    return out;
}

// The operator alone: its operands are inputs.
Result<GraphPtr> partOf(const Graph& before, const Fold& fold) {
    GraphEditor editor(before.operatorSet(), fold.node->name);
    GraphEditor::NewNode node;
    node.op = fold.node->op;
    node.attrs = fold.node->attrs;
    node.name = fold.node->name;
    for (const TensorData* operand : fold.operands)
        node.inputs.push_back(
            operand == nullptr
                ? ValueRef()
                : editor.addInput(fmt::format("operand{}", node.inputs.size()), operand->type()));
    FW_TRY(const std::vector<ValueRef> results, editor.add(std::move(node)));
    for (std::size_t i = 0; i < results.size(); ++i)
        editor.addResult(fold.node->outputs[i].name, results[i]);
    return editor.finish();
}

std::string keyOf(const Fold& fold) {
    std::string out = fold.node->op + fold.node->attrs.print();
    for (const TensorData* operand : fold.operands)
        out += "|" + (operand == nullptr ? std::string("none") : operand->type().text());
    return out;
}

// Operators that one row stands for.
struct Alike {
    std::size_t row = 0;
    std::optional<Apart> code; // nothing: there is none
};

class VerifyFolded {
public:
    VerifyFolded(Pipeline& pipeline, const Context& context, std::vector<std::string>& notices)
        : m_pipeline(pipeline), m_context(context), m_notices(notices) {}

    Status run(const Graph& before, const Fold& fold) {
        const auto [at, fresh] = m_known.try_emplace(keyOf(fold));
        Alike& alike = at->second;
        if (fresh) {
            alike.row = m_rows.size();
            FW_CHECK(compile(before, fold, alike));
        }
        if (!alike.code)
            return {};
        std::vector<TensorData> operands;
        for (const TensorData* operand : fold.operands)
            if (operand != nullptr)
                operands.push_back(*operand);
        BoundedOptions options;
        options.work = judgedWork;
        options.cancel = m_context.cancel;
        FW_TRY(const std::vector<BoundedValues> wanted,
               evaluateGraphBounded(*alike.code->graph, operands, options));
        FW_TRY(const std::vector<TensorData> computed, alike.code->module->run(operands));
        snapshot::VerifyRow& row = m_rows[alike.row];
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const std::string& name = fold.node->outputs[i].name;
            if (fold.kept[i])
                record(row, fold, judgeTensor(name, wanted[i], *fold.kept[i]->data),
                       "kept as a constant");
            record(row, fold, judgeTensor(name, wanted[i], computed[i]),
                   "computed by code of ours from the operands of the constant");
        }
        return {};
    }

    std::vector<snapshot::VerifyRow> take() { return std::move(m_rows); }

private:
    Status compile(const Graph& before, const Fold& fold, Alike& alike) {
        m_context.report("verify", fold.node->name + ": a constant");
        FW_TRY(const GraphPtr part, partOf(before, fold));
        FW_TRY(PlanOptions options, m_pipeline.planOptions());
        options.catalog = &generatedCatalog(); // whatever books and pins say
        options.book = &standardFusion();
        Result<Apart> code = m_pipeline.apart(part, options, m_context);
        if (!code && code.diag().code == DiagCode::Cancelled)
            return code.takeDiag();
        const bool own = code && std::all_of(code->plan.groups.begin(), code->plan.groups.end(),
                                             [](const Group& group) { return !group.isHost(); });
        if (!own) {
            m_notices.push_back(
                fmt::format("{} became a constant and was not judged: {}", fold.node->name,
                            code ? "no code is made for " + fold.node->op : code.diag().text()));
            return {};
        }
        alike.code = code.take();
        snapshot::VerifyRow row;
        row.group = fold.node->name;
        row.implementation = "fold_constants";
        row.verdict = "exact";
        m_rows.push_back(std::move(row));
        return {};
    }

    static void record(snapshot::VerifyRow& row, const Fold& fold, const Judgement& judgement,
                       const char* which) {
        ++row.comparisons;
        row.exact = row.exact && judgement.exact;
        row.random = std::max(row.random.value_or(0), judgement.largest);
        if (std::isfinite(judgement.share))
            row.share = std::max(row.share.value_or(0), judgement.share);
        if (judgement.differs && !row.differs) {
            row.differs = true;
            row.group = fold.node->name;
            row.worst = judgement.worst + "; " + which;
        }
        row.verdict = row.differs ? snapshot::VerifyVerdict("differs")
                      : row.exact ? snapshot::VerifyVerdict("exact")
                                  : "within";
    }

    Pipeline& m_pipeline;
    const Context& m_context;
    std::vector<std::string>& m_notices;
    std::map<std::string, Alike> m_known;
    std::vector<snapshot::VerifyRow> m_rows;
};

} // namespace

Result<std::vector<snapshot::VerifyRow>> verifyFolded(const GraphPtr& graph,
                                                      const std::vector<Application>& applications,
                                                      Pipeline& pipeline, const Context& context,
                                                      std::vector<std::string>& notices) {
    VerifyFolded verifying(pipeline, context, notices);
    for (RewriteHistory history(graph, applications); !history.atEnd(); history.step()) {
        const Application& next = history.next();
        const Graph& before = history.graph();
        if (const std::optional<Fold> fold = foldOf(next, before))
            FW_CHECK(verifying.run(before, *fold));
    }
    return verifying.take();
}

} // namespace fw
