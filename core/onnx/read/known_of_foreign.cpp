// What is known of values whose elements are none of ours without reading any: shapes, and whether
// an optional holds something.
#include "onnx/read/model_importer.h"
#include "onnx/schema/standard_operators.h"

namespace fw {

namespace {

bool isShapeOnly(const proto::NodeProto& node) {
    return (node.op_type() == "Shape" || node.op_type() == "Size") && node.input_size() == 1;
}

} // namespace

// Only where the node that makes it says so: of an optional that is given, data decide.
std::optional<bool> ModelImporter::holdsElement(const std::string& name) const {
    if (name.empty())
        return false;
    const Name& known = *find(name);
    if (known.place >= 0 && isStandardDomain(m_graph.node(known.place).domain()) &&
        m_graph.node(known.place).op_type() == "Optional")
        return has(m_graph.node(known.place), 0);
    if (!known.value.untyped || known.value.foreignShape || known.value.parts)
        return true; // a tensor, or a sequence
    return std::nullopt;
}

bool ModelImporter::has(const proto::NodeProto& node, int operand) {
    return operand < node.input_size() && !node.input(operand).empty();
}

bool ModelImporter::importOfForeign(int index) {
    const auto& node = m_graph.node(index);
    const std::string first = has(node, 0) ? node.input(0) : std::string();
    if (node.op_type() == "OptionalHasElement") {
        const auto holds = holdsElement(first);
        if (!holds)
            return false;
        value(node.output(0)).data = dataFromIntegers(DType::Bool, {}, {*holds ? 1 : 0});
    } else if (node.op_type() == "OptionalGetElement" && !first.empty()) {
        if (!holdsElement(first).value_or(false))
            return false;
        const int place = find(first)->place;
        const bool isMade = place >= 0 && m_graph.node(place).op_type() == "Optional";
        bindAlias(node.output(0), isMade ? m_graph.node(place).input(0) : first);
        return true;
    } else {
        if (!isShapeOnly(node) || first.empty() || !value(first).untyped ||
            !value(first).foreignShape || !fixedExtents(*value(first).foreignShape))
            return false;
        const auto results = resultsOfNode(index);
        if (!results)
            return false;
        value(node.output(0)).data = std::get<TensorData>(results->front());
    }
    note(nodeName(index), "evaluated to a constant");
    return true;
}

} // namespace fw
