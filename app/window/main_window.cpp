#include "app/window/main_window.h"

#include "app/window/library_boxes.h"
#include "app/window/message_bar.h"
#include "views/common/fitted_columns.h"
#include "views/common/theme.h"

#include <QCloseEvent>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QMimeData>
#include <QSplitter>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

MainWindow::MainWindow(const QString& workerProgram, Memory memory, const ViewRows& rows)
    : m_memory(memory), m_rows(rows), m_worker(workerProgram), m_document(m_worker) {
    setObjectName(u"mainWindow"_s);
    setWindowTitle(u"Fusewright"_s);
    setAcceptDrops(true);
    setDockOptions(AllowNestedDocks | AllowTabbedDocks | GroupedDragging);
    setDocumentMode(true);
    resize(1440, 900);
    applyTheme(memory == Memory::Remember ? m_settings.theme() : ThemeChoice::System);

    m_details.setSingleShot(true);
    m_details.setInterval(120);
    m_idleCheck.setSingleShot(true);
    m_idleCheck.setInterval(0);
    connect(&m_idleCheck, &QTimer::timeout, this, &MainWindow::checkIdle);

    buildCentre();
    buildViews();
    buildActions();
    buildToolBar();
    buildStatusBar();
    connectDocument();
    defaultLayout();
    if (memory == Memory::Remember) {
        restoreGeometry(m_settings.geometry());
        restoreState(m_settings.state(), layoutVersion(m_rows));
        forEachWidth([this](const QString& name, auto* widget) {
            widget->restoreState(m_settings.widths(name));
        });
        fillRecent();
        m_document.setAgreed(m_agreed = m_settings.agreed());
    }
    const QString remembered = memory == Memory::Remember ? m_settings.target() : QString();
    setTargetText(remembered.isEmpty() ? m_target->itemText(0) : remembered);
    documentChanged(Parts::all());
    if (memory == Memory::Remember && !m_settings.problem().isEmpty())
        (m_offer->text().isEmpty() ? m_offer : m_message)->tell(m_settings.problem());
}

MainWindow::~MainWindow() {
    // Views hear nothing while they are destroyed.
    m_document.disconnect(this);
    m_worker.disconnect(this);
    m_worker.disconnect(&m_document);
}

bool MainWindow::idle() const {
    return m_document.idle() && !m_details.isActive() &&
           std::all_of(m_views.begin(), m_views.end(),
                       [](const ShownView& shown) { return shown.view->settled(); });
}

void MainWindow::checkIdle() {
    // Told again when nothing changed: what was pending may have come and gone between two checks.
    const bool now = idle();
    if (std::exchange(m_wasIdle, now) != now || now)
        Q_EMIT idleChanged();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls[0].isLocalFile())
        event->acceptProposedAction();
}

void MainWindow::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::BackButton)
        m_selection.go(-1);
    else if (event->button() == Qt::ForwardButton)
        m_selection.go(+1);
    else
        QMainWindow::mousePressEvent(event);
}

void MainWindow::dropEvent(QDropEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls[0].isLocalFile()) {
        event->acceptProposedAction();
        openModel(urls[0].toLocalFile());
    }
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        QMetaObject::invokeMethod(&Theme::instance(), &Theme::followFont, Qt::QueuedConnection);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    const bool may = std::all_of(m_views.begin(), m_views.end(),
                                 [](const ShownView& shown) { return shown.view->mayClose(); });
    if (!may || !mayDiscard()) {
        event->ignore();
        return;
    }
    for (const ShownView& shown : m_views)
        shown.view->closing();
    showHiddenDocks();
    if (m_memory == Memory::Remember)
        m_settings.setLayout(saveGeometry(), saveState(layoutVersion(m_rows)));
    if (m_memory == Memory::Remember)
        forEachWidth([this](const QString& name, auto* widget) {
            m_settings.setWidths(name, widget->saveState());
        });
    event->accept();
}

// Of every splitter and every table that has a name; with other columns it is another table. What
// was set by hand comes last.
template <class Do>
void MainWindow::forEachWidth(Do act) {
    const QString version = QString::number(layoutVersion(m_rows)) + u'/';
    for (QSplitter* splitter : findChildren<QSplitter*>())
        if (!splitter->objectName().isEmpty())
            act(version + splitter->objectName(), splitter);
    for (QHeaderView* header : findChildren<QHeaderView*>())
        if (header->orientation() == Qt::Horizontal && header->count() > 0 &&
            !header->parentWidget()->objectName().isEmpty())
            act(version + header->parentWidget()->objectName() + u'/' +
                    QString::number(header->count()),
                header);
    for (FittedColumns* columns : findChildren<FittedColumns*>())
        if (const QObject* table = columns->parent()->parent(); !table->objectName().isEmpty())
            act(version + table->objectName() + u"/set"_s, columns);
}

} // namespace fw::ui
