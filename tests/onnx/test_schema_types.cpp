// Which element types ONNX lets its operators take, as the schemas of libonnx say, and which of
// them are refused here: refused_types.txt has them all, so that none is missing silently. Every
// case of ONNX's backend tests with one node is read once for each type that its operands may have,
// and computed by the reference from the data of the case. Where a pair begins to work its line
// goes. FW_WRITE=1 writes the file. Skipped, and said so, where libonnx-testdata is not there.
#include "common/test.h"
#include "onnx/data_cases.h"
#include "onnx/model/tensor_proto.h"
#include "onnx/reading.h"

#include <onnx/defs/schema.h>

#include <QDir>

#include <cmath>
#include <map>

using namespace fw;
using namespace fw::test;

namespace {

const QString suiteNodes =
    qEnvironmentVariable("FW_ONNX_SUITE", QStringLiteral("/usr/share/libonnx-testdata/data")) +
    QStringLiteral("/node");
const QString refusedFile = QStringLiteral(FW_SOURCE_DIR "/tests/onnx/refused_types.txt");

using Formals = std::vector<onnx::OpSchema::FormalParameter>;

// A node may give fewer; the last one may stand for many.
const std::string& constraintOf(const Formals& formals, int index) {
    return formals.at(std::min(static_cast<std::size_t>(index), formals.size() - 1)).GetTypeStr();
}

// "tensor(float)" -> f32; nothing for text, complex numbers, sequences.
std::optional<DType> dtypeOf(const std::string& allowed) {
    static const std::map<std::string, DType> known = {
        {"bool", DType::Bool},  {"int8", DType::I8},     {"uint8", DType::U8},
        {"int16", DType::I16},  {"uint16", DType::U16},  {"int32", DType::I32},
        {"uint32", DType::U32}, {"int64", DType::I64},   {"uint64", DType::U64},
        {"float", DType::F32},  {"float16", DType::F16}, {"bfloat16", DType::BF16},
        {"double", DType::F64}};
    if (!allowed.starts_with("tensor("))
        return std::nullopt;
    const auto found = known.find(allowed.substr(7, allowed.size() - 8));
    return found == known.end() ? std::nullopt : std::optional(found->second);
}

// Values that are not there in the other type become the nearest that are.
TensorData as(const TensorData& data, DType dtype) {
    if (data.dtype() == dtype)
        return data;
    if (isFloat(dtype))
        return dataFromDoubles(dtype, data.extents(), data.toDoubles());
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < data.count(); ++i) {
        const double value = std::isnan(data.at(i)) ? 0 : std::trunc(data.at(i));
        const double least = dtype == DType::Bool || dtypeText(dtype).starts_with('u') ? 0 : -100;
        out.push_back(static_cast<std::int64_t>(
            std::min(std::max(value, least), dtype == DType::Bool ? 1.0 : 100.0)));
    }
    return dataFromIntegers(dtype, data.extents(), out);
}

// Why it is not taken or not computed; empty if it is.
std::string tried(const proto::ModelProto& model, const std::vector<TensorData>& inputs) {
    const auto read = test::read(model.SerializeAsString());
    if (!read)
        return read.diag().text();
    if (hasErrors(read->diagnostics))
        return read->diagnostics.front().text();
    if (inputs.size() != read->graph->inputs().size())
        return {};
    const auto bound = importBound(model.SerializeAsString(), inputs);
    if (!bound)
        return bound.diag().text();
    const auto results = test::evaluateBound(*bound->graph, inputs);
    return results ? std::string() : results.diag().text();
}

struct Pair {
    bool taken = false;
    std::string reason;
};

} // namespace

class TestSchemaTypes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void refusedTypes();
};

void TestSchemaTypes::refusedTypes() {
    const QDir folder(suiteNodes);
    if (!folder.exists())
        QSKIP("libonnx-testdata is not installed");
    std::map<std::pair<std::string, std::string>, std::map<DType, Pair>> pairs;
    for (const QString& name : folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
        const std::string path = folder.filePath(name).toStdString();
        proto::ModelProto model;
        if (!model.ParseFromString(bytesOf(path + "/model.onnx")) ||
            model.graph().node_size() != 1 || !model.graph().node(0).domain().empty())
            continue;
        const proto::NodeProto& node = model.graph().node(0);
        const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(
            node.op_type(), static_cast<int>(model.opset_import(0).version()));
        const auto found = findTestData(path);
        if (schema == nullptr || !found || found->sets.empty())
            continue;
        std::vector<NamedTensor> given;
        for (const std::string& file : found->sets[0].inputs)
            if (auto tensor = readTensorFile(file))
                given.push_back(tensor.take());
        const auto imported = test::read(model.SerializeAsString());
        if (!imported || hasErrors(imported->diagnostics)) // refused for another reason
            continue;
        for (const auto& constraint : schema->typeConstraintParams()) {
            std::set<std::string> operands, results;
            for (int i = 0; i < node.input_size(); ++i)
                if (constraintOf(schema->inputs(), i) == constraint.type_param_str)
                    operands.insert(node.input(i));
            for (int i = 0; i < node.output_size(); ++i)
                if (constraintOf(schema->outputs(), i) == constraint.type_param_str)
                    results.insert(node.output(i));
            if (operands.empty())
                continue;
            for (const std::string& allowed : constraint.allowed_type_strs) {
                const std::optional<DType> dtype = dtypeOf(allowed);
                if (!dtype)
                    continue;
                proto::ModelProto changed = model;
                std::vector<TensorData> inputs;
                for (int i = 0; i < changed.graph().input_size(); ++i) {
                    auto* input = changed.mutable_graph()->mutable_input(i);
                    const bool of = operands.contains(input->name());
                    if (of)
                        input->mutable_type()->mutable_tensor_type()->set_elem_type(
                            onnxFromDtype(*dtype));
                    if (static_cast<std::size_t>(i) < given.size())
                        inputs.push_back(of ? as(given[static_cast<std::size_t>(i)].data, *dtype)
                                            : given[static_cast<std::size_t>(i)].data);
                }
                for (auto& output : *changed.mutable_graph()->mutable_output())
                    if (results.contains(output.name()))
                        output.mutable_type()->mutable_tensor_type()->set_elem_type(
                            onnxFromDtype(*dtype));
                Pair& pair = pairs[{node.op_type(), constraint.type_param_str}][*dtype];
                if (pair.taken)
                    continue;
                const std::string reason = tried(changed, inputs);
                pair.taken = reason.empty();
                if (pair.reason.empty())
                    pair.reason = reason;
            }
        }
    }
    QVERIFY(pairs.size() > 130);
    QByteArray lines =
        "# Element types that ONNX lets an operator take and that are refused here, by its type "
        "constraint.\n# test_schema_types finds and (FW_WRITE=1) writes them; the list must only "
        "shrink.\n";
    for (const auto& [key, types] : pairs) {
        std::string refused;
        for (const auto& [dtype, pair] : types)
            if (!pair.taken) {
                refused += " " + std::string(dtypeText(dtype));
                qInfo("%s %s %s: %s", key.first.c_str(), key.second.c_str(),
                      std::string(dtypeText(dtype)).c_str(), pair.reason.c_str());
            }
        if (!refused.empty())
            lines += (key.first + " " + key.second + refused + "\n").c_str();
    }
    QFile file(refusedFile);
    if (qEnvironmentVariableIsSet("FW_WRITE")) {
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(lines);
        return;
    }
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QList<QByteArray> known = file.readAll().split('\n'), seen = lines.split('\n');
    QStringList differing;
    for (const QByteArray& line : seen)
        if (!known.contains(line))
            differing << QStringLiteral("refused: ") + QString::fromUtf8(line);
    for (const QByteArray& line : known)
        if (!seen.contains(line))
            differing << QStringLiteral("not as written: ") + QString::fromUtf8(line);
    QVERIFY2(differing.isEmpty(), qPrintable(differing.join(u'\n')));
}

FW_TEST(TestSchemaTypes, QCoreApplication)
#include "test_schema_types.moc"
