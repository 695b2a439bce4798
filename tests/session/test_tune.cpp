// Tuning logs: measured, appended, read again; they decide, and damage costs a line.
#include "base/files.h"
#include "common/test.h"
#include "session/commands.h"
#include "session/tune.h"
#include "snapshot/json.h"

#include <fmt/format.h>

#include <QTemporaryDir>

#include <set>

using namespace fw;

class TestTune : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void measuresAndDecides();
    void knobsAreTried();
    void disturbedTimesDecideNothing();
    void damagedLines();
    void cutRecordsLoseNothingElse();
    void staleRecordsAreTold();
    void timesAtSizes();
    void missingLog();
    void stoppedAtAnyTime();
    void unwritableLog();
    void shardsHaveEveryWorkloadOnce();
    void joinedShardsDecideAsOneRun();
    void shardsThatAreNone_data();
    void shardsThatAreNone();

private:
    std::string path(const char* name) const {
        return m_folder.filePath(QString::fromLatin1(name)).toStdString();
    }
    PipelineInputs inputs(const std::string& log) const {
        PipelineInputs out;
        out.model = FW_SOURCE_DIR "/samples/mlp";
        out.target = "x86-64 -libs= -threads=1";
        out.log = log;
        return out;
    }

    QTemporaryDir m_folder;
};

void TestTune::measuresAndDecides() {
    const std::string log = path("mlp.jsonl");
    Pipeline untuned(inputs({}));
    snapshot::Arguments arguments;
    arguments.seconds = 0.01;
    const snapshot::TuneDocument first = tuneModel(untuned, log, arguments, {}).value();
    for (const std::string& notice : first.notices) // of a busy machine alone
        QVERIFY2(notice.starts_with("CHO07 "), notice.c_str());
    QVERIFY(first.measured > 0);
    QVERIFY(first.afterMs <= first.beforeMs);
    for (const snapshot::TuneRow& row : first.rows)
        QVERIFY(row.us > 0);
    const std::string before(mapFile(log, 1 << 20)->text());
    QCOMPARE(static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
             first.rows.size());

    const bool quiet = std::none_of(first.rows.begin(), first.rows.end(),
                                    [](const snapshot::TuneRow& row) { return row.disturbed; });
    Pipeline tuned(inputs(log));
    const FusionPlan* plan = tuned.plan({}).value();
    // Where the log groups the operators as before; else rows speak of groups that there were.
    const bool asBefore = plan->groups.size() == untuned.plan({}).value()->groups.size();
    for (const snapshot::TuneRow& row : first.rows) {
        if (!asBefore || row.implementation == apartFromEachOther)
            continue;
        const auto group =
            std::find_if(plan->groups.begin(), plan->groups.end(), [&](const Group& one) {
                return row.chosenNow && one.implementation == row.implementation;
            });
        if (row.chosenNow) {
            QVERIFY(group != plan->groups.end());
            QVERIFY(group->source == "log" || !quiet);
        }
    }
    // Appended, not written anew.
    QVERIFY(tuneModel(untuned, log, arguments, {}).ok());
    const std::string after(mapFile(log, 1 << 20)->text());
    QVERIFY(after.size() > before.size() && after.starts_with(before));
}

void TestTune::knobsAreTried() {
    const std::string book = path("mine.fw"), log = path("knobs.jsonl");
    QVERIFY(writeFile(book,
                      "schedule tile {\n"
                      "  knob rows in 1..12 = 4\n"
                      "  knob wide in {1, 2, 100} = 1\n"
                      "  epilogue.fuse(p..., row)\n"
                      "  epilogue.split(row, r1, r0, rows, peel)\n"
                      "  epilogue.split(n, n1, lane, wide * lanes, guard)\n"
                      "  epilogue.reorder(r1, n1, r0, lane)\n"
                      "  epilogue.parallel(r1)\n"
                      "  epilogue.unroll(r0)\n"
                      "  epilogue.vectorize(lane)\n"
                      "  anchor.at(epilogue, n1)\n"
                      "}\n"
                      "implementations dense(...) on any { mine by schedule tile priority 20 }\n")
                .ok());
    PipelineInputs with = inputs({});
    with.rules = {book};
    Pipeline untuned(with);
    snapshot::Arguments arguments;
    arguments.seconds = 0.01;
    const snapshot::TuneDocument tuned = tuneModel(untuned, log, arguments, {}).value();
    std::set<std::string> tried;
    for (const snapshot::TuneRow& row : tuned.rows)
        if (row.implementation.starts_with("mine"))
            tried.insert(row.implementation);
    // 100 vectors have no registers, so nothing is measured there.
    QCOMPARE(tried, (std::set<std::string>{"mine", "mine(rows = 1)", "mine(rows = 12)",
                                           "mine(rows = 2)", "mine(rows = 3)", "mine(rows = 5)",
                                           "mine(rows = 8)", "mine(wide = 2)"}));

    // Without a log, or with one that knows other books, the values are those of the book.
    const FusionPlan* plan = untuned.plan({}).value();
    const Graph& graph = *untuned.simplified({}).value()->graph;
    const auto planWith = [&](const std::string& name, const std::string& file) {
        std::vector<TuningRecord> records;
        for (const Group& group : plan->groups)
            if (group.implementation == "mine") {
                const std::string workload =
                    workloadText(graph, graph.node(group.anchor), *untuned.target().value());
                records.push_back({workload, "mine", 2, group.name, false});
                records.push_back({workload, name, 1, group.name, false});
            }
        if (records.empty() || !appendTuningLog(path(file.c_str()), records).ok())
            throw InternalError("nothing is computed by it");
        PipelineInputs logged = with;
        logged.log = path(file.c_str());
        Pipeline pipeline(logged);
        std::set<std::string> chosen;
        for (const Group& group : pipeline.plan({}).value()->groups)
            if (entryOf(group.implementation) == "mine") {
                std::string rows;
                for (const Decision& decision : group.lowering.kernel->choice.decisions)
                    if (decision.code == ReasonCode::ScheduleWritten)
                        rows = decision.evidence.substr(decision.evidence.find("rows"));
                chosen.insert(group.implementation + ": " + rows);
            }
        return chosen;
    };
    using Names = std::set<std::string>;
    QCOMPARE(planWith("mine(rows = 8)", "rows.jsonl"),
             (Names{"mine(rows = 8): rows = 8, wide = 1"}));
    QCOMPARE(planWith("mine(rows = 8, wide = 2)", "both.jsonl"),
             (Names{"mine(rows = 8, wide = 2): rows = 8, wide = 2"}));
    for (const char* stale : {"mine(rows = 99)", "mine(columns = 2)", "mine(rows", "mine()"})
        QCOMPARE(planWith(stale, "stale.jsonl"), (Names{"mine: rows = 4, wide = 1"}));
}

void TestTune::disturbedTimesDecideNothing() {
    const TuningLog read = parseTuningLog(
        "{\"v\":1,\"workload\":\"w\",\"implementation\":\"a\",\"us\":3}\n"
        "{\"v\":1,\"workload\":\"w\",\"implementation\":\"a\",\"us\":9000,\"disturbed\":true}\n"
        "{\"v\":1,\"workload\":\"w\",\"implementation\":\"b\",\"us\":1,\"disturbed\":true}\n",
        "log");
    QVERIFY(read.diagnostics.empty());
    QCOMPARE(read.measurements.find("w", "a"), std::optional<double>(3));
    QVERIFY(!read.measurements.onlyDisturbed("w", "a"));
    QVERIFY(!read.measurements.find("w", "b"));
    QVERIFY(read.measurements.onlyDisturbed("w", "b"));

    // All of a log: the plan is the one without it, and says why.
    const std::string log = path("quiet.jsonl"), disturbed = path("disturbed.jsonl");
    Pipeline untuned(inputs({}));
    snapshot::Arguments arguments;
    arguments.seconds = 0.01;
    QVERIFY(tuneModel(untuned, log, arguments, {}).ok());
    QString text = QString::fromUtf8(mapFile(log, 1 << 20)->text());
    text.replace("\"disturbed\":true,", "").replace("{\"group\"", "{\"disturbed\":true,\"group\"");
    QVERIFY(writeFile(disturbed, text.toStdString()).ok());
    Pipeline pipeline(inputs(disturbed));
    const FusionPlan* plan = pipeline.plan({}).value();
    const FusionPlan* without = untuned.plan({}).value();
    QCOMPARE(plan->groups.size(), without->groups.size());
    for (std::size_t i = 0; i < plan->groups.size(); ++i) {
        QCOMPARE(plan->groups[i].implementation, without->groups[i].implementation);
        QVERIFY(plan->groups[i].source != "log");
    }
    QVERIFY(std::any_of(plan->notices.begin(), plan->notices.end(), [](const Decision& notice) {
        return notice.code == ReasonCode::NotMeasured &&
               notice.evidence.find("disturbed") != std::string::npos;
    }));
}

void TestTune::damagedLines() {
    const std::string log = path("damaged.jsonl");
    QVERIFY(writeFile(log, "{\"v\":1,\"workload\":\"w\",\"implementation\":\"a\",\"us\":3,"
                           "\"new\":true}\n"
                           "{\"v\":1,\"workload\":\"w\",\"implem\n"
                           "\n"
                           "{\"v\":1,\"workload\":\"w\",\"implementation\":\"b\",\"us\":-1}\n"
                           "{\"v\":1,\"workload\":\"w\",\"implementation\":\"b\",\"us\":0}\n"
                           "{\"v\":1,\"workload\":\"w\",\"implementation\":\"b\",\"us\":1e300}\n"
                           "{\"v\":1,\"workload\":\"w\",\"implementation\":\"b\",\"us\":1e999}\n"
                           "{\"v\":1,\"workload\":\"w\",\"implementation\":\"b\",\"us\":NaN}\n"
                           "{\"v\":1,\"workload\":\"w\",\"implementation\":\"b\",\"us\":Infinity}\n"
                           "{\"v\":1,\"workload\":\"w\",\"implementation\":\"a\",\"us\":2}")
                .ok());
    const TuningLog read = readTuningLog(log).value();
    QCOMPARE(read.measurements.find("w", "a"), std::optional<double>(2));
    QVERIFY(!read.measurements.find("w", "b"));
    QCOMPARE(read.diagnostics.size(), std::size_t(1));
    QCOMPARE(read.diagnostics[0].where.line, 2);
    QVERIFY2(
        read.diagnostics[0].message.starts_with("lines 2, 4, 5, 6, 7 and 2 more are no record"),
        read.diagnostics[0].message.c_str());
}

// A record of a run that was ended while it wrote, and logs that were joined behind one.
void TestTune::cutRecordsLoseNothingElse() {
    const auto record = [](const char* name, int us) {
        return "{\"group\":\"g\",\"implementation\":\"" + std::string(name) +
               "\",\"us\":" + std::to_string(us) + ",\"v\":1,\"workload\":\"w {axis = 1}\"}";
    };
    const std::string whole = record("a", 3) + "\n" + record("b", 2) + "\n";
    for (std::size_t cut = 1; cut < record("a", 3).size(); ++cut) {
        const TuningLog read = parseTuningLog(whole.substr(0, cut) + whole, "log");
        QCOMPARE(read.records.size(), std::size_t(2));
        QCOMPARE(read.measurements.find("w {axis = 1}", "a"), std::optional<double>(3));
        QCOMPARE(read.measurements.find("w {axis = 1}", "b"), std::optional<double>(2));
        QCOMPARE(read.diagnostics.size(), std::size_t(1));
        QVERIFY(read.diagnostics[0].message.find("was cut off") != std::string::npos);
    }
    const TuningLog other = parseTuningLog(
        "{\"v\":4,\"workload\":\"w\",\"implementation\":\"a\",\"us\":3}\n" + whole + "{\"v\":1,",
        "log");
    QCOMPARE(other.records.size(), std::size_t(2));
    QCOMPARE(other.diagnostics.size(), std::size_t(2));
    QCOMPARE(other.diagnostics[0].message,
             std::string("line 4 is no record of a measurement and passed over"));
    QCOMPARE(other.diagnostics[1].message,
             std::string("line 1 is of a version that is not known here and passed over"));
}

void TestTune::staleRecordsAreTold() {
    const std::string log = path("stale_told.jsonl");
    Pipeline untuned(inputs({}));
    snapshot::Arguments arguments;
    arguments.seconds = 0.001;
    QVERIFY(tuneModel(untuned, log, arguments, {}).ok());
    const auto notices = [&](const std::string& target) {
        snapshot::Request request;
        request.command = "fuse";
        request.arguments.model = inputs({}).model;
        request.arguments.target = target;
        request.arguments.log = log;
        Commands commands;
        const auto document =
            snapshot::fromJson<snapshot::FuseDocument>(commands.run(request, {}).value());
        std::string out;
        for (const std::string& notice : document->notices)
            if (notice.find("records") != std::string::npos)
                out += notice + "\n";
        return out;
    };
    const std::string same = "x86-64 -libs= -threads=1", other = "x86-64 -libs= -threads=2";
    QCOMPARE(notices(same), std::string());
    const std::size_t all = readTuningLog(log).value().records.size();
    const std::string elsewhere = notices(other);
    QVERIFY2(elsewhere.find(fmt::format("{} of {} records are of another CPU, target or number of "
                                        "threads than on ",
                                        all, all)) != std::string::npos,
             elsewhere.c_str());
    // Of each, as the log may have put some together, of which nobody asks for alone then.
    std::vector<TuningRecord> gone = readTuningLog(log).value().records;
    for (TuningRecord& record : gone)
        record.implementation = "generated.gone";
    QVERIFY(appendTuningLog(log, gone).ok());
    const std::string unknown = notices(same);
    QVERIFY2(unknown.find(fmt::format(" of {} records are of implementations that are not known "
                                      "here: generated.gone",
                                      2 * all)) != std::string::npos,
             unknown.c_str());
}

void TestTune::timesAtSizes() {
    const std::string front = "{\"v\":2,\"workload\":\"w\",\"implementation\":\"a\",\"us\":3,";
    const TuningLog read = parseTuningLog(
        front + "\"sizes\":{\"N\":16}}\n" + front + "\"disturbed\":true,\"sizes\":{\"N\":17}}\n" +
            front + "\"sizes\":{\"N\":-1}}\n" + front + "\"sizes\":{\"N\":1.5}}\n" + front +
            "\"sizes\":{\"N\":4294967296}}\n" + front + "\"sizes\":{}}\n" + front +
            "\"sizes\":{\"N\":1,\"M\":1}}\n" + front + "\"sizes\":3}\n" + front + "}\n",
        "log");
    QCOMPARE(read.diagnostics.size(), std::size_t(1));
    QVERIFY(read.diagnostics[0].message.starts_with("lines 3, 4, 5, 6, 7 and 2 more are no "));
    QVERIFY(!read.measurements.find("w", "a"));
    QVERIFY(!read.measurements.onlyDisturbed("w", "a"));
    const TimesBySize* known = read.measurements.bySize("w");
    QVERIFY(known != nullptr);
    QCOMPARE(known->dim, std::string("N"));
    QCOMPARE(known->times.size(), std::size_t(2));
    QVERIFY(!known->times.at(17).contains("a"));
    QCOMPARE(known->times.at(16).at("a"), 3.0);
}

void TestTune::missingLog() {
    Pipeline pipeline(inputs(path("nothing.jsonl")));
    const auto plan = pipeline.plan({});
    QVERIFY(!plan.ok());
    QCOMPARE(plan.diag().code, DiagCode::FileMissing);
}

// What was measured before the work was cancelled is in the log, and the rest can follow.
void TestTune::stoppedAtAnyTime() {
    Pipeline pipeline(inputs({}));
    snapshot::Arguments arguments;
    arguments.seconds = 0.001;
    const std::string log = path("stopped.jsonl");
    std::vector<std::string> steps;
    Context context;
    context.progress = [&](const StageProgress& step) {
        if (step.stage != "tune")
            return;
        steps.push_back(fmt::format("{}/{} {}", step.done, step.total, step.text));
        if (step.done == 2)
            context.cancel.cancel();
    };
    const auto stopped = tuneModel(pipeline, log, arguments, context);
    QVERIFY(!stopped.ok());
    QCOMPARE(stopped.diag().code, DiagCode::Cancelled);
    const auto workloads = [&] {
        std::set<std::string> out;
        const TuningLog read = readTuningLog(log).value();
        for (const TuningRecord& record : read.records)
            out.insert(record.workload);
        return read.diagnostics.empty() ? out.size() : 0;
    };
    QCOMPARE(workloads(), std::size_t(2));
    QCOMPARE(steps.size(), std::size_t(3));
    const std::string all = steps[0].substr(2, steps[0].find(' ') - 2);
    QVERIFY2(steps[0].starts_with("0/" + all + " ") && steps[2].starts_with("2/" + all + " ") &&
                 steps[2].ends_with(" ms at best so far)"),
             steps[2].c_str());
    QVERIFY(tuneModel(pipeline, log, arguments, {}).ok());
    QVERIFY(std::stoul(all) >= 4 && workloads() >= std::stoul(all));
}

void TestTune::unwritableLog() {
    Pipeline pipeline(inputs({}));
    snapshot::Arguments arguments;
    arguments.seconds = 0.001;
    const auto tuned = tuneModel(pipeline, "/dev/full", arguments, {});
    QVERIFY(!tuned.ok());
    QCOMPARE(tuned.diag().code, DiagCode::FileUnwritable);
}

void TestTune::shardsHaveEveryWorkloadOnce() {
    Pipeline pipeline(inputs({}));
    snapshot::Arguments arguments;
    arguments.seconds = 0.001;
    const auto workloads = [&](const std::string& log) {
        const snapshot::TuneDocument document = tuneModel(pipeline, log, arguments, {}).value();
        std::set<std::string> out;
        for (const snapshot::TuneRow& row : document.rows)
            out.insert(row.group);
        return out;
    };
    const std::set<std::string> whole = workloads(path("whole.jsonl"));
    QVERIFY(whole.size() > 1);
    std::set<std::string> parts;
    std::string joined;
    std::size_t sum = 0;
    for (int shard = 1; shard <= 5; ++shard) { // more than there are workloads
        arguments.shard = std::to_string(shard) + "/5";
        const std::string log = path(("part" + std::to_string(shard)).c_str());
        const std::set<std::string> part = workloads(log);
        sum += part.size();
        parts.insert(part.begin(), part.end());
        QFile file(QString::fromStdString(log));
        QVERIFY(file.open(QFile::ReadOnly));
        joined += file.readAll().toStdString();
    }
    // What another grouping leads to is measured beside that, but by shards.
    QVERIFY(std::includes(whole.begin(), whole.end(), parts.begin(), parts.end()));
    QCOMPARE(sum, parts.size());
    const std::string log = path("joined.jsonl");
    QVERIFY(writeFile(log, joined).ok());
    // They say something of the same, each once.
    const auto said = [](const std::string& file) {
        std::multiset<std::pair<std::string, std::string>> out;
        const TuningLog read = readTuningLog(file).value();
        for (const TuningRecord& record : read.records)
            out.emplace(record.workload, record.implementation);
        return out;
    };
    const auto one = said(log), all = said(path("whole.jsonl"));
    QVERIFY(std::includes(all.begin(), all.end(), one.begin(), one.end()));
    Pipeline tuned(inputs(log));
    for (const Group& group : tuned.plan({}).value()->groups)
        QVERIFY2(!group.hasCode() || !group.untuned, group.name.c_str());
}

// The records of one run, as shards would have written them, joined in any order; of one that
// failed a part, cut off, before it ran again.
void TestTune::joinedShardsDecideAsOneRun() {
    Pipeline pipeline(inputs({}));
    snapshot::Arguments arguments;
    arguments.seconds = 0.001;
    const std::string whole = path("one_run.jsonl");
    QVERIFY(tuneModel(pipeline, whole, arguments, {}).ok());
    TuningLog log = readTuningLog(whole).value();
    // Times that decide against what is chosen without them.
    for (std::size_t i = 0; i < log.records.size(); ++i) {
        log.records[i].disturbed = false;
        log.records[i].us = 100.0 - static_cast<double>(i);
    }
    const auto plan = [&](const std::string& file) {
        Pipeline tuned(inputs(file));
        std::string out;
        for (const Group& group : tuned.plan({}).value()->groups)
            out += group.name + " " + group.implementation + " " + group.source + "\n";
        return out;
    };
    const std::string one = path("one.jsonl");
    QVERIFY(appendTuningLog(one, log.records).ok());
    QVERIFY(plan(one) != plan({}));
    std::vector<std::string> parts(3);
    for (std::size_t part = 0; part < parts.size(); ++part) {
        std::vector<TuningRecord> records;
        std::set<std::string> workloads;
        for (const TuningRecord& record : log.records)
            workloads.insert(record.workload);
        for (const TuningRecord& record : log.records)
            if (static_cast<std::size_t>(
                    std::distance(workloads.begin(), workloads.find(record.workload))) %
                    parts.size() ==
                part)
                records.push_back(record);
        const std::string file = path(fmt::format("of3_{}.jsonl", part).c_str());
        QVERIFY(appendTuningLog(file, records).ok());
        parts[part] = readFile(file, 1 << 20).value();
    }
    std::sort(parts.begin(), parts.end());
    do {
        const std::string joined = path("any_order.jsonl");
        QVERIFY(writeFile(joined, parts[0] + parts[1] + parts[2]).ok());
        QCOMPARE(plan(joined), plan(one));
        QVERIFY(writeFile(joined,
                          parts[1].substr(0, parts[1].size() / 2) + parts[0] + parts[1] + parts[2])
                    .ok());
        QCOMPARE(plan(joined), plan(one));
    } while (std::next_permutation(parts.begin(), parts.end()));
}

void TestTune::shardsThatAreNone_data() {
    QTest::addColumn<QString>("shard");
    for (const char* shard : {"0/4", "5/4", "1/0", "1", "/", "1/", "/4", "-1/4", "1/4/2", "1 / 4",
                              "a/b", "1/1000001", "18446744073709551617/2"})
        QTest::newRow(shard) << QString::fromLatin1(shard);
}

void TestTune::shardsThatAreNone() {
    QFETCH(QString, shard);
    Pipeline pipeline(inputs({}));
    snapshot::Arguments arguments;
    arguments.shard = shard.toStdString();
    const auto tuned = tuneModel(pipeline, path("none.jsonl"), arguments, {});
    QVERIFY(!tuned.ok());
    QCOMPARE(tuned.diag().code, DiagCode::Usage);
    QVERIFY(!QFile::exists(QString::fromStdString(path("none.jsonl"))));
}

FW_TEST(TestTune, QCoreApplication)
#include "test_tune.moc"
