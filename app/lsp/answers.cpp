#include "app/lsp/answers.h"

#include "book/include.h"
#include "session/book_texts.h"
#include "syntax/declarations.h"
#include "syntax/include.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fw::lsp {

using namespace snapshot;

namespace {

bool says(const Json& capabilities, const char* pointer) {
    const Json::json_pointer place(pointer);
    return capabilities.contains(place) && capabilities[place] == true;
}

// Of the kinds that every client knows.
int completionKind(std::string_view kind) {
    enum {
        Method = 2,
        Function = 3,
        Variable = 6,
        Class = 7,
        Interface = 8,
        Module = 9,
        Property = 10,
        Value = 12,
        Enum = 13,
        Keyword = 14,
        Reference = 18
    };
    static const std::map<std::string_view, int> kinds = {
        {"attribute", Property}, {"capture", Variable},
        {"operand", Variable},   {"dim", Variable},
        {"keyword", Keyword},    {"value", Value},
        {"kind", Enum},          {"type", Enum},
        {"feature", Enum},       {"implementation", Method},
        {"step", Method},        {"node", Reference},
    };
    if (const DeclarationKind* declared = findKind(kind))
        return declared->shownAs == ShownAs::Function    ? Function
               : declared->shownAs == ShownAs::Interface ? Interface
               : declared->shownAs == ShownAs::Package   ? Module
                                                         : Class;
    const auto found = kinds.find(kind);
    return found == kinds.end() ? Class : found->second;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string out;
    for (const std::string& line : lines)
        out += (out.empty() ? "" : "\n") + line;
    return out;
}

// No mark of a markup language means anything in it.
Json plain(std::string text) {
    return {{"kind", "plaintext"}, {"value", std::move(text)}};
}

int severityOf(Severity severity) {
    return severity == Severity::Error ? 1 : severity == Severity::Warning ? 2 : 3;
}

Json diagnosticOf(const Diag& diag, const Range& range) {
    return {{"range", jsonOf(range)},
            {"severity", severityOf(diag.severity)},
            {"code", codeText(diag.code)},
            {"source", "fw"},
            {"message", diag.hint.empty() ? diag.message : diag.message + "\n" + diag.hint}};
}

// The name in a declaration, or its keyword where it has none.
Range nameOf(const DeclarationTree& declaration, const std::vector<Token>& tokens,
             const Text& text) {
    const Span& span = declaration.span;
    for (const Token& token : tokens)
        if (token.span.begin >= span.begin && token.span.begin < span.end &&
            token.text == declaration.name)
            return text.range(token.span.begin, token.span.end);
    return text.range(span.begin, span.begin + declaration.keyword.size());
}

// Where a document includes this book, or the first one, by which it may have come.
Range includeOf(const std::string& book, const Document& document) {
    const auto includes = includesOf(document.text.text());
    if (includes.empty())
        return {};
    auto one = std::find_if(includes.begin(), includes.end(), [&](const auto& include) {
        return isSameBook(includedFile(document.file, include->name), book);
    });
    const Span& span = one == includes.end() ? includes.front()->span : (*one)->span;
    return document.text.range(span.begin, span.end);
}

} // namespace

Client::Client(const Json& capabilities)
    : takesInsertOrReplace(
          says(capabilities, "/textDocument/completion/completionItem/insertReplaceSupport")),
      takesVersions(says(capabilities, "/workspace/workspaceEdit/documentChanges")),
      takesTrees(
          says(capabilities, "/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport")),
      takesRelated(says(capabilities, "/textDocument/publishDiagnostics/relatedInformation")),
      takesSnippets(says(capabilities, "/textDocument/completion/completionItem/snippetSupport")) {
    const Json::json_pointer encodings("/general/positionEncodings");
    if (capabilities.contains(encodings))
        for (const Json& one : capabilities[encodings])
            if (one == "utf-8")
                encoding = Encoding::Utf8;
}

Json jsonOf(const Range& range) {
    const auto place = [](const Position& at) {
        return Json{{"line", at.line}, {"character", at.character}};
    };
    return {{"start", place(range.start)}, {"end", place(range.end)}};
}

namespace {

Position positionOf(const Json& position) {
    return {position.at("line").get<std::int64_t>(), position.at("character").get<std::int64_t>()};
}

} // namespace

Position positionIn(const Json& params) {
    return positionOf(params.at("position"));
}

Range rangeOf(const Json& range) {
    return {positionOf(range.at("start")), positionOf(range.at("end"))};
}

Json completionsOf(const AssistDocument& found, const Document& document, Position position,
                   const Client& client) {
    const Range replace = document.text.range(found.replace);
    const Position caret = document.text.position(document.text.offset(position));
    Json items = Json::array();
    for (const CompletionRecord& one : found.completions) {
        const bool isSnippet = client.takesSnippets && !one.snippet.empty();
        Json edit = {{"newText", isSnippet ? one.snippet : one.text}};
        if (client.takesInsertOrReplace) {
            edit["insert"] = jsonOf({replace.start, std::min(caret, replace.end)});
            edit["replace"] = jsonOf(replace);
        } else {
            edit["range"] = jsonOf(replace);
        }
        // Editors sort by the text unless they are told the order.
        Json item = {{"label", one.text},
                     {"kind", completionKind(one.kind)},
                     {"detail", one.detail.empty() ? one.kind : one.detail},
                     {"sortText", fmt::format("{:06}", items.size())},
                     {"filterText", one.text},
                     {"textEdit", std::move(edit)}};
        if (isSnippet)
            item["insertTextFormat"] = 2; // InsertTextFormat.Snippet
        if (!one.documentation.empty())
            item["documentation"] = plain(one.documentation);
        items.push_back(std::move(item));
    }
    return {{"isIncomplete", false}, {"items", std::move(items)}};
}

Json hoverOf(const AssistDocument& found, const Document& document) {
    if (!found.hover)
        return nullptr;
    return {{"contents", plain(joined(found.hover->lines))},
            {"range", jsonOf(document.text.range(*found.hover))}};
}

Json symbolsOf(const Document& document, const Client& client) {
    const Text& text = document.text;
    const FileTree tree = parseFile(text.text(), document.file);
    const std::vector<Token> tokens = tokenize(text.text()).tokens;
    Json out = Json::array();
    for (const DeclarationPtr& one : tree.declarations) {
        Json symbol = {{"name", one->name.empty() ? one->keyword : one->name},
                       {"kind", static_cast<int>(kindOf(*one).shownAs)}};
        const Json range = jsonOf(text.range(one->span.begin, one->span.end));
        if (client.takesTrees) {
            symbol["detail"] = one->keyword;
            symbol["range"] = range;
            symbol["selectionRange"] = jsonOf(nameOf(*one, tokens, text));
        } else {
            symbol["location"] = {{"uri", document.uri}, {"range", range}};
        }
        out.push_back(std::move(symbol));
    }
    return out;
}

// One edit from the first line that differs to the last one, so that a caret elsewhere stays.
Json editsOf(const FormatDocument& laidOut, const Document& document) {
    const std::string& before = document.text.text();
    const std::string& now = laidOut.text;
    if (hasErrors(laidOut.diagnostics) || before == now)
        return Json::array();
    const auto [a, b] = std::mismatch(before.begin(), before.end(), now.begin(), now.end());
    auto begin = static_cast<std::size_t>(a - before.begin());
    begin = begin == 0 ? 0 : before.rfind('\n', begin - 1) + 1; // npos + 1: the first line
    std::size_t same = 0;                                       // bytes at the end
    const std::size_t most = std::min(before.size(), now.size()) - begin;
    while (same < most && before[before.size() - 1 - same] == now[now.size() - 1 - same])
        ++same;
    while (same > 0 && before[before.size() - same - 1] != '\n')
        --same;
    const std::size_t end = before.size() - same;
    return Json::array({{{"range", jsonOf(document.text.range(begin, end))},
                         {"newText", now.substr(begin, now.size() - same - begin)}}});
}

Json diagnosticsOf(const Checked& checked, const Documents& all, const Client& client) {
    const Text& text = checked.document->text;
    Json out = Json::array();
    for (const MarkRecord& mark : checked.marks)
        out.push_back(diagnosticOf(mark.diag, text.range(mark)));
    if (checked.elsewhere.empty())
        return out;
    Locations locations(all, client.encoding);
    for (const Diag& diag : checked.elsewhere) {
        Json one = diagnosticOf(diag, includeOf(diag.where.file, *checked.document));
        one["message"] = diag.where.text() + ": " + one["message"].get<std::string>();
        LocationRecord where;
        where.file = diag.where.file;
        where.line = where.endLine = diag.where.line;
        where.column = where.endColumn = diag.where.column;
        if (const Json place = locations.of(where); client.takesRelated && !place.is_null())
            one["relatedInformation"] = {{{"location", place}, {"message", diag.message}}};
        out.push_back(std::move(one));
    }
    return out;
}

Json actionsOf(const Checked& checked, const Range& range, const Client& client) {
    const Document& document = *checked.document;
    Json out = Json::array();
    for (const MarkRecord& mark : checked.marks) {
        const Range marked = document.text.range(mark);
        if (marked.end < range.start || range.end < marked.start)
            continue;
        bool isFirst = true;
        for (const Fix& fix : mark.fixes) {
            const Json edits = {
                {{"range", jsonOf(document.text.range(fix))}, {"newText", fix.text}}};
            Json edit;
            if (client.takesVersions)
                edit["documentChanges"] = {
                    {{"textDocument", {{"uri", document.uri}, {"version", document.version}}},
                     {"edits", edits}}};
            else
                edit["changes"] = {{document.uri, edits}};
            out.push_back({{"title", fix.label},
                           {"kind", "quickfix"},
                           {"diagnostics", {diagnosticOf(mark.diag, marked)}},
                           {"isPreferred", std::exchange(isFirst, false)},
                           {"edit", std::move(edit)}});
        }
    }
    return out;
}

Locations::Known Locations::read(const std::string& file, bool isShipped) const {
    if (isShipped) {
        const Result<BookText> book = bookText(file, {});
        const std::string uri = uriOfShipped(file);
        if (!book || uri.empty())
            return {};
        return {uri, std::make_shared<const Text>(book->text, m_encoding)};
    }
    if (const DocumentPtr open = m_all.ofFile(file))
        return {open->uri, std::shared_ptr<const Text>(open, &open->text)};
    const Result<BookText> book = bookText(file, {});
    return book ? Known{uriOf(file), std::make_shared<const Text>(book->text, m_encoding)}
                : Known{};
}

Json Locations::of(const LocationRecord& location) {
    const auto [known, isNew] = m_known.try_emplace({location.file, location.shipped});
    if (isNew)
        known->second = read(location.file, location.shipped);
    if (!known->second.text)
        return nullptr;
    return {{"uri", known->second.uri}, {"range", jsonOf(known->second.text->range(location))}};
}

} // namespace fw::lsp
