// A machine that is saved and planned for elsewhere: the same plans, its libraries, its log.
#include "asked.h"

#include "base/files.h"
#include "common/test.h"
#include "session/tuning_log.h"
#include "target/saved_machine.h"

#include <QDir>
#include <QTemporaryDir>

#include <fmt/format.h>

using namespace fw;
using namespace fw::test;

class TestSaveMachine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void plansAreThoseOfTheMachine_data();
    void plansAreThoseOfTheMachine();
    void librariesThatItHasNot();
    void itsLogDecides();
    void itIsNotTunedElsewhere();
    void figuresThatAreNone();
    void figuresThatItLacks();
    void whatIsNotHereIsNotSaved();
    void filesOfTheRepository();

private:
    std::string path(const char* name) const {
        return m_folder.filePath(QString::fromLatin1(name)).toStdString();
    }
    snapshot::FuseDocument plan(const std::string& sample, const std::string& target,
                                const std::string& log = {}) {
        snapshot::Arguments arguments = on(sample);
        arguments.target = target;
        arguments.log = log;
        return m_asked.get<snapshot::FuseDocument>("fuse", arguments);
    }
    // This machine with another name, and without what `keep` refuses.
    template <class Keep>
    std::string changed(const char* name, const Keep& keep) {
        const std::string text = readFile(m_file, 65536).value();
        std::string out;
        for (const QString& line : QString::fromStdString(text).split(u'\n'))
            if (!line.isEmpty() && keep(line))
                out += (line.startsWith(QStringLiteral("machine "))
                            ? std::string("machine Another CPU")
                            : line.toStdString()) +
                       "\n";
        if (!writeFile(path(name), out).ok())
            throw InternalError("it cannot be written");
        return path(name);
    }

    QTemporaryDir m_folder;
    Asked m_asked;
    std::string m_file;
};

void TestSaveMachine::initTestCase() {
    qunsetenv("FUSEWRIGHT_MACHINE");
    m_file = path("this.machine");
    snapshot::Arguments arguments;
    arguments.target = "x86-64 -threads=1";
    arguments.output = m_file;
    const auto saved = m_asked.get<snapshot::DoctorDocument>("doctor", arguments);
    QVERIFY2(saved.ceilingsFrom.ends_with("; saved in " + m_file), saved.ceilingsFrom.c_str());
}

void TestSaveMachine::plansAreThoseOfTheMachine_data() {
    QTest::addColumn<QString>("sample");
    for (const char* sample : {"mlp", "lenet", "mobilenet", "attention"})
        QTest::newRow(sample) << QString::fromLatin1(sample);
}

void TestSaveMachine::plansAreThoseOfTheMachine() {
    QFETCH(const QString, sample);
    const auto here = plan(sample.toStdString(), "x86-64 -threads=1");
    const auto there = plan(sample.toStdString(), "x86-64 -mcpu=" + m_file);
    QCOMPARE(there.target, "x86-64 -mcpu=" + m_file + " -threads=1");
    QCOMPARE(there.groups.size(), here.groups.size());
    for (std::size_t i = 0; i < here.groups.size(); ++i) {
        QCOMPARE(there.groups[i].implementation, here.groups[i].implementation);
        QCOMPARE(there.groups[i].source, here.groups[i].source);
        QCOMPARE(there.groups[i].estUs.has_value(), here.groups[i].estUs.has_value());
        // Figures are written with four digits.
        if (here.groups[i].estUs)
            QVERIFY(std::abs(*there.groups[i].estUs - *here.groups[i].estUs) <=
                    2e-3 * *here.groups[i].estUs);
    }
}

void TestSaveMachine::librariesThatItHasNot() {
    const std::string none = changed("none.machine", [](const QString& line) {
        return !line.startsWith(QStringLiteral("library "));
    });
    for (const snapshot::GroupRecord& group : plan("lenet", "x86-64 -mcpu=" + none).groups)
        QVERIFY2(group.implementation == "view" ||
                     group.implementation.str().starts_with("generated."),
                 group.implementation.str().c_str());
}

void TestSaveMachine::itsLogDecides() {
    const std::string other = changed("other.machine", [](const QString&) { return true; });
    const std::string target = "x86-64 -libs= -mcpu=" + other;
    PipelineInputs inputs;
    inputs.model = samples + "mlp";
    inputs.target = target;
    Pipeline pipeline(inputs);
    const FusionPlan* untuned = pipeline.plan({}).value();
    const Graph& graph = *pipeline.simplified({}).value()->graph;
    std::vector<TuningRecord> records;
    for (const Group& group : untuned->groups)
        for (const Candidate& candidate : group.candidates) {
            const std::string workload =
                workloadText(graph, graph.node(group.anchor), *pipeline.target().value());
            QVERIFY2(workload.ends_with(" threads=1 cpu=Another CPU"), workload.c_str());
            records.push_back({workload, candidate.implementation,
                               candidate.implementation == "generated.plain" ? 1.0 : 2.0,
                               group.name});
        }
    const std::string log = path("other.jsonl");
    QVERIFY(appendTuningLog(log, records).ok());
    int decided = 0;
    for (const snapshot::GroupRecord& group : plan("mlp", target, log).groups)
        decided += group.implementation == "generated.plain" && group.source == "log" ? 1 : 0;
    QVERIFY(decided > 0);
    // It says nothing of this machine.
    for (const snapshot::GroupRecord& group : plan("mlp", "x86-64 -libs= -threads=1", log).groups)
        QVERIFY(group.source != "log");
}

void TestSaveMachine::itIsNotTunedElsewhere() {
    snapshot::Arguments arguments = on("mlp");
    arguments.target =
        "x86-64 -mcpu=" + changed("away.machine", [](const QString&) { return true; });
    arguments.log = path("away.jsonl");
    const auto refused = m_asked.ask("tune", arguments);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.diag().code, DiagCode::NotRunnable);
    QVERIFY(!QFile::exists(QString::fromStdString(arguments.log)));
}

void TestSaveMachine::figuresThatAreNone() {
    const std::string file = changed("damaged.machine", [](const QString& line) {
        return !line.startsWith(QStringLiteral("gflops"));
    });
    std::string text = readFile(file, 65536).value();
    const auto lines = std::count(text.begin(), text.end(), '\n');
    QVERIFY(writeFile(file, text + "gflops many\n").ok());
    snapshot::Arguments arguments = on("mlp");
    arguments.target = "x86-64 -mcpu=" + file;
    const auto refused = m_asked.ask("fuse", arguments);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.diag().code, DiagCode::Syntax);
    QCOMPARE(refused.diag().where.file, file);
    QCOMPARE(refused.diag().where.line, static_cast<int>(lines) + 1);
}

// They are not shown as if it said them.
void TestSaveMachine::figuresThatItLacks() {
    const std::string whole = changed("whole.machine", [](const QString&) { return true; });
    const std::string file = changed("lacking.machine", [](const QString& line) {
        return !line.startsWith(QStringLiteral("l2_gbps")) &&
               !line.startsWith(QStringLiteral("own.pool")) &&
               !line.contains(QStringLiteral("onednn"));
    });
    const auto shown = [&](const std::string& machine) {
        snapshot::Arguments arguments;
        arguments.target = "x86-64 -mcpu=" + machine;
        return m_asked.get<snapshot::DoctorDocument>("doctor", arguments);
    };
    for (const std::string& machine : {whole, file}) {
        const auto doctor = shown(machine);
        const std::string text = readFile(machine, 65536).value();
        bool lacks = false;
        for (const snapshot::CeilingRecord& one : doctor.ceilings) {
            const bool says = text.find("\n" + one.name + " ") != std::string::npos;
            QVERIFY2(one.value.has_value() == says, one.name.c_str());
            QVERIFY2(machine == whole || !one.name.starts_with("onednn."), one.name.c_str());
            lacks = lacks || !says;
        }
        QVERIFY(lacks || machine == whole);
        QCOMPARE(doctor.ceilingsFrom,
                 machine + ", of Another CPU" +
                     (lacks ? "; plans take what it does not say from a table" : ""));
    }
}

void TestSaveMachine::whatIsNotHereIsNotSaved() {
    snapshot::Arguments arguments;
    arguments.target = "x86-64 -mcpu=" + m_file;
    arguments.output = path("again.machine");
    const auto refused = m_asked.ask("doctor", arguments);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.diag().code, DiagCode::NotRunnable);
}

// Each of them can be planned for, on any machine.
void TestSaveMachine::filesOfTheRepository() {
    const QDir folder(QStringLiteral(FW_SOURCE_DIR "/resources/machines"));
    const QStringList files = folder.entryList({QStringLiteral("*.machine")});
    QVERIFY(files.size() >= 2);
    for (const QString& name : files) {
        const std::string file = folder.filePath(name).toStdString();
        const Target target = parseTarget("x86-64 -mcpu=" + file).value();
        QVERIFY(!machineOf(target)->libraries.empty());
        // Every figure of it is shown.
        snapshot::Arguments shown;
        shown.target = target.text;
        const auto doctor = m_asked.get<snapshot::DoctorDocument>("doctor", shown);
        QVERIFY2(doctor.ceilingsFrom.starts_with(file), doctor.ceilingsFrom.c_str());
        const QStringList lines =
            QString::fromStdString(readFile(file, 65536).value()).split(u'\n');
        std::size_t figures = 0;
        for (const snapshot::CeilingRecord& one : doctor.ceilings)
            figures += static_cast<std::size_t>(
                lines.filter(QString::fromStdString(one.name) + u' ').value(0).section(u' ', 1) ==
                QString::number(one.value.value_or(0), 'g', 4));
        QVERIFY2(figures > 15, qPrintable(QString::number(figures)));
        const auto document = plan("mobilenet", target.text + " -libs=");
        for (const snapshot::GroupRecord& group : document.groups)
            QVERIFY(group.implementation == "view" || group.estUs.value_or(0) > 0);
    }
}

FW_TEST(TestSaveMachine, QCoreApplication)
#include "test_save_machine.moc"
