#include "sketch/sketch.h"

#include "ir/tensor_text.h"
#include "sketch/operator_text.h"
#include "sketch/pattern_text.h"
#include "syntax/lexer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fw {

namespace {

constexpr std::pair<std::string_view, SketchKind> kinds[] = {{"pattern", SketchKind::Pattern},
                                                             {"rule", SketchKind::Rule},
                                                             {"op", SketchKind::Operator},
                                                             {"fuse", SketchKind::Fuse},
                                                             {"test", SketchKind::Test}};
constexpr std::pair<std::string_view, SketchLevel> levels[] = {{"exact", SketchLevel::Exact},
                                                               {"range", SketchLevel::Range},
                                                               {"captured", SketchLevel::Captured},
                                                               {"any", SketchLevel::Any}};

std::string about(const SketchPart& part) {
    const Node& last = part.node(part.nodes.back());
    return fmt::format("made of {}", last.name);
}

// `match` of a rule: every result, an earlier one by its name.
std::string matchLines(const SketchPart& part, const SketchWords& words) {
    PatternText text(part, words, PatternText::Constraints::AtNames);
    std::string out;
    for (std::size_t i = 0; i < part.results.size(); ++i) {
        const ValueRef value = part.results[i];
        out +=
            fmt::format("{}{} = {}{}\n", i == 0 ? "  match  " : "         ", part.names.at(value),
                        text.of(value), i + 1 < part.results.size() ? "," : "");
        if (value.output == 0)
            text.isNamed(value);
    }
    return out;
}

Diag severalResults(const SketchPart& part, const char* what) {
    std::vector<std::string> names;
    for (const ValueRef& value : part.ends)
        names.push_back(part.graph->output(value).name);
    return makeDiag(DiagCode::Usage,
                    fmt::format("{} has one result, what is selected has {}: {}", what,
                                names.size(), fmt::join(names, ", ")),
                    {}, "make a rule of it, or select fewer operators");
}

Result<std::string> patternOf(const SketchPart& part, const SketchWords& words,
                              const std::string& name) {
    if (part.ends.size() != 1)
        return severalResults(part, "a pattern");
    std::vector<std::string> parameters;
    for (const ValueRef& operand : part.operands)
        parameters.push_back(part.names.at(operand) + words.constraint(operand));
    PatternText text(part, words, PatternText::Constraints::None);
    return fmt::format("pattern {}({}) {} =\n  {}", name, fmt::join(parameters, ", "),
                       quoteText(about(part)), text.of(part.ends.front()));
}

std::string ruleOf(const SketchPart& part, const SketchWords& words, const SketchWish& wish,
                   const std::vector<std::string>& right) {
    std::string out = fmt::format("rule {} {} {{\n", wish.name, quoteText(about(part)));
    out += matchLines(part, words);
    for (const std::string& line : right)
        out += "  " + line + "\n";
    if (!wish.stage.empty())
        out += "  stage " + wish.stage + "\n";
    return out + "}";
}

Result<std::string> fuseOf(const SketchPart& part, const SketchWords& words,
                           const SketchWish& wish) {
    if (part.ends.size() != 1)
        return severalResults(part, "a fusion rule");
    std::vector<std::string> exposed;
    for (const ValueRef& value : part.results)
        if (value != part.ends.front())
            exposed.push_back(part.names.at({value.node, 0}));
    PatternText text(part, words, PatternText::Constraints::AtNames);
    for (const ValueRef& value : part.results)
        if (value != part.ends.front())
            text.wantsName(value);
    std::string out = fmt::format("fuse {} {} {{\n  match  {}\n", wish.name, quoteText(about(part)),
                                  text.of(part.ends.front()));
    if (!exposed.empty())
        out += fmt::format("  expose {}\n", fmt::join(exposed, ", "));
    return out + "  as     stacked\n}";
}

Result<std::string> graphOf(const SketchPart& part) {
    std::vector<std::string> inputs, results, lines;
    int seed = 0;
    for (const ValueRef& operand : part.operands) {
        const std::string& name = part.names.at(operand);
        const TensorType& type = part.graph->type(operand);
        const TensorData* data = part.graph->constant(operand);
        if (data == nullptr) {
            inputs.push_back(fmt::format("{}: {}", name, type.text()));
            continue;
        }
        const auto elements = elementsText(*data);
        lines.push_back(elements
                            ? fmt::format("{} = const {} : {}", name, *elements, type.text())
                            : fmt::format("{} = const random({}) : {}", name, ++seed, type.text()));
    }
    for (const NodeId id : part.nodes) {
        const Node& node = part.node(id);
        std::vector<std::string> names, operands;
        for (std::size_t i = 0; i < node.outputs.size(); ++i)
            names.push_back(part.names.at({id, static_cast<int>(i)}));
        for (const ValueRef& operand : node.inputs)
            operands.push_back(operand.valid() ? part.names.at(operand) : "none");
        lines.push_back(fmt::format("{} = {}({}){}{}", tupleOf(names), node.op,
                                    fmt::join(operands, ", "), node.attrs.empty() ? "" : " ",
                                    node.attrs.print()));
    }
    for (const ValueRef& value : part.results)
        results.push_back(part.names.at(value));
    std::string out =
        fmt::format("  graph g({}) -> {} {{\n", fmt::join(inputs, ", "), fmt::join(results, ", "));
    for (const std::string& line : lines)
        out += "    " + line + "\n";
    return out + "  }";
}

Result<std::string> testOf(const SketchPart& part, const std::string& name) {
    FW_TRY(const std::string graph, graphOf(part));
    return fmt::format("test {} of {} {{\n{}\n  expect match 1\n}}", quoteText(about(part)), name,
                       graph);
}

} // namespace

std::optional<SketchKind> sketchKind(std::string_view word) {
    for (const auto& [text, kind] : kinds)
        if (text == word)
            return kind;
    return std::nullopt;
}

std::string sketchKinds() {
    std::vector<std::string_view> all;
    for (const auto& [text, kind] : kinds)
        all.push_back(text);
    return fmt::format("{}", fmt::join(all, ", "));
}

std::string_view levelText(SketchLevel level) {
    return levels[static_cast<std::size_t>(level)].first;
}

std::optional<SketchLevel> sketchLevel(std::string_view word) {
    for (const auto& [text, level] : levels)
        if (text == word)
            return level;
    return std::nullopt;
}

std::optional<SketchLevel> SketchFact::looser() const {
    if (level == SketchLevel::Captured || level == SketchLevel::Any)
        return std::nullopt;
    const auto next = std::find_if(levels.begin(), levels.end(), [&](SketchLevel one) {
        return one > level && one != SketchLevel::Captured;
    });
    return next == levels.end() ? std::nullopt : std::optional(*next);
}

Result<Sketch> sketchOf(const Graph& graph, const std::vector<NodeId>& nodes,
                        const SketchWish& wish) {
    FW_TRY(const SketchPart part, partOfSelection(graph, nodes, wish.taken));
    Sketch out;
    if (wish.kind == SketchKind::Test) {
        FW_TRY(out.text, testOf(part, wish.name));
        return out;
    }
    out.facts = factsOf(part, wish);
    const SketchWords words(part, out.facts, wish.kind);
    if (wish.kind == SketchKind::Pattern) {
        FW_TRY(out.text, patternOf(part, words, wish.name));
    } else if (wish.kind == SketchKind::Fuse) {
        FW_TRY(out.text, fuseOf(part, words, wish));
    } else if (wish.kind == SketchKind::Rule) {
        out.text = ruleOf(part, words, wish, rightSide(part, words));
        out.notices.push_back("the right side makes the same operators again: write what should "
                              "stand there");
    } else {
        FW_TRY(const OperatorText made, operatorText(part, wish.name));
        std::vector<std::string> operands, results;
        for (const ValueRef& operand : made.operands)
            operands.push_back(part.names.at(operand));
        for (const ValueRef& value : part.results)
            results.push_back(part.names.at(value));
        const SketchWords typed(part, out.facts, wish.kind, made.types);
        SketchWish rule = wish;
        rule.name = "to_" + wish.name;
        out.text = made.text + "\n" +
                   ruleOf(part, typed, rule,
                          {fmt::format("emit   {} = {}({})", tupleOf(results), wish.name,
                                       fmt::join(operands, ", "))});
        if (!made.anySize)
            out.notices.push_back("its operators ask for numbers: it takes the sizes of what is "
                                  "selected, no others");
    }
    return out;
}

} // namespace fw
