// Tuning logs: measured, appended, read again; they decide, and damage costs a line.
#include "base/files.h"
#include "session/tune.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace fw;

class TestTune : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void measuresAndDecides();
    void disturbedTimesDecideNothing();
    void damagedLines();
    void missingLog();
    void unwritableLog();

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
    for (const snapshot::TuneRow& row : first.rows) {
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
                           "{\"v\":1,\"workload\":\"w\",\"implementation\":\"a\",\"us\":2}")
                .ok());
    const TuningLog read = readTuningLog(log).value();
    QCOMPARE(read.measurements.find("w", "a"), std::optional<double>(2));
    QVERIFY(!read.measurements.find("w", "b"));
    QCOMPARE(read.diagnostics.size(), std::size_t(2));
    QCOMPARE(read.diagnostics[0].where.line, 2);
    QCOMPARE(read.diagnostics[1].where.line, 4);
}

void TestTune::missingLog() {
    Pipeline pipeline(inputs(path("nothing.jsonl")));
    const auto plan = pipeline.plan({});
    QVERIFY(!plan.ok());
    QCOMPARE(plan.diag().code, DiagCode::FileMissing);
}

void TestTune::unwritableLog() {
    Pipeline pipeline(inputs({}));
    snapshot::Arguments arguments;
    arguments.seconds = 0.001;
    const auto tuned = tuneModel(pipeline, "/dev/full", arguments, {});
    QVERIFY(!tuned.ok());
    QCOMPARE(tuned.diag().code, DiagCode::FileUnwritable);
}

QTEST_GUILESS_MAIN(TestTune)
#include "test_tune.moc"
