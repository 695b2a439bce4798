// Files are mapped whole and replaced whole; what is no regular file is refused.
#include "base/files.h"
#include "base/mapped_pages.h"
#include "common/test.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <atomic>
#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <vector>

using namespace fw;

namespace {

// What was synced, and what the file held under its own name then.
struct Synced {
    std::string path, target, content;
};
std::vector<Synced> synced;
std::string watched; // the file that is saved
bool syncFails = false;

} // namespace

// In place of that of the C library.
extern "C" int fsync(int descriptor) {
    if (watched.empty())
        return 0;
    const QString link = QStringLiteral("/proc/self/fd/%1").arg(descriptor);
    std::ifstream file(watched);
    const std::string content(std::istreambuf_iterator<char>(file), {});
    synced.push_back({QFile::symLinkTarget(link).toStdString(), watched, content});
    errno = EIO;
    return syncFails ? -1 : 0;
}

class TestFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void writesAndMaps();
    void releasedPagesAreReadAgain();
    void refusesToRead();
    void readsWhatIsAtRest();
    void readsWhileItIsEdited_data();
    void readsWhileItIsEdited();
    void refusesToWrite();
    void savedFilesAreSynced();
    void appendsWholeLines();
    void appendsAllOrNothing();
    void appendsBesideOthers();

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

void TestFiles::releasedPagesAreReadAgain() {
    const std::string file = path("pages.bin");
    std::string content(100000, '\0');
    for (std::size_t i = 0; i < content.size(); ++i)
        content[i] = static_cast<char>(i % 251);
    QVERIFY(writeFile(file, content).ok());
    const auto mapped = mapFile(file, 1 << 20);
    QVERIFY(mapped.ok() && mapped->text() == content);
    releasePages(mapped->bytes);
    QVERIFY(mapped->text() == content);
    releasePages(mapped->bytes.subspan(5000, 50000));
    QVERIFY(mapped->text() == content);
    std::string own = content; // is no file: what is released would be lost
    releasePages(std::as_bytes(std::span(own)));
    QVERIFY(own == content);
    releasePages({});
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

void TestFiles::readsWhatIsAtRest() {
    const std::string file = path("book");
    QVERIFY(writeFile(file, "a text\n").ok());
    QCOMPARE(readFile(file, 100).value(), std::string("a text\n"));
    QVERIFY(writeFile(file, "").ok());
    QCOMPARE(readFile(file, 100).value(), std::string());
    QCOMPARE(readFile(path("not there"), 100).diag().code, DiagCode::FileMissing);
    QCOMPARE(readFile(m_folder.path().toStdString(), 100).diag().code, DiagCode::FileMissing);
    QVERIFY(writeFile(file, "12345").ok());
    QCOMPARE(readFile(file, 4).diag().code, DiagCode::FileTooLarge);
}

void TestFiles::readsWhileItIsEdited_data() {
    QTest::addColumn<bool>("replaced");
    QTest::newRow("another file takes its place") << true;
    QTest::newRow("cut to nothing and written again") << false;
}

// One of the texts as a whole, or, of a file that is written where it lies, a part of one up to the
// place that was written: never a mixture, and never a read beyond the end, which ends the program.
void TestFiles::readsWhileItIsEdited() {
    QFETCH(bool, replaced);
    const std::string file = path("edited");
    const std::string texts[] = {std::string(200000, 'a'), std::string(50000, 'b')};
    QVERIFY(writeFile(file, texts[0]).ok());
    std::atomic<bool> stop = false;
    std::thread editor([&] {
        for (std::size_t i = 0; !stop; ++i) {
            if (replaced)
                (void)writeFile(file, texts[i % 2], Durability::Cache);
            else
                std::ofstream(file) << texts[i % 2];
        }
    });
    int whole = 0;
    bool right = true;
    for (int i = 0; i < 300; ++i) {
        const auto read = readFile(file, 1 << 20);
        if (!read) {
            right = right && read.diag().code == DiagCode::FileMissing && !replaced &&
                    read.diag().message.find("changed while it was read") != std::string::npos;
            continue;
        }
        const bool isText = *read == texts[0] || *read == texts[1];
        whole += isText;
        right =
            right &&
            (isText || (!replaced && (texts[0].starts_with(*read) || texts[1].starts_with(*read))));
    }
    stop = true;
    editor.join();
    QVERIFY(right);
    QVERIFY(!replaced || whole == 300);
}

void TestFiles::refusesToWrite() {
    QVERIFY(writeFile("/dev/null", "x").diag().code == DiagCode::FileUnwritable);
    QVERIFY(QFileInfo(QStringLiteral("/dev/null")).exists());
    const std::string below = path("large") + "/below";
    QVERIFY(writeFile(below, "x").diag().code == DiagCode::FileUnwritable);
    QVERIFY(writeFile(path("no/such/folder"), "x").diag().code == DiagCode::FileUnwritable);
    const std::string pipe = path("target"), folder = path("inside");
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    QVERIFY(QDir(m_folder.path()).mkdir(QStringLiteral("inside")));
    for (const std::string& target : {pipe, folder})
        for (const Durability durability : {Durability::Synced, Durability::Cache})
            QVERIFY(writeFile(target, "x", durability).diag().code == DiagCode::FileUnwritable);
    QVERIFY(!QFileInfo(QString::fromStdString(pipe)).isFile());
    QVERIFY(QFileInfo(QString::fromStdString(folder)).isDir());
}

// The new file before it takes the name, and the folder that says so; one that cannot be leaves the
// old file.
void TestFiles::savedFilesAreSynced() {
    const std::string file = path("saved.txt");
    QVERIFY(writeFile(file, "old").ok());
    watched = file;
    synced.clear();
    QVERIFY(writeFile(file, "new").ok());
    QCOMPARE(synced.size(), std::size_t(2));
    QVERIFY2(synced[0].path.starts_with(file + ".tmp-"), synced[0].path.c_str());
    QCOMPARE(synced[0].content, std::string("old"));
    QCOMPARE(synced[1].path, QFileInfo(m_folder.path()).canonicalFilePath().toStdString());
    QCOMPARE(synced[1].content, std::string("new"));
    synced.clear();
    QVERIFY(writeFile(file, "kept by a cache", Durability::Cache).ok());
    QVERIFY(synced.empty());
    QVERIFY(writeFile(file, "new").ok());
    syncFails = true;
    QCOMPARE(writeFile(file, "newer").diag().code, DiagCode::FileUnwritable);
    syncFails = false;
    watched.clear();
    QCOMPARE(readFile(file, 100).value(), std::string("new"));
    QVERIFY(QDir(m_folder.path()).entryList({QStringLiteral("saved.txt.tmp-*")}).isEmpty());
}

void TestFiles::appendsWholeLines() {
    const std::string file = path("log");
    QVERIFY(appendFile(file, "").ok());
    QCOMPARE(readFile(file, 100).value(), std::string());
    QVERIFY(appendFile(file, "one\n").ok());
    QVERIFY(appendFile(file, "two\n").ok());
    QCOMPARE(readFile(file, 100).value(), std::string("one\ntwo\n"));
    // What was cut in the middle does not take the next line along.
    QVERIFY(writeFile(file, "one\ntw").ok());
    QVERIFY(appendFile(file, "").ok());
    QVERIFY(appendFile(file, "three\n").ok());
    QCOMPARE(readFile(file, 100).value(), std::string("one\ntw\nthree\n"));
    QCOMPARE(appendFile("/dev/null", "x").diag().code, DiagCode::FileUnwritable);
    QCOMPARE(appendFile("/dev/full", "x").diag().code, DiagCode::FileUnwritable);
    QCOMPARE(appendFile(m_folder.path().toStdString(), "x").diag().code, DiagCode::FileUnwritable);
}

// A file that may not grow is as a disk that is full.
void TestFiles::appendsAllOrNothing() {
    const std::string file = path("limited");
    QVERIFY(writeFile(file, std::string(1000, 'a') + "\n").ok());
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit little{1024, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &little);
    const Status refused = appendFile(file, std::string(100, 'b') + "\n");
    const Status fits = appendFile(file, "c\n");
    ::setrlimit(RLIMIT_FSIZE, &before);
    QCOMPARE(refused.diag().code, DiagCode::FileUnwritable);
    QVERIFY(fits.ok());
    QCOMPARE(readFile(file, 2000).value(), std::string(1000, 'a') + "\nc\n");
}

void TestFiles::appendsBesideOthers() {
    const std::string file = path("shared");
    constexpr int writers = 4, lines = 200;
    std::vector<std::thread> threads;
    for (int i = 0; i < writers; ++i)
        threads.emplace_back([&, i] {
            for (int k = 0; k < lines; ++k)
                (void)appendFile(file, std::string(50 + std::size_t(k), char('a' + i)) + "\n");
        });
    for (std::thread& thread : threads)
        thread.join();
    std::ifstream read(file);
    int count = 0;
    for (std::string line; std::getline(read, line); ++count)
        QVERIFY(line.find_first_not_of(line[0]) == std::string::npos);
    QCOMPARE(count, writers * lines);
}

FW_TEST(TestFiles, QCoreApplication)
#include "test_files.moc"
