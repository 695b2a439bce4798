// What the import of one node reads and binds: values by the names that the model gives them. A
// value may be known while importing and enters the graph only where an operator uses it.
#pragma once

#include "ir/graph.h"
#include "ir/known_value.h"
#include "onnx/model/attributes.h"
#include "onnx/read/import.h"

#include <optional>
#include <string>
#include <vector>

namespace fw {

class ModelValues {
public:
    virtual GraphEditor& editor() = 0;      // of the graph being built
    virtual std::int64_t opset() const = 0; // of the standard domain
    virtual const OnnxLimits& limits() const = 0;
    virtual const OperatorSet& operators() const = 0;

    // Every name is one that is defined.
    virtual Result<ValueRef> use(const std::string& name) = 0; // in the graph from now on
    virtual Result<TensorType> typeOf(const std::string& name) const = 0;
    virtual const TensorData* constant(const std::string& name) const = 0; // else nullptr
    // The same, or what operators of the graph compute of small constants (ir/known_values.h).
    virtual const TensorData* computed(const std::string& name) = 0;
    // Integers and truths up to smallTensorLimit, maybe over free dimensions.
    virtual std::optional<SmallTensor> small(const std::string& name) = 0;
    // Of a sequence whose tensors are known one by one; nullptr: it is none.
    virtual const std::vector<ValueRef>* partsOf(const std::string& name) const = 0;
    virtual bool isUsed(const std::string& name) const = 0;
    virtual bool isBound(const std::string& name) const = 0; // to a value of the graph

    virtual void bind(const std::string& name, ValueRef value) = 0;
    virtual void bindAlias(const std::string& name, const std::string& of) = 0;
    virtual void bindConstant(const std::string& name, TensorData data) = 0;
    // The elements of a value that is computed while the model runs are these dimensions.
    virtual void bindSizes(const std::string& name, SmallTensor sizes) = 0;
    // It becomes a value of the graph only where something asks for the whole sequence.
    virtual void bindParts(const std::string& name, std::vector<ValueRef> parts) = 0;
    virtual Dim freshDim(const std::string& wish) = 0;
    virtual void assume(Assumption assumption) = 0;
    virtual Result<TensorData> takeTensorHere(proto::TensorProto& tensor) = 0;

    virtual void note(const std::string& node, const std::string& what) = 0;
    virtual void warn(const std::string& node, Diag diag) = 0;
    // "'left' is f32[2, 3], 'right' is f32[4, 5]": for errors
    virtual std::string operandsText(const proto::NodeProto& node) const = 0;
    // In quotes; nullopt if the value is none of its operands.
    virtual std::optional<std::string> nameOfOperand(const proto::NodeProto& node,
                                                     ValueRef value) const = 0;

protected:
    ~ModelValues() = default;
};

} // namespace fw
