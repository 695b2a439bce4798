// `fw lsp`: what an editor asks and is told, in texts that are typed. What is no question:
// test_lsp_messages.
#include "cli/lsp_fixture.h"
#include "common/test.h"

#include <QDir>
#include <QFile>
#include <QtTest>

#include <memory>

using namespace Qt::StringLiterals;
using namespace fw::tests;

namespace {

// In a text whose characters are all of one byte.
QString edited(const QString& text, const QJsonValue& range, const QString& now) {
    const auto offset = [&](const QJsonValue& place) {
        qsizetype line = 0;
        for (int i = 0; i < place[u"line"_s].toInt(); ++i)
            line = text.indexOf(u'\n', line) + 1;
        return line + place[u"character"_s].toInt();
    };
    const qsizetype begin = offset(range[u"start"_s]), end = offset(range[u"end"_s]);
    return text.left(begin) + now + text.mid(end);
}

} // namespace

class TestLsp : public LspFixture {
    Q_OBJECT

private Q_SLOTS:
    void diagnosticsAndTheirFixes_data();
    void diagnosticsAndTheirFixes();
    void neverStale();
    void booksKnowEachOther();
    void whatIsIncluded();
    void completion();
    void hoverAndDefinition();
    void shippedBooks();
    void references();
    void symbols();
    void formatting();
    void changesOfATextInUtf16();
    void withAModelAndBooks();
};

void TestLsp::diagnosticsAndTheirFixes_data() {
    QTest::addColumn<QJsonObject>("capabilities");
    QTest::addColumn<int>("column"); // of the word behind "𝄞é"
    QTest::newRow("utf-16") << QJsonObject() << 30;
    QTest::newRow("utf-8") << rich() << 33;
}

void TestLsp::diagnosticsAndTheirFixes() {
    QFETCH(QJsonObject, capabilities);
    QFETCH(int, column);
    const auto client = started(capabilities);
    const QString text = u"graph g(x: f32[4]) -> y {\n"
                         "  a = abs(x) @node(\"𝄞é\") y = rellu(a)\n}\n"_s;
    const qsizetype word = text.indexOf(u"rellu"_s) - text.indexOf(u"  a"_s);
    QCOMPARE(column, static_cast<int>(capabilities.isEmpty() ? word : word + 3));
    open(*client, u"net.fw"_s, text);
    const QJsonArray told = diagnostics(*client, u"net.fw"_s);
    QCOMPARE(told.size(), 1);
    QCOMPARE(told[0][u"code"_s].toString(), u"OPR01"_s);
    QCOMPARE(told[0][u"severity"_s].toInt(), 1);
    QCOMPARE(told[0][u"source"_s].toString(), u"fw"_s);
    QVERIFY(told[0][u"message"_s].toString().contains(u"relu"_s));
    const QJsonObject range = between(at(1, column), at(1, column + 5));
    QCOMPARE(told[0][u"range"_s].toObject(), range);
    QJsonObject asked = {{u"textDocument"_s, QJsonObject{{u"uri"_s, uriOf(u"net.fw"_s)}}},
                         {u"range"_s, between(at(1, column), at(1, column))},
                         {u"context"_s, QJsonObject{{u"diagnostics"_s, told}}}};
    const QJsonArray actions = client->result(u"textDocument/codeAction"_s, asked).toArray();
    QVERIFY(!actions.isEmpty());
    QCOMPARE(actions[0][u"kind"_s].toString(), u"quickfix"_s);
    QCOMPARE(actions[0][u"isPreferred"_s].toBool(), true);
    QCOMPARE(actions[0][u"diagnostics"_s][0].toObject(), told[0].toObject());
    const QJsonValue edit = actions[0][u"edit"_s];
    const QJsonValue fix = capabilities.isEmpty() ? edit[u"changes"_s][uriOf(u"net.fw"_s)][0]
                                                  : edit[u"documentChanges"_s][0][u"edits"_s][0];
    QCOMPARE(fix[u"newText"_s].toString(), u"relu"_s);
    QCOMPARE(fix[u"range"_s].toObject(), range);
    if (!capabilities.isEmpty())
        QCOMPARE(edit[u"documentChanges"_s][0][u"textDocument"_s][u"version"_s].toInt(), 1);
    // Elsewhere in the text, or of another kind, there is none.
    asked[u"range"_s] = between(at(0, 0), at(0, 1));
    QVERIFY(client->result(u"textDocument/codeAction"_s, asked).toArray().isEmpty());
    asked[u"range"_s] = range;
    asked[u"context"_s] = QJsonObject{{u"only"_s, QJsonArray{u"refactor"_s}}};
    QVERIFY(client->result(u"textDocument/codeAction"_s, asked).toArray().isEmpty());
    // The fix, as an editor applies it.
    change(*client, u"net.fw"_s, 2,
           {QJsonObject{{u"range"_s, fix[u"range"_s]}, {u"text"_s, fix[u"newText"_s]}}});
    QVERIFY(diagnostics(*client, u"net.fw"_s, 2).isEmpty());
    client->notify(u"textDocument/didClose"_s,
                   {{u"textDocument"_s, QJsonObject{{u"uri"_s, uriOf(u"net.fw"_s)}}}});
    QVERIFY(
        client->told(u"textDocument/publishDiagnostics"_s)[u"diagnostics"_s].toArray().isEmpty());
}

// What is told of a version is what is wrong with it, and behind a change nothing older is told:
// an answer to a question that was asked behind the change stands between them.
void TestLsp::neverStale() {
    const auto client = started();
    const auto textOf = [](int wrong) {
        return u"rule a { match y = relu(relu(x)) emit y = relu(x) }\n"_s +
               u"rule b { match y = rellu(x) emit y = x }\n"_s.repeated(wrong);
    };
    open(*client, u"a.fw"_s, textOf(0));
    int version = 1;
    for (int round = 0; round < 12; ++round) {
        const int wrong = round % 3;
        change(*client, u"a.fw"_s, ++version, {QJsonObject{{u"text"_s, textOf(wrong)}}});
        client->result(u"textDocument/documentSymbol"_s, place(u"a.fw"_s, 0, 0));
        client->forget();
        if (round % 4 == 3)
            QCOMPARE(diagnostics(*client, u"a.fw"_s, version).isEmpty(), wrong == 0);
        else if (round % 4 == 1)
            QTest::qWait(20 * round); // into the check of this text
    }
    change(*client, u"a.fw"_s, ++version, {QJsonObject{{u"text"_s, textOf(2)}}});
    client->result(u"textDocument/documentSymbol"_s, place(u"a.fw"_s, 0, 0));
    client->forget();
    const QJsonObject told = client->told(u"textDocument/publishDiagnostics"_s);
    QCOMPARE(told[u"version"_s].toInt(), version);
    QVERIFY(told[u"diagnostics"_s].toArray().size() >= 2);
}

void TestLsp::booksKnowEachOther() {
    const auto client = started();
    open(*client, u"user.fw"_s, u"rule r { match y = mine(mine(x)) emit y = mine(x) }\n"_s);
    QVERIFY(!diagnostics(*client, u"user.fw"_s).isEmpty());
    // What another one declares, which is saved nowhere, makes it right.
    open(*client, u"ops.fw"_s,
         u"op mine(x: T[S...]) -> y: T[S...] { y[i...] = max(x[i...], 0) }\n"_s);
    QVERIFY(diagnostics(*client, u"ops.fw"_s).isEmpty());
    QVERIFY(diagnostics(*client, u"user.fw"_s).isEmpty());
    const QJsonValue there =
        client->result(u"textDocument/definition"_s, place(u"user.fw"_s, 0, 20));
    QCOMPARE(there[u"uri"_s].toString(), uriOf(u"ops.fw"_s));
    QCOMPARE(there[u"range"_s][u"start"_s].toObject(), at(0, 3));
    client->notify(u"textDocument/didClose"_s,
                   {{u"textDocument"_s, QJsonObject{{u"uri"_s, uriOf(u"ops.fw"_s)}}}});
    client->forget();
    QVERIFY(!diagnostics(*client, u"user.fw"_s).isEmpty());
}

// A file on the disk that is not open, and as it is typed when it is.
void TestLsp::whatIsIncluded() {
    const QByteArray right = "op mine(x: T[S...]) -> y: T[S...] { y[i...] = max(x[i...], 0) }\n";
    QVERIFY(QDir(m_folder.path()).mkpath(u"a b"_s));
    write(u"a b/ops.fw"_s, right);
    const auto client = started(rich());
    open(*client, u"main.fw"_s,
         u"include \"a b/ops.fw\"\n"
         "rule r { match y = mine(mine(x)) emit y = mine(x) }\n"_s);
    QVERIFY(diagnostics(*client, u"main.fw"_s).isEmpty());
    const QJsonValue there =
        client->result(u"textDocument/definition"_s, place(u"main.fw"_s, 1, 20));
    QCOMPARE(there[u"uri"_s].toString(), uriOf(u"a%20b/ops.fw"_s));
    // An error of it stands where it is included, with its own place.
    write(u"a b/ops.fw"_s, right + "rule bad { match y = rellu(x) emit y = x }\n");
    client->notify(u"workspace/didChangeWatchedFiles"_s, {{u"changes"_s, QJsonArray()}});
    QJsonValue told;
    for (const QJsonValue& one : diagnostics(*client, u"main.fw"_s))
        if (one[u"code"_s] == u"OPR01"_s)
            told = one;
    QCOMPARE(told[u"range"_s][u"start"_s].toObject(), at(0, 0));
    const QJsonValue related = told[u"relatedInformation"_s][0][u"location"_s];
    QCOMPARE(related[u"uri"_s].toString(), uriOf(u"a%20b/ops.fw"_s));
    QCOMPARE(related[u"range"_s][u"start"_s][u"line"_s].toInt(), 1);
    open(*client, u"a%20b/ops.fw"_s, QString::fromUtf8(right));
    QVERIFY(diagnostics(*client, u"main.fw"_s).isEmpty());
}

void TestLsp::completion() {
    const QString text = u"graph g(x: f32[4]) -> y {\n  y = soft(x)\n}\n"_s;
    for (const QJsonObject& capabilities : {QJsonObject(), rich()}) {
        const auto client = started(capabilities);
        open(*client, u"net.fw"_s, text);
        const QJsonValue found =
            client->result(u"textDocument/completion"_s, place(u"net.fw"_s, 1, 8));
        QCOMPARE(found[u"isIncomplete"_s].toBool(), false);
        const QJsonArray items = found[u"items"_s].toArray();
        QVERIFY(items.size() > 50);
        QJsonObject softmax;
        QStringList order;
        for (const QJsonValue& item : items) {
            order << item[u"sortText"_s].toString();
            if (item[u"label"_s] == u"softmax"_s)
                softmax = item.toObject();
        }
        QStringList sorted = order;
        sorted.sort();
        QCOMPARE(order, sorted);
        QVERIFY(softmax[u"detail"_s].toString().contains(u"axis"_s));
        QCOMPARE(softmax[u"documentation"_s][u"kind"_s].toString(), u"plaintext"_s);
        QVERIFY(!softmax[u"documentation"_s][u"value"_s].toString().isEmpty());
        const QJsonValue edit = softmax[u"textEdit"_s];
        const QJsonObject whole = between(at(1, 6), at(1, 10));
        if (capabilities.isEmpty()) {
            QCOMPARE(edit[u"range"_s].toObject(), whole);
        } else {
            QCOMPARE(edit[u"replace"_s].toObject(), whole);
            QCOMPARE(edit[u"insert"_s].toObject(), between(at(1, 6), at(1, 8)));
        }
        QCOMPARE(edited(text, whole, edit[u"newText"_s].toString()),
                 QString(text).replace(u"soft"_s, u"softmax"_s));
    }
}

void TestLsp::hoverAndDefinition() {
    const auto client = started();
    open(*client, u"a.fw"_s, u"rule r {\n  match y = relu(inner)\n  emit y = abs(inner)\n}\n"_s);
    const QJsonValue hover = client->result(u"textDocument/hover"_s, place(u"a.fw"_s, 1, 13));
    QCOMPARE(hover[u"contents"_s][u"kind"_s].toString(), u"plaintext"_s);
    QVERIFY(hover[u"contents"_s][u"value"_s].toString().contains(u"relu"_s));
    QCOMPARE(hover[u"range"_s].toObject(), between(at(1, 12), at(1, 16)));
    const QJsonValue capture =
        client->result(u"textDocument/definition"_s, place(u"a.fw"_s, 2, 16));
    QCOMPARE(capture[u"uri"_s].toString(), uriOf(u"a.fw"_s));
    QCOMPARE(capture[u"range"_s].toObject(), between(at(1, 17), at(1, 22)));
    // Nothing, and places that are none.
    QVERIFY(client->result(u"textDocument/hover"_s, place(u"a.fw"_s, 3, 1)).isNull());
    for (const auto& [line, character] : {std::pair(99, 0), {0, 999999}, {-1, -1}})
        QVERIFY(client->ask(u"textDocument/hover"_s, place(u"a.fw"_s, line, character))
                    .contains(u"result"_s));
}

// A name of the library leads to a file that an editor opens, in which one goes on.
void TestLsp::shippedBooks() {
    qputenv("XDG_CACHE_HOME", m_folder.filePath(u"cache"_s).toLocal8Bit());
    const auto client = started();
    qunsetenv("XDG_CACHE_HOME");
    open(*client, u"a.fw"_s, u"rule r { match y = relu(x) emit y = gelu(x) }\n"_s);
    const QJsonValue there = client->result(u"textDocument/definition"_s, place(u"a.fw"_s, 0, 20));
    const QString file = QUrl(there[u"uri"_s].toString()).toLocalFile();
    QVERIFY2(file.startsWith(m_folder.path()), qPrintable(file));
    QFile book(file);
    QVERIFY(book.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(book.readAll());
    const int line = there[u"range"_s][u"start"_s][u"line"_s].toInt();
    QVERIFY(text.split(u'\n').at(line).startsWith(u"op relu"_s));
    QVERIFY(!(book.permissions() & QFile::WriteOwner));
    client->notify(
        u"textDocument/didOpen"_s,
        {{u"textDocument"_s,
          QJsonObject{{u"uri"_s, there[u"uri"_s]}, {u"version"_s, 1}, {u"text"_s, text}}}});
    const QJsonValue hover = client->result(
        u"textDocument/hover"_s, {{u"textDocument"_s, QJsonObject{{u"uri"_s, there[u"uri"_s]}}},
                                  {u"position"_s, there[u"range"_s][u"start"_s]}});
    QVERIFY(hover[u"contents"_s][u"value"_s].toString().contains(u"relu"_s));
    // It takes the place of nothing, and nothing is told of it.
    client->forget();
    change(*client, u"a.fw"_s, 2,
           {QJsonObject{{u"text"_s, u"rule r { match y = relu(x) emit y = relu(x) }\n"_s}}});
    for (const QJsonValue& one : diagnostics(*client, u"a.fw"_s, 2))
        QVERIFY(one[u"code"_s].toString() != u"TXT02"_s);
}

void TestLsp::references() {
    const auto client = started();
    open(*client, u"a.fw"_s,
         u"pattern twice(x) = relu(relu(x))\n"
         "rule r { match y = twice(z) emit y = relu(z) }\n"_s);
    open(*client, u"b.fw"_s, u"rule s { match y = twice(twice(z)) emit y = relu(z) }\n"_s);
    for (const bool withItself : {true, false}) {
        QJsonObject asked = place(u"a.fw"_s, 1, 20);
        asked[u"context"_s] = QJsonObject{{u"includeDeclaration"_s, withItself}};
        QStringList found;
        for (const QJsonValue& one : client->result(u"textDocument/references"_s, asked).toArray())
            found << QUrl(one[u"uri"_s].toString()).fileName() + u':' +
                         QString::number(one[u"range"_s][u"start"_s][u"line"_s].toInt()) + u':' +
                         QString::number(one[u"range"_s][u"start"_s][u"character"_s].toInt());
        QStringList expected = {u"a.fw:1:19"_s, u"b.fw:0:19"_s, u"b.fw:0:25"_s};
        if (withItself)
            expected.prepend(u"a.fw:0:8"_s);
        QCOMPARE(found, expected);
    }
}

void TestLsp::symbols() {
    const QString text = u"# A rule.\nrule first { match y = relu(relu(x)) emit y = relu(x) }\n"
                         "graph net(x: f32[4]) -> y {\n  y = relu(x)\n}\nrule {\n"_s;
    const auto tree = started(rich());
    open(*tree, u"a.fw"_s, text);
    const QJsonArray found =
        tree->result(u"textDocument/documentSymbol"_s, place(u"a.fw"_s, 0, 0)).toArray();
    QCOMPARE(found.size(), 2);
    QCOMPARE(found[0][u"name"_s].toString(), u"first"_s);
    QCOMPARE(found[0][u"detail"_s].toString(), u"rule"_s);
    QCOMPARE(found[0][u"selectionRange"_s].toObject(), between(at(1, 5), at(1, 10)));
    QCOMPARE(found[1][u"range"_s].toObject(), between(at(2, 0), at(4, 1)));
    const auto flat = started();
    open(*flat, u"a.fw"_s, text);
    const QJsonArray listed =
        flat->result(u"textDocument/documentSymbol"_s, place(u"a.fw"_s, 0, 0)).toArray();
    QCOMPARE(listed.size(), 2);
    QCOMPARE(listed[1][u"location"_s][u"range"_s], found[1][u"range"_s]);
}

void TestLsp::formatting() {
    const QString text = u"rule a { match y = relu(relu(x))  emit y = relu(x) }\n\n"
                         "rule   b   {\n match y=abs( x )\n      emit y = x\n}\n\n"
                         "rule c { match y = neg(neg(x))  emit y = x }\n"_s;
    write(u"layout.fw"_s, text.toUtf8());
    QProcess fw;
    fw.start(qEnvironmentVariable("FW_BIN") + u"/fw"_s,
             {u"format"_s, m_folder.filePath(u"layout.fw"_s)});
    QVERIFY(fw.waitForFinished(60000));
    const QString laidOut = QString::fromUtf8(fw.readAllStandardOutput());
    QVERIFY(laidOut != text);
    const auto client = started();
    open(*client, u"layout.fw"_s, text);
    QJsonObject asked = place(u"layout.fw"_s, 0, 0);
    asked[u"options"_s] = QJsonObject{{u"tabSize"_s, 4}, {u"insertSpaces"_s, true}};
    const QJsonArray edits = client->result(u"textDocument/formatting"_s, asked).toArray();
    QCOMPARE(edits.size(), 1);
    QCOMPARE(edited(text, edits[0][u"range"_s], edits[0][u"newText"_s].toString()), laidOut);
    QVERIFY(edits[0][u"range"_s][u"start"_s][u"line"_s].toInt() > 0);
    QVERIFY(edits[0][u"range"_s][u"end"_s][u"line"_s].toInt() < 7);
    // What is laid out is left alone, and so is what cannot be read.
    change(*client, u"layout.fw"_s, 2, {QJsonObject{{u"text"_s, laidOut}}});
    QVERIFY(client->result(u"textDocument/formatting"_s, asked).toArray().isEmpty());
    change(*client, u"layout.fw"_s, 3, {QJsonObject{{u"text"_s, u"rule   {\n"_s}}});
    QVERIFY(client->result(u"textDocument/formatting"_s, asked).toArray().isEmpty());
}

// Several in one message, each of the text that the one before it left, with characters of one to
// four bytes and every break of lines that the protocol knows.
void TestLsp::changesOfATextInUtf16() {
    const auto client = started();
    open(*client, u"a.fw"_s, u"# 𝄞é\r\nrule a {}\rrule b {}\n"_s);
    const auto edit = [](QJsonObject start, QJsonObject end, const QString& text) {
        return QJsonObject{{u"range"_s, between(start, end)}, {u"text"_s, text}};
    };
    change(*client, u"a.fw"_s, 2,
           {edit(at(0, 4), at(0, 5), u"ü𝄞x"_s),   // é
            edit(at(0, 6), at(0, 7), u""_s),      // the second half of a pair is none of its own
            edit(at(2, 5), at(2, 6), u"third"_s), // b, behind a lone \r
            edit(at(1, 0), at(2, 0), u"graph first(x: f32[4]) -> y {\n  y = relu(x)\n}\n"_s),
            edit(at(4, 0), at(99, 7), u"graph third(x: f32[4]) -> y {\n  y = abs(x)\n}"_s)});
    QStringList names;
    for (const QJsonValue& one :
         client->result(u"textDocument/documentSymbol"_s, place(u"a.fw"_s, 0, 0)).toArray())
        names << one[u"name"_s].toString() + u' ' +
                     QString::number(one[u"location"_s][u"range"_s][u"start"_s][u"line"_s].toInt());
    QCOMPARE(names, (QStringList{u"first 1"_s, u"third 4"_s}));
    QVERIFY(diagnostics(*client, u"a.fw"_s, 2).isEmpty());
}

void TestLsp::withAModelAndBooks() {
    write(u"model.fw"_s, "graph g(x: f32[4]) -> y {\n  a = tanh(x)\n  y = tanh(a)\n}\n");
    write(u"always.fw"_s, "pattern twice(x) = relu(relu(x))\n");
    const auto client =
        started({}, {u"--model"_s, m_folder.filePath(u"model.fw"_s), u"--rules"_s, u"always.fw"_s});
    open(*client, u"a.fw"_s, u"rule r { match y = twice(x) emit y = relu(x) }\n"_s);
    QVERIFY(diagnostics(*client, u"a.fw"_s).isEmpty());
    const QJsonValue found = client->result(u"textDocument/completion"_s, place(u"a.fw"_s, 0, 37));
    QStringList operators;
    for (const QJsonValue& item : found[u"items"_s].toArray())
        if (item[u"kind"_s] == 3)
            operators << item[u"label"_s].toString();
    QCOMPARE(operators.value(0), u"tanh"_s);
    const QJsonValue there = client->result(u"textDocument/definition"_s, place(u"a.fw"_s, 0, 20));
    QCOMPARE(there[u"uri"_s].toString(), uriOf(u"always.fw"_s));
}

FW_TEST(TestLsp, QCoreApplication)
#include "test_lsp.moc"
