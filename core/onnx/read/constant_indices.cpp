// Indices that are known while a model is read, held against the axes that they count.
#include "expr/simplify.h"
#include "ir/index_operands.h"
#include "onnx/read/model_importer.h"
#include "onnx/read/node_import.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

const TensorData* ModelImporter::knownIntegers(ValueRef value) {
    if (!value.valid() || !isInteger(editor().type(value).dtype))
        return nullptr;
    const Node& node = *editor().find(value.node);
    return node.isConstant() ? node.data.get() : computed(value);
}

Status ModelImporter::checkIndices(NodeImport& context) {
    for (const NodeId id : context.emitted()) {
        const Node& node = *editor().find(id);
        const Operator* op = m_run.operators->find(node.op);
        if (op == nullptr || node.isLeaf() || !node.bodies.empty())
            continue;
        std::vector<ValueRef> present;
        OpCall call;
        call.attrs = node.attrs;
        for (const ValueRef& input : node.inputs) {
            call.inputs.push_back(input.valid() ? std::optional(editor().type(input))
                                                : std::nullopt);
            if (input.valid())
                present.push_back(input);
        }
        if (op->asksOfElements())
            FW_CHECK(checkElements(context, *op, call, node.inputs));
        if (std::none_of(present.begin(), present.end(),
                         [&](const ValueRef& input) { return knownIntegers(input) != nullptr; }))
            continue;
        for (const IndexOperand& index : indexOperands(*op, call))
            if (const TensorData* data = knownIntegers(present.at(index.operand)))
                FW_CHECK(checkIndices(context, index, present[index.operand], *data));
    }
    return {};
}

Status ModelImporter::checkElements(NodeImport& context, const Operator& op, const OpCall& call,
                                    const std::vector<ValueRef>& operands) {
    std::vector<const TensorData*> known;
    std::vector<std::string> shown;
    for (const ValueRef& operand : operands) {
        const bool isThere = operand.valid();
        known.push_back(!isThere ? nullptr
                        : editor().find(operand.node)->isConstant()
                            ? editor().find(operand.node)->data.get()
                            : computed(operand));
        shown.push_back(isThere ? context.shownValue(operand) : "");
    }
    return context.needElements(op, call, known, shown);
}

Status NodeImport::needElements(const Operator& op, const OpCall& call,
                                const std::vector<const TensorData*>& known,
                                const std::vector<std::string>& shown) {
    for (const ElementDemand& one : op.demandsOf(call, known)) {
        const std::string& of = shown.at(one.operand);
        if (simplify(one.condition).isInt(0))
            return malformed(fmt::format("element {} of {} is {}, and {} must hold: {}; {}",
                                         one.element, of, one.value, one.requirement, one.seen,
                                         m_model.operandsText(m_node)));
        assume(one.condition, fmt::format("{}: {} holds {}, and {} must hold: {}", m_node.op_type(),
                                          of, one.value, one.requirement, one.seen));
    }
    return {};
}

Status ModelImporter::checkIndices(NodeImport& context, const IndexOperand& index, ValueRef value,
                                   const TensorData& data) {
    const std::string shown = context.shownValue(value);
    const auto extent = index.extent.asInt();
    if (!extent) {
        if (const std::int64_t needed = neededExtent(data, index); needed > 1)
            context.assume(ltExpr(Expr(needed - 1), index.extent),
                           fmt::format("{}: {} counts an axis of {} and needs its element {}",
                                       context.node().op_type(), shown, index.extent.text(),
                                       needed - 1));
        return {};
    }
    const auto element = firstOutside(data, index, *extent);
    if (!element)
        return {};
    return context.malformed(
        fmt::format("element {} of {} is {}, which lies outside of an axis of {}: an index lies "
                    "between {} and {}; {}",
                    *element, shown, data.integerAt(*element), *extent, -*extent, *extent - 1,
                    operandsText(context.node())));
}

} // namespace fw
