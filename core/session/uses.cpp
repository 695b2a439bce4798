#include "session/uses.h"

#include "session/book_texts.h"
#include "session/document.h"
#include "session/text_context.h"
#include "session/text_range.h"
#include "session/what_came.h"
#include "syntax/declarations.h"
#include "syntax/test.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
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

std::string nounOf(const DeclarationTree& declaration) {
    return std::string(kindOf(declaration).noun);
}

bool declares(const ReadFile& file, const UsesDocument& what) {
    return std::any_of(file.tree.declarations.begin(), file.tree.declarations.end(),
                       [&](const DeclarationPtr& one) {
                           return one->name == what.name && nounOf(*one) == what.kind;
                       });
}

class Uses {
public:
    Uses(const std::vector<ReadFile>& files, UsesDocument& out)
        : m_files(files), m_out(out), m_kind(kindOf(out.kind)) {}

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
                const auto test = declarationAs<TestTree>(one);
                const bool implied = test && test->of.empty() && subject != nullptr &&
                                     subject->name == m_out.name && nounOf(*subject) == m_out.kind;
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
                            test         ? "tests it"
                            : times == 1 ? "names it"
                                         : fmt::format("names it {} times", times));
                if (kindOf(*one).canBeTested)
                    subject = one.get();
            }
        }
    }

    // Where it acts through others.
    const NamedThrough& through() const { return m_naming; }

private:
    static std::string place(const std::string& file, std::size_t line) {
        return fmt::format("{}:{}", file, line);
    }

    bool names(const DeclarationTree& by, const std::vector<Token>& tokens, std::size_t i) const {
        const Token &token = tokens[i], &before = tokens[i == 0 ? 0 : i - 1];
        const bool kernel =
            m_kind.declares == Declares::Library && token.text.starts_with(m_out.name + ".");
        if (token.kind != TokenKind::Name || (token.text != m_out.name && !kernel) || i == 0)
            return false;
        const bool declares = before.is(by.keyword) && before.span.begin >= by.span.begin &&
                              by.name == m_out.name && nounOf(by) == m_out.kind;
        if (declares)
            return false;
        if (!m_kind.isUsed) // a test alone may name it
            return m_kind.canBeTested && isA<TestTree>(by) && before.is("of");
        if (m_kind.declares == Declares::Schedule)
            return before.is(m_kind.keyword) && isA<ImplementationsTree>(by);
        // In the body of an operator a name is that of an operand or of a function.
        if (m_kind.declares == Declares::Op)
            return !isA<OpTree>(by) &&
                   (tokens[i + 1].is("(") || before.is("for") || before.is("assoc") ||
                    before.is(kindOf(Declares::Implementations).keyword));
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
        m_naming.emplace(place(file.file, by.span.line), nounOf(by) + " " + by.name);
    }

    void addText(const ReadFile& file, const TextPlaces& places, const DeclarationTree& by,
                 const Span& span, std::string how) {
        UseRecord row;
        setRange(row, places, span);
        row.kind = nounOf(by);
        row.name = by.name;
        row.how = std::move(how);
        row.file = file.file;
        row.shipped = file.shipped;
        push(std::move(row));
    }

    void push(UseRecord row) {
        if (m_out.uses.size() < mostUses)
            m_out.uses.push_back(std::move(row));
        else
            ++m_out.more;
    }

    const std::vector<ReadFile>& m_files;
    UsesDocument& m_out;
    const DeclarationKind& m_kind;
    NamedThrough m_naming;
};

// A declaration as it is written.
struct Declared {
    DeclarationPtr tree; // null: there is none
    std::string file;
};

// By the name; shipped books are asked last.
Declared declaredAs(const std::vector<ReadFile>& files, const std::string& name) {
    for (const ReadFile& file : files)
        for (const DeclarationPtr& one : file.tree.declarations)
            if (one->name == name && kindOf(*one).isAskedByName)
                return {one, file.file};
    return {};
}

// What the word there names, or what is declared around it; of a line alone (column 0) what is
// declared on it.
Declared declaredAt(const std::vector<ReadFile>& files, const BookText& book,
                    const TextPlace& place) {
    const TextPlaces places(book.text);
    const std::size_t at = places.offset(place.line, std::max(1, place.column));
    if (place.column > 0) {
        const TextContext word = contextAt(book.text, tokenize(book.text), at);
        const std::string name = book.text.substr(word.begin, word.end - word.begin);
        if (Declared named = name.empty() ? Declared() : declaredAs(files, name); named.tree)
            return named;
    }
    for (const DeclarationPtr& one : parseFile(book.text, book.file).declarations)
        if (place.column > 0 ? one->span.begin <= at && at <= one->span.end
                             : places.at(one->span.begin).line <= place.line &&
                                   place.line <= places.at(one->span.end).line)
            return {one, book.file};
    return {};
}

// "my.fw:12" is a place.
std::optional<TextPlace> placeOf(const std::string& name) {
    const std::size_t colon = name.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == name.size() ||
        name.size() - colon > 9 ||
        name.find_first_not_of("0123456789", colon + 1) != std::string::npos)
        return std::nullopt;
    return TextPlace{name.substr(0, colon), std::stoi(name.substr(colon + 1)), 0};
}

std::vector<ReadFile> filesOf(const std::vector<BookText>& books) {
    std::vector<ReadFile> out;
    for (const BookText& book : books)
        out.push_back({book.file, book.text, false, parseFile(book.text, book.file)});
    for (const ShippedText& shipped : shippedTexts())
        if (std::none_of(out.begin(), out.end(),
                         [&](const ReadFile& one) { return one.file == shipped.file; }))
            out.push_back(
                {shipped.file, shipped.text, true, parseFile(shipped.text, shipped.file)});
    return out;
}

// As it takes part in what is planned; null: it does not.
DeclarationPtr inBooks(const Books& books, const Declared& declared) {
    for (const ReadBook& book : books.read)
        for (const DeclarationPtr& one : book.declarations)
            if (book.file == declared.file && one->span.begin == declared.tree->span.begin &&
                one->name == declared.tree->name)
                return one;
    const auto shipped = shippedTexts(); // the operators, which every model has
    const bool library = std::any_of(shipped.begin(), shipped.end(), [&](const auto& one) {
        return one.library && one.file == declared.file;
    });
    return library ? declared.tree : nullptr;
}

// The book at this path, by the name that it was read by.
std::string bookAt(const std::vector<ReadFile>& files, const std::string& path) {
    const auto pathOf = [](const std::string& file) {
        std::error_code none;
        return std::filesystem::weakly_canonical(file, none);
    };
    for (const ReadFile& file : files)
        if (file.file == path || (!file.shipped && pathOf(file.file) == pathOf(path)))
            return file.file;
    return path;
}

Status tellModel(PipelineStore& store, const Arguments& arguments, const Context& context,
                 const Declared& declared, const std::string& text, const NamedThrough& through,
                 UsesDocument& out) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    FW_TRY(const Imported* imported, pipeline->imported(context));
    FW_TRY(const Simplified* simplified, pipeline->simplified(context));
    FW_TRY(const Books* read, pipeline->books());
    const Result<const FusionPlan*> plan = pipeline->plan(context);
    if (!plan && plan.diag().code == DiagCode::Cancelled)
        return plan.diag();
    out.planned = plan.ok();
    const DeclarationPtr acting = inBooks(*read, declared);
    out.takesPart = acting != nullptr;
    if (!acting) {
        const bool isRead = std::any_of(read->read.begin(), read->read.end(),
                                        [&](const auto& one) { return one.file == declared.file; });
        out.said = isRead ? "it takes no part in the plan: it is refused, or switched off"
                          : "its book takes no part in the plan";
        return {};
    }
    const Result<const Target*> target = pipeline->target();
    const Result<const TargetOffer*> offer = pipeline->offer();
    const CameIn in{*read,
                    *imported,
                    simplified->trace,
                    *simplified->graph,
                    plan ? *plan : nullptr,
                    target ? *target : nullptr,
                    offer ? *offer : nullptr,
                    arguments.target,
                    context.cancel};
    tellWhatCame(in, acting, declared.file, text, through, out);
    if (context.cancel.cancelled())
        return makeDiag(DiagCode::Cancelled, "the question was cancelled");
    return {};
}

} // namespace

Result<UsesDocument> usesOf(PipelineStore& store, const Arguments& arguments,
                            const Context& context) {
    FW_TRY(const std::vector<BookText> books, bookTexts(arguments.rules, arguments.texts));
    const std::vector<ReadFile> files = filesOf(books);
    const auto place = arguments.position ? arguments.position : placeOf(arguments.name);
    Declared declared;
    std::optional<BookText> beside; // of the place, which may be in no book that takes part
    if (place) {
        const std::string written = bookAt(files, place->file);
        FW_TRY(beside, bookText(written, arguments.texts));
        declared = declaredAt(files, *beside, {written, place->line, place->column});
    } else {
        declared = declaredAs(files, arguments.name);
    }
    if (!declared.tree)
        return makeDiag(DiagCode::UnknownName, place ? "nothing is declared at this place"
                                                     : "no book declares " + arguments.name);
    std::string text = beside ? beside->text : std::string();
    for (const ReadFile& file : files)
        if (file.file == declared.file)
            text = file.text;
    UsesDocument out;
    out.name = declared.tree->name;
    out.kind = nounOf(*declared.tree);
    const TextPlaces::LineColumn begin = TextPlaces(text).at(declared.tree->span.begin);
    out.declared = {declared.file, begin.line, begin.column};
    Uses uses(files, out);
    uses.ofText();
    if (!arguments.model.empty())
        FW_CHECK(tellModel(store, arguments, context, declared, text, uses.through(), out));
    return out;
}

} // namespace fw
