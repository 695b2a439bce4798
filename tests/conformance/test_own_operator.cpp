// The walk of samples/own-operator, step by step as its page says, through `fw`: an operator of a
// book for nodes of a custom domain, in place of a shipped one, and many operators as one function.
// Its ninth step is test_own_target.cpp, its tenth tests/window/test_book_story.cpp.
#include "common/test.h"
#include "fw_process.h"

#include <QJsonArray>
#include <QTemporaryDir>

using namespace Qt::StringLiterals;
using fw::conformance::askFw;
using fw::conformance::runFw;

class TestOwnOperator : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void step1UnknownNode();
    void step2TheOperator();
    void step3TheModelRuns_data();
    void step3TheModelRuns();
    void step3TheNodeSurvives();
    void step4InPlaceOfTheShippedOne();
    void step5TwoResults();
    void step6EveryPassSeesIt();
    void step6NumbersAreTheShippedOnes();
    void step7ManyOperatorsAsOne();
    void step8BothSidesOfAProduct();

private:
    static QString sample(const char* file) {
        return QStringLiteral(FW_SOURCE_DIR "/samples/own-operator/") + QLatin1StringView(file);
    }
    static QStringList book() { return {u"--rules"_s, sample("my_conv.fw")}; }
    static QJsonObject ask(const QString& command, const char* model,
                           const QStringList& more = {}) {
        return askFw(QStringList{command, sample(model)} + book() + more);
    }
    static QStringList texts(const QJsonValue& list) {
        QStringList out;
        for (const QJsonValue one : list.toArray())
            out += one.toString();
        return out;
    }
    static QStringList groups(const QJsonObject& plan) {
        QStringList out;
        for (const QJsonValue group : plan[u"groups"].toArray())
            out += texts(group[u"nodes"]).join(u' ');
        return out;
    }
    // Of a run on seeded inputs: what lies in the file of a result.
    static QList<float> values(const QString& model, const QString& result,
                               const QStringList& more) {
        QTemporaryDir folder;
        (void)askFw(QStringList{u"run"_s, model, u"--output"_s, folder.path(), u"--seed"_s, u"3"_s,
                                u"--target"_s, u"x86-64 -libs="_s} +
                    more);
        QFile file(folder.filePath(result + u".npy"_s));
        const QByteArray bytes = file.open(QIODevice::ReadOnly) ? file.readAll().mid(128) : "";
        QList<float> out(bytes.size() / qsizetype(sizeof(float)));
        std::memcpy(out.data(), bytes.constData(), std::size_t(out.size()) * sizeof(float));
        return out;
    }
};

void TestOwnOperator::step1UnknownNode() {
    const QJsonObject info = askFw({u"info"_s, sample("custom")});
    QCOMPARE(info[u"ops"][u"com.me.MyConv"].toInt(), 1);
    QVERIFY(!info[u"runnable"].toBool(true));
    const QJsonValue said = info[u"diagnostics"][0];
    QVERIFY(said[u"message"].toString().contains(u"com.me.MyConv"_s));
    QVERIFY2(said[u"hint"].toString().contains(u"onnx \"com.me\" \"MyConv\" {"_s),
             qPrintable(said[u"hint"].toString()));
}

void TestOwnOperator::step2TheOperator() {
    const QJsonObject checked = askFw({u"check"_s, sample("my_conv.fw")});
    QMap<QString, int> accepted;
    for (const QJsonValue item : checked[u"items"].toArray())
        accepted[item[u"kind"].toString()] += item[u"verdict"].toString() != u"refused"_s;
    QCOMPARE(accepted[u"operator"_s], 1);
    QCOMPARE(accepted[u"rule"_s], 1);
    QCOMPARE(accepted[u"test"_s], 2);
    QCOMPARE(checked[u"items"].toArray().size(), 4);
    for (const QJsonValue item : checked[u"items"].toArray())
        QCOMPARE(item[u"trials"].toInt() > 0, item[u"kind"].toString() != u"test"_s);
    const QJsonObject ops = askFw(QStringList{u"ops"_s, u"my_conv2d"_s} + book());
    QCOMPARE(ops[u"ops"][0][u"kind"].toString(), u"contraction"_s);
}

void TestOwnOperator::step3TheModelRuns_data() {
    QTest::addColumn<QString>("target");
    for (const QString& target :
         {u"x86-64 -mcpu=x86-64-v2"_s, u"x86-64 -mcpu=x86-64-v3"_s, u"x86-64 -libs="_s})
        QTest::newRow(qPrintable(target)) << target;
}

void TestOwnOperator::step3TheModelRuns() {
    QFETCH(QString, target);
    const QJsonObject got = ask(u"test"_s, "custom", {u"--strict"_s, u"--target"_s, target});
    QCOMPARE(got[u"passed"].toInt(), 1);
}

void TestOwnOperator::step3TheNodeSurvives() {
    QTemporaryDir folder;
    const QString again = folder.filePath(u"again.onnx"_s);
    const QJsonObject written = ask(u"rewrite"_s, "custom", {u"-o"_s, again});
    QCOMPARE(written[u"file"].toString(), again);
    // A window is no composition of what ONNX has.
    QCOMPARE(texts(written[u"notices"]),
             QStringList(u"EXP12 my_conv2d: written as a node that needs the operator's text: x is "
                         "read at a computed place"_s));
    const QJsonObject info = askFw({u"info"_s, again});
    QCOMPARE(info[u"ops"][u"com.me.MyConv"].toInt(), 1);
    QVERIFY(info[u"runnable"].toBool());
}

void TestOwnOperator::step4InPlaceOfTheShippedOne() {
    const QJsonObject found = ask(u"match"_s, "net.fw", {u"--rule"_s, u"take_conv"_s});
    const QJsonValue rule = found[u"rules"][0];
    QCOMPARE(rule[u"matches"].toArray().size(), 1);
    const QJsonValue bindings = rule[u"matches"][0][u"bindings"];
    QCOMPARE(bindings[u"strides"].toString(), u"[2, 1]"_s);
    QCOMPARE(bindings[u"x"].toString(), u"x: f32[N, 4, 11, 9]"_s);
    const QJsonValue near = rule[u"near_misses"][0];
    QCOMPARE(near[u"root"].toString(), u"grouped"_s);
    QCOMPARE(near[u"expected"].toString(), u"groups = 1"_s);
    QCOMPARE(near[u"found"].toString(), u"2"_s);
    const QString program = ask(u"rewrite"_s, "net.fw", {u"-o"_s, u"-"_s})[u"text"].toString();
    QVERIFY2(program.contains(u"my_conv2d("_s) && program.contains(u"@node(\"plain\")"_s),
             qPrintable(program));
    QVERIFY(!program.contains(u"conv2d(x, w)"_s));
    QVERIFY(!program.contains(u"[0]"_s)); // results have names
    const QJsonValue verified = ask(u"verify"_s, "net.fw")[u"models"][0];
    QVERIFY(verified[u"agreeing"].toInt() > 0);
    QCOMPARE(verified[u"differing"].toInt(), 0);
}

void TestOwnOperator::step5TwoResults() {
    const QStringList rules{u"--rules"_s, sample("conv_mean.fw")};
    const auto asked = [&](const char* command, const QStringList& more = {}) {
        return askFw(QStringList{QString::fromLatin1(command), sample("means.fw")} + rules + more);
    };
    const QJsonObject checked = askFw({u"check"_s, sample("conv_mean.fw")});
    QCOMPARE(checked[u"items"].toArray().size(), 3);
    for (const QJsonValue item : checked[u"items"].toArray())
        QVERIFY2(item[u"verdict"].toString() != u"refused"_s && item[u"verdict"] != u"refuted"_s,
                 qPrintable(item[u"name"].toString()));
    const QJsonObject rewritten = asked("rewrite", {u"-o"_s, u"-"_s});
    const QString program = rewritten[u"text"].toString();
    QVERIFY(!program.contains(u"= conv2d("_s) && !program.contains(u"global_average_pool"_s));
    QCOMPARE(program.count(u"= conv_mean("_s), 2);
    QVERIFY(!program.contains(u"[0]"_s) && !program.contains(u"[1]"_s)); // results have names
    const QJsonValue verified = asked("verify")[u"models"][0];
    QVERIFY(verified[u"agreeing"].toInt() > 0);
    QCOMPARE(verified[u"differing"].toInt(-1), 0);
    // Written are both results of the one, and the result that is read of the other.
    int both = -1, one = -1; // groups
    const QJsonObject plan = asked("fuse");
    QVERIFY(texts(plan[u"notices"])
                .contains(u"RES01 unread: not computed, nobody reads it: unused of conv_mean"_s));
    QCOMPARE(texts(plan[u"notices"]).filter(u"RES01"_s).size(), 1);
    for (const QJsonValue group : plan[u"groups"].toArray())
        if (group[u"nodes"].toArray().contains(u"unread"_s))
            one = group[u"id"].toInt();
        else if (group[u"name"].toString().startsWith(u"conv_mean"_s))
            both = group[u"id"].toInt();
    const auto text = [&](int id) {
        return asked("stages",
                     {u"--stage"_s, u"tensor"_s, u"--group"_s, QString::number(id)})[u"text"]
            .toString();
    };
    QVERIFY(both >= 0 && one >= 0);
    QVERIFY2(text(both).contains(u"out1["_s), qPrintable(text(both)));
    QVERIFY2(!text(one).contains(u"out1["_s), qPrintable(text(one)));
}

void TestOwnOperator::step6EveryPassSeesIt() {
    const QJsonObject rewritten = ask(u"rewrite"_s, "passes.fw", {u"-o"_s, u"-"_s});
    QStringList applied;
    for (const QJsonValue one : rewritten[u"applications"].toArray())
        for (const QJsonValue node : one[u"matched"].toArray())
            applied << one[u"rule"].toString() + u' ' + node[u"op"].toString() + u' ' +
                           node[u"name"].toString();
    QCOMPARE(applied, (QStringList{u"fold_constants mul weights"_s, u"cse my_conv2d same"_s}));
    QCOMPARE(rewritten[u"text"].toString().count(u"my_conv2d("_s), 1);
    const QJsonObject plan = ask(u"fuse"_s, "passes.fw", {u"-libs="_s});
    QCOMPARE(groups(plan), (QStringList{u"one add relu"_s, u"transpose"_s, u"grouped"_s,
                                        u"further relu_1"_s, u"beside"_s}));
    const QString notices = texts(plan[u"notices"]).join(u'\n');
    for (const char* image : {"t", "d", "e"})
        QVERIFY2(notices.contains(u"LAY01 %1: "_s.arg(QLatin1StringView(image))),
                 qPrintable(notices));
    for (const char* last : {"x", "a", "c", "r"})
        QVERIFY2(!notices.contains(u"LAY01 %1: "_s.arg(QLatin1StringView(last))),
                 qPrintable(notices));
    QCOMPARE(ask(u"verify"_s, "passes.fw", {u"-libs="_s})[u"models"][0][u"differing"].toInt(-1), 0);
}

// The model as a whole, computed without the operator: a rule of the same name takes the place of
// the book's and goes the other way.
void TestOwnOperator::step6NumbersAreTheShippedOnes() {
    QTemporaryDir folder;
    QFile file(folder.filePath(u"shipped.fw"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "rule take_conv { match y = my_conv2d(x, w) {strides} emit y = transpose(conv2d("
        "transpose(x) {perm = [0, 3, 1, 2]}, w) {strides = strides}) {perm = [0, 2, 3, 1]} }");
    file.close();
    const QStringList back{u"--rules"_s, file.fileName()};
    const QString text =
        ask(u"rewrite"_s, "passes.fw", back + QStringList{u"-o"_s, u"-"_s})[u"text"].toString();
    QVERIFY2(!text.contains(u"my_conv2d("_s), qPrintable(text));
    const QList<float> own = values(sample("passes.fw"), u"y"_s, book());
    const QList<float> shipped = values(sample("passes.fw"), u"y"_s, book() + back);
    QCOMPARE(own.size(), qsizetype(16 * 24 * 22));
    QCOMPARE(shipped.size(), own.size());
    for (qsizetype i = 0; i < own.size(); ++i)
        QVERIFY(std::abs(own[i] - shipped[i]) <= 1e-3f + 1e-4f * std::abs(shipped[i]));
}

void TestOwnOperator::step7ManyOperatorsAsOne() {
    const QString model = QStringLiteral(FW_SOURCE_DIR "/samples/inception");
    const QStringList target{u"--target"_s, u"x86-64 -libs= -threads=2"_s};
    const QStringList rules{u"--rules"_s, sample("../blocks/inception.fw")};
    const auto holding = [&](const QStringList& more) {
        QStringList out; // the groups of the block
        for (const QString& nodes : groups(askFw(QStringList{u"fuse"_s, model} + target + more)))
            if (nodes.contains(
                    QRegularExpression(u"_(one|three|five|around|projected|block)\\b"_s)))
                out += nodes;
        return out;
    };
    QVERIFY(holding({}).size() > 4);
    QCOMPARE(holding(rules).size(), 1);
    QCOMPARE(holding(rules).front().split(u' ').size(), 20);
    const auto stage = [&](const char* name) {
        return askFw(QStringList{u"stages"_s, model, u"--group"_s, u"2"_s, u"--stage"_s,
                                 QString::fromLatin1(name)} +
                     target + rules)[u"text"]
            .toString();
    };
    QCOMPARE(stage("loops").count(
                 QRegularExpression(u"^kernel "_s, QRegularExpression::MultilineOption)),
             1);
    QCOMPARE(stage("schedule").count(u".parallel("_s), 7); // six convolutions and a pool
    for (const QStringList& book : {QStringList(), rules}) {
        const QJsonObject got = askFw(QStringList{u"test"_s, model, u"--strict"_s} + target + book);
        QCOMPARE(got[u"passed"].toInt(), 1);
    }
}

void TestOwnOperator::step8BothSidesOfAProduct() {
    const QStringList words{sample("sandwich.fw"), u"--target"_s,
                            u"x86-64 -mcpu=x86-64-v3 -libs= -threads=2"_s};
    const QStringList rules{u"--rules"_s, sample("sandwich_rules.fw")};
    QVERIFY(groups(askFw(QStringList{u"fuse"_s} + words)).size() >= 3);
    const QJsonObject one = askFw(QStringList{u"fuse"_s} + words + rules);
    QCOMPARE(groups(one), QStringList(u"exp reduce_sum div batch_matmul add reduce_max sub"_s));
    QCOMPARE(one[u"groups"][0][u"implementation"].toString(), u"generated.tiled"_s);
    QCOMPARE(texts(one[u"notices"])
                 .filter(QRegularExpression(u"^IMP05.*nothing is melted: .*, apart "_s))
                 .size(),
             1);

    QTemporaryDir folder;
    const QString log = folder.filePath(u"log.jsonl"_s);
    (void)askFw(QStringList{u"tune"_s} + words + rules +
                QStringList{u"--log"_s, log, u"--seconds"_s, u"0.05"_s});
    QFile file(log);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QList<QJsonObject> records;
    QStringList logged;
    while (!file.atEnd()) {
        records << QJsonDocument::fromJson(file.readLine()).object();
        logged << records.back()[u"implementation"].toString();
    }
    for (const QString& way : {u"generated.tiled"_s, u"generated.melted"_s, u"apart"_s})
        QCOMPARE(logged.count(way), 1);
    // The log of a machine on which this way is the fastest.
    const auto planned = [&](const QString& fastest) {
        const QString name = folder.filePath(fastest);
        QFile changed(name);
        if (!changed.open(QIODevice::WriteOnly))
            return QJsonObject();
        for (QJsonObject record : records) {
            record.remove(u"disturbed"_s);
            record[u"us"] = record[u"implementation"].toString() == fastest ? 10.0 : 20.0;
            changed.write(QJsonDocument(record).toJson(QJsonDocument::Compact) + '\n');
        }
        changed.close();
        return askFw(QStringList{u"fuse"_s} + words + rules + QStringList{u"--log"_s, name});
    };
    for (const QString& way : {u"generated.tiled"_s, u"generated.melted"_s}) {
        const QJsonValue group = planned(way)[u"groups"][0];
        QCOMPARE(group[u"nodes"].toArray().size(), 7);
        QCOMPARE(group[u"implementation"].toString(), way);
        QCOMPARE(group[u"source"].toString(), u"log"_s);
    }
    const QJsonObject apart = planned(u"apart"_s);
    QVERIFY(groups(apart).size() >= 3);
    QCOMPARE(texts(apart[u"notices"])
                 .filter(QRegularExpression(u"^FUR02 .*faster apart: apart 10"_s))
                 .size(),
             1);
    const QJsonObject verified = askFw(QStringList{u"verify"_s} + words + rules);
    QVERIFY(verified[u"models"][0][u"agreeing"].toInt() > 0);
    QCOMPARE(verified[u"models"][0][u"differing"].toInt(-1), 0);
    QFile pinned(folder.filePath(u"melted.fw"_s));
    QVERIFY(pinned.open(QIODevice::WriteOnly));
    pinned.write("pin { use generated.melted for batch_matmul }\n");
    pinned.close();
    const QList<float> together =
        values(sample("sandwich.fw"), u"y"_s, rules + QStringList{u"--rules"_s, pinned.fileName()});
    const QList<float> alone = values(sample("sandwich.fw"), u"y"_s, {});
    QCOMPARE(together.size(), qsizetype(16 * 32 * 32));
    QCOMPARE(alone.size(), together.size());
    for (qsizetype i = 0; i < alone.size(); ++i)
        QVERIFY(std::abs(together[i] - alone[i]) <= 1e-4f + 1e-4f * std::abs(alone[i]));
}

FW_TEST(TestOwnOperator, QCoreApplication)
#include "test_own_operator.moc"
