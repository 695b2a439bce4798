// A model that computes its sizes: every command says what is known before it runs and what only
// behind it.
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

class TestRunning : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsFreeAndWhatIsComputed();
    void thePlanSaysWhere();
    void everyGroupIsJudged();
    void innerValuesAreComputed();
    void timesNameTheSteps();
    void aSizeThatIsNoneNamesItsNode();
    void axesOfTheDataThatDoNotFit();
    void indicesOfTheData();
    void valuesThatAreNoIndicesOfAnAxis();
    void partsOfComputedSizesAreReadInPlace();
    void whatDoesNotFitIsSaidByItsName();
    void sizesOfTheRunAreTold();
};

void TestRunning::whatIsFreeAndWhatIsComputed() {
    Asked a;
    const auto info = a.get<InfoDocument>("info", on("detector"));
    QCOMPARE(info.freeDims, (std::vector<std::string>{"H", "W"}));
    QVERIFY(info.runnable);
    QVERIFY(!info.flops.has_value());
    const auto run = a.get<RunDocument>("run", on("detector"));
    QCOMPARE(run.sets.size(), std::size_t(3));
    for (const ComparisonRecord& set : run.sets)
        QVERIFY2(set.pass, set.worst.c_str());
}

void TestRunning::thePlanSaysWhere() {
    Asked a;
    const auto plan = a.get<FuseDocument>("fuse", on("detector"));
    const auto tells = [&](const char* code) {
        return std::any_of(plan.notices.begin(), plan.notices.end(),
                           [&](const std::string& notice) { return notice.starts_with(code); });
    };
    QVERIFY(tells("SIZ02") && tells("HST02") && !tells("HST01"));
    QVERIFY(std::any_of(plan.groups.begin(), plan.groups.end(), [](const GroupRecord& group) {
        return group.implementation == "runtime.non_max_suppression";
    }));
    QVERIFY(std::any_of(plan.decisions.begin(), plan.decisions.end(),
                        [](const auto& edge) { return edge.code == "SIZ01"; }));
}

void TestRunning::everyGroupIsJudged() {
    Asked a;
    const auto verified = a.get<VerifyDocument>("verify", on("detector"));
    QVERIFY(verified.models.at(0).agreeing > 10);
    QCOMPARE(verified.models[0].differing, std::int64_t(0));
}

void TestRunning::innerValuesAreComputed() {
    Asked a;
    Arguments arguments = on("detector");
    arguments.values = {"selected", "boxes"};
    const auto run = a.get<RunDocument>("run", arguments);
    QCOMPARE(run.values.size(), std::size_t(2));
    QCOMPARE(run.values[0].shape, (std::vector<std::int64_t>{15, 3}));
}

void TestRunning::timesNameTheSteps() {
    Asked a;
    Arguments arguments = on("detector");
    arguments.seconds = 0.02;
    const auto profile = a.get<ProfileDocument>("profile", arguments);
    const auto has = [&](const char* implementation) {
        return std::any_of(profile.rows.begin(), profile.rows.end(),
                           [&](const auto& row) { return row.implementation == implementation; });
    };
    QVERIFY(has("runtime.non_max_suppression") && has("sizes"));
    QCOMPARE(profile.dims.at("H"), std::int64_t(32));
    QCOMPARE(profile.dims.at("Selected_d0"), std::int64_t(15));
}

// Neither what the reader put beside it, nor dimensions that nobody wrote.
void TestRunning::aSizeThatIsNoneNamesItsNode() {
    ModelBuilder m;
    m.input("s", {"2"}, proto::TensorProto::INT64).output("z");
    m.node("ConstantOfShape", "s", "y", "the_node");
    m.node("Relu", "y", "z");
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    QVERIFY(writeFile(path + "/m.onnx", m.bytes()).ok());
    QVERIFY(
        writeTensorFile(path + "/s.npy", {"s", dataFromIntegers(DType::I64, {2}, {4, -7})}).ok());
    Asked a;
    Arguments arguments = on("");
    arguments.model = path + "/m.onnx";
    arguments.inputs = {{"s", path + "/s.npy"}};
    const auto answer = a.ask("run", arguments);
    QVERIFY(!answer.ok());
    const std::string said = answer.diag().text();
    QCOMPARE(answer.diag().code, DiagCode::InputMismatch);
    QVERIFY2(said.find("the_node asks for a size of -7, which is element 1 of s") !=
                 std::string::npos,
             said.c_str());
    QVERIFY2(said.find("bind_dims") == std::string::npos, said.c_str());
    QVERIFY2(said.find("_d") == std::string::npos, said.c_str());
}

// What the extents behind it would be called nobody wrote.
void TestRunning::axesOfTheDataThatDoNotFit() {
    ModelBuilder m;
    m.input("x", {"N", "1", "3"}).input("axes", {"1"}, proto::TensorProto::INT64).output("z");
    m.node("Relu", "x", "inner");
    m.node("Squeeze", "inner axes", "y", "the_node");
    m.node("Relu", "y", "z");
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    QVERIFY(writeFile(path + "/m.onnx", m.bytes()).ok());
    QVERIFY(writeTensorFile(path + "/x.npy", {"x", randomData(DType::F32, {2, 1, 3}, 1)}).ok());
    Asked a;
    Arguments arguments = on("");
    arguments.model = path + "/m.onnx";
    arguments.inputs = {{"x", path + "/x.npy"}, {"axes", path + "/axes.npy"}};
    for (const std::int64_t axis : {1, -2, 0, 2}) {
        QVERIFY(
            writeTensorFile(path + "/axes.npy", {"axes", dataFromIntegers(DType::I64, {1}, {axis})})
                .ok());
        const auto answer = a.ask("run", arguments);
        QCOMPARE(answer.ok(), axis == 1 || axis == -2);
        if (answer.ok())
            continue;
        const std::string said = answer.diag().text();
        QVERIFY2(said.find("the_node: 'axes' names an axis of 'inner', f32[N, 1, 3], that has not "
                           "extent 1") != std::string::npos,
                 said.c_str());
        QVERIFY2(said.find("N is 2, element 0 of the sizes that the_node computes is ") !=
                     std::string::npos,
                 said.c_str());
        QVERIFY2(said.find("_d") == std::string::npos, said.c_str());
    }
}

// Those that are given end a run where they lie outside; those that are made up stand for the
// nearest element.
void TestRunning::indicesOfTheData() {
    ModelBuilder m;
    m.input("x", {"4", "3"}).input("i", {"2"}, proto::TensorProto::INT64).output("y");
    m.node("Gather", "x i", "y", "pick");
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    QVERIFY(writeFile(path + "/m.onnx", m.bytes()).ok());
    QVERIFY(writeTensorFile(path + "/x.npy", {"x", randomData(DType::F32, {4, 3}, 1)}).ok());
    Asked a;
    Arguments arguments = on("");
    arguments.model = path + "/m.onnx";
    QVERIFY(a.ask("run", arguments).ok());
    arguments.inputs = {{"x", path + "/x.npy"}, {"i", path + "/i.npy"}};
    for (const std::int64_t index : {3, 4, -4, -5}) {
        QVERIFY(
            writeTensorFile(path + "/i.npy", {"i", dataFromIntegers(DType::I64, {2}, {0, index})})
                .ok());
        const bool inside = index >= -4 && index < 4;
        for (const char* command : {"run", "bench"}) {
            const auto answer = a.ask(command, arguments);
            QCOMPARE(answer.ok(), inside);
            const std::string told = "pick: element 1 of i is " + std::to_string(index) +
                                     ", which lies outside of an axis of 4";
            QVERIFY2(inside || answer.diag().message.find(told) != std::string::npos,
                     answer.ok() ? "" : answer.diag().text().c_str());
        }
    }
}

// A length, an image and a number of keys stand for the nearest that there is, a place of MaxUnpool
// for what is left of it in its image: as modules.md says.
void TestRunning::valuesThatAreNoIndicesOfAnAxis() {
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    Asked a;
    Arguments arguments = on("");
    arguments.model = path + "/m.onnx";
    arguments.output = path;
    const auto run = [&](const ModelBuilder& m, const std::vector<NamedTensor>& data) {
        arguments.inputs.clear();
        for (const NamedTensor& one : data) {
            arguments.inputs[one.name] = path + "/" + one.name + ".npy";
            if (!writeTensorFile(arguments.inputs[one.name], one).ok())
                return std::string("no file");
        }
        if (!writeFile(path + "/m.onnx", m.bytes()).ok())
            return std::string("no model");
        const auto document = a.get<RunDocument>("run", arguments);
        return document.outputs.at(0).summary;
    };
    const auto reals = [](std::vector<std::int64_t> extents, std::vector<double> values) {
        return dataFromDoubles(DType::F32, std::move(extents), values);
    };
    const auto integers = [](std::vector<std::int64_t> values) {
        const auto count = static_cast<std::int64_t>(values.size());
        return dataFromIntegers(DType::I64, {count}, values);
    };
    {
        ModelBuilder m;
        m.input("x", {"4", "1"}).input("n", {"1"}, proto::TensorProto::INT64).output("y");
        m.node("ReverseSequence", "x n", "y");
        const TensorData x = reals({4, 1}, {1, 2, 3, 4});
        for (const std::int64_t all : {4, 5, 9})
            QCOMPARE(run(m, {{"x", x}, {"n", integers({all})}}), std::string("4, 3, 2, 1"));
        for (const std::int64_t nothing : {1, 0, -4})
            QCOMPARE(run(m, {{"x", x}, {"n", integers({nothing})}}), std::string("1, 2, 3, 4"));
    }
    {
        ModelBuilder m;
        m.input("x", {"2", "1", "2", "2"}).input("r", {"2", "4"}).output("y");
        m.input("i", {"2"}, proto::TensorProto::INT64);
        m.node("RoiAlign", "x r i", "y");
        const TensorData x = reals({2, 1, 2, 2}, {1, 1, 1, 1, 2, 2, 2, 2});
        const TensorData r = reals({2, 4}, {0, 0, 1, 1, 0, 0, 1, 1});
        QCOMPARE(run(m, {{"x", x}, {"r", r}, {"i", integers({7, -1})}}),
                 run(m, {{"x", x}, {"r", r}, {"i", integers({1, 0})}}));
    }
    {
        ModelBuilder m;
        m.input("x", {"1", "1", "1", "1"}).output("y");
        m.input("i", {"1", "1", "1", "1"}, proto::TensorProto::INT64);
        auto& unpool = m.node("MaxUnpool", "x i", "y");
        ModelBuilder::set(unpool, "kernel_shape", std::vector<std::int64_t>{2, 2});
        const TensorData x = reals({1, 1, 1, 1}, {5});
        const auto at = [&](std::int64_t place) {
            return run(m, {{"x", x}, {"i", dataFromIntegers(DType::I64, {1, 1, 1, 1}, {place})}});
        };
        QCOMPARE(at(3), std::string("0, 0, 0, 5"));
        QCOMPARE(at(6), at(2));
        QCOMPARE(at(-1), at(3));
    }
    {
        ModelBuilder m(24);
        m.input("q", {"2", "1", "1", "2"}).input("k", {"2", "1", "3", "2"}).output("y");
        m.input("v", {"2", "1", "3", "2"}).input("n", {"2"}, proto::TensorProto::INT64);
        m.node("Attention", "q k v - - - n", "y");
        const auto of = [&](std::vector<std::int64_t> lengths) {
            return run(m, {{"q", randomData(DType::F32, {2, 1, 1, 2}, 1)},
                           {"k", randomData(DType::F32, {2, 1, 3, 2}, 2)},
                           {"v", randomData(DType::F32, {2, 1, 3, 2}, 3)},
                           {"n", integers(std::move(lengths))}});
        };
        QCOMPARE(of({5, -2}), of({3, 0}));
        QVERIFY(of({3, 0}) != of({2, 0}));
    }
}

// Parts whose sizes are an input, read where they lie in a value of a free size.
void TestRunning::partsOfComputedSizesAreReadInPlace() {
    ModelBuilder m;
    m.input("a", {"batch"}).input("sizes", {"2"}, proto::TensorProto::INT64).output("z");
    m.node("Split", "a sizes", "u v", "cut");
    m.node("Relu", "u", "w");
    m.node("Add", "w v", "z");
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    QVERIFY(writeFile(path + "/m.onnx", m.bytes()).ok());
    QVERIFY(writeTensorFile(path + "/a.npy",
                            {"a", dataFromDoubles(DType::F32, {6}, {-1, 2, -3, 10, 20, 30})})
                .ok());
    Asked a;
    Arguments arguments = on("");
    arguments.model = path + "/m.onnx";
    arguments.inputs = {{"a", path + "/a.npy"}, {"sizes", path + "/sizes.npy"}};
    arguments.output = path;
    const auto write = [&](const std::vector<std::int64_t>& sizes) {
        QVERIFY(writeTensorFile(path + "/sizes.npy",
                                {"sizes", dataFromIntegers(DType::I64, {2}, sizes)})
                    .ok());
    };
    write({3, 3});
    const auto document = a.get<RunDocument>("run", arguments);
    QCOMPARE(document.outputs.size(), std::size_t(1));
    QCOMPARE(QString::fromStdString(document.outputs[0].summary), QStringLiteral("10, 22, 30"));
    write({4, 1});
    const auto answer = a.ask("run", arguments);
    QVERIFY(!answer.ok());
    const std::string said = answer.diag().text();
    QVERIFY2(said.find("(element 0 of sizes) is 4") != std::string::npos, said.c_str());
}

// Which input is missing, and where the two extents of one size are.
void TestRunning::whatDoesNotFitIsSaidByItsName() {
    ModelBuilder m;
    m.input("a", {"n", "n"}).input("b", {"n"}).output("y");
    m.node("Add", "a b", "y");
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    QVERIFY(writeFile(path + "/m.onnx", m.bytes()).ok());
    QVERIFY(
        writeTensorFile(path + "/a.npy", {"a", dataFromDoubles(DType::F32, {1, 2}, {1, 2})}).ok());
    QVERIFY(writeTensorFile(path + "/b.npy", {"b", dataFromDoubles(DType::F32, {2}, {1, 2})}).ok());
    Asked asked;
    Arguments arguments = on("");
    arguments.model = path + "/m.onnx";
    arguments.inputs = {{"a", path + "/a.npy"}};
    std::string said = asked.ask("run", arguments).diag().text();
    QVERIFY2(said.find("1 tensors are given, 2 are needed: b is missing") != std::string::npos,
             said.c_str());
    arguments.inputs["b"] = path + "/b.npy";
    said = asked.ask("run", arguments).diag().text();
    QVERIFY2(said.find("is 1 from dimension 0 of input a but 2 from dimension 1 of input a") !=
                 std::string::npos,
             said.c_str());
}

// Those of the data apart from those that the model computes, which have the name of what holds
// them; and of sizes that few can mean what comes of them.
void TestRunning::sizesOfTheRunAreTold() {
    ModelBuilder m;
    m.input("x", {"n", "5"}).input("few", {"1"}, proto::TensorProto::INT64);
    m.output("y").output("at", {}, proto::TensorProto::INT64).output("none");
    m.node("TopK", "x few", "y at", "top");
    m.weights("image", {1, 1, 2, 2}).weights("w", {1, 1, 3, 1});
    m.node("Conv", "image w", "none", "conv");
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    QVERIFY(writeFile(path + "/m.onnx", m.bytes()).ok());
    QVERIFY(writeTensorFile(path + "/x.npy",
                            {"x", dataFromDoubles(DType::F32, {1, 5}, {1, 2, 3, 4, 5})})
                .ok());
    QVERIFY(
        writeTensorFile(path + "/few.npy", {"few", dataFromIntegers(DType::I64, {1}, {3})}).ok());
    Asked asked;
    Arguments arguments = on("");
    arguments.model = path + "/m.onnx";
    arguments.inputs = {{"x", path + "/x.npy"}, {"few", path + "/few.npy"}};
    const auto run = asked.get<RunDocument>("run", arguments);
    for (const char* said :
         {"free dimensions: N = 1", "sizes that the model computes: Few = 3 (top)",
          "a window of 3 does not fit into the 2 elements of axis 2 of 'image'"})
        QVERIFY2(std::any_of(run.notices.begin(), run.notices.end(),
                             [&](const std::string& notice) {
                                 return notice.find(said) != std::string::npos;
                             }),
                 said);
}

FW_TEST(TestRunning, QCoreApplication)
#include "test_running.moc"
