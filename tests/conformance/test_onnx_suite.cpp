// The backend tests of ONNX, as Debian's libonnx-testdata brings them: every case through own code,
// through the plans of libraries and by the reference alone, and written as ONNX and read again.
// What is refused stands in suite_unsupported.txt with the reason, what cannot pass because its
// data is wrong in suite_contradictions.txt, what is not written or comes back as another graph in
// suite_written.txt; a case that begins to pass is to be taken out of it. A wrong result or a crash
// is never expected. Skipped, and said so, where the package is not there (FW_ONNX_SUITE names
// another folder).
#include "fw_process.h"

#include "common/long_functions.h"
#include "onnx/data_cases.h"
#include "onnx/reading.h"
#include "onnx/write/export.h"
#include "snapshot/documents.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

#include <map>
#include <memory>
#include <vector>

using namespace fw::conformance;
using namespace Qt::StringLiterals;

namespace {

const QString suiteRoot = onnxSuite();
const QString contradictionsFile =
    QStringLiteral(FW_SOURCE_DIR "/tests/conformance/suite_contradictions.txt");
const QString refusedFile =
    QStringLiteral(FW_SOURCE_DIR "/tests/conformance/suite_unsupported.txt");

QStringList caseFolders() {
    return onnxSuiteFolders();
}

// SUITE/CASE, as in the file.
QString nameOf(const QString& folder) {
    return QDir(suiteRoot).relativeFilePath(folder);
}

QMap<QString, QString> reasonsIn(const QString& path) {
    QMap<QString, QString> reasons;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return reasons;
    for (const QString& line : QString::fromUtf8(file.readAll()).split(u'\n'))
        if (!line.startsWith(u'#') && !line.trimmed().isEmpty())
            reasons[line.section(u' ', 0, 0)] = line.section(u' ', 1).trimmed();
    return reasons;
}

const QString writtenFile = QStringLiteral(FW_SOURCE_DIR "/tests/conformance/suite_written.txt");

constexpr int workers = 2;

struct Case {
    QString name, verdict, reason;
};

// One process for each half of the cases. In the order of the folders; fewer if one died.
std::vector<Case> run(const QStringList& folders, const QString& target, QString& died) {
    std::vector<std::unique_ptr<QProcess>> running;
    for (int worker = 0; worker < workers; ++worker) {
        QStringList arguments{u"test"_s, u"--json"_s, u"--target"_s, target};
        for (qsizetype i = worker; i < folders.size(); i += workers)
            arguments << folders[i];
        running.push_back(std::make_unique<QProcess>());
        running.back()->start(programPath(), arguments);
    }
    std::vector<Case> cases(static_cast<std::size_t>(folders.size()));
    for (std::size_t worker = 0; worker < running.size(); ++worker) {
        QProcess& process = *running[worker];
        if (!process.waitForFinished(600 * 1000) || process.exitStatus() != QProcess::NormalExit) {
            died = u"fw test did not end: "_s +
                   QString::fromUtf8(process.readAllStandardError().right(2000));
            return {};
        }
        const auto document = fw::snapshot::fromJson<fw::snapshot::TestDocument>(
            process.readAllStandardOutput().toStdString());
        if (!document) {
            died = QString::fromStdString(document.diag().text());
            return {};
        }
        for (std::size_t i = 0; i < document->cases.size(); ++i) {
            const auto& record = document->cases[i];
            cases.at(worker + i * workers) = {nameOf(QString::fromStdString(record.name)),
                                              QString::fromStdString(record.verdict),
                                              QString::fromStdString(record.reason)};
        }
    }
    return cases;
}

// What the engine says, without places and without advice.
QString shortReason(QString reason) {
    static const QRegularExpression place(u"^.*?error [A-Z]{3}\\d\\d: "_s);
    static const QRegularExpression advice(u" \\((?!opset).*$|; \\d+ other nodes? .*$"_s);
    reason.remove(place);
    reason.remove(advice);
    return reason;
}

QStringList surprises(const std::vector<Case>& cases) {
    const QMap<QString, QString> refused = reasonsIn(refusedFile);
    const QMap<QString, QString> contradictions = reasonsIn(contradictionsFile);
    QStringList wrong;
    for (const Case& one : cases)
        if (one.verdict != (contradictions.contains(one.name) ? u"failed"_s
                            : refused.contains(one.name)      ? u"unsupported"_s
                                                              : u"passed"_s))
            wrong << u"%1: %2 %3"_s.arg(one.name, one.verdict, one.reason);
    return wrong;
}

// How many cases of an operator pass in an opset, and why the others are refused.
struct Row {
    int passed = 0, refused = 0;
    QStringList reasons;
};

QByteArray table(const std::vector<Case>& cases) {
    const QMap<QString, QString> contradictions = reasonsIn(contradictionsFile);
    std::map<std::pair<QString, qint64>, Row> rows;
    int passed = 0;
    for (const Case& one : cases) {
        const auto model =
            fw::importModel((suiteRoot + u'/' + one.name + u"/model.onnx"_s).toStdString(),
                            fw::standardOperators());
        QString op = u"(not opened)"_s;
        qint64 opset = 0;
        if (model) {
            opset = model->info.opset;
            op = model->info.operators.size() == 1
                     ? QString::fromStdString(model->info.operators.begin()->first)
                     : u"(several)"_s;
        }
        Row& row = rows[{op, opset}];
        ++(one.verdict == u"passed"_s ? row.passed : row.refused);
        passed += one.verdict == u"passed"_s ? 1 : 0;
        const QString why = contradictions.value(one.name, shortReason(one.reason));
        if (one.verdict != u"passed"_s && !row.reasons.contains(why))
            row.reasons << why;
    }
    QString out =
        QStringLiteral(
            "# What of ONNX runs\n\n"
            "The backend tests of ONNX 1.12 (Debian's libonnx-testdata), one row for each "
            "operator and opset; models of several\n"
            "operators are one row. All cases run through own code, through the plans of "
            "libraries and by the reference alone,\n"
            "and are written as ONNX and read again: with equal outputs, and as an equal graph "
            "but for those in\n"
            "`tests/conformance/suite_written.txt` (`tests/conformance/test_onnx_suite.cpp`). "
            "Generated:\n\n"
            "    FW_WRITE=1 ctest --test-dir build/release -R conformance/test_onnx_suite\n\n"
            "%1 of %2 cases pass.\n\n"
            "| operator | opset | pass | refused | why |\n|---|---|---|---|---|\n")
            .arg(passed)
            .arg(cases.size());
    for (const auto& [key, row] : rows) {
        QString why = row.reasons.size() > 4
                          ? u"%1 reasons, in suite_unsupported.txt"_s.arg(row.reasons.size())
                          : row.reasons.join(u"; "_s);
        why.replace(u'|', u"\\|"_s);
        out += u"| %1 | %2 | %3 | %4 | %5 |\n"_s
                   .arg(key.first, key.second > 0 ? QString::number(key.second) : QString())
                   .arg(row.passed)
                   .arg(row.refused)
                   .arg(why);
    }
    return out.toUtf8();
}

const QString pageFile = QStringLiteral(FW_SOURCE_DIR "/resources/docs/conformance.md");

bool writeAll(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

// A case that is understood.
struct Opened {
    QString name;
    std::string bytes;
    fw::Imported imported;
};

std::optional<Opened> understood(const QString& folder) {
    std::string bytes = fw::test::bytesOf((folder + u"/model.onnx"_s).toStdString());
    auto imported = fw::importModelBytes(bytes, fw::standardOperators());
    if (!imported || fw::hasErrors(imported->diagnostics))
        return std::nullopt;
    return Opened{nameOf(folder), std::move(bytes), imported.take()};
}

// Of the outputs of a model from those in the data sets of a case.
std::string differenceOf(const std::string& bytes, const QString& folder) {
    const auto found = fw::findTestData(folder.toStdString());
    if (!found)
        return found.diag().text();
    for (const fw::TestDataSet& set : found->sets)
        if (std::string wrong = fw::test::judgeData(bytes, set, fw::test::Compare::Suite);
            !wrong.empty())
            return wrong;
    return {};
}

// The operators that are there before and not behind, and the other way around.
QString change(const fw::Graph& before, const fw::Graph& behind) {
    QStringList gone = QString::fromStdString(fw::test::operatorsOf(before)).split(u' ');
    QStringList come;
    for (const QString& op : QString::fromStdString(fw::test::operatorsOf(behind)).split(u' '))
        if (!gone.removeOne(op))
            come << op;
    if (gone.isEmpty() && come.isEmpty())
        return u"attributes, types or constants"_s;
    return u"%1 for %2"_s.arg(come.isEmpty() ? u"nothing"_s : come.join(u' '),
                              gone.isEmpty() ? u"nothing"_s : gone.join(u' '));
}

} // namespace

class TestOnnxSuite : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void ownCode();
    void libraryPlans();
    void reference();
    void writtenAndReadAgain();
    void newerCases();
    void newerCasesAreWritten();
    void refusalsAreOfCases();
};

void TestOnnxSuite::initTestCase() {
    if (caseFolders().isEmpty())
        QSKIP("the backend tests of ONNX are not here: apt-get install libonnx-testdata");
}

void TestOnnxSuite::ownCode() {
    QVERIFY(caseFolders().size() > 1000);
    QString died;
    const std::vector<Case> cases = run(caseFolders(), u"x86-64 -libs="_s, died);
    QVERIFY2(died.isEmpty(), qPrintable(died));
    if (qEnvironmentVariableIsSet("FW_WRITE")) {
        QByteArray list =
            "# Cases of the backend tests of ONNX that are refused, with what is said. "
            "SUITE/CASE reason.\n";
        for (const Case& one : cases)
            if (one.verdict == u"unsupported"_s)
                list += u"%1 %2\n"_s.arg(one.name, shortReason(one.reason)).toUtf8();
        QVERIFY(writeAll(refusedFile, list) && writeAll(pageFile, table(cases)));
    }
    const QStringList wrong = surprises(cases);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    QFile page(pageFile);
    QVERIFY(page.open(QIODevice::ReadOnly));
    QVERIFY2(page.readAll() == table(cases), "resources/docs/conformance.md says something else: "
                                             "run this test with FW_WRITE=1");
}

void TestOnnxSuite::libraryPlans() {
    QString died;
    const std::vector<Case> cases = run(caseFolders(), u"x86-64 -libs=onednn,openblas"_s, died);
    QVERIFY2(died.isEmpty(), qPrintable(died));
    const QStringList wrong = surprises(cases);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

void TestOnnxSuite::reference() {
    const QMap<QString, QString> contradictions = reasonsIn(contradictionsFile);
    QStringList wrong;
    for (const QString& folder : caseFolders())
        if (const auto opened = understood(folder);
            opened && !contradictions.contains(opened->name))
            if (const std::string why = differenceOf(opened->bytes, folder); !why.empty())
                wrong << opened->name + u": "_s + QString::fromStdString(why);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

void TestOnnxSuite::writtenAndReadAgain() {
    const QMap<QString, QString> contradictions = reasonsIn(contradictionsFile);
    QStringList wrong;
    QByteArray list = "# Cases of the backend tests of ONNX that are not written, or come back as "
                      "another graph. SUITE/CASE reason.\n";
    for (const QString& folder : caseFolders()) {
        const auto opened = understood(folder);
        if (!opened)
            continue;
        const auto written = fw::exportModel(*opened->imported.graph);
        if (!written) {
            list +=
                u"%1 not written: %2\n"_s
                    .arg(opened->name, shortReason(QString::fromStdString(written.diag().text())))
                    .toUtf8();
            continue;
        }
        const auto again = fw::importModelBytes(written->bytes, fw::standardOperators());
        if (!again || !again->diagnostics.empty()) {
            wrong << opened->name + u": "_s +
                         QString::fromStdString(
                             (again ? again->diagnostics.front() : again.diag()).text());
            continue;
        }
        if (fw::test::meaning(*again->graph) != fw::test::meaning(*opened->imported.graph))
            list += u"%1 another graph: %2\n"_s
                        .arg(opened->name, change(*opened->imported.graph, *again->graph))
                        .toUtf8();
        if (!contradictions.contains(opened->name))
            if (const std::string why = differenceOf(written->bytes, folder); !why.empty())
                wrong << opened->name + u": "_s + QString::fromStdString(why);
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    if (qEnvironmentVariableIsSet("FW_WRITE"))
        QVERIFY(writeAll(writtenFile, list));
    QFile kept(writtenFile);
    QVERIFY(kept.open(QIODevice::ReadOnly));
    QCOMPARE(QString::fromUtf8(list), QString::fromUtf8(kept.readAll()));
}

// Of newer opsets than the suite: operators may be refused by name, nothing else.
void TestOnnxSuite::newerCases() {
    const QStringList folders = caseFoldersIn(newerOnnxCases());
    if (folders.isEmpty())
        QSKIP("there are no newer cases beside this checkout (FW_ONNX_NODE)");
    QString died;
    const std::vector<Case> cases = run(folders, u"x86-64 -libs="_s, died);
    QVERIFY2(died.isEmpty(), qPrintable(died));
    QStringList wrong;
    int passed = 0;
    for (const Case& one : cases) {
        passed += one.verdict == u"passed"_s ? 1 : 0;
        if (one.verdict != u"passed"_s && one.verdict != u"unsupported"_s)
            wrong << u"%1: %2 %3"_s.arg(one.name, one.verdict, one.reason);
    }
    qInfo("%d of %d newer cases pass", passed, static_cast<int>(cases.size()));
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

// What is read is written, or one node is named; what is written is read again and, where all of it
// is known, gives what is expected.
void TestOnnxSuite::newerCasesAreWritten() {
    QStringList wrong;
    for (const QString& folder : caseFoldersIn(newerOnnxCases())) {
        const QString name = QFileInfo(folder).fileName();
        const auto imported =
            fw::importModel((folder + u"/model.onnx"_s).toStdString(), fw::standardOperators());
        if (!imported)
            continue;
        const auto written = fw::exportModel(*imported->graph);
        if (!written) {
            if (written.diag().text().find("node ") == std::string::npos)
                wrong << name + u": "_s + QString::fromStdString(written.diag().text());
            continue;
        }
        const auto again = fw::importModelBytes(written->bytes, fw::standardOperators());
        if (!again)
            wrong << name + u" again: "_s + QString::fromStdString(again.diag().text());
        else if (!fw::hasErrors(imported->diagnostics))
            if (const std::string why = differenceOf(written->bytes, folder); !why.empty())
                wrong << name + u" again: "_s + QString::fromStdString(why);
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

void TestOnnxSuite::refusalsAreOfCases() {
    QMap<QString, QString> refused = reasonsIn(refusedFile);
    refused.insert(reasonsIn(contradictionsFile));
    refused.insert(reasonsIn(writtenFile));
    for (auto it = refused.cbegin(); it != refused.cend(); ++it) {
        QVERIFY2(QFileInfo::exists(suiteRoot + u'/' + it.key() + u"/model.onnx"_s),
                 qPrintable(it.key() + u" is no case"_s));
        QVERIFY2(it.value().size() > 10, qPrintable(it.key() + u" has no reason"_s));
    }
}

FW_TEST_BY(&fw::test::runLong<TestOnnxSuite>)
#include "test_onnx_suite.moc"
