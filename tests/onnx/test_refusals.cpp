// What is said of nodes whose operands do not fit: in the words of the model, whatever operators of
// the library stand for them.
#include "common/test.h"
#include "onnx/reading.h"

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

class TestRefusals : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesAreThoseOfTheModel_data();
    void namesAreThoseOfTheModel();
    void windowsThatFitNowhere_data();
    void windowsThatFitNowhere();
};

void TestRefusals::namesAreThoseOfTheModel_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const char* says,
                        const std::function<void(ModelBuilder&)>& build) {
        ModelBuilder m(17);
        m.output("y");
        build(m);
        QTest::newRow(name) << QByteArray::fromStdString(m.bytes()) << QByteArray(says);
    };
    row("sum",
        "SHP01: Add: 'left' is f32[2, 3], 'right' is f32[4, 3]; dimension 0 of 'left' is 2 and "
        "dimension 0 of 'right' is 4: they must be equal, or one of them 1",
        [](M& m) {
            m.input("left", {"2", "3"}).input("right", {"4", "3"});
            m.node("Add", "left right", "y");
        });
    row("bias",
        "Conv: 'x' is f32[1, 2, 5, 5], 'w' is f32[4, 2, 3, 3], 'b' is f32[3]; dimension 1 of "
        "f32[1, "
        "4, 3, 3] (made of 'x', 'w') is 4 and dimension 0 of 'b' is 3: they must be equal",
        [](M& m) {
            m.input("x", {"1", "2", "5", "5"}).weights("w", {4, 2, 3, 3}).weights("b", {3});
            m.node("Conv", "x w b", "y");
        });
    row("channels",
        "Conv: 'x' is f32[1, 3, 5, 5], 'w' is f32[4, 2, 3, 3]; 'x' has 3 channels and 'w' reads 2",
        [](M& m) {
            m.input("x", {"1", "3", "5", "5"}).weights("w", {4, 2, 3, 3});
            m.node("Conv", "x w", "y");
        });
    row("groups", "'x' has 4 channels and 'w' reads 3 in each of 2 groups", [](M& m) {
        m.input("x", {"1", "4", "5", "5"}).weights("w", {4, 3, 3, 3});
        M::set(m.node("Conv", "x w", "y"), "group", 2);
    });
    row("concat", "dimension 0 of 'p' is 2 and dimension 0 of 'r' is 5: they must be equal",
        [](M& m) {
            m.input("p", {"2", "3"}).input("q", {"2", "3"}).input("r", {"5", "3"});
            M::set(m.node("Concat", "p q r", "y"), "axis", 1);
        });
    row("product",
        "MatMul: 'p' is f32[2, 3], 'q' is f32[4, 5]; dimension 1 of 'p' is 3 and "
        "dimension 0 of 'q' is 4: they must be equal",
        [](M& m) {
            m.input("p", {"2", "3"}).input("q", {"4", "5"});
            m.node("MatMul", "p q", "y");
        });
    row("product with weights",
        "MatMul: 'p' is f32[2, 4], 'w' is f32[3, 5]; dimension 1 of 'p' is 4 and dimension 0 of "
        "'w' is 3: they must be equal",
        [](M& m) {
            m.input("p", {"2", "4"}).weights("w", {3, 5});
            m.node("MatMul", "p w", "y");
        });
    row("term that is larger than the product", "S[0] == 1", [](M& m) {
        m.input("p", {"1", "4"}).weights("w", {4, 5}).input("c", {"3", "5"});
        m.node("Gemm", "p w c", "y");
    });
    row("attribute behind an unknown operator",
        "warning OPR02: Softmax of opset 17 has no attribute 'axs'", [](M& m) {
            m.input("p", {"2", "4"});
            m.node("Odd", "p", "u");
            M::set(m.node("Softmax", "u", "y"), "axs", 1);
        });
    row("normalised", "dimension 1 of 'x' is 4 and dimension 0 of 'mean' is 3: they must be equal",
        [](M& m) {
            m.input("x", {"1", "4", "5", "5"}).weights("s", {4}).weights("mean", {3});
            m.node("BatchNormalization", "x s s mean s", "y");
        });
    row("element types",
        "SHP02: Add: 'left' is f32[2], 'right' is i64[2]; the element type of 'left' is f32 and "
        "that of 'right' is i64: they must be equal",
        [](M& m) {
            m.input("left", {"2"}).integers("right", {1, 2});
            m.node("Add", "left right", "y");
        });
    row("truths",
        "SHP02: Where: 'mask' is f32[3], 'yes' is f32[3], 'no' is f32[3]; the element type of "
        "'mask' is f32: it must be bool",
        [](M& m) {
            m.input("mask", {"3"}).input("yes", {"3"}).input("no", {"3"});
            m.node("Where", "mask yes no", "y");
        });
    row("reshape", "Reshape: 'x' is f32[2, 3], 't' is i64[2]; f32[2, 3] cannot be viewed as [4, 2]",
        [](M& m) {
            m.input("x", {"2", "3"}).integers("t", {4, 2});
            m.node("Reshape", "x t", "y");
        });
    row("narrow", "dimension 1 of 'x' is 4 and dimension 0 of 'h' is 3: they must be equal",
        [](M& m) {
            m.input("x", {"1", "4", "5"}, proto::TensorProto::FLOAT16);
            m.weights("s", {4}).weights("b", {3});
            auto& node = m.node("Cast", "b", "h");
            M::set(node, "to", proto::TensorProto::FLOAT16);
            M::set(m.node("Cast", "s", "g"), "to", proto::TensorProto::FLOAT16);
            m.node("InstanceNormalization", "x g h", "y");
        });
}

void TestRefusals::namesAreThoseOfTheModel() {
    QFETCH(const QByteArray, bytes);
    QFETCH(const QByteArray, says);
    const auto result = read(bytes.toStdString());
    std::string text = result ? "" : result.diag().text();
    if (result)
        for (const Diag& diag : result->diagnostics)
            text += diag.text() + "\n";
    QVERIFY2(text.find(says.toStdString()) != std::string::npos, text.c_str());
}

void TestRefusals::windowsThatFitNowhere_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("kernel");
    QTest::addColumn<QByteArray>("severity");
    QTest::addColumn<QByteArray>("says");
    const QByteArray of = "a window of %1 does not fit into the 5 elements of axis 2 of 'x'";
    for (const char* type : {"Conv", "MaxPool", "AveragePool"}) {
        const auto row = [&](int kernel, const char* severity, const char* end) {
            QTest::newRow(
                qPrintable(QStringLiteral("%1 %2").arg(QString::fromLatin1(type)).arg(kernel)))
                << QString::fromLatin1(type) << kernel << QByteArray(severity)
                << (*severity == 0
                        ? QByteArray()
                        : QByteArray(of).replace("%1", QByteArray::number(kernel)) + end);
        };
        row(5, "", "");
        row(6, "warning SHP01: ", ": the result is empty");
        row(8, "error SHP01: ", "");
    }
}

void TestRefusals::windowsThatFitNowhere() {
    QFETCH(const QString, type);
    QFETCH(const int, kernel);
    QFETCH(const QByteArray, severity);
    QFETCH(const QByteArray, says);
    ModelBuilder m(17);
    m.input("x", {"1", "1", "5", "9"}).output("y").weights("w", {1, 1, kernel, 1});
    auto& node = m.node(type.toStdString(), type == QStringLiteral("Conv") ? "x w" : "x", "y", "n");
    M::set(node, "kernel_shape", std::vector<std::int64_t>{kernel, 1});
    const auto result = read(m.bytes());
    const std::string text = !result                       ? result.diag().text()
                             : result->diagnostics.empty() ? ""
                                                           : result->diagnostics[0].text();
    QCOMPARE(text.empty(), severity.isEmpty());
    const std::string lead = "node n: " + severity.toStdString() + type.toStdString() + ": ";
    QVERIFY2(text.empty() ||
                 (text.find(lead) != std::string::npos && text.ends_with(says.toStdString())),
             text.c_str());
}

FW_TEST(TestRefusals, QCoreApplication)
#include "test_refusals.moc"
