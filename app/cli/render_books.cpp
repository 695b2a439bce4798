// Text of what is said about books: what is wrong with one, what stands at a place of it.
#include "render.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace fw::cli {

using namespace snapshot;

namespace {

constexpr std::size_t longestGraph = 4000;
constexpr std::size_t mostCompletions = 40; // all of them are in --json

} // namespace

std::string render(const CheckDocument& document) {
    std::string out;
    const bool tried = std::any_of(document.items.begin(), document.items.end(),
                                   [](const CheckItem& item) { return item.trials.has_value(); });
    std::vector<std::string> titles{"name", "kind", "verdict"};
    if (tried)
        titles.push_back("tried");
    Table table(titles, {false, false, false, true});
    for (const CheckItem& item : document.items) {
        std::vector<std::string> row{item.name, item.kind, item.verdict};
        if (tried)
            row.push_back(item.trials ? fmt::format("{}", *item.trials) : std::string());
        table.row(row);
    }
    out += table.text();
    std::map<std::tuple<int, int, std::string_view>, const MarkRecord*> marks;
    const auto place = [](const Diag& diag) {
        return std::tuple(diag.where.line, diag.where.column, std::string_view(diag.message));
    };
    for (const MarkRecord& mark : document.marks)
        marks.emplace(place(mark.diag), &mark);
    const auto tell = [&](const Diags& diags) {
        for (const Diag& diag : diags) {
            out += diag.text() + "\n";
            if (const auto mark = marks.find(place(diag));
                mark != marks.end() && mark->second->diag == diag)
                for (const Fix& fix : mark->second->fixes)
                    out += "    " + fix.label + "\n";
        }
    };
    for (const CheckItem& item : document.items) {
        tell(item.diagnostics);
        for (const ButForRecord& one : item.butFor)
            if (!one.difference.empty())
                out += fmt::format("{}, but for {}: {}\n", item.name, one.what, one.difference);
        if (!item.saved.empty())
            out += "    " + item.saved + "\n";
        else if (item.counterexample.size() > longestGraph)
            out += "    fw check -o FOLDER writes the graph\n";
        else
            out += indented(item.counterexample);
    }
    tell(document.diagnostics);
    return out;
}

std::string render(const OrderDocument& document) {
    Table table({"phase", "what", "where", "count", "ms", ""}, {false, false, false, true, true});
    std::string phase;
    for (const OrderRecord& entry : document.entries) {
        const bool first = std::exchange(phase, entry.phase) != entry.phase;
        table.row({first ? entry.phase : std::string(), entry.kind + " " + entry.name,
                   fmt::format("{}:{}", entry.file, entry.line),
                   entry.count ? fmt::format("{}", *entry.count) : std::string(),
                   entry.ms ? decimal(*entry.ms, 2) : std::string(),
                   entry.shadowed.empty() ? std::string() : "never: " + entry.shadowed});
    }
    std::string out = table.text();
    if (!document.planned)
        out += "there is no plan to count in\n";
    if (!document.books.empty()) {
        Table gains({"book", "applied", "operators without", "est. us without", "won"},
                    {false, true, true, true, true});
        for (const BookGain& book : document.books)
            gains.row({book.file, fmt::format("{}", book.applied),
                       fmt::format("{}", book.operatorsWithout),
                       book.estUsWithout ? decimal(*book.estUsWithout, 1) : std::string("no plan"),
                       book.estUsWithout && document.estUs
                           ? decimal(*book.estUsWithout - *document.estUs, 1)
                           : std::string()});
        out += "\n" + gains.text();
        if (document.estUs)
            out += fmt::format("with all of them {} us\n", decimal(*document.estUs, 1));
    }
    for (const Diag& diag : document.diagnostics)
        out += diag.text() + "\n";
    return out;
}

std::string render(const AssistDocument& document) {
    std::string out;
    if (document.hover)
        for (const std::string& line : document.hover->lines)
            out += line + "\n";
    if (document.definition)
        out += fmt::format("declared at {}:{}:{}\n", document.definition->file,
                           document.definition->line, document.definition->column);
    for (const LocationRecord& place : document.references)
        out += fmt::format("used at {}:{}:{}\n", place.file, place.line, place.column);
    Table table({"completion", "kind", "detail"});
    for (std::size_t i = 0; i < document.completions.size() && i < mostCompletions; ++i) {
        const CompletionRecord& one = document.completions[i];
        table.row({one.text, one.kind, one.detail});
    }
    if (!document.completions.empty())
        out += table.text();
    if (document.completions.size() > mostCompletions)
        out += fmt::format("... and {} more\n", document.completions.size() - mostCompletions);
    return out;
}

std::string render(const BookDocument& document) {
    if (!document.file.empty())
        return document.text;
    Table table({"book", "holds"});
    for (const ShippedBook& book : document.books)
        table.row({book.file, book.title});
    return table.text();
}

} // namespace fw::cli
