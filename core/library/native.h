// Native operators: those whose result type depends on attributes that are shapes or lists, or
// whose meaning is not one expression. Each is a row: its text for people, its inference, and,
// where there is one, the tensor expression built by hand, so that facts, reference and schedules
// come as for any other operator.
#pragma once

#include "ir/operator.h"

#include <functional>

namespace fw {

struct NativeAttr {
    std::string name;
    AttrType type;
    std::optional<AttrValue> fallback = {}; // what it stands for where it is not written
};

struct NativeRow {
    std::string name;
    std::string doc;
    std::string signature;
    std::vector<std::string> inputs; // every one is needed
    std::vector<std::string> outputs;
    std::vector<NativeAttr> attrs;
    std::function<Result<Inferred>(const OpCall&)> infer;
    // Given the types infer found. Empty: the operator has no tensor expression.
    std::function<Result<OpInst>(const OpCall&, const std::vector<TensorType>& outputs)>
        instantiate;
    bool view = false;        // Operator::isView()
    bool anyOperands = false; // and any attributes: of an operator that is not known
    bool bindsDims = false;   // Operator::bindsDims()
    // Of an operator without a tensor expression: Operator::runtimeKernel(), reference().
    std::string runtimeKernel = {};
    std::function<Result<std::vector<TensorData>>(const OpCall&,
                                                  const std::vector<const TensorData*>&)>
        reference = {};
    std::string onnx = {}; // its clauses, written as those of a text

    NativeRow with(std::string clauses) const {
        NativeRow out = *this;
        out.onnx = std::move(clauses);
        return out;
    }
};

std::vector<std::shared_ptr<const Operator>> nativeOperators();

// The families, one file each.
std::vector<NativeRow> leafOperators();      // input, constant, unknown, shape, constant_of_shape
std::vector<NativeRow> movementOperators();  // reshape, expand, split, slice, pad, tile
std::vector<NativeRow> reductionOperators(); // reduce_sum, ...
std::vector<NativeRow> indexOperators();     // gather_nd, scatter_nd
std::vector<NativeRow> matrixOperators();    // det
std::vector<NativeRow> sizeOperators();      // bind_dims, slice_at, pad_at, sum_to
std::vector<NativeRow> selectingOperators(); // compact, unique_rows, non_max_suppression

// Shared by the families
Axis axisOf(std::size_t dim, const Dim& extent); // variable "i0", ...
std::vector<Axis> axesOf(const Shape& shape);
Exprs varsOf(const std::vector<Axis>& axes);
Result<const TensorType*> operand(const OpCall& call, std::size_t index, const std::string& name);
Result<Shape> shapeAttr(const Attrs& attrs, const std::string& name); // Exprs or Integers
OpInst mapInst(const std::vector<TensorDecl>& inputs, const TensorType& output, const Expr& body);
Inferred inferredType(TensorType type);

} // namespace fw
