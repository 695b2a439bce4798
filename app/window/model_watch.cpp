#include "app/window/model_watch.h"

#include <QFileInfo>

namespace fw::ui {

using namespace Qt::StringLiterals;

ModelWatch::ModelWatch(Document& document, QObject* parent)
    : QObject(parent), m_document(document) {
    connect(&m_document, &Document::modelChanged, this,
            [this] { m_watch.setPaths({m_document.path()}); });
    connect(&m_watch, &FileWatch::changed, this, &ModelWatch::onDisk);
}

void ModelWatch::onDisk(const QString& path) {
    if (!m_document.isOpen() || path != m_document.path())
        return;
    const QString name = QFileInfo(path).fileName();
    if (!QFileInfo::exists(path))
        return Q_EMIT said(u"%1 is gone from the disk; what was read stays"_s.arg(name));
    if (m_document.tasks().running())
        return Q_EMIT offered(u"%1 has changed on disk. What is shown, and measured, is the file "
                              "as it was."_s.arg(name));
    Q_EMIT said(u"%1 has changed on disk and is read again"_s.arg(name));
    m_document.reload();
}

} // namespace fw::ui
