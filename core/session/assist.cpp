#include "session/assist.h"

#include "extern/extern.h"
#include "rewrite/matches.h"
#include "session/completions.h"
#include "session/describe.h"
#include "session/document.h"
#include "session/near_miss_fix.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using namespace snapshot;

constexpr std::size_t mostReferences = 1000;

class Assist {
public:
    Assist(const BookText& book, const std::vector<BookText>& all, const BookNames& names,
           std::size_t offset)
        : m_book(book), m_all(all), m_names(names), m_text(book.text), m_words(tokenize(book.text)),
          m_context(contextAt(book.text, m_words, offset)),
          m_word(m_book.text.substr(m_context.begin, m_context.end - m_context.begin)) {}

    AssistDocument make() {
        AssistDocument out;
        out.replace = rangeOf(m_text.places, m_text.places.span(m_context.begin, m_context.end));
        out.completions = completionsAt(m_context, m_book.text, m_names);
        if (m_word.empty())
            return out;
        std::vector<std::string> lines = hover();
        if (!lines.empty()) {
            HoverRecord record;
            static_cast<TextRange&>(record) = out.replace;
            record.lines = std::move(lines);
            out.hover = std::move(record);
        }
        out.definition = definition();
        if (out.definition)
            out.references = references();
        return out;
    }

private:
    const Token& token(std::size_t index) const {
        return m_text.tokens[std::min(index, m_text.tokens.size() - 1)];
    }

    // Where this declaration binds the word.
    std::optional<Span> bound() const {
        const Operator* op = m_names.books.operators->find(m_word);
        if (op != nullptr || m_names.patterns.contains(m_word))
            return std::nullopt;
        for (const auto* names : {&m_context.values, &m_context.attributes, &m_context.dims})
            for (const std::string& name : {m_word, "*" + m_word})
                if (const auto found = names->find(name); found != names->end())
                    return found->second;
        return std::nullopt;
    }

    bool isAttribute() const { return m_context.expect == Expect::Attribute; }

    static void addLines(std::vector<std::string>& out, std::string_view text) {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            out.emplace_back(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }

    std::vector<std::string> hover() const {
        std::vector<std::string> out;
        if (isAttribute())
            if (const Operator* op = m_names.books.operators->find(m_context.op))
                if (const std::string text = attributeText(*op, m_word); !text.empty()) {
                    out.push_back(m_word + ": " + text);
                    out.push_back("attribute of " + op->name());
                    return out;
                }
        if (const auto place = bound()) {
            boundLines(*place, out);
            return out;
        }
        if (isWordHere()) {
            sentence(out);
            return out;
        }
        if (const Operator* op = m_names.books.operators->find(m_word)) {
            operatorLines(*op, out);
            return out;
        }
        if (const auto pattern = m_names.patterns.find(m_word); pattern != m_names.patterns.end()) {
            if (!pattern->second->doc.empty())
                out.push_back(pattern->second->doc);
            addLines(out, pattern->second->source);
            return out;
        }
        if (const auto target = m_names.books.targets.find(m_word);
            target != m_names.books.targets.end()) {
            if (!target->second->doc.empty())
                out.push_back(target->second->doc);
            addLines(out, target->second->source);
            return out;
        }
        const auto& own = m_names.books.libraries;
        if (const auto library = std::find_if(
                own.begin(), own.end(),
                [&](const DeclaredLibrary& one) { return one.name == kernelName(m_word).library; });
            library != own.end()) {
            out.push_back(fmt::format("library {}: {}", library->name, library->path));
            if (!library->doc.empty())
                out.push_back(library->doc);
            return out;
        }
        implementationLines(out);
        if (const Library* library = externLibrary(m_word); library != nullptr && out.empty()) {
            const LibraryStatus& status = library->status();
            out.push_back(status.state == LibraryState::Ready
                              ? fmt::format("library {} {}", m_word, status.version)
                              : fmt::format("library {}: {}", m_word, status.reason));
        }
        if (out.empty())
            sentence(out);
        return out;
    }

    void sentence(std::vector<std::string>& out) const {
        if (const std::string_view text = wordSentence(m_word, m_context.keyword); !text.empty())
            out.emplace_back(fmt::format("{}: {}", m_word, text));
    }
    // An operator may have the name of a word of patterns: `not relu(x)`, but not(x).
    bool isWordHere() const {
        const auto& words = m_context.words;
        const bool word = std::find(words.begin(), words.end(), m_word) != words.end();
        return m_context.expect == Expect::Pattern && word &&
               (m_context.end >= m_book.text.size() || m_book.text[m_context.end] != '(');
    }

    void operatorLines(const Operator& op, std::vector<std::string>& out) const {
        const OpsDocument described =
            describeOperators(*m_names.books.operators, m_names.books.strategy, op.name());
        for (const OpRecord& row : described.ops) {
            out.push_back(row.signature);
            if (!row.doc.empty())
                out.push_back(row.doc);
            if (!op.isNative())
                addLines(out, row.expression);
            out.push_back("kind: " + row.kind);
            for (const auto& [operand, fact] : row.facts)
                out.push_back(fmt::format("{}: {}", operand, fact));
        }
        const auto counts = m_names.operatorCounts();
        if (m_names.graph) {
            const auto found = counts.find(op.name());
            out.push_back(
                fmt::format("{} in the model", found == counts.end() ? 0 : found->second));
        }
    }

    // What a name stands for: the piece of the text that binds it, and a value of the model.
    void boundLines(const Span& place, std::vector<std::string>& out) const {
        const bool attribute = m_context.attributes.contains(m_word);
        const bool list = m_context.attributes.contains("*" + m_word);
        out.push_back(fmt::format("{}: {}, bound at line {}", m_word,
                                  list                              ? "attributes"
                                  : attribute                       ? "an attribute"
                                  : m_context.dims.contains(m_word) ? "a dim"
                                                                    : "a value",
                                  place.line));
        if (!m_names.graph)
            return;
        const FileTree tree = parseFile(m_book.text, m_book.file);
        for (const DeclarationPtr& declaration : tree.declarations) {
            if (declaration->span.begin != token(m_context.first).span.begin)
                continue;
            MatchLimits limits;
            limits.matches = 1;
            limits.until = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
            limits.refuse = refusalOfGroups(*declaration, *m_names.graph);
            const FoundMatches found =
                findMatches(*m_names.graph, *declaration, m_names.patterns, limits);
            if (found.matches.empty())
                return;
            const MatchBindings& bindings = found.matches.front().bindings;
            std::string value;
            if (const auto one = bindings.values.find(m_word); one != bindings.values.end()) {
                const Output& output = m_names.graph->output(one->second);
                value = fmt::format("{}: {}", output.name, output.type.text());
            } else if (const auto attr = bindings.attrValues.find(m_word);
                       attr != bindings.attrValues.end()) {
                value = attrText(attr->second);
            } else if (const auto attrs = bindings.attrs.find(m_word);
                       attrs != bindings.attrs.end()) {
                value = attrs->second.print();
            } else if (const auto term = bindings.terms.find(m_word);
                       term != bindings.terms.end()) {
                value = textOf(term->second);
            }
            if (!value.empty())
                out.push_back("in the first match: " + value);
        }
    }

    void implementationLines(std::vector<std::string>& out) const {
        for (const StrategyBlock& block : m_names.books.strategy.blocks())
            for (const EntryTree& entry : block.tree->entries) {
                if (entry.name != m_word)
                    continue;
                std::string line = block.tree->name;
                if (entry.priority)
                    line += fmt::format(" priority {}", *entry.priority);
                if (entry.guard)
                    line += " when " + entry.guard->text;
                out.push_back(fmt::format("{} ({}:{})", line, block.file, entry.span.line));
            }
    }

    static LocationRecord location(const std::string& file, const TextPlaces& places,
                                   const Span& span, bool shipped) {
        LocationRecord out;
        setRange(out, places, span);
        out.file = file;
        out.shipped = shipped;
        return out;
    }

    // "chain tail", "op relu", ...: where a text declares the word.
    std::optional<LocationRecord> declaredIn(const std::string& file, std::string_view text,
                                             bool shipped) const {
        const TextPlaces places(text);
        const std::vector<Token> tokens = tokenize(text).tokens;
        for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
            if (tokens[i + 1].kind != TokenKind::Name || tokens[i + 1].text != m_word)
                continue;
            const bool begins = tokens[i].firstOnLine || i == 0 || tokens[i - 1].is("}");
            const DeclarationKind* kind = begins ? findKind(tokens[i].text) : nullptr;
            if (kind != nullptr && (kind->isUsed || kind->canBeTested))
                return location(file, places, tokens[i + 1].span, shipped);
        }
        const FileTree tree = parseFile(text, file);
        for (const auto& target : each<TargetTree>(tree.declarations))
            if (target->name == m_word)
                return location(file, places, target->nameSpan, shipped);
        for (const auto& block : each<ImplementationsTree>(tree.declarations))
            for (const EntryTree& entry : block->entries)
                if (entry.name == m_word)
                    return location(file, places,
                                    {entry.span.begin, entry.span.begin + m_word.size(),
                                     entry.span.line, entry.span.column},
                                    shipped);
        return std::nullopt;
    }

    // An attribute is defined where its operator lists it.
    std::optional<LocationRecord> attributeIn(const std::string& file, std::string_view text,
                                              bool shipped) const {
        const std::vector<Token> tokens = tokenize(text).tokens;
        bool inside = false;
        for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
            if (isKind(tokens[i].text, Declares::Op) && tokens[i].firstOnLine)
                inside = tokens[i + 1].text == m_context.op;
            if (inside && tokens[i].is("attr") && tokens[i + 1].text == m_word)
                return location(file, TextPlaces(text), tokens[i + 1].span, shipped);
        }
        return std::nullopt;
    }

    std::optional<LocationRecord> definition() const {
        if (!isAttribute())
            if (const auto place = bound())
                return location(m_book.file, m_text.places, *place, shippedHere(m_book.file));
        const auto look = [&](const std::string& file, std::string_view text, bool shipped) {
            return isAttribute() ? attributeIn(file, text, shipped)
                                 : declaredIn(file, text, shipped);
        };
        if (auto own = look(m_book.file, m_book.text, shippedHere(m_book.file)))
            return own;
        for (auto book = m_all.rbegin(); book != m_all.rend(); ++book)
            if (auto found = look(book->file, book->text, false))
                return found;
        for (const ShippedText& shipped : shippedTexts())
            if (auto found = look(shipped.file, shipped.text, true))
                return found;
        return std::nullopt;
    }

    // The book is read, not edited: none of the request.
    bool shippedHere(const std::string& file) const {
        return std::none_of(m_all.begin(), m_all.end(),
                            [&](const BookText& book) { return book.file == file; });
    }

    std::vector<LocationRecord> references() const {
        std::vector<LocationRecord> out;
        const auto add = [&](const std::string& file, const TextPlaces& places, const Token& one,
                             bool shipped) {
            if (one.kind == TokenKind::Name && one.text == m_word && out.size() < mostReferences)
                out.push_back(location(file, places, one.span, shipped));
        };
        if (bound() && !isAttribute()) {
            std::vector<bool> attributes; // of the braces that are open
            for (std::size_t i = m_context.first; i < m_context.last; ++i) {
                if (token(i).is("{"))
                    attributes.push_back(i > 0 && token(i - 1).is(")"));
                else if (token(i).is("}") && !attributes.empty())
                    attributes.pop_back();
                const bool listed = i > 0 && (token(i - 1).is("{") || token(i - 1).is(","));
                const bool key = !attributes.empty() && attributes.back() && listed &&
                                 (token(i + 1).is("=") || token(i + 1).is("in"));
                if (!key) // {pads = pads}: the first is what the operator calls it
                    add(m_book.file, m_text.places, token(i), shippedHere(m_book.file));
            }
            return out;
        }
        if (shippedHere(m_book.file))
            for (const Token& one : m_text.tokens)
                add(m_book.file, m_text.places, one, true);
        for (const BookText& book : m_all) {
            const TextPlaces places(book.text);
            for (const Token& one : tokenize(book.text).tokens)
                add(book.file, places, one, false);
        }
        return out;
    }

    const BookText& m_book;
    const std::vector<BookText>& m_all;
    const BookNames& m_names;
    ReadText m_text;
    TokenList m_words;
    TextContext m_context;
    std::string m_word;
};

} // namespace

Result<AssistDocument> assistAt(PipelineStore& store, const Arguments& arguments,
                                const Context& context) {
    if (!arguments.position)
        return makeDiag(DiagCode::Usage, "assist needs a place in a book", {},
                        "fw assist BOOK.fw LINE:COLUMN");
    FW_TRY(const std::vector<BookText> all, bookTexts(arguments.rules, arguments.texts));
    FW_TRY(const BookText book, bookText(arguments.position->file, arguments.texts));
    GraphPtr graph;
    if (!arguments.model.empty())
        if (Result<Pipeline*> pipeline = store.find(inputsOf(arguments)))
            if (const auto imported = (*pipeline)->imported(context))
                graph = (*imported)->inlined;
    const BookNames names = namesOf(all, graph);
    const std::size_t offset =
        TextPlaces(book.text).offset(arguments.position->line, arguments.position->column);
    return Assist(book, all, names, offset).make();
}

} // namespace fw
