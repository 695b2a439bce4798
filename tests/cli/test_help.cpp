// What is made of the rows of the commands: `fw help --json`, the completion that bash takes, the
// manual page. Each is held against what the program does.
#include "common/test.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>

using namespace Qt::StringLiterals;

namespace {

QStringList textsOf(const QJsonValue& list) {
    QStringList out;
    for (const QJsonValue& text : list.toArray())
        out << text.toString();
    return out;
}

struct Ended {
    int code = -1;
    QByteArray out, errors;
};

Ended run(const QString& program, const QStringList& words) {
    QProcess process;
    process.start(program, words);
    Ended out;
    if (process.waitForFinished(120000))
        out.code = process.exitCode();
    out.out = process.readAllStandardOutput();
    out.errors = process.readAllStandardError();
    return out;
}

Ended runHelped(const QStringList& words) {
    return run(qEnvironmentVariable("FW_BIN") + u"/fw"_s, words);
}

} // namespace

class TestHelp : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void theParserTakesWhatIsListed();
    void listedValuesAreTaken();
    void answersHaveTheFieldsOfTheirRecord_data();
    void answersHaveTheFieldsOfTheirRecord();
    void everyRecordThatIsNamedIsListed();
    void oneCommand();
    void bashCompletes_data();
    void bashCompletes();
    void bashKnowsEveryOption();
    void theManualPageHasEveryRow();
    void theManualPageCanBeSet();
    void otherShells();

private:
    QJsonObject command(const QString& name) const;
    QStringList completed(const QStringList& words) const;

    QTemporaryDir m_folder;
    QJsonObject m_help;
    QString m_model;
};

void TestHelp::initTestCase() {
    m_help = QJsonDocument::fromJson(runHelped({u"help"_s, u"--json"_s}).out).object();
    QVERIFY(m_help[u"commands"_s].toArray().size() > 25);
    m_model = m_folder.filePath(u"net.fw"_s);
    QFile model(m_model);
    QVERIFY(model.open(QIODevice::WriteOnly));
    model.write("graph g(x: f32[4], z: f32[4]) -> y {\n  a = softmax(x) @node(\"first\")\n"
                "  y = exp(a) @node(\"second\")\n}\n");
}

QJsonObject TestHelp::command(const QString& name) const {
    for (const QJsonValue& one : m_help[u"commands"_s].toArray())
        if (one[u"name"_s] == name)
            return one.toObject();
    qFatal("no command %s", qPrintable(name));
    return {};
}

// `fw COMMAND --help` is written by the parser of options: it names every option of the row.
void TestHelp::theParserTakesWhatIsListed() {
    for (const QJsonValue& one : m_help[u"commands"_s].toArray()) {
        const QString text =
            QString::fromUtf8(runHelped({one[u"name"_s].toString(), u"--help"_s}).out);
        for (const QJsonValue& option : one[u"options"_s].toArray())
            for (const QString& name : textsOf(option[u"names"_s])) {
                const QRegularExpression word(
                    u"(^|[\\s,])%1($|[\\s,{])"_s.arg(QRegularExpression::escape(name)),
                    QRegularExpression::MultilineOption);
                QVERIFY2(text.contains(word), qPrintable(name + u" of\n"_s + text));
            }
    }
}

void TestHelp::listedValuesAreTaken() {
    int tried = 0;
    for (const QJsonValue& one : m_help[u"commands"_s].toArray())
        for (const QJsonValue& option : one[u"options"_s].toArray())
            for (const QString& value : textsOf(option[u"values"_s])) {
                const QString name = one[u"name"_s].toString();
                QStringList words = {name};
                if (name != u"help")
                    words << m_model;
                if (name == u"diff")
                    words << m_model;
                if (name == u"sketch")
                    words << u"first"_s;
                // What an edit needs besides.
                if (value == u"attribute")
                    words << u"--attr"_s << u"axis=0"_s;
                else if (option[u"name"_s].toString() == u"--edit"_s && value != u"delete")
                    words << u"--to"_s << (value == u"rewire" ? u"z"_s : u"neg"_s);
                if (name == u"draw")
                    words << u"-o"_s << m_folder.filePath(u"out.svg"_s);
                if (const QString word = option[u"name"_s].toString(); word.startsWith(u'-'))
                    words << word;
                const Ended ended = runHelped(words << value);
                QVERIFY2(ended.code == 0,
                         qPrintable(words.join(u' ') + u"\n"_s + QString::fromUtf8(ended.errors)));
                ++tried;
            }
    QVERIFY(tried > 30);
}

void TestHelp::answersHaveTheFieldsOfTheirRecord_data() {
    QTest::addColumn<QStringList>("words");
    for (const char* name : {"info", "fuse", "rules", "match", "rewrite", "run"})
        QTest::newRow(name) << QStringList{QString::fromLatin1(name), m_model};
    QTest::newRow("explain") << QStringList{u"explain"_s, m_model, u"first"_s};
    QTest::newRow("ops") << QStringList{u"ops"_s, u"softmax"_s};
    QTest::newRow("book") << QStringList{u"book"_s};
    QTest::newRow("doctor") << QStringList{u"doctor"_s};
    QTest::newRow("draw") << QStringList{u"draw"_s, m_model, u"-o"_s,
                                         m_folder.filePath(u"net.svg"_s)};
    QTest::newRow("diff") << QStringList{u"diff"_s, m_model, m_model};
    QTest::newRow("help") << QStringList{u"help"_s};
}

void TestHelp::answersHaveTheFieldsOfTheirRecord() {
    QFETCH(QStringList, words);
    const Ended ended = runHelped(words + QStringList{u"--json"_s});
    QCOMPARE(ended.code, 0);
    QStringList keys = QJsonDocument::fromJson(ended.out).object().keys();
    const QString record = command(words.front())[u"answer"_s].toString();
    QStringList fields;
    for (const QJsonValue& one : m_help[u"records"_s].toArray())
        if (one[u"name"_s] == record)
            for (const QJsonValue& field : one[u"fields"_s].toArray())
                fields << field[u"name"_s].toString();
    fields.sort();
    QCOMPARE(keys, fields);
}

void TestHelp::everyRecordThatIsNamedIsListed() {
    QStringList known;
    for (const QJsonValue& one : m_help[u"records"_s].toArray())
        known << one[u"name"_s].toString();
    QCOMPARE(known.removeDuplicates(), 0);
    QStringList withoutOne; // which speak a protocol
    for (const QJsonValue& one : m_help[u"commands"_s].toArray())
        if (one[u"answer"_s].toString().isEmpty())
            withoutOne << one[u"name"_s].toString();
        else
            QVERIFY2(known.contains(one[u"answer"_s].toString()),
                     qPrintable(one[u"answer"_s].toString()));
    QCOMPARE(withoutOne, (QStringList{u"lsp"_s, u"mcp"_s}));
    static const QRegularExpression record(u"\\b[A-Z][a-z]\\w+"_s);
    for (const QJsonValue& one : m_help[u"records"_s].toArray())
        for (const QJsonValue& field : one[u"fields"_s].toArray())
            if (const auto named = record.match(field[u"type"_s].toString()); named.hasMatch())
                QVERIFY2(known.contains(named.captured()), qPrintable(named.captured()));
    QStringList codes;
    for (const QJsonValue& one : m_help[u"codes"_s].toArray())
        codes << one[u"code"_s].toString();
    for (const QString& code : {u"USE01"_s, u"FUS01"_s, u"OPQ02"_s, u"FIL01"_s, u"SYS01"_s})
        QVERIFY(codes.contains(code));
}

void TestHelp::oneCommand() {
    const Ended text = runHelped({u"help"_s, u"explain"_s});
    QVERIFY(text.out.contains("why operators are (not) fused"));
    QVERIFY(!text.out.contains("tune"));
    const QJsonObject json =
        QJsonDocument::fromJson(runHelped({u"help"_s, u"explain"_s, u"--json"_s}).out).object();
    QCOMPARE(json[u"commands"_s].toArray().size(), 1);
    QCOMPARE(runHelped({u"help"_s, u"nosuch"_s}).code, 2);
    const Ended none = runHelped({u"fuze"_s});
    QCOMPARE(none.code, 2);
    QVERIFY2(none.errors.contains("there is no command 'fuze' (did you mean fuse?"),
             none.errors.constData());
    const Ended alone = runHelped({});
    QCOMPARE(alone.code, 0);
    QCOMPARE(alone.out, runHelped({u"--help"_s}).out);
    const Ended optionAlone = runHelped({u"--json"_s});
    QCOMPARE(optionAlone.code, 2);
    QVERIFY2(optionAlone.out.contains("no command is given"), optionAlone.out.constData());
}

// What bash offers behind these words, the last of which is being typed.
QStringList TestHelp::completed(const QStringList& words) const {
    const QString script = m_folder.filePath(u"completion"_s);
    QFile file(script);
    if (!file.exists()) {
        if (!file.open(QIODevice::WriteOnly))
            qFatal("%s cannot be written", qPrintable(script));
        file.write(runHelped({u"help"_s, u"--as"_s, u"bash"_s}).out);
        file.close();
    }
    const Ended ended = run(
        u"bash"_s, QStringList{u"-c"_s,
                               u"source \"$0\" || exit 9; COMP_WORDS=(fw \"$@\"); COMP_CWORD=$#; "
                               "$(complete -p fw | sed 's/.*-F \\([^ ]*\\).*/\\1/') 2>&1; "
                               "printf '%s\\n' \"${COMPREPLY[@]}\""_s,
                               script} +
                       words);
    if (ended.code != 0 || !ended.errors.isEmpty())
        return {u"failed: "_s + QString::fromUtf8(ended.errors)};
    return QString::fromUtf8(ended.out).split(u'\n', Qt::SkipEmptyParts);
}

void TestHelp::bashCompletes_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QStringList>("offered");
    const auto row = [](const QStringList& words, const QStringList& offered) {
        QTest::addRow("%s", qPrintable(words.join(u' '))) << words << offered;
    };
    row({u"ex"_s}, {u"explain"_s, u"export"_s});
    row({u"--v"_s}, {u"--version"_s});
    row({u"fuse"_s, u"m.onnx"_s, u"--me"_s}, {u"--measure"_s});
    row({u"export"_s, u"m.onnx"_s, u"-"_s, u"--st"_s}, {u"--static"_s});
    row({u"match"_s, u"m.onnx"_s, u"--stage"_s, u""_s}, {u"imported"_s, u"rewritten"_s});
    row({u"match"_s, u"m.onnx"_s, u"--stage"_s, u"="_s}, {u"imported"_s, u"rewritten"_s});
    row({u"match"_s, u"m.onnx"_s, u"--stage"_s, u"="_s, u"re"_s}, {u"rewritten"_s});
    row({u"stages"_s, u"m.onnx"_s, u"--stage"_s, u"l"_s}, {u"loops"_s, u"llvm"_s});
    row({u"sketch"_s, u"--as"_s, u"ru"_s}, {u"rule"_s});
    row({u"run"_s, u"m.onnx"_s, u"--no"_s}, {u"--no-expect"_s});
    row({u"help"_s, u"pro"_s}, {u"probe"_s, u"profile"_s});
    // Files are left to bash.
    row({u"info"_s, u"m"_s}, {});
    row({u"fuse"_s, u"m.onnx"_s, u"--rules"_s, u"f"_s}, {});
}

void TestHelp::bashCompletes() {
    QFETCH(QStringList, words);
    QFETCH(QStringList, offered);
    QCOMPARE(completed(words), offered);
}

void TestHelp::bashKnowsEveryOption() {
    for (const QJsonValue& one : m_help[u"commands"_s].toArray()) {
        const QStringList offered = completed({one[u"name"_s].toString(), u"-"_s});
        QStringList known;
        for (const QJsonValue& option : one[u"options"_s].toArray())
            for (const QString& name : textsOf(option[u"names"_s]))
                if (name.startsWith(u'-'))
                    known << name;
        QCOMPARE(offered, known);
    }
}

void TestHelp::theManualPageHasEveryRow() {
    QString page = QString::fromUtf8(runHelped({u"help"_s, u"--as"_s, u"man"_s}).out);
    static const QRegularExpression font(u"\\\\f[BIR]"_s);
    page.remove(font).replace(u"\\-"_s, u"-"_s).replace(u"\\e"_s, u"\\"_s);
    for (const QJsonValue& one : m_help[u"commands"_s].toArray()) {
        const qsizetype begin = page.indexOf(u".SS fw %1"_s.arg(one[u"name"_s].toString()));
        QVERIFY2(begin >= 0, qPrintable(one[u"name"_s].toString()));
        const QString part = page.mid(begin, page.indexOf(u"\n.S"_s, begin + 1) - begin);
        QVERIFY(part.contains(one[u"about"_s].toString()));
        for (const QJsonValue& option : one[u"options"_s].toArray()) {
            QVERIFY2(part.contains(option[u"name"_s].toString()),
                     qPrintable(option[u"name"_s].toString() + u" in\n"_s + part));
            QVERIFY2(page.contains(option[u"about"_s].toString()),
                     qPrintable(option[u"about"_s].toString()));
        }
    }
    for (const QJsonValue& one : m_help[u"codes"_s].toArray())
        QVERIFY(page.contains(u".TP\n%1\n"_s.arg(one[u"code"_s].toString())));
}

// As it was built, without a warning of the formatter where there is one.
void TestHelp::theManualPageCanBeSet() {
    QFile built(QStringLiteral(FW_BINARY_DIR "/app/cli/man/fw.1"));
    QVERIFY(built.open(QIODevice::ReadOnly));
    QCOMPARE(built.readAll(), runHelped({u"help"_s, u"--as"_s, u"man"_s}).out);
    if (QStandardPaths::findExecutable(u"groff"_s).isEmpty())
        return;
    const Ended ended = run(u"groff"_s, {u"-man"_s, u"-ww"_s, u"-z"_s, built.fileName()});
    QCOMPARE(ended.code, 0);
    QCOMPARE(QString::fromUtf8(ended.errors), QString());
}

void TestHelp::otherShells() {
    const QString fish = QString::fromUtf8(runHelped({u"help"_s, u"--as"_s, u"fish"_s}).out),
                  zsh = QString::fromUtf8(runHelped({u"help"_s, u"--as"_s, u"zsh"_s}).out);
    for (const QJsonValue& one : m_help[u"commands"_s].toArray()) {
        const QString name = one[u"name"_s].toString();
        QVERIFY(fish.contains(u"-a %1 -d"_s.arg(name)));
        QVERIFY(zsh.contains(u"    %1)\n"_s.arg(name)));
        for (const QJsonValue& option : one[u"options"_s].toArray())
            if (const QString word = option[u"name"_s].toString(); word.startsWith(u"--")) {
                QVERIFY(fish.contains(u"seen_subcommand_from %1' "_s.arg(name)));
                QVERIFY2(fish.contains(u" -l %1 "_s.arg(word.mid(2))), qPrintable(word));
                QVERIFY2(zsh.contains(word + u'['), qPrintable(word));
            }
    }
    for (const auto& [shell, text] : {std::pair(u"fish"_s, fish), {u"zsh"_s, zsh}}) {
        if (QStandardPaths::findExecutable(shell).isEmpty())
            continue;
        QFile file(m_folder.filePath(shell));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text.toUtf8());
        file.close();
        const Ended ended = run(shell, {u"-n"_s, file.fileName()});
        QVERIFY2(ended.code == 0, ended.errors.constData());
    }
}

FW_TEST(TestHelp, QCoreApplication)
#include "test_help.moc"
