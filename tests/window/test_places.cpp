// What lies in the place of a file that the window writes, or of a lock that it takes: a device or
// a pipe is neither written, replaced nor waited for.
#include "app/window/drafts.h"
#include "app/window/picture_file.h"
#include "app/window/settings.h"
#include "common/test.h"

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>

#include <sys/stat.h>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestPlaces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pictures_data() { whatMayLie(); }
    void pictures();
    void settingsLock_data();
    void settingsLock();
    void draftsLock_data();
    void draftsLock();

private:
    static void whatMayLie() {
        QTest::addColumn<QString>("lies");
        for (const char* lies : {"pipe", "link", "folder"})
            QTest::newRow(lies) << QString::fromLatin1(lies);
    }
    static void put(const QString& lies, const QString& file) {
        const QByteArray name = QFile::encodeName(file);
        QVERIFY(QDir().mkpath(QFileInfo(file).path()));
        if (lies == u"pipe")
            QCOMPARE(mkfifo(name.constData(), 0600), 0);
        else if (lies == u"link") {
            QCOMPARE(mkfifo((name + ".behind").constData(), 0600), 0);
            QVERIFY(QFile::link(file + u".behind"_s, file));
        } else if (lies == u"folder")
            QVERIFY(QDir().mkdir(file));
        else {
            QFile huge(file);
            QVERIFY(huge.open(QIODevice::WriteOnly) && huge.resize(qint64(3) << 30));
        }
    }
    static bool isAsItWas(const QString& lies, const QString& file) {
        const QByteArray name = QFile::encodeName(file);
        struct stat found = {}, behind = {};
        if (lstat(name.constData(), &found) != 0)
            return false;
        if (lies == u"pipe")
            return S_ISFIFO(found.st_mode);
        if (lies == u"folder")
            return S_ISDIR(found.st_mode);
        return S_ISLNK(found.st_mode) && stat(name.constData(), &behind) == 0 &&
               S_ISFIFO(behind.st_mode);
    }
};

void TestPlaces::pictures() {
    QFETCH(QString, lies);
    QTemporaryDir folder;
    auto picture = std::make_shared<picture::Picture>();
    picture->width = picture->height = 10;
    const auto isRefused = [&](const Status& status, const QString& file) {
        return !status && status.diag().code == DiagCode::FileUnwritable && isAsItWas(lies, file);
    };
    for (const char* name : {"p.svg", "p.png", "p.pdf"}) {
        const QString file = folder.filePath(QString::fromLatin1(name));
        put(lies, file);
        QVERIFY(isRefused(writePicture(picture, file, picture::ThemeKind::Light), file));
    }
    const QString file = folder.filePath(u"window.png"_s);
    put(lies, file);
    QPixmap pixmap(4, 4);
    pixmap.fill(Qt::white);
    QVERIFY(isRefused(writePixmap(pixmap, file), file));
    QVERIFY(!writePixmap(pixmap, folder.filePath(u"window.nosuch"_s)));
    QVERIFY(writePixmap(pixmap, folder.filePath(u"other.png"_s)).ok());
    QCOMPARE(QImage(folder.filePath(u"other.png"_s)).size(), QSize(4, 4));
}

void TestPlaces::settingsLock_data() {
    whatMayLie();
    QTest::newRow("huge") << u"huge"_s;
}

void TestPlaces::settingsLock() {
    QFETCH(QString, lies);
    QTemporaryDir folder;
    qputenv("XDG_CONFIG_HOME", folder.path().toUtf8());
    const QString lock = Settings::fileName() + u".lock"_s;
    put(lies, lock);
    Settings settings;
    QVERIFY2(settings.problem().contains(u"no lock"_s), qPrintable(settings.problem()));
    QVERIFY(settings.problem().contains(lock));
    settings.setTheme(ThemeChoice::Dark);
    QCOMPARE(settings.theme(), ThemeChoice::Dark);
    QVERIFY(!QFile::exists(Settings::fileName()));
    QVERIFY(lies == u"huge" || isAsItWas(lies, lock));
}

void TestPlaces::draftsLock_data() {
    whatMayLie();
    QTest::newRow("huge") << u"huge"_s;
}

// The draft is offered: no window that lives has made such a lock.
void TestPlaces::draftsLock() {
    QFETCH(QString, lies);
    QTemporaryDir folder;
    const Draft draft{u"/b.fw"_s, u"two"_s};
    QVERIFY(Drafts(folder.path()).keep(draft).ok());
    const QStringList kept = QDir(folder.path()).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    QCOMPARE(kept.size(), 1);
    put(lies, folder.filePath(kept.first() + u".lock"_s));
    Drafts next(folder.path());
    QVERIFY(next.leftOver() == std::vector<Draft>{draft});
    next.forgetLeftOver({draft});
    QVERIFY(next.leftOver().empty());
}

FW_TEST(TestPlaces, QApplication)
#include "test_places.moc"
