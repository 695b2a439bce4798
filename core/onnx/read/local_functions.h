// Functions that a model brings along: which node calls which, and the body of a call as a graph.
#pragma once

#include "base/diag.h"
#include "base/result.h"
#include "onnx/model/limits.h"
#include "onnx/model/proto.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fw {

class LocalFunctions {
public:
    explicit LocalFunctions(const proto::ModelProto& model);

    // The function that the node calls; nullptr if it calls none, or one of two of that name.
    const proto::FunctionProto* find(const proto::NodeProto& node) const;
    bool isAmbiguous(const proto::NodeProto& node) const;
    // Whether the model has other functions of the node's domain, which is not the standard one.
    bool knowsDomain(const proto::NodeProto& node) const;

    // OnnxMalformed if functions that are called call themselves, LimitReached if the graph has too
    // many nodes with all bodies and functions written out, or they lie too deep in each other.
    // Takes time linear in the model.
    Status check(const proto::GraphProto& graph, const OnnxLimits& limits) const;

    // The body of one call, with the attributes of the call and without the operands and results
    // that the call leaves out. Inputs and results have no types. OnnxMalformed if the function has
    // no such operands, results or attributes.
    Result<proto::GraphProto> bodyOf(const proto::FunctionProto& function,
                                     const proto::NodeProto& call) const;

    // What a file needs that holds the node: the functions called by it, inside its bodies and by
    // those functions.
    std::vector<const proto::FunctionProto*> neededBy(const proto::NodeProto& node) const;

private:
    using Key = std::pair<std::string, std::string>; // domain, name
    static Key keyOf(const proto::NodeProto& node);
    static std::string textOf(const Key& key);

    class Count;
    std::multimap<Key, const proto::FunctionProto*> m_functions;
};

} // namespace fw
