// What the writer makes of operators that it does not know: the opset that it declares, names that
// sub-graphs use, types that the model does not tell, and what it warns of.
#include "common/test.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "onnx/graph_tools.h"
#include "onnx/model_builder.h"
#include "onnx/read/import.h"
#include "onnx/schema/standard_operators.h"
#include "onnx/write/export.h"

#include "base/files.h"

#include <QTemporaryDir>

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

namespace {

struct WrittenFile {
    proto::ModelProto model;
    std::int64_t opset = 0;
    Diags diagnostics;
    std::string error; // text of the diagnostic that refused it

    std::string types() const {
        std::string out;
        for (const auto& node : model.graph().node())
            out += (out.empty() ? "" : " ") + node.op_type();
        return out;
    }
    const proto::NodeProto& node(const std::string& type) const {
        for (const auto& node : model.graph().node())
            if (node.op_type() == type)
                return node;
        return proto::NodeProto::default_instance();
    }
    std::int64_t domain(const std::string& name) const {
        for (const auto& entry : model.opset_import())
            if (entry.domain() == name)
                return entry.version();
        return -1;
    }
};

WrittenFile write(const M& m) {
    WrittenFile out;
    const auto read = importModelBytes(m.bytes(), standardOperators());
    if (!read) {
        out.error = read.diag().text();
        return out;
    }
    auto exported = exportModel(*read->graph);
    if (!exported) {
        out.error = exported.diag().text();
        return out;
    }
    out.opset = exported->opset;
    out.diagnostics = exported->diagnostics;
    out.model.ParseFromString(exported->bytes);
    return out;
}

proto::GraphProto& addGraph(proto::NodeProto& node, const std::string& attribute) {
    auto* out = node.add_attribute();
    out->set_name(attribute);
    out->set_type(proto::AttributeProto::GRAPH);
    out->mutable_g()->set_name(attribute);
    return *out->mutable_g();
}

void innerNode(proto::GraphProto& graph, const std::string& type, const std::string& input,
               const std::string& output) {
    auto* node = graph.add_node();
    node->set_op_type(type);
    node->add_input(input);
    node->add_output(output);
}

// If(c) { Relu(v) } else { Neg(v) }, of a value of the outer graph.
proto::NodeProto& branch(M& m, const std::string& captured) {
    auto& node = m.node("If", "c", "y", "choice");
    auto& yes = addGraph(node, "then_branch");
    innerNode(yes, "Relu", captured, "inside");
    M::declare(*yes.add_output(), "inside", {"4"});
    auto& no = addGraph(node, "else_branch");
    innerNode(no, "Neg", captured, "inside2");
    M::declare(*no.add_output(), "inside2", {"4"});
    return node;
}

} // namespace

class TestExport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tableIsWellFormed();
    void opsetsInWhichANodeMeansTheSame_data();
    void opsetsInWhichANodeMeansTheSame();
    void usualOpsetWherePossible();
    void opsetRisesWithUnknownOperators();
    void mishIsOneNodeWhereTheOpsetHasIt();
    void reductionsTakeTheFormOfTheOpset();
    void opsetFallsWhereItMust();
    void whatFitsNoOpsetIsRefused();
    void otherDomainsKeepTheirOpsets();
    void longNameOfTheStandardDomain();
    void invalidNodesAreWarnedOf_data();
    void invalidNodesAreWarnedOf();
    void subgraphsKeepTheirNames();
    void namesOutsideGiveWayToNamesInside();
    void innerOpsetsCount();
    void unknownTypesAreNotMadeUp();
    void absentResultsStayAbsent();
    void opsetsThatAreNotSaid();
    void ratesAreWholeNumbers();
    void attributesOfOurNamesSurvive();
    void externalWeightsInAttributesAreEmbedded();
};

void TestExport::tableIsWellFormed() {
    int lines = 0;
    const std::string text(standardTable());
    for (const QString& line : QString::fromStdString(text).split(u'\n', Qt::SkipEmptyParts)) {
        ++lines;
        static const QRegularExpression form(QStringLiteral(
            R"(^[A-Z]\w*( \d+!?x?(\(\d+(-(\d+|\*))?;\d+(-(\d+|\*))?;(\w+:(f|i|s|t|g|fs|is|ss|st|tp)!?( |(?=\))))*\))?)+$)"));
        QVERIFY2(form.match(line).hasMatch(), qPrintable(line));
    }
    QVERIFY(lines > 190);
    // Every operator that is imported is listed, in the opset from which on it is.
    for (const auto& [type, opset] :
         {std::pair("Conv", 1), std::pair("Gelu", 20), std::pair("Pad", 2),
          std::pair("ReduceMean", 18), std::pair("Split", 18)}) {
        proto::NodeProto node;
        node.set_op_type(type);
        for (const Diag& diag : problemsOf(node, opset))
            QVERIFY2(diag.code != DiagCode::UnknownOperator, diag.text().c_str());
    }
}

void TestExport::opsetsInWhichANodeMeansTheSame_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("operands");
    QTest::addColumn<QString>("attribute"); // an integer, if any
    QTest::addColumn<int>("opset");
    QTest::addColumn<int>("least");
    QTest::addColumn<int>("most");
    const int newest = static_cast<int>(newestOpset);
    QTest::newRow("more types later") << "Sinh" << 1 << "" << 9 << 9 << newest;
    QTest::newRow("newer version") << "Sinh" << 1 << "" << 23 << 22 << newest;
    QTest::newRow("axes become an operand") << "ReduceL1" << 1 << "keepdims" << 13 << 13 << newest;
    QTest::newRow("new operator") << "BitwiseNot" << 1 << "" << 18 << 18 << newest;
    QTest::newRow("another meaning") << "Hardmax" << 1 << "axis" << 11 << 11 << 12;
    QTest::newRow("attribute lost") << "TopK" << 1 << "k" << 7 << 1 << 9;
    QTest::newRow("more operands needed") << "Resize" << 2 << "" << 10 << 10 << 10;
    QTest::newRow("removed") << "Scatter" << 3 << "" << 9 << 9 << 10;
    QTest::newRow("not listed yet") << "Sinh" << 1 << "" << 30 << 30 << 30;
    QTest::newRow("nowhere right") << "Frobnicate" << 1 << "" << 13 << 1 << newest;
}

void TestExport::opsetsInWhichANodeMeansTheSame() {
    QFETCH(QString, type);
    QFETCH(int, operands);
    QFETCH(QString, attribute);
    QFETCH(int, opset);
    QFETCH(int, least);
    QFETCH(int, most);
    proto::NodeProto node;
    node.set_op_type(type.toStdString());
    for (int i = 0; i < operands; ++i)
        node.add_input("x");
    const bool twoResults = type == u"TopK";
    node.add_output("y");
    if (twoResults)
        node.add_output("i");
    if (!attribute.isEmpty())
        M::set(node, attribute.toStdString(), 1);
    if (type == u"ReduceL1")
        M::set(node, "axes", std::vector<std::int64_t>{0});
    const OpsetRange range = opsetsOf(node, opset);
    QCOMPARE(range.least, std::int64_t{least});
    QCOMPARE(range.most, std::int64_t{type == u"ReduceL1" ? 17 : most});
}

void TestExport::usualOpsetWherePossible() {
    for (const int opset : {9, 13, 17, 21}) {
        M m(opset);
        m.input("x", {"2"}).output("y", {"2"});
        m.node("Sinh", "x", "t", "odd");
        m.node("Relu", "t", "y");
        m.graph().add_value_info()->CopyFrom(m.graph().output(0));
        m.graph().mutable_value_info(0)->set_name("t");
        const WrittenFile out = write(m);
        QCOMPARE(out.error, std::string());
        QCOMPARE(out.opset, std::int64_t{17});
        QCOMPARE(out.domain(""), std::int64_t{17});
        QCOMPARE(out.model.ir_version(), std::int64_t{8});
        QVERIFY(out.diagnostics.empty());
    }
}

void TestExport::opsetRisesWithUnknownOperators() {
    for (const auto& [type, opset, declared, ir] :
         {std::tuple("RandomNormalLike", 22, 22, 10), std::tuple("RandomNormalLike", 23, 22, 10),
          std::tuple("Bernoulli", 23, 22, 10), std::tuple("Frobnicate", 27, 27, 12)}) {
        M m(opset);
        m.input("x", {"2"}).output("y", {"2"});
        m.node(type, "x", "y", "odd");
        const WrittenFile out = write(m);
        QCOMPARE(out.error, std::string());
        QCOMPARE(out.opset, std::int64_t{declared});
        QCOMPARE(out.domain(""), out.opset);
        QCOMPARE(out.model.ir_version(), std::int64_t{ir});
    }
}

void TestExport::mishIsOneNodeWhereTheOpsetHasIt() {
    for (const char* other : {"Sinh", "RandomNormalLike"}) { // the second one wants opset 22
        M m(22);
        m.input("x", {"2"}).output("y", {"2"}).output("z");
        m.node("Mish", "x", "y", "gate");
        m.node(other, "x", "z", "odd");
        const WrittenFile out = write(m);
        QCOMPARE(out.error, std::string());
        std::string types;
        for (const auto& node : out.model.graph().node())
            types += node.op_type() + " ";
        QCOMPARE(types, out.opset == 22 ? std::string("Mish RandomNormalLike ")
                                        : std::string("Softplus Tanh Mul Sinh "));
    }
}

void TestExport::reductionsTakeTheFormOfTheOpset() {
    for (const char* type : {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"})
        for (const int opset : {13, 22}) {
            M m(opset);
            m.input("x", {"2", "3"}).output("y", {"2"}).integers("axes", {1});
            auto& odd = m.node(opset == 22 ? "RandomNormalLike" : "Sinh", "x", "t", "odd");
            (void)odd;
            M::declare(*m.graph().add_value_info(), "t", {"2", "3"});
            const bool operand = opset == 22 || std::string(type) == "ReduceSum";
            auto& reduce = m.node(type, operand ? "t axes" : "t", "y", "reduce");
            M::set(reduce, "keepdims", 0);
            if (!operand)
                M::set(reduce, "axes", std::vector<std::int64_t>{1});
            const WrittenFile out = write(m);
            QCOMPARE(out.error, std::string());
            QCOMPARE(out.opset, std::int64_t{opset == 22 ? 22 : 17});
            QCOMPARE(out.node(type).input_size(), operand ? 2 : 1);
            QVERIFY(problemsOf(out.node(type), out.opset).empty());
        }
}

void TestExport::opsetFallsWhereItMust() {
    M m(13); // RoiAlign takes other coordinates by default from opset 16 on
    m.model.add_opset_import()->set_domain("my");
    m.model.mutable_opset_import(1)->set_version(1);
    m.input("x", {"1", "1", "4", "4"}).input("r", {"1", "4"}).integers("i", {0});
    m.output("y", {"1", "1", "1", "1"});
    m.node("Read", "x", "u", "reader").set_domain("my"); // of no type, so nothing is known of roi
    m.node("RoiAlign", "u r i", "t", "roi");
    M::declare(*m.graph().add_value_info(), "t", {"1", "1", "1", "1"});
    m.node("Relu", "t", "y", "act");
    const WrittenFile out = write(m);
    QCOMPARE(out.error, std::string());
    QCOMPARE(out.opset, std::int64_t{15});
}

void TestExport::whatFitsNoOpsetIsRefused() {
    M m(8); // its first operand is another one from opset 9 on
    m.input("x", {"1", "2", "3"}).output("y", {"1", "2", "3"});
    auto& scan = m.node("Scan", "- x", "y", "steps");
    M::set(scan, "num_scan_inputs", 1);
    auto& inner = addGraph(scan, "body");
    M::declare(*inner.add_input(), "row", {"3"});
    innerNode(inner, "Relu", "row", "positive");
    M::declare(*inner.add_output(), "positive", {"3"});
    const WrittenFile out = write(m);
    QVERIFY2(out.error.find("node steps: error OPR01") != std::string::npos, out.error.c_str());
    QVERIFY2(out.error.find("opsets 8 to 8") != std::string::npos, out.error.c_str());
}

void TestExport::otherDomainsKeepTheirOpsets() {
    M m(21);
    auto* entry = m.model.add_opset_import();
    entry->set_domain("com.example");
    entry->set_version(40);
    m.input("x", {"2"}).output("y", {"2"});
    m.node("Odd", "x", "y", "odd").set_domain("com.example");
    const WrittenFile out = write(m);
    QCOMPARE(out.error, std::string());
    QCOMPARE(out.opset, std::int64_t{17}); // nothing of the standard domain needs more
    QCOMPARE(out.domain("com.example"), std::int64_t{40});
}

void TestExport::longNameOfTheStandardDomain() {
    M m(22);
    m.input("x", {"2"}).output("y", {"2"});
    m.node("RandomNormalLike", "x", "y", "odd").set_domain("ai.onnx");
    const WrittenFile out = write(m);
    QCOMPARE(out.error, std::string());
    QCOMPARE(out.model.opset_import_size(), 1);
    QCOMPARE(out.opset, std::int64_t{22});
    QCOMPARE(out.node("RandomNormalLike").domain(), std::string());
}

void TestExport::invalidNodesAreWarnedOf_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("attribute");
    QTest::addColumn<int>("operands");
    QTest::addColumn<QString>("warning");
    QTest::newRow("operator") << "Frobnicate"
                              << "" << 1 << "opset 17 has no operator named Frobnicate";
    QTest::newRow("too early") << "BitwiseNot"
                               << "" << 1 << "BitwiseNot is an operator since opset 18";
    QTest::newRow("attribute") << "Bernoulli"
                               << "amount" << 1
                               << "Bernoulli of opset 17 has no attribute 'amount'";
    QTest::newRow("kind") << "StringNormalizer"
                          << "locale" << 1
                          << "attribute 'locale' of StringNormalizer is not a text";
    QTest::newRow("required") << "ConcatFromSequence"
                              << "" << 1
                              << "ConcatFromSequence of opset 17 needs the attribute 'axis'";
    QTest::newRow("operands") << "Bernoulli"
                              << "" << 2 << "Bernoulli of opset 17 does not take 2 operands";
}

void TestExport::invalidNodesAreWarnedOf() {
    QFETCH(QString, type);
    QFETCH(QString, attribute);
    QFETCH(int, operands);
    QFETCH(QString, warning);
    M m(17);
    m.input("x", {"2"}).output("y", {"2"});
    auto& odd = m.node(type.toStdString(), operands == 2 ? "x x" : "x", "y", "odd");
    if (!attribute.isEmpty())
        M::set(odd, attribute.toStdString(), 1);
    const WrittenFile out = write(m);
    QVERIFY2(out.error.empty(), out.error.c_str());
    QVERIFY(!out.diagnostics.empty());
    const Diag& first = out.diagnostics.front();
    QVERIFY2(first.message.find(warning.toStdString()) != std::string::npos, first.text().c_str());
    QVERIFY(first.severity == Severity::Warning);
    QCOMPARE(first.where.node, std::string("odd"));
}

void TestExport::subgraphsKeepTheirNames() {
    M m(17);
    m.input("x", {"4"}).input("c", {}, proto::TensorProto::BOOL).weights("w", {4});
    m.output("y", {"4"}).output("t", {"4"});
    m.node("Add", "x w", "sum", "add"); // a bias here
    m.node("Identity", "sum", "t", "same");
    branch(m, "sum");
    const WrittenFile out = write(m);
    QCOMPARE(out.error, std::string());
    QCOMPARE(out.types(), std::string("Add Identity If"));
    QCOMPARE(out.node("If").input_size(), 1);
    const std::string sum = out.node("Add").output(0);
    for (const auto& attribute : out.node("If").attribute())
        QCOMPARE(attribute.g().node(0).input(0), sum);
    // The value that is captured may have got another name.
    const auto read = importModelBytes(m.bytes(), standardOperators());
    GraphEditor editor(*read->graph);
    const Node* add = read->graph->findByName("add");
    const auto other = editor.add(
        {"tanh", {{read->graph->findByName("x")->id, 0}}, {}, "other", {"z"}, {}, {}, {}});
    editor.replaceUses({add->id, 0}, other->front());
    editor.removeUnused();
    const auto graph = editor.finish();
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.diag().text().c_str());
    const auto again = exportModel(**graph);
    QVERIFY2(again.ok(), again.ok() ? "" : again.diag().text().c_str());
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(again->bytes));
    for (const auto& node : model.graph().node())
        for (const auto& attribute : node.attribute())
            if (attribute.has_g())
                QCOMPARE(attribute.g().node(0).input(0), std::string("z"));
}

void TestExport::namesOutsideGiveWayToNamesInside() {
    M m(17);
    m.input("x", {"2", "4"}).input("c", {}, proto::TensorProto::BOOL).weights("w", {4});
    m.output("y", {"4"});
    m.node("LayerNormalization", "x w", "n", "inside"); // its shift would be called inside.shift
    m.node("ReduceSum", "n axes", "sum", "total");
    m.integers("axes", {0});
    auto& choice = branch(m, "sum");
    for (auto& attribute : *choice.mutable_attribute())
        for (auto& node : *attribute.mutable_g()->mutable_node()) {
            node.set_output(0, "inside.shift");
            attribute.mutable_g()->mutable_output(0)->set_name("inside.shift");
        }
    const WrittenFile out = write(m);
    QCOMPARE(out.error, std::string());
    for (const auto& tensor : out.model.graph().initializer())
        QVERIFY(tensor.name() != "inside.shift");
    QCOMPARE(out.node("If").attribute(0).g().node(0).output(0), std::string("inside.shift"));
}

void TestExport::innerOpsetsCount() {
    M m(18);
    auto* entry = m.model.add_opset_import();
    entry->set_domain("com.example");
    entry->set_version(2);
    m.input("x", {"4"}).input("c", {}, proto::TensorProto::BOOL).output("y", {"4"});
    auto& choice = branch(m, "x");
    choice.mutable_attribute(0)->mutable_g()->mutable_node(0)->set_op_type("BitwiseNot");
    auto& other = *choice.mutable_attribute(1)->mutable_g()->mutable_node(0);
    other.set_op_type("Odd");
    other.set_domain("com.example");
    const WrittenFile out = write(m);
    QCOMPARE(out.error, std::string());
    QCOMPARE(out.opset, std::int64_t{18});
    QCOMPARE(out.domain("com.example"), std::int64_t{2});
    QVERIFY(out.diagnostics.empty());
    choice.mutable_attribute(0)->mutable_g()->mutable_node(0)->set_op_type("Mash");
    QCOMPARE(write(m).diagnostics.size(), std::size_t(1));
}

void TestExport::unknownTypesAreNotMadeUp() {
    M m(17);
    m.input("x", {"4"}).output("y", {}, proto::TensorProto::INT64).output("s");
    M::set(m.node("Multinomial", "x", "y", "drawn"), "dtype", 7);
    m.node("StringNormalizer", "x", "s", "words");
    m.graph().mutable_output(1)->clear_type();
    const WrittenFile out = write(m);
    QCOMPARE(out.error, std::string());
    QCOMPARE(out.model.graph().value_info_size(), 0);
    QCOMPARE(out.model.graph().output(0).type().tensor_type().elem_type(),
             int{proto::TensorProto::INT64});
    QVERIFY(!out.model.graph().output(0).type().tensor_type().has_shape());
    QVERIFY(!out.model.graph().output(1).has_type());
}

void TestExport::absentResultsStayAbsent() {
    M m(17);
    m.input("x", {"1", "1", "3"}).weights("w", {1, 4, 3}).weights("r", {1, 4, 1}).output("h");
    M::set(m.node("LSTM", "x w r", "- h -", "lstm"), "hidden_size", 1);
    const WrittenFile out = write(m);
    QCOMPARE(out.error, std::string());
    QCOMPARE(out.node("LSTM").output_size(), 2);
    QCOMPARE(out.node("LSTM").output(0), std::string());
    QCOMPARE(out.node("LSTM").output(1), std::string("h"));
}

void TestExport::opsetsThatAreNotSaid() { // by a graph that somebody wrote as text
    for (const auto& [type, opset, warnings] :
         {std::tuple("Sinh", 17, 0), std::tuple("BitwiseNot", 18, 0),
          std::tuple("Frobnicate", 17, 1)}) {
        const auto graph = parseGraph(fmt::format("graph g(x: f32[2]) -> y {{\n"
                                                  "  y = unknown \"\" \"{}\"(x) : f32[2]\n}}\n",
                                                  type),
                                      standardOperators(), {});
        QVERIFY2(graph.ok(), graph.ok() ? "" : graph.diag().text().c_str());
        const auto written = exportModel(**graph);
        QVERIFY2(written.ok(), written.ok() ? "" : written.diag().text().c_str());
        QCOMPARE(written->opset, std::int64_t{opset});
        QCOMPARE(written->diagnostics.size(), static_cast<std::size_t>(warnings));
    }
}

// Of MelWeightMatrix: a fraction would be cut off.
void TestExport::ratesAreWholeNumbers() {
    for (const auto& [rate, good] : {std::pair("const [512] : f64[]", true),
                                     {"const [511.5] : f64[]", false},
                                     {"cast(n) {to = f64}", true},
                                     {"cast(x) {to = f64}", false}}) {
        const auto graph = parseGraph(fmt::format("graph g(n: i32[], x: f32[]) -> y {{\n"
                                                  "  r = {}  l = const [0] : f64[]\n"
                                                  "  h = const [200] : f64[]\n"
                                                  "  y = mel_weights(r, l, h) {{bins = [3], "
                                                  "length = [16]}}\n}}\n",
                                                  rate),
                                      standardOperators(), {});
        QVERIFY2(graph.ok(), graph.ok() ? "" : graph.diag().text().c_str());
        const auto written = exportModel(**graph);
        QVERIFY2(written.ok() == good, rate);
        if (!good)
            QVERIFY(written.diag().text().find("whole numbers") != std::string::npos);
    }
}

void TestExport::attributesOfOurNamesSurvive() {
    M m(17);
    auto* entry = m.model.add_opset_import();
    entry->set_domain("com.example");
    entry->set_version(1);
    m.input("x", {"2"}).output("y", {"2"});
    auto& odd = m.node("Odd", "x", "y", "odd");
    odd.set_domain("com.example");
    M::setText(odd, "domain", "of definition");
    M::set(odd, "opset", 99);
    M::setText(odd, "captures", "none");
    const WrittenFile out = write(m);
    QCOMPARE(out.error, std::string());
    QCOMPARE(out.domain("com.example"), std::int64_t{1});
    QCOMPARE(out.node("Odd").domain(), std::string("com.example"));
    std::map<std::string, std::string> got;
    for (const auto& attribute : out.node("Odd").attribute())
        got[attribute.name()] = attribute.SerializeAsString();
    QCOMPARE(got.size(), std::size_t(3));
    for (const auto& attribute : odd.attribute())
        QVERIFY2(got[attribute.name()] == attribute.SerializeAsString(), attribute.name().c_str());
}

void TestExport::externalWeightsInAttributesAreEmbedded() {
    QTemporaryDir folder;
    const std::string bytes(16, '\1');
    QVERIFY(writeFile(folder.filePath(QStringLiteral("w.bin")).toStdString(), bytes).ok());
    M m(17);
    auto* entry = m.model.add_opset_import();
    entry->set_domain("com.example");
    entry->set_version(1);
    m.input("x", {"2"}).output("y", {"2"});
    auto& odd = m.node("Odd", "x", "y", "odd");
    odd.set_domain("com.example");
    auto& attribute = *odd.add_attribute();
    attribute.set_name("table");
    attribute.set_type(proto::AttributeProto::TENSOR);
    auto& tensor = *attribute.mutable_t();
    tensor.set_data_type(proto::TensorProto::FLOAT);
    tensor.add_dims(4);
    tensor.set_data_location(proto::TensorProto::EXTERNAL);
    auto* where = tensor.add_external_data();
    where->set_key("location");
    where->set_value("w.bin");
    const auto read =
        importModelBytes(m.bytes(), standardOperators(), {}, {}, "m", folder.path().toStdString());
    QVERIFY2(read.ok(), read.ok() ? "" : read.diag().text().c_str());
    const auto out = exportModel(*read->graph);
    QVERIFY2(out.ok(), out.ok() ? "" : out.diag().text().c_str());
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(out->bytes));
    const auto& written = model.graph().node(0).attribute(0).t();
    QCOMPARE(written.raw_data(), bytes);
    QVERIFY(written.data_location() != proto::TensorProto::EXTERNAL);
    // Outside of the model's folder nothing is read.
    where->set_value("../w.bin");
    QVERIFY(
        !importModelBytes(m.bytes(), standardOperators(), {}, {}, "m", folder.path().toStdString())
             .ok());
}

FW_TEST(TestExport, QCoreApplication)
#include "test_export.moc"
