// The state of one import: what every value name of the model stands for, and the graph being
// built.
//
// A value may be known while importing (weights, shape arithmetic) and enters the graph only when
// an operator uses it as an operand; so a weight that became an attribute leaves no constant
// behind.
#pragma once

#include "onnx/import.h"
#include "onnx/names.h"
#include "onnx/node_import.h"
#include "onnx/tensor_proto.h"

#include <memory_resource>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace fw {

class ModelImporter {
public:
    ModelImporter(proto::ModelProto& model, std::shared_ptr<const OperatorSet> operators,
                  const ImportOptions& options, const CancelToken& cancel, std::string file,
                  const std::string& folder);

    Result<Imported> run();

    // For NodeImport
    GraphEditor& editor() { return m_editor; }
    std::int64_t opset() const { return m_opset; }
    const OnnxLimits& limits() const { return m_options.limits; }
    Result<ValueRef> use(const std::string& name);
    Result<TensorType> typeOf(const std::string& name) const;
    const TensorData* constant(const std::string& name) const;
    std::optional<SmallTensor> small(const std::string& name) const;
    bool isUsed(const std::string& name) const {
        const Name* known = find(name);
        return known != nullptr && known->used;
    }
    void bind(const std::string& name, ValueRef value);
    void bindAlias(const std::string& name, const std::string& of);
    void bindConstant(const std::string& name, TensorData data);
    Result<TensorData> takeTensorHere(proto::TensorProto& tensor) {
        return takeTensor(tensor, m_external, m_options.limits);
    }
    void note(const std::string& node, const std::string& what);

private:
    struct Value {
        std::optional<ValueRef> ref;
        std::optional<TensorData> data;
        std::optional<SmallTensor> small; // not fixed; a fixed one is `data`
        int producer = -1;                // node to import when the value is needed in the graph
        int depth = 0;                    // of deferred producers
        bool untyped = false;             // no type is known: what reads it cannot be understood
    };

    // What the model says of a value before anything is imported, and what became of it.
    struct Name {
        int place = 0; // the node that makes it, or one of the two below
        bool used = false;
        const proto::ValueInfoProto* declared = nullptr;
        Value value = {};
    };
    static constexpr int byInitializer = -1, byInput = -2;

    const Name* find(const std::string& name) const { // nullptr if it is not defined
        const auto found = m_places.find(name);
        return found == m_places.end() ? nullptr : &m_names[found->second];
    }
    Name* find(const std::string& name) {
        return const_cast<Name*>(std::as_const(*this).find(name));
    }
    const Value& value(const std::string& name) const { return m_names[m_places.at(name)].value; }
    Value& value(const std::string& name) { return m_names[m_places.at(name)].value; }
    Status readHeader();
    Status writeOutFunctions();
    Status readInitializers();
    Status readInputs();
    Status checkNames();
    Status sortNodes();
    Status importNodes();
    Status importNode(int index);
    Status importUnknown(int index, const std::string& name, Diag why);
    Result<bool> importKnown(int index); // constants and shape arithmetic
    Status addResults();
    Status checkDeclared(const std::string& name, const TensorType& found, const std::string& node);
    Result<std::optional<TensorType>> declaredType(const std::string& name);
    std::optional<DType> declaredElement(const std::string& name) const; // even without a shape
    Result<Attrs> unknownAttrs(const proto::NodeProto& node);
    Result<std::optional<TensorData>> constantOf(const proto::NodeProto& node);
    Result<std::optional<TensorData>> filled(const proto::NodeProto& node, const Integers& extents);
    std::string nodeName(int index) const;
    std::vector<std::string> captures(const proto::NodeProto& node) const;
    std::int64_t opsetOf(const std::string& domain) const;
    Status embedExternal(proto::GraphProto& graph);
    Status embedExternal(proto::AttributeProto& attribute);
    Status embedExternal(proto::TensorProto& tensor);
    Diag inNode(int index, Diag diag) const;

    proto::ModelProto& m_model;
    proto::GraphProto& m_graph;
    const ImportOptions& m_options;
    const CancelToken& m_cancel;
    std::string m_file;
    ExternalData m_external;
    DimNames m_dims;
    GraphEditor m_editor;
    Imported m_out;
    std::int64_t m_opset = 1;

    std::pmr::monotonic_buffer_resource m_nameMemory;
    // Every value of the graph. Names are found far more often than there are any, so the table of
    // them holds nothing else.
    std::pmr::unordered_map<std::string_view, std::uint32_t> m_places{&m_nameMemory};
    std::vector<Name> m_names;
    bool m_inOrder = true; // every node stands behind those that it reads
    std::vector<int> m_order;
    std::vector<std::pair<NodeId, Diag>> m_nodeDiags;        // kept if the node is in the result
    std::shared_ptr<const std::vector<std::byte>> m_uniform; // shared by constants of one value
    std::string m_uniformPattern;
};

} // namespace fw
