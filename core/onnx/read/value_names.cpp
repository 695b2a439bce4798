// The names of a graph's values: each is defined once, and what nodes and outputs read is defined.
#include "base/nearest.h"
#include "onnx/read/model_importer.h"

#include <fmt/format.h>

#include <unordered_set>

namespace fw {

namespace {

// Each attribute is given once and holds its own value.
Status checkAttributes(const proto::NodeProto& node) {
    std::set<std::string_view> names;
    for (const auto& attribute : node.attribute()) {
        if (attribute.name().empty())
            return makeDiag(DiagCode::OnnxMalformed, "an attribute has no name");
        if (!names.insert(attribute.name()).second)
            return makeDiag(DiagCode::OnnxMalformed, fmt::format("attribute '{}' is given twice",
                                                                 cleanText(attribute.name())));
        if (!attribute.ref_attr_name().empty())
            return makeDiag(
                DiagCode::OnnxMalformed,
                fmt::format("attribute '{}' refers to one of a function, and is in none",
                            cleanText(attribute.name())));
    }
    return {};
}

} // namespace

Status ModelImporter::checkNames() {
    m_names.reserve(static_cast<std::size_t>(m_graph.node_size() + m_graph.initializer_size()));
    m_places.reserve(m_names.capacity());
    FW_CHECK(defineLeaves());
    for (int i = 0; i < m_graph.node_size(); ++i)
        for (const std::string& output : m_graph.node(i).output())
            if (!output.empty())
                if (auto status = define(output, i); !status)
                    return inNode(i, status.takeDiag());
    for (int i = 0; i < m_graph.node_size(); ++i)
        if (auto status = checkReads(i); !status)
            return inNode(i, status.takeDiag());
    FW_CHECK(findOutputs());
    for (const auto& value : m_graph.value_info())
        if (Name* known = find(value.name()); known != nullptr && known->declared == nullptr)
            known->declared = &value;
    return {};
}

Status ModelImporter::define(const std::string& name, int place) {
    const auto [found, fresh] = m_places.emplace(name, static_cast<std::uint32_t>(m_names.size()));
    if (fresh) {
        m_names.push_back({place});
        return {};
    }
    return makeDiag(DiagCode::OnnxMalformed,
                    fmt::format("'{}' is defined twice: by {} and by {}", cleanText(name),
                                makerText(m_names[found->second].place), makerText(place)),
                    {}, "a name stands for one value: rename one of them and its readers");
}

std::string ModelImporter::makerText(int place) const {
    return place == byInitializer ? "an initializer"
           : place == byInput     ? "an input"
                                  : "node " + nodeName(place);
}

// What no node makes.
Status ModelImporter::defineLeaves() {
    for (const auto& tensor : m_graph.initializer())
        FW_CHECK(define(tensor.name(), byInitializer));
    for (const auto& tensor : m_graph.sparse_initializer())
        FW_CHECK(define(tensor.values().name(), byInitializer));
    std::unordered_set<std::string_view> inputs;
    for (const auto& input : m_graph.input()) {
        if (input.name().empty()) // which stands for an operand that is left out
            return makeDiag(DiagCode::OnnxMalformed,
                            fmt::format("input {} has no name", inputs.size() + 1));
        if (!inputs.insert(input.name()).second)
            return makeDiag(DiagCode::OnnxMalformed,
                            fmt::format("'{}' is an input twice", cleanText(input.name())));
        if (find(input.name()) == nullptr) // older models list their weights as inputs too
            FW_CHECK(define(input.name(), byInput));
    }
    for (const Given& given : m_given) // what a body takes from the graph around it
        if (find(given.name) == nullptr)
            FW_CHECK(define(given.name, byInput));
    return {};
}

Diag ModelImporter::undefined(const std::string& name) const {
    constexpr std::size_t mostCompared = 2000, longest = 100;
    std::vector<std::string> known;
    for (const auto& [one, place] : m_places)
        if (known.size() < mostCompared && one.size() <= longest && name.size() <= longest)
            known.push_back(cleanText(one));
    return makeDiag(DiagCode::OnnxMalformed,
                    fmt::format("operand '{}' is not defined anywhere", cleanText(name)), {},
                    didYouMean(cleanText(name), known,
                               "an input, an initializer or a result of a node has this name"));
}

Status ModelImporter::checkReads(int index) {
    const auto& node = m_graph.node(index);
    FW_CHECK(checkAttributes(node));
    const auto read = [&](Name& known) {
        known.used = true;
        m_inOrder = m_inOrder && known.place < index;
    };
    for (const std::string& input : node.input()) {
        if (input.empty())
            continue;
        Name* known = find(input);
        if (known == nullptr)
            return undefined(input);
        read(*known);
    }
    for (const std::string& capture : captures(node))
        read(*find(capture));
    return {};
}

Status ModelImporter::findOutputs() {
    if (m_graph.output_size() == 0)
        return makeDiag(DiagCode::OnnxMalformed, "the graph has no outputs: nothing is computed",
                        {}, "export the model again with the values that it should give");
    for (const auto& output : m_graph.output()) {
        Name* known = find(output.name());
        if (known == nullptr)
            return makeDiag(DiagCode::OnnxMalformed,
                            fmt::format("the output '{}' is not computed by any node",
                                        cleanText(output.name())));
        known->used = true;
        known->declared = &output;
    }
    return {};
}

} // namespace fw
