// The document of a window as a file: opened, saved, and not lost without people saying so.
//
// Owns what was to be opened last; it remembers files in the settings if the window does.
#pragma once

#include "app/window/answers.h"
#include "app/window/document.h"
#include "app/window/settings.h"

class QWidget;

namespace fw::ui {

class Bookmarks;
class ViewDocks;

// Tests and screenshots neither read nor write what the user's window remembers.
enum class Memory { Remember, Forget };

class DocumentFiles : public QObject {
    Q_OBJECT

public:
    // All live longer. Views and bookmarks say what people left in the window.
    DocumentFiles(QWidget& window, Document& document, const ViewDocks& views, Bookmarks& bookmarks,
                  Settings& settings, Memory memory, const Answers& answers);

    void open(const QString& path);
    void openByDialog();
    void openAgain(); // what was to be opened last
    bool save();      // false: told by failed(), or people gave it up
    bool saveAs();
    bool saveTo(const QString& file);
    bool mayDiscard();
    void opened(); // the document has another model
    void keep();   // what people left in the window
    void clearRecent();

Q_SIGNALS:
    void opening(const QString& path);
    void bookGiven(const QString& path); // in place of a model
    void recentChanged();
    void said(const QString& text);
    void failed(const fw::Diag& diag);

private:
    void remember(const QString& path);
    bool mayOverwrite(const QString& file);
    snapshot::KeptView leftNow() const;

    QWidget& m_window;
    Document& m_document;
    const ViewDocks& m_views;
    Bookmarks& m_bookmarks;
    Settings& m_settings;
    const Memory m_memory;
    const Answers& m_answers;
    QString m_wanted;
};

} // namespace fw::ui
