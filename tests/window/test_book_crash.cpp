// A window that is killed while a text is not saved, and the next one. The window to be killed is
// this program itself, in a process of its own: `--window FOLDER` opens the model, writes a rule
// there, says "written PID" of its worker, and waits.
#include "app/window/books_view.h"
#include "app/window/message_bar.h"
#include "common/test.h"
#include "window/story_fixture.h"

#include <QProcess>
#include <QPushButton>

#include <csignal>
#include <cstdio>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

namespace {

const QString ruleText = u"# What this book is about.\n"
                         "\n"
                         "fuse pooled \"a pool joins\" {\n"
                         "  match  conv2d(x, w) >> bias(^, b) >> relu(^) >> max_pool2d(^)\n"
                         "  as stacked\n"
                         "}\n"
                         "# not finish"_s;

// What the process that is killed does.
class CrashingBook : StoryFixture {
public:
    int run(const QString& folder) {
        StoryFixture::start();
        m_window->openModel(folder + u"/lenet"_s);
        waitIdle();
        press(u"Ctrl+Shift+N"_s);
        strike(Qt::CTRL | Qt::Key_A);
        for (const QString& line : ruleText.split(u'\n')) {
            if (line != ruleText.section(u'\n', 0, 0))
                strike(Qt::Key_Return);
            typeOn(line.trimmed());
        }
        waitIdle();
        if (!QTest::qWaitFor([] { return isKept("# not finish"); }, 60000))
            return 1;
        std::printf("written %lld\n", static_cast<long long>(m_window->worker().processId()));
        std::fflush(stdout);
        return QApplication::exec();
    }
};

} // namespace

class TestBookCrash : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"lenet"_s}); }
    void killedWindowLosesNothing();
};

void TestBookCrash::killedWindowLosesNothing() {
    QProcess victim;
    startVictim(victim, m_folder.path());
    QByteArray said;
    QTRY_VERIFY_WITH_TIMEOUT((said += victim.readAllStandardOutput()).contains("written") &&
                                 said.endsWith('\n'),
                             120000);
    const qint64 worker = said.mid(said.indexOf("written") + 7).trimmed().toLongLong();
    QVERIFY(worker > 0 && QFileInfo::exists(u"/proc/%1"_s.arg(worker)));
    ::kill(pid_t(victim.processId()), SIGKILL);
    QVERIFY(victim.waitForFinished(10000));
    QCOMPARE(victim.exitStatus(), QProcess::CrashExit);
    // Its worker ends with it.
    QTRY_VERIFY_WITH_TIMEOUT(!QFileInfo::exists(u"/proc/%1/exe"_s.arg(worker)), 10000);
    const QString book = m_folder.filePath(u"lenet/book-1.fw"_s);
    QVERIFY(!QFileInfo::exists(book));

    start();
    m_window->answerSaveName([](const QString& suggested) { return suggested; });
    open(u"lenet"_s);
    const std::size_t without = groups();
    QVERIFY2(m_window->offerBar()->text().contains(u"book-1.fw"_s),
             qPrintable(m_window->offerBar()->text()));
    m_window->offerBar()->action()->click();
    waitIdle();
    QCOMPARE(m_window->view<BooksView>()->area()->currentPath(), book);
    QCOMPARE(editor()->wholeText(), ruleText);
    QCOMPARE(m_window->view<BooksView>()->area()->changed(), QStringList{book});
    // What was decided is there again, not saved: the book takes part as the one that was typed.
    QVERIFY(m_window->document().unsaved());
    QCOMPARE(groups(), without - 2);
    const auto plan = m_window->document().plan();
    press(u"Ctrl+S"_s);
    QVERIFY(m_window->saveTo(m_folder.filePath(u"work.fwdoc"_s)));
    end();

    start();
    QVERIFY(m_window->offerBar()->text().isEmpty());
    m_window->openModel(m_folder.filePath(u"work.fwdoc"_s));
    waitIdle();
    QVERIFY(*m_window->document().plan() == *plan);
    m_window->editBook(book, 0);
    waitIdle();
    QCOMPARE(editor()->wholeText(), ruleText);
    end();
}

FW_TEST_BY(&fw::ui::testOrVictim<TestBookCrash, CrashingBook>)

#include "test_book_crash.moc"
