// Files with text, sequences and other values that nothing here computes with: every command opens
// them, and what does not depend on such a value, or on an operator that nobody knows, is computed.
#include "base/files.h"
#include "common/test.h"
#include "onnx/model/tensor_file.h"
#include "onnx/model_builder.h"
#include "session/asked.h"

#include <QDir>
#include <QTemporaryDir>

#include <algorithm>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;
using M = ModelBuilder;

namespace {

// s (text) -> my.Tokenize -> ids -> Gather of weights -> g; x -> Relu -> Neg -> y
M tokenizing() {
    M m(17);
    m.model.add_opset_import()->set_domain("my");
    m.model.mutable_opset_import(1)->set_version(1);
    m.input("s", {"1"}, proto::TensorProto::STRING);
    m.input("x", {"2", "3"}).output("y", {"2", "3"}).output("g");
    m.weights("e", {5, 3});
    m.node("Tokenize", "s", "ids", "tokenize").set_domain("my");
    m.node("Gather", "e ids", "g", "gather");
    m.node("Relu", "x", "a", "relu");
    m.node("Neg", "a", "y", "neg");
    return m;
}

M zipping() { // x -> Relu -> y -> ZipMap -> z
    M m(17);
    m.model.add_opset_import()->set_domain("ai.onnx.ml");
    m.model.mutable_opset_import(1)->set_version(1);
    m.input("x", {"2", "3"}).output("y", {"2", "3"});
    m.node("Relu", "x", "y", "relu");
    auto& zip = m.node("ZipMap", "y", "z", "zip");
    zip.set_domain("ai.onnx.ml");
    M::set(zip, "classlabels_int64s", std::vector<std::int64_t>{0, 1, 2});
    auto& z = *m.graph().add_output();
    z.set_name("z");
    auto& map = *z.mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_map_type();
    map.set_key_type(proto::TensorProto::INT64);
    map.mutable_value_type()->mutable_tensor_type()->set_elem_type(proto::TensorProto::FLOAT);
    return m;
}

M unread() { // text and a sequence that nobody reads, int4 weights and a constant as well
    M m(21, 10);
    m.input("s", {"N"}, proto::TensorProto::STRING).input("x", {"2", "3"});
    auto& q = *m.graph().add_input();
    q.set_name("q");
    q.mutable_type()
        ->mutable_sequence_type()
        ->mutable_elem_type()
        ->mutable_tensor_type()
        ->set_elem_type(proto::TensorProto::FLOAT);
    m.output("y", {"2", "3"});
    auto& w = *m.graph().add_initializer();
    w.set_name("w");
    w.set_data_type(22);
    w.add_dims(3);
    w.set_raw_data("ab");
    auto& value = *m.node("Constant", "", "t").add_attribute();
    value.set_name("value_string");
    value.set_type(proto::AttributeProto::STRING);
    value.set_s("unread");
    m.node("Relu", "x", "y", "relu");
    return m;
}

const std::vector<double> given{1, -2, 3, -4, 5, -6};
const std::vector<double> relu{1, 0, 3, 0, 5, 0};
const std::vector<double> negated{-1, 0, -3, 0, -5, 0};

std::string textProto(const std::string& name) {
    proto::TensorProto out;
    out.set_name(name);
    out.set_data_type(proto::TensorProto::STRING);
    out.add_dims(1);
    out.add_string_data("a text");
    return out.SerializeAsString();
}

bool tells(const std::vector<std::string>& notices, const std::string& part) {
    return std::any_of(notices.begin(), notices.end(),
                       [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

} // namespace

class TestForeign : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyCommandAnswers_data();
    void everyCommandAnswers();
    void infoSaysWhatTheyAre();
    void theyAreDrawnAsInputs();
    void whatDependsOnNoneRuns();
    void dataSetsAreCompared_data();
    void dataSetsAreCompared();
    void aWrongResultFails();
    void ofTwoChainsOneRuns();
    void nothingLeftIsRefused();
    void modulesHaveWhatIsComputed();
    void theyCannotBeGiven();
    void aTypeMakesItAnInput();
    void sizesBehindUnknownOnesAreLeftOut();

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
    void folder(const std::string& name, const M& model, const std::vector<std::string>& inputs,
                const std::vector<double>& y, const std::vector<std::string>& outputs) const {
        const std::string set = path(name) + "/test_data_set_0/";
        QVERIFY(QDir().mkpath(QString::fromStdString(set)));
        QVERIFY(writeFile(path(name) + "/model.onnx", model.bytes()).ok());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const std::string file = set + "input_" + std::to_string(i) + ".pb";
            if (inputs[i] == "x")
                QVERIFY(
                    writeTensorFile(file, {"x", dataFromDoubles(DType::F32, {2, 3}, given)}).ok());
            else
                QVERIFY(writeFile(file, textProto(inputs[i])).ok());
        }
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const std::string file = set + "output_" + std::to_string(i) + ".pb";
            if (outputs[i] == "y")
                QVERIFY(writeTensorFile(file, {"y", dataFromDoubles(DType::F32, {2, 3}, y)}).ok());
            else if (outputs[i] == "g")
                QVERIFY(writeTensorFile(file, {"g", dataFromDoubles(DType::F32, {1}, {0})}).ok());
            else
                QVERIFY(writeFile(file, "\x0a\x01z no tensor").ok());
        }
    }

    QTemporaryDir m_folder;
};

void TestForeign::initTestCase() {
    folder("tokenizing", tokenizing(), {"s", "x"}, negated, {"y", "g"});
    folder("zipping", zipping(), {"x"}, relu, {"y"});
    folder("zipping-all", zipping(), {"x"}, relu, {"y", "z"});
    folder("unread", unread(), {"s", "x", "q"}, relu, {"y"});
    folder("wrong", tokenizing(), {"s", "x"}, relu, {"y", "g"});
}

void TestForeign::everyCommandAnswers_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("command");
    for (const char* model : {"tokenizing", "zipping", "unread"})
        for (const char* command : {"info", "graph", "fuse", "rewrite", "stages", "match", "order",
                                    "run", "profile", "bench", "verify", "diff"})
            QTest::newRow((std::string(model) + " " + command).c_str()) << model << command;
}

void TestForeign::everyCommandAnswers() {
    QFETCH(QString, model);
    QFETCH(QString, command);
    Asked a;
    Arguments arguments = asked(model.toStdString());
    if (command == u"stages")
        arguments.stage = "graph";
    if (command == u"graph")
        arguments.stage = "fused";
    if (command == u"diff")
        arguments.models = {arguments.model, arguments.model}, arguments.side = "before";
    const auto answer = a.ask(command.toStdString(), arguments);
    QVERIFY2(answer.ok(), answer ? "" : answer.diag().text().c_str());
}

void TestForeign::infoSaysWhatTheyAre() {
    Asked a;
    const auto tokens = a.get<InfoDocument>("info", asked("tokenizing"));
    QCOMPARE(tokens.inputs.size(), std::size_t(2));
    QCOMPARE(tokens.inputs[0].name, std::string("s"));
    QCOMPARE(tokens.inputs[0].type, std::string("text[1]"));
    QCOMPARE(tokens.inputs[1].type, std::string("f32[2, 3]"));
    QCOMPARE(tokens.nodes, std::int64_t(4));
    QVERIFY(!tokens.runnable);
    const auto zip = a.get<InfoDocument>("info", asked("zipping"));
    QCOMPARE(zip.outputs.at(1).type, std::string("sequence of map of i64 to f32"));
    QVERIFY(zip.untyped.empty());
    const auto all = a.get<InfoDocument>("info", asked("unread"));
    QVERIFY(all.runnable);
    QVERIFY(all.diagnostics.empty());
    QCOMPARE(all.inputs.size(), std::size_t(3));
    QCOMPARE(all.inputs[0].type, std::string("text[N]"));
    QCOMPARE(all.inputs[2].type, std::string("sequence of f32"));
    QCOMPARE(all.nodes, std::int64_t(1));
    QVERIFY(all.flops.has_value());
}

void TestForeign::theyAreDrawnAsInputs() {
    Asked a;
    for (const char* stage : {"imported", "rewritten", "fused"}) {
        Arguments arguments = asked("tokenizing");
        arguments.stage = stage;
        const auto graph = a.get<GraphDocument>("graph", arguments);
        QCOMPARE(graph.inputs.size(), std::size_t(2));
        const auto s =
            std::find_if(graph.nodes.begin(), graph.nodes.end(),
                         [&](const NodeRecord& one) { return one.id == graph.inputs[0]; });
        QVERIFY(s != graph.nodes.end());
        QCOMPARE(std::string(s->op), std::string("input"));
        QCOMPARE(s->outputs.at(0).name, std::string("s"));
        QCOMPARE(s->outputs.at(0).type, std::string("text[1]"));
        QVERIFY(!s->unsupported);
        QVERIFY(s->attributes.empty());
        for (const auto& group : graph.groups) // it is in none
            QVERIFY(group.id != s->group);
    }
}

void TestForeign::whatDependsOnNoneRuns() {
    Asked a;
    Arguments arguments = asked("tokenizing");
    arguments.output = path("out");
    const auto run = a.get<RunDocument>("run", arguments);
    QCOMPARE(run.outputs.size(), std::size_t(1));
    QCOMPARE(run.outputs[0].name, std::string("y"));
    QVERIFY(!run.randomInputs);
    QVERIFY2(tells(run.notices, "the output g is not computed: Tokenize reads what nothing here "
                                "computes with: the input s is text[1]"),
             run.notices.empty() ? "no notice" : run.notices.front().c_str());
    QVERIFY(tells(run.notices, "RUN02"));
    QVERIFY(tells(run.notices, "tokenize"));
    QCOMPARE(run.sets.size(), std::size_t(1));
    QVERIFY(run.sets[0].pass);
    const auto written = readTensorFile(run.outputs[0].file);
    QVERIFY(written.ok());
    for (std::size_t i = 0; i < negated.size(); ++i)
        QCOMPARE(written->data.at(i), negated[i]);
    const auto bench = a.get<BenchDocument>("bench", asked("tokenizing"));
    QVERIFY(bench.models.at(0).runs > 0);
    QVERIFY(tells(bench.notices, "the output g is not computed"));
    Arguments inner = asked("tokenizing");
    inner.values = {"a"};
    QCOMPARE(a.get<RunDocument>("run", inner).values.size(), std::size_t(1));
    inner.values = {"ids"};
    const auto refused = a.ask("run", inner);
    QVERIFY(!refused.ok());
    QCOMPARE(exitCode(refused.diag().code), 2);
}

void TestForeign::dataSetsAreCompared_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("verdict");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* what, const char* name, const char* verdict, const char* says) {
        QTest::newRow(what) << name << verdict << says;
    };
    row("text input, two outputs", "tokenizing", "unsupported", "; not computed: g");
    row("one file of two outputs", "zipping", "unsupported", "; not computed: z");
    row("a file that is no tensor", "zipping-all", "unsupported", "; not computed: z");
    row("unread inputs", "unread", "passed", "1 data set");
}

void TestForeign::dataSetsAreCompared() {
    QFETCH(QString, name);
    QFETCH(QString, verdict);
    QFETCH(QString, says);
    Asked a;
    Arguments arguments = on("");
    arguments.model.clear();
    arguments.folders = {path(name.toStdString())};
    const auto test = a.get<TestDocument>("test", arguments);
    QCOMPARE(QString::fromStdString(test.cases.at(0).verdict), verdict);
    QVERIFY2(test.cases[0].reason.find("1 data set, largest difference 0") == 0,
             test.cases[0].reason.c_str());
    QVERIFY2(test.cases[0].reason.find(says.toStdString()) != std::string::npos,
             test.cases[0].reason.c_str());
    QCOMPARE(test.cases[0].sets.size(), std::size_t(1));
}

void TestForeign::aWrongResultFails() {
    Asked a;
    Arguments arguments = on("");
    arguments.folders = {path("wrong")};
    QCOMPARE(a.get<TestDocument>("test", arguments).cases.at(0).verdict, std::string("failed"));
    const auto run = a.get<RunDocument>("run", asked("wrong"));
    QVERIFY(!run.sets.at(0).pass);
}

void TestForeign::ofTwoChainsOneRuns() {
    // Two results share operators; one of them passes through what nobody knows.
    M m(17);
    m.input("x", {"4"}).output("p", {"4"}).output("q", {"4"}).output("r", {"4"});
    m.node("Exp", "x", "shared", "shared");
    m.node("Odd", "shared", "o", "odd").set_domain("my");
    m.model.add_opset_import()->set_domain("my");
    m.model.mutable_opset_import(1)->set_version(1);
    M::declare(*m.graph().add_value_info(), "o", {"4"});
    m.node("Relu", "o", "p", "behind");
    m.node("Neg", "shared", "q", "beside");
    m.node("Add", "o shared", "r", "both");
    QVERIFY(writeFile(path("two.onnx"), m.bytes()).ok());
    Asked a;
    const auto run = a.get<RunDocument>("run", asked("two.onnx"));
    QCOMPARE(run.outputs.size(), std::size_t(1));
    QCOMPARE(run.outputs[0].name, std::string("q"));
    for (const char* name : {"p", "r"})
        QVERIFY(tells(run.notices, std::string("node odd: warning RUN02: the output ") + name +
                                       " is not computed: the operator my.Odd is not known"));
    // The whole is planned and timed all the same.
    QVERIFY(a.get<ProfileDocument>("profile", asked("two.onnx")).rows.size() > 1);
}

void TestForeign::nothingLeftIsRefused() {
    M m(17);
    m.input("x", {"4"}).output("p", {"4"});
    m.node("Odd", "x", "p", "odd").set_domain("my");
    m.model.add_opset_import()->set_domain("my");
    m.model.mutable_opset_import(1)->set_version(1);
    QVERIFY(writeFile(path("none.onnx"), m.bytes()).ok());
    Asked a;
    for (const char* command : {"run", "bench", "export"}) {
        Arguments arguments = asked("none.onnx");
        arguments.output = path("module-none");
        const auto answer = a.ask(command, arguments);
        QVERIFY(!answer.ok());
        QCOMPARE(answer.diag().code, DiagCode::UnknownOperator);
        QCOMPARE(answer.diag().where.node, std::string("odd"));
    }
    // A text that is handed on is no result of a run either.
    M text(17);
    text.input("s", {"1"}, proto::TensorProto::STRING).input("x", {"4"});
    text.output("s", {"1"}, proto::TensorProto::STRING);
    QVERIFY(writeFile(path("handed.onnx"), text.bytes()).ok());
    const auto handed = a.ask("run", asked("handed.onnx"));
    QVERIFY(!handed.ok());
    QCOMPARE(handed.diag().code, DiagCode::TypeUnknown);
    QVERIFY2(handed.diag().message.find("the output s is text[1]") != std::string::npos,
             handed.diag().text().c_str());
    QVERIFY(a.ask("fuse", asked("handed.onnx")).ok());
}

void TestForeign::modulesHaveWhatIsComputed() {
    Asked a;
    Arguments arguments = asked("tokenizing");
    arguments.output = path("module");
    const auto made = a.get<ExportDocument>("export", arguments);
    QVERIFY(!made.files.empty());
    QVERIFY(tells(made.notices, "the output g is not computed"));
}

void TestForeign::theyCannotBeGiven() {
    Asked a;
    Arguments arguments = asked("tokenizing");
    arguments.inputs = {{"s", path("tokenizing/test_data_set_0/input_0.pb")}};
    const auto answer = a.ask("run", arguments);
    QVERIFY(!answer.ok());
    QVERIFY2(answer.diag().message.find("the input s is text[1]") != std::string::npos,
             answer.diag().text().c_str());
    arguments.inputs = {{"x", path("tokenizing/test_data_set_0/input_1.pb")}};
    const auto run = a.ask("run", arguments);
    QVERIFY2(run.ok(), run ? "" : run.diag().text().c_str());
}

void TestForeign::aTypeMakesItAnInput() {
    Asked a;
    Arguments arguments = asked("tokenizing");
    arguments.types = {{"s", "i64[1]"}, {"ids", "i64[2]"}};
    const auto info = a.get<InfoDocument>("info", arguments);
    QCOMPARE(info.inputs.at(0).type, std::string("i64[1]"));
    QCOMPARE(info.outputs.at(1).type, std::string("f32[2, 3]"));
}

void TestForeign::sizesBehindUnknownOnesAreLeftOut() {
    // The size of y is computed from what nobody knows; z does not ask for it.
    M m(17);
    m.input("x", {"4"}).output("y").output("z", {"4"});
    m.node("Odd", "x", "size", "odd").set_domain("my");
    m.model.add_opset_import()->set_domain("my");
    m.model.mutable_opset_import(1)->set_version(1);
    M::declare(*m.graph().add_value_info(), "size", {"2"}, proto::TensorProto::INT64);
    m.node("Reshape", "x size", "y", "reshape");
    m.node("Relu", "x", "z", "relu");
    QVERIFY(writeFile(path("sizes.onnx"), m.bytes()).ok());
    Asked a;
    const auto run = a.get<RunDocument>("run", asked("sizes.onnx"));
    QCOMPARE(run.outputs.size(), std::size_t(1));
    QCOMPARE(run.outputs[0].name, std::string("z"));
    QVERIFY(tells(run.notices, "the output y is not computed"));
}

FW_TEST(TestForeign, QCoreApplication)
#include "test_foreign.moc"
