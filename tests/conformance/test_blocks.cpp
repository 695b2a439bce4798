// The walk of samples/blocks through `fw`: a block of a model as one function, or as one operator,
// with the numbers of its parts.
#include "common/test.h"
#include "fw_process.h"

#include <QDir>
#include <QJsonArray>
#include <QTemporaryDir>

using namespace Qt::StringLiterals;
using fw::conformance::askFw;
using fw::conformance::sharedModels;

class TestBlocks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void blocksAreOneFunction_data();
    void blocksAreOneFunction();
    void costsAreTold();
    void attentionIsOneOperator_data();
    void attentionIsOneOperator();

private:
    static QString sample(const QString& name) {
        return QStringLiteral(FW_SOURCE_DIR "/samples/") + name;
    }
    static int passed(const QString& model, const QStringList& more) {
        return askFw(QStringList{u"test"_s, model} + more, 240)[u"passed"].toInt();
    }
    static int matches(const QString& model, const QStringList& rules, const QString& rule) {
        return static_cast<int>(askFw(QStringList{u"match"_s, model, u"--rule"_s, rule} +
                                      rules)[u"rules"][0][u"matches"]
                                    .toArray()
                                    .size());
    }
};

void TestBlocks::blocksAreOneFunction_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("book");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<int>("blocks");
    QTest::addColumn<int>("operators"); // of one
    const auto row = [](const QString& model, const char* rule, int blocks, int operators) {
        const QString name = QLatin1StringView(rule);
        QTest::newRow(qPrintable(QFileInfo(model).fileName()))
            << model << sample(u"blocks/"_s + (name == u"block" ? u"inception"_s : name) + u".fw"_s)
            << name << blocks << operators;
    };
    row(sample(u"inception"_s), "block", 1, 20);
    row(sample(u"attention"_s), "self_attention", 1, 4);
    row(sample(u"encoder"_s), "self_attention", 2, 5);
    for (const auto& [model, rule, blocks, operators] :
         {std::tuple("light_inception_v1", "block", 9, 20),
          std::tuple("bert_mini", "self_attention", 4, 5)}) {
        const QString path = sharedModels() + u'/' + QLatin1StringView(model);
        if (QDir(path).exists())
            row(path, rule, blocks, operators);
    }
}

void TestBlocks::blocksAreOneFunction() {
    QFETCH(QString, model);
    QFETCH(QString, book);
    QFETCH(QString, rule);
    QFETCH(int, blocks);
    QFETCH(int, operators);
    const QStringList rules{u"--rules"_s, book};
    const QStringList target{u"--target"_s, u"x86-64 -libs= -threads=2"_s};
    QCOMPARE(matches(model, rules, rule), blocks);
    const auto largest = [&](const QStringList& more) {
        int found = 0;
        for (const QJsonValue group :
             askFw(QStringList{u"fuse"_s, model} + target + more)[u"groups"].toArray())
            found += group[u"nodes"].toArray().size() == operators;
        return found;
    };
    QCOMPARE(largest({}), 0);
    QCOMPARE(largest(rules), blocks);
    QCOMPARE(passed(model, target), 1);
    QCOMPARE(passed(model, target + rules), 1);
}

// Where a library computes the parts: which way costs less is estimated, and both are said.
void TestBlocks::costsAreTold() {
    const QStringList rules{u"--rules"_s, sample(u"blocks/inception.fw"_s)};
    const QStringList asked = QStringList{u"fuse"_s, sample(u"inception"_s), u"--target"_s,
                                          u"x86-64 -libs=onednn -threads=2"_s} +
                              rules;
    if (fw::conformance::runFw(asked, 60).exitCode == 3)
        QSKIP("oneDNN is not installed");
    const QJsonObject plan = askFw(asked);
    static const QRegularExpression costs(
        u"^FUR0[12] block at Concat_block: .*together by generated\\S+ (\\S+) us, apart (\\S+) us"_s);
    int told = 0;
    for (const QJsonValue notice : plan[u"notices"].toArray()) {
        const auto match = costs.match(notice.toString());
        if (!match.hasMatch())
            continue;
        ++told;
        const bool less = match.captured(1).toDouble() <= match.captured(2).toDouble();
        QCOMPARE(notice.toString().startsWith(u"FUR01"), less);
    }
    QCOMPARE(told, 1);
}

void TestBlocks::attentionIsOneOperator_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("places");
    QTest::newRow("attention") << sample(u"attention"_s) << 1;
    QTest::newRow("encoder") << sample(u"encoder"_s) << 2;
    QTest::newRow("patches") << sample(u"odd/patches"_s) << 1;
    if (const QString bert = sharedModels() + u"/bert_mini"_s; QDir(bert).exists())
        QTest::newRow("bert_mini") << bert << 4;
}

void TestBlocks::attentionIsOneOperator() {
    QFETCH(QString, model);
    QFETCH(int, places);
    const QStringList rules{u"--rules"_s, u"attention.fw"_s};
    QCOMPARE(matches(model, rules, u"attention_of_parts"_s), places);
    const auto text = [&](const QStringList& more) {
        return askFw(QStringList{u"rewrite"_s, model, u"-o"_s, u"-"_s} + more)[u"text"].toString();
    };
    QCOMPARE(text({}).count(u"= attention("_s), 0);
    const QString found = text(rules);
    QCOMPARE(found.count(u"= attention("_s), places);
    QCOMPARE(found.count(u"= softmax("_s), text({}).count(u"= softmax("_s) - places);
    QCOMPARE(passed(model, rules), 1);
    // Written as ONNX it is its parts, with the same numbers.
    QTemporaryDir folder;
    const QDir from(model);
    for (const QString& set : from.entryList({u"test_data_set_*"_s}, QDir::Dirs)) {
        QVERIFY(QDir(folder.path()).mkdir(set));
        for (const QString& file : QDir(from.filePath(set)).entryList(QDir::Files))
            QVERIFY(
                QFile::copy(from.filePath(set + u'/' + file), folder.filePath(set + u'/' + file)));
    }
    QVERIFY(
        !askFw(QStringList{u"rewrite"_s, model, u"-o"_s, folder.filePath(u"model.onnx"_s)} + rules)
             .isEmpty());
    QCOMPARE(passed(folder.path(), {}), 1);
    QCOMPARE(matches(folder.path(), rules, u"attention_of_parts"_s), places);
}

FW_TEST(TestBlocks, QCoreApplication)
#include "test_blocks.moc"
