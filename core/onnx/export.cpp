#include "onnx/export.h"

#include "onnx/graph_writer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

namespace fw {

Result<std::string> exportModel(const Graph& graph, const ExportOptions& options) {
    proto::ModelProto model;
    model.set_ir_version(writtenIrVersion);
    model.set_producer_name(options.producer);
    if (!options.doc.empty())
        model.set_doc_string(options.doc);
    GraphWriter writer(graph, *model.mutable_graph());
    writer.markDomain("", newestOpset);
    FW_CHECK(writer.run());
    for (const auto& [domain, version] : writer.domains()) {
        auto* entry = model.add_opset_import();
        entry->set_domain(domain);
        entry->set_version(version);
    }
    if (model.ByteSizeLong() > 0x7fffffff)
        return makeDiag(DiagCode::FileTooLarge,
                        "the model passes 2 GiB, the limit of the format without external data");
    std::string out;
    {
        google::protobuf::io::StringOutputStream stream(&out);
        google::protobuf::io::CodedOutputStream coded(&stream);
        coded.SetSerializationDeterministic(true);
        model.SerializeToCodedStream(&coded);
    }
    return out;
}

} // namespace fw
