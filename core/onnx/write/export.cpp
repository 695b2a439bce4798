#include "onnx/write/export.h"

#include "ir/inline_calls.h"
#include "onnx/schema/own.h"
#include "onnx/write/graph_writer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

namespace fw {

namespace {

// The format version that came with an opset; readers check only that they know it.
std::int64_t irVersionOf(std::int64_t opset) {
    return opset <= 18 ? 8 : opset <= 20 ? 9 : opset <= 22 ? 10 : opset <= 23 ? 11 : 12;
}

// In an opset from `least` on. Types that grew later than the opset of all other reasons move it.
Result<ExportedModel> exportFrom(const Graph& graph, const ExportOptions& options,
                                 std::int64_t least) {
    proto::ModelProto model;
    model.set_producer_name(options.producer);
    if (!options.doc.empty())
        model.set_doc_string(options.doc);
    GraphWriter writer(graph, *model.mutable_graph(), least);
    FW_CHECK(writer.run());
    if (const std::int64_t needed = writer.opsetForTypes(); needed > writer.opset())
        return exportFrom(graph, options, needed);
    FW_CHECK(writer.fitTypes());
    model.set_ir_version(irVersionOf(writer.opset()));
    for (const auto& [domain, version] : writer.domains()) {
        auto* entry = model.add_opset_import();
        entry->set_domain(domain);
        entry->set_version(version);
    }
    if (std::string text = writer.operatorText(); !text.empty()) {
        auto* entry = model.add_metadata_props();
        entry->set_key(operatorsKey);
        entry->set_value(std::move(text));
    }
    for (const proto::FunctionProto* function : writer.functions())
        *model.add_functions() = *function;
    if (model.ByteSizeLong() > 0x7fffffff)
        return makeDiag(DiagCode::FileTooLarge,
                        "the model passes 2 GiB, the limit of the format without external data");
    ExportedModel out;
    out.opset = writer.opset();
    out.diagnostics = writer.diagnostics();
    out.decisions = writer.decisions();
    {
        google::protobuf::io::StringOutputStream stream(&out.bytes);
        google::protobuf::io::CodedOutputStream coded(&stream);
        coded.SetSerializationDeterministic(true);
        model.SerializeToCodedStream(&coded);
    }
    return out;
}

} // namespace

Result<ExportedModel> exportModel(const Graph& graph, const ExportOptions& options) {
    if (hasCalls(graph)) {
        FW_TRY(const GraphPtr inlined, inlineCalls(graph));
        return exportModel(*inlined, options);
    }
    return exportFrom(graph, options, oldestWrittenOpset);
}

} // namespace fw
