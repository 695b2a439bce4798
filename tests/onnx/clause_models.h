// Models with nodes of a domain of one's own, "com.me", and books with clauses for them.
#pragma once

#include "onnx/reading.h"

#include <QtTest>

namespace fw::test {

inline std::shared_ptr<const OperatorSet> operatorsWith(const std::string& text) {
    Diags errors;
    auto out = withOperators(*standardOperators(), text, "mine.fw", errors);
    if (!errors.empty())
        qWarning("%s", errors.front().text().c_str());
    return out;
}

inline Result<Imported> readWith(const ModelBuilder& model, const std::string& text) {
    return importModelBytes(model.bytes(), operatorsWith(text));
}

// A model of opset `version` of "com.me".
inline ModelBuilder ofMine(std::int64_t version = 1) {
    ModelBuilder m;
    auto* entry = m.model.add_opset_import();
    entry->set_domain("com.me");
    entry->set_version(version);
    return m;
}

inline proto::NodeProto& mine(ModelBuilder& m, const std::string& type, const std::string& inputs,
                              const std::string& outputs, const std::string& name = "n") {
    auto& node = m.node(type, inputs, outputs, name);
    node.set_domain("com.me");
    return node;
}

// Why a model was not read, or what was told first; empty: nothing.
inline std::string problemOf(const Result<Imported>& read) {
    if (!read)
        return read.diag().text();
    return read->diagnostics.empty() ? std::string() : read->diagnostics.front().text();
}

inline bool says(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos)
        return true;
    qWarning("'%s' is not in: %s", part.c_str(), text.c_str());
    return false;
}

} // namespace fw::test
