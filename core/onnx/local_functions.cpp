#include "onnx/local_functions.h"

#include "onnx/names.h"
#include "onnx/standard_operators.h"
#include "onnx/subgraphs.h"

#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <map>
#include <set>

namespace fw {

namespace {

using Key = std::pair<std::string, std::string>; // domain, name
using Names = std::map<std::string, std::string>;

constexpr int defaultAttributes = 11; // field of FunctionProto in newer versions of the format

Key keyOf(const proto::NodeProto& node) {
    return {isStandardDomain(node.domain()) ? "" : node.domain(), node.op_type()};
}

std::string textOf(const Key& key) {
    return cleanText(key.first.empty() ? key.second : key.first + "." + key.second);
}

std::vector<proto::AttributeProto> defaultsOf(const proto::FunctionProto& function) {
    std::vector<proto::AttributeProto> out;
    const auto& fields = function.GetReflection()->GetUnknownFields(function);
    for (int i = 0; i < fields.field_count(); ++i) {
        const auto& field = fields.field(i);
        proto::AttributeProto attribute;
        if (field.number() == defaultAttributes &&
            field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED &&
            attribute.ParseFromString(field.length_delimited()))
            out.push_back(std::move(attribute));
    }
    return out;
}

// One call on its way into the graph.
struct Call {
    const proto::NodeProto& node;
    std::vector<proto::AttributeProto> defaults;
    std::string prefix;

    const proto::AttributeProto* attribute(const std::string& name) const {
        for (const auto& given : node.attribute())
            if (given.name() == name)
                return &given;
        for (const auto& fallback : defaults)
            if (fallback.name() == name)
                return &fallback;
        return nullptr;
    }
};

class Inliner {
public:
    Inliner(proto::ModelProto& model, const OnnxLimits& limits) : m_model(model), m_limits(limits) {
        for (const auto& function : model.functions()) {
            const Key key{isStandardDomain(function.domain()) ? "" : function.domain(),
                          function.name()};
            if (!m_functions.emplace(key, &function).second)
                m_ambiguous.insert(key);
        }
        for (const auto& entry : model.opset_import())
            if (isStandardDomain(entry.domain()))
                m_opset = entry.version();
    }

    Result<Diags> run() {
        FW_CHECK(expand(*m_model.mutable_graph()));
        return std::move(m_diagnostics);
    }

private:
    Status expand(proto::GraphProto& graph) {
        google::protobuf::RepeatedPtrField<proto::NodeProto> nodes;
        nodes.Swap(graph.mutable_node());
        for (auto& node : nodes)
            FW_CHECK(append(std::move(node), graph));
        return {};
    }

    Status append(proto::NodeProto node, proto::GraphProto& graph) {
        if (++m_count > m_limits.nodes) // calls count: bodies may be empty
            return makeDiag(DiagCode::LimitReached,
                            fmt::format("has more than {} nodes with its functions written out",
                                        m_limits.nodes));
        const auto found = m_functions.find(keyOf(node));
        if (found != m_functions.end() && canInline(found->first, *found->second))
            return inlineCall(node, found->first, *found->second, graph);
        Status status;
        forSubgraphs(node, [&](auto& body) {
            if (status)
                status = expand(body);
        });
        FW_CHECK(std::move(status));
        *graph.add_node() = std::move(node);
        return {};
    }

    // Whether every operator of the body means the same in the opset of the model.
    bool canInline(const Key& key, const proto::FunctionProto& function) {
        const auto [known, fresh] = m_canInline.emplace(key, true);
        if (!fresh)
            return known->second;
        std::int64_t opset = m_opset;
        for (const auto& entry : function.opset_import())
            if (isStandardDomain(entry.domain()))
                opset = entry.version();
        std::string why;
        if (m_ambiguous.contains(key))
            why = "two functions have its name";
        for (const auto& node : function.node())
            if (why.empty() && opset != m_opset && !opsetsOf(node, opset).contains(m_opset))
                why = fmt::format("{} of opset {} means something else in opset {}",
                                  cleanText(node.op_type()), opset, m_opset);
        if (!why.empty())
            m_diagnostics.push_back(makeWarning(
                DiagCode::UnknownOperator,
                fmt::format("the function {} cannot be written out: {}", textOf(key), why)));
        return known->second = why.empty();
    }

    Status inlineCall(const proto::NodeProto& node, const Key& key,
                      const proto::FunctionProto& function, proto::GraphProto& graph) {
        if (std::find(m_stack.begin(), m_stack.end(), key) != m_stack.end())
            return makeDiag(DiagCode::OnnxMalformed,
                            fmt::format("the function {} calls itself", textOf(key)),
                            {{}, cleanText(node.name())});
        if (node.input_size() > function.input_size() ||
            node.output_size() > function.output_size())
            return makeDiag(DiagCode::OnnxMalformed,
                            fmt::format("the function {} has {} operands and {} results, its call "
                                        "has {} and {}",
                                        textOf(key), function.input_size(), function.output_size(),
                                        node.input_size(), node.output_size()),
                            {{}, cleanText(node.name())});
        if (static_cast<int>(m_stack.size()) >= m_limits.nesting)
            return makeDiag(
                DiagCode::LimitReached,
                fmt::format("functions call each other more than {} levels deep", m_limits.nesting),
                {{}, cleanText(node.name())});
        importDomains(function);
        Call call{node, defaultsOf(function), prefixOf(node, function)};
        Names names;
        for (int i = 0; i < function.input_size(); ++i)
            names[function.input(i)] = i < node.input_size() ? node.input(i) : "";
        std::vector<std::pair<std::string, std::string>> copies; // results that are no node's own
        for (int i = 0; i < node.output_size(); ++i) {
            if (node.output(i).empty())
                continue;
            if (!names.emplace(function.output(i), node.output(i)).second)
                copies.emplace_back(names.at(function.output(i)), node.output(i));
        }
        m_stack.push_back(key);
        for (const auto& inner : function.node())
            FW_CHECK(append(instance(inner, call, names), graph));
        m_stack.pop_back();
        for (const auto& [from, to] : copies) {
            proto::NodeProto copy;
            copy.set_op_type("Identity");
            copy.set_name(call.prefix + to);
            copy.add_input(from);
            copy.add_output(to);
            FW_CHECK(append(std::move(copy), graph));
        }
        return {};
    }

    // A node of a body with the names and attributes of the call. Names that the body makes are
    // added to `names`.
    static proto::NodeProto instance(const proto::NodeProto& inner, const Call& call,
                                     Names& names) {
        const auto named = [&](const std::string& name) {
            return name.empty() ? name : names.emplace(name, call.prefix + name).first->second;
        };
        proto::NodeProto out = inner;
        out.set_name(call.prefix + (inner.name().empty() ? inner.op_type() : inner.name()));
        for (std::string& input : *out.mutable_input())
            input = named(input);
        for (std::string& output : *out.mutable_output())
            output = named(output);
        out.clear_attribute();
        for (const auto& attribute : inner.attribute()) {
            if (attribute.ref_attr_name().empty()) {
                *out.add_attribute() = attribute;
            } else if (const auto* given = call.attribute(attribute.ref_attr_name())) {
                auto& own = *out.add_attribute();
                own = *given;
                own.set_name(attribute.name());
                continue; // the caller's own, with the caller's names
            } else {
                continue;
            }
            auto& own = *out.mutable_attribute(out.attribute_size() - 1);
            if (own.has_g())
                instanceOf(*own.mutable_g(), call, names);
            for (auto& body : *own.mutable_graphs())
                instanceOf(body, call, names);
        }
        return out;
    }

    static void instanceOf(proto::GraphProto& graph, const Call& call, const Names& outer) {
        Names names = outer;
        const auto own = [&](std::string& name) {
            name = names.insert_or_assign(name, call.prefix + name).first->second;
        };
        for (auto& input : *graph.mutable_input())
            own(*input.mutable_name());
        for (auto& tensor : *graph.mutable_initializer())
            own(*tensor.mutable_name());
        for (auto& node : *graph.mutable_node()) {
            for (const std::string& output : node.output())
                if (!output.empty())
                    names.insert_or_assign(output, call.prefix + output);
            node = instance(node, call, names);
        }
        for (auto& output : *graph.mutable_output())
            if (const auto found = names.find(output.name()); found != names.end())
                output.set_name(found->second);
        graph.clear_value_info();
    }

    std::string prefixOf(const proto::NodeProto& node, const proto::FunctionProto& function) {
        const std::string wish = node.name().empty() ? function.name() : node.name();
        std::string prefix = wish;
        for (int i = 1; !m_prefixes.insert(prefix).second; ++i)
            prefix = fmt::format("{}_{}", wish, i);
        return prefix + "/";
    }

    void importDomains(const proto::FunctionProto& function) {
        for (const auto& entry : function.opset_import()) {
            const auto& known = m_model.opset_import();
            if (!isStandardDomain(entry.domain()) &&
                std::none_of(known.begin(), known.end(),
                             [&](const auto& one) { return one.domain() == entry.domain(); }))
                *m_model.add_opset_import() = entry;
        }
    }

    proto::ModelProto& m_model;
    const OnnxLimits& m_limits;
    std::map<Key, const proto::FunctionProto*> m_functions;
    std::set<Key> m_ambiguous;
    std::map<Key, bool> m_canInline;
    std::set<std::string> m_prefixes;
    std::vector<Key> m_stack;
    std::int64_t m_opset = 1;
    std::int64_t m_count = 0;
    Diags m_diagnostics;
};

} // namespace

Result<Diags> inlineFunctions(proto::ModelProto& model, const OnnxLimits& limits) {
    if (model.functions_size() == 0)
        return Diags();
    return Inliner(model, limits).run();
}

bool callsFunction(const proto::ModelProto& model, const proto::NodeProto& node) {
    const Key key = keyOf(node);
    return std::any_of(model.functions().begin(), model.functions().end(), [&](const auto& one) {
        return one.name() == key.second &&
               (one.domain() == key.first || (isStandardDomain(one.domain()) && key.first.empty()));
    });
}

} // namespace fw
