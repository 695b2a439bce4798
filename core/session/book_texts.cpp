#include "session/book_texts.h"

#include "base/files.h"
#include "book/include.h"
#include "syntax/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace fw {

namespace {

using Sources = std::vector<snapshot::BookSource>;

bool names(const std::vector<std::string>& rules, const std::string& file) {
    return std::find(rules.begin(), rules.end(), file) != rules.end();
}

const snapshot::BookSource* find(const Sources& texts, const std::string& file) {
    const auto found = std::find_if(texts.rbegin(), texts.rend(),
                                    [&](const auto& source) { return source.file == file; });
    return found == texts.rend() ? nullptr : &*found;
}

// The first sentence of "# What may fuse. More."
std::string titleOf(std::string_view text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t from = std::min(line.find_first_not_of("# "), line.size());
    std::string out(line.substr(from, line.find(". ", from) - from));
    if (out.ends_with('.'))
        out.pop_back();
    return out;
}

} // namespace

Sources textsFor(const std::vector<std::string>& rules, const Sources& texts) {
    Sources out;
    for (const snapshot::BookSource& source : texts)
        if ((names(rules, source.file) || isShippedBook(source.file)) &&
            find(texts, source.file) == &source)
            out.push_back(source);
    return out;
}

namespace {

// What stands for the file, or the file.
Result<BookText> textOrFile(const std::string& file, const Sources& texts) {
    if (const snapshot::BookSource* source = find(texts, file)) {
        if (source->text.size() > largestBook)
            return makeDiag(DiagCode::FileTooLarge,
                            fmt::format("the text has {} bytes, more than the {} that a book may "
                                        "have",
                                        source->text.size(), largestBook),
                            {file}, "divide it into several books");
        return BookText{file, source->text};
    }
    FW_TRY(std::string text, readFile(file, largestBook));
    return BookText{file, std::move(text)};
}

} // namespace

Result<BookText> bookText(const std::string& file, const Sources& texts) {
    std::error_code error;
    if (find(texts, file) == nullptr && !std::filesystem::exists(file, error))
        for (const ShippedText& shipped : shippedTexts())
            if (shipped.file == file)
                return BookText{file, std::string(shipped.text)};
    return textOrFile(file, texts);
}

Result<std::vector<BookText>> bookTexts(const std::vector<std::string>& rules,
                                        const Sources& texts) {
    std::vector<BookText> out;
    for (const std::string& file : rules) {
        FW_TRY(BookText book, bookText(file, texts));
        out.push_back(std::move(book));
    }
    for (const snapshot::BookSource& source : textsFor(rules, texts)) {
        if (names(rules, source.file))
            continue;
        FW_TRY(BookText book, bookText(source.file, texts));
        out.push_back(std::move(book));
    }
    return withIncluded(std::move(out), [&](const std::string& file) -> Result<std::string> {
        FW_TRY(BookText book, textOrFile(file, texts));
        return std::move(book.text);
    });
}

Result<snapshot::FormatDocument> formatBook(const snapshot::Arguments& arguments) {
    if (arguments.book.empty())
        return makeDiag(DiagCode::Usage, "format needs a book", {}, "fw format BOOK.fw");
    FW_TRY(const BookText book, textOrFile(arguments.book, arguments.texts));
    FormattedText laidOut = formatText(book.text, book.file);
    snapshot::FormatDocument out;
    out.file = book.file;
    out.changed = laidOut.text != book.text;
    out.text = std::move(laidOut.text);
    out.diagnostics = std::move(laidOut.errors);
    return out;
}

Result<snapshot::BookDocument> shippedBook(const snapshot::Arguments& arguments) {
    snapshot::BookDocument out;
    std::string known;
    for (const ShippedText& shipped : shippedTexts()) {
        known += (known.empty() ? "" : ", ") + shipped.file;
        if (arguments.name == shipped.file) {
            out.file = shipped.file;
            out.text = shipped.text;
        } else if (arguments.name.empty()) {
            out.books.push_back({shipped.file, titleOf(shipped.text), shipped.library});
        }
    }
    if (!arguments.name.empty() && out.file.empty())
        return makeDiag(DiagCode::UnknownName, "no book " + arguments.name + " is shipped", {},
                        "there are " + known);
    return out;
}

} // namespace fw
