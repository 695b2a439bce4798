#pragma once

#include "onnx/model_builder.h"
#include "onnx/read/import.h"

namespace fw::test {

inline std::string outcomeOf(const Result<Imported>& result) {
    return result.ok() ? "opened" : result.diag().text();
}

inline ModelBuilder smallModel() {
    ModelBuilder m;
    m.input("x", {"N", "8"}).output("y", {"N", "8"}).weights("w", {1, 8});
    m.node("Add", "x w", "s", "sum");
    m.node("Relu", "s", "y", "act");
    return m;
}

} // namespace fw::test
