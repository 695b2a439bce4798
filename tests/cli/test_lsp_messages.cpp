// `fw lsp`: how it begins and ends, and what is no question.
#include "cli/lsp_fixture.h"
#include "common/test.h"

#include <QDir>
#include <QtTest>

#include <csignal>

using namespace Qt::StringLiterals;
using namespace fw::tests;

class TestLspMessages : public LspFixture {
    Q_OBJECT

private Q_SLOTS:
    void lifecycle();
    void endings();
    void whatIsOffered();
    void cancelled();
    void aWorkerThatEnds();
    void wrongQuestions_data();
    void wrongQuestions();
    void wrongMessages_data();
    void wrongMessages();
    void wrongLengths_data();
    void wrongLengths();
    void anEndlessLength();
};

void TestLspMessages::lifecycle() {
    RpcClient client(RpcClient::Framing::Headers, {u"lsp"_s});
    QCOMPARE(client.errorOf(client.ask(u"shutdown"_s)), -32002);
    QCOMPARE(client.errorOf(client.ask(u"textDocument/hover"_s)), -32002);
    open(client, u"early.fw"_s, u"rule {"_s); // is dropped
    QCOMPARE(client.errorOf(client.ask(u"initialize"_s)), -32602);
    const QJsonObject first =
        client.result(u"initialize"_s, {{u"capabilities"_s, QJsonObject()}}).toObject();
    QCOMPARE(first[u"serverInfo"_s][u"name"_s].toString(), u"fw"_s);
    QCOMPARE(client.errorOf(client.ask(u"initialize"_s, {{u"capabilities"_s, QJsonObject()}})),
             -32600);
    client.notify(u"initialized"_s);
    client.notify(u"$/nosuch"_s);
    client.notify(u"nosuch/told"_s);
    client.notify(u"textDocument/didOpen"_s, {{u"textDocument"_s, 7}});
    QCOMPARE(client.errorOf(client.ask(u"$/nosuch"_s)), -32601);
    QCOMPARE(client.errorOf(client.ask(u"textDocument/rename"_s)), -32601);
    QCOMPARE(client.errorOf(client.ask(u"textDocument/hover"_s, place(u"early.fw"_s, 0, 0))),
             -32602); // it is not open
    const QJsonObject last = client.ask(u"shutdown"_s);
    QVERIFY(last.contains(u"result"_s) && last[u"result"_s].isNull());
    QCOMPARE(client.errorOf(client.ask(u"textDocument/hover"_s)), -32600);
    client.notify(u"exit"_s);
    QCOMPARE(client.wait(), 0);
}

void TestLspMessages::endings() {
    RpcClient early(RpcClient::Framing::Headers, {u"lsp"_s});
    early.notify(u"exit"_s);
    QCOMPARE(early.wait(), 1);
    const auto without = started();
    open(*without, u"a.fw"_s, u"rule {"_s);
    without->notify(u"exit"_s);
    QCOMPARE(without->wait(), 1);
    const auto closed = started();
    QCOMPARE(closed->end(), 1);
}

void TestLspMessages::whatIsOffered() {
    for (const QJsonObject& capabilities : {QJsonObject(), rich()}) {
        RpcClient client(RpcClient::Framing::Headers, {u"lsp"_s});
        const QJsonValue offered =
            client.result(u"initialize"_s, {{u"capabilities"_s, capabilities}})[u"capabilities"_s];
        QCOMPARE(offered[u"positionEncoding"_s].toString(),
                 capabilities.isEmpty() ? u"utf-16"_s : u"utf-8"_s);
        QCOMPARE(offered[u"textDocumentSync"_s][u"change"_s].toInt(), 2);
        QVERIFY(offered.toObject().contains(u"completionProvider"_s));
        for (const QString& one :
             {u"hoverProvider"_s, u"definitionProvider"_s, u"referencesProvider"_s,
              u"documentSymbolProvider"_s, u"documentFormattingProvider"_s})
            QVERIFY2(offered[one].toBool(), qPrintable(one));
    }
}

// While the check that it waits for has not begun.
void TestLspMessages::cancelled() {
    const auto client = started();
    open(*client, u"a.fw"_s, u"rule b { match y = rellu(x) emit y = x }\n"_s);
    const QJsonObject asked = {{u"textDocument"_s, QJsonObject{{u"uri"_s, uriOf(u"a.fw"_s)}}},
                               {u"range"_s, between(at(0, 0), at(1, 0))},
                               {u"context"_s, QJsonObject{{u"diagnostics"_s, QJsonArray()}}}};
    const int id = client->begin(u"textDocument/codeAction"_s, asked);
    client->notify(u"$/cancelRequest"_s, {{u"id"_s, 4711}});
    client->notify(u"$/cancelRequest"_s, {{u"id"_s, QJsonArray()}});
    client->notify(u"$/cancelRequest"_s);
    client->notify(u"$/cancelRequest"_s, {{u"id"_s, id}});
    QCOMPARE(client->errorOf(client->answerTo(id)), -32800);
    QVERIFY(!client->result(u"textDocument/codeAction"_s, asked).toArray().isEmpty());
}

void TestLspMessages::aWorkerThatEnds() {
    const auto client = started();
    open(*client, u"a.fw"_s, u"rule r { match y = relu(x) emit y = abs(x) }\n"_s);
    diagnostics(*client, u"a.fw"_s);
    client->result(u"textDocument/hover"_s, place(u"a.fw"_s, 0, 20));
    QFile children(u"/proc/%1/task/%1/children"_s.arg(client->processId()));
    if (!children.open(QIODevice::ReadOnly))
        QSKIP("this system does not list the children of a process");
    QByteArrayList ids;
    for (int tried = 0; ids.size() < 2 && tried < 100; ++tried) {
        // A child is listed by the thread that started it.
        ids.clear();
        QDir tasks(u"/proc/%1/task"_s.arg(client->processId()));
        for (const QString& task : tasks.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            QFile list(tasks.filePath(task + u"/children"_s));
            if (list.open(QIODevice::ReadOnly))
                ids += list.readAll().simplified().split(' ');
        }
        ids.removeAll(QByteArray());
    }
    QCOMPARE(ids.size(), 2); // of the questions, and of the checks
    for (const QByteArray& id : ids)
        QCOMPARE(::kill(id.toInt(), SIGKILL), 0);
    const QJsonObject lost = client->ask(u"textDocument/hover"_s, place(u"a.fw"_s, 0, 20));
    if (lost.contains(u"error"_s)) {
        QCOMPARE(client->errorOf(lost), -32803);
        QCOMPARE(lost[u"error"_s][u"data"_s][u"code"_s].toString(), u"INT02"_s);
    }
    QVERIFY(!client->result(u"textDocument/hover"_s, place(u"a.fw"_s, 0, 20)).isNull());
    const QString text = u"rule r { match y = rellu(x) emit y = abs(x) }\n"_s;
    change(*client, u"a.fw"_s, 2, {QJsonObject{{u"text"_s, text}}});
    diagnostics(*client, u"a.fw"_s, 2); // that it ended, or what is wrong
    change(*client, u"a.fw"_s, 3, {QJsonObject{{u"text"_s, text}}});
    QCOMPARE(diagnostics(*client, u"a.fw"_s, 3)[0][u"code"_s].toString(), u"OPR01"_s);
}

void TestLspMessages::wrongQuestions_data() {
    QTest::addColumn<QByteArray>("params");
    QTest::newRow("nothing") << QByteArray("{}");
    QTest::newRow("null") << QByteArray("null");
    QTest::newRow("a list") << QByteArray("[1, 2]");
    QTest::newRow("a text as document") << QByteArray(R"({"textDocument": "a.fw"})");
    QTest::newRow("a text as line") << QByteArray(
        R"({"textDocument": {"uri": "a"}, "position": {"line": "0", "character": 0}})");
    QTest::newRow("not open") << QByteArray(
        R"({"textDocument": {"uri": "nosuch:a"}, "position": {"line": 0, "character": 0},
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
            "context": {"includeDeclaration": true, "diagnostics": []}})");
}

void TestLspMessages::wrongQuestions() {
    QFETCH(QByteArray, params);
    const auto client = started();
    int id = 100;
    for (const char* method : {"completion", "hover", "definition", "references", "documentSymbol",
                               "codeAction", "formatting"}) {
        client->sendText("{\"jsonrpc\":\"2.0\",\"id\":" + QByteArray::number(++id) +
                         ",\"method\":\"textDocument/" + method + "\",\"params\":" + params + "}");
        const QJsonObject answer = client->answerTo(id);
        QVERIFY2(client->errorOf(answer) == -32602, method);
        const QString said = answer[u"error"_s][u"message"_s].toString();
        QVERIFY2(!said.contains(u"key '"_s) && !said.contains(u"must be"_s), qPrintable(said));
    }
    for (const char* method : {"didOpen", "didChange", "didClose"})
        client->sendText(QByteArray("{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/") + method +
                         "\",\"params\":" + params + "}");
    QCOMPARE(client->errorOf(client->ask(u"nosuch"_s)), -32601);
}

void TestLspMessages::wrongMessages_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("code");
    QTest::newRow("empty") << QByteArray() << -32700;
    QTest::newRow("no json") << QByteArray("{\"jsonrpc\":") << -32700;
    QTest::newRow("no utf-8") << QByteArray("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}")
                              << -32700;
    QTest::newRow("null bytes") << QByteArray(100, '\0') << -32700;
    QTest::newRow("deep") << QByteArray(1 << 20, '[') << -32700;
    QTest::newRow("a list") << QByteArray(R"([{"jsonrpc":"2.0","id":1,"method":"shutdown"}])")
                            << -32600;
    QTest::newRow("no version") << QByteArray(R"({"id":1,"method":"shutdown"})") << -32600;
    QTest::newRow("other version")
        << QByteArray(R"({"jsonrpc":"1.0","id":1,"method":"shutdown"})") << -32600;
    QTest::newRow("number as method")
        << QByteArray(R"({"jsonrpc":"2.0","id":1,"method":1})") << -32600;
    QTest::newRow("half an id") << QByteArray(R"({"jsonrpc":"2.0","id":0.5,"method":"shutdown"})")
                                << -32600;
}

void TestLspMessages::wrongMessages() {
    QFETCH(QByteArray, text);
    QFETCH(int, code);
    const auto client = started();
    client->sendText(text);
    QCOMPARE(client->errorOf(client->next()), code);
    QCOMPARE(client->errorOf(client->ask(u"nosuch"_s)), -32601); // it goes on
}

void TestLspMessages::wrongLengths_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("code");
    const QByteArray ping = R"({"jsonrpc":"2.0","id":1,"method":"nosuch"})";
    QTest::newRow("no length") << QByteArray("Content-Type: x\r\n\r\n") << -32700;
    QTest::newRow("no number") << QByteArray("Content-Length: seven\r\n\r\n") << -32700;
    QTest::newRow("negative") << QByteArray("Content-Length: -7\r\n\r\n") << -32700;
    QTest::newRow("too short") << "Content-Length: 7\r\n\r\n" + ping << -32700;
    QTest::newRow("no header at all") << QByteArray(100000, 'x') + "\r\n\r\n" << -32700;
    QTest::newRow("too long") << "Content-Length: 20000000\r\n\r\n" + QByteArray(20000000, ' ')
                              << -32600;
}

void TestLspMessages::wrongLengths() {
    QFETCH(QByteArray, bytes);
    QFETCH(int, code);
    const auto client = started();
    client->sendBytes(bytes);
    QCOMPARE(client->errorOf(client->next()), code);
    const int id = client->begin(u"nosuch"_s);
    QCOMPARE(client->errorOf(client->answerTo(id)), -32601);
}

void TestLspMessages::anEndlessLength() {
    const auto client = started();
    client->sendBytes("Content-Length: 99999999999999999999999\r\n\r\n{");
    const QJsonObject refused = client->next();
    QCOMPARE(client->errorOf(refused), -32600);
    QVERIFY(refused[u"error"_s][u"message"_s].toString().contains(u"16777216"_s));
    QCOMPARE(client->end(), 1);
}

FW_TEST(TestLspMessages, QCoreApplication)
#include "test_lsp_messages.moc"
