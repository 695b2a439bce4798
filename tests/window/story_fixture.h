// A window as people have it, with the real worker and what it remembers in a folder of the test,
// and keys that go where a keyboard's go.
#pragma once

#include "app/window/books_area.h"
#include "app/window/books_view.h"
#include "app/window/main_window.h"
#include "views/graph/graphs_view.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCompleter>
#include <QDir>
#include <QFileDialog>
#include <QLineEdit>
#include <QPainter>
#include <QTemporaryDir>
#include <QThreadPool>
#include <QtTest>

namespace fw::ui {

class StoryFixture {
protected:
    // Copies samples into the folder, where they can be written beside.
    void begin(const QStringList& samples) {
        const QString folder = m_folder.path();
        qputenv("XDG_STATE_HOME", (folder + QStringLiteral("/state")).toUtf8());
        qputenv("XDG_CONFIG_HOME", (folder + QStringLiteral("/config")).toUtf8());
        for (const QString& sample : samples) {
            const QDir from(QStringLiteral(FW_SOURCE_DIR "/samples/") + sample);
            QVERIFY(QDir(folder).mkpath(sample));
            for (const QString& name : from.entryList(QDir::Files))
                QVERIFY(QFile::copy(from.filePath(name), folder + u'/' + sample + u'/' + name));
        }
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

    // Where the keys go. After a dialog a window manager activates the window again.
    QWidget* keysGoTo() const {
        if (QWidget* open = QApplication::activePopupWidget())
            return open;
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

} // namespace fw::ui
