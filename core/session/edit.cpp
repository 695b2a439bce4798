#include "session/edit.h"

#include "session/book_texts.h"
#include "session/decision_records.h"
#include "session/explain.h"
#include "sketch/edit.h"
#include "syntax/declarations.h"
#include "syntax/format.h"
#include "verdict/draw_graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using namespace snapshot;

constexpr const char* editFile = "edit.fw";

// Rules that are asked of single operators, by their names.
RuleBook editsOf(const Books& books) {
    RuleBook out;
    out.patterns = books.rules.patterns;
    out.files = books.rules.files;
    for (std::size_t i = 0; i < books.rules.entries.size(); ++i)
        if (const auto rule = books.rules.ruleAt(i); rule && !namesAskedBy(*rule).bound.empty())
            out.entries.push_back(books.rules.entries[i]);
    return out;
}

// The graph inside a node in which an operator of this name stands, and the node.
const Node* holderOf(const Graph& graph, const std::string& name) {
    for (const NodePtr& node : graph.nodes())
        for (const Body& body : node->bodies) {
            const Node* inside = body.graph->findByName(name);
            if ((inside != nullptr && inside->name == name && !inside->isLeaf()) ||
                holderOf(*body.graph, name) != nullptr)
                return node.get();
        }
    return nullptr;
}

class Editing {
public:
    Editing(Pipeline& pipeline, const Arguments& arguments, const Context& context)
        : m_pipeline(pipeline), m_arguments(arguments), m_context(context) {}

    Result<SketchDocument> run() {
        if (m_arguments.nodes.size() != 1)
            return makeDiag(DiagCode::Usage,
                            fmt::format("an edit is made at one operator, not at {}",
                                        m_arguments.nodes.size()));
        FW_TRY(m_imported, m_pipeline.imported(m_context));
        FW_TRY(m_texts, bookTexts(m_arguments.rules, m_arguments.texts));
        FW_TRY(const Rewritten edited,
               rewriteGraph(m_imported->inlined, editsOf(readBooks(m_texts)), options()));
        FW_TRY(const Node* node, nodeIn(edited));
        if (const Node* holder = holderOf(*edited.graph, node->name))
            return makeDiag(
                DiagCode::EditNameTwice,
                fmt::format("an operator inside {} is called {}, too", holder->name, node->name),
                {{}, node->name});
        FW_TRY(const EditWish wish, wishFor(*node));
        FW_TRY(std::string text, editRule(*edited.graph, node->id, wish));
        FW_CHECK(tryText(text, wish.name));

        SketchDocument out;
        out.model = m_arguments.model;
        out.kind = "rule";
        out.edit = true;
        out.name = wish.name;
        out.text = formatText(text, editFile).text;
        out.nodes = {node->id};
        out.matches = 1;
        if (isLikeOfPlace(node->name))
            out.notices.push_back(noticeText({node->name, Verdict::Note, ReasonCode::NameOfPlace,
                                              "look at it again if the model is written anew"}));
        return out;
    }

private:
    RewriteOptions options() const {
        RewriteOptions out;
        out.cancel = m_context.cancel;
        return out;
    }

    // Nodes without a name are called by their type and their place: "Relu_7".
    static bool isLikeOfPlace(const std::string& name) {
        const std::size_t sign = name.find_last_of('_');
        return sign != std::string::npos && sign + 1 < name.size() &&
               name.find_first_not_of("0123456789", sign + 1) == std::string::npos &&
               name.find_first_of("/.") == std::string::npos;
    }

    Diag elsewhere(std::string message, std::string hint = {}) const {
        return makeDiag(DiagCode::EditElsewhere, std::move(message),
                        {{}, m_arguments.nodes.front()}, std::move(hint));
    }

    // The operator that is meant, in the graph as the edits before leave it.
    Result<const Node*> nodeIn(const Rewritten& edited) const {
        const std::string& name = m_arguments.nodes.front();
        const Graph &read = *m_imported->inlined, &now = *edited.graph;
        if (const Node* node = nodeNamed(now, name);
            node != nullptr && !node->isLeaf() && !name.starts_with('#'))
            return node;
        if (const Node* node = nodeNamed(read, name); node != nullptr && !node->isLeaf())
            return successorIn(edited, *node);
        if (const Node* call = nodeNamed(*m_imported->graph, name);
            call != nullptr && !call->isLeaf())
            return elsewhere(call->name + " stands for the operators of a function",
                             "edit one of these");
        const Node* holder = holderAt(*m_imported->graph, name);
        if (holder == nullptr)
            holder = holderOf(*m_imported->graph, name);
        if (holder != nullptr)
            return elsewhere(fmt::format("{} stands inside {}", name, holder->name),
                             "rules act there, but in each graph that is like it");
        FW_TRY(const Simplified* simplified, m_pipeline.simplified(m_context));
        FW_TRY(const Node* made, findNode(*simplified->graph, name));
        return originIn(edited, *made);
    }

    // What stands for it now: as it was, or made of it alone by an edit.
    Result<const Node*> successorIn(const Rewritten& edited, const Node& was) const {
        if (const Node* node = edited.graph->find(was.id))
            return node;
        std::vector<const Node*> made;
        for (const NodePtr& node : edited.graph->nodes())
            if (!node->isLeaf() && std::find(node->origins.begin(), node->origins.end(), was.id) !=
                                       node->origins.end())
                made.push_back(node.get());
        const auto same = std::find_if(made.begin(), made.end(),
                                       [&](const Node* one) { return one->op == was.op; });
        if (same != made.end())
            return *same;
        return elsewhere(fmt::format("an edit took {} out", was.name),
                         "undo it, or edit what stands there now");
    }

    // Of an operator that rules made.
    Result<const Node*> originIn(const Rewritten& edited, const Node& made) const {
        std::string names;
        const Node* only = nullptr;
        for (const NodeId id : made.origins)
            if (const Node* node = m_imported->inlined->find(id); node && !node->isLeaf()) {
                only = names.empty() ? node : nullptr;
                names += (names.empty() ? "" : ", ") + node->name;
            }
        if (only != nullptr)
            return successorIn(edited, *only);
        return elsewhere(fmt::format("rules made {} of {}", made.name,
                                     names.empty() ? "nothing that was read" : names),
                         "edit one of these in the imported graph");
    }

    // What another edit takes, given with this one, was meant to do something.
    Status checkOptions(EditKind kind) const {
        const auto isOneOf = [&](std::initializer_list<EditKind> kinds) {
            return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
        };
        using enum EditKind;
        const auto strange = [&](const char* option, const char* takers) {
            return makeDiag(DiagCode::Usage,
                            fmt::format("the edit {} takes no {}", m_arguments.edit, option), {},
                            fmt::format("{} belongs to {}", option, takers));
        };
        if (m_arguments.operand && !isOneOf({Delete, Rewire}))
            return strange("--operand", "delete and rewire");
        if (!m_arguments.to.empty() && !isOneOf({Insert, Rewire, Rename}))
            return strange("--to", "insert, rewire and rename");
        if (!m_arguments.attributes.empty() && kind != Attribute)
            return strange("--attr", "attribute");
        return {};
    }

    Result<EditWish> wishFor(const Node& node) const {
        EditWish out;
        const auto kind = editKind(m_arguments.edit);
        if (!kind)
            return makeDiag(DiagCode::Usage, "there is no edit " + m_arguments.edit, {},
                            "there are " + editKinds());
        out.kind = *kind;
        FW_CHECK(checkOptions(*kind));
        if (m_arguments.operand)
            out.operand = static_cast<std::size_t>(std::max(0, *m_arguments.operand));
        out.to = m_arguments.to;
        out.attributes = m_arguments.attributes;
        const Books books = readBooks(m_texts);
        const auto isTaken = [&](const std::string& name) {
            return std::any_of(books.rules.entries.begin(), books.rules.entries.end(),
                               [&](const auto& entry) { return entry->name == name; });
        };
        const std::string base = fmt::format("{}_{}", m_arguments.edit, identifierOf(node.name));
        out.name = m_arguments.name.empty() ? base : m_arguments.name;
        for (int n = 2; isTaken(out.name); ++n)
            out.name = fmt::format("{}_{}", base, n);
        return out;
    }

    Diag unfit(const Diag& why) const {
        return makeDiag(DiagCode::EditUnfit, why.message, {{}, m_arguments.nodes.front()},
                        why.hint);
    }

    // Behind the edits that are there.
    Status tryText(const std::string& text, const std::string& name) const {
        const FileTree tree = parseFile(text, editFile);
        if (const auto wrong = firstError(tree.errors))
            return unfit(*wrong);
        if (tree.declarations.size() != 1)
            return unfit(makeDiag(DiagCode::EditUnfit, "it is more than one call or value"));
        std::vector<BookText> texts = m_texts;
        texts.push_back({editFile, text});
        const Books books = readBooks(texts);
        for (const Diag& diag : books.diagnostics)
            if (diag.where.file == editFile && diag.severity == Severity::Error)
                return unfit(diag);
        RuleBook edits = editsOf(books);
        std::size_t own = 0;
        while (own < edits.entries.size() && edits.entries[own]->name != name)
            ++own;
        if (own == edits.entries.size())
            return unfit(makeDiag(DiagCode::EditUnfit, "no rule came of it"));
        std::rotate(edits.entries.begin() + static_cast<std::ptrdiff_t>(own),
                    edits.entries.begin() + static_cast<std::ptrdiff_t>(own) + 1,
                    edits.entries.end());
        own = edits.entries.size() - 1;
        FW_TRY(const Rewritten out, rewriteGraph(m_imported->inlined, edits, options()));
        if (out.trace.applied.at(own).count == 1)
            return {};
        std::string why = "it would change nothing";
        DiagCode code = DiagCode::EditUnfit;
        for (const NotApplied& one : out.trace.notApplied)
            if (one.entry == own && one.decision.subject == nameAt(text)) {
                why = one.decision.evidence;
                if (one.decision.code == ReasonCode::RuleUndone) // behind the place of the rule
                    why = why.substr(why.find(": ") + 2);
                if (one.decision.code == ReasonCode::RuleTurnsResult) {
                    why = one.decision.sentence();
                    code = DiagCode::EditResult;
                }
            }
        return makeDiag(code, why, {{}, m_arguments.nodes.front()});
    }

    // Of the operator at which a rule of ours acts.
    static std::string nameAt(const std::string& text) {
        for (const auto& rule : each<RuleTree>(parseFile(text, editFile).declarations))
            for (const auto& [bound, names] : namesAskedBy(*rule).bound)
                return names.front();
        return {};
    }

    Pipeline& m_pipeline;
    const Arguments& m_arguments;
    const Context& m_context;
    const Imported* m_imported = nullptr;
    std::vector<BookText> m_texts;
};

} // namespace

Result<SketchDocument> editModel(Pipeline& pipeline, const Arguments& arguments,
                                 const Context& context) {
    return Editing(pipeline, arguments, context).run();
}

} // namespace fw
