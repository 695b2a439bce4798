// Values of types that nothing here computes with: text, narrow and complex numbers, sequences,
// optionals, maps, sparse tensors. Files that have them open, say what they are, and are written as
// they were.
#include "common/test.h"
#include "onnx/model/foreign_values.h"
#include "onnx/reading.h"

#include "base/files.h"
#include "ir/graph_text.h"
#include "ir/missing_type.h"

#include <QTemporaryDir>

#include <functional>

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

namespace {

proto::TypeProto tensorType(int element, const std::vector<std::string>& dims = {}) {
    proto::ValueInfoProto value;
    M::declare(value, "x", dims, element);
    return value.type();
}

proto::TypeProto sequenceOf(proto::TypeProto element) {
    proto::TypeProto out;
    *out.mutable_sequence_type()->mutable_elem_type() = std::move(element);
    return out;
}

proto::TypeProto optionalOf(proto::TypeProto element) {
    proto::TypeProto out;
    *out.mutable_optional_type()->mutable_elem_type() = std::move(element);
    return out;
}

// x -> Relu -> y beside an input s of that type; `reads`: by an operator that nobody knows.
M withInput(const proto::TypeProto& type, bool reads) {
    M m(21, 10);
    m.model.add_opset_import()->set_domain("my");
    m.model.mutable_opset_import(1)->set_version(1);
    m.input("a", {"2", "3"});
    auto& s = *m.graph().add_input();
    s.set_name("s");
    *s.mutable_type() = type;
    m.input("x", {"2", "3"});
    m.output("y", {"2", "3"});
    m.node("Add", "a x", "sum");
    m.node("Relu", "sum", "y");
    if (reads) {
        m.node("Read", "s", "r", "reader").set_domain("my");
        m.node("Neg", "r", "z", "behind");
        m.output("z");
    }
    return m;
}

proto::TensorProto foreignTensor(int element, std::vector<std::int64_t> dims,
                                 const std::string& raw) {
    proto::TensorProto out;
    out.set_data_type(element);
    for (const std::int64_t dim : dims)
        out.add_dims(dim);
    if (element == proto::TensorProto::STRING)
        for (std::int64_t i = 0; i < (dims.empty() ? 1 : dims[0]); ++i)
            out.add_string_data("word " + std::to_string(i));
    else
        out.set_raw_data(raw);
    return out;
}

void rowsOfTensors() {
    QTest::addColumn<QByteArray>("tensor");
    QTest::addColumn<QString>("type");
    const auto row = [](int element, std::vector<std::int64_t> dims, int bytes, const char* type) {
        std::string raw;
        for (int i = 0; i < bytes; ++i)
            raw += static_cast<char>(17 * i + 3);
        QTest::newRow(type) << QByteArray::fromStdString(
                                   foreignTensor(element, std::move(dims), raw).SerializeAsString())
                            << type;
    };
    row(proto::TensorProto::STRING, {3}, 0, "text[3]");
    row(proto::TensorProto::STRING, {}, 0, "text[]");
    row(14, {2}, 16, "complex64[2]");
    row(15, {1, 2}, 32, "complex128[1, 2]");
    row(17, {5}, 5, "float8e4m3fn[5]");
    row(18, {5}, 5, "float8e4m3fnuz[5]");
    row(19, {2, 2}, 4, "float8e5m2[2, 2]");
    row(20, {2}, 2, "float8e5m2fnuz[2]");
    row(21, {2, 3}, 3, "uint4[2, 3]");
    row(22, {5}, 3, "int4[5]");
    row(23, {4}, 2, "float4e2m1[4]");
    row(24, {4}, 4, "float8e8m0[4]");
    row(25, {5}, 2, "uint2[5]");
    row(26, {4}, 1, "int2[4]");
}

std::string said(const Imported& imported, const std::string& node) {
    std::string out;
    for (const Diag& diag : imported.diagnostics)
        if (diag.where.node == node)
            out += diag.text() + "\n";
    return out;
}

} // namespace

class TestForeign : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void inputs_data();
    void inputs();
    void initializers_data();
    void initializers();
    void constants_data();
    void constants();
    void namedDimensionsAreBound();
    void aTypeMakesItAnInput();
    void results();
    void whatReadsOneNamesItsType();
    void passedOnAndThroughBodies();
    void insideAttributes();
    void externalOnesAreTakenAlong();
    void sparseOnesAreFilled_data();
    void sparseOnesAreFilled();
    void wrongSparseOnesAreRefused_data();
    void wrongSparseOnesAreRefused();
    void asText();
};

void TestForeign::inputs_data() {
    QTest::addColumn<QByteArray>("type");
    QTest::addColumn<QString>("shown");
    const auto row = [](const char* shown, const proto::TypeProto& type) {
        QTest::newRow(shown) << QByteArray::fromStdString(type.SerializeAsString()) << shown;
    };
    const std::pair<int, const char*> elements[] = {{8, "text"},
                                                    {14, "complex64"},
                                                    {15, "complex128"},
                                                    {17, "float8e4m3fn"},
                                                    {18, "float8e4m3fnuz"},
                                                    {19, "float8e5m2"},
                                                    {20, "float8e5m2fnuz"},
                                                    {21, "uint4"},
                                                    {22, "int4"},
                                                    {23, "float4e2m1"},
                                                    {24, "float8e8m0"},
                                                    {25, "uint2"},
                                                    {26, "int2"}};
    for (const auto& [code, name] : elements)
        row((std::string(name) + "[2, N, ?]").c_str(), tensorType(code, {"2", "N", ""}));
    proto::TypeProto shapeless = tensorType(proto::TensorProto::STRING);
    shapeless.mutable_tensor_type()->clear_shape();
    row("text", shapeless);
    row("text[]", tensorType(proto::TensorProto::STRING));
    const auto f32 = tensorType(proto::TensorProto::FLOAT, {"2"});
    row("sequence of f32[2]", sequenceOf(f32));
    row("optional f32[2]", optionalOf(f32));
    row("optional sequence of text[]",
        optionalOf(sequenceOf(tensorType(proto::TensorProto::STRING))));
    proto::TypeProto map;
    map.mutable_map_type()->set_key_type(proto::TensorProto::INT64);
    *map.mutable_map_type()->mutable_value_type() = f32;
    row("map of i64 to f32[2]", map);
    row("sequence of map of i64 to f32[2]", sequenceOf(map));
    proto::TypeProto sparse;
    sparse.mutable_sparse_tensor_type()->set_elem_type(proto::TensorProto::DOUBLE);
    sparse.mutable_sparse_tensor_type()->mutable_shape()->add_dim()->set_dim_value(7);
    row("sparse f64[7]", sparse);
    proto::TypeProto opaque;
    opaque.mutable_opaque_type()->set_domain("my");
    opaque.mutable_opaque_type()->set_name("Thing");
    row("opaque my.Thing", opaque);
}

void TestForeign::inputs() {
    QFETCH(QByteArray, type);
    QFETCH(QString, shown);
    proto::TypeProto declared;
    QVERIFY(declared.ParseFromString(type.toStdString()));
    for (const bool reads : {false, true}) {
        const auto opened = read(withInput(declared, reads).bytes());
        QVERIFY2(opened.ok(), opened ? "" : opened.diag().text().c_str());
        for (const GraphPtr& graph : {opened->graph, opened->inlined}) {
            const std::vector<NodeId> inputs = modelInputs(*graph);
            QCOMPARE(inputs.size(), std::size_t(3));
            QCOMPARE(graph->node(inputs[0]).outputs[0].name, std::string("a"));
            QCOMPARE(graph->node(inputs[1]).outputs[0].name, std::string("s"));
            QCOMPARE(graph->node(inputs[2]).outputs[0].name, std::string("x"));
            QVERIFY(isForeignInput(graph->node(inputs[1])));
            QCOMPARE(shownType(*graph, {inputs[1], 0}), shown.toStdString());
            QCOMPARE(graph->node(inputs[1]).shownOp(), std::string("input"));
        }
        QCOMPARE(hasErrors(opened->diagnostics), reads);
        // Written, it is what it was, in its place.
        const auto written = exportModel(*opened->graph);
        QVERIFY2(written.ok(), written ? "" : written.diag().text().c_str());
        proto::ModelProto model;
        QVERIFY(model.ParseFromString(written->bytes));
        QCOMPARE(model.graph().input_size(), 3);
        QCOMPARE(model.graph().input(1).name(), std::string("s"));
        QVERIFY(model.graph().input(1).type().SerializeAsString() == declared.SerializeAsString());
        const auto again = read(written->bytes);
        QVERIFY2(again.ok(), again ? "" : again.diag().text().c_str());
        const std::vector<NodeId> inputs = modelInputs(*again->graph);
        QCOMPARE(inputs.size(), std::size_t(3));
        QCOMPARE(shownType(*again->graph, {inputs.at(1), 0}), shown.toStdString());
    }
}

void TestForeign::initializers_data() {
    rowsOfTensors();
}

void TestForeign::initializers() {
    QFETCH(QByteArray, tensor);
    QFETCH(QString, type);
    proto::TensorProto given;
    QVERIFY(given.ParseFromString(tensor.toStdString()));
    for (const bool reads : {false, true}) {
        M m(21, 10);
        m.model.add_opset_import()->set_domain("my");
        m.model.mutable_opset_import(1)->set_version(1);
        m.input("x", {"4"}).output("y", {"4"});
        m.node("Relu", "x", "y");
        auto& weights = *m.graph().add_initializer();
        weights = given;
        weights.set_name("w");
        if (reads) {
            m.node("Read", "w", "r", "reader").set_domain("my");
            m.output("r");
        }
        const auto opened = read(m.bytes());
        QVERIFY2(opened.ok(), opened ? "" : opened.diag().text().c_str());
        const Node* leaf = opened->graph->findByName("w");
        QCOMPARE(leaf != nullptr, reads); // what nobody reads leaves nothing behind
        if (!reads)
            continue;
        QVERIFY(isForeignConstant(*leaf));
        QCOMPARE(shownType(*opened->graph, {leaf->id, 0}), type.toStdString());
        const auto written = exportModel(*opened->graph);
        QVERIFY2(written.ok(), written ? "" : written.diag().text().c_str());
        proto::ModelProto model;
        QVERIFY(model.ParseFromString(written->bytes));
        QCOMPARE(model.graph().initializer_size(), 1);
        weights.set_name("w");
        QVERIFY(model.graph().initializer(0).SerializeAsString() == weights.SerializeAsString());
        QVERIFY(read(written->bytes).ok());
    }
}

void TestForeign::constants_data() {
    rowsOfTensors();
}

void TestForeign::constants() {
    QFETCH(QByteArray, tensor);
    QFETCH(QString, type);
    for (const bool reads : {false, true}) {
        M m(21, 10);
        m.model.add_opset_import()->set_domain("my");
        m.model.mutable_opset_import(1)->set_version(1);
        m.input("x", {"4"}).output("y", {"4"});
        m.node("Relu", "x", "y");
        auto& value = *m.node("Constant", "", "w", "constant").add_attribute();
        value.set_name("value");
        value.set_type(proto::AttributeProto::TENSOR);
        QVERIFY(value.mutable_t()->ParseFromString(tensor.toStdString()));
        if (reads) {
            m.node("Read", "w", "r", "reader").set_domain("my");
            m.output("r");
        }
        const auto opened = read(m.bytes());
        QVERIFY2(opened.ok(), opened ? "" : opened.diag().text().c_str());
        QCOMPARE(hasErrors(opened->diagnostics), reads);
        const Node* leaf = opened->graph->findByName("w");
        QCOMPARE(leaf != nullptr, reads);
        if (!reads)
            continue;
        QCOMPARE(shownType(*opened->graph, {leaf->id, 0}), type.toStdString());
        const auto again = writtenAndRead(*opened->graph);
        QVERIFY2(again.ok(), again ? "" : again.diag().text().c_str());
        QCOMPARE(shownType(*again->graph, {again->graph->findByName("w")->id, 0}),
                 type.toStdString());
    }
}

void TestForeign::namedDimensionsAreBound() {
    ImportOptions options;
    options.dims = {{"N", 5}};
    const auto opened = importModelBytes(withInput(tensorType(8, {"N", "M"}), true).bytes(),
                                         standardOperators(), options);
    QVERIFY2(opened.ok(), opened ? "" : opened.diag().text().c_str());
    QCOMPARE(shownType(*opened->graph, {modelInputs(*opened->graph).at(1), 0}),
             std::string("text[5, M]"));
}

void TestForeign::aTypeMakesItAnInput() {
    M m = withInput(tensorType(8, {"2"}), false);
    m.node("Exp", "s", "e", "exp");
    m.output("e");
    ImportOptions options;
    options.types = {{"s", "f32[2]"}};
    const auto opened = importModelBytes(m.bytes(), standardOperators(), options);
    QVERIFY2(opened.ok(), opened ? "" : opened.diag().text().c_str());
    QCOMPARE(opened->graph->inputs().size(), std::size_t(3));
    QVERIFY(!hasErrors(opened->diagnostics));
    QCOMPARE(opened->graph->node(opened->graph->inputs()[1]).outputs[0].type.text(),
             std::string("f32[2]"));
}

void TestForeign::results() {
    M m;
    m.model.add_opset_import()->set_domain("ai.onnx.ml");
    m.model.mutable_opset_import(1)->set_version(1);
    m.input("x", {"2", "3"}).output("y", {"2", "3"});
    m.node("Relu", "x", "y");
    auto& zip = m.node("ZipMap", "y", "z", "zip");
    zip.set_domain("ai.onnx.ml");
    M::set(zip, "classlabels_int64s", std::vector<std::int64_t>{0, 1, 2});
    m.node("Label", "y", "t", "label").set_domain("ai.onnx.ml");
    m.node("Cast", "y", "c", "cast");
    M::set(*m.graph().mutable_node(3), "to", std::int64_t(proto::TensorProto::STRING));
    proto::TypeProto map;
    map.mutable_map_type()->set_key_type(proto::TensorProto::INT64);
    *map.mutable_map_type()->mutable_value_type() = tensorType(proto::TensorProto::FLOAT);
    map.mutable_map_type()->mutable_value_type()->mutable_tensor_type()->clear_shape();
    auto& z = *m.graph().add_output();
    z.set_name("z");
    *z.mutable_type() = sequenceOf(map);
    m.output("t", {"2"}, proto::TensorProto::STRING);
    m.output("c", {"2", "3"}, proto::TensorProto::STRING);
    const auto opened = read(m.bytes());
    QVERIFY2(opened.ok(), opened ? "" : opened.diag().text().c_str());
    const std::vector<std::string> types{"f32[2, 3]", "sequence of map of i64 to f32", "text[2]",
                                         "text[2, 3]"};
    const auto again = writtenAndRead(*opened->graph);
    QVERIFY2(again.ok(), again ? "" : again.diag().text().c_str());
    for (const GraphPtr& graph : {opened->graph, again->graph})
        for (std::size_t i = 0; i < types.size(); ++i)
            QCOMPARE(shownType(*graph, graph->results().at(i).value), types[i]);
    const auto written = exportModel(*opened->graph);
    QVERIFY(written.ok());
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(written->bytes));
    for (int i = 0; i < 4; ++i)
        QVERIFY(model.graph().output(i).type().SerializeAsString() ==
                m.graph().output(i).type().SerializeAsString());
}

void TestForeign::whatReadsOneNamesItsType() {
    const auto opened = read(withInput(tensorType(8, {"2"}), true).bytes());
    QVERIFY(opened.ok());
    const std::string reader = said(*opened, "reader");
    QVERIFY2(reader.find("SHP05") != std::string::npos, reader.c_str());
    QVERIFY2(reader.find("the input s is text[2]") != std::string::npos, reader.c_str());
    QVERIFY2(reader.find("f32[N, 4]") == std::string::npos, reader.c_str());
    const std::string behind = said(*opened, "behind");
    QVERIFY2(behind.find("SHP05") != std::string::npos, behind.c_str());

    M m(21, 10); // what ONNX defines and is computed for other types
    m.input("x", {"4"}).output("y", {"4"}).output("z");
    m.node("Relu", "x", "y");
    auto& weights = *m.graph().add_initializer();
    weights = foreignTensor(22, {4}, "ab");
    weights.set_name("w");
    m.weights("scale", {1}, {0.5f});
    m.node("DequantizeLinear", "w scale", "z", "dequantize");
    const auto narrow = read(m.bytes());
    QVERIFY2(narrow.ok(), narrow ? "" : narrow.diag().text().c_str());
    const std::string why = said(*narrow, "dequantize");
    QVERIFY2(why.find("the constant w is int4[4]") != std::string::npos, why.c_str());
}

void TestForeign::passedOnAndThroughBodies() {
    // A branch that is taken reads the text from outside; an output is the text itself.
    M m = withInput(tensorType(8, {"2"}), false);
    m.node("Identity", "s", "copy", "identity");
    m.output("copy", {"2"}, proto::TensorProto::STRING);
    m.output("s", {"2"}, proto::TensorProto::STRING);
    auto& condition = *m.graph().add_initializer();
    condition.set_name("yes");
    condition.set_data_type(proto::TensorProto::BOOL);
    condition.add_int32_data(1);
    auto& branch = m.node("If", "yes", "b", "if");
    for (const char* name : {"then_branch", "else_branch"}) {
        auto& attribute = *branch.add_attribute();
        attribute.set_name(name);
        attribute.set_type(proto::AttributeProto::GRAPH);
        auto& body = *attribute.mutable_g();
        body.set_name(name);
        auto& inner = *body.add_node();
        inner.set_op_type("StringNormalizer");
        inner.set_name("normal");
        inner.add_input("s");
        inner.add_output(std::string("inner_") + name);
        body.add_output()->set_name(std::string("inner_") + name);
    }
    m.output("b", {"2"}, proto::TensorProto::STRING);
    const auto opened = read(m.bytes());
    QVERIFY2(opened.ok(), opened ? "" : opened.diag().text().c_str());
    for (const GraphPtr& graph : {opened->graph, opened->inlined}) {
        QCOMPARE(modelInputs(*graph).size(), std::size_t(3));
        const auto again = writtenAndRead(*graph);
        QVERIFY2(again.ok(), again ? "" : again.diag().text().c_str());
        QCOMPARE(again->graph->results().size(), std::size_t(4));
        QCOMPARE(modelInputs(*again->graph).size(), std::size_t(3));
    }
}

void TestForeign::insideAttributes() {
    // A tensor of text in a body that is not read, and as the value of ConstantOfShape.
    M m(21, 10);
    m.input("x", {"4"}).output("y", {"4"}).output("z", {"3"}, 22);
    m.node("Relu", "x", "y");
    m.integers("shape", {3});
    auto& value = *m.node("ConstantOfShape", "shape", "z", "filled").add_attribute();
    value.set_name("value");
    value.set_type(proto::AttributeProto::TENSOR);
    *value.mutable_t() = foreignTensor(22, {1}, "\x03");
    const auto opened = read(m.bytes());
    QVERIFY2(opened.ok(), opened ? "" : opened.diag().text().c_str());
    QVERIFY(opened->graph->findByName("filled")->isUnknown());
    QCOMPARE(shownType(*opened->graph, opened->graph->results()[1].value), std::string("int4[3]"));
    const auto again = writtenAndRead(*opened->graph);
    QVERIFY2(again.ok(), again ? "" : again.diag().text().c_str());
}

void TestForeign::externalOnesAreTakenAlong() {
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    QVERIFY(writeFile(path + "/w.bin", "....\x12\x34\x56").ok());
    M m(21, 10);
    m.input("x", {"4"}).output("y", {"4"}).output("z");
    m.node("Relu", "x", "y");
    m.externalWeights("w", 5, "w.bin", "4", "3");
    m.graph().mutable_initializer(0)->set_data_type(22);
    m.node("Odd", "w", "z", "odd").set_domain("my");
    m.model.add_opset_import()->set_domain("my");
    m.model.mutable_opset_import(1)->set_version(1);
    const auto opened = importModelBytes(m.bytes(), standardOperators(), {}, {}, "model", path);
    QVERIFY2(opened.ok(), opened ? "" : opened.diag().text().c_str());
    QCOMPARE(opened->weightFiles.size(), std::size_t(1));
    const auto written = exportModel(*opened->graph);
    QVERIFY2(written.ok(), written ? "" : written.diag().text().c_str());
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(written->bytes));
    const auto& kept = model.graph().initializer(0);
    QCOMPARE(kept.raw_data(), std::string("\x12\x34\x56"));
    QVERIFY(kept.data_location() == proto::TensorProto::DEFAULT);
    QCOMPARE(kept.external_data_size(), 0);
}

namespace {

proto::SparseTensorProto sparseOf(const std::vector<float>& values,
                                  const std::vector<std::int64_t>& indices,
                                  const std::vector<std::int64_t>& indexDims,
                                  const std::vector<std::int64_t>& dims) {
    proto::SparseTensorProto out;
    out.mutable_values()->set_name("w");
    out.mutable_values()->set_data_type(proto::TensorProto::FLOAT);
    out.mutable_values()->add_dims(static_cast<std::int64_t>(values.size()));
    for (const float value : values)
        out.mutable_values()->add_float_data(value);
    out.mutable_indices()->set_data_type(proto::TensorProto::INT64);
    for (const std::int64_t dim : indexDims)
        out.mutable_indices()->add_dims(dim);
    for (const std::int64_t index : indices)
        out.mutable_indices()->add_int64_data(index);
    for (const std::int64_t dim : dims)
        out.add_dims(dim);
    return out;
}

M withSparse(const proto::SparseTensorProto& sparse, bool asNode) {
    M m;
    m.input("x", {"2", "3"}).output("y", {"2", "3"});
    if (asNode) {
        auto& value = *m.node("Constant", "", "w").add_attribute();
        value.set_name("sparse_value");
        value.set_type(proto::AttributeProto::SPARSE_TENSOR);
        *value.mutable_sparse_tensor() = sparse;
    } else {
        *m.graph().add_sparse_initializer() = sparse;
    }
    m.node("Add", "x w", "y");
    return m;
}

} // namespace

void TestForeign::sparseOnesAreFilled_data() {
    QTest::addColumn<QByteArray>("sparse");
    QTest::addColumn<bool>("asNode");
    const auto linear = sparseOf({7, -2}, {1, 5}, {2}, {2, 3});
    const auto pairs = sparseOf({7, -2}, {0, 1, 1, 2}, {2, 2}, {2, 3});
    for (const bool asNode : {false, true}) {
        QTest::newRow(asNode ? "places, in a node" : "places")
            << QByteArray::fromStdString(linear.SerializeAsString()) << asNode;
        QTest::newRow(asNode ? "coordinates, in a node" : "coordinates")
            << QByteArray::fromStdString(pairs.SerializeAsString()) << asNode;
    }
}

void TestForeign::sparseOnesAreFilled() {
    QFETCH(QByteArray, sparse);
    QFETCH(bool, asNode);
    proto::SparseTensorProto given;
    QVERIFY(given.ParseFromString(sparse.toStdString()));
    const auto opened = read(withSparse(given, asNode).bytes());
    QVERIFY2(opened.ok(), opened ? "" : opened.diag().text().c_str());
    QVERIFY(opened->diagnostics.empty());
    const Node* weights = opened->graph->findByName("w");
    QVERIFY(weights != nullptr && weights->isConstant());
    QCOMPARE(weights->data->toDoubles(), (std::vector<double>{0, 7, 0, 0, 0, -2}));
}

void TestForeign::wrongSparseOnesAreRefused_data() {
    QTest::addColumn<QByteArray>("sparse");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* says, const proto::SparseTensorProto& sparse) {
        QTest::newRow(says) << QByteArray::fromStdString(sparse.SerializeAsString()) << says;
    };
    row("an index 6 of 6 elements", sparseOf({7}, {6}, {1}, {2, 3}));
    row("an index -1 of 6 elements", sparseOf({7}, {-1}, {1}, {2, 3}));
    row("an index 3 along an axis of 3", sparseOf({7}, {1, 3}, {1, 2}, {2, 3}));
    row("do not ascend", sparseOf({7, 8}, {4, 4}, {2}, {2, 3}));
    row("indices i64[1]", sparseOf({7, 8}, {4}, {1}, {2, 3}));
    row("needs 2", sparseOf({7, 8}, {4}, {2}, {2, 3}));
    row("with 0 dimensions", sparseOf({7}, {0}, {1}, {}));
    row("the limit is", sparseOf({7}, {0}, {1}, {1 << 30, 1 << 30}));
    row("does not fit in 63 bits",
        sparseOf({7}, {0}, {1}, {std::int64_t(1) << 62, std::int64_t(1) << 62}));
    row("a dimension is -2", sparseOf({7}, {0}, {1}, {-2}));
}

void TestForeign::wrongSparseOnesAreRefused() {
    QFETCH(QByteArray, sparse);
    QFETCH(QString, says);
    proto::SparseTensorProto given;
    QVERIFY(given.ParseFromString(sparse.toStdString()));
    for (const bool asNode : {false, true}) {
        const auto opened = read(withSparse(given, asNode).bytes());
        QVERIFY(!opened.ok());
        QVERIFY2(opened.diag().text().find(says.toStdString()) != std::string::npos,
                 opened.diag().text().c_str());
    }
}

void TestForeign::asText() {
    M m = withInput(tensorType(8, {"2"}), true);
    auto& weights = *m.graph().add_initializer();
    weights = foreignTensor(22, {4}, "ab");
    weights.set_name("w");
    m.node("Read", "w", "v", "other").set_domain("my");
    m.output("v");
    const auto opened = read(m.bytes());
    QVERIFY(opened.ok());
    const auto again = parseGraph(printGraph(*opened->graph), standardOperators());
    QVERIFY2(again.ok(), again ? "" : again.diag().text().c_str());
    QCOMPARE((*again)->hash().hex(), opened->graph->hash().hex());
    const auto written = exportModel(**again);
    QVERIFY2(written.ok(), written ? "" : written.diag().text().c_str());
}

FW_TEST(TestForeign, QCoreApplication)
#include "test_foreign.moc"
