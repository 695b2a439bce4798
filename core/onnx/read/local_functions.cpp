#include "onnx/read/local_functions.h"

#include "onnx/model/names.h"
#include "onnx/model/subgraphs.h"
#include "onnx/schema/standard_operators.h"

#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

constexpr int defaultAttributes = 11; // field of FunctionProto in newer versions of the format

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

template <class Holder> // of nodes: a function or a graph
void collectReferences(const Holder& holder, std::set<std::string>& out) {
    for (const auto& node : holder.node()) {
        for (const auto& attribute : node.attribute())
            if (!attribute.ref_attr_name().empty())
                out.insert(attribute.ref_attr_name());
        forSubgraphs(node, [&](const auto& body) { collectReferences(body, out); });
    }
}

// A body on its way to one call.
struct Instance {
    const proto::NodeProto& call;
    std::vector<proto::AttributeProto> defaults;
    std::set<std::string> absent; // operands that the call leaves out

    const proto::AttributeProto* attribute(const std::string& name) const {
        for (const auto& given : call.attribute())
            if (given.name() == name)
                return &given;
        for (const auto& fallback : defaults)
            if (fallback.name() == name)
                return &fallback;
        return nullptr;
    }

    void fill(proto::NodeProto& node) const {
        for (std::string& input : *node.mutable_input())
            if (absent.contains(input))
                input.clear();
        google::protobuf::RepeatedPtrField<proto::AttributeProto> written;
        written.Swap(node.mutable_attribute());
        for (auto& attribute : written) {
            if (attribute.ref_attr_name().empty()) {
                *node.add_attribute() = std::move(attribute);
            } else if (const auto* given = this->attribute(attribute.ref_attr_name())) {
                auto& own = *node.add_attribute();
                own = *given;
                own.set_name(attribute.name());
            }
        }
        forSubgraphs(node, [&](auto& body) {
            for (auto& inner : *body.mutable_node())
                fill(inner);
        });
    }
};

} // namespace

LocalFunctions::Key LocalFunctions::keyOf(const proto::NodeProto& node) {
    return {isStandardDomain(node.domain()) ? "" : node.domain(), node.op_type()};
}

std::string LocalFunctions::textOf(const Key& key) {
    return cleanText(key.first.empty() ? key.second : key.first + "." + key.second);
}

LocalFunctions::LocalFunctions(const proto::ModelProto& model) {
    for (const auto& function : model.functions())
        m_functions.emplace(
            Key{isStandardDomain(function.domain()) ? "" : function.domain(), function.name()},
            &function);
}

const proto::FunctionProto* LocalFunctions::find(const proto::NodeProto& node) const {
    if (m_functions.empty())
        return nullptr;
    const auto [begin, end] = m_functions.equal_range(keyOf(node));
    return std::distance(begin, end) == 1 ? begin->second : nullptr;
}

bool LocalFunctions::isAmbiguous(const proto::NodeProto& node) const {
    return !m_functions.empty() && m_functions.count(keyOf(node)) > 1;
}

bool LocalFunctions::knowsDomain(const proto::NodeProto& node) const {
    const auto next = m_functions.lower_bound({node.domain(), ""});
    return !isStandardDomain(node.domain()) && next != m_functions.end() &&
           next->first.first == node.domain();
}

// Counts each function once, however often it is called.
class LocalFunctions::Count {
public:
    Count(const LocalFunctions& functions, const OnnxLimits& limits)
        : m_functions(functions), m_limits(limits) {}

    struct Size {
        std::int64_t nodes = 0;
        int depth = 0; // of bodies and functions inside
    };

    template <class Holder>
    Result<Size> of(const Holder& holder) {
        if (m_depth > m_limits.nesting)
            return makeDiag(DiagCode::LimitReached,
                            fmt::format("functions and bodies lie more than {} levels deep in each "
                                        "other",
                                        m_limits.nesting));
        Size out;
        const bool isWhole = m_depth++ == 0;
        for (const auto& node : holder.node())
            if (auto status = add(node, out); !status)
                return isWhole ? status.takeDiag().at({{}, cleanText(node.name())}) // of the file
                               : status.takeDiag();
        --m_depth;
        return out;
    }

private:
    Status add(const proto::NodeProto& node, Size& out) {
        ++out.nodes;
        Status status;
        forSubgraphs(node, [&](const auto& body) {
            if (status)
                status = take(of(body), out);
        });
        if (const auto* function = m_functions.find(node); function != nullptr && status)
            status = take(called(keyOf(node), *function), out);
        if (status && out.nodes > m_limits.nodes)
            status = makeDiag(DiagCode::LimitReached,
                              fmt::format("has more than {} nodes with its bodies and functions "
                                          "written out",
                                          m_limits.nodes));
        return status;
    }

    Status take(const Result<Size>& inner, Size& out) const {
        if (!inner)
            return inner.diag();
        out.nodes += inner->nodes;
        out.depth = std::max(out.depth, inner->depth + 1);
        if (m_depth + out.depth > m_limits.nesting)
            return makeDiag(DiagCode::LimitReached,
                            fmt::format("functions and bodies lie more than {} levels deep in each "
                                        "other",
                                        m_limits.nesting));
        return {};
    }

    Result<Size> called(const Key& key, const proto::FunctionProto& function) {
        if (const auto known = m_known.find(key); known != m_known.end())
            return known->second;
        const auto begin = std::find(m_open.begin(), m_open.end(), key);
        if (begin != m_open.end()) {
            std::string path;
            for (auto at = begin; at != m_open.end() && at - begin < 8; ++at)
                path += textOf(*at) + " -> ";
            return makeDiag(DiagCode::OnnxMalformed,
                            fmt::format("the function {} calls itself: {}{}{}", textOf(key), path,
                                        m_open.end() - begin > 8 ? "... -> " : "", textOf(key)),
                            {}, "a function may not call itself, nor a function that calls it");
        }
        m_open.push_back(key);
        FW_TRY(const Size size, of(function));
        m_open.pop_back();
        m_known.emplace(key, size);
        return size;
    }

    const LocalFunctions& m_functions;
    const OnnxLimits& m_limits;
    std::map<Key, Size> m_known;
    std::vector<Key> m_open;
    int m_depth = 0;
};

Status LocalFunctions::check(const proto::GraphProto& graph, const OnnxLimits& limits) const {
    const auto size = Count(*this, limits).of(graph);
    return size ? Status() : Status(size.diag());
}

Result<proto::GraphProto> LocalFunctions::bodyOf(const proto::FunctionProto& function,
                                                 const proto::NodeProto& call) const {
    const std::string name = textOf(keyOf(call));
    if (call.input_size() > function.input_size() || call.output_size() > function.output_size())
        return makeDiag(DiagCode::OnnxMalformed,
                        fmt::format("the function {} has {} operands and {} results, its call has "
                                    "{} and {}",
                                    name, function.input_size(), function.output_size(),
                                    call.input_size(), call.output_size()));
    Instance instance{call, defaultsOf(function), {}};
    std::set<std::string> attributes(function.attribute().begin(), function.attribute().end());
    collectReferences(function, attributes);
    for (const auto& fallback : instance.defaults)
        attributes.insert(fallback.name());
    for (const auto& given : call.attribute())
        if (!attributes.contains(given.name())) {
            std::string known;
            for (const std::string& one : attributes)
                known += (known.empty() ? "it has " : ", ") + cleanText(one);
            return makeDiag(
                DiagCode::OnnxMalformed,
                fmt::format("the function {} has no attribute '{}'", name, cleanText(given.name())),
                {}, known.empty() ? "it has none" : known);
        }
    proto::GraphProto out;
    out.set_name(function.name());
    for (int i = 0; i < function.input_size(); ++i) {
        if (i < call.input_size() && !call.input(i).empty())
            out.add_input()->set_name(function.input(i));
        else
            instance.absent.insert(function.input(i));
    }
    for (const auto& node : function.node())
        instance.fill(*out.add_node() = node);
    for (int i = 0; i < call.output_size(); ++i)
        if (!call.output(i).empty())
            out.add_output()->set_name(function.output(i));
    return out;
}

std::vector<const proto::FunctionProto*>
LocalFunctions::neededBy(const proto::NodeProto& node) const {
    std::vector<const proto::FunctionProto*> out;
    std::set<Key> seen;
    const auto visit = [&](const auto& self, const proto::NodeProto& one) -> void {
        forSubgraphs(one, [&](const auto& body) {
            for (const auto& inner : body.node())
                self(self, inner);
        });
        const auto [begin, end] = m_functions.equal_range(keyOf(one));
        if (begin == end || !seen.insert(begin->first).second)
            return;
        for (auto found = begin; found != end; ++found) {
            out.push_back(found->second);
            for (const auto& inner : found->second->node())
                self(self, inner);
        }
    };
    if (!m_functions.empty())
        visit(visit, node);
    return out;
}

} // namespace fw
