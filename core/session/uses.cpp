#include "session/uses.h"

#include "rewrite/book_test.h"
#include "session/book_texts.h"
#include "session/document.h"
#include "session/text_context.h"
#include "session/text_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

using namespace snapshot;

constexpr std::size_t mostUses = 1000;

struct ReadFile {
    std::string file;
    std::string_view text;
    bool shipped = false;
    FileTree tree;
};

std::string kindOf(const DeclarationTree& declaration) {
    return declaration.keyword == "op" ? "operator" : declaration.keyword;
}

bool declares(const ReadFile& file, const UsesDocument& what) {
    return std::any_of(file.tree.declarations.begin(), file.tree.declarations.end(),
                       [&](const DeclarationPtr& one) {
                           return one->name == what.name && kindOf(*one) == what.kind;
                       });
}

class Uses {
public:
    Uses(const std::vector<ReadFile>& files, UsesDocument& out) : m_files(files), m_out(out) {}

    // A row for each declaration, at the first place where it names it.
    void ofText() {
        const bool ownOnly =
            std::none_of(m_files.begin(), m_files.end(), [&](const ReadFile& file) {
                return file.shipped && declares(file, m_out);
            });
        for (const ReadFile& file : m_files) {
            if (file.shipped && ownOnly)
                continue; // which see nothing of the user's
            const TextPlaces places(file.text);
            const std::vector<Token> tokens = tokenize(file.text).tokens;
            const DeclarationTree* subject = nullptr; // of a test without `of`
            std::size_t at = 0;
            for (const DeclarationPtr& one : file.tree.declarations) {
                const bool implied = one->keyword == "test" && subject != nullptr &&
                                     subject->name == m_out.name && kindOf(*subject) == m_out.kind;
                std::optional<Span> named;
                std::size_t times = 0;
                while (at < tokens.size() && tokens[at].span.begin < one->span.begin)
                    ++at;
                for (std::size_t i = at;
                     i + 1 < tokens.size() && tokens[i].span.begin < one->span.end; ++i)
                    if (names(*one, tokens, i)) {
                        noteNaming(file, *one, tokens[i].span);
                        named = named ? named : tokens[i].span;
                        ++times;
                    }
                if (implied)
                    addText(file, places, *one, one->span, "tests it");
                else if (named)
                    addText(file, places, *one, *named,
                            one->keyword == "test" ? "tests it"
                            : times == 1           ? "names it"
                                                   : fmt::format("names it {} times", times));
                if (canBeTested(*one))
                    subject = one.get();
            }
        }
    }

    void ofPlan(const Books& books, const Simplified& simplified, const FusionPlan* plan) {
        m_graph = simplified.graph.get();
        m_plan = plan;
        if (m_out.kind == "rule" || m_out.kind == "builtin")
            applications(simplified.trace);
        if (m_out.kind == "operator")
            for (const NodePtr& node : m_graph->nodes())
                if (node->op == m_out.name)
                    add("operator", node->name,
                        plan != nullptr ? "in group " + plan->groupAt(node->id).name
                                        : std::string("of the model as rules left it"),
                        node->origins);
        if (plan == nullptr)
            return;
        const auto& rules = books.fusion.fuseRules();
        for (std::size_t i = 0; i < std::min(rules.size(), plan->asked.size()); ++i) {
            const bool own =
                rules[i].tree->name == m_out.name && rules[i].tree->keyword == m_out.kind;
            const auto through = m_naming.find(place(rules[i].file, rules[i].tree->span.line));
            if (own || through != m_naming.end())
                for (const NodeId node : plan->asked[i].formed)
                    group(plan->groupOf.at(node),
                          own ? "made by it" : "through " + through->second);
        }
        for (const Group& one : plan->groups)
            for (const Candidate& candidate : one.candidates)
                if (candidate.chosen)
                    computed(one, candidate);
        for (const auto& [id, how] : m_groups)
            addGroup(id, how);
    }

private:
    static std::string place(const std::string& file, std::size_t line) {
        return fmt::format("{}:{}", file, line);
    }

    bool names(const DeclarationTree& by, const std::vector<Token>& tokens, std::size_t i) const {
        const Token& token = tokens[i];
        const bool library = m_out.kind == "library" && token.text.starts_with(m_out.name + ".");
        if (token.kind != TokenKind::Name || (token.text != m_out.name && !library) || i == 0)
            return false;
        const bool declares = tokens[i - 1].is(by.keyword) &&
                              tokens[i - 1].span.begin >= by.span.begin && by.name == m_out.name &&
                              kindOf(by) == m_out.kind;
        if (declares)
            return false;
        const bool bySubject = m_out.kind == "rule" || m_out.kind == "fuse" ||
                               m_out.kind == "composite" || m_out.kind == "builtin";
        if (bySubject)
            return by.keyword == "test" && tokens[i - 1].is("of");
        if (m_out.kind == "schedule")
            return tokens[i - 1].is("schedule") && by.keyword == "implementations";
        // In the body of an operator a name is that of an operand or of a function.
        if (m_out.kind == "operator")
            return by.keyword != "op" &&
                   (tokens[i + 1].is("(") || tokens[i - 1].is("for") || tokens[i - 1].is("assoc") ||
                    tokens[i - 1].is("implementations"));
        return true;
    }

    void noteNaming(const ReadFile& file, const DeclarationTree& by, const Span& span) {
        byKind(by, [&](const ImplementationsTree& block) {
            for (std::size_t i = 0; i < block.entries.size(); ++i) {
                const bool last = i + 1 == block.entries.size();
                if (block.entries[i].span.begin <= span.begin &&
                    (last || span.begin < block.entries[i + 1].span.begin))
                    m_naming.emplace(place(file.file, block.entries[i].span.line),
                                     block.entries[i].name);
            }
        });
        m_naming.emplace(place(file.file, by.span.line), kindOf(by) + " " + by.name);
    }

    void addText(const ReadFile& file, const TextPlaces& places, const DeclarationTree& by,
                 const Span& span, std::string how) {
        UseRecord row;
        setRange(row, places, span);
        row.kind = kindOf(by);
        row.name = by.name;
        row.how = std::move(how);
        row.file = file.file;
        row.shipped = file.shipped;
        push(std::move(row));
    }

    void add(std::string kind, std::string name, std::string how, std::vector<NodeId> nodes) {
        UseRecord row;
        row.kind = std::move(kind);
        row.name = std::move(name);
        row.how = std::move(how);
        row.nodes = std::move(nodes);
        push(std::move(row));
    }

    void push(UseRecord row) {
        if (m_out.uses.size() < mostUses)
            m_out.uses.push_back(std::move(row));
        else
            ++m_out.more;
    }

    void applications(const RewriteTrace& trace) {
        for (std::size_t i = 0; i < trace.applications.size(); ++i) {
            const Application& one = trace.applications[i];
            if (trace.applied.at(one.entry).rule != m_out.name)
                continue;
            std::set<NodeId> origins;
            for (const NodePtr& node : one.matched)
                origins.insert(node->origins.begin(), node->origins.end());
            add("application", one.matched.empty() ? std::string() : one.matched.back()->name,
                fmt::format("application {}", i + 1), {origins.begin(), origins.end()});
        }
    }

    void group(int id, std::string how) { m_groups.emplace(id, std::move(how)); }
    void addGroup(int id, const std::string& how) {
        const Group& one = m_plan->groups[static_cast<std::size_t>(id)];
        std::set<NodeId> origins;
        for (const NodeId node : one.nodes)
            origins.insert(m_graph->node(node).origins.begin(), m_graph->node(node).origins.end());
        add("group", one.name, how, {origins.begin(), origins.end()});
        if (!m_out.uses.empty() && m_out.more == 0)
            m_out.uses.back().group = id;
    }

    // By an entry of its block, by an entry that names it, or by its own code.
    void computed(const Group& one, const Candidate& candidate) {
        if (m_out.kind == "schedule" && candidate.implementation == "schedule." + m_out.name)
            return group(one.id, "computed by it");
        if (m_out.kind == "library" && candidate.implementation.starts_with(m_out.name + "."))
            return group(one.id, "a call of " + candidate.implementation);
        for (std::size_t at = 0; at < candidate.place.size();) {
            const std::size_t end =
                std::min(candidate.place.find(", ", at), candidate.place.size());
            const std::string entry = candidate.place.substr(at, end - at);
            at = end + 2;
            if (const auto through = m_naming.find(entry); through != m_naming.end())
                return group(one.id, "through " + through->second);
            if (m_out.kind == "implementations" && isEntryOfBlock(entry))
                return group(one.id, "computed by " + candidate.implementation);
        }
    }

    bool isEntryOfBlock(const std::string& entry) const {
        for (const ReadFile& file : m_files)
            for (const auto& block : each<ImplementationsTree>(file.tree.declarations))
                if (block->name == m_out.name)
                    for (const EntryTree& one : block->entries)
                        if (place(file.file, one.span.line) == entry)
                            return true;
        return false;
    }

    const std::vector<ReadFile>& m_files;
    UsesDocument& m_out;
    std::map<std::string, std::string> m_naming; // place of a declaration or entry that names it
    std::map<int, std::string> m_groups;         // how each is one of its uses
    const Graph* m_graph = nullptr;
    const FusionPlan* m_plan = nullptr;
};

// What is declared by the name; shipped books are asked last.
std::string declaredKind(const std::vector<ReadFile>& files, const std::string& name) {
    for (const ReadFile& file : files)
        for (const DeclarationPtr& one : file.tree.declarations)
            if (one->name == name && one->keyword != "test" && one->keyword != "graph" &&
                one->keyword != "implementations")
                return kindOf(*one);
    return {};
}

} // namespace

Result<UsesDocument> usesOf(PipelineStore& store, const Arguments& arguments,
                            const Context& context) {
    FW_TRY(const std::vector<BookText> books, bookTexts(arguments.rules, arguments.texts));
    std::vector<ReadFile> files;
    for (const BookText& book : books)
        files.push_back({book.file, book.text, false, parseFile(book.text, book.file)});
    for (const ShippedText& shipped : shippedTexts())
        if (std::none_of(files.begin(), files.end(),
                         [&](const ReadFile& one) { return one.file == shipped.file; }))
            files.push_back(
                {shipped.file, shipped.text, true, parseFile(shipped.text, shipped.file)});
    UsesDocument out;
    out.name = arguments.name;
    if (arguments.position) {
        FW_TRY(const BookText book, bookText(arguments.position->file, arguments.texts));
        const std::size_t at =
            TextPlaces(book.text).offset(arguments.position->line, arguments.position->column);
        const TextContext word = contextAt(book.text, tokenize(book.text), at);
        out.name = book.text.substr(word.begin, word.end - word.begin);
        out.kind = out.name.empty() ? std::string() : declaredKind(files, out.name);
        if (out.kind.empty())
            for (const DeclarationPtr& one : parseFile(book.text, book.file).declarations)
                if (one->span.begin <= at && at <= one->span.end) {
                    out.name = one->name;
                    out.kind = kindOf(*one);
                }
    } else {
        out.kind = declaredKind(files, out.name);
    }
    if (out.kind.empty())
        return makeDiag(DiagCode::UnknownName, arguments.position
                                                   ? "nothing is declared at this place"
                                                   : "no book declares " + out.name);
    Uses uses(files, out);
    uses.ofText();
    if (arguments.model.empty())
        return out;
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    FW_TRY(const Simplified* simplified, pipeline->simplified(context));
    FW_TRY(const Books* read, pipeline->books());
    const Result<const FusionPlan*> plan = pipeline->plan(context);
    if (!plan && plan.diag().code == DiagCode::Cancelled)
        return plan.diag();
    out.planned = plan.ok();
    uses.ofPlan(*read, *simplified, plan ? *plan : nullptr);
    return out;
}

} // namespace fw
