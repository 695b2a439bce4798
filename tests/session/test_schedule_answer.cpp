// `fw schedule`: the steps and loops of a group, what begins a schedule of a book from them, the
// ways to compute what a fusion rule covers, the tree of implementations by size, and conflicts;
// and what a schedule of a book does in a plan, as what it matches.
#include "base/files.h"
#include "common/test.h"
#include "session/asked.h"
#include "session/document.h"
#include "session/tuning_log.h"
#include "snapshot/schedule_records.h"

#include <QRegularExpression>
#include <QTemporaryDir>

#include <algorithm>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

namespace {

const LoopRow* rowOf(const ScheduleDocument& schedule, const std::string& kind,
                     const std::string& name) {
    for (const LoopRow& row : schedule.loops)
        if (row.kind == kind && row.name == name)
            return &row;
    return nullptr;
}

const WayOfGroup* wayOf(const ScheduleDocument& schedule, const std::string& way) {
    for (const WayOfGroup& one : schedule.ways)
        if (one.way == way)
            return &one;
    return nullptr;
}

const char* const pooledNet =
    "fuse pooled { match conv2d(x, w) >> bias(^, b) >> relu(^) >> max_pool2d(^)  as melted }\n"
    "graph net(x: f32[1, 16, 256, 256]) -> y {\n"
    "  w = const random(1) : f32[32, 16, 3, 3]  b = const random(2) : f32[32]\n"
    "  c = conv2d(x, w) {pads = [1, 1, 1, 1]}  d = bias(c, b)  r = relu(d)\n"
    "  y = max_pool2d(r) {kernel_shape = [2, 2], strides = [2, 2]} }\n";

} // namespace

class TestScheduleAnswer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stepsAndLoops();
    void everyCandidate();
    void whatBeginsABookComputesTheGroup();
    void ringsAreTold();
    void waysBesideEachOther();
    void aScheduleOfTheUserIsAWayOfItsOwn();
    void waysHaveTheTimesOfTheLog();
    void noWaysWithoutARule();
    void branchesBySize();
    void prioritiesThatCost();
    void ties();
    void pinsThatAreNotFollowed();
    void refusedStepsHaveTheirPlace();
    void badInput();

private:
    Arguments asked(const std::string& text, const std::string& book = {}) {
        Arguments out = on("");
        out.model = m_folder.filePath(QStringLiteral("net%1.fw").arg(++m_models)).toStdString();
        [&] { QVERIFY(writeFile(out.model, text).ok()); }();
        if (!book.empty()) {
            out.rules = {
                m_folder.filePath(QStringLiteral("book%1.fw").arg(m_models)).toStdString()};
            [&] { QVERIFY(writeFile(out.rules.front(), book).ok()); }();
        }
        out.target = "x86-64 -mcpu=x86-64-v3 -libs= -threads=2";
        out.group = 0;
        return out;
    }

    QTemporaryDir m_folder;
    int m_models = 0;
};

void TestScheduleAnswer::stepsAndLoops() {
    Arguments arguments = on("mlp");
    arguments.target = "x86-64 -mcpu=x86-64-v3 -libs= -threads=2";
    arguments.group = 0;
    const auto plan = Asked().get<FuseDocument>("fuse", arguments);
    const auto told = Asked().get<ScheduleDocument>("schedule", arguments);
    QCOMPARE(told.name, plan.groups[0].name);
    QCOMPARE(told.implementation, plan.groups[0].implementation.str());
    QCOMPARE(told.text, plan.groups[0].schedule.str());
    QVERIFY(told.estUs && told.bytes && told.held);
    QCOMPARE(*told.bytes, *plan.groups[0].bytes);
    QVERIFY(told.held->registers > 0);
    QVERIFY(told.ways.empty() && told.branches.empty() && told.conflicts.empty());
    // The product is summed in registers, inside the loops of what is stored.
    const LoopRow* stored = rowOf(told, "computed", "out0");
    const LoopRow* sum = rowOf(told, "held", "t0.acc");
    QVERIFY(stored != nullptr && sum != nullptr);
    QCOMPARE(stored->how, std::string("stored"));
    QCOMPARE(sum->how, std::string("register"));
    QVERIFY(sum->bytes.value_or(0) > 0);
    QVERIFY(stored->depth > sum->depth);
    QVERIFY(std::any_of(told.loops.begin(), told.loops.end(), [](const LoopRow& row) {
        return row.kind == "loop" && row.how == "vector" && row.size == "8";
    }));
    const auto& nodes = plan.groups[0].nodes;
    for (const LoopRow& row : told.loops)
        for (const std::string& op : row.ops)
            QVERIFY2(std::find(nodes.begin(), nodes.end(), op) != nodes.end(), op.c_str());
}

void TestScheduleAnswer::everyCandidate() {
    Arguments arguments = on("lenet");
    const auto plan = Asked().get<FuseDocument>("fuse", arguments);
    int made = 0;
    for (const GroupRecord& group : plan.groups)
        for (const CandidateRecord& candidate : group.candidates) {
            arguments.group = group.id;
            arguments.name = candidate.name;
            const auto told = Asked().get<ScheduleDocument>("schedule", arguments);
            QCOMPARE(told.implementation, candidate.name.str());
            QVERIFY(told.refused.empty() == !told.loops.empty());
            QVERIFY(!told.refused.empty() || !told.begun.empty() || !told.notBegun.empty());
            made += !told.loops.empty();
        }
    QVERIFY(made > int(plan.groups.size()));
}

// As a person does it: the text goes into a book, and the plan follows it.
void TestScheduleAnswer::whatBeginsABookComputesTheGroup() {
    for (const char* model : {"mlp", "lenet", "residual", "attention", "mobilenet"}) {
        Arguments arguments = on(model);
        arguments.target = "x86-64 -mcpu=x86-64-v3 -libs= -threads=2";
        const auto plan = Asked().get<FuseDocument>("fuse", arguments);
        int begun = 0;
        for (const GroupRecord& group : plan.groups) {
            arguments.group = group.id;
            arguments.rules.clear();
            arguments.texts.clear();
            const auto told = Asked().get<ScheduleDocument>("schedule", arguments);
            if (told.begun.empty()) {
                QVERIFY2(!told.notBegun.empty() || !told.refused.empty(), group.name.c_str());
                continue;
            }
            if (++begun > 4)
                break;
            arguments.rules = {"/begun/my.fw"};
            arguments.texts = {{"/begun/my.fw", told.begun}};
            const auto after = Asked().get<ScheduleDocument>("schedule", arguments);
            QCOMPARE(after.implementation, told.begun.substr(9, after.implementation.size()));
            QCOMPARE(after.text, told.text);
            QVERIFY(after.loops == told.loops);
            QVERIFY2(after.conflicts.empty(),
                     after.conflicts.empty() ? "" : after.conflicts[0].sentence.c_str());
            QCOMPARE(after.written.file, std::string("/begun/my.fw"));
            QCOMPARE(after.written.line, 1);
        }
        QVERIFY2(begun > 0, model);
    }
}

void TestScheduleAnswer::ringsAreTold() {
    Arguments arguments =
        asked("op melt(x: T[N, C, H, W], v: T[O, C], k: T[O, KH, KW]) -> y: T[N, O, H, W] {\n"
              "  let t[n, o, h, w] = sum(c in C : x[n, c, h, w] * v[o, c])\n"
              "  let r[n, o, h, w] = max(t[n, o, h, w], 0)\n"
              "  y[n, o, h, w] = sum(i in KH, j in KW : pad(r[n, o, h + i - 1, w + j - 1], 0) * "
              "k[o, i, j]) }\n"
              "schedule s { t1.inline()\n"
              "out0.split(o_2, o1, ol, 8, guard)  out0.reorder(n_2, o1, h_2, w_2, ol)\n"
              "out0.vectorize(ol)  t0.reorder(n, h, w, o)  t0.split(o, u1, ul, 8, guard)\n"
              "t0.vectorize(ul)  t0.at(out0, h_2) }\n"
              "implementations melt(...) on any { mine by schedule s priority 40 }\n"
              "graph net(x: f32[1, 5, 11, 9]) -> y {\n"
              "  v = const random(1) : f32[20, 5]  k = const random(2) : f32[20, 3, 3]\n"
              "  y = melt(x, v, k) }\n");
    const auto told = Asked().get<ScheduleDocument>("schedule", arguments);
    QCOMPARE(told.implementation, std::string("mine"));
    const LoopRow* ring = rowOf(told, "held", "t0");
    QVERIFY(ring != nullptr);
    QCOMPARE(ring->how, std::string("ring"));
    QCOMPARE(ring->size, std::string("f32[288]"));
    QCOMPARE(ring->bytes.value_or(0), std::int64_t(4 * 288));
    QCOMPARE(told.held->stack, std::int64_t(4 * 288));
    QCOMPARE(told.written.file, arguments.model);
}

void TestScheduleAnswer::waysBesideEachOther() {
    const auto told = Asked().get<ScheduleDocument>("schedule", asked(pooledNet));
    QCOMPARE(told.ways.size(), std::size_t(3));
    const WayOfGroup *apart = wayOf(told, "apart"), *stacked = wayOf(told, "stacked"),
                     *melted = wayOf(told, "melted");
    QVERIFY(apart != nullptr && stacked != nullptr && melted != nullptr);
    QVERIFY(apart->bytes && stacked->bytes && melted->bytes);
    // What lies between convolution and pool is written and read but where they are melted.
    const double between = 4.0 * 32 * 256 * 256, operands = 4.0 * (16 * 256 * 256 + 8 * 256 * 256);
    QVERIFY(*apart->bytes > operands + 2 * between);
    QVERIFY(*stacked->bytes > operands + 2 * between);
    QVERIFY(*melted->bytes < operands + between);
    QVERIFY(melted->held && melted->held->stack > 0 && melted->held->memory == 0);
    QVERIFY(stacked->held && stacked->held->memory == std::int64_t(between));
    QVERIFY(*melted->estUs <= *stacked->estUs);
    QVERIFY(*apart->estUs > 0);
    QCOMPARE(std::count_if(told.ways.begin(), told.ways.end(),
                           [](const WayOfGroup& way) { return way.taken; }),
             1);
    QVERIFY2(apart->note.find("max_pool2d") != std::string::npos, apart->note.c_str());
    QVERIFY2(!melted->note.empty(), "why, or why not");
    // A pin chooses another one.
    const auto pinned = Asked().get<ScheduleDocument>(
        "schedule", asked(std::string(pooledNet), "pin { avoid generated.melted for any }\n"));
    QVERIFY(wayOf(pinned, "stacked")->taken && !wayOf(pinned, "melted")->taken);
}

// What *Edit* writes into a book is the same loops under another name: what the others do is not
// told otherwise for it.
void TestScheduleAnswer::aScheduleOfTheUserIsAWayOfItsOwn() {
    const auto schedule = [this](const std::string& book, const std::string& by = {}) {
        Arguments one = asked(pooledNet, book);
        one.target = "x86-64 -mcpu=x86-64-v4 -libs= -threads=2"; // where melting pays
        one.name = by;
        return Asked().get<ScheduleDocument>("schedule", one);
    };
    const ScheduleDocument before = schedule({});
    QVERIFY(wayOf(before, "melted")->taken && !before.begun.empty());
    const ScheduleDocument told = schedule(before.begun);
    QCOMPARE(told.text, before.text);
    QCOMPARE(told.ways.size(), std::size_t(4));
    const WayOfGroup* written = wayOf(told, "written");
    QVERIFY(written != nullptr && written->taken);
    QCOMPARE(written->implementation, told.implementation);
    QVERIFY(written->bytes == wayOf(before, "melted")->bytes);
    QVERIFY(written->held == wayOf(before, "melted")->held);
    for (const char* way : {"stacked", "melted"}) {
        const WayOfGroup *is = wayOf(told, way), *was = wayOf(before, way);
        QVERIFY(is != nullptr && !is->taken);
        QCOMPARE(is->implementation, was->implementation);
        QVERIFY(is->bytes == was->bytes && is->held == was->held && is->estUs == was->estUs);
    }
    const ScheduleDocument melted = schedule(before.begun, "generated.melted");
    QVERIFY2(melted.refused.empty(), melted.refused.c_str());
    QCOMPARE(melted.text, before.text);
    // One that is not taken is among the candidates only.
    const ScheduleDocument other = schedule(before.begun.substr(0, before.begun.find("pin {")) +
                                            "pin { use generated.tiled for conv2d }\n");
    QVERIFY(wayOf(other, "stacked")->taken && wayOf(other, "written") == nullptr);
}

void TestScheduleAnswer::waysHaveTheTimesOfTheLog() {
    Arguments arguments = asked(pooledNet);
    Pipeline pipeline(inputsOf(withDocument(arguments).value()));
    const Group& group = pipeline.plan({}).value()->groups.at(0);
    const std::string workload = workloadText(*pipeline.simplified({}).value()->graph, group.anchor,
                                              group.nodes, *pipeline.target().value());
    arguments.log = m_folder.filePath(QStringLiteral("times.jsonl")).toStdString();
    std::vector<TuningRecord> records;
    for (const auto& [way, us] : std::map<std::string, double>{
             {"apart", 50}, {"generated.tiled", 40}, {"generated.melted", 30}})
        records.push_back({workload, way, us, "", false});
    QVERIFY(appendTuningLog(arguments.log, records).ok());
    const auto told = Asked().get<ScheduleDocument>("schedule", arguments);
    QCOMPARE(wayOf(told, "apart")->measuredUs.value_or(0), 50.0);
    QCOMPARE(wayOf(told, "stacked")->measuredUs.value_or(0), 40.0);
    QCOMPARE(wayOf(told, "melted")->measuredUs.value_or(0), 30.0);
    QVERIFY(wayOf(told, "melted")->taken);
}

void TestScheduleAnswer::noWaysWithoutARule() {
    const auto told = Asked().get<ScheduleDocument>(
        "schedule", asked("graph net(x: f32[8, 24]) -> y { w = const random(1) : f32[40, 24]\n"
                          "  d = dense(x, w)  y = relu(d) }\n"));
    QVERIFY(told.ways.empty());
}

void TestScheduleAnswer::branchesBySize() {
    const std::string model = "implementations dense(...) let M = size(P) on any {\n"
                              "  few_rows by generated.rowwise priority 30 when M <= 16\n"
                              "  ninety   by generated.window  priority 20 when M >= 90\n"
                              "}\n"
                              "graph net(x: f32[N, 24]) -> y {\n"
                              "  w = const random(1) : f32[40, 24]  y = dense(x, w) }\n";
    Arguments arguments = asked(model);
    const auto told = Asked().get<ScheduleDocument>("schedule", arguments);
    QCOMPARE(told.branches.size(), std::size_t(3));
    QCOMPARE(told.branches[0].implementation, std::string("few_rows"));
    QVERIFY(told.branches[0].condition.starts_with("where M <= 16"));
    QCOMPARE(told.branches[0].sizes, std::string("N = 1..16"));
    QCOMPARE(told.branches[1].sizes, std::string("N = 90 and more"));
    QCOMPARE(told.branches[2].condition, std::string("else"));
    QCOMPARE(told.branches[2].sizes, std::string("N = 17..89"));
    QVERIFY(!told.bytes);
    QCOMPARE(std::count_if(told.loops.begin(), told.loops.end(),
                           [](const LoopRow& row) { return row.kind == "part"; }),
             3);
    QVERIFY(told.begun.empty() && !told.notBegun.empty());
    // One of them may be begun.
    arguments.name = "few_rows";
    QVERIFY(!Asked().get<ScheduleDocument>("schedule", arguments).begun.empty());
    // A range bounds the sizes.
    arguments.name.clear();
    arguments.ranges = {{"N", {4, 64}}};
    const auto bounded = Asked().get<ScheduleDocument>("schedule", arguments);
    QCOMPARE(bounded.branches.size(), std::size_t(2));
    QCOMPARE(bounded.branches[0].sizes, std::string("N = 4..16"));
    QCOMPARE(bounded.branches[1].sizes, std::string("N = 17..64"));
}

void TestScheduleAnswer::prioritiesThatCost() {
    const auto told = Asked().get<ScheduleDocument>(
        "schedule",
        asked("implementations dense(...) on any { slow by generated.plain priority 90 }\n"
              "graph net(x: f32[64, 96]) -> y { w = const random(1) : f32[64, 96]\n"
              "  y = dense(x, w) }\n"));
    QCOMPARE(told.implementation, std::string("slow"));
    QCOMPARE(told.conflicts.size(), std::size_t(1));
    QCOMPARE(told.conflicts[0].code, std::string("CHO02"));
    const QString sentence = QString::fromStdString(told.conflicts[0].sentence);
    QVERIFY2(
        QRegularExpression(QStringLiteral("slow with priority 90, [0-9.e+]+ us where "
                                          "generated.tiled with priority \\d+ needs [0-9.]+ us"))
            .match(sentence)
            .hasMatch(),
        qPrintable(sentence));
}

void TestScheduleAnswer::ties() {
    Arguments arguments = on("strategy/dense_m.fw");
    arguments.rules = {samples + "strategy/tie.fw"};
    arguments.dims = {{"M", 8}};
    arguments.group = 0;
    const auto told = Asked().get<ScheduleDocument>("schedule", arguments);
    QCOMPARE(told.conflicts.size(), std::size_t(1));
    QCOMPARE(told.conflicts[0].code, std::string("CHO04"));
}

void TestScheduleAnswer::pinsThatAreNotFollowed() {
    Arguments arguments =
        asked("graph net(x: f32[64, 96]) -> y { w = const random(1) : f32[64, 96]\n"
              "  y = dense(x, w) }\n",
              "schedule far for dense {\n  epilogue.split(n, n1, lane, 128, guard)\n"
              "  epilogue.vectorize(lane)\n}\npin { use schedule.far for y }\n");
    const auto told = Asked().get<ScheduleDocument>("schedule", arguments);
    QCOMPARE(told.conflicts.size(), std::size_t(1));
    QCOMPARE(told.conflicts[0].code, std::string("PIN03"));
    QVERIFY2(told.conflicts[0].sentence.find("lane has 128 lanes") != std::string::npos,
             told.conflicts[0].sentence.c_str());
    arguments.name = "schedule.far";
    const auto refused = Asked().get<ScheduleDocument>("schedule", arguments);
    QVERIFY(refused.loops.empty() && refused.begun.empty());
    QVERIFY2(refused.refused.find("lane has 128 lanes") != std::string::npos,
             refused.refused.c_str());
}

void TestScheduleAnswer::refusedStepsHaveTheirPlace() {
    Arguments arguments =
        asked("graph net(x: f32[64, 96]) -> y { w = const random(1) : f32[64, 96]\n"
              "  y = dense(x, w) }\n",
              "schedule far for dense {\n  epilogue.split(n, n1, lane, 128, guard)\n"
              "  epilogue.vectorize(lane)\n}\n"
              "schedule near for dense {\n  epilogue.split(n, n1, lane, lanes, guard)\n"
              "  epilogue.vectorize(lane)\n}\nschedule unused { epilogue.unroll(outermost) }\n");
    arguments.stage = "rewritten";
    const auto found = Asked().get<MatchDocument>("match", arguments);
    QCOMPARE(found.rules.size(), std::size_t(3));
    const RuleMatches &far = found.rules[0], &near = found.rules[1], &unused = found.rules[2];
    QCOMPARE(far.kind, std::string("schedule"));
    QVERIFY(far.matches.empty());
    QCOMPARE(far.nearMisses.size(), std::size_t(1));
    const NearMissRecord& miss = far.nearMisses[0];
    QCOMPARE(miss.range, (TextRange{3, 3, 3, 27}));
    QCOMPARE(miss.clause, std::string("epilogue.vectorize(lane)"));
    QVERIFY2(miss.found.find("lane has 128 lanes, at most 64 can be had") != std::string::npos &&
                 miss.found.find(arguments.rules[0]) == std::string::npos,
             miss.found.c_str());
    QCOMPARE(near.matches.size(), std::size_t(1));
    QVERIFY2(near.matches[0].outcome.starts_with("computes dense"),
             near.matches[0].outcome.c_str());
    QCOMPARE(near.matches[0].nodes, std::vector<std::string>{"dense"});
    QVERIFY(unused.matches.empty() && unused.diagnostics.size() == 1);
    // Of the imported graph there is no plan.
    arguments.stage = "imported";
    QVERIFY(Asked().get<MatchDocument>("match", arguments).rules.empty());
}

void TestScheduleAnswer::badInput() {
    Arguments arguments = on("mlp");
    QCOMPARE(Asked().ask("schedule", arguments).diag().code, DiagCode::UnknownName);
    for (const int group : {-1, 1000}) {
        arguments.group = group;
        QCOMPARE(Asked().ask("schedule", arguments).diag().code, DiagCode::UnknownName);
    }
    arguments.group = 0;
    arguments.name = "generated.tield";
    const Diag diag = Asked().ask("schedule", arguments).diag();
    QCOMPARE(diag.code, DiagCode::UnknownName);
    QVERIFY2(diag.hint.find("generated.tiled") != std::string::npos, diag.hint.c_str());
}

FW_TEST(TestScheduleAnswer, QCoreApplication)
#include "test_schedule_answer.moc"
