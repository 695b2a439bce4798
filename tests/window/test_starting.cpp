// What the command line asks of a window with a user, one window for a document, and a model that
// another program changes.
#include "app/window/batch.h"
#include "app/window/book_file.h"
#include "app/window/message_bar.h"
#include "app/window/model_watch.h"
#include "app/window/one_window.h"
#include "app/window/start_steps.h"
#include "common/test.h"
#include "window/books_fixture.h"

#include <QPushButton>
#include <QSignalSpy>
#include <QtNetwork/QLocalSocket>

#include <future>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestStarting : public QObject, BooksFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        begin();
        qputenv("XDG_RUNTIME_DIR", m_folder->path().toUtf8());
        QFile::setPermissions(m_folder->path(),
                              QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        QVERIFY(m->waitIdle());
    }
    void cleanup() { m.reset(); }
    void stepsFollowOneAnother();
    void wrongNameIsTold();
    void secondStartRaisesTheWindow();
    void otherWordsAreNotTaken();
    void killedWindowsLeaveNothing();
    void changedModelIsReadAgain();
    void changedModelWaitsForATask();
    void givenBookIsOpened();

private:
    // As another process does.
    bool raised(const QString& file) {
        auto other = std::async(std::launch::async, [file] { return OneWindow::raise(file); });
        while (other.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
            QCoreApplication::processEvents();
        return other.get();
    }
};

void TestStarting::stepsFollowOneAnother() {
    write("mine.fw", "rule r { match y = relu(x) emit y = x }\n");
    const auto options =
        readStartOptions({u"fusewright"_s, path("residual.onnx"), u"--profile"_s, u"--heat"_s,
                          u"--select"_s, u"Conv_12"_s, u"--edit"_s, path("mine.fw") + u":1"_s});
    QVERIFY(options.ok());
    QVERIFY(!options->batch());
    StartSteps steps(window(), *options);
    QSignalSpy ended(&steps, &StartSteps::ended);
    steps.start();
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 30000);
    QCOMPARE(window().document().state(Part::Profile), State::Ready);
    QVERIFY(!window().selection().empty());
    QCOMPARE(books().currentPath(), path("mine.fw"));
    QVERIFY(window().document().takesPart(path("mine.fw").toStdString()));
    QVERIFY(m->waitIdle());
    settle();
    QCOMPARE(ended.size(), 1);
}

void TestStarting::wrongNameIsTold() {
    const auto options =
        readStartOptions({u"fusewright"_s, path("residual.onnx"), u"--select"_s, u"nowhere"_s});
    StartSteps steps(window(), *options);
    Status how;
    connect(&steps, &StartSteps::ended, this, [&](const Status& ended) { how = ended; });
    steps.start();
    QTRY_VERIFY(!how);
    QCOMPARE(how.diag().code, DiagCode::UnknownName);
}

void TestStarting::secondStartRaisesTheWindow() {
    write("residual.onnx", "x");
    write("other.onnx", "x");
    const OneWindow one(window());
    QVERIFY(!raised(path("residual.onnx")));
    QVERIFY(open());
    window().showMinimized();
    QVERIFY(raised(path("residual.onnx")));
    QVERIFY(!window().isMinimized());
    QVERIFY(!raised(path("other.onnx")));
    QVERIFY(!raised({}));
    // A second window with it, which was wanted, changes nothing; the first still answers.
    WindowFixture second;
    const OneWindow two(second.window);
    QVERIFY(second.open(path("residual.onnx")));
    QVERIFY(raised(path("residual.onnx")));
    // What is open now is another one.
    QVERIFY(m->open(path("other.onnx")));
    QVERIFY(raised(path("other.onnx")));
}

void TestStarting::otherWordsAreNotTaken() {
    write("residual.onnx", "x");
    const OneWindow one(window());
    QVERIFY(open());
    const QString name = OneWindow::socketOf(path("residual.onnx"));
    QVERIFY(QFileInfo(name).absolutePath() == QFileInfo(m_folder->path()).absoluteFilePath());
    const auto others = QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther;
    QVERIFY(!(QFileInfo(name).permissions() & others));
    window().hide();
    for (const QByteArray& said : {QByteArray("open /etc/passwd\n"), QByteArray(100000, 'x')}) {
        QLocalSocket other;
        other.connectToServer(name);
        QVERIFY(other.waitForConnected(1000));
        other.write(said);
        other.flush();
        QTRY_COMPARE(other.state(), QLocalSocket::UnconnectedState);
        QVERIFY(other.readAll().isEmpty());
    }
    QVERIFY(!window().isVisible());
}

// A window that was killed leaves its socket, to which nobody listens.
void TestStarting::killedWindowsLeaveNothing() {
    write("residual.onnx", "x");
    {
        const OneWindow one(window());
        QVERIFY(open());
    }
    const QString name = OneWindow::socketOf(path("residual.onnx"));
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const QByteArray file = name.toLocal8Bit();
    QVERIFY(file.size() < qsizetype(sizeof address.sun_path));
    std::copy(file.begin(), file.end(), address.sun_path);
    QCOMPARE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(socket);
    QVERIFY(!raised(path("residual.onnx")));
    WindowFixture next;
    const OneWindow one(next.window);
    QVERIFY(next.open(path("residual.onnx")));
    QVERIFY(raised(path("residual.onnx")));
}

void TestStarting::changedModelIsReadAgain() {
    write("residual.onnx", "first");
    QVERIFY(open());
    QSignalSpy read(&window().document(), &Document::modelChanged);
    write("residual.onnx", "second, which is longer");
    QTRY_COMPARE_WITH_TIMEOUT(read.size(), 1, 5000);
    QVERIFY(m->waitIdle());
    QCOMPARE(window().document().state(Part::Plan), State::Ready);
    // One that is gone stays as it was read.
    QSignalSpy said(window().findChild<ModelWatch*>(), &ModelWatch::said);
    QVERIFY(QFile::remove(path("residual.onnx")));
    QTRY_COMPARE(said.size(), 1);
    QVERIFY(said[0][0].toString().contains(u"is gone from the disk"_s));
    QCOMPARE(read.size(), 1);
    QVERIFY(window().document().isOpen());
}

void TestStarting::changedModelWaitsForATask() {
    write("hang_profile.onnx", "first");
    QVERIFY(m->open(path("hang_profile.onnx")));
    QSignalSpy read(&window().document(), &Document::modelChanged);
    window().document().tasks().profile();
    write("hang_profile.onnx", "second, which is longer");
    QTRY_VERIFY_WITH_TIMEOUT(window().offerBar()->text().contains(u"has changed on disk"_s), 5000);
    QCOMPARE(read.size(), 0);
    QVERIFY(window().document().tasks().running());
    window().offerBar()->action()->click();
    QTRY_COMPARE(read.size(), 1);
    QVERIFY(m->waitIdle());
}

void TestStarting::givenBookIsOpened() {
    write("mine.fw", "# a comment about a graph\nrule r { match y = relu(x) emit y = x }\n");
    write("net.fw", "graph net(x: f32[4]) -> y { y = relu(x) }\n");
    QVERIFY(isBookFile(path("mine.fw")));
    QVERIFY(!isBookFile(path("net.fw")));
    QVERIFY(!isBookFile(path("nowhere.fw")));
    QVERIFY(open());
    window().openModel(path("mine.fw"));
    QVERIFY(m->waitIdle());
    QVERIFY(window().messageBar()->text().isEmpty());
    QCOMPARE(books().currentPath(), path("mine.fw"));
    QVERIFY(window().document().takesPart(path("mine.fw").toStdString()));
    QCOMPARE(window().document().path(), path("residual.onnx"));
}

FW_TEST(TestStarting, QApplication)
#include "test_starting.moc"
