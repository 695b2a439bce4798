// Files are mapped whole and replaced whole; what is no regular file is refused.
#include "base/files.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>

using namespace fw;

class TestFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void writesAndMaps();
    void refusesToRead();
    void refusesToWrite();

private:
    QTemporaryDir m_folder;
    std::string path(const char* name) const {
        return m_folder.filePath(QString::fromLatin1(name)).toStdString();
    }
};

void TestFiles::writesAndMaps() {
    const std::string file = path("a.bin");
    QVERIFY(writeFile(file, "one").ok());
    QVERIFY(writeFile(file, "two and more").ok());
    const std::string cached = path("cached");
    QVERIFY(writeFile(cached, "1", Durability::Cache).ok());
    QVERIFY(writeFile(cached, "22", Durability::Cache).ok());
    QCOMPARE(mapFile(cached, 100).value().text(), std::string_view("22"));
    QVERIFY(writeFile("/dev/null", "x", Durability::Cache).diag().code == DiagCode::FileUnwritable);
    const auto mapped = mapFile(file, 100);
    QVERIFY(mapped.ok());
    QVERIFY(mapped->text() == "two and more");
    QVERIFY(writeFile(file, "").ok());
    QVERIFY(mapFile(file, 100)->bytes.empty());
    QVERIFY(mapped->text() == "two and more"); // the old file lives as long as it is mapped
    QCOMPARE(QDir(m_folder.path()).entryList(QDir::Files).size(), 2); // no temporary is left
}

void TestFiles::refusesToRead() {
    QVERIFY(mapFile(path("absent"), 100).diag().code == DiagCode::FileMissing);
    QVERIFY(mapFile(m_folder.path().toStdString(), 100).diag().code == DiagCode::FileMissing);
    const std::string pipe = path("pipe");
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    QVERIFY(mapFile(pipe, 100).diag().code == DiagCode::FileMissing);
    const std::string large = path("large");
    QVERIFY(writeFile(large, "12345").ok());
    QVERIFY(mapFile(large, 4).diag().code == DiagCode::FileTooLarge);
}

void TestFiles::refusesToWrite() {
    QVERIFY(writeFile("/dev/null", "x").diag().code == DiagCode::FileUnwritable);
    QVERIFY(QFileInfo(QStringLiteral("/dev/null")).exists());
    const std::string below = path("large") + "/below";
    QVERIFY(writeFile(below, "x").diag().code == DiagCode::FileUnwritable);
    QVERIFY(writeFile(path("no/such/folder"), "x").diag().code == DiagCode::FileUnwritable);
}

QTEST_GUILESS_MAIN(TestFiles)
#include "test_files.moc"
