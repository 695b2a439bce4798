// The walk of samples/library-fusion, step by step as its page says, through `fw`: a library's call
// is fused only with what it can take. Step 10, in the window, is tests/window.
#include "common/test.h"
#include "fw_process.h"

#include <QJsonArray>
#include <QTemporaryDir>

using namespace Qt::StringLiterals;
using fw::conformance::askFw;
using fw::conformance::FwAnswer;
using fw::conformance::runFw;

class TestLibraryFusion : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void step1GeneratedTakesAll();
    void step2OpenBlasTakesNothing();
    void step3OneDnnTakesItsChain();
    void step4Explain();
    void step5ForcedIsAStage();
    void step5NumbersAgree_data();
    void step5NumbersAgree();
    void step6Measure();
    void step7OneWordMakesItOpaque();
    void step8EncoderWithOpenBlas();
    void step9Profile_data();
    void step9Profile();

private:
    static QString sample(const char* file) {
        return QStringLiteral(FW_SOURCE_DIR "/samples/library-fusion/") + QLatin1StringView(file);
    }
    static QJsonObject plan(const QStringList& more, const QString& model = sample("dense.fw")) {
        return askFw(QStringList{u"fuse"_s, model} + more);
    }
    static QStringList groups(const QJsonObject& plan) {
        QStringList out;
        for (const QJsonValue group : plan[u"groups"].toArray())
            out +=
                u"%1 by %2"_s.arg(group[u"name"].toString(), group[u"implementation"].toString());
        return out;
    }
    // The reason why the library cannot be used here; empty if it can.
    static QString missing(const QString& library) {
        const FwAnswer answer = runFw({u"fuse"_s, sample("dense.fw"), u"-libs="_s + library}, 60);
        return answer.exitCode == 3 ? QString::fromUtf8(answer.error) : QString();
    }
};

#define NEEDS(library)                                                                             \
    if (const QString why = missing(u"" library ""_s); !why.isEmpty())                             \
    QSKIP(qPrintable(why))

void TestLibraryFusion::step1GeneratedTakesAll() {
    const QJsonObject got = plan({u"--target"_s, u"x86-64 -libs="_s});
    QCOMPARE(groups(got), QStringList{u"dense_bias_relu_0 by generated.tiled"_s});
    QCOMPARE(got[u"groups"][0][u"nodes"].toArray().size(), 3);
}

void TestLibraryFusion::step2OpenBlasTakesNothing() {
    NEEDS("openblas");
    const QJsonObject got = plan({u"-libs=cblas"_s});
    QCOMPARE(groups(got),
             (QStringList{u"dense_0 by openblas.sgemm"_s, u"bias_relu_1 by generated.map"_s}));
    QVERIFY(got[u"target"].toString().contains(u"-libs=openblas"_s));
    bool noted = false;
    for (const QJsonValue notice : got[u"notices"].toArray())
        noted = noted || notice.toString() == u"cblas is another name of openblas"_s;
    QVERIFY(noted);
    const QJsonValue edge = got[u"decisions"][0];
    QCOMPARE(edge[u"from"].toString(), u"dense"_s);
    QCOMPARE(edge[u"to"].toString(), u"bias"_s);
    QCOMPARE(edge[u"verdict"].toString(), u"no"_s);
    QVERIFY(edge[u"sentence"].toString().startsWith(u"the implementation absorbs nothing"_s));
    QCOMPARE(got[u"groups"][0][u"call"][u"library"].toString(), u"openblas"_s);
    QCOMPARE(got[u"groups"][0][u"call"][u"post_ops"].toArray().size(), 0);
}

void TestLibraryFusion::step3OneDnnTakesItsChain() {
    NEEDS("onednn");
    const QJsonObject got = plan({u"-libs=dnnl"_s});
    QCOMPARE(groups(got), QStringList{u"dense_bias_relu_0 by onednn.matmul"_s});
    QCOMPARE(got[u"groups"][0][u"call"][u"library"].toString(), u"onednn"_s);
    QCOMPARE(got[u"groups"][0][u"call"][u"post_ops"].toArray(), (QJsonArray{u"bias"_s, u"relu"_s}));
}

void TestLibraryFusion::step4Explain() {
    NEEDS("openblas");
    const QJsonObject got =
        askFw({u"explain"_s, sample("dense.fw"), u"dense"_s, u"bias"_s, u"-libs=cblas"_s});
    QCOMPARE(got[u"verdict"].toString(), u"no"_s);
    const QJsonArray gates = got[u"gates"].toArray();
    QVERIFY(gates.size() >= 4);
    for (qsizetype i = 0; i < gates.size(); ++i) // the last decides, those before it passed
        QCOMPARE(gates[i][u"pass"].toBool(), i + 1 < gates.size());
    QMap<QString, QStringList> otherwise;
    for (const QJsonValue other : got[u"counterfactuals"].toArray())
        for (const QJsonValue group : other[u"groups"].toArray())
            otherwise[other[u"change"].toString()] += group.toString();
    QCOMPARE(otherwise[u"-libs="_s], groups(plan({u"-libs="_s})));
    if (missing(u"onednn"_s).isEmpty())
        QCOMPARE(otherwise[u"-libs=onednn"_s], groups(plan({u"-libs=onednn"_s})));
}

void TestLibraryFusion::step5ForcedIsAStage() {
    NEEDS("openblas");
    const QStringList forced{u"-libs=cblas"_s, u"--rules"_s, sample("forced.fw")};
    const QJsonObject got = plan(forced);
    QCOMPARE(groups(got), QStringList{u"dense_bias_relu_0 by openblas.sgemm"_s});
    QVERIFY(got[u"groups"][0][u"warnings"][0].toString().contains(u"extern-in-group"_s));
    QCOMPARE(got[u"groups"][0][u"call"][u"library"].toString(), u"openblas"_s);
    const QJsonObject stages =
        askFw(QStringList{u"stages"_s, sample("dense.fw"), u"--stage"_s, u"loops"_s} + forced);
    const QString text = stages[u"text"].toString();
    const auto call = text.indexOf(u"openblas"_s), loop = text.indexOf(u"parallel "_s);
    QVERIFY2(call >= 0 && loop > call, qPrintable(text));
    QVERIFY2(text.indexOf(u"vector "_s) > loop, qPrintable(text));
    QVERIFY(!text.contains(u"fma("_s)); // the product is the call's
}

void TestLibraryFusion::step5NumbersAgree_data() {
    QTest::addColumn<QStringList>("options");
    QTest::newRow("openblas") << QStringList{u"-libs=cblas"_s};
    QTest::newRow("forced") << QStringList{u"-libs=cblas"_s, u"--rules"_s, sample("forced.fw")};
}

void TestLibraryFusion::step5NumbersAgree() {
    NEEDS("openblas");
    QFETCH(QStringList, options);
    QTemporaryDir folder;
    const auto run = [&](const QStringList& more, const char* name) {
        const QString to = folder.filePath(QLatin1StringView(name));
        const QJsonObject got = askFw(
            QStringList{u"run"_s, sample("dense.fw"), u"--output"_s, to, u"--seed"_s, u"3"_s} +
            more);
        QFile file(to + u"/r.npy"_s);
        return file.open(QIODevice::ReadOnly) ? file.readAll().mid(128) : QByteArray();
    };
    const QByteArray wanted = run({u"-libs="_s}, "plain"), got = run(options, "other");
    QCOMPARE(wanted.size(), qsizetype(128 * 3072 * 4));
    QCOMPARE(got.size(), wanted.size());
    const auto* a = reinterpret_cast<const float*>(wanted.constData());
    const auto* b = reinterpret_cast<const float*>(got.constData());
    int positive = 0;
    for (int i = 0; i < 128 * 3072; ++i) {
        QVERIFY2(std::abs(a[i] - b[i]) <= 1e-3f + 1e-4f * std::abs(a[i]),
                 qPrintable(u"at %1"_s.arg(i)));
        positive += a[i] > 0;
    }
    QVERIFY(positive > 1000); // the comparison was about something
}

void TestLibraryFusion::step6Measure() {
    NEEDS("openblas");
    const QJsonObject got = plan({u"-libs=cblas"_s, u"--measure"_s, u"--seconds"_s, u"0.2"_s});
    const QJsonValue dense = got[u"groups"][0], rest = got[u"groups"][1];
    QVERIFY(dense[u"alone_us"].toDouble() > 0);
    QVERIFY(rest[u"alone_us"].toDouble() > 0);
    QVERIFY(rest[u"split_us"].toDouble() > 0);
    QVERIFY(dense[u"forced_us"].toDouble() > 0);
    QCOMPARE(dense[u"forced"].toArray().size(), 3);
    QVERIFY(dense[u"agree"].toBool());
    QVERIFY(rest[u"agree"].toBool());
    qInfo("forced / split: %.2f", dense[u"forced_us"].toDouble() / (dense[u"alone_us"].toDouble() +
                                                                    rest[u"alone_us"].toDouble()));
}

void TestLibraryFusion::step7OneWordMakesItOpaque() {
    const QJsonObject got = plan({u"-libs="_s, u"--rules"_s, sample("opaque.fw")});
    QCOMPARE(groups(got),
             (QStringList{u"dense_0 by generated.tiled"_s, u"bias_relu_1 by generated.map"_s}));
    QVERIFY(got[u"decisions"][0][u"sentence"].toString().contains(u"opaque.fw"_s));
}

void TestLibraryFusion::step8EncoderWithOpenBlas() {
    NEEDS("openblas");
    const QString encoder = QStringLiteral(FW_SOURCE_DIR "/samples/encoder");
    const QJsonObject got = plan({u"-libs=cblas"_s, u"--dim"_s, u"S=32"_s}, encoder);
    QStringList operators;
    for (const QJsonValue group : got[u"groups"].toArray())
        if (group[u"implementation"].toString() == u"openblas.sgemm"_s) {
            QCOMPARE(group[u"nodes"].toArray().size(), 1);
            operators += group[u"name"].toString().section(u'_', 0, -2);
        }
    QCOMPARE(operators.count(u"dense"_s), 12);
    QCOMPARE(operators.count(u"batch_matmul"_s), 4);
    const QJsonObject diff =
        askFw({u"diff"_s, encoder, u"--dim"_s, u"S=32"_s, u"-libs="_s, u"-libs=cblas"_s});
    QVERIFY(diff[u"added"].toArray().isEmpty() && diff[u"removed"].toArray().isEmpty());
    QStringList after; // every product is in some change
    for (const QJsonValue change : diff[u"changed"].toArray())
        for (const QJsonValue group : change[u"after"].toArray())
            after += group.toString();
    for (const QJsonValue group : got[u"groups"].toArray())
        if (group[u"implementation"].toString() == u"openblas.sgemm"_s)
            QVERIFY2(after.contains(group[u"name"].toString()),
                     qPrintable(group[u"name"].toString()));
}

void TestLibraryFusion::step9Profile_data() {
    QTest::addColumn<QString>("library");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QStringList>("rows");
    QTest::newRow("no library") << QString() << QStringList{u"-libs="_s}
                                << QStringList{u"dense_bias_relu_0 by generated.tiled"_s};
    QTest::newRow("cblas") << u"openblas"_s << QStringList{u"-libs=cblas"_s}
                           << QStringList{u"dense_0 by openblas.sgemm"_s,
                                          u"bias_relu_1 by generated.map"_s};
    QTest::newRow("onednn") << u"onednn"_s << QStringList{u"-libs=onednn"_s}
                            << QStringList{u"dense_bias_relu_0 by onednn.matmul"_s};
    QTest::newRow("forced") << u"openblas"_s
                            << QStringList{u"-libs=cblas"_s, u"--rules"_s, sample("forced.fw")}
                            << QStringList{u"dense_bias_relu_0 by openblas.sgemm"_s,
                                           u"dense_bias_relu_0_after by generated.map"_s};
}

void TestLibraryFusion::step9Profile() {
    QFETCH(QString, library);
    QFETCH(QStringList, options);
    QFETCH(QStringList, rows);
    if (!library.isEmpty())
        if (const QString why = missing(library); !why.isEmpty())
            QSKIP(qPrintable(why));
    const QJsonObject got =
        askFw(QStringList{u"profile"_s, sample("dense.fw"), u"--seconds"_s, u"0.2"_s} + options);
    QStringList names;
    double sum = 0;
    for (const QJsonValue row : got[u"rows"].toArray()) {
        names += u"%1 by %2"_s.arg(row[u"group"].toString(), row[u"implementation"].toString());
        QVERIFY(row[u"median_us"].toDouble() > 0);
        sum += row[u"median_us"].toDouble() / 1000;
    }
    QCOMPARE(names, rows);
    QVERIFY(got[u"end_to_end_ms"].toDouble() > 0);
    QVERIFY(std::abs(got[u"sum_ms"].toDouble() - sum) < 1e-6 + 1e-3 * sum);
}

FW_TEST(TestLibraryFusion, QCoreApplication)
#include "test_library_fusion.moc"
