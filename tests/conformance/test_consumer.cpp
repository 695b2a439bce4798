// The exported sample free_batch, used by samples/consumer, which is built out of tree with nothing
// of ours but the exported folder: the committed outputs come out at every batch size.
#include "common/source_root.h"
#include "common/test.h"
#include "fw_process.h"

#include <QDir>
#include <QTemporaryDir>

#include <cmath>
#include <cstring>

using namespace fw::conformance;
using namespace Qt::StringLiterals;

namespace {

// The raw data is the last field of the tensors that make_samples.py writes.
QByteArray lastBytes(const QString& path, qsizetype size) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().right(size) : QByteArray();
}

} // namespace

class TestConsumer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void agreesWithTheSample_data();
    void agreesWithTheSample();
    void emptyBatch();

private:
    QTemporaryDir m_folder;
    QString m_consumer;
};

void TestConsumer::initTestCase() {
    const QString module = m_folder.filePath(u"free_batch"_s);
    const QString build = m_folder.filePath(u"build"_s);
    m_consumer = build + u"/batch"_s;
    const FwAnswer exported = runFw({u"export"_s, fw::test::sourceRoot + u"/samples/free_batch"_s,
                                     u"-o"_s, module, u"--target"_s, u"x86-64 -libs="_s},
                                    120);
    QVERIFY2(exported.exitCode == 0, exported.error.constData());
    for (const QStringList& step :
         {QStringList{u"-S"_s, fw::test::sourceRoot + u"/samples/consumer"_s, u"-B"_s, build,
                      u"-DMODULE=free_batch"_s, u"-DMODULE_DIR="_s + module},
          QStringList{u"--build"_s, build}}) {
        const FwAnswer answer = runProgram(u"cmake"_s, step, 120);
        QVERIFY2(answer.exitCode == 0, (answer.out + answer.error).constData());
    }
}

void TestConsumer::agreesWithTheSample_data() {
    QTest::addColumn<int>("set");
    QTest::addColumn<int>("batch");
    QTest::addRow("one image") << 0 << 1;
    QTest::addRow("three images") << 1 << 3;
    QTest::addRow("seven images") << 2 << 7;
}

void TestConsumer::agreesWithTheSample() {
    QFETCH(int, set);
    QFETCH(int, batch);
    const QString data = fw::test::sourceRoot + u"/samples/free_batch/test_data_set_%1/"_s.arg(set);
    const QString raw = m_folder.filePath(u"images.f32"_s);
    QFile file(raw);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(lastBytes(data + u"input_0.pb"_s, batch * 2 * 7 * 7 * 4));
    file.close();
    const FwAnswer answer = runProgram(m_consumer, {QString::number(batch), raw}, 120);
    QVERIFY2(answer.exitCode == 0, answer.error.constData());
    const QByteArray expected = lastBytes(data + u"output_0.pb"_s, batch * 10 * 4);
    const QList<QByteArray> words = answer.out.simplified().split(' ');
    QCOMPARE(words.size(), batch * 10);
    for (qsizetype i = 0; i < words.size(); ++i) {
        float wanted = 0;
        std::memcpy(&wanted, expected.constData() + i * 4, 4);
        const float got = words[i].toFloat();
        QVERIFY2(std::fabs(got - wanted) <= 1e-5F + 1e-3F * std::fabs(wanted),
                 qPrintable(u"element %1: %2 instead of %3"_s.arg(i).arg(got).arg(wanted)));
    }
}

void TestConsumer::emptyBatch() {
    const FwAnswer answer = runProgram(m_consumer, {u"0"_s}, 120);
    QVERIFY2(answer.exitCode == 0, answer.error.constData());
    QVERIFY(answer.out.isEmpty());
}

FW_TEST(TestConsumer, QCoreApplication)
#include "test_consumer.moc"
