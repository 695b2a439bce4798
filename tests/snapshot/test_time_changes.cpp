// What a run took beside one that was measured before, and how such runs are kept in files.
#include "common/test.h"
#include "snapshot/document_file.h"
#include "snapshot/documents.h"
#include "snapshot/plan_changes.h"
#include "snapshot/time_changes.h"

#include <QFile>
#include <QTemporaryDir>

#include <limits>

using namespace fw;
using namespace fw::snapshot;

class TestTimeChanges : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void groupsArePaired();
    void noiseIsOfBothRuns();
    void disturbedTimesSayNothing();
    void runsThatDoNotCompare_data();
    void runsThatDoNotCompare();
    void changesHaveTimes();
    void selectionHasSums();
    void differencesAreTold();
    void documentKeepsTimes();
    void hostileTimesAreRefused_data();
    void hostileTimesAreRefused();
    void tooManyAreLeftOut();
    void baselinesAreFiles();

private:
    std::string file(const char* name) const {
        return m_folder.filePath(QString::fromUtf8(name)).toStdString();
    }
    QTemporaryDir m_folder;
};

namespace {

ProfileRow row(int group, const std::string& name, const std::vector<std::string>& nodes, double us,
               double iqr = 0) {
    ProfileRow out;
    out.groupId = group;
    out.group = name;
    for (const std::string& node : nodes) {
        out.nodes.push_back({node[0], node, 1.0 / double(nodes.size()), true, {}});
        out.origins.push_back(node[0]);
    }
    out.implementation = "generated";
    out.calls = 1;
    out.medianUs = out.minUs = us;
    out.iqrUs = iqr;
    return out;
}

ProfileDocument run(std::vector<ProfileRow> rows) {
    ProfileDocument out;
    out.model = "m";
    out.target = "x86-64 -mcpu=x86-64-v3 -libs= -threads=2";
    out.rows = std::move(rows);
    for (const ProfileRow& one : out.rows)
        out.sumMs += one.medianUs / 1e3;
    out.endToEndMs = out.sumMs;
    out.runs = 100;
    out.threads = 2;
    out.iqrPercent = 2;
    out.machine = "A CPU";
    out.taken = "2026-11-28T18:40:12Z";
    out.inputs = {{"x", "f32[1, 64]"}};
    out.dims = {{"N", 1}};
    return out;
}

std::string codesOf(const TimesComparison& times) {
    std::string out;
    for (const DecisionRecord& one : times.apart)
        out += one.code + " ";
    return out;
}

FuseDocument planOfRows(const std::vector<ProfileRow>& rows) {
    FuseDocument out;
    for (const ProfileRow& one : rows) {
        GroupRecord& group = out.groups.emplace_back();
        group.id = one.groupId;
        group.name = one.group;
        group.implementation = one.implementation;
        group.estUs = 10;
        for (const ShareRecord& node : one.nodes) {
            group.nodes.push_back(node.name);
            group.nodeIds.push_back(node.id);
        }
    }
    return out;
}

} // namespace

void TestTimeChanges::groupsArePaired() {
    // Two that became one, with the reorder around its call; one that stays; one that went.
    const ProfileDocument before = run({row(0, "a_0", {"a"}, 20, 1), row(1, "b_1", {"b"}, 30, 1),
                                        row(2, "c_2", {"c"}, 7, 1), row(3, "d_3", {"d"}, 5, 1)});
    ProfileDocument after = run({row(0, "a_b_0", {"a", "b"}, 40, 1), row(0, "reorder", {}, 2, 1),
                                 row(1, "c_1", {"c"}, 7.5, 1)});
    const TimesComparison times = compareTimes(before, after);
    QVERIFY(isComparable(times));
    QCOMPARE(codesOf(times), std::string());
    QCOMPARE(times.groups.size(), std::size_t(3));
    const GroupDifference* merged = differenceOf(times, 0);
    QVERIFY(merged);
    QCOMPARE(merged->before, (std::vector<std::string>{"a_0", "b_1"}));
    QCOMPARE(*merged->time.beforeUs, 50.0);
    QCOMPARE(*merged->time.afterUs, 42.0);
    QVERIFY(merged->time.code.empty());
    QVERIFY(differenceOf(times, 1)->time.code == "TIM06");
    QVERIFY(!times.groups[2].time.afterUs); // d went
    QVERIFY(!differenceOf(times, 7));
    QCOMPARE(*times.sum.beforeUs, 62.0);
    QCOMPARE(*times.sum.afterUs, 49.5);
    // What a rule made has another name, and stands for both.
    after = run({row(0, "made_0", {"m"}, 40, 1)});
    after.rows[0].origins = {'a', 'b'};
    after.rows.push_back(row(1, "c_1", {"c"}, 7, 1));
    QCOMPARE(*differenceOf(compareTimes(before, after), 0)->time.beforeUs, 50.0);
}

void TestTimeChanges::noiseIsOfBothRuns() {
    const auto codeAt = [](double now, double iqrBefore, double iqrNow) {
        const auto times = compareTimes(run({row(0, "a", {"a"}, 100, iqrBefore)}),
                                        run({row(0, "a", {"a"}, now, iqrNow)}));
        return times.groups[0].time.code.str();
    };
    QCOMPARE(codeAt(104, 4, 6), std::string("TIM06")); // 5 us of noise
    QCOMPARE(codeAt(96, 4, 6), std::string("TIM06"));
    QCOMPARE(codeAt(106, 4, 6), std::string());
    QCOMPARE(codeAt(106, 20, 0), std::string("TIM06"));
    QCOMPARE(codeAt(100, 0, 0), std::string("TIM06"));
    // A run of an earlier version says no spread of a group.
    ProfileDocument old = run({row(0, "a", {"a"}, 100)});
    old.rows[0].iqrUs.reset();
    old.iqrPercent = 10;
    QCOMPARE(compareTimes(old, run({row(0, "a", {"a"}, 104)})).groups[0].time.noiseUs, 5.0);
}

void TestTimeChanges::disturbedTimesSayNothing() {
    ProfileDocument before = run({row(0, "a", {"a"}, 100)}), after = run({row(0, "a", {"a"}, 50)});
    before.rows[0].disturbed = true;
    QVERIFY(compareTimes(before, after).groups[0].time.code == "TIM04");
    QCOMPARE(codesOf(compareTimes(before, after)), std::string());
    after.disturbed = true; // end to end: it compares, with a note
    const TimesComparison times = compareTimes(before, after);
    QCOMPARE(codesOf(times), std::string("TIM04 "));
    QVERIFY(isComparable(times));
    QVERIFY(times.endToEnd.code == "TIM04");
    after.threads = before.threads + 1; // nothing compares
    QCOMPARE(codesOf(compareTimes(before, after)), std::string("TIM02 "));
}

void TestTimeChanges::runsThatDoNotCompare_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("evidence");
    const auto add = [](const char* what, const char* code, const char* evidence) {
        QTest::newRow(what) << QString::fromUtf8(what) << QString::fromUtf8(code)
                            << QString::fromUtf8(evidence);
    };
    add("sizes", "TIM01", "x is f32[8, 64] and was f32[1, 64]");
    add("dims", "TIM01", "N is 8 and was 1");
    add("threads", "TIM02", "1 and were 2");
    add("machine", "TIM03", "Another CPU and was A CPU");
    add("level", "TIM03", "-mcpu=x86-64-v4 and was -mcpu=x86-64-v3");
    add("precision", "TIM05", "x is f16[1, 64] and was f32[1, 64]");
    add("model", "TIM07", "n and m");
}

void TestTimeChanges::runsThatDoNotCompare() {
    QFETCH(QString, what);
    QFETCH(QString, code);
    QFETCH(QString, evidence);
    const ProfileDocument before = run({row(0, "a", {"a"}, 100)});
    ProfileDocument after = before;
    if (what == QStringLiteral("sizes"))
        after.inputs["x"] = "f32[8, 64]";
    else if (what == QStringLiteral("dims"))
        after.dims["N"] = 8;
    else if (what == QStringLiteral("threads"))
        after.threads = 1;
    else if (what == QStringLiteral("machine"))
        after.machine = "Another CPU";
    else if (what == QStringLiteral("level"))
        after.target = "x86-64 -mcpu=x86-64-v4 -libs= -threads=2";
    else if (what == QStringLiteral("precision"))
        after.inputs["x"] = "f16[1, 64]";
    else
        after = run({row(0, "z", {"z"}, 100)}), after.model = "n";
    const TimesComparison times = compareTimes(before, after);
    QVERIFY(!isComparable(times));
    QCOMPARE(times.apart.size(), std::size_t(1));
    QCOMPARE(QString::fromStdString(times.apart[0].code), code);
    QVERIFY2(QString::fromStdString(times.apart[0].sentence).contains(evidence),
             times.apart[0].sentence.c_str());
    QVERIFY(isComparable(compareTimes(before, before)));
    // Libraries are what one compares.
    after = before;
    after.target = "x86-64 -mcpu=x86-64-v3 -libs=openblas -threads=2";
    QVERIFY(isComparable(compareTimes(before, after)));
}

void TestTimeChanges::changesHaveTimes() {
    const ProfileDocument before =
        run({row(0, "a_0", {"a"}, 20, 1), row(1, "b_1", {"b"}, 30, 1), row(2, "c_2", {"c"}, 7, 1)});
    const ProfileDocument after =
        run({row(0, "a_b_0", {"a", "b"}, 40, 1), row(1, "c_1", {"c"}, 7, 1)});
    DiffDocument diff = comparePlans(planOfRows(before.rows), planOfRows(after.rows));
    QVERIFY(!diff.measured && !diff.changed.at(0).measured);
    QVERIFY(diff.same.empty()); // unless it is asked for
    addTimes(diff, before, after);
    QCOMPARE(*diff.changed.at(0).measured->beforeUs, 50.0);
    QCOMPARE(*diff.changed.at(0).measured->afterUs, 40.0);
    QCOMPARE(*diff.measured->beforeUs, 57.0);
    QCOMPARE(*diff.measured->afterUs, 47.0);
    QVERIFY(diff.apart.empty());
    ProfileDocument other = after;
    other.threads = 1;
    addTimes(diff, before, other);
    QCOMPARE(diff.apart.at(0).code, std::string("TIM02"));
    QCOMPARE(*fromJson<DiffDocument>(toJson(diff)), diff);
}

void TestTimeChanges::selectionHasSums() {
    const ProfileDocument before =
        run({row(0, "a_0", {"a"}, 20, 1), row(1, "b_1", {"b"}, 30, 1), row(2, "c_2", {"c"}, 7, 1)});
    const ProfileDocument after =
        run({row(0, "a_b_0", {"a", "b"}, 40, 1), row(1, "c_1", {"c"}, 7, 1)});
    DiffDocument diff =
        comparePlans(planOfRows(before.rows), planOfRows(after.rows), Unchanged::List);
    QCOMPARE(diff.same.size(), std::size_t(1));
    addTimes(diff, before, after);
    const ChangeRecord one = sumOf(diff, {0});
    QCOMPARE(*one.estBeforeUs, 20.0);
    QCOMPARE(*one.estAfterUs, 10.0);
    QCOMPARE(*one.measured->beforeUs, 50.0);
    const ChangeRecord both = sumOf(diff, {0, 1});
    QCOMPARE(*both.estBeforeUs, 30.0);
    QCOMPARE(*both.estAfterUs, 20.0);
    QCOMPARE(*both.measured->beforeUs, 57.0);
    QCOMPARE(*both.measured->afterUs, 47.0);
    QCOMPARE(both.measured->noiseUs, 2.5); // of the first 1.5, of the second 1
    QVERIFY(!sumOf(diff, {9}).measured);
    QVERIFY(sumOf(diff, {9}).after.empty());
}

void TestTimeChanges::differencesAreTold() {
    QCOMPARE(differenceText({100.0, 88.0, 2, ""}), std::string("− 12.0 µs (12 %)"));
    QCOMPARE(differenceText({100.0, 112.0, 2, ""}), std::string("+ 12.0 µs (12 %)"));
    QCOMPARE(differenceText({100.0, 101.0, 2, "TIM06"}), std::string("± 1.0 µs (1 %)"));
    QCOMPARE(differenceText({100.0, 150.0, 2, "TIM04"}), std::string("+ 50.0 µs (50 %) *"));
    QCOMPARE(differenceText({{}, 150.0, 2, ""}), std::string());
    QCOMPARE(
        differenceSentence({100.0, 101.0, 2, "TIM06"}),
        std::string("TIM06 the difference lies within the noise: 100 µs → 101 µs, noise 2.0 µs"));
    QCOMPARE(takenText("A CPU", "2026-11-28T18:40:12Z"),
             std::string("A CPU, 2026-11-28 18:40 UTC"));
}

void TestTimeChanges::documentKeepsTimes() {
    Inputs inputs;
    inputs.model = file("net.onnx");
    const std::string path = file("a.fwdoc");
    SavedTimes times;
    times.baseline = std::make_shared<ProfileDocument>(run({row(0, "a <b>\n", {"a"}, 100, 2)}));
    ProfileDocument last = run({row(0, "a", {"a"}, 90, 1)});
    last.notices = {"a notice"};
    last.start.processMs = 7;
    times.last = std::make_shared<ProfileDocument>(last);
    times.plan = "0123";
    QVERIFY(saveDocument(inputs, path, {}, times).ok());
    QCOMPARE(*loadDocument(path), inputs);
    const SavedTimes read = loadTimes(path);
    QVERIFY(read.baseline && read.last);
    QCOMPARE(*read.baseline, *times.baseline);
    QCOMPARE(read.plan, std::string("0123"));
    QCOMPARE(read.last->rows, last.rows);
    QVERIFY(read.last->notices.empty()); // they said something of that run
    QCOMPARE(read.last->start, StartRecord());
    // None are none.
    QVERIFY(saveDocument(inputs, path).ok());
    QVERIFY(!loadTimes(path).baseline && !loadTimes(path).last);
    QVERIFY(!loadTimes("/nowhere/a.fwdoc").last);
    const std::string text = documentText(inputs, {}, {}, times);
    for (std::size_t size = 0; size + 2 < text.size(); size += 11) // a file cut anywhere
        QVERIFY(!parseDocument(std::string_view(text).substr(0, size), "x").ok());
}

void TestTimeChanges::hostileTimesAreRefused_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("why");
    const auto add = [](const char* name, const char* from, const char* to, const char* why) {
        QTest::newRow(name) << QString::fromUtf8(from) << QString::fromUtf8(to)
                            << QString::fromUtf8(why);
    };
    add("negative", "\"median_us\":100.0", "\"median_us\":-3", "the median of a is -3 us");
    add("huge", "\"median_us\":100.0", "\"median_us\":1e300", "which is no time");
    add("a text", "\"median_us\":100.0", "\"median_us\":\"soon\"", "median_us");
    add("spread", "\"iqr_us\":2.0", "\"iqr_us\":-1", "the spread of a is -1 us");
    add("share", "\"share\":1.0", "\"share\":40", "a share that is none");
    add("group", "\"group_id\":0", "\"group_id\":-7", "a is group -7");
    add("threads", "\"threads\":2", "\"threads\":0", "100 runs on 0 threads are none");
    add("runs", "\"runs\":100", "\"runs\":0", "0 runs");
    add("taken", "2026-11-28T18:40:12Z", "tomorrow", "they were taken at 'tomorrow'");
    add("whole", "\"sum_ms\":0.1", "\"sum_ms\":-0.1", "which is no time");
    add("percent", "\"iqr_percent\":2.0", "\"iqr_percent\":-2", "the spread is -2 %");
    add("rows", "\"rows\":[", "\"rows\":[],\"more\":[", "no group was measured");
}

void TestTimeChanges::hostileTimesAreRefused() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, why);
    Inputs inputs;
    inputs.model = "/net.onnx";
    SavedTimes times;
    times.baseline = std::make_shared<ProfileDocument>(run({row(0, "a", {"a"}, 100, 2)}));
    QString text = QString::fromStdString(documentText(inputs, "/here", {}, times));
    QVERIFY(parseDocument(text.toStdString(), "/here/a.fwdoc").ok());
    QVERIFY2(text.contains(from), qPrintable(text));
    text.replace(from, to);
    const Result<Inputs> read = parseDocument(text.toStdString(), "/here/a.fwdoc");
    QVERIFY(!read.ok());
    QCOMPARE(read.diag().code, DiagCode::Syntax);
    QCOMPARE(read.diag().where.file, std::string("/here/a.fwdoc"));
    QVERIFY2(read.diag().message.find("has a field baseline that is wrong") != std::string::npos,
             read.diag().message.c_str());
    QVERIFY2(QString::fromStdString(read.diag().message).contains(why),
             read.diag().message.c_str());
    QVERIFY(!read.diag().hint.empty());
    text.replace(to, QStringLiteral("1e999")); // is no JSON
    QVERIFY(!parseDocument(text.toStdString(), "/here/a.fwdoc").ok());
}

void TestTimeChanges::tooManyAreLeftOut() {
    Inputs inputs;
    inputs.model = "/net.onnx";
    ProfileDocument large = run({});
    for (std::size_t i = 0; i <= mostTimedRows; ++i)
        large.rows.push_back(row(int(i), "g", {"a"}, 1));
    QVERIFY(timesText(large, {}).empty());
    SavedTimes times;
    times.last = std::make_shared<ProfileDocument>(large);
    const std::string path = file("large.fwdoc");
    QVERIFY(saveDocument(inputs, path, {}, times).ok());
    QVERIFY(!loadTimes(path).last);
    QCOMPARE(*loadDocument(path), inputs);
    // One that says so all the same is refused.
    const std::string text = "{\"fusewright_document\": 1, \"model\": \"m\", \"baseline\": "
                             "{\"profile\": " +
                             toJson(large) + "}}";
    const Result<Inputs> read = parseDocument(text, "x");
    QVERIFY(!read.ok());
    QVERIFY2(read.diag().message.find("at most") != std::string::npos, read.diag().message.c_str());
    // As many as are kept fit into a document twice.
    large.rows.resize(mostTimedRows);
    for (ProfileRow& one : large.rows)
        one.group = std::string(5000, 'g');
    QVERIFY(timesText(large, {}).empty());
}

void TestTimeChanges::baselinesAreFiles() {
    const ProfileDocument times = run({row(0, "a", {"a"}, 100, 2)});
    const auto write = [&](const char* name, const std::string& text) {
        QFile out(m_folder.filePath(QString::fromUtf8(name)));
        return out.open(QIODevice::WriteOnly) && out.write(text.data(), qint64(text.size())) >= 0;
    };
    QVERIFY(write("times.json", toJson(times)));
    QCOMPARE(*loadBaseline(file("times.json")), times);
    QVERIFY(write("wrong.json", "{\"rows\": 7}"));
    const auto wrong = loadBaseline(file("wrong.json"));
    QVERIFY(!wrong.ok());
    QVERIFY2(wrong.diag().message.find("is no answer of `fw profile --json`") != std::string::npos,
             wrong.diag().message.c_str());
    QVERIFY(!loadBaseline(file("nothing.json")).ok());
    QVERIFY(!loadBaseline(m_folder.path().toStdString()).ok());
    Inputs inputs;
    inputs.model = "/net.onnx";
    QVERIFY(saveDocument(inputs, file("none.fwdoc")).ok());
    QVERIFY(loadBaseline(file("none.fwdoc")).diag().message.find("has no times") !=
            std::string::npos);
    SavedTimes kept;
    kept.last = std::make_shared<ProfileDocument>(times);
    QVERIFY(saveDocument(inputs, file("last.fwdoc"), {}, kept).ok());
    QCOMPARE(loadBaseline(file("last.fwdoc"))->rows, times.rows);
}

FW_TEST(TestTimeChanges, QCoreApplication)
#include "test_time_changes.moc"
