#include "session/completions.h"

#include "extern/extern.h"
#include "rewrite/builtin.h"
#include "session/templates.h"
#include "strategy/catalog.h"
#include "strategy/melted.h"
#include "target/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

using namespace snapshot;

constexpr std::size_t mostNodes = 200; // of a large model

class Completions {
public:
    Completions(const TextContext& context, const std::string& text, const BookNames& names)
        : m_context(context), m_text(text), m_names(names) {}

    std::vector<CompletionRecord> make() {
        switch (m_context.expect) {
        case Expect::Nothing:
        case Expect::Words:
            break;
        case Expect::Feature:
            for (const std::string& feature : knownCpuFeatures())
                add(feature, "feature");
            break;
        case Expect::Pattern:
            captures();
            operators();
            patterns();
            break;
        case Expect::Condition:
            captures();
            attributesBound();
            dims();
            break;
        case Expect::Value:
            captures();
            attributesBound();
            operators();
            break;
        case Expect::Capture:
        case Expect::StepArgument:
            captures();
            break;
        case Expect::Root:
            for (const auto& [name, token] : m_context.roots)
                add(name, "capture", "value of match");
            break;
        case Expect::Extent:
            dims();
            attributesBound();
            break;
        case Expect::Term:
            captures();
            attributesBound();
            dims();
            break;
        case Expect::Attribute:
            attributes();
            break;
        case Expect::AttributeValue:
            attributeValues();
            break;
        case Expect::Kind:
            kinds();
            break;
        case Expect::TargetKey:
            keys();
            break;
        case Expect::Library:
            libraries();
            break;
        case Expect::Entry:
            implementations();
            break;
        case Expect::Schedule:
            for (const WrittenSchedule& schedule : m_names.books.strategy.schedules())
                add(schedule.tree->name, nounOf(Declares::Schedule), {}, schedule.tree->doc);
            break;
        case Expect::Step: {
            const std::string typed =
                m_text.substr(m_context.begin, m_context.end - m_context.begin);
            for (const std::string stage : {"anchor", "epilogue", "each"})
                if (typed.starts_with(stage + "."))
                    for (const std::string& step : stepNames())
                        add(stage + "." + step, "step",
                            std::string(wordSentence(step, m_context.keyword)));
            break;
        }
        case Expect::Implementation:
            implementations();
            break;
        case Expect::Avoided:
            implementations();
            libraries();
            break;
        case Expect::Guard:
            signature();
            captures();
            dims();
            elementTypes();
            break;
        case Expect::Chain:
            chains();
            break;
        case Expect::Operator:
            operators();
            break;
        case Expect::Subject:
            subjects();
            break;
        case Expect::Builtin:
            for (const std::string& name : builtinNames())
                add(name, "rewrite");
            break;
        case Expect::Node:
            nodes();
            break;
        case Expect::GraphValue:
            captures();
            break;
        case Expect::ElementType:
            elementTypes();
            if (computes() == Computes::Expressions)
                dims(); // variables among them
            break;
        case Expect::Requirement:
        case Expect::Expression:
            captures();
            dims();
            break;
        case Expect::Call:
            captures();
            dims();
            operators();
            elementTypes();
            break;
        }
        for (const std::string& word : m_context.words)
            add(word, "keyword", {}, std::string(wordSentence(word, m_context.keyword)));
        if (m_context.keyword.empty())
            addTemplates();
        return std::move(m_out);
    }

private:
    // Between declarations a keyword brings the text with which one begins.
    void addTemplates() {
        for (snapshot::CompletionRecord& one : m_out)
            if (const Template* text = templateOf(one.text); text != nullptr)
                one.snippet = text->text;
    }

    static std::string_view nounOf(Declares declares) { return kindOf(declares).noun; }
    Computes computes() const {
        const DeclarationKind* kind = findKind(m_context.keyword);
        return kind == nullptr ? Computes::Nothing : kind->computes;
    }

    void add(const std::string& text, std::string_view kind, std::string detail = {},
             std::string documentation = {}) {
        if (m_known.insert(text).second)
            m_out.push_back({text, std::string(kind), std::move(detail), std::move(documentation)});
    }

    void captures() {
        const bool inside = m_context.expect == Expect::Pattern;
        for (const auto& [name, token] : m_context.values)
            if (name != m_context.typed && !(inside && m_context.roots.contains(name)) &&
                !m_names.patterns.contains(name) && m_names.books.operators->find(name) == nullptr)
                add(name, "capture", "value");
        if (m_context.expect == Expect::Capture)
            for (const auto& [name, token] : m_context.attributes)
                if (name.starts_with('*'))
                    add(name.substr(1), "capture", "attributes");
    }
    void attributesBound() {
        for (const auto& [name, token] : m_context.attributes)
            if (!name.starts_with('*') && name != m_context.typed)
                add(name, "capture", "attribute");
    }

    void dims() {
        for (const auto& [name, token] : m_context.dims)
            if (name != m_context.typed)
                add(name, "capture", "dim");
    }

    void operators() {
        const std::map<std::string, std::int64_t> counts = m_names.operatorCounts();
        std::vector<const Operator*> all = m_names.books.operators->all();
        const auto count = [&](const Operator* op) {
            const auto found = counts.find(op->name());
            return found == counts.end() ? 0 : found->second;
        };
        std::stable_sort(all.begin(), all.end(),
                         [&](const Operator* a, const Operator* b) { return count(a) > count(b); });
        for (const Operator* op : all) {
            const std::int64_t here = count(op);
            add(op->name(), nounOf(Declares::Op), op->signature(),
                op->doc() + (here > 0 ? fmt::format("\n{} in the model", here) : "") +
                    (op->isNative() ? "" : "\n" + op->body()));
        }
    }

    void patterns() {
        for (const auto& [name, pattern] : m_names.patterns)
            add(name, nounOf(kindOf(*pattern).declares), {},
                pattern->doc + (pattern->doc.empty() ? "" : "\n") + pattern->source);
    }
    void chains() {
        for (const auto& [name, pattern] : m_names.patterns)
            if (pattern->isChain)
                add(name, nounOf(Declares::Chain), {}, pattern->source);
    }

    void attributes() {
        const Operator* op = m_names.books.operators->find(m_context.op);
        if (op == nullptr)
            return;
        for (const std::string& name : op->attrNames())
            add(name, "attribute", attributeText(*op, name), "attribute of " + op->name());
    }
    void attributeValues() {
        const Operator* op = m_names.books.operators->find(m_context.op);
        const std::string written = op == nullptr ? "" : attributeText(*op, m_context.attribute);
        if (const std::size_t equal = written.find("= "); equal != std::string::npos)
            add(written.substr(equal + 2), "value", "the default");
        if (written.starts_with("bool")) {
            for (const char* word : {"true", "false"})
                add(word, "value", {}, std::string(wordSentence(word, m_context.keyword)));
        }
        if (written.starts_with("dtype"))
            elementTypes();
        if (computes() == Computes::Terms) {
            attributesBound();
            dims();
        }
    }

    void kinds() {
        for (int i = 0; i < static_cast<int>(FusionKind::Opaque); ++i) {
            const std::string kind(kindText(static_cast<FusionKind>(i)));
            add(kind, "kind", {}, std::string(wordSentence(kind, "kind")));
        }
    }
    void keys() {
        for (const auto& [name, target] : m_names.books.targets)
            add(name, nounOf(Declares::Target), "on " + target->on.name, target->doc);
        for (const auto& [name, target] : m_names.books.targets)
            for (const KeyTree& key : target->keys)
                add(key.name, nounOf(Declares::Target), "of " + name);
        for (const std::string& key : targetKeys(hostTarget()))
            add(key, nounOf(Declares::Target), "this machine");
        for (const char* key : {"any", "cpu", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"})
            add(key, nounOf(Declares::Target));
    }
    void libraries() {
        for (const std::string& name : knownLibraries()) {
            const Library* library = externLibrary(name);
            if (library == nullptr)
                continue;
            const LibraryStatus& status = library->status();
            add(name, nounOf(Declares::Library),
                status.state == LibraryState::Ready ? status.version : std::string("not here"),
                status.reason);
        }
        for (const DeclaredLibrary& library : m_names.books.libraries)
            add(library.name, nounOf(Declares::Library), "of " + library.where.file, library.doc);
    }
    void implementations() {
        for (const std::string& name : m_names.implementations())
            add(name, "implementation");
    }

    void signature() {
        std::string op;
        const std::vector<Token> tokens = tokenize(m_text).tokens;
        if (m_context.first + 1 < tokens.size())
            op = tokens[m_context.first + 1].text;
        const Operator* known = m_names.books.operators->find(op);
        if (known == nullptr)
            return;
        const std::vector<std::string> operands = known->inputNames();
        for (const std::string& name : operands)
            add(name, "operand", known->signature());
        for (const std::string& name : known->attrNames())
            add(name, "attribute", attributeText(*known, name));
        bool dims = false; // what stands in brackets
        for (const Token& token : tokenize(known->signature()).tokens) {
            dims = token.is("[") || (dims && !token.is("]"));
            if (dims && token.kind == TokenKind::Name)
                add(token.text, "dim", known->signature());
        }
    }

    void subjects() {
        for (const DeclarationPtr& declaration : parseFile(m_text, {}).declarations)
            if (kindOf(*declaration).canBeTested)
                add(declaration->name, declaration->keyword, {}, declaration->doc);
    }

    void nodes() {
        if (!m_names.graph)
            return;
        const std::string typed = m_text.substr(m_context.begin, m_context.end - m_context.begin);
        std::size_t count = 0;
        for (const NodePtr& node : m_names.graph->nodes()) {
            if (node->isInput() || node->isConstant() || !node->name.starts_with(typed))
                continue;
            add(nameOrQuoted(node->name), "node", node->op);
            if (++count == mostNodes)
                return;
        }
    }

    void elementTypes() {
        for (int i = 0; i <= static_cast<int>(DType::F32) + 1; ++i) {
            const std::string name(dtypeText(static_cast<DType>(i)));
            if (parseDtype(name))
                add(name, "type");
        }
    }

    const TextContext& m_context;
    const std::string& m_text;
    const BookNames& m_names;
    std::vector<CompletionRecord> m_out;
    std::set<std::string> m_known;
};

} // namespace

std::map<std::string, std::int64_t> BookNames::operatorCounts() const {
    std::map<std::string, std::int64_t> out;
    if (graph)
        for (const NodePtr& node : graph->nodes())
            if (!node->isInput() && !node->isConstant())
                ++out[node->op];
    return out;
}

std::vector<std::string> BookNames::implementations() const {
    std::set<std::string> out;
    for (const auto& implementation : generatedImplementations())
        out.insert(implementation->name());
    out.insert(meltedImplementation()->name());
    for (const auto& library : externLibraries())
        for (const auto& implementation : library->implementations())
            out.insert(implementation->name());
    for (const StrategyBlock& block : books.strategy.blocks())
        for (const EntryTree& entry : block.tree->entries)
            if (!entry.code.empty()) // other names are those of code, or no one's
                out.insert(entry.name);
    return {out.begin(), out.end()};
}

BookNames namesOf(const std::vector<BookText>& all, GraphPtr graph) {
    BookNames out;
    out.books = readBooks(all);
    out.graph = std::move(graph);
    out.patterns = out.books.patterns;
    for (const ReadBook& book : out.books.read)
        for (const auto& pattern : each<PatternDeclTree>(book.written))
            out.patterns.insert_or_assign(pattern->name, pattern.get());
    return out;
}

std::vector<CompletionRecord> completionsAt(const TextContext& context, const std::string& text,
                                            const BookNames& names) {
    return Completions(context, text, names).make();
}

std::string attributeText(const Operator& op, std::string_view attribute) {
    const std::string signature = op.signature();
    const std::vector<Token> tokens = tokenize(signature).tokens;
    for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
        if (!tokens[i].is("attr") || tokens[i + 1].text != attribute || !tokens[i + 2].is(":"))
            continue;
        int depth = 0;
        std::size_t last = i + 3;
        for (std::size_t k = last; k + 1 < tokens.size(); ++k) {
            depth += tokens[k].is("[") || tokens[k].is("(") ? 1 : 0;
            depth -= tokens[k].is("]") || tokens[k].is(")") ? 1 : 0;
            if (depth < 0 || (depth == 0 && tokens[k].is(",")))
                break;
            last = k;
        }
        return signature.substr(tokens[i + 3].span.begin,
                                tokens[last].span.end - tokens[i + 3].span.begin);
    }
    if (const auto fallback = op.attrDefault(attribute))
        return "= " + attrText(*fallback);
    return {};
}

} // namespace fw
