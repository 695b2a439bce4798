// A window with the canned worker and a folder for books.
#pragma once

#include "app/window/books_area.h"
#include "app/window/books_view.h"
#include "window/window_fixture.h"

namespace fw::ui {

class BooksFixture {
protected:
    void begin() {
        m_folder = std::make_unique<QTemporaryDir>();
        m = std::make_unique<WindowFixture>();
        window().answerSaveName([](const QString& suggested) { return suggested; });
    }
    MainWindow& window() { return m->window; }
    BooksArea& books() { return *m->window.view<BooksView>()->area(); }
    BookEditor& editor() { return *m->window.view<BooksView>()->area()->current()->editor(); }
    QString path(const char* name) { return m_folder->filePath(QString::fromLatin1(name)); }
    bool open() { return m->open(path("residual.onnx")); }
    std::size_t groups() { return window().document().plan()->groups.size(); }
    void write(const char* name, const QByteArray& bytes) {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    QByteArray read(const QString& file) {
        QFile in(file);
        return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
    }
    bool type(const QString& text) {
        QTest::keyClicks(&editor(), text);
        return m->waitIdle();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<WindowFixture> m;
};

} // namespace fw::ui
