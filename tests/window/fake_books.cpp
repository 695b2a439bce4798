#include "window/fake_books.h"

#include <cctype>
#include <fstream>
#include <functional>
#include <sstream>

namespace fw::fake {

using namespace snapshot;

namespace {

void forLines(const std::string& text,
              const std::function<void(int number, const std::string& line)>& act) {
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number)
        act(number, line);
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool isWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

std::string nameIn(const std::string& line) {
    std::string out;
    for (std::size_t i = 5; i < line.size() && isWord(line[i]); ++i)
        out += line[i];
    return out;
}

TextRange rangeOf(int line, const std::string& text, const std::string& word) {
    const auto at = text.find(word);
    return {line, int(at) + 1, line, int(at + word.size()) + 1};
}

} // namespace

std::string textOf(const Arguments& arguments, const std::string& file) {
    for (const BookSource& source : arguments.texts)
        if (source.file == file)
            return source.text;
    if (file.find('/') == std::string::npos)
        return book(file).text;
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

CheckDocument check(const std::string& file, const std::string& text) {
    CheckDocument out;
    out.file = file;
    forLines(text, [&](int number, const std::string& line) {
        if (line.starts_with("rule "))
            out.items.push_back(
                {{number, 1, number + 3, 2}, nameIn(line), "rule", "ok", {}, {}, {}});
        if (!has(line, "rellu"))
            return;
        const TextRange range = rangeOf(number, line, "rellu");
        const Diag diag = makeDiag(DiagCode::TextName, "no operator is named 'rellu'",
                                   {file, "", range.line, range.column});
        out.diagnostics.push_back(diag);
        out.marks.push_back({range, diag, {{range, "relu", "write relu"}}});
    });
    return out;
}

MatchDocument match(const std::string& stage, const std::string& file, const std::string& text) {
    MatchDocument out;
    out.stage = MatchedStage::find(stage).value_or(MatchedStage());
    forLines(text, [&](int number, const std::string& line) {
        if (line.starts_with("rule ")) {
            RuleMatches rule;
            rule.line = number;
            rule.column = 1;
            rule.endLine = number + 3;
            rule.endColumn = 2;
            rule.name = nameIn(line);
            rule.kind = "rule";
            rule.file = file;
            rule.ms = 3.1;
            out.rules.push_back(rule);
        }
        if (out.rules.empty() || stage != "imported" || !has(line, "relu(x)"))
            return;
        RuleMatches& rule = out.rules.back();
        const TextRange x = rangeOf(number, line, "x)");
        rule.captures = {{"x", "value", {{x.line, x.column, x.line, x.column + 1}}},
                         {"relu", "operator", {rangeOf(number, line, "relu")}}};
        rule.matches = {{"Relu_14", 5, {"Relu_14"}, {5}, {{"x", "v4"}}, {{0, 4, 0}, {1, 5, 0}}},
                        {"Relu_18", 9, {"Relu_18"}, {9}, {{"x", "v8"}}, {{0, 8, 0}, {1, 9, 0}}}};
        rule.funnel = {{rangeOf(number, line, "relu"), "relu(x)", 2, false}};
        NearMissRecord miss{"Softmax_19", 10, 0, 1, "relu(x)", "relu", "softmax"};
        miss.range = rangeOf(number, line, "relu");
        miss.relax = Fix{miss.range, "kind elementwise", "any elementwise operator"};
        rule.nearMisses = {miss};
        rule.nearMissCount = 1;
    });
    return out;
}

OrderDocument order(const Arguments& arguments) {
    OrderDocument out;
    out.planned = true;
    for (const std::string& file : arguments.rules)
        out.entries.push_back({"rewrite", "rule", "my_rule", "", file, 1, 3, 0.2, ""});
    out.entries.push_back(
        {"rewrite", "rule", "fold_batch_norm", "folds", "simplify.fw", 25, 2, 0.1, ""});
    out.entries.push_back({"grow", "grow", "window -> broadcast forward", "", "fusion.fw", 41, 0,
                           std::nullopt,
                           arguments.rules.empty() ? "" : "mine.fw:1 is asked first"});
    return out;
}

AssistDocument assist(const std::string& text, const TextPlace& place) {
    AssistDocument out;
    forLines(text, [&](int number, const std::string& line) {
        if (number != place.line)
            return;
        const int at = std::min(place.column - 1, int(line.size()));
        int begin = at;
        while (begin > 0 && isWord(line[std::size_t(begin) - 1]))
            --begin;
        int end = at;
        while (end < int(line.size()) && isWord(line[std::size_t(end)]))
            ++end;
        out.replace = {number, begin + 1, number, end + 1};
        const std::string word = line.substr(std::size_t(begin), std::size_t(end - begin));
        if (!word.empty()) {
            out.hover = HoverRecord{out.replace, {"hover of " + word}};
            out.definition = LocationRecord{{1, 1, 1, 5}, "simplify.fw", true};
            forLines(text, [&](int other, const std::string& one) {
                for (std::size_t found = one.find(word); found != std::string::npos;
                     found = one.find(word, found + word.size()))
                    out.references.push_back(
                        {{other, int(found) + 1, other, int(found + word.size()) + 1}, place.file});
            });
        }
    });
    for (const char* name : {"relu", "reduce_sum", "conv2d", "bias", "softmax"})
        out.completions.push_back({name, "operator", "(x)", std::string("what ") + name + " does"});
    return out;
}

FormatDocument format(const std::string& file, const std::string& text) {
    FormatDocument out{file, text, false, {}};
    for (std::size_t two; (two = out.text.find("  ")) != std::string::npos;)
        out.text.erase(two, 1);
    out.changed = out.text != text;
    if (text.find('{') == std::string::npos)
        out.diagnostics = {makeDiag(DiagCode::Syntax, "'{' expected", {file, {}, 1, 1})};
    return out;
}

BookDocument book(const std::string& name) {
    BookDocument out;
    out.file = name;
    if (!name.empty())
        out.text = "rule shipped \"of " + name + "\" {\n  match y = relu(x)\n  emit  y = x\n}\n";
    else
        out.books = {{"simplify.fw", "What is simpler.", false}, {"ops.fw", "Operators.", true}};
    return out;
}

} // namespace fw::fake
