// Operators of training and of random numbers: refused by those words with the name of the node,
// with the types that ONNX gives their results, so that all around them is read as it is.
#include "common/test.h"
#include "onnx/reading.h"

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

class TestNotComputed : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refusedWithTypes_data();
    void refusedWithTypes();
    void dropoutOfNothing();
    void statisticsThatNobodyReads_data();
    void statisticsThatNobodyReads();
    void whatNoTextSays_data();
    void whatNoTextSays();
};

void TestNotComputed::refusedWithTypes_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("opset");
    QTest::addColumn<QString>("inputs");
    QTest::addColumn<QString>("word");
    QTest::addColumn<QStringList>("results"); // their types
    QTest::addColumn<QStringList>("attributes");
    const auto row = [](const char* name, const char* type, int opset, const char* inputs,
                        const char* word, const QStringList& results,
                        const QStringList& attributes = {}) {
        QTest::newRow(name) << QString::fromLatin1(type) << opset << QString::fromLatin1(inputs)
                            << QString::fromLatin1(word) << results << attributes;
    };
    const QString same = QStringLiteral("f32[N, 3]"), row3 = QStringLiteral("f32[3]");
    row("normalisation", "BatchNormalization", 15, "x w w w w", "training mode", {same, row3, row3},
        {"training_mode=1"});
    row("its mean and variance before opset 14", "BatchNormalization", 9, "x w w w w",
        "training mode", {same, row3, row3, row3, row3});
    row("and of opset 6", "BatchNormalization", 6, "x w w w w", "training mode",
        {same, row3, row3, row3, row3});
    row("of opset 6", "BatchNormalization", 6, "x w w w w", "training mode", {same}, {"is_test=0"});
    row("dropout", "Dropout", 13, "x half yes", "training mode", {same, "bool[N, 3]"});
    row("dropout that is decided while running", "Dropout", 22, "x - t", "training mode", {same});
    row("dropout of opset 6", "Dropout", 6, "x", "training mode", {same, same}, {"is_test=0"});
    row("normal numbers", "RandomNormal", 15, "", "random", {"f32[2, 3]"}, {"shape=2,3"});
    row("uniform f64", "RandomUniform", 1, "", "random", {"f64[3]"}, {"shape=3,", "dtype=11"});
    row("normal numbers like", "RandomNormalLike", 22, "x", "random", {same});
    row("uniform f16 like integers", "RandomUniformLike", 15, "i", "random", {"f16[N, 4]"},
        {"dtype=10"});
    row("truths", "Bernoulli", 15, "x", "random", {"bool[N, 3]"}, {"dtype=9"});
    row("classes", "Multinomial", 13, "x", "random", {"i32[N, 5]"}, {"sample_size=5"});
    row("classes of i64", "Multinomial", 7, "x", "random", {"i64[N, 1]"}, {"dtype=7"});
}

void TestNotComputed::refusedWithTypes() {
    QFETCH(QString, type);
    QFETCH(int, opset);
    QFETCH(QString, inputs);
    QFETCH(QString, word);
    QFETCH(QStringList, results);
    QFETCH(QStringList, attributes);
    M m(opset);
    m.input("in", {"N", "3"}).input("i", {"N", "4"}, proto::TensorProto::INT64);
    m.input("t", {}, proto::TensorProto::BOOL);
    m.weights("w", {3}, {1, 2, 3}).weights("half", {}, {0.5F});
    auto* yes = m.graph().add_initializer();
    yes->set_name("yes");
    yes->set_data_type(proto::TensorProto::BOOL);
    yes->add_int32_data(1);
    m.node("Relu", "in", "x", "before");
    QString names;
    for (int i = 0; i < results.size(); ++i)
        names += QStringLiteral("r%1 ").arg(i);
    auto& node = m.node(type.toStdString(), inputs.toStdString(), names.toStdString(), "odd one");
    for (const QString& attribute : attributes) {
        const std::string name = attribute.section(u'=', 0, 0).toStdString();
        const QStringList values = attribute.section(u'=', 1).split(u',', Qt::SkipEmptyParts);
        if (!attribute.contains(u',')) {
            M::set(node, name, values.front().toLongLong());
            continue;
        }
        std::vector<std::int64_t> list;
        for (const QString& value : values)
            list.push_back(value.toLongLong());
        M::set(node, name, list);
    }
    for (int i = 0; i < results.size(); ++i) { // read, so that it counts
        m.node("Identity", QStringLiteral("r%1").arg(i).toStdString(),
               QStringLiteral("y%1").arg(i).toStdString(),
               QStringLiteral("behind%1").arg(i).toStdString());
        m.output(QStringLiteral("y%1").arg(i).toStdString());
        auto& output = *m.graph().mutable_output(i);
        output.clear_type();
    }
    const auto imported = read(m.bytes());
    QVERIFY2(imported.ok(), imported.ok() ? "" : imported.diag().text().c_str());
    Diags errors;
    for (const Diag& diag : imported->diagnostics)
        if (diag.severity == Severity::Error)
            errors.push_back(diag);
    QCOMPARE(errors.size(), std::size_t(1)); // nothing behind it misses a type
    const std::string said = errors.front().text();
    QVERIFY2(said.find(word.toStdString()) != std::string::npos, said.c_str());
    QVERIFY2(said.find("odd one") != std::string::npos, said.c_str());
    QVERIFY2(said.find(type.toStdString()) != std::string::npos, said.c_str());
    const Graph& graph = *imported->graph;
    QVERIFY(graph.findByName("before") != nullptr || !inputs.startsWith(u'x'));
    QCOMPARE(graph.results().size(), std::size_t(results.size()));
    for (int i = 0; i < results.size(); ++i)
        QCOMPARE(QString::fromStdString(graph.type(graph.results()[std::size_t(i)].value).text()),
                 results[i]);
    if (opset >= 13) { // written as it was
        const auto again = writtenAndRead(graph);
        QVERIFY2(again.ok(), again.ok() ? "" : again.diag().text().c_str());
        QCOMPARE(operatorsOf(*again->graph), operatorsOf(graph));
    }
}

// A ratio of 0 changes nothing, whatever the mode is.
void TestNotComputed::dropoutOfNothing() {
    M m(13);
    m.input("x", {"N", "3"}).input("t", {}, proto::TensorProto::BOOL).output("y");
    m.weights("r", {}, {0});
    m.node("Dropout", "x r t", "y", "d");
    QCOMPARE(ops(m), std::string("dropout"));
}

// Before opset 14 a normalisation with more results than one is one of training, as ONNX Runtime
// has it, unless it says that it infers; with one result it infers, also where is_test is not
// given.
void TestNotComputed::statisticsThatNobodyReads_data() {
    QTest::addColumn<int>("opset");
    QTest::addColumn<QString>("results");
    QTest::addColumn<int>("isTest"); // -1: not given
    QTest::addColumn<bool>("infers");
    QTest::newRow("opset 1, one") << 1 << "y" << -1 << true;
    QTest::newRow("opset 6, one") << 6 << "y" << -1 << true;
    QTest::newRow("opset 6, five") << 6 << "y a b c d" << -1 << false;
    QTest::newRow("opset 6, five that say so") << 6 << "y a b c d" << 1 << true;
    QTest::newRow("opset 6, one that says not so") << 6 << "y" << 0 << false;
    QTest::newRow("opset 7, one") << 7 << "y" << -1 << true;
    QTest::newRow("opset 7, five") << 7 << "y a b c d" << -1 << false;
    QTest::newRow("opset 9, five") << 9 << "y a b c d" << -1 << false;
}

void TestNotComputed::statisticsThatNobodyReads() {
    QFETCH(int, opset);
    QFETCH(QString, results);
    QFETCH(int, isTest);
    QFETCH(bool, infers);
    M m(opset);
    m.input("x", {"N", "3"}).weights("w", {3}, {1, 2, 3}).output("y");
    auto& node = m.node("BatchNormalization", "x w w w w", results.toStdString(), "odd one");
    if (opset < 6)
        M::set(node, "consumed_inputs", std::vector<std::int64_t>{0, 0, 0, 1, 1});
    if (isTest >= 0)
        M::set(node, "is_test", isTest);
    const auto imported = read(m.bytes());
    QVERIFY2(imported.ok(), imported.ok() ? "" : imported.diag().text().c_str());
    QCOMPARE(operatorsOf(*imported->graph), std::string(infers ? "batch_norm" : "unknown"));
    if (!infers)
        QVERIFY(imported->diagnostics.front().text().find("training mode") != std::string::npos);
}

// Nobody is asked to write as the text of an operator what none can say.
void TestNotComputed::whatNoTextSays_data() {
    QTest::addColumn<QString>("domain");
    QTest::addColumn<QString>("inputs");
    QTest::addColumn<QString>("hint");
    const auto row = [](const char* domain, const char* type, const char* inputs,
                        const char* hint) {
        QTest::newRow(type) << QString::fromLatin1(domain) << QString::fromLatin1(inputs)
                            << QString::fromLatin1(hint);
    };
    const char* const learned = "its attributes hold a learned model (trees, vectors, classes), "
                                "which no text of an operator says; what does not depend on it "
                                "runs";
    row("", "RegexFullMatch", "x",
        "it works on texts, which no text of an operator says; what does not depend on it runs");
    row("", "Optional", "x",
        "it works on values that may be missing, which no text of an operator says; what does not "
        "depend on it runs");
    row("", "ImageDecoder", "q",
        "it reads the files of pictures, which no text of an operator says; what does not depend "
        "on it runs");
    row("com.microsoft", "QLinearConcat", "f z q f z", "say what it computes in a book");
    row("ai.onnx.ml", "TreeEnsembleRegressor", "x", learned);
    row("ai.onnx.ml", "LinearClassifier", "x", learned);
    row("ai.onnx.ml", "SVMRegressor", "x", learned);
    row("ai.onnx.ml", "ZipMap", "x",
        "it works on maps, which no text of an operator says; what does not depend on it runs");
    row("ai.onnx.ml", "Binarizer", "x", "say what it computes in a book");
    row("com.microsoft", "Own", "x", "say what it computes in a book");
}

void TestNotComputed::whatNoTextSays() {
    QFETCH(QString, domain);
    QFETCH(QString, inputs);
    QFETCH(QString, hint);
    M m(20);
    for (const char* other : {"com.microsoft", "ai.onnx.ml"}) {
        auto* opset = m.model.add_opset_import();
        opset->set_domain(other);
        opset->set_version(1);
    }
    m.input("x", {"N", "3"}).input("q", {"1", "1", "4", "4"}, proto::TensorProto::UINT8);
    m.input("k", {"1", "1", "2", "2"}, proto::TensorProto::UINT8);
    m.input("f", {}).input("z", {}, proto::TensorProto::UINT8).output("y");
    m.node(QTest::currentDataTag(), inputs.toStdString(), "y", "odd one")
        .set_domain(domain.toStdString());
    m.graph().mutable_output(0)->clear_type();
    const auto imported = read(m.bytes());
    QVERIFY2(imported.ok(), imported.ok() ? "" : imported.diag().text().c_str());
    QVERIFY(!imported->diagnostics.empty());
    const Diag& told = imported->diagnostics.front();
    QVERIFY2(told.code == DiagCode::UnknownOperator && told.where.node == "odd one",
             told.text().c_str());
    QVERIFY2(QString::fromStdString(told.hint).startsWith(hint), told.text().c_str());
}

FW_TEST(TestNotComputed, QCoreApplication)
#include "test_not_computed.moc"
