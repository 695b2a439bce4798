#include "onnx/write/function_nodes.h"

#include "onnx/model/tensor_proto.h"
#include "onnx/schema/standard_operators.h"
#include "onnx/write/graph_writer.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace fw {

proto::FunctionProto emptyFunction(const std::string& domain, const std::string& type,
                                   std::int64_t opset) {
    proto::FunctionProto out;
    out.set_domain(domain);
    out.set_name(type);
    auto* standard = out.add_opset_import();
    standard->set_domain("");
    standard->set_version(opset);
    return out;
}

FunctionNodes::FunctionNodes(proto::FunctionProto& out, std::int64_t opset)
    : m_out(out), m_opset(opset), m_taken(out.input().begin(), out.input().end()) {
    m_taken.insert(out.output().begin(), out.output().end());
}

std::string FunctionNodes::fresh(const std::string& wish) {
    std::string name = wish;
    for (int i = 1; !m_taken.insert(name).second; ++i)
        name = fmt::format("{}_{}", wish, i);
    return name;
}

proto::NodeProto& FunctionNodes::node(const std::string& type,
                                      const std::vector<std::string>& inputs,
                                      const std::string& output) {
    proto::NodeProto& out = *m_out.add_node();
    out.set_op_type(type);
    for (const std::string& input : inputs) {
        const auto now = m_renamed.find(input);
        out.add_input(now == m_renamed.end() ? input : now->second);
    }
    out.add_output(output);
    return out;
}

std::string FunctionNodes::add(const std::string& type, const std::vector<std::string>& inputs) {
    std::string wish = type;
    std::transform(wish.begin(), wish.end(), wish.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string output = fresh(wish);
    node(type, inputs, output);
    return output;
}

std::string FunctionNodes::add(const std::string& type, const std::vector<std::string>& inputs,
                               const std::string& attribute, const AttrValue& value) {
    const std::string output = add(type, inputs);
    proto::NodeProto& written = *m_out.mutable_node(m_out.node_size() - 1);
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        setAttribute(written, attribute, *integer);
    else if (const auto* integers = std::get_if<Integers>(&value))
        setAttribute(written, attribute, *integers);
    return output;
}

void FunctionNodes::nameResult(const std::string& x, const std::string& result) {
    if (m_out.node_size() > 0) {
        proto::NodeProto& last = *m_out.mutable_node(m_out.node_size() - 1);
        if (last.output(0) == x && last.op_type() != "Constant") { // those are shared
            last.set_output(0, result);
            m_renamed.emplace(x, result);
            return;
        }
    }
    node("Identity", {x}, result);
}

std::string FunctionNodes::constant(const TensorData& data, const std::string& key) {
    const auto [known, isNew] = m_known.emplace(key, std::string());
    if (isNew) {
        known->second = fresh("constant");
        auto& attribute = *node("Constant", {}, known->second).add_attribute();
        attribute.set_name("value");
        attribute.set_type(proto::AttributeProto::TENSOR);
        fillTensor(*attribute.mutable_t(), data, {});
    }
    return known->second;
}

std::string FunctionNodes::integer(std::int64_t value) {
    return constant(dataFromIntegers(DType::I64, {}, {value}), fmt::format("i {}", value));
}

std::string FunctionNodes::integers(const Integers& values) {
    return constant(
        dataFromIntegers(DType::I64, {static_cast<std::int64_t>(values.size())}, values),
        fmt::format("i [{}]", fmt::join(values, " ")));
}

std::string FunctionNodes::real(double value) {
    return constant(dataFromDoubles(DType::F64, {}, {value}), fmt::format("r {:a}", value));
}

std::string FunctionNodes::truth(bool value) {
    return constant(dataFromIntegers(DType::Bool, {}, {value ? 1 : 0}), value ? "true" : "false");
}

std::string FunctionNodes::casted(const std::string& x, DType to) {
    return add("Cast", {x}, "to", std::int64_t{onnxFromDtype(to)});
}

std::string FunctionNodes::given(const std::string& attribute,
                                 proto::AttributeProto::AttributeType kind) {
    const auto [known, isNew] = m_known.emplace("given " + attribute, std::string());
    if (isNew) {
        known->second = fresh("given");
        auto& value = *node("Constant", {}, known->second).add_attribute();
        value.set_name(kind == proto::AttributeProto::FLOAT    ? "value_float"
                       : kind == proto::AttributeProto::INT    ? "value_int"
                       : kind == proto::AttributeProto::FLOATS ? "value_floats"
                                                               : "value_ints");
        value.set_type(kind);
        value.set_ref_attr_name(attribute);
    }
    return known->second;
}

std::string FunctionNodes::castedAsGiven(const std::string& x, const std::string& attribute) {
    const std::string output = add("Cast", {x});
    auto& to = *m_out.mutable_node(m_out.node_size() - 1)->add_attribute();
    to.set_name("to");
    to.set_type(proto::AttributeProto::INT);
    to.set_ref_attr_name(attribute);
    return output;
}

std::string FunctionNodes::reduced(const std::string& reducer, const std::string& x,
                                   const Integers& axes) {
    if (axes.empty()) // without axes ONNX means all of them
        return x;
    std::vector<std::string> inputs{x};
    const bool asAttribute = hasAttribute(reducer, m_opset, "axes");
    if (!asAttribute)
        inputs.push_back(integers(axes));
    const std::string output = add(reducer, inputs, "keepdims", std::int64_t{0});
    if (asAttribute)
        setAttribute(*m_out.mutable_node(m_out.node_size() - 1), "axes", axes);
    return output;
}

} // namespace fw
