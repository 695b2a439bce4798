#include "syntax/schedule.h"

#include "base/language_words.h"
#include "base/library_names.h"
#include "base/numbers.h"
#include "syntax/header.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

constexpr std::string_view codePrefix = "schedule.";

KnobTree knob(Parser& parser) {
    KnobTree out;
    const Token first = parser.peek();
    out.name = parser.bindName("the name of a knob");
    parser.expect("in");
    if (parser.accept("{")) {
        do
            out.values.push_back(parser.expectInt("a value of the knob"));
        while (!parser.failed() && parser.accept(","));
        parser.expect("}");
    } else {
        out.least = parser.expectInt("the least value of the knob");
        parser.expect("..");
        out.most = parser.expectInt("the greatest value of the knob");
    }
    parser.expect("=");
    out.value = parser.expectInt("the value of the knob");
    out.span = parser.spanFrom(first);
    return out;
}

// What may stand behind the name of an implementation.
KnobSettings knobSettings(Parser& parser) {
    KnobSettings out;
    if (parser.failed() || !parser.accept("("))
        return out;
    do {
        KnobSetting one;
        const Span place = parser.peek().span;
        one.name = parser.expectName("the name of a knob");
        for (const KnobSetting& known : out)
            if (known.name == one.name)
                parser.failAt(place, "the knob " + one.name + " is set twice");
        parser.expect("=");
        one.value = parser.expectInt("the value of the knob");
        out.push_back(std::move(one));
    } while (!parser.failed() && parser.accept(","));
    parser.expect(")");
    return out;
}

// 32, name or (expression): a sign behind it would belong to the next axis.
Tree factor(Parser& parser) {
    return parser.primary();
}

LayoutAxisTree layoutAxis(Parser& parser) {
    LayoutAxisTree out;
    const Token first = parser.peek();
    const std::string name = parser.expectName("an axis such as d0, d1/32 or d1%32");
    const auto dim = name.starts_with('d') ? parseInteger(name.substr(1)) : std::nullopt;
    if (!dim || *dim < 0 || *dim > 63)
        parser.failAt(first.span, "\"" + name + "\" is no axis of a layout",
                      "d0 is the first dimension; d0/32 d0%32 splits it");
    else
        out.dim = *dim;
    if (parser.accept("/"))
        out.div = factor(parser);
    if (parser.accept("%"))
        out.mod = factor(parser);
    out.span = parser.spanFrom(first);
    return out;
}

// A stage may be one of several that write a tensor: y.1.
Tree argument(Parser& parser) {
    Tree out = parser.expression();
    if (out.isName() && parser.peek(1).kind == TokenKind::Int && parser.accept("."))
        out.text += "." + parser.take().text;
    return out;
}

// Of an argument: loops that the step makes, and others.
void bindLoops(Parser& parser, const Tree& tree) {
    const std::vector<std::string>& words = stepWords();
    if (tree.isName() && std::find(words.begin(), words.end(), tree.text) == words.end())
        parser.binds(BoundName::Kind::Value, tree.text, tree.span);
    for (const Tree& part : tree.args)
        bindLoops(parser, part);
}

StepTree scheduleStep(Parser& parser) {
    StepTree out;
    const Token first = parser.peek();
    Token last = first;
    parser.offer({"anchor", "epilogue", "each"});
    std::string name = parser.expectName("a step, such as y.vectorize(i)", Expect::Step);
    while (!parser.failed() && parser.accept(".")) { // y.1.split: the lexer ends a name at a digit
        last = parser.peek();
        const bool number = last.kind == TokenKind::Int;
        name += "." + (number ? parser.take().text : parser.expectName("a step"));
    }
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) {
        parser.failAt(first.span, "a step reads STAGE.STEP(...)", "y.vectorize(i)");
        return out;
    }
    out.stage = name.substr(0, dot);
    out.name = name.substr(dot + 1);
    const std::size_t before = last.text.rfind('.') + 1; // of the last token, before the name
    out.nameSpan = last.span;
    out.nameSpan.begin += before;
    out.nameSpan.column += static_cast<int>(before);
    parser.expect("(");
    if (out.name == "layout" && parser.accept("row")) {
        parser.expect("-");
        parser.expect("major");
    } else if (out.name == "layout") {
        while (!parser.failed() && !parser.at(")"))
            out.layout.push_back(layoutAxis(parser));
    } else if (!parser.at(")")) {
        const Parser::Expecting expecting(parser, Expect::StepArgument);
        do
            out.args.push_back(argument(parser));
        while (!parser.failed() && parser.accept(","));
        for (std::size_t i = 1; i < out.args.size(); ++i)
            bindLoops(parser, out.args[i]);
    }
    parser.expect(")");
    out.span = parser.spanFrom(first);
    out.text = parser.source(out.span);
    return out;
}

} // namespace

std::shared_ptr<DeclarationTree> parseScheduleDeclaration(Parser& parser) {
    auto out = std::make_shared<ScheduleTree>();
    out->name = parser.expectNewName("the name of a schedule");
    out->doc = parser.acceptText();
    if (parser.accept("for")) {
        out->subjectKind = parser.accept("kind") ? SubjectKind::Kind : SubjectKind::Operator;
        out->subjectSpan = parser.peek().span;
        const bool isKind = *out->subjectKind == SubjectKind::Kind;
        if (isKind)
            parser.offer({"any"});
        out->subject = isKind
                           ? parser.expectName("a kind of operators", Expect::Kind)
                           : parser.expectName("an operator, or kind and a kind", Expect::Operator);
        if (out->doc.empty())
            out->doc = parser.acceptText();
        out->where = parseHeader(parser, *out, Expect::Guard);
    } else if (atHeader(parser) && !parser.isAtCaret()) {
        parser.fail(parser.peek().text + " says for which calls a schedule is offered, so it "
                                         "stands behind for OPERATOR");
    }
    parser.expect("{");
    while (!parser.failed() && !parser.at("}"))
        if (parser.accept("knob"))
            out->knobs.push_back(knob(parser));
        else
            out->steps.push_back(scheduleStep(parser));
    parser.expect("}");
    return out;
}

std::string nameAt(std::string_view entry, const KnobSettings& settings) {
    std::string out;
    for (const KnobSetting& one : settings)
        out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", one.name, one.value);
    return out.empty() ? std::string(entry) : fmt::format("{}({})", entry, out);
}

std::string_view entryOf(std::string_view name) {
    return name.substr(0, name.find('('));
}

KnobSettings settingsOf(std::string_view name) {
    Parser parser(name, {});
    parser.expectName("an implementation");
    KnobSettings out = knobSettings(parser);
    return parser.failed() || !parser.atEnd() ? KnobSettings() : out;
}

const std::vector<std::string>& stepWords() {
    static const std::vector<std::string> words = [] {
        std::vector<std::string> out;
        for (const LanguageWord& known : languageWords())
            if (known.isOfStep)
                out.emplace_back(known.word);
        return out;
    }();
    return words;
}

std::string parseImplementationName(Parser& parser, std::string_view what, Expect stands) {
    const std::string entry = libraryMeant(parser.expectName(what, stands));
    return nameAt(entry, knobSettings(parser));
}

std::string scheduleCode(std::string_view name) {
    return std::string(codePrefix) + std::string(name);
}

std::optional<std::string_view> scheduleOfCode(std::string_view code) {
    return code.starts_with(codePrefix) ? std::optional(code.substr(codePrefix.size()))
                                        : std::nullopt;
}

} // namespace fw
