// The cache gives back what was put in, or nothing: damage, a full disk and a missing folder are
// misses.
#include "base/files.h"
#include "common/test.h"
#include "module/kernel_cache.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

using namespace fw;

namespace {

std::shared_ptr<const CompiledKernel> kernel(std::uint64_t number, std::size_t bytes = 100) {
    auto out = std::make_shared<CompiledKernel>();
    out->key = {number, ~number};
    out->symbol = "fw_test_" + std::to_string(number);
    for (std::size_t i = 0; i < bytes; ++i)
        out->object.push_back(static_cast<std::byte>(i * number));
    out->counters = {1, 2, 3, 4, 5, 6};
    out->milliseconds = 12.5;
    return out;
}

bool same(const CompiledKernel& a, const CompiledKernel& b) {
    return a.key == b.key && a.symbol == b.symbol && a.object == b.object &&
           a.counters == b.counters && a.milliseconds == b.milliseconds;
}

} // namespace

class TestKernelCache : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void remembers();
    void survivesOnDisk();
    void damageIsAMiss();
    void isWrittenWhole();
    void staysBelowItsLimit();
    void needsNoFolder();
    void folderFollowsTheEnvironment();
};

void TestKernelCache::remembers() {
    KernelCache cache({.folder = {}});
    QVERIFY(!cache.find({1, 2}).kernel);
    cache.add(kernel(7));
    const auto found = cache.find(kernel(7)->key);
    QVERIFY(found.kernel && same(*found.kernel, *kernel(7)));
    QCOMPARE(found.source, KernelSource::Memory);
}

void TestKernelCache::survivesOnDisk() {
    QTemporaryDir folder;
    const std::string deep = (folder.path() + "/a/b").toStdString();
    KernelCache({.folder = deep}).add(kernel(7));
    KernelCache fresh({.folder = deep});
    const auto first = fresh.find(kernel(7)->key);
    QVERIFY(first.kernel && same(*first.kernel, *kernel(7)));
    QCOMPARE(first.source, KernelSource::Disk);
    QCOMPARE(fresh.find(kernel(7)->key).source, KernelSource::Memory);
    QVERIFY(!fresh.find(kernel(8)->key).kernel);
    QCOMPARE(QDir(QString::fromStdString(deep)).entryList(QDir::Files).size(), 1); // no leftovers
}

void TestKernelCache::damageIsAMiss() {
    const std::string whole = cacheEntry(*kernel(7));
    const Hash key = kernel(7)->key;
    QVERIFY(readCacheEntry(key, whole));
    for (std::size_t size = 0; size < whole.size(); ++size)
        QVERIFY(!readCacheEntry(key, std::string_view(whole).substr(0, size)));
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        QVERIFY(!readCacheEntry(key, damaged));
    }
    QVERIFY(!readCacheEntry(key, whole + "x"));
    QVERIFY(!readCacheEntry(kernel(8)->key, whole)); // a file under another name

    QTemporaryDir folder;
    KernelCache cache({.folder = folder.path().toStdString()});
    cache.add(kernel(7));
    const QString path = QString::fromStdString(cache.fileOf(key));
    QVERIFY(QFile::resize(path, 40));
    KernelCache fresh({.folder = folder.path().toStdString()});
    QVERIFY(!fresh.find(key).kernel);
    QVERIFY(!QFile::exists(path));
    fresh.add(kernel(7));
    QVERIFY(KernelCache({.folder = folder.path().toStdString()}).find(key).kernel);
}

void TestKernelCache::isWrittenWhole() {
    // What cannot be renamed into place leaves nothing behind: a folder has the name.
    QTemporaryDir folder;
    KernelCache cache({.folder = folder.path().toStdString()});
    QVERIFY(QDir().mkpath(QString::fromStdString(cache.fileOf(kernel(7)->key)) + "/x"));
    cache.add(kernel(7));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 0);
    QVERIFY(cache.find(kernel(7)->key).kernel); // still in memory
}

void TestKernelCache::staysBelowItsLimit() {
    QTemporaryDir folder;
    KernelCache cache({.folder = folder.path().toStdString(), .diskBytes = 20000});
    for (std::uint64_t i = 1; i <= 10; ++i) {
        cache.add(kernel(i, 4000));
        // Older than the ones after it.
        QFile file(QString::fromStdString(cache.fileOf(kernel(i)->key)));
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.setFileTime(QDateTime::currentDateTime().addDays(static_cast<qint64>(i) - 20),
                                 QFileDevice::FileModificationTime));
    }
    cache.trim();
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 3);
    KernelCache fresh({.folder = folder.path().toStdString()});
    QVERIFY(!fresh.find(kernel(1)->key).kernel);
    QVERIFY(fresh.find(kernel(10)->key).kernel);
}

void TestKernelCache::needsNoFolder() {
    QTemporaryDir folder;
    const QString file = folder.path() + "/file";
    QVERIFY(QFile(file).open(QIODevice::WriteOnly));
    KernelCache cache({.folder = (file + "/below").toStdString()}); // cannot exist
    cache.add(kernel(7));
    QCOMPARE(cache.find(kernel(7)->key).source, KernelSource::Memory);
    cache.trim();
}

void TestKernelCache::folderFollowsTheEnvironment() {
    const QByteArray home = qgetenv("HOME"), cache = qgetenv("XDG_CACHE_HOME");
    qputenv("HOME", "/somewhere");
    qputenv("XDG_CACHE_HOME", "/cache");
    QCOMPARE(kernelCacheFolder(), std::string("/cache/fusewright/obj"));
    qputenv("XDG_CACHE_HOME", "relative");
    QCOMPARE(kernelCacheFolder(), std::string("/somewhere/.cache/fusewright/obj"));
    qunsetenv("HOME");
    QCOMPARE(kernelCacheFolder(), std::string());
    qputenv("HOME", home);
    cache.isNull() ? qunsetenv("XDG_CACHE_HOME") : qputenv("XDG_CACHE_HOME", cache);
}

FW_TEST(TestKernelCache, QCoreApplication)
#include "test_kernel_cache.moc"
