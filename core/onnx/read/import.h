// ONNX model -> Graph, in the normal forms of resources/docs/language.md.
//
// A model that contradicts itself is refused with one Diag that names the file and the node. A
// model that is well formed but uses what the engine does not know opens all the same: such a node
// becomes "unknown", keeps its domain, type and attributes, and `diagnostics` holds an error that
// says why `run` will refuse. The bodies of If, Loop and Scan are graphs inside such a node; a call
// of a function that the model brings along, or an If whose condition is constant, is a "call" that
// stands for its body. libonnx is used for its protobuf classes only.
#pragma once

#include "base/cancel.h"
#include "base/decision.h"
#include "ir/graph.h"
#include "onnx/model/limits.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fw {

// Adds those that the text declares and `known` does not have, with what is wrong with the others.
using DefineOperators = std::shared_ptr<const OperatorSet> (*)(const OperatorSet& known,
                                                               std::string_view text,
                                                               const std::string& file,
                                                               Diags& errors);

struct ImportOptions {
    // Values for free dimensions, by the model's name or by the name in the graph ("batch" or
    // "Batch").
    std::map<std::string, std::int64_t> dims;
    // Types of values that nothing infers, by their names in the model: "f32[N, 4]". They go before
    // what the model declares. An initializer that is an input and has one is not read
    // (onnx/default_inputs.h).
    std::map<std::string, std::string> types = {};
    OnnxLimits limits;
    DefineOperators define = nullptr; // without it the operators that a model carries are not read
};

struct ModelInfo {
    std::string producer; // "pytorch 2.1.0"; empty if the model does not say
    std::int64_t irVersion = 0;
    std::int64_t opset = 0;                                        // of the standard domain
    std::vector<std::pair<std::string, std::int64_t>> otherOpsets; // domain, version
    std::vector<std::pair<std::string, std::string>>
        metadata; // the model's own key and value pairs
    std::string doc;
    std::map<std::string, std::int64_t>
        operators; // count per type as the model writes it: "Conv", "com.example.Odd"
};

struct Imported {
    GraphPtr graph;      // with functions as calls
    GraphPtr inlined;    // with their bodies in place: what is rewritten, planned and run
    Diags diagnostics;   // warnings, notes, and errors for what stops `run`
    Decisions decisions; // what was brought to normal form or computed while importing
    ModelInfo info;
    std::vector<std::string> weightFiles; // that were read beside the model
    std::vector<std::string> unread;      // nodes of the file that no result needs, by name
    // By type of node, "com.example.Odd": the beginning of a declaration of an operator that nobody
    // knows. What it computes is left open.
    std::map<std::string, std::string> declarations;
    std::string operatorText; // of operators that the model itself declares
};

Result<Imported> importModel(const std::string& path, std::shared_ptr<const OperatorSet> operators,
                             const ImportOptions& options = {}, const CancelToken& cancel = {});

// From bytes in memory. `folder` is where external data may lie; empty: external data is refused.
Result<Imported> importModelBytes(std::string_view bytes,
                                  std::shared_ptr<const OperatorSet> operators,
                                  const ImportOptions& options = {}, const CancelToken& cancel = {},
                                  const std::string& file = "model",
                                  const std::string& folder = {});

} // namespace fw
