// A rule that is refuted acts all the same: every command that uses what it made says so.
#include "asked.h"

#include "base/cache_folder.h"
#include "base/files.h"
#include "common/test.h"

#include <QTemporaryDir>

#include <algorithm>

using namespace fw;
using namespace fw::snapshot;
using fw::test::Asked;

class TestRefuted : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void commandsNameIt_data();
    void commandsNameIt();
    void rightRulesAreNotNamed();
    void rulesThatDoNotActAreNotNamed();
    void itIsRememberedByItsText();

private:
    Arguments with(const std::string& rule) const {
        Arguments out;
        out.model = m_folder.filePath("model.fw").toStdString();
        out.target = "x86-64 -libs=";
        out.rules = {"/b/own.fw"};
        out.texts = {{"/b/own.fw", rule}};
        out.output = m_folder.filePath("out").toStdString();
        return out;
    }

    QTemporaryDir m_folder;
};

namespace {

const char* const wrong =
    "rule positive { match y = relu(leaky_relu(x) {alpha}) emit y = relu(x) }";

// All that a command says, of whatever kind the document is.
std::string said(const std::string& command, const Arguments& arguments) {
    return Asked().ask(command, arguments).value();
}

} // namespace

void TestRefuted::initTestCase() {
    QVERIFY(m_folder.isValid());
    qputenv("XDG_CACHE_HOME", m_folder.filePath("cache").toLocal8Bit());
    QVERIFY(writeFile(m_folder.filePath("model.fw").toStdString(),
                      "graph g(x: f32[4, 8]) -> y { a = leaky_relu(x) {alpha = 0.5}  y = relu(a) }")
                .ok());
}

void TestRefuted::commandsNameIt_data() {
    QTest::addColumn<QString>("command");
    for (const char* command : {"run", "fuse", "rewrite", "verify", "export"})
        QTest::newRow(command) << QString(command);
}

void TestRefuted::commandsNameIt() {
    QFETCH(QString, command);
    Arguments arguments = with(wrong);
    if (command != QStringLiteral("export"))
        arguments.output.clear();
    const std::string text = said(command.toStdString(), arguments);
    QVERIFY2(text.find("positive: the rule is refuted and acts: on a small graph it computes "
                       "something else: y") != std::string::npos,
             text.c_str());
    QVERIFY2(text.find("/b/own.fw:1") != std::string::npos, text.c_str());
    QVERIFY2(text.find("RUL23 positive") != std::string::npos, text.c_str());
}

void TestRefuted::rightRulesAreNotNamed() {
    Arguments arguments = with("rule positive { match y = relu(leaky_relu(x) {alpha}) where alpha "
                               ">= 0 emit y = relu(x) }");
    arguments.output.clear();
    for (const char* command : {"run", "fuse", "rewrite"})
        QVERIFY(said(command, arguments).find("the rule is refuted") == std::string::npos);
}

void TestRefuted::rulesThatDoNotActAreNotNamed() {
    Arguments arguments = with("rule other { match y = tanh(x) emit y = relu(x) }");
    arguments.output.clear();
    QVERIFY(said("fuse", arguments).find("the rule is refuted") == std::string::npos);
}

// In files, so that the next process does not try it again; one that is damaged is none.
void TestRefuted::itIsRememberedByItsText() {
    const QDir folder(QString::fromStdString(cacheFolder("verdicts")));
    const auto files = folder.entryList({QStringLiteral("*.txt")});
    QVERIFY(!files.isEmpty());
    for (const QString& name : files) {
        const auto text = readFile(folder.filePath(name).toStdString(), 1 << 16);
        QVERIFY(text.ok() && text->starts_with("fusewright verdict\n") && text->ends_with("\n.\n"));
    }
    const bool named = std::any_of(files.begin(), files.end(), [&](const QString& name) {
        return readFile(folder.filePath(name).toStdString(), 1 << 16)->find("instead of") !=
               std::string::npos;
    });
    QVERIFY(named);
}

FW_TEST(TestRefuted, QCoreApplication)
#include "test_refuted.moc"
