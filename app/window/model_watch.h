// The file of the open model: another program may replace it. It is read again then, as a book is;
// while a task is at work people are asked first, since that would end it.
#pragma once

#include "app/window/document.h"
#include "app/window/file_watch.h"

namespace fw::ui {

class ModelWatch : public QObject {
    Q_OBJECT

public:
    explicit ModelWatch(Document& document, QObject* parent = nullptr); // lives longer

Q_SIGNALS:
    void said(const QString& text);
    void offered(const QString& text); // to read it again

private:
    void onDisk(const QString& path);

    Document& m_document;
    FileWatch m_watch;
};

} // namespace fw::ui
