// A window as people have it, with the real worker and what it remembers in a folder of the test,
// and keys that go where a keyboard's go.
#pragma once

#include "app/window/books_area.h"
#include "app/window/books_view.h"
#include "app/window/drafts.h"
#include "app/window/main_window.h"
#include "common/test.h"
#include "views/authoring/sketch_view.h"
#include "views/common/combo_box.h"
#include "views/graph/graphs_view.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCompleter>
#include <QDir>
#include <QDirIterator>
#include <QFileDialog>
#include <QLineEdit>
#include <QPainter>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QThreadPool>

#include <csignal>
#include <cstdio>
#include <string_view>

namespace fw::ui {

// Sees what a keyboard does not do.
class MouseSeen : public QObject {
public:
    int count = 0;

private:
    bool eventFilter(QObject*, QEvent* event) override {
        count += event->type() == QEvent::MouseButtonPress || event->type() == QEvent::Wheel ||
                 event->type() == QEvent::MouseMove;
        return false;
    }
};

constexpr const char* victimWord = "--window";

class StoryFixture {
protected:
    // Copies samples into the folder, where they can be written beside.
    void begin(const QStringList& samples) {
        const QString folder = m_folder.path();
        qputenv("XDG_STATE_HOME", (folder + QStringLiteral("/state")).toUtf8());
        qputenv("XDG_CONFIG_HOME", (folder + QStringLiteral("/config")).toUtf8());
        for (const QString& sample : samples)
            copyFiles(QStringLiteral(FW_SOURCE_DIR "/samples/") + sample, sample);
    }
    void copyFiles(const QString& from, const QString& into) {
        const QDir folder(from);
        QVERIFY(QDir(m_folder.path()).mkpath(into));
        for (const QString& name : folder.entryList(QDir::Files))
            QVERIFY(QFile::copy(folder.filePath(name), m_folder.filePath(into + u'/' + name)));
    }
    void start(const QString& target = QStringLiteral("x86-64 -mcpu=x86-64-v3 -libs= -threads=2")) {
        m_window =
            std::make_unique<MainWindow>(QStringLiteral(FW_BINARY_DIR "/bin/fw"), Memory::Remember);
        m_window->resize(1500, 950);
        m_window->show();
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        if (!target.isEmpty())
            m_window->setTargetText(target);
    }
    // As at the end of the process: nothing is asked, and what is not saved stays a draft.
    void end() {
        m_window.reset();
        QThreadPool::globalInstance()->waitForDone();
    }
    void waitIdle() {
        QVERIFY2(QTest::qWaitFor([this] { return m_window->idle(); }, 120000), "never idle");
    }
    void open(const QString& sample) {
        m_window->openModel(m_folder.filePath(sample));
        waitIdle();
        QCOMPARE(m_window->document().state(Part::Plan), State::Ready);
    }

    BookEditor* editor() const { return m_window->view<BooksView>()->area()->current()->editor(); }
    QString status() const { return m_window->view<BooksView>()->area()->current()->statusText(); }
    QAbstractItemView* popup() const { return editor()->completer()->popup(); }
    std::size_t groups() const { return m_window->document().plan()->groups.size(); }
    std::size_t framed(GraphSide side, Halo::Look look) const {
        const auto& halos = m_window->view<GraphsView>()->pane(side)->canvas()->halos();
        return std::size_t(std::count_if(halos.begin(), halos.end(),
                                         [&](const Halo& halo) { return halo.look == look; }));
    }
    int lineOf(const QString& part) const {
        for (int line = 1; line <= editor()->document()->blockCount(); ++line)
            if (editor()->lineText(line).contains(part))
                return line;
        return 0;
    }

    QString noteOf(const QString& declaration) const { // in the margin
        const auto& notes = editor()->notes();
        const auto found = notes.find(lineOf(declaration));
        return found == notes.end() ? QString() : found->second.text;
    }
    QString untimedNoteOf(const QString& declaration) const { // without how long looking took
        static const QRegularExpression time(QStringLiteral(", [0-9.]+ (µs|ms|s)\\b"));
        return noteOf(declaration).remove(time);
    }
    bool isRight(const QString& declaration) const { // as far as the margin says
        const QString note = noteOf(declaration);
        return note.contains(u"exact") || note.contains(u"proved") || note.contains(u"tested");
    }
    void replaceLine(const QString& part, const QString& line) {
        editor()->goTo({lineOf(part), 1});
        QTextCursor cursor = editor()->textCursor();
        cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        cursor.insertText(line);
        waitIdle();
    }

    // --- the page Make
    SketchView& sketch() const { return *m_window->view<SketchView>(); }
    QString made() const { return sketch().preview()->toPlainText(); }
    void makeOf(const QStringList& nodes) {
        QVERIFY(m_window->selectByNames(nodes));
        waitIdle();
        press(QStringLiteral("Ctrl+Shift+M"));
    }
    void choose(const QString& kind) {
        sketch().kind()->setCurrentIndex(sketch().kind()->findData(kind));
        Q_EMIT sketch().kind()->activated(sketch().kind()->currentIndex());
        waitIdle();
    }
    void askForLess() { // until nothing is advised
        while (!sketch().advice().empty()) {
            sketch().advice().front()->click();
            QCoreApplication::processEvents(); // it is asked from the event loop
            waitIdle();
        }
    }

    // Where the keys go. After a dialog a window manager activates the window again.
    QWidget* keysGoTo() const {
        if (QWidget* open = QApplication::activePopupWidget())
            return open->focusWidget() ? open->focusWidget() : open;
        if (!QApplication::activeWindow())
            QApplication::setActiveWindow(m_window.get());
        QWidget* focused = QApplication::focusWidget();
        return focused ? focused : m_window.get();
    }
    // As fast as people type: between two keys the window has time.
    void typeOn(const QString& text) {
        for (const QChar key : text) {
            QTest::keyClicks(keysGoTo(), QString(key));
            QCoreApplication::processEvents();
        }
    }
    void type(const QString& text) {
        typeOn(text);
        waitIdle();
    }
    void strike(const QKeyCombination& keys) {
        QTest::keyClick(keysGoTo(), keys.key(), keys.keyboardModifiers());
    }
    void press(const QString& keys) { // "Ctrl+Shift+N"
        strike(QKeySequence(keys)[0]);
        waitIdle();
    }

    void openFromDialog(const QString& file) {
        answerFileDialog(m_folder.filePath(file));
        press(QStringLiteral("Ctrl+O"));
        QCOMPARE(m_window->document().state(Part::Plan), State::Ready);
    }

    // What is done with the next file dialog, while it waits for people. Its own keys are Qt's
    // business: its completion and its button follow the disk, some time later.
    void answerFileDialog(const QString& file) {
        QTimer::singleShot(50, m_window.get(), [this, file] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QLineEdit* name = dialog ? dialog->findChild<QLineEdit*>() : nullptr;
            if (!name)
                return answerFileDialog(file);
            name->setText(file);
            QMetaObject::invokeMethod(dialog, "accept");
        });
    }

    // This test once more, as the window that is to be killed (testOrVictim), which decides
    // something and ends by waitToBeKilled().
    static void startVictim(QProcess& victim, const QString& path) {
        victim.start(QCoreApplication::applicationFilePath(),
                     {QString::fromStdString(fw::test::runningTest()), victimWord, path});
    }
    void killWindowOn(const QString& path) {
        QProcess victim;
        startVictim(victim, path);
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT((said += victim.readAllStandardOutput()).contains("written"),
                                 120000);
        ::kill(pid_t(victim.processId()), SIGKILL);
        QVERIFY(victim.waitForFinished(10000));
    }
    // Whether something that is kept from a crash has this in it.
    static bool isKept(const QByteArray& part) {
        QDirIterator files(Drafts::defaultFolder(), {QStringLiteral("*.json")}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (files.hasNext())
            if (QFile file(files.next());
                file.open(QIODevice::ReadOnly) && file.readAll().contains(part))
                return true;
        return false;
    }
    // Once what was decided is kept: something with this in it.
    int waitToBeKilled(const QByteArray& kept) {
        waitIdle();
        if (!QTest::qWaitFor([&] { return isKept(kept); }, 60000))
            return 1;
        std::printf("written\n");
        std::fflush(stdout);
        return QApplication::exec();
    }

    // The window with what lies over it, for people to look at and for the documentation: in the
    // build folder.
    void picture(const QString& name, const QRect& part = {}) {
        const QDir folder(QStringLiteral(FW_BINARY_DIR "/pictures"));
        QVERIFY(folder.mkpath(QStringLiteral(".")));
        QCoreApplication::processEvents();
        QPixmap shot = m_window->grab();
        QPainter painter(&shot);
        for (QWidget* over : QApplication::topLevelWidgets())
            if (over->isVisible() && over != m_window.get())
                painter.drawPixmap(m_window->mapFromGlobal(over->pos()), over->grab());
        painter.end();
        const QImage image = (part.isNull() ? shot : shot.copy(part)).toImage();
        QVERIFY(image.convertToFormat(QImage::Format_RGB32)
                    .save(folder.filePath(name + QStringLiteral(".png")), "PNG", 0));
    }

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
};

// A test that starts itself as a window, which is killed: Victim().run(PATH).
template <class Test, class Victim>
int testOrVictim(int count, char** words) {
    if (count < 2 || std::string_view(words[1]) != victimWord)
        return test::runAs<Test, QApplication>(count, words);
    const QApplication application(count, words);
    return Victim().run(QApplication::arguments().value(2));
}

} // namespace fw::ui
