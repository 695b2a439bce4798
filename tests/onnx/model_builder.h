// Small ONNX models for tests, in a line or two each.
#pragma once

#include "onnx/model/proto.h"

#include <string>
#include <vector>

namespace fw::test {

struct ModelBuilder {
    proto::ModelProto model;

    explicit ModelBuilder(std::int64_t opset = 13, std::int64_t ir = 8) {
        model.set_ir_version(ir);
        auto* entry = model.add_opset_import();
        entry->set_domain("");
        entry->set_version(opset);
        model.mutable_graph()->set_name("g");
    }
    proto::GraphProto& graph() { return *model.mutable_graph(); }

    static void declare(proto::ValueInfoProto& value, const std::string& name,
                        const std::vector<std::string>& dims,
                        int dtype = proto::TensorProto::FLOAT) {
        value.set_name(name);
        auto* tensor = value.mutable_type()->mutable_tensor_type();
        tensor->set_elem_type(dtype);
        tensor->mutable_shape();
        for (const std::string& dim : dims) {
            auto* out = tensor->mutable_shape()->add_dim();
            if (dim.find_first_not_of("-0123456789") != std::string::npos)
                out->set_dim_param(dim);
            else if (!dim.empty())
                out->set_dim_value(std::stoll(dim));
        }
    }
    // A dimension is a number, a name, or "" for unknown.
    ModelBuilder& input(const std::string& name, const std::vector<std::string>& dims,
                        int dtype = proto::TensorProto::FLOAT) {
        declare(*graph().add_input(), name, dims, dtype);
        return *this;
    }
    ModelBuilder& output(const std::string& name, const std::vector<std::string>& dims = {},
                         int dtype = proto::TensorProto::FLOAT) {
        auto* value = graph().add_output();
        declare(*value, name, dims, dtype);
        if (dims.empty())
            value->mutable_type()->mutable_tensor_type()->clear_shape();
        return *this;
    }
    // That lie in a file beside the model; empty: the key is not written.
    ModelBuilder& externalWeights(const std::string& name, std::int64_t count,
                                  const std::string& location, const std::string& offset = {},
                                  const std::string& length = {}) {
        auto* tensor = graph().add_initializer();
        tensor->set_name(name);
        tensor->set_data_type(proto::TensorProto::FLOAT);
        tensor->add_dims(count);
        tensor->set_data_location(proto::TensorProto::EXTERNAL);
        for (const auto& [key, value] :
             {std::pair("location", location), {"offset", offset}, {"length", length}}) {
            if (value.empty() && key != std::string("location"))
                continue;
            auto* entry = tensor->add_external_data();
            entry->set_key(key);
            entry->set_value(value);
        }
        return *this;
    }
    ModelBuilder& weights(const std::string& name, const std::vector<std::int64_t>& dims,
                          std::vector<float> values = {}) {
        auto* tensor = graph().add_initializer();
        tensor->set_name(name);
        tensor->set_data_type(proto::TensorProto::FLOAT);
        std::int64_t count = 1;
        for (const std::int64_t dim : dims) {
            tensor->add_dims(dim);
            count *= dim;
        }
        for (std::int64_t i = 0;
             values.empty() ? i < count : i < static_cast<std::int64_t>(values.size()); ++i)
            tensor->add_float_data(values.empty() ? static_cast<float>(i % 7 - 3)
                                                  : values[static_cast<std::size_t>(i)]);
        return *this;
    }
    ModelBuilder& integers(const std::string& name, const std::vector<std::int64_t>& values,
                           bool isScalar = false) {
        auto* tensor = graph().add_initializer();
        tensor->set_name(name);
        tensor->set_data_type(proto::TensorProto::INT64);
        if (!isScalar)
            tensor->add_dims(static_cast<std::int64_t>(values.size()));
        for (const std::int64_t value : values)
            tensor->add_int64_data(value);
        return *this;
    }
    // Operands and results separated by spaces; "-" is an absent operand.
    proto::NodeProto& node(const std::string& type, const std::string& inputs,
                           const std::string& outputs, const std::string& name = {}) {
        auto* node = graph().add_node();
        node->set_op_type(type);
        node->set_name(name);
        for (const std::string& word : words(inputs))
            node->add_input(word == "-" ? "" : word);
        for (const std::string& word : words(outputs))
            node->add_output(word == "-" ? "" : word);
        return *node;
    }
    static void set(proto::NodeProto& node, const std::string& name, std::int64_t value) {
        auto* attribute = node.add_attribute();
        attribute->set_name(name);
        attribute->set_type(proto::AttributeProto::INT);
        attribute->set_i(value);
    }
    static void setReal(proto::NodeProto& node, const std::string& name, float value) {
        auto* attribute = node.add_attribute();
        attribute->set_name(name);
        attribute->set_type(proto::AttributeProto::FLOAT);
        attribute->set_f(value);
    }
    static void setText(proto::NodeProto& node, const std::string& name, const std::string& value) {
        auto* attribute = node.add_attribute();
        attribute->set_name(name);
        attribute->set_type(proto::AttributeProto::STRING);
        attribute->set_s(value);
    }
    static void set(proto::NodeProto& node, const std::string& name,
                    const std::vector<std::int64_t>& values) {
        auto* attribute = node.add_attribute();
        attribute->set_name(name);
        attribute->set_type(proto::AttributeProto::INTS);
        for (const std::int64_t value : values)
            attribute->add_ints(value);
    }
    std::string bytes() const { return model.SerializeAsString(); }

private:
    static std::vector<std::string> words(const std::string& text) {
        std::vector<std::string> out;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find(' ', at), text.size());
            if (end > at)
                out.push_back(text.substr(at, end - at));
            at = end + 1;
        }
        return out;
    }
};

} // namespace fw::test
