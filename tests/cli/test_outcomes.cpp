// What every command answers to what is wrong: its exit code, and with --json one JSON document on
// standard output. Commands and options are those that `fw help --json` lists, so a new one is
// asked for here, and one whose wrong values are not known fails.
#include "common/test.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

#include <deque>
#include <memory>

using namespace Qt::StringLiterals;

namespace {

struct Case {
    QStringList words;
    int code = 2;
    QString redirect = {}; // of a shell
};

struct Wrong {
    QString value;
    int code = 2;
};

const QStringList wrongNumbers = {u"nan"_s,   u"inf"_s, u"-inf"_s, u"-1"_s,
                                  u"1e999"_s, u"x"_s,   u""_s};
const QStringList wrongIntegers = {u"-1"_s, u"nan"_s, u"1.5"_s, u"99999999999999999999"_s, u"x"_s};

} // namespace

class TestOutcomes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void rightWords();
    void wrongWords();
    void wrongValues();
    void fullAndClosedOutput();
    void aReaderThatGoesAway();
    void listsOfBooks();
    void optionsThatDoNotFit();
    void rulesOfOtherTargets();
    void unwritableFolders();
    void helpAndVersion();
    void doors();

private:
    QString inFolder(const QString& name) const { return m_folder.filePath(name); }
    QString write(const QString& name, const QByteArray& text) const;
    QStringList rightWordsOf(const QJsonObject& command) const;
    QStringList valueOf(const QString& command, const QString& option) const;
    QList<Wrong> wrongOf(const QString& command, const QJsonObject& option) const;
    static QStringList with(QStringList words, const QString& option, const QStringList& values);
    void run(const std::deque<Case>& cases) const;

    QTemporaryDir m_folder;
    QString m_model, m_book;
    QJsonArray m_commands; // those that answer with a document
    QJsonArray m_doors;    // those that speak a protocol
};

QString TestOutcomes::write(const QString& name, const QByteArray& text) const {
    QFile file(inFolder(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("%s cannot be written", qPrintable(name));
    return file.fileName();
}

void TestOutcomes::initTestCase() {
    m_model = write(u"net.fw"_s, "graph g(x: f32[4]) -> y {\n  a = relu(x) @node(\"first\")\n"
                                 "  y = relu(a) @node(\"second\")\n}\n");
    m_book = write(u"book.fw"_s, "rule twice { match y = relu(relu(x)) emit y = relu(x) }\n");
    QProcess process;
    process.start(qEnvironmentVariable("FW_BIN") + u"/fw"_s, {u"help"_s, u"--json"_s});
    QVERIFY(process.waitForFinished(60000));
    const QJsonDocument list = QJsonDocument::fromJson(process.readAllStandardOutput());
    for (const QJsonValue& command : list[u"commands"_s].toArray())
        (command[u"answer"_s].toString().isEmpty() ? m_doors : m_commands).append(command);
    QVERIFY(m_commands.size() > 20);
    QVERIFY(m_doors.size() == 2);
}

// What makes a command work: of an operand or an option.
QStringList TestOutcomes::valueOf(const QString& command, const QString& option) const {
    if (option == u"model" || option == u"models")
        return {m_model};
    if (option == u"folders")
        return {QStringLiteral(FW_SOURCE_DIR "/samples/mlp")};
    if (option == u"book")
        return {m_book};
    if (option == u"place")
        return {u"1:1"_s};
    if (option == u"node" || option == u"nodes")
        return {u"first"_s};
    if (option == u"name" || option == u"--rule")
        return {u"twice"_s};
    if (option == u"--group")
        return {u"0"_s};
    if (option == u"--log")
        return {inFolder(u"log-%1"_s.arg(command))};
    if (option == u"--output")
        return {inFolder(command == u"draw" ? u"picture.svg"_s : u"out-%1"_s.arg(command))};
    qFatal("say here what is right for %s of %s", qPrintable(option), qPrintable(command));
    return {};
}

QStringList TestOutcomes::rightWordsOf(const QJsonObject& command) const {
    const QString name = command[u"name"_s].toString();
    QStringList words = {name};
    for (const QJsonValue& option : command[u"options"_s].toArray())
        if (option[u"required"_s].toBool()) {
            const QString word = option[u"name"_s].toString();
            words = with(std::move(words), word, valueOf(name, word));
        }
    if (name == u"diff")
        words += m_model;
    if (name == u"probe" || name == u"uses" || name == u"bisect")
        words += {u"--rules"_s, m_book};
    if (name == u"bench" || name == u"profile" || name == u"tune")
        words += {u"--seconds"_s, u"0.001"_s};
    return words;
}

QStringList TestOutcomes::with(QStringList words, const QString& option,
                               const QStringList& values) {
    // An operand in place of the right one stands behind the command and those before it.
    if (option.startsWith(u'-'))
        words += option;
    return words + values;
}

QList<Wrong> TestOutcomes::wrongOf(const QString& command, const QJsonObject& option) const {
    const QString name = option[u"name"_s].toString(), kind = option[u"value"_s].toString();
    QList<Wrong> out;
    if (kind == u"FLOAT")
        for (const QString& value : wrongNumbers)
            out.push_back({value});
    if (kind == u"INT")
        for (const QString& value : name == u"--threads" ? wrongIntegers.first(2) : wrongIntegers)
            if (name != u"--seed" || value != u"-1")
                out.push_back({value});
    if (name == u"--threads")
        out += QList<Wrong>{{u"0"_s}, {u"257"_s}};
    if (name == u"--number" || name == u"--choice")
        out.push_back({u"0"_s});
    if (kind != u"TEXT")
        return out;
    // Nothing is written where nothing is wrong.
    const bool writesAlways = command != u"check" && command != u"bisect" && command != u"verify";
    const QString nowhere = inFolder(u"nowhere/there.fw"_s);
    const QMap<QString, QList<Wrong>> known = {
        {u"--target"_s,
         {{u"rubbish"_s}, {u"x86-64 -mcpu=foo"_s}, {u"-threads=0"_s}, {u"-libs=foo"_s}}},
        {u"--rules"_s, {{nowhere}, {m_folder.path()}}},
        {u"--versus"_s, {{nowhere}, {m_folder.path()}}},
        {u"--without"_s, {{u"nosuch.fw"_s}}},
        {u"--leave-out"_s, {{u"rubbish"_s}}},
        {u"--log"_s, {{nowhere, command == u"tune" ? 3 : 2}, {m_folder.path()}}},
        {u"--dim"_s, {{u"rubbish"_s}, {u"N=-1"_s}, {u"N=nan"_s}, {u"=1"_s}}},
        {u"--type"_s, {{u"rubbish"_s}, {u"x=rubbish"_s}}},
        {u"--input"_s, {{u"rubbish"_s}, {u"x="_s + nowhere}}},
        {u"--stage"_s, {{u"nosuch"_s}}},
        {u"--rule"_s, {{u"nosuch"_s}}},
        {u"--until"_s, {{u"rubbish"_s}, {u"shape 1xx2"_s}, {u"when nosuch>1"_s}}},
        {u"--hide"_s, {{u""_s}, {u"nosuch>1"_s}, {u"op:nosuch"_s}}},
        {u"--only"_s, {{u""_s}, {u"nosuch>1"_s}, {u"op:nosuch"_s}}},
        {u"--as"_s, {{u"nosuch"_s}}},
        {u"--edit"_s, {{u"nosuch"_s}}},
        {u"--to"_s, {{u"relu"_s}}}, // of no edit
        {u"--attr"_s, {{u"rubbish"_s}, {u"axis=1"_s}}},
        {u"--by"_s, {{u"nosuch"_s}}},
        {u"--name"_s, {{u"1 2"_s}}},
        {u"--set"_s, {{u"rubbish"_s}, {u"nosuch=any"_s, 0}, {u"nosuch=rubbish"_s}}},
        {u"--value"_s, {{u"nosuch"_s}}},
        {u"--body"_s, {{u"nosuch"_s}}},
        {u"--shard"_s, {{u"0/2"_s}, {u"3/2"_s}, {u"nan"_s}}},
        {u"--machine"_s, {{nowhere}, {m_folder.path()}, {m_book}}},
        {u"--worker"_s, {{u"fw 'x"_s}, {u" "_s}}},
        {u"--baseline"_s, {{u""_s}, {nowhere}, {m_folder.path()}, {m_book}}},
        {u"--of"_s, {{u"nosuch"_s}}},
        {u"--save"_s, {{u"/dev/null/machine"_s, 3}, {m_folder.path(), 3}}},
        {u"--model"_s, {{nowhere}}},
        {u"--trace"_s, {{u"/dev/null/trace"_s, 3}, {m_folder.path(), 3}}},
        {u"--report"_s, {{u"/dev/null/report.md"_s, 3}, {inFolder(u"report.pdf"_s)}}},
        {u"--output"_s,
         {{command == u"draw"      ? u"/dev/null/picture.svg"_s
           : command == u"rewrite" ? u"/dev/null/graph.fw"_s
                                   : u"/dev/null/folder"_s,
           writesAlways ? 3 : 0}}},
        {u"model"_s, {{nowhere}, {m_folder.path()}, {m_book}}},
        {u"models"_s, {{nowhere}, {m_folder.path()}}},
        {u"folders"_s, {{nowhere}, {m_folder.path()}}},
        {u"book"_s, {{nowhere}, {m_folder.path()}}},
        {u"place"_s, {{u"0:1"_s}, {u"1"_s}, {u"x:y"_s}, {u"99:1"_s, 0}}},
        {u"node"_s, {{u"nosuch"_s}}},
        {u"nodes"_s, {{u"nosuch"_s}}},
        {u"name"_s, {{u"nosuch"_s}}},
        {u"commands"_s, {{u"nosuch"_s}, {u"lsp"_s}}},
    };
    const auto found = known.find(name);
    if (found == known.end())
        qFatal("say here what is wrong for %s of %s", qPrintable(name), qPrintable(command));
    return *found;
}

// Several at a time.
void TestOutcomes::run(const std::deque<Case>& cases) const {
    struct Running {
        Case what;
        std::unique_ptr<QProcess> process;
    };
    std::deque<Running> running;
    int wrong = 0;
    const auto finish = [&] {
        Running one = std::move(running.front());
        running.pop_front();
        const bool ended = one.process->waitForFinished(120000);
        const QByteArray out = one.process->readAllStandardOutput(),
                         errors = one.process->readAllStandardError();
        QJsonParseError parse;
        QJsonDocument::fromJson(out, &parse);
        const bool isJson = parse.error == QJsonParseError::NoError && out.endsWith('\n');
        if (!ended || one.process->exitStatus() != QProcess::NormalExit ||
            one.process->exitCode() != one.what.code || errors.contains("please report") ||
            (one.what.redirect.isEmpty() && !isJson)) {
            ++wrong;
            qWarning("fw %s %s: exit code %d instead of %d\n%s%s",
                     qPrintable(one.what.words.join(u' ')), qPrintable(one.what.redirect),
                     one.process->exitCode(), one.what.code, out.left(400).constData(),
                     errors.left(400).constData());
        }
    };
    for (const Case& one : cases) {
        if (running.size() == 4)
            finish();
        auto process = std::make_unique<QProcess>();
        process->setWorkingDirectory(m_folder.path());
        const QString fw = qEnvironmentVariable("FW_BIN") + u"/fw"_s;
        const QStringList words = one.words + QStringList{u"--json"_s};
        if (one.redirect.isEmpty())
            process->start(fw, words);
        else
            process->start(u"sh"_s,
                           QStringList{u"-c"_s, u"exec \"$@\" "_s + one.redirect, u"sh"_s, fw} +
                               words);
        running.push_back({one, std::move(process)});
    }
    while (!running.empty())
        finish();
    QCOMPARE(wrong, 0);
}

void TestOutcomes::rightWords() {
    std::deque<Case> cases;
    for (const QJsonValue& command : std::as_const(m_commands))
        cases.push_back({rightWordsOf(command.toObject()), 0});
    run(cases);
}

// An option that there is not, and of what is required each left out.
void TestOutcomes::wrongWords() {
    std::deque<Case> cases = {{{}},
                              {{u"nosuch"_s}},
                              {{u"--nosuch"_s}},
                              {{u"info"_s, m_model, u"-libs="_s, u"--target"_s, u"x86-64"_s}}};
    for (const QJsonValue& command : std::as_const(m_commands)) {
        cases.push_back({rightWordsOf(command.toObject()) + QStringList{u"--nosuch"_s}});
        const QJsonArray options = command[u"options"_s].toArray();
        for (qsizetype left = 0; left < options.size(); ++left) {
            if (!options[left][u"required"_s].toBool())
                continue;
            QJsonObject fewer = command.toObject();
            QJsonArray rest = options;
            rest.removeAt(left);
            fewer[u"options"_s] = rest;
            QStringList words = rightWordsOf(fewer);
            // The second model of diff is a first one now.
            if (words[0] != u"diff")
                cases.push_back({words});
        }
    }
    run(cases);
}

void TestOutcomes::wrongValues() {
    std::deque<Case> cases;
    for (const QJsonValue& command : std::as_const(m_commands)) {
        const QString name = command[u"name"_s].toString();
        const QJsonArray options = command[u"options"_s].toArray();
        for (qsizetype at = 0; at < options.size(); ++at) {
            const QJsonObject option = options[at].toObject();
            const QString word = option[u"name"_s].toString();
            for (const Wrong& wrong : wrongOf(name, option)) {
                if (word.startsWith(u'-') && !option[u"required"_s].toBool()) {
                    cases.push_back(
                        {rightWordsOf(command.toObject()) + QStringList{word, wrong.value},
                         wrong.code});
                    continue;
                }
                // In place of the right one.
                QStringList words = {name};
                for (const QJsonValue& other : options) {
                    const QString its = other[u"name"_s].toString();
                    if (its == word)
                        words = with(words, its, {wrong.value});
                    else if (other[u"required"_s].toBool())
                        words = with(words, its, valueOf(name, its));
                }
                if (name == u"probe" || name == u"uses")
                    words += {u"--rules"_s, m_book};
                if (name == u"diff")
                    words += m_model;
                cases.push_back({words, wrong.code});
            }
        }
    }
    run(cases);
}

void TestOutcomes::fullAndClosedOutput() {
    std::deque<Case> cases;
    for (const QJsonValue& command : std::as_const(m_commands)) {
        const QStringList words = rightWordsOf(command.toObject());
        for (const char* redirect : {">/dev/full", ">&-", "<&- >&- 2>&-"})
            cases.push_back({words, 3, QString::fromLatin1(redirect)});
    }
    for (const char* word : {"--help", "--version"})
        cases.push_back({{QString::fromLatin1(word)}, 3, u">/dev/full"_s});
    run(cases);
}

// Before the first word is written, and of more than a pipe holds.
void TestOutcomes::aReaderThatGoesAway() {
    const QString model = QStringLiteral(FW_SOURCE_DIR "/samples/mobilenet");
    for (const QStringList& words : {QStringList{u"stages"_s, model, u"--stage"_s, u"asm"_s},
                                     {u"stages"_s, model, u"--stage"_s, u"asm"_s, u"--json"_s},
                                     {u"ops"_s},
                                     {u"--help"_s},
                                     {u"help"_s, u"--json"_s}}) {
        QProcess process;
        process.start(u"bash"_s,
                      QStringList{u"-c"_s, u"\"$0\" \"$@\" | exec 0<&-; exit ${PIPESTATUS[0]}"_s,
                                  qEnvironmentVariable("FW_BIN") + u"/fw"_s} +
                          words);
        QVERIFY(process.waitForFinished(120000));
        const QByteArray errors = process.readAllStandardError();
        QVERIFY2(process.exitCode() == 0 && errors.isEmpty(),
                 qPrintable(words.join(u' ') + u": "_s + QString::number(process.exitCode()) +
                            QString::fromUtf8(errors)));
    }
}

void TestOutcomes::listsOfBooks() {
    const QString bad = write(u"bad.fw"_s, "rule {\n"), none = inFolder(u"none.fw"_s);
    run({{{u"check"_s, m_book, none}},
         {{u"check"_s, none, bad, m_book}},
         {{u"format"_s, m_book, none}},
         {{u"format"_s, none, bad}},
         {{u"format"_s, u"-w"_s, none, m_book}},
         {{u"verify"_s, none, m_model}},
         {{u"bench"_s, none, m_model}},
         {{u"test"_s, QStringLiteral(FW_SOURCE_DIR "/samples/mlp"), none}}});
}

// Options that do not fit the model of a folder are a mistake of the question, as elsewhere.
void TestOutcomes::optionsThatDoNotFit() {
    const QString folder = QStringLiteral(FW_SOURCE_DIR "/samples/mlp");
    for (const QStringList& words : {QStringList{u"--dim"_s, u"NOSUCH=3"_s},
                                     {u"--input"_s, u"NOSUCH=1"_s},
                                     {u"--type"_s, u"NOSUCH=f32[3]"_s},
                                     {u"--worker"_s, u"/nonexistent"_s}})
        run({{QStringList{u"run"_s, folder} + words, 2},
             {QStringList{u"test"_s, folder} + words, 2}});
}

// Whether a rule is for a target is asked before any library is opened at another level.
void TestOutcomes::rulesOfOtherTargets() {
    const QString book = write(u"keyed.fw"_s, "rule keyed on x86-64-v3 { match y = relu(relu(x)) "
                                              "emit y = relu(x) }\n");
    const QString folder = QStringLiteral(FW_SOURCE_DIR "/samples/mlp");
    for (const QString& cpu : {u"x86-64-v2"_s, u"x86-64-v3"_s})
        run({{{u"fuse"_s, folder, u"--rules"_s, book, u"--target"_s, u"x86-64 -mcpu="_s + cpu},
              0}});
}

// Where something is wrong it is written.
void TestOutcomes::unwritableFolders() {
    const QString wrong =
        write(u"wrong.fw"_s, "rule wrong { match y = relu(relu(x)) emit y = abs(x) }\n");
    run({{{u"check"_s, wrong}, 1},
         {{u"check"_s, wrong, u"-o"_s, u"/dev/null/folder"_s}, 3},
         {{u"bisect"_s, m_model, u"--rules"_s, wrong}, 1},
         {{u"bisect"_s, m_model, u"--rules"_s, wrong, u"-o"_s, u"/dev/null/folder"_s}, 3}});
}

void TestOutcomes::helpAndVersion() {
    std::deque<Case> cases = {{{u"--help"_s}, 0}, {{u"--version"_s}, 0}};
    for (const QJsonValue& command : std::as_const(m_commands))
        cases.push_back({{command[u"name"_s].toString(), u"--help"_s}, 0});
    run(cases);
}

// What is wrong with their words is told before they speak; --json is none of these.
void TestOutcomes::doors() {
    std::deque<Case> cases;
    for (const QJsonValue& door : std::as_const(m_doors)) {
        const QString name = door[u"name"_s].toString();
        cases.push_back({{name, u"--nosuch"_s}});
        cases.push_back({{name}});
        cases.push_back({{name, u"--help"_s}, 0});
    }
    run(cases);
    const QString fw = qEnvironmentVariable("FW_BIN") + u"/fw"_s;
    for (const QJsonValue& door : std::as_const(m_doors))
        for (const QJsonValue& option : door[u"options"_s].toArray())
            for (const Wrong& wrong : wrongOf(door[u"name"_s].toString(), option.toObject())) {
                QProcess process;
                process.setStandardInputFile(QProcess::nullDevice());
                process.start(
                    fw, {door[u"name"_s].toString(), option[u"name"_s].toString(), wrong.value});
                QVERIFY(process.waitForFinished(60000));
                QVERIFY2(process.exitCode() == wrong.code, qPrintable(wrong.value));
                QVERIFY(process.readAllStandardOutput().isEmpty());
                QVERIFY(!process.readAllStandardError().isEmpty());
            }
}

FW_TEST(TestOutcomes, QCoreApplication)
#include "test_outcomes.moc"
