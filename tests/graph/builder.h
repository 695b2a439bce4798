// A graph of f32 tensors, written operator by operator.
#pragma once

#include "ir/graph.h"
#include "library/library.h"

#include <string>
#include <vector>

namespace fw::test {

class Builder {
public:
    Builder() : editor(standardOperators(), "test") {}

    ValueRef input(const std::string& name, const std::vector<std::int64_t>& extents) {
        return editor.addInput(name, {DType::F32, fixedShape(extents)});
    }
    // Every constant has other values.
    ValueRef weight(const std::string& name, std::vector<std::int64_t> extents) {
        return editor.addConstant(name, randomData(DType::F32, std::move(extents), ++seed));
    }
    ValueRef op(const std::string& op, std::vector<ValueRef> inputs, Attrs attrs = {}) {
        return this->op(op, std::move(inputs), std::string(), std::move(attrs));
    }
    ValueRef op(const std::string& op, std::vector<ValueRef> inputs, const std::string& name,
                Attrs attrs = {}) {
        GraphEditor::NewNode node;
        node.op = op;
        node.inputs = std::move(inputs);
        node.name = name;
        node.attrs = std::move(attrs);
        return editor.add(std::move(node)).value().at(0);
    }
    GraphPtr finish(ValueRef result) {
        editor.addResult("y", result);
        return editor.finish().value();
    }
    GraphPtr finish(const std::vector<ValueRef>& results) {
        for (std::size_t i = 0; i < results.size(); ++i)
            editor.addResult("y" + std::to_string(i), results[i]);
        return editor.finish().value();
    }

    GraphEditor editor;
    std::uint64_t seed = 1; // of the constant made last
};

inline Attrs attrs(const std::vector<std::pair<std::string, AttrValue>>& items) {
    Attrs out;
    for (const auto& [name, value] : items)
        out.set(name, value);
    return out;
}

} // namespace fw::test
