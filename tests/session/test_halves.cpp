// f16 and bf16 through the worker: every implementation under fw verify, and results in files.
#include "base/files.h"
#include "common/test.h"
#include "onnx/model/tensor_file.h"
#include "session/asked.h"

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestHalves : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void areComputed_data();
    void areComputed();
    void areFiles();
};

void TestHalves::areComputed_data() {
    QTest::addColumn<QString>("model");
    for (const char* dtype : {"f16", "bf16"})
        for (const char* body :
             {"y = abs(x)", "y = relu(x)", "y = exp(x)", "y = softmax(x)",
              "a = add(x, x)  y = mul(a, x)", "(y, m, s) = layernorm(x, g, b)",
              "y = rms_norm(x, g)", "y = log_softmax(x)", "y = reduce_mean(x) {axes = [1]}",
              "y = reduce_sum(x) {axes = [0]}", "a = dense(x, w)  c = sigmoid(a)  y = softmax(c)",
              "a = add(x, x)  (c, m, s) = layernorm(a, g, b)  y = relu(c)"})
            QTest::addRow("%s %s", dtype, body)
                << QString("graph g(x: %1[3, 40], g: %1[40], b: %1[40], w: %1[5, 40]) -> y { %2 }")
                       .arg(dtype, body);
}

void TestHalves::areComputed() {
    QFETCH(QString, model);
    QTemporaryDir folder;
    Arguments arguments = on("lenet");
    arguments.model = folder.filePath("half.fw").toStdString();
    QVERIFY(writeFile(arguments.model, model.toStdString()).ok());
    for (const char* target : {"x86-64 -libs=", "x86-64 -mcpu=x86-64-v2 -libs="}) {
        arguments.target = target;
        const VerifyDocument document = Asked().get<VerifyDocument>("verify", arguments);
        QCOMPARE(document.models.size(), std::size_t(1));
        const VerifyModel& one = document.models.front();
        QVERIFY(one.agreeing > 0 && one.judged == one.elements);
        QCOMPARE(one.differing + one.notRun, std::int64_t(0));
    }
}

// NumPy has no bf16.
void TestHalves::areFiles() {
    QTemporaryDir folder;
    Arguments arguments = on("lenet");
    arguments.model = folder.filePath("half.fw").toStdString();
    arguments.output = folder.path().toStdString();
    QVERIFY(
        writeFile(arguments.model,
                  "graph g(x: f32[4]) -> y, z { y = cast(x) {to = bf16}  z = cast(x) {to = f16} }")
            .ok());
    const auto ran = Asked().get<RunDocument>("run", arguments);
    QCOMPARE(ran.outputs.size(), std::size_t(2));
    QVERIFY2(ran.outputs[0].file.ends_with("/y.pb"), ran.outputs[0].file.c_str());
    QVERIFY2(ran.outputs[1].file.ends_with("/z.npy"), ran.outputs[1].file.c_str());
    for (const auto& [output, dtype] : {std::pair(0u, DType::BF16), std::pair(1u, DType::F16)}) {
        const auto tensor = readTensorFile(ran.outputs[output].file);
        QVERIFY(tensor.ok());
        QCOMPARE(tensor->data.dtype(), dtype);
        QCOMPARE(tensor->data.count(), std::size_t(4));
    }
}

FW_TEST(TestHalves, QCoreApplication)
#include "test_halves.moc"
