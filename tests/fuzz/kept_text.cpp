#include "fuzz/kept_text.h"

#include "ir/graph_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>

namespace fw::fuzz {

namespace {

std::string sizesText(const Sizes& sizes) {
    std::string out;
    for (const auto& [name, extent] : sizes)
        out += fmt::format(" {}={}", name, extent);
    return out;
}

Sizes sizesOf(const std::string& text) {
    Sizes out;
    std::istringstream words(text);
    for (std::string word; words >> word;)
        if (const std::size_t equals = word.find('='); equals != std::string::npos)
            out[word.substr(0, equals)] = std::stoll(word.substr(equals + 1));
    return out;
}

struct Seeded {
    Values values = Values::Random;
    std::uint64_t seed = 0;
};

// Of "random7" and "integers7", also with what made the name unique behind it.
std::optional<Seeded> seededOf(const std::string& name) {
    static const std::regex form(R"((random|integers|edges|infinite)(\d{1,9})(_\d+)?)");
    std::smatch match;
    if (!std::regex_match(name, match, form))
        return std::nullopt;
    return Seeded{parseValues(match[1].str()).value(), std::stoull(match[2].str())};
}

std::optional<TensorData> resolve(const std::string& name, const std::string& /*hash*/,
                                  const TensorType& type) {
    if (const auto seeded = seededOf(name))
        return seededConstant(seeded->values, seeded->seed, type);
    return std::nullopt;
}

// Of the largest constant that no seed makes again.
std::size_t writtenOf(const Graph& graph) {
    std::size_t out = smallTensor;
    for (const NodePtr& node : graph.nodes())
        if (node->isConstant() && !seededOf(node->name))
            out = std::max(out, static_cast<std::size_t>(node->data->count()));
    return out;
}

} // namespace

std::string seededName(Values values, std::uint64_t seed) {
    return valuesText(values) + std::to_string(seed);
}

TensorData seededConstant(Values values, std::uint64_t seed, const TensorType& type) {
    std::vector<std::int64_t> extents = fixedExtents(type.shape).value();
    return drawn(values, type.dtype, std::move(extents), seed);
}

std::string caseText(const Case& one, const std::string& remark) {
    std::string out = remark.empty() ? std::string() : "# " + remark + "\n";
    out += fmt::format("# values {}\n", valuesText(one.values));
    if (!one.sizes.empty())
        out += fmt::format("# sizes{}\n# others{}\n", sizesText(one.sizes), sizesText(one.others));
    std::string graph = printGraph(*one.graph, writtenOf(*one.graph));
    graph = std::regex_replace(graph, std::regex(R"(const @"random(\d+)(_\d+)?" hash "\w*")"),
                               "const random($1)");
    graph = std::regex_replace(graph, std::regex(R"( @node\("[^"]*"\)| @from\([^)]*\))"), "");
    return out + std::regex_replace(graph, std::regex(R"( hash "\w*")"), "");
}

Result<Case> readCase(const std::string& text, std::shared_ptr<const OperatorSet> operators) {
    Case out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("# values "))
            out.values = parseValues(line.substr(9)).value_or(Values::Random);
        else if (line.starts_with("# sizes"))
            out.sizes = sizesOf(line);
        else if (line.starts_with("# others"))
            out.others = sizesOf(line);
    }
    GraphTextOptions options;
    options.constants = resolve;
    options.origins = GraphEditor::Origins::Fresh;
    FW_TRY(out.graph, parseGraph(text, std::move(operators), options));
    FW_CHECK(evaluateCase(out));
    return out;
}

} // namespace fw::fuzz
