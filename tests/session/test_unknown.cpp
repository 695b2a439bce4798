// An operator that is not known: what is around it is planned, explained, compiled and timed, only
// the whole cannot run, and what is said about it makes it run. Values of unknown type get one.
#include "base/files.h"
#include "common/test.h"
#include "onnx/model/tensor_file.h"
#include "onnx/model_builder.h"
#include "session/asked.h"

#include <QTemporaryDir>

#include <algorithm>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;
using M = ModelBuilder;

class TestUnknown : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void whatIsAroundItIsPlanned_data();
    void whatIsAroundItIsPlanned();
    void everyStageHasText();
    void itIsExplained();
    void whatIsAroundItIsTimed();
    void givenInputsCount();
    void theWholeIsRefused_data();
    void theWholeIsRefused();
    void followingTheMessageMakesItRun_data();
    void followingTheMessageMakesItRun();
    void causesComeFirst();
    void aTypeMakesTheRestKnown();
    void aTypeMayHaveFreeDimensions();
    void aWrongTypeIsToldOf_data();
    void aWrongTypeIsToldOf();
    void typesOfTextGraphs();
    void inputsWithoutShapeGetOne();
    void filesSayTypesOfInputs();
    void refusedForTheDataThatAreGiven();
    void dataGiveSizesBehindWhatIsUnknown();
    void longChainsOpen();
    void controlFlowIsOpaque();
    void everythingAloneIsMeasured();
    void whatNobodyReadsNeedsNoSize();

private:
    std::string path(const std::string& name) const {
        return (m_folder.path() + QStringLiteral("/")).toStdString() + name;
    }
    Arguments asked(const std::string& model) const {
        Arguments out = on("");
        out.model = path(model);
        out.seconds = 0.02;
        return out;
    }

    QTemporaryDir m_folder;
};

namespace {

// A recurrent classifier: what the LSTM reads and what reads it is known.
const char* const classifier = R"(
graph classifier(words: f32[6, 1, 8]) -> scores {
  scale = const random(1) : f32[8]
  scaled = mul(words, scale)
  bounded = tanh(scaled)
  w = const random(2) : f32[1, 64, 8]
  r = const random(3) : f32[1, 64, 16]
  (states, last) = unknown "" "LSTM"(bounded, w, r) {hidden_size = 16} : f32[6, 1, 1, 16], f32[1, 1, 16] @node("lstm")
  flat = reshape(last) {shape = [1, 16]}
  head = const random(4) : f32[4, 16]
  logits = dense(flat, head)
  scores = softmax(logits)
}
)";

M twisted() { // x -> Tanh -> com.me.Twist -> Relu -> Exp
    M m;
    auto* entry = m.model.add_opset_import();
    entry->set_domain("com.me");
    entry->set_version(1);
    m.input("x", {"4", "8"}).output("y", {"4", "8"});
    m.node("Tanh", "x", "a", "before");
    auto& twist = m.node("Twist", "a", "t", "twist");
    twist.set_domain("com.me");
    M::setReal(twist, "by", 0.5f);
    m.node("Relu", "t", "b", "after");
    m.node("Exp", "b", "y", "last");
    return m;
}

bool tells(const std::vector<std::string>& notices, const std::string& begin,
           const std::string& inside) {
    return std::any_of(notices.begin(), notices.end(), [&](const std::string& one) {
        return one.starts_with(begin) && one.find(inside) != std::string::npos;
    });
}

} // namespace

void TestUnknown::initTestCase() {
    M declared = twisted();
    M::declare(*declared.graph().add_value_info(), "t", {"4", "8"});
    QVERIFY(writeFile(path("typed.onnx"), declared.bytes()).ok());
    QVERIFY(writeFile(path("untyped.onnx"), twisted().bytes()).ok());
    QVERIFY(writeFile(path("classifier.fw"), classifier).ok());
}

void TestUnknown::whatIsAroundItIsPlanned_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("node");
    QTest::addColumn<QString>("why");
    QTest::addColumn<QString>("others");
    QTest::newRow("onnx") << "typed.onnx"
                          << "twist"
                          << "the operator com.me.Twist is not known"
                          << "before after last";
    QTest::newRow("text") << "classifier.fw"
                          << "lstm"
                          << "the operator LSTM is not known"
                          << "mul tanh dense softmax";
}

void TestUnknown::whatIsAroundItIsPlanned() {
    QFETCH(QString, model);
    QFETCH(QString, node);
    QFETCH(QString, why);
    QFETCH(QString, others);
    Asked a;
    const auto plan = a.get<FuseDocument>("fuse", asked(model.toStdString()));
    const GroupRecord& opaque = groupOf(plan, node.toStdString());
    QCOMPARE(opaque.nodes.size(), std::size_t(1));
    QCOMPARE(opaque.implementation.str(), std::string("opaque"));
    QCOMPARE(opaque.source.str(), std::string("only"));
    QVERIFY(opaque.candidates.empty());
    QVERIFY(tells(plan.notices, "OPQ02 " + node.toStdString(), why.toStdString()));
    for (const QString& one : others.split(u' ')) {
        const GroupRecord& group = groupOf(plan, one.toStdString());
        QVERIFY(group.id != opaque.id);
        QVERIFY(group.implementation.str().starts_with("generated"));
        QVERIFY(!group.schedule.str().empty());
    }
    const auto drawn = asked(model.toStdString());
    for (const char* stage : {"fused", "partitioned", "rewritten"}) {
        Arguments arguments = drawn;
        arguments.stage = stage;
        const auto answer = a.ask("graph", arguments);
        QVERIFY2(answer.ok(), answer ? "" : answer.diag().text().c_str());
    }
}

void TestUnknown::everyStageHasText() {
    Asked a;
    for (const char* stage : {"graph", "rewritten", "fused", "partitioned", "tensor", "schedule",
                              "loops", "llvm", "asm"}) {
        Arguments arguments = asked("typed.onnx");
        arguments.stage = stage;
        const auto text = a.get<StagesDocument>("stages", arguments).text;
        QVERIFY2(!text.empty(), stage);
        if (std::string(stage) == "loops")
            QVERIFY2(text.find("# opaque: nothing computes it") != std::string::npos, text.c_str());
        if (std::string(stage) == "partitioned")
            QVERIFY2(text.find("# opaque: 1 region") != std::string::npos, text.c_str());
    }
}

void TestUnknown::itIsExplained() {
    Asked a;
    Arguments arguments = asked("typed.onnx");
    arguments.nodes = {"twist"};
    const auto alone = a.get<ExplainDocument>("explain", arguments);
    QCOMPARE(alone.code, std::string("OPQ02"));
    QCOMPARE(alone.sentence,
             std::string("twist is an opaque group of its own: nothing computes Twist"));
    for (const auto& pair : {std::vector<std::string>{"before", "twist"}, {"twist", "after"}}) {
        arguments.nodes = pair;
        const auto edge = a.get<ExplainDocument>("explain", arguments);
        QCOMPARE(edge.verdict, std::string("no"));
        QCOMPARE(edge.code, std::string("OPQ01"));
        QVERIFY2(edge.sentence.find("Twist is not known") != std::string::npos,
                 edge.sentence.c_str());
    }
}

void TestUnknown::whatIsAroundItIsTimed() {
    Asked a;
    for (const char* model : {"typed.onnx", "classifier.fw"}) {
        const auto plan = a.get<FuseDocument>("fuse", asked(model));
        for (const bool each : {false, true}) {
            Arguments arguments = asked(model);
            arguments.each = each;
            const auto profile = a.get<ProfileDocument>("profile", arguments);
            std::size_t computed = 0;
            for (const GroupRecord& group : plan.groups)
                computed += group.implementation.str().starts_with("generated");
            QCOMPARE(profile.rows.size(), computed);
            QVERIFY(tells(profile.notices, model == std::string("typed.onnx") ? "twist" : "lstm",
                          "made-up values"));
        }
    }
}

void TestUnknown::givenInputsCount() {
    Asked a;
    Arguments arguments = asked("typed.onnx");
    std::vector<float> values(32, 0.5f);
    const auto bytes = std::as_bytes(std::span(values));
    arguments.inputs = {{"x", path("x.npy")}};
    QVERIFY(writeTensorFile(path("x.npy"),
                            {"x", TensorData(DType::F32, {4, 8}, {bytes.begin(), bytes.end()})})
                .ok());
    const auto profile = a.get<ProfileDocument>("profile", arguments);
    QVERIFY(!profile.randomInputs);
}

void TestUnknown::theWholeIsRefused_data() {
    QTest::addColumn<QString>("command");
    for (const char* command : {"run", "bench", "export", "bisect"})
        QTest::newRow(command) << command;
}

void TestUnknown::theWholeIsRefused() {
    QFETCH(QString, command);
    Asked a;
    Arguments arguments = asked("typed.onnx");
    arguments.output = path("module");
    const auto answer = a.ask(command.toStdString(), arguments);
    QVERIFY(!answer.ok());
    QCOMPARE(answer.diag().code, DiagCode::UnknownOperator);
    QCOMPARE(answer.diag().where.node, std::string("twist"));
    QCOMPARE(answer.diag().message, std::string("the operator com.me.Twist is not known"));
    QVERIFY(answer.diag().hint.find("onnx \"com.me\" \"Twist\" {") != std::string::npos);
}

void TestUnknown::followingTheMessageMakesItRun_data() {
    QTest::addColumn<QString>("model");
    QTest::newRow("declared") << "typed.onnx";
    QTest::newRow("nothing declared") << "untyped.onnx";
    QTest::newRow("text") << "plain.fw";
}

void TestUnknown::followingTheMessageMakesItRun() {
    QFETCH(QString, model);
    const std::string text = R"(graph plain(x: f32[4, 8]) -> y {
  a = tanh(x)
  t = unknown "com.me" "Twist"(a) {by = 0.5} : f32[4, 8]
  y = relu(t)
}
)";
    QVERIFY(writeFile(path("plain.fw"), text).ok());
    Asked a;
    Arguments arguments = asked(model.toStdString());
    const auto refused = a.ask("run", arguments);
    QVERIFY(!refused.ok());
    const std::string& hint = refused.diag().hint;
    const std::size_t begin = hint.find(": op ");
    QVERIFY2(begin != std::string::npos, hint.c_str());
    std::string book = hint.substr(begin + 2);
    const auto replace = [&](const std::string& from, const std::string& to) {
        for (std::size_t at = book.find(from); at != std::string::npos; at = book.find(from))
            book.replace(at, from.size(), to);
    };
    replace("y: f32[...]", "y: f32[D1, D2]");
    replace("y[...] = ...", "y[i1, i2] = ...");
    replace("] = ... ", "] = x[i1, i2] * by ");
    arguments.rules = {path("mine.fw")};
    arguments.texts = {{path("mine.fw"), book}};
    if (model == QStringLiteral("plain.fw")) {
        QVERIFY2(hint.find("write twist in place of unknown \"com.me\" \"Twist\"") == 0,
                 hint.c_str());
        std::string named = text;
        named.replace(named.find("unknown \"com.me\" \"Twist\""), 24, "twist ");
        named.replace(named.find(" : f32[4, 8]\n  y"), 12, "");
        QVERIFY(writeFile(path("plain.fw"), named).ok());
    }
    const auto run = a.ask("run", arguments);
    QVERIFY2(run.ok(), run ? "" : (run.diag().text() + "\n" + book).c_str());
}

void TestUnknown::causesComeFirst() {
    Asked a;
    const auto info = a.get<InfoDocument>("info", asked("untyped.onnx"));
    QVERIFY(!info.runnable);
    QCOMPARE(info.untyped, std::vector<std::string>{"t"});
    QCOMPARE(info.diagnostics.size(), std::size_t(3));
    QCOMPARE(info.diagnostics[0].code, DiagCode::UnknownOperator);
    QCOMPARE(info.diagnostics[0].where.node, std::string("twist"));
    for (const std::size_t i : {1, 2}) {
        const Diag& diag = info.diagnostics[i];
        QCOMPARE(diag.code, DiagCode::TypeUnknown);
        QCOMPARE(diag.message, std::string(i == 1 ? "Relu" : "Exp") +
                                   " reads a value of unknown type: nothing infers the type of t: "
                                   "Twist (twist) is not known");
        QVERIFY2(diag.hint.find("--type 't=f32[N, 4]'") == 0, diag.hint.c_str());
    }
    const Diag run = a.ask("run", asked("untyped.onnx")).diag();
    QCOMPARE(run.where.node, std::string("twist"));
    QVERIFY(run.message.find("; 2 other nodes cannot run either") != std::string::npos);
    const auto plan = a.get<FuseDocument>("fuse", asked("untyped.onnx"));
    QVERIFY(tells(plan.notices, "OPQ02 after", "Relu reads a value of unknown type"));
    QVERIFY(groupOf(plan, "before").implementation.str().starts_with("generated"));
    QCOMPARE(a.get<ProfileDocument>("profile", asked("untyped.onnx")).rows.size(), std::size_t(2));
}

void TestUnknown::aTypeMakesTheRestKnown() {
    Asked a;
    Arguments arguments = asked("untyped.onnx");
    arguments.types = {{"t", "f32[4, 8]"}};
    const auto info = a.get<InfoDocument>("info", arguments);
    QCOMPARE(info.diagnostics.size(), std::size_t(1));
    QVERIFY(info.untyped.empty());
    const auto plan = a.get<FuseDocument>("fuse", arguments);
    QCOMPARE(groupOf(plan, "after").id, groupOf(plan, "last").id);
    QVERIFY(groupOf(plan, "after").implementation.str().starts_with("generated"));
    arguments.types = {{"t", "f16[4, 8]"}}; // another answer, not what is kept
    const auto other = a.get<FuseDocument>("fuse", arguments);
    QCOMPARE(groupOf(other, "after").inputs.at(0).type, std::string("f16[4, 8]"));
}

void TestUnknown::aTypeMayHaveFreeDimensions() {
    Asked a;
    Arguments arguments = asked("untyped.onnx");
    arguments.types = {{"t", "f32[Rows, 8]"}};
    QCOMPARE(a.get<ProfileDocument>("profile", arguments).dims.at("Rows"), std::int64_t(1));
    arguments.dims = {{"Rows", 3}};
    const auto profile = a.get<ProfileDocument>("profile", arguments);
    QVERIFY(profile.dims.empty());
    QCOMPARE(profile.rows.size(), std::size_t(2));
}

void TestUnknown::aWrongTypeIsToldOf_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("message");
    QTest::newRow("no text") << ""
                             << "the type given to 't': '' is no type";
    QTest::newRow("no element") << "[4]"
                                << "the type given to 't': '[4]' is no type";
    QTest::newRow("unknown element") << "q7[4]"
                                     << "'q7' is not an element type";
    QTest::newRow("text") << "text[4]"
                          << "nothing computes with text";
    QTest::newRow("negative") << "f32[-4]"
                              << "a dimension is -4";
    QTest::newRow("not closed") << "f32[4"
                                << "'f32[4' is no type";
    QTest::newRow("too large") << "f32[9000000000, 9000000000]"
                               << "more bytes than can be counted";
    QTest::newRow("too many") << QStringLiteral("f32[1") + QStringLiteral(", 1").repeated(64) +
                                     QStringLiteral("]")
                              << "dimensions";
}

void TestUnknown::aWrongTypeIsToldOf() {
    QFETCH(QString, type);
    QFETCH(QString, message);
    Asked a;
    Arguments arguments = asked("untyped.onnx");
    arguments.types = {{"t", type.toStdString()}};
    const auto answer = a.ask("info", arguments);
    QVERIFY(!answer.ok());
    QVERIFY2(answer.diag().message.find(message.toStdString()) != std::string::npos,
             answer.diag().text().c_str());
    QVERIFY(!answer.diag().hint.empty());
    arguments.types = {{"nowhere", "f32[4]"}};
    const auto unnamed = a.ask("info", arguments);
    QVERIFY(!unnamed.ok());
    QCOMPARE(unnamed.diag().message,
             std::string("the model has no value 'nowhere' to give a type"));
    arguments.types = {{"a", "f32[4, 9]"}}; // which is inferred
    const auto other = a.get<InfoDocument>("info", arguments);
    QVERIFY(std::any_of(other.diagnostics.begin(), other.diagnostics.end(), [](const Diag& diag) {
        return diag.message == "--type declares 'a' as f32[4, 9], it is f32[4, 8]";
    }));
}

void TestUnknown::typesOfTextGraphs() {
    Asked a;
    const std::string text = R"(graph g(x: f32[4]) -> y {
  t = unknown "" "Odd"(x) {untyped_outputs = [0]} : f32[4]
  y = relu(t)
}
)";
    QVERIFY(writeFile(path("text.fw"), text).ok());
    Arguments arguments = asked("text.fw");
    QCOMPARE(a.get<InfoDocument>("info", arguments).untyped, std::vector<std::string>{"t"});
    arguments.types = {{"t", "f32[7]"}};
    QVERIFY(a.get<InfoDocument>("info", arguments).untyped.empty());
    const auto plan = a.get<FuseDocument>("fuse", arguments);
    QCOMPARE(groupOf(plan, "relu").inputs.at(0).type, std::string("f32[7]"));
    arguments.types = {{"x", "f32[7]"}};
    const auto answer = a.ask("info", arguments);
    QVERIFY(!answer.ok());
    QCOMPARE(answer.diag().code, DiagCode::UnknownName);
}

void TestUnknown::inputsWithoutShapeGetOne() {
    M m;
    m.input("x", {"4"}).output("y", {"4"});
    m.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
    m.node("Relu", "x", "y", "relu");
    QVERIFY(writeFile(path("shapeless.onnx"), m.bytes()).ok());
    Asked a;
    Arguments arguments = asked("shapeless.onnx");
    const auto refused = a.ask("run", arguments);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.diag().message, std::string("Relu reads a value of unknown type: the model "
                                                 "does not say the shape of its input x"));
    QCOMPARE(refused.diag().hint, std::string("--type 'x=f32[N, 4]' would say what it is, and so "
                                              "do data that are given for it"));
    // Its element type is known.
    const NamedTensor integers{"x", dataFromIntegers(DType::I32, {4}, {1, 2, 3, 4})};
    QVERIFY(writeTensorFile(path("integers.pb"), integers).ok());
    arguments.inputs["x"] = path("integers.pb");
    const auto wrong = a.ask("run", arguments);
    QVERIFY(!wrong.ok());
    QCOMPARE(wrong.diag().message, std::string("input x: elements must be f32, got i32"));
    arguments.inputs.clear();
    arguments.types = {{"x", "f32[4]"}};
    const auto run = a.ask("run", arguments);
    QVERIFY2(run.ok(), run ? "" : run.diag().text().c_str());
}

// What does not touch it is computed; a file gives it its type, and what does not fit is told of
// that type.
void TestUnknown::filesSayTypesOfInputs() {
    M m;
    m.input("x", {"3", "2"}).output("y", {"3", "2"}).output("z");
    m.graph().add_input()->set_name("b");
    m.node("Relu", "x", "y", "relu");
    m.node("MatMul", "x b", "z", "product");
    QVERIFY(writeFile(path("beside.onnx"), m.bytes()).ok());
    Asked a;
    Arguments arguments = asked("beside.onnx");
    const auto info = a.get<InfoDocument>("info", arguments);
    QCOMPARE(info.inputs.size(), std::size_t(2));
    QCOMPARE(info.inputs[1].type, std::string("unknown"));
    QCOMPARE(info.untyped, std::vector<std::string>{"b"});
    const auto made = a.get<RunDocument>("run", arguments);
    QCOMPARE(made.outputs.size(), std::size_t(1));
    QCOMPARE(made.outputs[0].name, std::string("y"));
    QVERIFY(tells(made.notices, "",
                  "the output z is not computed: MatMul reads a value of unknown "
                  "type: the model does not say the type of its input b"));
    const auto give = [&](const std::string& name, std::vector<std::int64_t> extents) {
        const auto count = extents.size() == 2 ? extents[0] * extents[1] : extents[0];
        const std::vector<double> ones(static_cast<std::size_t>(count), 1);
        arguments.inputs[name] = path(name + ".pb");
        return writeTensorFile(path(name + ".pb"),
                               {name, dataFromDoubles(DType::F32, std::move(extents), ones)})
            .ok();
    };
    QVERIFY(give("x", {3, 2}) && give("b", {2, 5}));
    const auto given = a.get<RunDocument>("run", arguments);
    QCOMPARE(given.outputs.size(), std::size_t(2));
    QCOMPARE(given.outputs[1].shape, (std::vector<std::int64_t>{3, 5}));
    QVERIFY(give("b", {3, 5}));
    const auto wrong = a.ask("run", arguments);
    QVERIFY(!wrong.ok());
    QCOMPARE(wrong.diag().where.node, std::string("product"));
    QVERIFY2(wrong.diag().code == DiagCode::ShapeMismatch &&
                 wrong.diag().message.find("'b' is f32[3, 5]") != std::string::npos,
             wrong.diag().text().c_str());
}

// A model that is refused with its sizes free, and with those of the data, is refused for these.
void TestUnknown::refusedForTheDataThatAreGiven() {
    M m;
    m.input("x", {"N", "N"}).input("w", {"K", "4"}).output("y");
    m.node("MatMul", "x w", "p", "product");
    m.node("Det", "p", "y", "det"); // of square matrices: N == 4
    QVERIFY(writeFile(path("square.onnx"), m.bytes()).ok());
    Asked a;
    Arguments arguments = asked("square.onnx");
    for (const auto& [name, rows, columns] : {std::tuple("x", 3, 3), std::tuple("w", 3, 4)}) {
        const std::vector<double> some(static_cast<std::size_t>(rows * columns), 1);
        arguments.inputs[name] = path(std::string(name) + "s.pb");
        QVERIFY(writeTensorFile(arguments.inputs[name],
                                {name, dataFromDoubles(DType::F32, {rows, columns}, some)})
                    .ok());
    }
    const auto refused = a.ask("run", arguments);
    QVERIFY(!refused.ok());
    const std::string told = refused.diag().text();
    QVERIFY2(told.find("node det") != std::string::npos, told.c_str());
    QVERIFY2(told.find("free") == std::string::npos && told.find('3') != std::string::npos,
             told.c_str());
}

void TestUnknown::dataGiveSizesBehindWhatIsUnknown() {
    M m;
    m.input("x", {"N", "4"}, proto::TensorProto::UINT8);
    m.input("w", {}, proto::TensorProto::FLOAT).output("y", {"N", "4"});
    auto* contrib = m.model.add_opset_import();
    contrib->set_domain("com.microsoft");
    contrib->set_version(1);
    m.node("QLinearSoftmax", "x w", "y", "rows").set_domain("com.microsoft");
    m.node("Shape", "y", "s", "shape");
    m.output("s", {"2"}, proto::TensorProto::INT64);
    QVERIFY(writeFile(path("shape.onnx"), m.bytes()).ok());
    Asked a;
    Arguments arguments = asked("shape.onnx");
    const TensorData rows = dataFromDoubles(DType::U8, {5, 4}, std::vector<double>(20, 1));
    for (const auto& [name, data] :
         {std::pair("x", rows), std::pair("w", dataFromDoubles(DType::F32, {}, {1}))}) {
        arguments.inputs[name] = path(std::string(name) + "i.pb");
        QVERIFY(writeTensorFile(arguments.inputs[name], {name, data}).ok());
    }
    const auto ran = a.get<RunDocument>("run", arguments);
    QCOMPARE(ran.outputs.size(), std::size_t{1});
    QCOMPARE(ran.outputs[0].name, std::string("s"));
    QCOMPARE(ran.outputs[0].summary, std::string("5, 4"));
}

void TestUnknown::longChainsOpen() {
    M m;
    m.input("x", {"4"}).output("v20000", {"4"});
    m.node("Odd", "x", "v0", "odd");
    for (int i = 0; i < 20000; ++i)
        m.node("Relu", "v" + std::to_string(i), "v" + std::to_string(i + 1),
               "n" + std::to_string(i));
    QVERIFY(writeFile(path("long.onnx"), m.bytes()).ok());
    Asked a;
    const auto info = a.get<InfoDocument>("info", asked("long.onnx"));
    QCOMPARE(info.untyped, std::vector<std::string>{"v0"});
    QCOMPARE(info.diagnostics.size(), std::size_t(20001));
    QVERIFY(!a.ask("run", asked("long.onnx")).ok());
}

void TestUnknown::controlFlowIsOpaque() {
    Asked a;
    Arguments arguments = on("control-flow/branches_and_loops.onnx");
    arguments.seconds = 0.02;
    const auto plan = a.get<FuseDocument>("fuse", arguments);
    QCOMPARE(groupOf(plan, "Loop_turned").implementation.str(), std::string("opaque"));
    QVERIFY(groupOf(plan, "Relu_start").implementation.str().starts_with("generated"));
    QVERIFY(!a.get<ProfileDocument>("profile", arguments).rows.empty());
}

void TestUnknown::everythingAloneIsMeasured() {
    Asked a;
    Arguments arguments = asked("untyped.onnx");
    arguments.types = {{"t", "f32[Rows, 8]"}};
    arguments.measure = true;
    const auto plan = a.get<FuseDocument>("fuse", arguments);
    QVERIFY(groupOf(plan, "after").aloneUs.has_value());
    QVERIFY(!groupOf(plan, "twist").aloneUs.has_value());
    QVERIFY(a.ask("tune",
                  [&] {
                      Arguments tune = asked("typed.onnx");
                      tune.log = path("log.jsonl");
                      return tune;
                  }())
                .ok());
    const auto verified = a.ask("verify", asked("typed.onnx"));
    QVERIFY2(verified.ok(), verified ? "" : verified.diag().text().c_str());
}

// Of the two results of its LSTM one is read; the other one has dimensions that nobody knows.
void TestUnknown::whatNobodyReadsNeedsNoSize() {
    Arguments arguments = on("");
    arguments.model = FW_SOURCE_DIR "/samples/control-flow/lstm_classifier.onnx";
    arguments.seconds = 0.02;
    Asked a;
    const auto plan = a.get<FuseDocument>("fuse", arguments);
    QVERIFY(plan.groups.size() >= 4);
    const auto profile = a.get<ProfileDocument>("profile", arguments);
    QCOMPARE(profile.rows.size(), std::size_t(3));
    QCOMPARE(profile.dims.size(), std::size_t(2));
    QVERIFY(profile.dims.contains("B") && profile.dims.contains("S"));
}

FW_TEST(TestUnknown, QCoreApplication)
#include "test_unknown.moc"
