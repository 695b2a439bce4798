// The corpus of tests/readers/corpus through every reader: each file as it is, cut short, and with
// bytes changed, the same ones in every run. tests/readers/fuzz looks further.
#include "common/test.h"
#include "readers/readers.h"

#include <QDir>

#include <random>

using namespace fw::test;
using namespace Qt::StringLiterals;

class TestReaders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void corpus_data();
    void corpus();
};

void TestReaders::corpus_data() {
    QTest::addColumn<QString>("folder");
    for (const Reader& reader : readers())
        QTest::newRow(reader.name) << QStringLiteral(FW_SOURCE_DIR "/tests/readers/corpus/") +
                                          QString::fromUtf8(reader.name);
}

void TestReaders::corpus() {
    QFETCH(QString, folder);
    const Reader* reader = findReader(QTest::currentDataTag());
    const QFileInfoList files = QDir(folder).entryInfoList(QDir::Files, QDir::Name);
    QVERIFY2(!files.isEmpty(), qPrintable(folder));
    std::mt19937 random(1);
    int inputs = 0;
    for (const QFileInfo& info : files) {
        QFile file(info.filePath());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const std::string whole = file.readAll().toStdString();
        const auto read = [&](const std::string& bytes) {
            reader->read(bytes);
            ++inputs;
        };
        read(whole);
        const std::size_t step = whole.size() / 40 + 1;
        for (std::size_t length = 0; length < whole.size(); length += step)
            read(whole.substr(0, length));
        for (int i = 0; i < 60 && !whole.empty(); ++i) {
            std::string changed = whole;
            for (std::size_t n = 1 + random() % 4; n > 0; --n)
                changed[random() % changed.size()] = char(random());
            read(changed);
        }
    }
    qInfo("%s: %d inputs from %d files", reader->name, inputs, int(files.size()));
}

FW_TEST(TestReaders, QCoreApplication)
#include "test_readers.moc"
