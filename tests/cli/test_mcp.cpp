// `fw mcp`: what an agent asks and gets, held against what the commands print, and what is no
// question.
#include "cli/rpc_client.h"
#include "common/test.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <memory>

using namespace Qt::StringLiterals;
using fw::tests::RpcClient;

namespace {

// To measure it takes a second or more.
const QString large = QStringLiteral(FW_SOURCE_DIR "/samples/mobilenet");

QJsonDocument printed(const QStringList& words, const QString& folder) {
    QProcess process;
    process.setWorkingDirectory(folder);
    process.start(qEnvironmentVariable("FW_BIN") + u"/fw"_s, words + QStringList{u"--json"_s});
    process.waitForFinished(120000);
    return QJsonDocument::fromJson(process.readAllStandardOutput());
}

} // namespace

class TestMcp : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void versions_data();
    void versions();
    void nothingBeforeInitialize();
    void toolsAreTheCommands();
    void onlySomeTools();
    void whoWritesSaysSo();
    void answersAreThoseOfTheCommands_data();
    void answersAreThoseOfTheCommands();
    void listsAreAnObject();
    void theAnswerNoIsNoError();
    void refusals_data();
    void refusals();
    void namesAreNoOptions();
    void whatIsToldBesideTheAnswer();
    void cancelled();
    void progress();
    void lists();
    void wrongMessages_data();
    void wrongMessages();
    void tooLong();
    void fullOutput();

private:
    QString write(const QString& name, const QByteArray& text) const;
    std::unique_ptr<RpcClient> started(const QString& version = u"2025-06-18"_s,
                                       const QStringList& words = {}) const;
    static QJsonObject call(RpcClient& client, const QString& tool, const QJsonObject& arguments);

    QTemporaryDir m_folder;
};

QString TestMcp::write(const QString& name, const QByteArray& text) const {
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("%s cannot be written", qPrintable(name));
    return name;
}

void TestMcp::initTestCase() {
    write(u"net.fw"_s, "graph g(x: f32[4]) -> y {\n  a = relu(x) @node(\"first\")\n"
                       "  y = exp(a) @node(\"second\")\n}\n");
    write(u"book.fw"_s, "rule twice { match y = relu(relu(x)) emit y = relu(x) }\n");
    write(u"wrong.fw"_s, "rule wrong { match y = relu(relu(x)) emit y = abs(x) }\n");
    write(u"bad.fw"_s, "rule bad { match y = rellu(x) emit y = x }\n");
    write(u"-dash.fw"_s, "graph g(x: f32[4]) -> y {\n  y = relu(x)\n}\n");
}

std::unique_ptr<RpcClient> TestMcp::started(const QString& version,
                                            const QStringList& words) const {
    auto client = std::make_unique<RpcClient>(RpcClient::Framing::Lines,
                                              QStringList{u"mcp"_s} + words, m_folder.path());
    client->result(u"initialize"_s, {{u"protocolVersion"_s, version},
                                     {u"capabilities"_s, QJsonObject()},
                                     {u"clientInfo"_s, QJsonObject{{u"name"_s, u"test"_s}}}});
    client->notify(u"notifications/initialized"_s);
    return client;
}

QJsonObject TestMcp::call(RpcClient& client, const QString& tool, const QJsonObject& arguments) {
    return client.result(u"tools/call"_s, {{u"name"_s, tool}, {u"arguments"_s, arguments}})
        .toObject();
}

void TestMcp::versions_data() {
    QTest::addColumn<QString>("asked");
    QTest::addColumn<QString>("answered");
    for (const char* known : {"2025-06-18", "2025-03-26", "2024-11-05"})
        QTest::newRow(known) << QString::fromLatin1(known) << QString::fromLatin1(known);
    QTest::newRow("of another time") << u"1999-01-01"_s << u"2025-06-18"_s;
}

void TestMcp::versions() {
    QFETCH(QString, asked);
    QFETCH(QString, answered);
    RpcClient client(RpcClient::Framing::Lines, {u"mcp"_s});
    const QJsonObject result =
        client.result(u"initialize"_s, {{u"protocolVersion"_s, asked}}).toObject();
    QCOMPARE(result[u"protocolVersion"_s].toString(), answered);
    QVERIFY(result[u"capabilities"_s].toObject().contains(u"tools"_s));
    QCOMPARE(result[u"serverInfo"_s].toObject()[u"name"_s].toString(), u"fw"_s);
    QCOMPARE(client.end(), 0);
}

void TestMcp::nothingBeforeInitialize() {
    RpcClient client(RpcClient::Framing::Lines, {u"mcp"_s});
    QVERIFY(client.ask(u"ping"_s).contains(u"result"_s));
    QCOMPARE(client.errorOf(client.ask(u"tools/list"_s)), -32600);
    QCOMPARE(client.errorOf(client.ask(u"initialize"_s)), -32602); // it names no version
    QCOMPARE(client.errorOf(client.ask(u"tools/list"_s)), -32600);
}

void TestMcp::toolsAreTheCommands() {
    const auto client = started();
    const QJsonArray tools = client->result(u"tools/list"_s).toObject()[u"tools"_s].toArray();
    QMap<QString, QJsonObject> byName;
    for (const QJsonValue& tool : tools)
        byName[tool[u"name"_s].toString()] = tool.toObject();
    QCOMPARE(byName.size(), tools.size());
    qsizetype commands = 0;
    const QJsonDocument help = printed({u"help"_s}, m_folder.path());
    for (const QJsonValue& command : help[u"commands"_s].toArray()) {
        const QString name = command[u"name"_s].toString();
        if (command[u"answer"_s].toString().isEmpty()) {
            QVERIFY2(!byName.contains(name), qPrintable(name));
            continue;
        }
        ++commands;
        const QJsonObject tool = byName[name], schema = tool[u"inputSchema"_s].toObject(),
                          properties = schema[u"properties"_s].toObject();
        QCOMPARE(tool[u"description"_s], command[u"about"_s]);
        QStringList arguments, required;
        for (const QJsonValue& option : command[u"options"_s].toArray()) {
            QString argument = option[u"name"_s].toString();
            if (argument == u"--help" || argument == u"--json" || argument == u"--worker")
                continue;
            while (argument.startsWith(u'-'))
                argument.remove(0, 1);
            const QJsonObject property = properties[argument].toObject();
            QVERIFY2(!property.isEmpty(), qPrintable(name + u' ' + argument));
            QCOMPARE(property[u"description"_s], option[u"about"_s]);
            QCOMPARE(property[u"type"_s] == u"array"_s, option[u"many"_s].toBool());
            if (!option[u"values"_s].toArray().isEmpty() && name != u"help"_s)
                QCOMPARE(property[u"enum"_s], option[u"values"_s]);
            arguments << argument;
            if (option[u"required"_s].toBool())
                required << argument;
        }
        arguments.sort();
        QCOMPARE(properties.keys(), arguments);
        QStringList listed;
        for (const QJsonValue& one : schema[u"required"_s].toArray())
            listed << one.toString();
        QCOMPARE(listed, required);
    }
    QCOMPARE(commands, tools.size());
    QVERIFY(commands > 20);
    QCOMPARE(client->errorOf(client->ask(u"tools/list"_s, {{u"cursor"_s, u"x"_s}})), -32602);
}

void TestMcp::onlySomeTools() {
    const auto client = started(u"2025-06-18"_s, {u"info"_s, u"explain"_s});
    const QJsonArray tools = client->result(u"tools/list"_s)[u"tools"_s].toArray();
    QCOMPARE(tools.size(), 2);
    QVERIFY(call(*client, u"info"_s, {{u"model"_s, u"net.fw"_s}})[u"isError"_s] == false);
    QCOMPARE(client->errorOf(client->ask(u"tools/call"_s, {{u"name"_s, u"export"_s}})), -32602);
}

void TestMcp::whoWritesSaysSo() {
    const auto client = started();
    const QSet<QString> writers = {u"check"_s,  u"format"_s,  u"rewrite"_s, u"bisect"_s,
                                   u"run"_s,    u"profile"_s, u"tune"_s,    u"verify"_s,
                                   u"export"_s, u"draw"_s,    u"doctor"_s};
    for (const QJsonValue& tool :
         client->result(u"tools/list"_s).toObject()[u"tools"_s].toArray()) {
        const QString name = tool[u"name"_s].toString();
        const QJsonObject notes = tool[u"annotations"_s].toObject();
        QVERIFY2(notes[u"readOnlyHint"_s].toBool() != writers.contains(name), qPrintable(name));
        QVERIFY2(notes[u"destructiveHint"_s].toBool() == writers.contains(name), qPrintable(name));
    }
}

void TestMcp::answersAreThoseOfTheCommands_data() {
    QTest::addColumn<QString>("tool");
    QTest::addColumn<QJsonObject>("arguments");
    QTest::addColumn<QStringList>("words");
    const QJsonObject model{{u"model"_s, u"net.fw"_s}};
    const auto with = [&](const QString& name, const QJsonValue& value) {
        QJsonObject out = model;
        out[name] = value;
        return out;
    };
    QTest::newRow("info") << u"info"_s << model << QStringList{u"info"_s, u"net.fw"_s};
    QTest::newRow("rules") << u"match"_s << with(u"rules"_s, QJsonArray{u"book.fw"_s})
                           << QStringList{u"match"_s, u"net.fw"_s, u"--rules"_s, u"book.fw"_s};
    QTest::newRow("stage") << u"stages"_s << with(u"stage"_s, u"loops"_s)
                           << QStringList{u"stages"_s, u"net.fw"_s, u"--stage"_s, u"loops"_s};
    QTest::newRow("number") << u"schedule"_s << with(u"group"_s, 0)
                            << QStringList{u"schedule"_s, u"net.fw"_s, u"--group"_s, u"0"_s};
    QTest::newRow("operands") << u"explain"_s
                              << with(u"nodes"_s, QJsonArray{u"first"_s, u"second"_s})
                              << QStringList{u"explain"_s, u"net.fw"_s, u"first"_s, u"second"_s};
    QTest::newRow("two in their order")
        << u"assist"_s << QJsonObject{{u"place"_s, u"1:1"_s}, {u"book"_s, u"book.fw"_s}}
        << QStringList{u"assist"_s, u"book.fw"_s, u"1:1"_s};
    QTest::newRow("nothing") << u"book"_s << QJsonObject() << QStringList{u"book"_s};
    QTest::newRow("help") << u"help"_s << QJsonObject{{u"name"_s, u"info"_s}}
                          << QStringList{u"help"_s, u"info"_s};
    QTest::newRow("diff") << u"diff"_s
                          << QJsonObject{{u"models"_s, QJsonArray{u"net.fw"_s, u"net.fw"_s}}}
                          << QStringList{u"diff"_s, u"net.fw"_s, u"net.fw"_s};
}

void TestMcp::answersAreThoseOfTheCommands() {
    QFETCH(QString, tool);
    QFETCH(QJsonObject, arguments);
    QFETCH(QStringList, words);
    const auto client = started();
    const QJsonObject answer = call(*client, tool, arguments);
    QCOMPARE(answer[u"isError"_s], QJsonValue(false));
    QJsonObject expected = printed(words, m_folder.path()).object(),
                got = answer[u"structuredContent"_s].toObject();
    QVERIFY(!expected.isEmpty());
    QCOMPARE(got.keys(), expected.keys());
    for (const QString& key : expected.keys())
        if (key != u"rules") // how long looking took is another time
            QCOMPARE(got[key], expected[key]);
    const QJsonObject text = answer[u"content"_s].toArray().first().toObject();
    QCOMPARE(text[u"type"_s].toString(), u"text"_s);
    QCOMPARE(QJsonDocument::fromJson(text[u"text"_s].toString().toUtf8()).object(), got);
}

void TestMcp::listsAreAnObject() {
    const auto client = started();
    const QJsonObject answer =
        call(*client, u"check"_s, {{u"book"_s, QJsonArray{u"book.fw"_s, u"wrong.fw"_s}}});
    const QJsonArray answers = answer[u"structuredContent"_s].toObject()[u"answers"_s].toArray();
    QCOMPARE(answers.size(), 2);
    QCOMPARE(answers[1][u"file"_s].toString(), u"wrong.fw"_s);
}

void TestMcp::theAnswerNoIsNoError() {
    const auto client = started();
    for (const auto& [book, verdict] :
         {std::pair(u"wrong.fw"_s, u"refuted"_s), {u"bad.fw"_s, u"refused"_s}}) {
        const QJsonObject answer = call(*client, u"check"_s, {{u"book"_s, QJsonArray{book}}});
        QCOMPARE(answer[u"isError"_s], QJsonValue(false));
        QCOMPARE(answer[u"structuredContent"_s][u"items"_s][0][u"verdict"_s].toString(), verdict);
    }
}

void TestMcp::refusals_data() {
    QTest::addColumn<QString>("tool");
    QTest::addColumn<QJsonObject>("arguments");
    QTest::addColumn<QString>("code");
    const auto row = [](const char* name, const QString& tool, const QJsonObject& arguments,
                        const QString& code) { QTest::newRow(name) << tool << arguments << code; };
    row("no file", u"info"_s, {{u"model"_s, u"nosuch.onnx"_s}}, u"FIL01"_s);
    row("no name", u"ops"_s, {{u"name"_s, u"nosuch"_s}}, u"USE03"_s);
    row("nothing", u"info"_s, {}, u"USE01"_s);
    row("unknown", u"info"_s, {{u"model"_s, u"net.fw"_s}, {u"nosuch"_s, 1}}, u"USE01"_s);
    row("not offered", u"info"_s, {{u"model"_s, u"net.fw"_s}, {u"worker"_s, u"true"_s}},
        u"USE01"_s);
    row("no text", u"info"_s, {{u"model"_s, 7}}, u"USE01"_s);
    row("a zero byte", u"info"_s, {{u"model"_s, u"net.fw"_s + QChar(0) + u".png"_s}}, u"USE01"_s);
    row("no list", u"match"_s, {{u"model"_s, u"net.fw"_s}, {u"rules"_s, u"book.fw"_s}}, u"USE01"_s);
    row("no number", u"schedule"_s, {{u"model"_s, u"net.fw"_s}, {u"group"_s, u"0"_s}}, u"USE01"_s);
    row("no whole number", u"schedule"_s, {{u"model"_s, u"net.fw"_s}, {u"group"_s, 0.5}},
        u"USE01"_s);
    row("no flag", u"profile"_s, {{u"model"_s, u"net.fw"_s}, {u"each"_s, u"yes"_s}}, u"USE01"_s);
    row("a library of a book", u"match"_s,
        {{u"model"_s, u"net.fw"_s}, {u"target"_s, u"x86-64 -libs=mine"_s}}, u"LIB06"_s);
    row("among targets", u"diff"_s,
        {{u"models"_s, QJsonArray{u"net.fw"_s}},
         {u"target"_s, QJsonArray{u"x86-64 -libs="_s, u"x86-64 -libs=onednn,mine"_s}}},
        u"LIB06"_s);
    row("none of few", u"match"_s, {{u"model"_s, u"net.fw"_s}, {u"stage"_s, u"nosuch"_s}},
        u"USE01"_s);
}

void TestMcp::refusals() {
    QFETCH(QString, tool);
    QFETCH(QJsonObject, arguments);
    QFETCH(QString, code);
    const auto client = started();
    const QJsonObject answer = call(*client, tool, arguments);
    QCOMPARE(answer[u"isError"_s], QJsonValue(true));
    QCOMPARE(answer[u"structuredContent"_s][u"code"_s].toString(), code);
    QVERIFY(!answer[u"content"_s].toArray().isEmpty());
    QCOMPARE(client->errorOf(client->ask(u"tools/call"_s, {{u"name"_s, u"nosuch"_s}})), -32602);
    QCOMPARE(client->errorOf(client->ask(u"tools/call"_s, {{u"name"_s, u"lsp"_s}})), -32602);
    QCOMPARE(client->errorOf(client->ask(u"tools/call"_s)), -32602);
    QCOMPARE(client->errorOf(client->ask(u"resources/list"_s)), -32601);
}

void TestMcp::namesAreNoOptions() {
    const auto client = started();
    QJsonObject answer = call(*client, u"info"_s, {{u"model"_s, u"-dash.fw"_s}});
    QCOMPARE(answer[u"isError"_s], QJsonValue(false));
    answer = call(*client, u"info"_s, {{u"model"_s, u"--version"_s}});
    QCOMPARE(answer[u"structuredContent"_s][u"code"_s].toString(), u"FIL01"_s);
    answer = call(*client, u"info"_s,
                  {{u"model"_s, u"net.fw"_s}, {u"rules"_s, QJsonArray{u"--worker=touch x"_s}}});
    QCOMPARE(answer[u"structuredContent"_s][u"code"_s].toString(), u"FIL01"_s);
    QVERIFY(!QFile::exists(m_folder.filePath(u"x"_s)));
}

// An error in a book does not end a command, and is told on standard error.
void TestMcp::whatIsToldBesideTheAnswer() {
    const auto client = started();
    const QJsonObject answer = call(
        *client, u"info"_s, {{u"model"_s, u"net.fw"_s}, {u"rules"_s, QJsonArray{u"bad.fw"_s}}});
    QCOMPARE(answer[u"isError"_s], QJsonValue(false));
    QVERIFY(answer[u"content"_s][1][u"text"_s].toString().contains(u"OPR01"_s));
}

void TestMcp::cancelled() {
    const auto client = started();
    const int id = client->begin(
        u"tools/call"_s,
        {{u"name"_s, u"bench"_s}, // which takes many seconds, if nothing ends it
         {u"arguments"_s,
          QJsonObject{{u"models"_s, QJsonArray{large, large, large, large, large, large}},
                      {u"seconds"_s, 600}}}});
    const int behind =
        client->begin(u"tools/call"_s, {{u"name"_s, u"info"_s},
                                        {u"arguments"_s, QJsonObject{{u"model"_s, u"net.fw"_s}}}});
    QVERIFY(client->ask(u"ping"_s).contains(u"result"_s)); // while the call is at work
    client->notify(u"notifications/cancelled"_s, {{u"requestId"_s, u"nosuch"_s}});
    client->notify(u"notifications/cancelled"_s);
    client->notify(u"notifications/cancelled"_s, {{u"requestId"_s, id}});
    // The next one has its turn, and the first one has no answer.
    const QJsonObject next = client->next();
    QCOMPARE(next[u"id"_s], QJsonValue(behind));
    QCOMPARE(next[u"result"_s][u"isError"_s], QJsonValue(false));
    QCOMPARE(client->end(), 0);
}

void TestMcp::progress() {
    const auto client = started();
    const int id = client->begin(
        u"tools/call"_s,
        {{u"name"_s, u"bench"_s},
         {u"arguments"_s, QJsonObject{{u"models"_s, QJsonArray{large}}, {u"seconds"_s, 0.5}}},
         {u"_meta"_s, QJsonObject{{u"progressToken"_s, u"here"_s}}}});
    double before = 0;
    int told = 0;
    for (QJsonObject message = client->next(); message[u"id"_s] != id; message = client->next()) {
        QCOMPARE(message[u"method"_s].toString(), u"notifications/progress"_s);
        QCOMPARE(message[u"params"_s][u"progressToken"_s].toString(), u"here"_s);
        QVERIFY(message[u"params"_s][u"progress"_s].toDouble() > before);
        before = message[u"params"_s][u"progress"_s].toDouble();
        ++told;
    }
    QVERIFY(told >= 1);
}

void TestMcp::lists() {
    const auto client = started(u"2025-03-26"_s);
    client->sendText(R"([{"jsonrpc":"2.0","id":"a","method":"ping"},)"
                     R"({"jsonrpc":"2.0","method":"notifications/nosuch"},)"
                     R"({"jsonrpc":"2.0","id":"b","method":"nosuch"},7])");
    const QJsonArray answers = client->nextDocument().array();
    QCOMPARE(answers.size(), 3);
    QCOMPARE(answers[0][u"id"_s].toString(), u"a"_s);
    QCOMPARE(answers[1][u"error"_s][u"code"_s].toInt(), -32601);
    QCOMPARE(answers[2][u"error"_s][u"code"_s].toInt(), -32600);
    client->sendText("[]");
    QCOMPARE(client->errorOf(client->next()), -32600);
}

void TestMcp::wrongMessages_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("code");
    QTest::newRow("no json") << QByteArray("{\"jsonrpc\":") << -32700;
    QTest::newRow("no utf-8") << QByteArray("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}")
                              << -32700;
    QTest::newRow("half a pair") << QByteArray(R"({"jsonrpc":"2.0","id":1,"method":"\ud800"})")
                                 << -32700;
    QTest::newRow("deep") << QByteArray(100000, '[') << -32700;
    QTest::newRow("no object") << QByteArray("7") << -32600;
    QTest::newRow("no version") << QByteArray(R"({"id":1,"method":"ping"})") << -32600;
    QTest::newRow("no method") << QByteArray(R"({"jsonrpc":"2.0","id":1})") << -32600;
    QTest::newRow("null id") << QByteArray(R"({"jsonrpc":"2.0","id":null,"method":"ping"})")
                             << -32600;
    QTest::newRow("list as id") << QByteArray(R"({"jsonrpc":"2.0","id":[],"method":"ping"})")
                                << -32600;
    QTest::newRow("number as params")
        << QByteArray(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":7})") << -32600;
}

void TestMcp::wrongMessages() {
    QFETCH(QByteArray, text);
    QFETCH(int, code);
    const auto client = started();
    client->sendText(text);
    QCOMPARE(client->errorOf(client->next()), code);
    client->sendText("");
    client->sendText(R"({"jsonrpc":"2.0","id":77,"result":{}})"); // to nothing that was asked
    QVERIFY(client->ask(u"ping"_s).contains(u"result"_s));
}

void TestMcp::tooLong() {
    const auto client = started();
    client->sendText(QByteArray(20 << 20, ' '));
    const QJsonObject refused = client->next();
    QCOMPARE(client->errorOf(refused), -32600);
    QVERIFY(refused[u"error"_s][u"message"_s].toString().contains(u"16777216"_s));
    QVERIFY(client->ask(u"ping"_s).contains(u"result"_s));
}

void TestMcp::fullOutput() {
    QProcess process;
    process.start(u"sh"_s, {u"-c"_s,
                            u"echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}' | "
                            "\"$0\" mcp >/dev/full"_s,
                            qEnvironmentVariable("FW_BIN") + u"/fw"_s});
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitCode(), 3);
    QVERIFY(process.readAllStandardError().contains("FIL02"));
}

FW_TEST(TestMcp, QCoreApplication)
#include "test_mcp.moc"
