// resources/docs/fwdoc.md: its example is read as it is described, and its fields are those that
// documents are written with.
#include "common/test.h"
#include "docs/page.h"

#include "snapshot/document_file.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

using namespace fw;
using namespace fw::docs;
using snapshot::documentText;
using snapshot::documentVersion;
using snapshot::Enabled;
using snapshot::Inputs;
using snapshot::parseDocument;
using snapshot::PinKind;
using namespace Qt::StringLiterals;

class TestFwdoc : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void exampleIsRead();
    void fieldsAreThoseThatAreWritten();

private:
    static Inputs example() {
        for (const docs::Block& block : blocksOf(textOf(u"resources/docs/fwdoc.md"_s)))
            if (block.file == u"work.fwdoc"_s) {
                auto read =
                    parseDocument(block.lines.join(u'\n').toStdString(), "/here/work.fwdoc");
                if (read)
                    return read.take();
            }
        return {};
    }
};

void TestFwdoc::exampleIsRead() {
    Inputs wanted;
    wanted.model = "/here/net.fw";
    wanted.target = "x86-64 -mcpu=x86-64-v3 -threads=2";
    wanted.libraries.emplace();
    wanted.books = {{"/here/apart.fw", Enabled::Yes}, {"/elsewhere/other.fw", Enabled::No}};
    wanted.without = {"views.fw"};
    wanted.pins = {{PinKind::Use, {"d"}, "generated.window"}};
    wanted.dims = {{"N", 8}};
    QCOMPARE(example(), wanted);
}

void TestFwdoc::fieldsAreThoseThatAreWritten() {
    const QString page = textOf(u"resources/docs/fwdoc.md"_s);
    QVERIFY(page.contains(u"the newest is %1 "_s.arg(documentVersion)));
    const QJsonObject written =
        QJsonDocument::fromJson(QByteArray::fromStdString(documentText(example(), "/here")))
            .object();
    QCOMPARE(written.size(), 18);
    for (const QString& field : written.keys())
        QVERIFY2(page.contains(u"\n| `%1` | "_s.arg(field)), qPrintable(field));
    QCOMPARE(page.count(u"\n| `"_s), written.size());
    for (const char* list : {"books", "pins"})
        for (const QString& field :
             written[QLatin1StringView(list)].toArray().at(0).toObject().keys())
            QVERIFY2(page.contains(u'`' + field + u'`'), qPrintable(field));
}

FW_TEST(TestFwdoc, QCoreApplication)
#include "test_fwdoc.moc"
