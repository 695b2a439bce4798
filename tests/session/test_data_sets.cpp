// Data sets that say all of the results, some, or none; and what testing and timing tells of steps
// that ran otherwise than planned.
#include "base/files.h"
#include "common/test.h"
#include "extern/extern.h"
#include "onnx/model/tensor_file.h"
#include "session/asked.h"

#include <QTemporaryDir>

#include <algorithm>
#include <filesystem>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

namespace {

namespace fs = std::filesystem;

bool says(const std::vector<std::string>& notices, const std::string& what) {
    return std::any_of(notices.begin(), notices.end(), [&](const std::string& notice) {
        return notice.find(what) != std::string::npos;
    });
}

} // namespace

class TestDataSets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void all();
    void none();
    void withoutInputs();
    void some_data();
    void some();
    void tooMany();
    void whatRanOtherwiseIsTold();
    void refutedRulesAreTold();
    void filesThatDecide();

private:
    Arguments asked() const {
        Arguments out = on("");
        out.model = m_model.string();
        out.folders = {m_model.string()};
        out.models = {m_model.string()};
        out.seconds = 0.02;
        return out;
    }
    void write(const std::string& file, const std::string& name, std::vector<double> values) const {
        const auto count = static_cast<std::int64_t>(values.size());
        const Status written =
            writeTensorFile((m_model / "test_data_set_0" / file).string(),
                            {name, dataFromDoubles(DType::F32, {count}, values)});
        QVERIFY(written.ok());
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_model;
};

// a = -x, b = 2 x, c = x + 1
void TestDataSets::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_model = fs::path(m_folder->path().toStdString()) / "three";
    fs::create_directories(m_model / "test_data_set_0");
    const std::string text = m_folder->filePath(QStringLiteral("net.fw")).toStdString();
    QVERIFY(writeFile(text, "graph three(x: f32[3]) -> a, b, c {\n"
                            "  one = const [1] : f32[1]\n"
                            "  a = neg(x)  b = add(x, x)  c = add(x, one) }\n")
                .ok());
    Asked a;
    Arguments arguments = on("");
    arguments.model = text;
    arguments.output = (m_model / "model.onnx").string();
    QVERIFY(a.ask("rewrite", arguments).ok());
    write("input_0.pb", "x", {1, 2, -3});
}

void TestDataSets::all() {
    write("output_0.pb", "a", {-1, -2, 3});
    write("output_1.pb", "b", {2, 4, -6});
    write("output_2.pb", "c", {2, 3, -2});
    Asked a;
    const auto run = a.get<RunDocument>("run", asked());
    QCOMPARE(run.sets.size(), std::size_t(1));
    QVERIFY(run.sets[0].pass && run.sets[0].outputs.size() == 3 && !says(run.notices, "outputs"));
    QCOMPARE(a.get<TestDocument>("test", asked()).passed, std::int64_t(1));
}

void TestDataSets::none() {
    Asked a;
    const auto run = a.get<RunDocument>("run", asked());
    QVERIFY(run.sets.empty() && !run.randomInputs);
    QCOMPARE(run.outputs.at(0).summary, std::string("-1, -2, 3"));
    QVERIFY(
        says(run.notices, "test_data_set_0 holds no outputs: there is nothing to compare with"));
    const auto tested = a.get<TestDocument>("test", asked());
    QCOMPARE(tested.failed, std::int64_t(1));
    QVERIFY(tested.cases.at(0).reason.find("holds no outputs") != std::string::npos);
}

// A set that cannot be used is told with its folder, wherever its number stands.
void TestDataSets::withoutInputs() {
    fs::create_directories(m_model / "test_data_set_7");
    Asked a;
    const auto run = a.get<RunDocument>("run", asked());
    QVERIFY(says(run.notices, "test_data_set_7 holds neither inputs nor outputs"));
    fs::copy_file(m_model / "test_data_set_0" / "input_0.pb",
                  m_model / "test_data_set_7" / "output_0.pb");
    const auto refused = a.ask("run", asked());
    QVERIFY(!refused.ok());
    const std::string said = refused.diag().text();
    QVERIFY2(said.find("test_data_set_7 holds no inputs, and the model reads x") !=
                 std::string::npos,
             said.c_str());
    QVERIFY(refused.diag().where.file.ends_with("test_data_set_7"));
    fs::remove_all(m_model / "test_data_set_7");
    write("input_1.pb", "other", {1, 2, -3});
    const auto named = a.ask("run", asked());
    QVERIFY(!named.ok() && named.diag().where.file.ends_with("test_data_set_0"));
}

void TestDataSets::some_data() {
    QTest::addColumn<QStringList>("names"); // of the files in order; empty: by position
    QTest::addColumn<int>("count");
    QTest::addColumn<QString>("said");
    QTest::newRow("the first") << QStringList{QStringLiteral("a")} << 1
                               << QStringLiteral("1 of 3 outputs: b, c are not");
    QTest::newRow("the last") << QStringList{QStringLiteral("c")} << 1
                              << QStringLiteral("1 of 3 outputs: a, b are not");
    QTest::newRow("two") << QStringList{QStringLiteral("c"), QStringLiteral("a")} << 2
                         << QStringLiteral("2 of 3 outputs: b is not");
    QTest::newRow("by position") << QStringList{QStringLiteral(""), QStringLiteral("")} << 2
                                 << QStringLiteral("2 of 3 outputs: c is not");
}

void TestDataSets::some() {
    QFETCH(QStringList, names);
    QFETCH(int, count);
    QFETCH(QString, said);
    const std::map<std::string, std::vector<double>> values = {
        {"a", {-1, -2, 3}}, {"b", {2, 4, -6}}, {"c", {2, 3, -2}}};
    for (int i = 0; i < names.size(); ++i) {
        const std::string name = names[i].toStdString();
        const std::string means = name.empty() ? std::string(1, static_cast<char>('a' + i)) : name;
        write("output_" + std::to_string(i) + ".pb", name, values.at(means));
    }
    Asked a;
    auto run = a.get<RunDocument>("run", asked());
    QCOMPARE(run.sets.size(), std::size_t(1));
    QVERIFY2(run.sets[0].pass, run.sets[0].worst.c_str());
    QCOMPARE(run.sets[0].outputs.size(), std::size_t(count));
    QVERIFY(says(run.notices, said.toStdString()));
    QCOMPARE(a.get<TestDocument>("test", asked()).failed, std::int64_t(1));
    // What is there is held to it.
    write("output_0.pb", names[0].toStdString(), {7, 7, 7});
    run = a.get<RunDocument>("run", asked());
    QVERIFY(!run.sets.at(0).pass);
    QVERIFY(run.sets[0].worst.find("instead of 7") != std::string::npos);
}

void TestDataSets::tooMany() {
    for (int i = 0; i < 4; ++i)
        write("output_" + std::to_string(i) + ".pb", "", {0, 0, 0});
    Asked a;
    const auto answer = a.ask("run", asked());
    QVERIFY(!answer.ok());
    QCOMPARE(answer.diag().code, DiagCode::InputMismatch);
}

// oneDNN drops NaN in some of its kernels, which loops of ours mend.
void TestDataSets::whatRanOtherwiseIsTold() {
    const auto& libraries = externLibraries();
    const auto onednn = std::find_if(libraries.begin(), libraries.end(),
                                     [](const auto& one) { return one->name() == "onednn"; });
    if (onednn == libraries.end() || !((*onednn)->status().state == LibraryState::Ready))
        QSKIP("oneDNN is not here");
    fs::copy(samples + "lenet", m_model,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    const std::string file = (m_model / "test_data_set_0" / "input_0.pb").string();
    auto input = readTensorFile(file);
    QVERIFY(input.ok());
    std::vector<double> values = input->data.toDoubles();
    values.at(50) = std::numeric_limits<double>::quiet_NaN();
    input->data = dataFromDoubles(DType::F32, input->data.extents(), values);
    QVERIFY(writeTensorFile(file, *input).ok());
    Arguments arguments = asked();
    arguments.target = "x86-64 -libs=onednn";
    Asked a;
    const auto run = a.get<RunDocument>("run", arguments);
    if (!says(run.notices, "HST02"))
        QSKIP("no kernel of this oneDNN loses a NaN");
    QVERIFY(says(a.get<BenchDocument>("bench", arguments).notices, "HST02"));
    const auto tested = a.get<TestDocument>("test", arguments);
    // The outputs of the set know no NaN: what is told stands behind the verdict that it has.
    for (std::size_t i = 0; i < run.outputs.size(); ++i)
        QVERIFY(run.outputs[i].summary.find("nan") != std::string::npos);
    Arguments kept = arguments;
    kept.output = (m_model / "test_data_set_0").string();
    const auto written = a.get<RunDocument>("run", kept);
    const auto result = readTensorFile(written.outputs.at(0).file);
    QVERIFY(result.ok());
    QVERIFY(writeTensorFile((m_model / "test_data_set_0" / "output_0.pb").string(), *result).ok());
    const auto passed = a.get<TestDocument>("test", arguments);
    QCOMPARE(passed.passed, std::int64_t(1));
    QVERIFY2(passed.cases.at(0).reason.find("HST02") != std::string::npos,
             passed.cases[0].reason.c_str());
}

void TestDataSets::refutedRulesAreTold() {
    write("output_0.pb", "a", {-1, -2, 3});
    write("output_1.pb", "b", {2, 4, -6});
    write("output_2.pb", "c", {2, 3, -2});
    const std::string book = m_folder->filePath(QStringLiteral("wrong.fw")).toStdString();
    QVERIFY(writeFile(book, "rule wrong { match y = neg(x) emit y = relu(x) }\n").ok());
    Arguments arguments = asked();
    arguments.rules = {book};
    Asked a;
    QVERIFY(says(a.get<RunDocument>("run", arguments).notices, "RUL23"));
    QVERIFY(says(a.get<BenchDocument>("bench", arguments).notices, "RUL23"));
    QVERIFY(a.get<TestDocument>("test", arguments).cases.at(0).reason.find("RUL23") !=
            std::string::npos);
}

// The sizes of what runs are a constant then, and no input of it.
void TestDataSets::filesThatDecide() {
    const std::string folder = FW_SOURCE_DIR "/tests/conformance/data/layernorm_of_given_sizes/";
    Asked a;
    Arguments arguments = on("");
    arguments.model = folder + "model.onnx";
    arguments.inputs = {{"x", folder + "test_data_set_0/input_0.pb"},
                        {"s", folder + "test_data_set_0/input_1.pb"},
                        {"g", folder + "test_data_set_0/input_2.pb"}};
    const auto ran = a.get<RunDocument>("run", arguments);
    QCOMPARE(ran.outputs.at(0).shape, (std::vector<std::int64_t>{2, 3}));
    QCOMPARE(ran.notices.at(0),
             "values of inputs decide what runs, so the given ones are constants of it: s");
    Arguments twice = arguments;
    twice.inputs["t"] = arguments.inputs["s"];
    QVERIFY(!a.ask("run", twice).ok());
    // The others are made up.
    arguments.inputs = {{"s", arguments.inputs.at("s")}};
    arguments.seconds = 0.02;
    QCOMPARE(a.get<RunDocument>("run", arguments).outputs.at(0).shape,
             (std::vector<std::int64_t>{2, 3}));
    QVERIFY(a.get<BenchDocument>("bench", arguments).models.at(0).runs > 0);
}

FW_TEST(TestDataSets, QCoreApplication)
#include "test_data_sets.moc"
