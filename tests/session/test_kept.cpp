// What is kept between requests by what it was made of: a change makes anew what reads it, and
// nothing else; and what is kept is what a worker that knows nothing would have made.
#include "common/test.h"
#include "session/asked.h"

#include "base/files.h"
#include "onnx/model_builder.h"
#include "session/pipeline_store.h"

#include <QTemporaryDir>

#include <fmt/format.h>

#include <algorithm>
#include <set>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

namespace {

const std::string typedFile = "/b/typed.fw";

Arguments typed(Arguments arguments, const std::string& text) {
    arguments.rules = {typedFile};
    arguments.texts = {{typedFile, text}};
    return arguments;
}

// A pin between the last two operators of some group of several.
Arguments pinned(Arguments arguments, const FuseDocument& plan, std::size_t which) {
    std::vector<const GroupRecord*> several;
    for (const GroupRecord& group : plan.groups)
        if (group.nodes.size() > 1)
            several.push_back(&group);
    const std::vector<std::string>& nodes = several.at(which % several.size())->nodes;
    arguments.pins = fmt::format("pin {{ apart {}, {} }}\n", nodes[nodes.size() - 2], nodes.back());
    return arguments;
}

// Groups of `after` that are not in `before`.
std::size_t changed(const FuseDocument& before, const FuseDocument& after) {
    std::set<std::vector<NodeId>> known;
    for (const GroupRecord& group : before.groups)
        known.insert(group.nodeIds);
    return static_cast<std::size_t>(
        std::count_if(after.groups.begin(), after.groups.end(),
                      [&](const GroupRecord& group) { return !known.contains(group.nodeIds); }));
}

// Whether the same values lie in the memory of others, which is another store of their kernels.
bool sameLayouts(const FuseDocument& before, const FuseDocument& after) {
    const auto layouts = [](const FuseDocument& plan) {
        std::set<std::string> out;
        for (const std::string& notice : plan.notices)
            if (notice.starts_with("LAY"))
                out.insert(notice);
        return out;
    };
    return layouts(before) == layouts(after);
}

std::string textOf(FuseDocument plan) {
    plan.made = {};
    return toJson(plan);
}

PipelineInputs inputs(const std::string& sample, const std::string& pins = {}) {
    PipelineInputs out;
    out.model = samples + sample;
    out.target = "x86-64 -libs=";
    out.pins = pins;
    return out;
}

// Multiplies by four numbers that lie in w.bin.
std::string besideItsWeights() {
    ModelBuilder m;
    m.input("x", {"4"}).output("y");
    m.node("Mul", "x w", "y");
    m.externalWeights("w", 4, "w.bin");
    return m.bytes();
}

std::string bytesOf(const std::vector<float>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

} // namespace

class TestKept : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aPinMakesItsGroups_data() { models(); }
    void aPinMakesItsGroups();
    void aCommentMakesNothing();
    void aRuleLeavesTheImport();
    void anOperatorIsRead();
    void fusionRulesAndPrioritiesLeaveTheRewriting();
    void aLibraryIsSwitched();
    void aSavedTextIsTheSame();
    void filesOfWeightsAreRead();
    void compiledGroupsAreUsedAgain_data() { models(); }
    void compiledGroupsAreUsedAgain();
    void whatIsKeptIsWhatWouldBeMade_data() { models(); }
    void whatIsKeptIsWhatWouldBeMade();

private:
    static void models();
    bool hasOneDnn = false;
    QTemporaryDir m_folder;
};

void TestKept::initTestCase() {
    QVERIFY(m_folder.isValid());
    qputenv("XDG_CACHE_HOME", m_folder.path().toUtf8()); // with no kernel in it
    Asked a;
    for (const auto& library : a.get<DoctorDocument>("doctor", {}).libraries)
        hasOneDnn = hasOneDnn || (library.name == "onednn" && library.status == "ready");
}

void TestKept::models() {
    QTest::addColumn<QString>("model");
    for (const char* name : {"residual", "inception", "encoder"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestKept::aPinMakesItsGroups() {
    QFETCH(QString, model);
    Asked a;
    const Arguments plain = on(model.toStdString());
    const auto first = a.get<FuseDocument>("fuse", plain);
    QVERIFY(first.made.imported && first.made.rewritten && first.made.planned);
    QVERIFY(first.made.lowered > 0);
    QVERIFY(!a.get<FuseDocument>("fuse", plain).made.planned);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto after = a.get<FuseDocument>("fuse", pinned(plain, first, i));
        QVERIFY(after.made.planned && !after.made.imported && !after.made.rewritten);
        const std::size_t groups = changed(first, after);
        const auto lowered = static_cast<std::size_t>(after.made.lowered);
        QVERIFY2(groups > 0 && 2 * lowered <= after.groups.size(),
                 qPrintable(QString::number(lowered)));
        if (sameLayouts(first, after))
            QVERIFY2(lowered <= groups, qPrintable(QString::number(lowered)));
    }
}

void TestKept::aCommentMakesNothing() {
    Asked a;
    const std::string rule = "grow contraction -> elementwise never\n";
    a.get<FuseDocument>("fuse", typed(on("residual"), rule));
    for (const char* comment : {"# said later\n", "# and otherwise\n"}) {
        const auto plan = a.get<FuseDocument>("fuse", typed(on("residual"), rule + comment));
        QCOMPARE(plan.made, MadeRecord());
    }
    // What a plan cites is a place, so a line above makes it anew, without another kernel.
    const auto moved = a.get<FuseDocument>("fuse", typed(on("residual"), "# above\n" + rule));
    QCOMPARE(moved.made, (MadeRecord{false, false, true, 0}));
}

void TestKept::aRuleLeavesTheImport() {
    Asked a;
    const auto first = a.get<FuseDocument>("fuse", on("residual"));
    const auto other = a.get<FuseDocument>(
        "fuse", typed(on("residual"), "rule none { match y = tanh(sqrt(x)) emit y = tanh(x) }\n"));
    QCOMPARE(other.made, (MadeRecord{false, true, true, 0})); // no group is another one
    QCOMPARE(other.groups.size(), first.groups.size());
}

void TestKept::anOperatorIsRead() {
    Asked a;
    a.get<FuseDocument>("fuse", on("residual"));
    const auto other = a.get<FuseDocument>(
        "fuse",
        typed(on("residual"),
              "op twice \"twice\" (x: T[S...]) -> y: T[S...] { y[i...] = x[i...] + x[i...] }\n"));
    QVERIFY(other.made.imported && other.made.rewritten && other.made.planned);
}

void TestKept::fusionRulesAndPrioritiesLeaveTheRewriting() {
    Asked a;
    const auto first = a.get<FuseDocument>("fuse", on("residual"));
    for (const char* text :
         {"grow contraction -> elementwise never\n",
          "implementations kind contraction on any {\n  generated.window priority 30\n}\n"}) {
        const auto after = a.get<FuseDocument>("fuse", typed(on("residual"), text));
        QVERIFY(after.made.planned && !after.made.imported && !after.made.rewritten);
        QVERIFY(after.made.lowered > 0 && after.made.lowered <= std::int64_t(after.groups.size()));
        QVERIFY(textOf(after) != textOf(first));
    }
    QVERIFY(!a.get<FuseDocument>("fuse", on("residual")).made.planned);
}

void TestKept::aLibraryIsSwitched() {
    if (!hasOneDnn)
        QSKIP("oneDNN is not there");
    Asked a;
    Arguments plain = on("residual"), library = plain;
    library.target = "x86-64 -libs=onednn";
    const auto without = a.get<FuseDocument>("fuse", plain);
    const auto with = a.get<FuseDocument>("fuse", library);
    QVERIFY(with.made.planned && !with.made.imported && !with.made.rewritten);
    const bool calls = std::any_of(with.groups.begin(), with.groups.end(),
                                   [](const GroupRecord& group) { return group.call.has_value(); });
    QVERIFY(calls);
    // Calls are kept as loops are: a pin asks for those of its groups.
    const auto pin = a.get<FuseDocument>("fuse", pinned(library, with, 0));
    QVERIFY(pin.made.planned && pin.made.lowered <= std::int64_t(changed(with, pin)));
    QVERIFY(!a.get<FuseDocument>("fuse", plain).made.planned);
    QVERIFY(!a.get<FuseDocument>("fuse", library).made.planned);
    QCOMPARE(textOf(a.get<FuseDocument>("fuse", plain)), textOf(without));
}

void TestKept::aSavedTextIsTheSame() {
    const std::string file = (m_folder.path() + "/saved.fw").toStdString();
    const std::string text = "grow contraction -> elementwise never\n";
    QVERIFY(writeFile(file, "# nothing yet\n").ok());
    PipelineStore store;
    PipelineInputs typing = inputs("residual");
    typing.rules = {file};
    typing.texts = {{file, text}};
    const auto before = store.find(typing).value()->compiled({}).value()->module;
    QVERIFY(writeFile(file, text).ok());
    PipelineInputs saved = typing;
    saved.texts.clear();
    Pipeline& pipeline = *store.find(saved).value();
    const MadeStages made = pipeline.made();
    QCOMPARE(pipeline.compiled({}).value()->module, before);
    QCOMPARE(pipeline.made().planned, made.planned);
    QCOMPARE(pipeline.made().compiled, made.compiled);
}

void TestKept::filesOfWeightsAreRead() {
    const std::string folder = m_folder.path().toStdString();
    PipelineInputs model;
    model.model = folder + "/outside.onnx";
    model.target = "x86-64 -libs=";
    QVERIFY(writeFile(model.model, besideItsWeights()).ok());
    PipelineStore store;
    QVERIFY(!store.find(model).value()->imported({}).ok());
    const auto weights = [&]() -> std::string {
        const Result<const Imported*> read = store.find(model).value()->imported({});
        if (!read.ok())
            return read.diag().text();
        const TensorData* data = nullptr;
        for (const NodePtr& node : (*read)->graph->nodes())
            if (const TensorData* constant = (*read)->graph->constant({node->id, 0}))
                data = constant;
        if (data == nullptr)
            return "no constant";
        const auto bytes = data->bytes();
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    };
    // Put beside the model after the import said that it is missing.
    QVERIFY(writeFile(folder + "/w.bin", bytesOf({1, 2, 3, 4})).ok());
    QCOMPARE(weights(), bytesOf({1, 2, 3, 4}));
    const std::size_t made = store.find(model).value()->made().imported;
    QCOMPARE(weights(), bytesOf({1, 2, 3, 4}));
    QCOMPARE(store.find(model).value()->made().imported, made);
    QVERIFY(writeFile(folder + "/w.bin", bytesOf({5, 6, 7, 8, 9})).ok());
    QCOMPARE(weights(), bytesOf({5, 6, 7, 8}));
    QCOMPARE(store.find(model).value()->made().imported, made + 1);
}

void TestKept::compiledGroupsAreUsedAgain() {
    QFETCH(QString, model);
    const std::string name = model.toStdString();
    Asked a;
    const auto first = a.get<FuseDocument>("fuse", on(name));
    PipelineStore store;
    const auto before = store.find(inputs(name)).value()->compiled({}).value()->module;
    QVERIFY(before->times.packedBytes > 0);
    const Arguments pin = pinned(on(name), first, 0);
    const auto planned = a.get<FuseDocument>("fuse", pin);
    Pipeline& pipeline = *store.find(inputs(name, pin.pins)).value();
    const auto after = pipeline.compiled({}).value()->module;
    QVERIFY(after != before);
    QVERIFY2(after->times.compiled <= int(changed(first, planned)),
             qPrintable(QString::number(after->times.compiled)));
    QVERIFY(after->times.fromMemory > 0);
    QCOMPARE(after->times.packedBytes, std::size_t(0));
    QCOMPARE(after->weights, before->weights);
    // It computes what a module that shares nothing computes.
    Pipeline alone(inputs(name, pin.pins));
    const auto given = pipeline.loaded({}).value()->randomInputs(3, {}).value();
    const auto mine = pipeline.loaded({}).value()->run(given).value();
    const auto other = alone.loaded({}).value()->run(given).value();
    QVERIFY(alone.compiled({}).value()->module->weights != before->weights);
    QVERIFY(mine == other);
}

// Changes after each other, of all kinds, forwards and back.
void TestKept::whatIsKeptIsWhatWouldBeMade() {
    QFETCH(QString, model);
    const Arguments plain = on(model.toStdString());
    Asked kept;
    const auto first = kept.get<FuseDocument>("fuse", plain);
    std::vector<Arguments> steps;
    for (std::size_t i = 0; i < 3; ++i) {
        steps.push_back(pinned(plain, first, i));
        steps.push_back(typed(steps.back(), fmt::format("grow contraction -> elementwise forward "
                                                        "limit {}\n",
                                                        i + 2)));
        steps.push_back(typed(plain, fmt::format("implementations kind contraction on any {{\n"
                                                 "  generated.window priority {}\n}}\n",
                                                 9 + i)));
        steps.push_back(typed(plain, "rule r { match y = relu(x) emit y = max(x, 0) }\n"));
        steps.push_back(plain);
        steps.back().target = hasOneDnn && i == 1 ? "x86-64 -libs=onednn"
                                                  : "x86-64 -mcpu=x86-64-v2 -libs= -threads=1";
    }
    for (std::size_t round = 0; round < 2; ++round)
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const Arguments& step = steps[(i * 7 + round) % steps.size()];
            Asked fresh;
            QCOMPARE(textOf(kept.get<FuseDocument>("fuse", step)),
                     textOf(fresh.get<FuseDocument>("fuse", step)));
        }
}

FW_TEST(TestKept, QCoreApplication)
#include "test_kept.moc"
