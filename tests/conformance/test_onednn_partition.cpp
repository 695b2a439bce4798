// The walk of samples/onednn-partition, step by step as its page says, through `fw`: what a library
// takes is written once.
#include "common/test.h"
#include "fw_process.h"

#include <QJsonArray>
#include <QTemporaryDir>

using namespace Qt::StringLiterals;
using fw::conformance::askFw;
using fw::conformance::runFw;

class TestOnednnPartition : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void step1NearMisses();
    void step2BatchNormsGo();
    void step3OneCallEach();
    void step4SixTails();
    void severalOperandsOfOneCall();
    void step5OneWordLess();
    void step6RegionsAreTheSameOnEveryRun();
    void step7EveryTarget_data();
    void step7EveryTarget();
    void step7EveryImplementation();

private:
    static QString sample(const char* file) {
        return QStringLiteral(FW_SOURCE_DIR "/samples/onednn-partition/") + QLatin1StringView(file);
    }
    static QString mobilenet() { return QStringLiteral(FW_SOURCE_DIR "/samples/mobilenet"); }
    static inline const QStringList library{u"--target"_s, u"x86-64 -libs=onednn"_s};

    // "conv2d_bias_relu_0 onednn.conv"
    static QStringList groups(const QString& model, const QStringList& more = {}) {
        const QJsonObject plan = askFw(QStringList{u"fuse"_s, model} + library + more);
        QStringList out;
        for (const QJsonValue group : plan[u"groups"].toArray())
            out += group[u"name"].toString() + u' ' + group[u"implementation"].toString();
        return out;
    }
    static QString partitioned(const QString& model) {
        return QString::fromUtf8(
            runFw(QStringList{u"stages"_s, model, u"--stage"_s, u"partitioned"_s} + library, 60)
                .out);
    }
};

void TestOnednnPartition::step1NearMisses() {
    const QJsonObject found = askFw({u"match"_s, mobilenet(), u"--rules"_s, sample("region.fw")});
    const QJsonValue block = found[u"rules"][0];
    QCOMPARE(block[u"matches"].toArray().size(), 0);
    QCOMPARE(block[u"near_miss_count"].toInt(), 27);
    for (const QJsonValue miss : block[u"near_misses"].toArray()) {
        QCOMPARE(miss[u"expected"].toString(), u"bias"_s);
        QCOMPARE(miss[u"found"].toString(), u"batch_norm"_s);
    }
    QCOMPARE(block[u"behind_rules"].toInt(), 27);
    QCOMPARE(block[u"made_by"].toArray(), QJsonArray{u"fold_batch_norm"_s});
}

void TestOnednnPartition::step2BatchNormsGo() {
    QTemporaryDir folder;
    const QString model = folder.filePath(u"model.onnx"_s);
    const QJsonObject rewritten = askFw({u"rewrite"_s, mobilenet(), u"-o"_s, model});
    int folded = 0;
    for (const QJsonValue rule : rewritten[u"applied"].toArray())
        if (rule[u"rule"] == u"fold_batch_norm"_s)
            folded = rule[u"count"].toInt();
    QCOMPARE(folded, 27);
    const QJsonObject ops = askFw({u"info"_s, model})[u"ops"].toObject();
    QCOMPARE(ops[u"Conv"].toInt(), 27);
    QVERIFY(!ops.contains(u"BatchNormalization"_s));
    // The file computes what the sample says.
    const QDir from(mobilenet() + u"/test_data_set_0"_s);
    QVERIFY(QDir(folder.path()).mkpath(u"test_data_set_0"_s));
    for (const QString& name : from.entryList(QDir::Files))
        QVERIFY(QFile::copy(from.filePath(name), folder.filePath(u"test_data_set_0/"_s + name)));
    QCOMPARE(askFw({u"test"_s, folder.path()})[u"passed"].toInt(), 1);
}

void TestOnednnPartition::step3OneCallEach() {
    int calls = 0;
    for (const QString& group : groups(mobilenet()))
        if (group.startsWith(u"conv2d"_s)) {
            QVERIFY2(group.startsWith(u"conv2d_bias_clip_"_s) && group.endsWith(u" onednn.conv"_s),
                     qPrintable(group));
            ++calls;
        }
    QCOMPARE(calls, 27);
    QCOMPARE(partitioned(mobilenet()).count(u"by onednn.conv, then bias, clip\n"_s), 27);
}

void TestOnednnPartition::step4SixTails() {
    QCOMPARE(
        groups(sample("chains.fw")),
        QStringList({u"conv2d_0 onednn.conv"_s, u"conv2d_bias_1 onednn.conv"_s,
                     u"conv2d_bias_relu_2 onednn.conv"_s, u"conv2d_bias_add_relu_3 onednn.conv"_s,
                     u"conv2d_bias_gelu_4 onednn.conv"_s, u"conv2d_bias_clip_5 onednn.conv"_s}));
    QVERIFY(partitioned(sample("chains.fw")).contains(u"by onednn.conv, then bias, add, relu\n"_s));
}

void TestOnednnPartition::severalOperandsOfOneCall() {
    QTemporaryDir folder;
    QFile file(folder.filePath(u"two.fw"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "graph two(x: f32[1, 8, 20, 20], r: f32[1, 16, 18, 18], s: f32[1, 16, 18, 18]) -> y {\n"
        "  w = const random(1) : f32[16, 8, 3, 3]  b = const random(7) : f32[16]\n"
        "  c = conv2d(x, w)  d = bias(c, b) {axis = 1}  e = add(d, r)  f = mul(e, s)\n"
        "  g = relu(f)  h = max(g, r)  y = clip(h) {min = 0.0, max = 6.0}\n}\n");
    file.close();
    QCOMPARE(groups(file.fileName()),
             QStringList(u"conv2d_bias_add_mul_relu_max_clip_0 onednn.conv"_s));
    const QJsonObject said =
        askFw(QStringList{u"verify"_s, file.fileName()} + library)[u"models"][0].toObject();
    QCOMPARE(said[u"differing"].toInt(-1), 0);
}

void TestOnednnPartition::step5OneWordLess() {
    const QStringList all = groups(sample("chains.fw"), {u"--rules"_s, sample("no_clip.fw")});
    QCOMPARE(all.size(), 7);
    QCOMPARE(all[5], u"conv2d_bias_5 onednn.conv"_s);
    QVERIFY2(all[6].startsWith(u"clip_6 generated."_s), qPrintable(all[6]));
    QCOMPARE(all.mid(0, 5), groups(sample("chains.fw")).mid(0, 5));
}

void TestOnednnPartition::step6RegionsAreTheSameOnEveryRun() {
    const QString text = partitioned(sample("simple.fw"));
    QCOMPARE(text, u"# onednn: 1 region, 2 groups, 6 operators\n"
                   "# 0 bytes pass between regions\n"
                   "region onednn_0 by onednn {\n"
                   "    in  x: f32[1, 16, 28, 28], 50176 bytes\n"
                   "    out y: f32[1, 32, 28, 28], 100352 bytes\n"
                   "    group conv2d_bias_relu_0 by onednn.conv, then bias, relu\n"
                   "        c1 = conv2d(x, w1) {pads = [1, 1, 1, 1]} : f32[1, 32, 28, 28]\n"
                   "        d1 = bias(c1, b1) {axis = 1} : f32[1, 32, 28, 28]\n"
                   "        r1 = relu(d1) : f32[1, 32, 28, 28]\n"
                   "    group conv2d_bias_relu_1 by onednn.conv, then bias, relu\n"
                   "        c2 = conv2d(r1, w2) {pads = [1, 1, 1, 1]} : f32[1, 32, 28, 28]\n"
                   "        d2 = bias(c2, b2) {axis = 1} : f32[1, 32, 28, 28]\n"
                   "        y = relu(d2) : f32[1, 32, 28, 28]\n"
                   "}\n"_s);
    QTemporaryDir folder;
    const auto picture = [&](const QString& name) {
        (void)runFw(QStringList{u"draw"_s, sample("simple.fw"), u"--stage"_s, u"partitioned"_s,
                                u"-o"_s, folder.filePath(name)} +
                        library,
                    60);
        QFile file(folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QByteArray first = picture(u"a.svg"_s);
    QVERIFY(first.contains("onednn_0"));
    QCOMPARE(picture(u"b.svg"_s), first);
    QCOMPARE(partitioned(sample("simple.fw")), text);
}

void TestOnednnPartition::step7EveryTarget_data() {
    QTest::addColumn<QString>("target");
    for (const QString& target :
         {u"x86-64 -mcpu=x86-64-v2 -libs="_s, u"x86-64 -mcpu=x86-64-v3 -libs=onednn"_s,
          u"x86-64 -libs=onednn"_s})
        QTest::newRow(qPrintable(target)) << target;
}

void TestOnednnPartition::step7EveryTarget() {
    QFETCH(QString, target);
    QCOMPARE(askFw({u"test"_s, mobilenet(), u"--target"_s, target})[u"passed"].toInt(), 1);
}

void TestOnednnPartition::step7EveryImplementation() {
    for (const char* model : {"simple.fw", "chains.fw"}) {
        const QJsonObject said =
            askFw(QStringList{u"verify"_s, sample(model)} + library)[u"models"][0].toObject();
        QCOMPARE(said[u"differing"].toInt(-1), 0);
        QVERIFY(said[u"agreeing"].toInt() >= 2 * said[u"groups"].toInt());
    }
}

FW_TEST(TestOnednnPartition, QCoreApplication)
#include "test_onednn_partition.moc"
