// What a log says of groups: which operators it is of, whether they are faster as one, one inside
// the other or apart, and what is tried first.
#include "asked.h"
#include "base/files.h"
#include "common/test.h"
#include "session/contests.h"
#include "session/tune.h"
#include "strategy/workload_machine.h"

#include <fmt/format.h>

#include <QTemporaryDir>

#include <algorithm>
#include <set>

using namespace fw;
using namespace fw::test;

namespace {

const char* const convAndPool =
    "graph net(x: f32[1, 4, 32, 32]) -> y {\n"
    "  w = const random(1) : f32[8, 4, 3, 3]\n"
    "  c = conv2d(x, w) {pads = [1, 1, 1, 1]} @node(\"C\")  r = relu(c) @node(\"R\")\n"
    "  y = max_pool2d(r) {kernel_shape = [2, 2], strides = [2, 2]} @node(\"P\")\n"
    "}\n";

const char* const pooled = "fuse pooled { match conv2d(x, w) >> relu(^) >> max_pool2d(^)  as "
                           "melted }\n";

} // namespace

class TestTuneGroups : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void workloadsNameAllOperators();
    void workloadsAreFoundInOtherModels();
    void anOldLogDecidesWhereThereIsNoOther();
    void meltedStackedAndApartAreMeasured();
    void theLogDecidesAmongThem_data();
    void theLogDecidesAmongThem();
    void aPinIsStrongerThanTheLog();
    void neighboursAreMeasured();
    void theLogPutsNeighboursTogether();
    void knobsBehindComputeAreTried();
    void wrongOnesAreThrownOut();
    void anotherMachineSaysWhatComesFirst();
    void whatDoesNotDecideIsTold();

private:
    std::string file(const char* name, const std::string& text = {}) const {
        std::string out = m_folder.filePath(QString::fromLatin1(name)).toStdString();
        if (!text.empty() && !writeFile(out, text))
            throw InternalError("cannot write " + out);
        return out;
    }
    PipelineInputs inputs(const std::string& graph, const std::string& book = {}) const {
        PipelineInputs out;
        out.model = file("net.fw", graph);
        out.target = "x86-64 -libs= -threads=1";
        if (!book.empty())
            out.rules = {file("mine.fw", book)};
        return out;
    }
    std::string logOf(const char* name, const std::string& workload,
                      const std::map<std::string, double>& times) const {
        const std::string out = file(name);
        QFile::remove(QString::fromStdString(out));
        std::vector<TuningRecord> records;
        for (const auto& [implementation, us] : times)
            records.push_back({workload, implementation, us, "", false});
        if (!appendTuningLog(out, records))
            throw InternalError("cannot write " + out);
        return out;
    }

    QTemporaryDir m_folder;
};

namespace {

std::string workloadOf(Pipeline& pipeline, const std::vector<std::string>& names) {
    const Graph& graph = *pipeline.simplified({}).value()->graph;
    std::vector<NodeId> nodes;
    for (const std::string& name : names)
        nodes.push_back(graph.findByName(name)->id);
    return workloadText(graph, nodes.front(), nodes, *pipeline.target().value());
}

// "C, R by generated.tiled (log)" of each group.
std::vector<std::string> groupsOf(Pipeline& pipeline) {
    const Graph& graph = *pipeline.simplified({}).value()->graph;
    std::vector<std::string> out;
    for (const Group& group : pipeline.plan({}).value()->groups) {
        std::string names;
        for (const NodeId node : group.nodes)
            names += (names.empty() ? "" : ", ") + graph.node(node).name;
        out.push_back(fmt::format("{} by {} ({})", names, group.implementation, group.source));
    }
    return out;
}

using Texts = std::vector<std::string>;

snapshot::Arguments briefly() {
    snapshot::Arguments out;
    out.seconds = 0.01;
    return out;
}

std::set<std::string> implementationsOf(const snapshot::TuneDocument& document) {
    std::set<std::string> out;
    for (const snapshot::TuneRow& row : document.rows)
        out.insert(row.implementation);
    return out;
}

} // namespace

void TestTuneGroups::workloadsNameAllOperators() {
    Pipeline pipeline(inputs(convAndPool));
    const std::string alone = workloadOf(pipeline, {"C"}), tail = workloadOf(pipeline, {"C", "R"}),
                      all = workloadOf(pipeline, {"C", "R", "P"});
    const std::string machine = workloadMachine(*pipeline.target().value());
    QVERIFY2(tail.ends_with("] | relu(0) |" + machine), tail.c_str());
    QVERIFY2(all.find("] | relu(0) | max_pool2d(1) {kernel_shape") != std::string::npos,
             all.c_str());
    QCOMPARE(workloadOf(pipeline, {"C", "P", "R"}), all); // whatever their order
    QVERIFY(alone.ends_with("] |" + machine));
    for (const std::string& one : {alone, tail, all})
        QVERIFY(isOfGroup(one));
    const Graph& graph = *pipeline.simplified({}).value()->graph;
    QVERIFY(!isOfGroup(workloadText(graph, *graph.findByName("C"), *pipeline.target().value())));
    // An operator before it, and one that reads two of the group.
    Pipeline other(inputs("graph net(x: f32[4, 8]) -> y { w = const random(1) : f32[8, 8]\n"
                          "  a = relu(x) @node(\"A\")  d = dense(a, w) @node(\"D\")\n"
                          "  s = tanh(d) @node(\"S\")  y = mul(d, s) @node(\"M\") }"));
    const std::string text = workloadOf(other, {"D", "A", "S", "M"});
    QVERIFY2(text.find(" | mul(0, f32[4, 8]) | relu(f32[4, 8]) to 0.0 | tanh(0) to 1.1 | on ") !=
                 std::string::npos,
             text.c_str());
}

// By what is computed: names and what lies around are others.
void TestTuneGroups::workloadsAreFoundInOtherModels() {
    Pipeline pipeline(inputs(convAndPool));
    Measurements log;
    const std::string tail = workloadOf(pipeline, {"C", "R"}),
                      all = workloadOf(pipeline, {"C", "R", "P"});
    log.add(tail, "a", 1);
    log.add(all, "a", 2);
    const Target target = *pipeline.target().value();
    const auto found = [&](const std::string& graph, const std::vector<std::string>& names) {
        Pipeline other(inputs(graph));
        const Graph& in = *other.simplified({}).value()->graph;
        std::vector<NodeId> nodes;
        for (const std::string& name : names)
            nodes.push_back(in.findByName(name)->id);
        const auto out = log.around(in, nodes.front(), nodes, target);
        return out ? out->text : std::string();
    };
    const std::string front = "graph net(x: f32[1, 4, 32, 32], m: f32[8, 4, 3, 3]) -> y, z {\n"
                              "  z = neg(x)  w = const random(7) : f32[8, 4, 3, 3]\n";
    const std::string same = front + "  a = conv2d(x, w) {pads = [1, 1, 1, 1]} @node(\"one\")\n"
                                     "  b = relu(a) @node(\"two\")  y = exp(b) @node(\"three\") }";
    QCOMPARE(found(same, {"one"}), tail);
    QCOMPARE(found(same, {"one", "two"}), tail);
    QCOMPARE(found(same, {"one", "three"}), std::string()); // it has to have all
    QCOMPARE(found(convAndPool, {"C"}), all);               // the largest
    QCOMPARE(found(convAndPool, {"C", "P"}), all);
    log.add(all, apartFromEachOther, 2); // such a group is not grown
    QCOMPARE(found(convAndPool, {"C"}), tail);
    QCOMPARE(found(convAndPool, {"C", "P"}), all);
    const std::string given = front + "  a = conv2d(x, m) {pads = [1, 1, 1, 1]} @node(\"one\")\n"
                                      "  y = relu(a) @node(\"two\") }";
    QCOMPARE(found(given, {"one"}), std::string()); // no constant weights
}

void TestTuneGroups::anOldLogDecidesWhereThereIsNoOther() {
    Pipeline untuned(inputs(convAndPool));
    const Graph& graph = *untuned.simplified({}).value()->graph;
    const std::string old = workloadText(graph, *graph.findByName("C"), *untuned.target().value());
    PipelineInputs with = inputs(convAndPool);
    with.log = logOf("old.jsonl", old, {{"generated.tiled", 9}, {"generated.window", 3}});
    Pipeline tuned(with);
    QCOMPARE(groupsOf(tuned)[0], std::string("C, R by generated.window (log)"));
    Asked asked;
    snapshot::Arguments arguments;
    arguments.model = with.model;
    arguments.target = with.target;
    arguments.log = with.log;
    const auto document = asked.get<snapshot::FuseDocument>("fuse", arguments);
    QVERIFY(std::any_of(document.notices.begin(), document.notices.end(), [](const auto& notice) {
        return notice.find("2 of 2 records are of an older version, which says nothing of what "
                           "else a group computes: they decide where there is none of the group") !=
               std::string::npos;
    }));
    // Of the group itself.
    QVERIFY(
        appendTuningLog(with.log, {{workloadOf(untuned, {"C", "R"}), "generated.tiled", 2, ""},
                                   {workloadOf(untuned, {"C", "R"}), "generated.window", 4, ""}})
            .ok());
    Pipeline newer(with);
    QCOMPARE(groupsOf(newer)[0], std::string("C, R by generated.tiled (log)"));
}

void TestTuneGroups::meltedStackedAndApartAreMeasured() {
    Pipeline pipeline(inputs(convAndPool, pooled));
    const std::string log = file("three.jsonl");
    const snapshot::TuneDocument tuned = tuneModel(pipeline, log, briefly(), {}).value();
    const std::string all = workloadOf(pipeline, {"C", "R", "P"});
    std::set<std::string> of;
    const TuningLog read = readTuningLog(log).value();
    for (const TuningRecord& record : read.records)
        if (record.workload == all)
            of.insert(record.implementation);
    for (const char* one : {"generated.melted", "generated.tiled", apartFromEachOther})
        QVERIFY2(of.contains(one), one);
    QVERIFY(read.diagnostics.empty());
}

void TestTuneGroups::theLogDecidesAmongThem_data() {
    QTest::addColumn<double>("melted");
    QTest::addColumn<double>("stacked");
    QTest::addColumn<double>("apart");
    QTest::addColumn<QStringList>("groups");
    QTest::newRow("melted") << 5. << 9. << 9. << QStringList{"C, R, P by generated.melted (log)"};
    QTest::newRow("stacked") << 9. << 5. << 9. << QStringList{"C, R, P by generated.tiled (log)"};
    QTest::newRow("apart") << 9. << 9. << 5.
                           << QStringList{"C, R by generated.tiled (*)",
                                          "P by generated.window (*)"};
    QTest::newRow("hardly apart") << 5. << 9. << 4.9
                                  << QStringList{"C, R, P by generated.melted (log)"};
}

void TestTuneGroups::theLogDecidesAmongThem() {
    QFETCH(double, melted);
    QFETCH(double, stacked);
    QFETCH(double, apart);
    QFETCH(QStringList, groups);
    Pipeline untuned(inputs(convAndPool, pooled));
    PipelineInputs with = inputs(convAndPool, pooled);
    with.log = logOf(
        "decides.jsonl", workloadOf(untuned, {"C", "R", "P"}),
        {{"generated.melted", melted}, {"generated.tiled", stacked}, {apartFromEachOther, apart}});
    Pipeline tuned(with);
    const Texts planned = groupsOf(tuned);
    QCOMPARE(planned.size(), static_cast<std::size_t>(groups.size()));
    for (std::size_t i = 0; i < planned.size(); ++i) {
        const std::string wanted = groups[static_cast<int>(i)].toStdString();
        QVERIFY2(wanted.ends_with("*)")
                     ? planned[i].starts_with(wanted.substr(0, wanted.size() - 2))
                     : planned[i] == wanted,
                 planned[i].c_str());
    }
    const FusionPlan* plan = tuned.plan({}).value();
    if (planned.size() > 1)
        QVERIFY(std::any_of(plan->notices.begin(), plan->notices.end(), [](const Decision& one) {
            return one.code == ReasonCode::FuseRuleRefused &&
                   one.evidence.find("faster apart: apart 5.0 us, generated.melted 9.0 us, "
                                     "generated.tiled 9.0 us") != std::string::npos;
        }));
}

void TestTuneGroups::aPinIsStrongerThanTheLog() {
    Pipeline untuned(inputs(convAndPool, pooled));
    PipelineInputs with = inputs(convAndPool, pooled);
    with.log = logOf("pinned.jsonl", workloadOf(untuned, {"C", "R", "P"}),
                     {{"generated.melted", 9}, {"generated.tiled", 8}, {apartFromEachOther, 1}});
    with.pins = "pin { use generated.melted for \"C\" }";
    Pipeline melted(with);
    QCOMPARE(groupsOf(melted), (Texts{"C, R, P by generated.melted (pin)"}));
    with.pins = "pin { use generated.tiled for \"C\" }";
    Pipeline stacked(with);
    QCOMPARE(groupsOf(stacked), (Texts{"C, R, P by generated.tiled (pin)"}));
}

// Where the estimates, here those of a table, say that they gain: as one and apart.
void TestTuneGroups::neighboursAreMeasured() {
    PipelineInputs with;
    with.model = samples + "mlp";
    with.target = "x86-64 -mcpu=x86-64-v3 -libs= -threads=1";
    Pipeline pipeline(with);
    std::vector<std::string> notices;
    const std::vector<Contest> contests = contestsOf(pipeline, {}, {}, notices, {}).value();
    std::set<std::string> pairs;
    for (const Contest& contest : contests)
        if (contest.next != nullptr) {
            pairs.insert(contest.name);
            QCOMPARE(contest.ways, (Texts{apartFromEachOther, "generated.tiled"}));
        }
    QCOMPARE(pairs, (std::set<std::string>{"dense_bias_relu_0 with dense_bias_relu_1",
                                           "dense_bias_relu_1 with dense_bias_2",
                                           "dense_bias_2 with softmax_3"}));
    if (!pipeline.target().value()->isHost) // this CPU cannot run it
        return;
    const snapshot::TuneDocument tuned =
        tuneModel(pipeline, file("pairs.jsonl"), briefly(), {}).value();
    for (const std::string& pair : pairs)
        QCOMPARE(std::count_if(tuned.rows.begin(), tuned.rows.end(),
                               [&](const snapshot::TuneRow& row) { return row.group == pair; }),
                 2);
    QCOMPARE(tuned.measured, tuned.workloads);
}

// Without a rule that says so.
void TestTuneGroups::theLogPutsNeighboursTogether() {
    Pipeline untuned(inputs(convAndPool));
    QCOMPARE(groupsOf(untuned).size(), std::size_t(2));
    const std::string all = workloadOf(untuned, {"C", "R", "P"});
    PipelineInputs with = inputs(convAndPool);
    with.log = logOf("together.jsonl", all, {{"generated.tiled", 5}, {apartFromEachOther, 9}});
    Pipeline together(with);
    QCOMPARE(groupsOf(together), (Texts{"C, R, P by generated.tiled (log)"}));
    with.log = logOf("no_gain.jsonl", all, {{"generated.tiled", 5}, {apartFromEachOther, 5.1}});
    Pipeline apart(with);
    QCOMPARE(groupsOf(apart).size(), std::size_t(2));
    with.log = logOf("gone.jsonl", all, {{"generated.gone", 5}, {apartFromEachOther, 9}});
    Pipeline unknown(with);
    QCOMPARE(groupsOf(unknown).size(), std::size_t(2));
    with.log = logOf("kept.jsonl", all, {{"generated.tiled", 5}, {apartFromEachOther, 9}});
    with.pins = "pin { apart \"R\", \"P\" }";
    Pipeline pinned(with);
    QCOMPARE(groupsOf(pinned).size(), std::size_t(2));
}

void TestTuneGroups::knobsBehindComputeAreTried() {
    const char* const book =
        "schedule rows { knob rows in {1, 2, 4} = 4\n"
        "  epilogue.split(m, m1, m0, rows, peel)  epilogue.unroll(m0) }\n"
        "op product(a: T[M, K], b: T[N, K]) -> y: T[M, N] { y[m, n] = sum(k in K : a[m, k] * b[n, "
        "k]) }\n"
        "implementations dense(...) on any { mine by schedule rows compute product(x, w) priority "
        "20 }\n";
    const char* const graph = "graph net(x: f32[8, 16]) -> y { w = const random(1) : f32[24, 16]\n"
                              "  y = dense(x, w) @node(\"D\") }";
    Pipeline pipeline(inputs(graph, book));
    QCOMPARE(groupsOf(pipeline)[0], std::string("D by mine (priority)"));
    const snapshot::TuneDocument tuned =
        tuneModel(pipeline, file("compute.jsonl"), briefly(), {}).value();
    const std::set<std::string> tried = implementationsOf(tuned);
    for (const char* one : {"mine", "mine(rows = 1)", "mine(rows = 2)"})
        QVERIFY2(tried.contains(one), one);
    PipelineInputs with = inputs(graph, book);
    with.log =
        logOf("rows.jsonl", workloadOf(pipeline, {"D"}), {{"mine", 9}, {"mine(rows = 2)", 3}});
    Pipeline decided(with);
    QCOMPARE(groupsOf(decided)[0], std::string("D by mine(rows = 2) (log)"));
    const Group& group = decided.plan({}).value()->groups[0];
    QVERIFY(group.lowering.kernel);
    QVERIFY(std::any_of(group.lowering.kernel->choice.decisions.begin(),
                        group.lowering.kernel->choice.decisions.end(), [](const Decision& one) {
                            return one.evidence.find("rows = 2") != std::string::npos;
                        }));
}

// A computation that is right at the sizes at which it was checked.
void TestTuneGroups::wrongOnesAreThrownOut() {
    const char* const book =
        "op twice(a: T[M, K], b: T[N, K]) -> y: T[M, N] {\n"
        "  y[m, n] = sum(k in K : a[m, k] * b[n, k]) * select(M > 200, 2, 1) }\n"
        "implementations dense(...) on any { wrong compute twice(x, w) priority 5 }\n";
    Pipeline pipeline(inputs("graph net(x: f32[256, 16]) -> y {\n"
                             "  w = const random(1) : f32[24, 16]  y = dense(x, w) @node(\"D\") }",
                             book));
    const std::string log = file("wrong.jsonl");
    const snapshot::TuneDocument tuned = tuneModel(pipeline, log, briefly(), {}).value();
    QVERIFY(tuned.measured > 0);
    QVERIFY(!implementationsOf(tuned).contains("wrong"));
    const TuningLog read = readTuningLog(log).value();
    QVERIFY(!read.records.empty());
    for (const TuningRecord& record : read.records)
        QVERIFY(record.implementation != "wrong");
    const auto told =
        std::find_if(tuned.notices.begin(), tuned.notices.end(), [](const std::string& notice) {
            return notice.find(" by wrong computes ") != std::string::npos;
        });
    QVERIFY(told != tuned.notices.end());
    QVERIFY2(told->find(" instead of ") != std::string::npos &&
                 told->ends_with(": it is not measured"),
             told->c_str());
}

void TestTuneGroups::anotherMachineSaysWhatComesFirst() {
    Pipeline pipeline(inputs(convAndPool));
    std::string elsewhere = workloadOf(pipeline, {"C", "R"});
    elsewhere = elsewhere.substr(0, elsewhere.find(" | on ")) + " | on another threads=64 cpu=Z";
    const auto waysOf = [&](const std::vector<TuningRecord>& records) {
        std::vector<std::string> notices;
        return contestsOf(pipeline, {}, records, notices, {}).value().at(0).ways;
    };
    const Texts without = waysOf({});
    QVERIFY(without.size() > 2);
    QCOMPARE(without[0], std::string("generated.tiled"));
    const Texts with = waysOf({{elsewhere, without.back(), 7, ""},
                               {elsewhere, "generated.tiled", 3, ""},
                               {elsewhere, "never.heard", 1, ""}});
    QCOMPARE(with[0], without[0]); // what the plan has
    QCOMPARE(with[1], without.back());
    QCOMPARE(std::set(with.begin(), with.end()), std::set(without.begin(), without.end()));
    // They are no times here: the plan is the one without them.
    PipelineInputs logged = inputs(convAndPool);
    logged.log = logOf("elsewhere.jsonl", elsewhere, {{"generated.tiled", 9}, {without.back(), 1}});
    Pipeline other(logged);
    const Group& group = other.plan({}).value()->groups[0];
    QCOMPARE(group.implementation, std::string("generated.tiled"));
    QVERIFY(group.untuned);
    for (const Candidate& candidate : group.candidates)
        QVERIFY(!candidate.measuredUs);
}

void TestTuneGroups::whatDoesNotDecideIsTold() {
    Pipeline untuned(inputs(convAndPool));
    PipelineInputs with = inputs(convAndPool);
    with.log = logOf("hardly.jsonl", workloadOf(untuned, {"C", "R"}),
                     {{"generated.tiled", 10}, {"generated.window", 9.8}});
    Asked asked;
    snapshot::Arguments arguments;
    arguments.model = with.model;
    arguments.target = with.target;
    arguments.log = with.log;
    arguments.nodes = {"C"};
    const std::string told = asked.ask("explain", arguments).value();
    for (const char* part :
         {"CHO07", "generated.tiled 10 us, generated.window 9.8 us",
          "generated.window is less than 3 % faster, which does not decide, and generated.tiled "
          "goes by ",
          ", each with R"})
        QVERIFY2(told.find(part) != std::string::npos, told.c_str());
}

FW_TEST(TestTuneGroups, QCoreApplication)
#include "test_tune_groups.moc"
