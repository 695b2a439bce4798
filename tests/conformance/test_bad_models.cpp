// Models that are wrong, as the command line tells it: every command ends in time with an exit code
// of its own and a sentence that says what is wrong where, or with an answer. What the importer
// alone refuses is in onnx/test_hostile.
#include "common/slowdown.h"
#include "common/test.h"
#include "fw_process.h"
#include "onnx/model_builder.h"

#include <QApplication>
#include <QFile>
#include <QTemporaryDir>

#include <functional>
#include <limits>
#include <sys/resource.h>

using namespace Qt::StringLiterals;
using fw::conformance::FwAnswer;
using fw::conformance::runFw;
using fw::test::ModelBuilder;

namespace {

constexpr int limit = 20 * fw::test::slowdown; // seconds, until a command counts as hung
using M = ModelBuilder;
using Integers = std::vector<std::int64_t>;
namespace proto = fw::proto;

proto::TensorProto& raw(M& m, const std::string& name, int dtype, const Integers& dims,
                        const std::string& bytes) {
    auto* tensor = m.graph().add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(dtype);
    for (const std::int64_t dim : dims)
        tensor->add_dims(dim);
    tensor->set_raw_data(bytes);
    return *tensor;
}

std::string bytesOf(std::initializer_list<std::int32_t> values) {
    return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(std::int32_t)};
}

proto::FunctionProto& function(M& m, const std::string& name) {
    auto* made = m.model.add_functions();
    made->set_domain("local");
    made->set_name(name);
    made->add_input("x");
    made->add_output("y");
    auto* opset = made->add_opset_import();
    opset->set_domain("");
    opset->set_version(13);
    opset = made->add_opset_import();
    opset->set_domain("local");
    opset->set_version(1);
    return *made;
}

void call(proto::FunctionProto& in, const std::string& name, const std::string& from,
          const std::string& to) {
    auto* node = in.add_node();
    node->set_domain("local");
    node->set_op_type(name);
    node->add_input(from);
    node->add_output(to);
}

M local() {
    M m;
    auto* opset = m.model.add_opset_import();
    opset->set_domain("local");
    opset->set_version(1);
    m.input("x", {"4"}).output("z");
    return m;
}

} // namespace

class TestBadModels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCommandAnswers_data();
    void everyCommandAnswers();
    void externalDataHides_data();
    void externalDataHides();
    void largeFilesAreNotRead();

private:
    QString write(const QByteArray& bytes);

    QTemporaryDir m_folder;
};

QString TestBadModels::write(const QByteArray& bytes) {
    QFile file(m_folder.filePath(u"model.onnx"_s));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("cannot write");
    return file.fileName();
}

// `code` and `says` are those of `run`; what opens is drawn and planned all the same.
void TestBadModels::everyCommandAnswers_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, int code, const char* says,
                        const std::function<void(M&)>& make) {
        M m;
        make(m);
        QTest::newRow(name) << QByteArray::fromStdString(m.bytes()) << code << QByteArray(says);
    };
    // Of an operator whose operand is too large to make: refused before anything is allocated.
    const std::int64_t large = 1LL << 20;
    row("tile bomb", 2, "too large for this machine's memory", [=](M& m) {
        m.input("x", {"1", "1"}).integers("t", {large, large}).output("z");
        m.node("Tile", "x t", "z");
    });
    row("expand bomb", 2, "too large for this machine's memory", [=](M& m) {
        m.input("x", {"1", "1"}).integers("t", {large, large}).output("z");
        m.node("Expand", "x t", "z");
    });
    row("pad bomb", 2, "too large for this machine's memory", [=](M& m) {
        m.input("x", {"1", "1"}).integers("t", {large, large, 0, 0}).output("z");
        m.node("Pad", "x t", "z");
    });
    row("concat bomb", 2, "too large for this machine's memory", [=](M& m) {
        m.input("x", {"1048576", "1048576"}).output("z");
        M::set(m.node("Concat", "x x", "z"), "axis", 0);
    });
    row("slice step 0", 2, "step", [](M& m) {
        m.input("x", {"4"}).integers("b", {0}).integers("e", {4}).integers("a", {0});
        m.integers("s", {0}).output("z");
        m.node("Slice", "x b e a s", "z");
    });
    row("split sums", 2, "sum to 4", [](M& m) {
        m.input("x", {"5"}).integers("p", {2, 2}).output("z").output("w");
        m.node("Split", "x p", "z w");
    });
    row("blocksize 0", 2, "block >= 1", [](M& m) {
        m.input("x", {"1", "4", "2", "2"}).output("z");
        M::set(m.node("DepthToSpace", "x", "z"), "blocksize", 0);
    });
    row("index outside at run time", 0, "", [](M& m) {
        m.input("x", {"4"}).input("i", {"2"}, proto::TensorProto::INT64).output("z");
        raw(m, "by", proto::TensorProto::INT64, {1}, std::string("\x09\0\0\0\0\0\0\0", 8));
        m.node("Add", "i by", "j");
        m.node("Gather", "x j", "z");
    });
    row("integers divided by zero", 0, "", [](M& m) {
        m.output("z", {"2"}, proto::TensorProto::INT32)
            .input("x", {"2"}, proto::TensorProto::INT32);
        raw(m, "a", proto::TensorProto::INT32, {2}, bytesOf({std::numeric_limits<int>::min(), 7}));
        raw(m, "b", proto::TensorProto::INT32, {2}, bytesOf({-1, 0}));
        m.node("Add", "x a", "s");
        m.node("Div", "a b", "q");
        m.node("Div", "s b", "r");
        m.node("Add", "q r", "z");
    });
    row("weights that are no numbers", 0, "", [](M& m) {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        m.input("x", {"3"}).output("z");
        m.weights("w", {3}, {nan, std::numeric_limits<float>::infinity(), 1e-42F});
        m.node("Mul", "x w", "z");
    });
    row("a large number as an integer", 0, "", [](M& m) {
        m.input("x", {"1"}).output("z", {"1"}, proto::TensorProto::INT32);
        m.weights("w", {1}, {1e30F});
        m.node("Add", "x w", "s");
        M::set(m.node("Cast", "s", "z"), "to", proto::TensorProto::INT32);
    });
    row("no nodes", 0, "", [](M& m) { m.input("x", {"3"}).output("x", {"3"}); });
    row("a declared shape that lies", 0, "", [](M& m) {
        m.input("x", {"3"}).output("z", {"77"});
        m.node("Relu", "x", "z");
    });
    row("opset of the future", 0, "", [](M& m) {
        m.model.mutable_opset_import(0)->set_version(9999);
        m.input("x", {"3"}).output("z");
        m.node("Relu", "x", "z");
    });
    row("file version of the future", 0, "", [](M& m) {
        m.model.set_ir_version(1LL << 40);
        m.input("x", {"3"}).output("z");
        m.node("Relu", "x", "z");
    });
    row("names that are markup", 0, "", [](M& m) {
        const std::string name = "<img src=\"/etc/passwd\">\n%s%n\"; \xE2\x80\xAE$(id)";
        m.input("x", {"3"}).output(name);
        auto* node = m.graph().add_node();
        node->set_op_type("Relu");
        node->set_name(name);
        node->add_input("x");
        node->add_output(name);
    });
    row("a name of a megabyte", 0, "", [](M& m) {
        const std::string name(1 << 20, 'n');
        m.input("x", {"3"}).output(name);
        m.node("Relu", "x", name, name);
    });
    row("a node of many operands", 0, "", [](M& m) {
        m.input("x", {"3"}).output("z");
        std::string operands;
        for (int i = 0; i < 20000; ++i)
            operands += "x ";
        m.node("Sum", operands, "z");
    });
    const auto functions = [](const char* name, int code, const char* says,
                              const std::function<void(M&)>& make) {
        M m = local();
        make(m);
        QTest::newRow(name) << QByteArray::fromStdString(m.bytes()) << code << QByteArray(says);
    };
    functions("a function that calls itself", 2, "itself", [](M& m) {
        call(function(m, "f"), "f", "x", "y");
        m.node("f", "x", "z").set_domain("local");
    });
    functions("functions that call each other", 2, "itself", [](M& m) {
        call(function(m, "f"), "g", "x", "y");
        call(function(m, "g"), "f", "x", "y");
        m.node("f", "x", "z").set_domain("local");
    });
    functions("functions that double", 2, "1000000", [](M& m) {
        for (int i = 0; i < 41; ++i) {
            auto& f = function(m, "f" + std::to_string(i));
            if (i == 40) {
                auto* node = f.add_node();
                node->set_op_type("Relu");
                node->add_input("x");
                node->add_output("y");
                break;
            }
            call(f, "f" + std::to_string(i + 1), "x", "m");
            call(f, "f" + std::to_string(i + 1), "m", "y");
        }
        m.node("f0", "x", "z").set_domain("local");
    });
    row("sparse weights", 2, "sparse", [](M& m) {
        m.input("x", {"4"}).output("z");
        auto* sparse = m.graph().add_sparse_initializer();
        sparse->add_dims(4);
        sparse->mutable_values()->set_name("w");
        sparse->mutable_values()->set_data_type(proto::TensorProto::FLOAT);
        sparse->mutable_values()->add_dims(1);
        sparse->mutable_values()->add_float_data(1);
        sparse->mutable_indices()->set_data_type(proto::TensorProto::INT64);
        sparse->mutable_indices()->add_dims(1);
        sparse->mutable_indices()->add_int64_data(9);
        m.node("Add", "x w", "z");
    });
    // A file of another kind, by its first bytes.
    QTest::newRow("TFLite") << QByteArray("\x1c\0\0\0TFL3rest", 12) << 2
                            << QByteArray("TensorFlow Lite");
    QTest::newRow("xz") << QByteArray("\xfd"
                                      "7zXZ\0\0\4rest",
                                      12)
                        << 2 << QByteArray("an xz file");
    QTest::newRow("bzip2") << QByteArray("BZh91AY&SYrest") << 2 << QByteArray("a bzip2 file");
    QTest::newRow("7z") << QByteArray("7z\xbc\xaf\x27\x1c\0\4rest", 12) << 2
                        << QByteArray("a 7z archive");
    QTest::newRow("tar") << QByteArray("model.onnx").leftJustified(257, '\0') + "ustar" +
                                QByteArray(250, '\0')
                         << 2 << QByteArray("a tar archive");
    QTest::newRow("GGUF") << QByteArray("GGUF\3\0\0\0rest", 12) << 2 << QByteArray("a GGUF file");
    QTest::newRow("pickle") << QByteArray("\x80\5\x95rest", 7) << 2
                            << QByteArray("a Python pickle");
    QTest::newRow("safetensors") << QByteArray("\x10\0\0\0\0\0\0\0{\"w\":{\"dtype\":1}}", 25) << 2
                                 << QByteArray("safetensors");
}

void TestBadModels::everyCommandAnswers() {
    QFETCH(QByteArray, bytes);
    QFETCH(int, code);
    QFETCH(QByteArray, says);
    const QString model = write(bytes);
    const QList<QStringList> questions{
        {u"info"_s, model},
        {u"fuse"_s, model, u"-libs="_s},
        {u"draw"_s, model, u"-o"_s, m_folder.filePath(u"graph.svg"_s)},
        {u"run"_s, model, u"-libs="_s},
    };
    for (const QStringList& question : questions) {
        const FwAnswer answer = runFw(question, limit);
        const QByteArray what = question[0].toUtf8() + " ended with " +
                                QByteArray::number(answer.exitCode) + ": " +
                                answer.error.left(2000);
        QVERIFY2(answer.exitCode == 0 || answer.exitCode == 2, what.constData());
        // Each error is said once, with the file.
        if (answer.exitCode == 2)
            QVERIFY2(answer.error.contains("model.onnx"), what.constData());
        if (question[0] != u"run"_s)
            continue;
        QVERIFY2(answer.exitCode == code, what.constData());
        QVERIFY2(answer.error.contains(says), what.constData());
    }
    QFile drawing(m_folder.filePath(u"graph.svg"_s));
    if (drawing.open(QIODevice::ReadOnly)) {
        const QByteArray svg = drawing.readAll();
        QVERIFY(!svg.contains("<img"));
        drawing.remove();
    }
}

void TestBadModels::externalDataHides_data() {
    QTest::addColumn<QByteArray>("bytes");
    const auto outside = [](proto::TensorProto& tensor) {
        tensor.set_name("w");
        tensor.set_data_type(proto::TensorProto::FLOAT);
        tensor.add_dims(4);
        tensor.set_data_location(proto::TensorProto::EXTERNAL);
        auto* entry = tensor.add_external_data();
        entry->set_key("location");
        entry->set_value("../outside.bin");
    };
    const auto constant = [=](proto::NodeProto& node) {
        node.set_op_type("Constant");
        node.add_output("c");
        auto* value = node.add_attribute();
        value->set_name("value");
        value->set_type(proto::AttributeProto::TENSOR);
        outside(*value->mutable_t());
    };
    M attribute;
    attribute.input("x", {"4"}).output("z");
    constant(*attribute.graph().add_node());
    attribute.node("Add", "x c", "z");
    QTest::newRow("an attribute") << QByteArray::fromStdString(attribute.bytes());

    M inFunction = local();
    auto& f = function(inFunction, "f");
    constant(*f.add_node());
    auto* add = f.add_node();
    add->set_op_type("Add");
    add->add_input("x");
    add->add_input("c");
    add->add_output("y");
    inFunction.node("f", "x", "z").set_domain("local");
    QTest::newRow("a function") << QByteArray::fromStdString(inFunction.bytes());

    M branch;
    branch.input("x", {"4"}).input("b", {}, proto::TensorProto::BOOL).output("z");
    auto& choice = branch.node("If", "b", "z");
    for (const char* name : {"then_branch", "else_branch"}) {
        auto* body = choice.add_attribute();
        body->set_name(name);
        body->set_type(proto::AttributeProto::GRAPH);
        body->mutable_g()->set_name(name);
        constant(*body->mutable_g()->add_node());
        M::declare(*body->mutable_g()->add_output(), "c", {"4"});
    }
    QTest::newRow("a branch") << QByteArray::fromStdString(branch.bytes());
}

void TestBadModels::externalDataHides() {
    QFETCH(QByteArray, bytes);
    const FwAnswer answer = runFw({u"info"_s, write(bytes)}, limit);
    QVERIFY2(answer.exitCode == 2, answer.out.constData());
    QVERIFY2(answer.error.contains("leaves the model's folder"), answer.error.constData());
}

void TestBadModels::largeFilesAreNotRead() {
    QFile file(m_folder.filePath(u"model.onnx"_s));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.resize(3LL << 30)); // with a hole for a body
    file.close();
    const FwAnswer answer = runFw({u"info"_s, file.fileName()}, limit);
    rusage ended{}; // of all that were started, and of what they started: the most that one held
    QCOMPARE(::getrusage(RUSAGE_CHILDREN, &ended), 0);
    QVERIFY2(ended.ru_maxrss < (3L << 20) / 2, qPrintable(QString::number(ended.ru_maxrss)));
    QVERIFY2(answer.exitCode == 2 && answer.error.contains("the limit is 2147483647"),
             answer.error.constData());
    QVERIFY(file.remove());
}

FW_TEST(TestBadModels, QApplication)
#include "test_bad_models.moc"
