#include "onnx/model/external_files.h"

#include "base/files.h"
#include "onnx/model/model_bytes.h"
#include "onnx/model/subgraphs.h"

#include <set>

namespace fw {

namespace {

void collect(const proto::TensorProto& tensor, std::set<std::string>& out) {
    for (const auto& entry : tensor.external_data())
        if (entry.key() == "location")
            out.insert(entry.value());
}

template <class Holder> // of nodes: a function or a graph
void collectNodes(const Holder& holder, std::set<std::string>& out);

void collect(const proto::GraphProto& graph, std::set<std::string>& out) {
    for (const auto& tensor : graph.initializer())
        collect(tensor, out);
    for (const auto& tensor : graph.sparse_initializer()) {
        collect(tensor.values(), out);
        collect(tensor.indices(), out);
    }
    collectNodes(graph, out);
}

template <class Holder>
void collectNodes(const Holder& holder, std::set<std::string>& out) {
    for (const auto& node : holder.node()) {
        for (const auto& attribute : node.attribute()) {
            if (attribute.has_t())
                collect(attribute.t(), out);
            for (const auto& tensor : attribute.tensors())
                collect(tensor, out);
        }
        forSubgraphs(node, [&](const proto::GraphProto& body) { collect(body, out); });
    }
}

} // namespace

Result<std::vector<std::string>> externalFiles(const std::string& model) {
    const OnnxLimits limits;
    FW_TRY(const MappedFile file, mapFile(model, limits.fileBytes));
    FW_TRY(const auto parsed, parseModel(file.text(), limits, model));
    std::set<std::string> out;
    collect(parsed->graph(), out);
    for (const auto& function : parsed->functions())
        collectNodes(function, out);
    return std::vector<std::string>(out.begin(), out.end());
}

} // namespace fw
