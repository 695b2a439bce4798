// Initializers that are inputs: constants unless they are given, by --input, by the data of a
// folder or, for a module, by their type.
#include "base/files.h"
#include "common/test.h"
#include "onnx/model/default_inputs.h"
#include "onnx/model/given_value.h"
#include "onnx/model/tensor_file.h"
#include "onnx/model_builder.h"
#include "session/asked.h"

#include <QTemporaryDir>

#include <filesystem>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;
using M = ModelBuilder;

class TestGivenDefaults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void namesOfDefaults_data();
    void namesOfDefaults();
    void notGivenIsConstant();
    void byInput();
    void byFolder();
    void byTypeForAModule();
    void anotherShape();
    void olderModelsHaveNone();
    void ofAnotherType_data();
    void ofAnotherType();
    void ofAnotherTypeInAFolder();
    void aTypeForAWeight();
    void declaredAsAnotherType();

private:
    std::string path(const std::string& name) const {
        return (m_folder.path() + QStringLiteral("/")).toStdString() + name;
    }
    // y = x * w + b, where w and b lie in the file.
    static M model(std::int64_t ir) {
        M m(13, ir);
        m.input("x", {"2", "3"}).input("w", {"3"});
        m.weights("w", {3}, {1, 2, 3}).weights("b", {3}, {10, 20, 30});
        if (ir < firstIrWithDefaults)
            m.input("b", {"3"});
        m.node("Mul", "x w", "m");
        m.node("Add", "m b", "y");
        m.output("y", {"2", "3"});
        return m;
    }
    std::string tensor(const std::string& file, const std::string& name,
                       std::vector<std::int64_t> extents, const std::vector<double>& values) {
        const NamedTensor out{name, dataFromDoubles(DType::F32, std::move(extents), values)};
        return writeTensorFile(path(file), out).ok() ? path(file) : std::string();
    }
    Arguments asked(const std::string& name) const {
        Arguments out = on("");
        out.model = path(name);
        return out;
    }
    // The elements of y; empty, and `error`, if it does not run.
    std::vector<double> run(Arguments arguments, std::string* error = nullptr) {
        arguments.output = path("results");
        const auto answer = m_asked.ask("run", arguments);
        if (!answer) {
            if (error != nullptr)
                *error = answer.diag().text();
            return {};
        }
        const auto document = fromJson<RunDocument>(*answer).value();
        return readTensorFile(document.outputs.at(0).file).value().data.toDoubles();
    }

    QTemporaryDir m_folder;
    Asked m_asked;
};

void TestGivenDefaults::initTestCase() {
    QVERIFY(writeFile(path("net.onnx"), model(8).bytes()).ok());
    QVERIFY(writeFile(path("old.onnx"), model(3).bytes()).ok());
}

void TestGivenDefaults::namesOfDefaults_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("count");
    const QByteArray whole = QByteArray::fromStdString(model(8).bytes());
    QTest::newRow("one of two") << whole << 1;
    QTest::newRow("an older version") << QByteArray::fromStdString(model(3).bytes()) << 0;
    QTest::newRow("nothing") << QByteArray() << 0;
    QTest::newRow("a text") << QByteArray("graph g(x: f32[2]) -> y { y = relu(x) }") << 0;
    QTest::newRow("a field of the largest length")
        << QByteArray::fromHex("08083affffffff0f2a03") << 0;
    for (qsizetype cut = 1; cut < whole.size(); cut += 7) // no more than a whole one has
        QTest::addRow("cut to %d bytes", int(cut)) << whole.left(cut) << -1;
}

void TestGivenDefaults::namesOfDefaults() {
    QFETCH(QByteArray, bytes);
    QFETCH(int, count);
    const auto found = defaultInputsOf(bytes.toStdString());
    QVERIFY(count < 0 ? found.size() <= 1 : found.size() == static_cast<std::size_t>(count));
    QVERIFY(found.empty() || found.begin()->first == "w");
}

void TestGivenDefaults::notGivenIsConstant() {
    Arguments arguments = asked("net.onnx");
    arguments.inputs["x"] = tensor("x.pb", "x", {2, 3}, {1, 1, 1, 2, 2, 2});
    QCOMPARE(run(arguments), (std::vector<double>{11, 22, 33, 12, 24, 36}));
    const auto info = m_asked.get<InfoDocument>("info", asked("net.onnx"));
    QCOMPARE(info.inputs.size(), std::size_t{1});
}

void TestGivenDefaults::byInput() {
    Arguments arguments = asked("net.onnx");
    arguments.inputs["x"] = tensor("x.pb", "x", {2, 3}, {1, 1, 1, 2, 2, 2});
    arguments.inputs["w"] = tensor("w.pb", "w", {3}, {5, 6, 7});
    QCOMPARE(run(arguments), (std::vector<double>{15, 26, 37, 20, 32, 44}));
    // As before when it is given no more.
    arguments.inputs.erase("w");
    QCOMPARE(run(arguments), (std::vector<double>{11, 22, 33, 12, 24, 36}));
    // What is no input cannot be given.
    arguments.inputs["b"] = tensor("b.pb", "b", {3}, {0, 0, 0});
    std::string error;
    QVERIFY(run(arguments, &error).empty());
    QVERIFY2(error.find("b is a weight of the model, no input of it (its inputs are x)") !=
                 std::string::npos,
             error.c_str());
}

void TestGivenDefaults::byFolder() {
    const std::string set = path("case/test_data_set_0");
    std::filesystem::create_directories(set);
    QVERIFY(writeFile(path("case/model.onnx"), model(8).bytes()).ok());
    QVERIFY(!tensor("case/test_data_set_0/input_0.pb", "x", {2, 3}, {1, 1, 1, 2, 2, 2}).empty());
    QVERIFY(!tensor("case/test_data_set_0/input_1.pb", "w", {3}, {5, 6, 7}).empty());
    QVERIFY(
        !tensor("case/test_data_set_0/output_0.pb", "y", {2, 3}, {15, 26, 37, 20, 32, 44}).empty());
    Arguments arguments = on("");
    arguments.model = path("case");
    arguments.folders = {path("case")};
    const auto tested = m_asked.get<TestDocument>("test", arguments);
    QCOMPARE(tested.cases.size(), std::size_t{1});
    QVERIFY2(tested.cases[0].verdict == "passed", tested.cases[0].reason.c_str());
    QCOMPARE(run(asked("case")), (std::vector<double>{15, 26, 37, 20, 32, 44}));
    // Without it the same folder is one of the default.
    std::filesystem::remove(path("case/test_data_set_0/input_1.pb"));
    arguments.expect = false;
    QCOMPARE(run(arguments), (std::vector<double>{11, 22, 33, 12, 24, 36}));
}

void TestGivenDefaults::byTypeForAModule() {
    Arguments arguments = asked("net.onnx");
    arguments.types["w"] = "f32[3]";
    const auto info = m_asked.get<InfoDocument>("info", arguments);
    QCOMPARE(info.inputs.size(), std::size_t{2});
    QCOMPARE(info.inputs[1].name, std::string("w"));
    arguments.output = path("module");
    const auto made = m_asked.ask("export", arguments);
    QVERIFY2(made.ok(), made.ok() ? "" : made.diag().text().c_str());
}

// What is computed of it is of the shape that is given: nothing of the default is left.
void TestGivenDefaults::anotherShape() {
    M m;
    m.input("x", {"6"}).input("s", {"R"}, proto::TensorProto::INT64).integers("s", {2, 3});
    m.node("Reshape", "x s", "y");
    m.output("y");
    QVERIFY(writeFile(path("shape.onnx"), m.bytes()).ok());
    Arguments arguments = asked("shape.onnx");
    arguments.inputs["x"] = tensor("six.pb", "x", {6}, {1, 2, 3, 4, 5, 6});
    const NamedTensor target{"s", dataFromIntegers(DType::I64, {3}, {3, 1, -1})};
    QVERIFY(writeTensorFile(path("s.pb"), target).ok());
    arguments.inputs["s"] = path("s.pb");
    arguments.output = path("results");
    const auto document = m_asked.get<RunDocument>("run", arguments);
    QCOMPARE(document.outputs.at(0).shape, (std::vector<std::int64_t>{3, 1, 2}));
}

// They had to list every initializer.
void TestGivenDefaults::olderModelsHaveNone() {
    Arguments arguments = asked("old.onnx");
    arguments.inputs["x"] = tensor("x.pb", "x", {2, 3}, {1, 1, 1, 2, 2, 2});
    QCOMPARE(run(arguments), (std::vector<double>{11, 22, 33, 12, 24, 36}));
    arguments.inputs["w"] = tensor("w.pb", "w", {3}, {5, 6, 7});
    std::string error;
    QVERIFY(run(arguments, &error).empty());
    const std::string why = "w is a weight of the model, which cannot be given: before IR version "
                            "4 weights are listed among the inputs";
    QVERIFY2(error.find(why) != std::string::npos, error.c_str());
    // Nor is a value taken in its place.
    arguments.inputs.erase("w");
    arguments.types["w"] = asGivenValue("[5, 6, 7]");
    QVERIFY(run(arguments, &error).empty());
    QVERIFY2(error.find(why) != std::string::npos, error.c_str());
}

// What broadcasts, or could be computed with another element type, is not what the model takes.
void TestGivenDefaults::ofAnotherType_data() {
    QTest::addColumn<int>("dtype");
    QTest::addColumn<QString>("shape");
    QTest::addColumn<QString>("got");
    QTest::newRow("one") << static_cast<int>(DType::F32) << "1"
                         << "f32[1]";
    QTest::newRow("too long") << static_cast<int>(DType::F32) << "4"
                              << "f32[4]";
    QTest::newRow("another rank") << static_cast<int>(DType::F32) << "1,3"
                                  << "f32[1, 3]";
    QTest::newRow("integers") << static_cast<int>(DType::I32) << "3"
                              << "i32[3]";
    QTest::newRow("f64") << static_cast<int>(DType::F64) << "3"
                         << "f64[3]";
}

void TestGivenDefaults::ofAnotherType() {
    QFETCH(int, dtype);
    QFETCH(QString, shape);
    QFETCH(QString, got);
    std::vector<std::int64_t> extents;
    std::int64_t count = 1;
    for (const QString& extent : shape.split(u',')) {
        extents.push_back(extent.toLongLong());
        count *= extents.back();
    }
    const auto type = static_cast<DType>(dtype);
    const TensorData data =
        isFloat(type)
            ? dataFromDoubles(type, extents, std::vector<double>(std::size_t(count), 5))
            : dataFromIntegers(type, extents, std::vector<std::int64_t>(std::size_t(count), 5));
    Arguments arguments = asked("net.onnx");
    arguments.inputs["x"] = tensor("x.pb", "x", {2, 3}, {1, 1, 1, 2, 2, 2});
    arguments.inputs["w"] = path("other.pb");
    QVERIFY(writeTensorFile(path("other.pb"), {"w", data}).ok());
    std::string error;
    QVERIFY(run(arguments, &error).empty());
    const std::string why = "input w must be f32[3], got " + got.toStdString();
    QVERIFY2(error.find(why) != std::string::npos, error.c_str());
}

void TestGivenDefaults::ofAnotherTypeInAFolder() {
    std::filesystem::create_directories(path("wrong/test_data_set_0"));
    QVERIFY(writeFile(path("wrong/model.onnx"), model(8).bytes()).ok());
    QVERIFY(!tensor("wrong/test_data_set_0/input_0.pb", "x", {2, 3}, {1, 1, 1, 2, 2, 2}).empty());
    QVERIFY(!tensor("wrong/test_data_set_0/input_1.pb", "w", {4}, {5, 6, 7, 8}).empty());
    std::string error;
    QVERIFY(run(asked("wrong"), &error).empty());
    QVERIFY2(error.find("2 tensors are given, 1 are needed: input w must be f32[3], got f32[4]") !=
                 std::string::npos,
             error.c_str());
}

void TestGivenDefaults::aTypeForAWeight() {
    Arguments arguments = asked("net.onnx");
    arguments.types["b"] = "f32[3]";
    const auto info = m_asked.ask("info", arguments);
    QVERIFY(!info.ok());
    QVERIFY2(info.diag().text().find("b is a weight of the model, no input of it") !=
                 std::string::npos,
             info.diag().text().c_str());
}

// The value decides; who wrote the model is told.
void TestGivenDefaults::declaredAsAnotherType() {
    M m = model(8);
    for (auto& input : *m.graph().mutable_input())
        if (input.name() == "w")
            input.mutable_type()
                ->mutable_tensor_type()
                ->mutable_shape()
                ->mutable_dim(0)
                ->set_dim_value(4);
    QVERIFY(writeFile(path("other.onnx"), m.bytes()).ok());
    const auto info = m_asked.get<InfoDocument>("info", asked("other.onnx"));
    QCOMPARE(info.diagnostics.size(), std::size_t{1});
    QCOMPARE(
        info.diagnostics[0].message,
        std::string("the model declares its input 'w' as f32[4], the value that it gives it is "
                    "f32[3]"));
    QVERIFY(info.runnable);
}

FW_TEST(TestGivenDefaults, QCoreApplication)
#include "test_given_defaults.moc"
