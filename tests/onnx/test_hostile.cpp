// Files that contradict themselves are refused with the right code and a message that names the
// cause; no byte of a model can crash the importer; external data stays inside the model's folder.
#include "common/test.h"
#include "library/library.h"
#include "onnx/loose_operators.h"
#include "onnx/model_builder.h"
#include "onnx/read/import.h"

#include "base/files.h"
#include "common/thread_time.h"
#include "onnx/small_model.h"

#include <QDir>
#include <QTemporaryDir>

#include <functional>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

using namespace fw;
using namespace fw::test;

namespace {

Result<Imported> readHostile(const std::string& bytes, const ImportOptions& options = {}) {
    return importModelBytes(bytes, standardOperators(), options);
}

ModelBuilder external(const std::string& location, const std::string& offset = {},
                      const std::string& length = {}) {
    ModelBuilder m;
    m.input("x", {"4"}).output("y");
    m.node("Mul", "x w", "y");
    m.externalWeights("w", 4, location, offset, length);
    return m;
}

} // namespace

class TestHostile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void smallModelOpens();
    void contradictions_data();
    void contradictions();
    void cyclesAreNamed();
    void nodesWithoutOutputsAreLeftOut();
    void unsortedNodesAreSorted();
    void weightsListedAsInputsAreWeights();
    void unknownOperatorOpens();
    void whatReadsAnUnknownTypeIsUnknown();
    void freeDimensionsGetNames();
    void dimensionsAreBound();
    void namesStayTextAndUnique();
    void truncationAtEveryByte();
    void flippedBytes();
    void longChainIsFast();
    void deepNestingIsRefused();
    void cancelIsSeen();
    void externalDataIsRead();
    void externalDataIsRefused_data();
    void externalDataIsRefused();
    void committedBrokenFiles();
};

void TestHostile::smallModelOpens() {
    const auto result = readHostile(smallModel().bytes());
    QVERIFY2(result.ok(), outcomeOf(result).c_str());
    QVERIFY(result->diagnostics.empty());
    QCOMPARE(result->info.opset, 13);
    QVERIFY(result->graph->findByName("sum")->op == "bias");
    QVERIFY(result->graph->results().size() == 1 && result->graph->results()[0].name == "y");
    QCOMPARE(result->decisions.size(), 1u);
    QVERIFY(result->decisions[0].code == ReasonCode::NormalForm);
}

void TestHostile::contradictions_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, DiagCode code, const char* says,
                        const std::function<void(ModelBuilder&)>& change) {
        ModelBuilder m = smallModel();
        change(m);
        QTest::newRow(name) << QByteArray::fromStdString(m.bytes()) << static_cast<int>(code)
                            << QByteArray(says);
    };
    using M = ModelBuilder;
    const auto tensor = [](M& m) { return m.graph().mutable_initializer(0); };
    row("no opset", DiagCode::OnnxOpset, "names no opset",
        [](M& m) { m.model.clear_opset_import(); });
    row("opset -1", DiagCode::OnnxOpset, "-1",
        [](M& m) { m.model.mutable_opset_import(0)->set_version(-1); });
    row("two opsets", DiagCode::OnnxMalformed, "two opsets",
        [](M& m) { m.model.add_opset_import()->set_version(12); });
    row("defined twice", DiagCode::OnnxMalformed, "'s' is defined twice",
        [](M& m) { m.node("Relu", "x", "s"); });
    row("initializer twice", DiagCode::OnnxMalformed, "'w' is defined twice",
        [](M& m) { m.weights("w", {1}); });
    row("input twice", DiagCode::OnnxMalformed, "'x' is an input twice",
        [](M& m) { m.input("x", {"2"}); });
    row("input without a name", DiagCode::OnnxMalformed, "input 2 has no name",
        [](M& m) { m.input("", {"2"}); });
    row("dangling operand", DiagCode::OnnxMalformed, "'nowhere'",
        [](M& m) { m.node("Relu", "nowhere", "z"); });
    row("dangling output", DiagCode::OnnxMalformed, "'nothing'", [](M& m) { m.output("nothing"); });
    row("no output", DiagCode::OnnxMalformed, "no outputs", [](M& m) { m.graph().clear_output(); });
    row("missing operand", DiagCode::OperatorArity, "Relu",
        [](M& m) { m.node("Relu", "-", "z"), m.output("z"); });
    row("too many operands", DiagCode::OperatorArity, "at most 1",
        [](M& m) { m.node("Relu", "x x", "z"), m.output("z"); });
    row("huge input", DiagCode::DimOverflow, "'z'", [](M& m) {
        m.input("z", {"2147483648", "2147483648", "4"});
    });
    row("many dims", DiagCode::LimitReached, "65",
        [](M& m) { m.input("z", std::vector<std::string>(65, "1")); });
    row("short weight", DiagCode::OnnxMalformed, "'w' has 7 elements",
        [=](M& m) { tensor(m)->mutable_float_data()->RemoveLast(); });
    row("short raw weight", DiagCode::OnnxMalformed,
        "has 5 bytes of data, its shape and type need 32", [=](M& m) {
            tensor(m)->clear_float_data();
            tensor(m)->set_raw_data("12345");
        });
    row("data twice", DiagCode::OnnxMalformed, "twice",
        [=](M& m) { tensor(m)->set_raw_data(std::string(32, 'x')); });
    row("data in two fields", DiagCode::OnnxMalformed, "twice",
        [=](M& m) { tensor(m)->add_int64_data(1); });
    row("data in the wrong field", DiagCode::OnnxMalformed, "int64_data", [=](M& m) {
        tensor(m)->clear_float_data();
        for (int i = 0; i < 8; ++i)
            tensor(m)->add_int64_data(1);
    });
    row("negative weight", DiagCode::OnnxMalformed, "negative",
        [=](M& m) { tensor(m)->set_dims(0, -1); });
    row("overflowing weight", DiagCode::DimOverflow, "'w'",
        [=](M& m) { tensor(m)->set_dims(0, 1LL << 61), tensor(m)->set_dims(1, 64); });
    row("wrapping weight", DiagCode::DimOverflow, "'w'", [=](M& m) {
        tensor(m)->set_dims(0, 4194305LL * 4194305LL), tensor(m)->set_dims(1, 210000000000000LL);
    });
    row("empty weight of 2^40", DiagCode::OnnxMalformed, "needs 1099511627776", [=](M& m) {
        tensor(m)->clear_float_data();
        tensor(m)->set_dims(0, 1LL << 40), tensor(m)->set_dims(1, 1);
    });
    row("dtype 0", DiagCode::OnnxMalformed, "undefined",
        [=](M& m) { tensor(m)->set_data_type(0); });
    row("dtype 999", DiagCode::OnnxMalformed, "999", [=](M& m) { tensor(m)->set_data_type(999); });
    row("shapes", DiagCode::ShapeMismatch, "node clash", [](M& m) {
        m.input("a", {"2", "3"}).input("b", {"4", "5"}).output("z");
        m.node("Add", "a b", "z", "clash");
    });
    row("reshape", DiagCode::ShapeMismatch, "cannot be viewed", [](M& m) {
        m.input("a", {"2", "3"}).integers("t", {5, -1}).integers("u", {7}).output("z");
        m.node("Reshape", "a u", "z");
    });
    row("reshape twice open", DiagCode::OnnxMalformed, "two dimensions open", [](M& m) {
        m.input("a", {"2", "3"}).integers("t", {-1, -1}).output("z");
        m.node("Reshape", "a t", "z");
    });
    row("bad perm", DiagCode::OnnxMalformed, "axis 0 is named twice", [](M& m) {
        m.input("a", {"2", "3"}).output("z");
        M::set(m.node("Transpose", "a", "z"), "perm", std::vector<std::int64_t>{0, 0});
    });
    row("axis 99", DiagCode::OnnxMalformed, "axis 99", [](M& m) {
        m.input("a", {"2", "3"}).output("z");
        M::set(m.node("Concat", "a a", "z"), "axis", 99);
    });
    row("attribute of another kind", DiagCode::OnnxMalformed, "'axis' is not an integer", [](M& m) {
        m.input("a", {"2", "3"}).output("z");
        M::setText(m.node("Concat", "a a", "z"), "axis", "one");
    });
    row("stride 0", DiagCode::OnnxMalformed, "strides 0", [](M& m) {
        m.input("a", {"1", "1", "4", "4"}).weights("k", {1, 1, 3, 3}).output("z");
        M::set(m.node("Conv", "a k", "z"), "strides", std::vector<std::int64_t>{0, 1});
    });
    row("dilation 2^62", DiagCode::OnnxMalformed, "dilations", [](M& m) {
        m.input("a", {"1", "1", "4", "4"}).weights("k", {1, 1, 3, 3}).output("z");
        M::set(m.node("Conv", "a k", "z"), "dilations", std::vector<std::int64_t>{1LL << 62, 1});
    });
    row("group 0", DiagCode::OnnxMalformed, "group 0", [](M& m) {
        m.input("a", {"1", "1", "4", "4"}).weights("k", {1, 1, 3, 3}).output("z");
        M::set(m.node("Conv", "a k", "z"), "group", 0);
    });
    row("negative pads", DiagCode::OnnxMalformed, "pads -1", [](M& m) {
        m.input("a", {"1", "1", "4", "4"}).weights("k", {1, 1, 3, 3}).output("z");
        M::set(m.node("Conv", "a k", "z"), "pads", std::vector<std::int64_t>{0, 0, -1, 0});
    });
    row("kernel contradicts", DiagCode::OnnxMalformed, "contradicts the weights", [](M& m) {
        m.input("a", {"1", "1", "4", "4"}).weights("k", {1, 1, 3, 3}).output("z");
        M::set(m.node("Conv", "a k", "z"), "kernel_shape", std::vector<std::int64_t>{2, 2});
    });
    row("bomb", DiagCode::LimitReached, "needs 4398046511104 bytes", [](M& m) {
        m.integers("t", {1 << 20, 1 << 20}).output("z");
        m.node("ConstantOfShape", "t", "z");
    });
    row("transposed bomb", DiagCode::DimOverflow, "too large", [](M& m) {
        m.input("a", {"1", "1", "4", "1000000000000"}).weights("k", {1, 1, 3, 3}).output("z");
        auto& node = m.node("ConvTranspose", "a k", "z");
        M::set(node, "strides", std::vector<std::int64_t>{1, 1 << 24});
        M::setText(node, "auto_pad", "SAME_UPPER");
    });
}

void TestHostile::contradictions() {
    QFETCH(QByteArray, bytes);
    QFETCH(int, code);
    QFETCH(QByteArray, says);
    const auto result = readHostile(bytes.toStdString());
    QVERIFY(!result.ok());
    QVERIFY2(static_cast<int>(result.diag().code) == code, outcomeOf(result).c_str());
    QVERIFY2(outcomeOf(result).find(says.constData()) != std::string::npos,
             outcomeOf(result).c_str());
    QCOMPARE(exitCode(result.diag().code), 2);
    QCOMPARE(result.diag().where.file, std::string("model"));
}

void TestHostile::cyclesAreNamed() {
    ModelBuilder m = smallModel();
    m.node("Relu", "b", "a", "first");
    m.node("Relu", "a", "b", "second");
    const auto result = readHostile(m.bytes());
    QVERIFY(!result.ok() && result.diag().code == DiagCode::OnnxCycle);
    QVERIFY2(outcomeOf(result).find("first -> second") != std::string::npos ||
                 outcomeOf(result).find("second -> first") != std::string::npos,
             outcomeOf(result).c_str());
    ModelBuilder self = smallModel();
    self.node("Relu", "c", "c", "self");
    QVERIFY(readHostile(self.bytes()).diag().code == DiagCode::OnnxCycle);
}

void TestHostile::nodesWithoutOutputsAreLeftOut() {
    for (const char* type :
         {"Split", "Identity", "Relu", "Reshape", "Max", "Constant", "ConstantOfShape", "Odd"}) {
        ModelBuilder m = smallModel();
        m.node(type, "x", "", "mute");
        const auto result = readHostile(m.bytes());
        QVERIFY2(result.ok(), outcomeOf(result).c_str());
        QCOMPARE(result->diagnostics.size(), 1u);
        QCOMPARE(result->diagnostics[0].where.node, std::string("mute"));
    }
}

void TestHostile::unsortedNodesAreSorted() {
    ModelBuilder m = smallModel();
    m.graph().mutable_node()->SwapElements(0, 1);
    const auto result = readHostile(m.bytes());
    QVERIFY2(result.ok(), outcomeOf(result).c_str());
    QCOMPARE(result->diagnostics.size(), 1u);
    QVERIFY(result->diagnostics[0].severity == Severity::Note);
    QVERIFY(result->graph->nodes().back()->name == "act");
}

void TestHostile::weightsListedAsInputsAreWeights() {
    ModelBuilder m = smallModel();
    m.model.set_ir_version(3);
    m.input("w", {"1", "8"});
    const auto result = readHostile(m.bytes());
    QVERIFY2(result.ok(), outcomeOf(result).c_str());
    QCOMPARE(result->graph->inputs().size(), 1u);
}

void TestHostile::unknownOperatorOpens() {
    ModelBuilder m;
    m.input("x", {"2", "3"}).output("y", {"2", "5"});
    auto& odd = m.node("Odd", "x", "y", "stranger");
    odd.set_domain("com.example");
    ModelBuilder::set(odd, "level", 3);
    ModelBuilder::setText(odd, "mode", "fast");
    const auto result = readHostile(m.bytes());
    QVERIFY2(result.ok(), outcomeOf(result).c_str());
    QVERIFY(hasErrors(result->diagnostics));
    const Diag& diag = result->diagnostics[0];
    QVERIFY(diag.code == DiagCode::UnknownOperator);
    QCOMPARE(diag.where.node, std::string("stranger"));
    QVERIFY(diag.message.find("com.example.Odd") != std::string::npos);
    QVERIFY(!diag.hint.empty());
    const Node* node = result->graph->findByName("stranger");
    QVERIFY(node && node->op == "unknown");
    QCOMPARE(node->attrs.text("domain", ""), std::string("com.example"));
    QCOMPARE(node->attrs.text("op_type", ""), std::string("Odd"));
    QCOMPARE(node->attrs.text("mode", ""), std::string("fast"));
    QCOMPARE(node->attrs.integer("level", 0), 3);
    QCOMPARE(node->outputs[0].type.text(), std::string("f32[2, 5]"));

    ModelBuilder trained = smallModel();
    trained.output("z");
    ModelBuilder::set(trained.node("DropoutGrad", "x", "z", "later"), "a", 1);
    QVERIFY(hasErrors(readHostile(trained.bytes())->diagnostics));
    // A node that no result needs stops nothing.
    trained.graph().mutable_output()->RemoveLast();
    QVERIFY(!hasErrors(readHostile(trained.bytes())->diagnostics));
}

void TestHostile::whatReadsAnUnknownTypeIsUnknown() {
    ModelBuilder m;
    m.input("x", {"2"}).output("y", {"2"});
    m.node("Odd", "x", "t", "odd");
    m.node("Relu", "t", "y", "after");
    const auto result = readHostile(m.bytes());
    QVERIFY2(result.ok(), outcomeOf(result).c_str());
    QCOMPARE(result->diagnostics.size(), 2u);
    QVERIFY(result->graph->findByName("after")->op == "unknown");
    auto* declared = m.graph().add_value_info();
    ModelBuilder::declare(*declared, "t", {"2"});
    const auto known = readHostile(m.bytes());
    QCOMPARE(known->diagnostics.size(), 1u);
    QVERIFY(known->graph->findByName("after")->op == "relu");
}

void TestHostile::freeDimensionsGetNames() {
    ModelBuilder m;
    m.input("x", {"batch", "", "3"}).input("z", {"2*n", "Batch"}).output("y");
    m.node("Relu", "x", "y");
    const auto result = readHostile(m.bytes());
    QVERIFY2(result.ok(), outcomeOf(result).c_str());
    QCOMPARE(result->graph->node(result->graph->inputs()[0]).outputs[0].type.text(),
             std::string("f32[Batch, X_d1, 3]"));
    QCOMPARE(result->graph->node(result->graph->inputs()[1]).outputs[0].type.text(),
             std::string("f32[D2_n, Batch_1]"));
}

void TestHostile::dimensionsAreBound() {
    ImportOptions options;
    options.dims = {{"N", 5}};
    const auto result = readHostile(smallModel().bytes(), options);
    QCOMPARE(result->graph->node(result->graph->inputs()[0]).outputs[0].type.text(),
             std::string("f32[5, 8]"));
    QVERIFY(result->graph->freeDims().empty());
    options.dims = {{"N", -5}};
    QVERIFY(readHostile(smallModel().bytes(), options).diag().code == DiagCode::InputMismatch);
    options.dims = {{"M", 5}};
    const auto typo = readHostile(smallModel().bytes(), options);
    QVERIFY(!typo.ok());
    QVERIFY(typo.diag().code == DiagCode::UnknownName);
}

void TestHostile::namesStayTextAndUnique() {
    ModelBuilder m;
    m.input("<img/src=x>", {"2"}).output("y\n\x01");
    m.node("Relu", "<img/src=x>", "same", "same");
    m.node("Relu", "same", "\xff\xfe", "%s%n");
    m.node("Relu", "\xff\xfe", "y\n\x01", "%s%n");
    const auto result = readHostile(m.bytes());
    QVERIFY2(result.ok(), outcomeOf(result).c_str());
    QVERIFY(result->graph->findByName("<img/src=x>"));
    QVERIFY(result->graph->findByName("same_Relu"));
    QCOMPARE(result->graph->findByName("same")->name, std::string("same_Relu"));
    QVERIFY(result->graph->findByName("%s%n_1"));
    QCOMPARE(result->graph->results()[0].name, std::string("y\xef\xbf\xbd\xef\xbf\xbd"));
}

void TestHostile::truncationAtEveryByte() {
    const std::string whole = smallModel().bytes();
    int named = 0;
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const auto result = readHostile(whole.substr(0, length));
        if (!result.ok())
            named += result.diag().message.find("cut short at byte " + std::to_string(length)) !=
                     std::string::npos;
    }
    QVERIFY2(named > static_cast<int>(whole.size()) / 2, std::to_string(named).c_str());
    const auto half = readHostile(whole.substr(0, whole.size() / 2));
    QVERIFY2(outcomeOf(half).find("inside graph") != std::string::npos, outcomeOf(half).c_str());
}

void TestHostile::flippedBytes() {
    ModelBuilder m = smallModel();
    m.integers("t", {0, 2, -1}).output("z");
    m.node("Shape", "x", "sh");
    m.node("Gather", "sh zero", "g");
    m.integers("zero", {0}, true);
    m.node("Reshape", "x t", "z");
    m.weights("k", {1, 1, 3, 3}).input("a", {"1", "1", "N", "9"});
    ModelBuilder::set(m.node("Conv", "a k", "c"), "strides", std::vector<std::int64_t>{2, 2});
    const std::string whole = m.bytes();
    std::mt19937 random(7); // NOLINT: a fixed seed on purpose
    int opened = 0;
    for (int round = 0; round < 10000; ++round) {
        std::string bytes = whole;
        for (unsigned flips = 1 + random() % 3; flips > 0; --flips)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        opened += readHostile(bytes).ok();
    }
    QVERIFY(opened > 0);
}

void TestHostile::longChainIsFast() {
    ModelBuilder m;
    m.input("x", {"2"}).output("v20000", {"2"});
    for (int i = 0; i < 20000; ++i)
        m.node("Relu", i == 0 ? "x" : "v" + std::to_string(i), "v" + std::to_string(i + 1));
    const double begin = fw::test::threadSeconds();
    const auto result = readHostile(m.bytes());
    QVERIFY2(result.ok(), outcomeOf(result).c_str());
    QVERIFY(fw::test::threadSeconds() - begin < 10);

    ModelBuilder shapes; // a chain of shape arithmetic does not become recursion
    shapes.input("x", {"N"}).integers("one", {1}).output("v20000", {}, proto::TensorProto::INT64);
    shapes.node("Shape", "x", "v0");
    for (int i = 0; i < 20000; ++i)
        shapes.node("Add", "v" + std::to_string(i) + " one", "v" + std::to_string(i + 1));
    QVERIFY(readHostile(shapes.bytes()).ok());

    OnnxLimits few;
    few.nodes = 10;
    ImportOptions options;
    options.limits = few;
    QVERIFY(readHostile(m.bytes(), options).diag().code == DiagCode::LimitReached);
    options.limits = {};
    options.limits.fileBytes = 100;
    QVERIFY(readHostile(m.bytes(), options).diag().code == DiagCode::FileTooLarge);
}

void TestHostile::deepNestingIsRefused() {
    ModelBuilder m = smallModel();
    proto::GraphProto* graph = &m.graph();
    for (int depth = 0; depth < 200; ++depth) {
        auto* node = graph->add_node();
        node->set_op_type("If");
        node->add_output("deep" + std::to_string(depth));
        auto* attribute = node->add_attribute();
        attribute->set_name("then_branch");
        attribute->set_type(proto::AttributeProto::GRAPH);
        graph = attribute->mutable_g();
    }
    const auto result = readHostile(m.bytes());
    QVERIFY2(!result.ok() && result.diag().code == DiagCode::NotOnnx, outcomeOf(result).c_str());
}

void TestHostile::cancelIsSeen() {
    CancelToken cancel;
    cancel.cancel();
    const auto result = importModelBytes(smallModel().bytes(), looseOperators(), {}, cancel);
    QVERIFY(!result.ok() && result.diag().code == DiagCode::Cancelled);
}

void TestHostile::externalDataIsRead() {
    QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("sub")));
    const float values[] = {9, 1, 2, 3, 4};
    const std::string bytes(reinterpret_cast<const char*>(values), sizeof values);
    QVERIFY(writeFile(folder.filePath(QStringLiteral("sub/w.bin")).toStdString(), bytes).ok());
    const std::string path = folder.filePath(QStringLiteral("m.onnx")).toStdString();
    QVERIFY(writeFile(path, external("sub/w.bin", "4", "16").bytes()).ok());
    const auto result = importModel(path, looseOperators());
    QVERIFY2(result.ok(), outcomeOf(result).c_str());
    const Node* w = result->graph->findByName("w");
    QVERIFY(w && w->data && w->data->toDoubles() == (std::vector<double>{1, 2, 3, 4}));
}

void TestHostile::externalDataIsRefused_data() {
    QTest::addColumn<QByteArray>("location");
    QTest::addColumn<QByteArray>("offset");
    QTest::addColumn<QByteArray>("length");
    const auto row = [](const char* name, const char* location, const char* offset = "",
                        const char* length = "") {
        QTest::newRow(name) << QByteArray(location) << QByteArray(offset) << QByteArray(length);
    };
    row("missing", "absent.bin");
    row("nothing", "");
    row("dot", ".");
    row("parent", "../secret.bin");
    row("parent inside", "sub/../../secret.bin");
    row("parent that stays", "sub/../w.bin");
    row("absolute", "/etc/passwd");
    row("drive", "C:/w.bin");
    row("backslash", "sub\\w.bin");
    row("symlink", "link.bin");
    row("symlinked folder", "linked/w.bin");
    row("hard link", "hard.bin");
    row("folder", "sub");
    row("pipe", "pipe");
    row("below a file", "w.bin/x");
    row("too short", "w.bin", "8");
    row("past the end", "w.bin", "9223372036854775807");
    row("negative", "w.bin", "-1");
    row("text offset", "w.bin", "zero");
    row("Git LFS pointer", "pointer.bin");
    row("length differs", "w.bin", "0", "12");
    row("length 2^60", "w.bin", "0", "1152921504606846976");
}

void TestHostile::externalDataIsRefused() {
    QFETCH(QByteArray, location);
    QFETCH(QByteArray, offset);
    QFETCH(QByteArray, length);
    QTemporaryDir outer;
    const std::string root = outer.path().toStdString() + "/model";
    QVERIFY(QDir(outer.path()).mkpath(QStringLiteral("model/sub")));
    QVERIFY(QDir(outer.path()).mkpath(QStringLiteral("elsewhere")));
    const std::string secret(16, 's');
    QVERIFY(writeFile(outer.path().toStdString() + "/secret.bin", secret).ok());
    QVERIFY(writeFile(outer.path().toStdString() + "/elsewhere/w.bin", secret).ok());
    QVERIFY(writeFile(root + "/w.bin", secret).ok());
    const std::string pointer =
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 16\n";
    QVERIFY(writeFile(root + "/pointer.bin", pointer).ok());
    QCOMPARE(::symlink("../secret.bin", (root + "/link.bin").c_str()), 0);
    QCOMPARE(::symlink("../elsewhere", (root + "/linked").c_str()), 0);
    QCOMPARE(::link((root + "/../secret.bin").c_str(), (root + "/hard.bin").c_str()), 0);
    QCOMPARE(::mkfifo((root + "/pipe").c_str(), 0600), 0);
    const std::string path = root + "/m.onnx";
    QVERIFY(
        writeFile(
            path,
            external(location.toStdString(), offset.toStdString(), length.toStdString()).bytes())
            .ok());
    const auto result = importModel(path, looseOperators());
    QVERIFY(!result.ok());
    QVERIFY2(result.diag().code == DiagCode::ExternalData, outcomeOf(result).c_str());
    QVERIFY2(outcomeOf(result).find("initializer 'w'") != std::string::npos,
             outcomeOf(result).c_str());
    QCOMPARE(outcomeOf(result).find("is a Git LFS pointer") != std::string::npos,
             location == "pointer.bin");
    // The same bytes without a folder may not reach any file.
    const auto nowhere = importModelBytes(external("w.bin").bytes(), looseOperators());
    QVERIFY(!nowhere.ok() && nowhere.diag().code == DiagCode::ExternalData);
}

void TestHostile::committedBrokenFiles() {
    const QDir folder(QStringLiteral(FW_SOURCE_DIR "/samples/broken"));
    const QStringList files = folder.entryList({QStringLiteral("*.onnx")});
    QVERIFY(!files.isEmpty());
    for (const QString& file : files) {
        const auto result = importModel(folder.filePath(file).toStdString(), standardOperators());
        if (file == QStringLiteral("unknown_op.onnx"))
            QVERIFY(result.ok() && hasErrors(result->diagnostics));
        else
            QVERIFY2(!result.ok() && exitCode(result.diag().code) == 2, qPrintable(file));
    }
}

FW_TEST(TestHostile, QCoreApplication)
#include "test_hostile.moc"
