// What the results of a node stand for.
#include "onnx/model/names.h"
#include "onnx/read/node_import.h"

#include <fmt/format.h>

namespace fw {

Status NodeImport::result(std::string op, std::vector<ValueRef> inputs, Attrs attrs) {
    FW_CHECK(toNormalForm(op, inputs, attrs));
    std::vector<ValueRef> values;
    if (m_narrow) {
        FW_TRY(values, steps(op, std::move(inputs), std::move(attrs)));
    } else {
        GraphEditor::NewNode wish;
        wish.op = op;
        wish.inputs = std::move(inputs);
        wish.attrs = std::move(attrs);
        wish.name = m_name;
        for (const std::string& output : m_node.output())
            wish.outputNames.push_back(cleanText(output));
        FW_TRY(values, added(std::move(wish)));
    }
    for (std::size_t i = 0; i < outputCount(); ++i) {
        if (i >= values.size()) {
            if (outputUsed(i) && !m_model.isBound(m_node.output(static_cast<int>(i))))
                return unsupported(
                    fmt::format("output {} of {} is not computed", i + 1, m_node.op_type()));
            continue;
        }
        FW_CHECK(alias(i, values[i]));
    }
    return {};
}

Status NodeImport::resultReshaped(ValueRef x, const Shape& shape) {
    Attrs attrs;
    attrs.set("shape", shapeAttr(shape));
    return result("reshape", {x}, std::move(attrs));
}

Status NodeImport::alias(std::size_t output, ValueRef value) {
    const bool isNamed = output < outputCount() && !m_node.output(static_cast<int>(output)).empty();
    if (!m_narrow || !isNamed || type(value).dtype != DType::F32)
        return aliasWide(output, value);
    GraphEditor::NewNode wish;
    wish.op = "cast";
    wish.inputs = {value};
    wish.attrs.set("to", *m_narrow);
    wish.name = output == 0 ? m_name : m_name + ".cast";
    wish.outputNames = {cleanText(m_node.output(static_cast<int>(output)))};
    FW_TRY(const auto rounded, m_model.editor().add(std::move(wish)));
    m_emitted.push_back(rounded.front().node);
    return aliasWide(output, rounded.front());
}

Status NodeImport::aliasWide(std::size_t output, ValueRef value) {
    if (output < outputCount())
        m_model.bind(m_node.output(static_cast<int>(output)), value);
    return {};
}

Status NodeImport::aliasInput(std::size_t output, std::size_t input) {
    m_model.bindAlias(m_node.output(static_cast<int>(output)),
                      m_node.input(static_cast<int>(input)));
    return {};
}

Status NodeImport::constantResult(TensorData data) {
    m_model.bindConstant(m_node.output(0), std::move(data));
    return {};
}

Status NodeImport::resultParts(std::vector<ValueRef> parts) {
    m_model.bindParts(m_node.output(0), std::move(parts));
    return {};
}

} // namespace fw
