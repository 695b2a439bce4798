#include "app/window/layouts.h"

#include "app/window/kept_widths.h"

#include <QDataStream>
#include <QGuiApplication>
#include <QIODevice>
#include <QMainWindow>
#include <QScreen>
#include <QSplitter>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

struct LayoutRow {
    QString title;
    DockLayout docks;
};

const std::vector<LayoutRow>& layoutRows() {
    static const std::vector<LayoutRow> rows = {
        {u"Look"_s, {}},
        {u"Write"_s,
         {.docks = {u"explain"_s, u"implementationsDock"_s}, .right = 340, .text = 5, .graphs = 3}},
        {u"Profile"_s,
         {.docks = {u"explain"_s, u"implementationsDock"_s, u"opTimesDock"_s, u"changesDock"_s,
                    u"stages"_s},
          .right = 380,
          .below = 340}},
        {u"Compare"_s,
         {.docks = {u"explain"_s, u"changesDock"_s, u"steps"_s},
          .right = 320,
          .below = 240,
          .text = 3,
          .graphs = 5}},
    };
    return rows;
}

// Larger than its screen it would have parts that nobody can reach.
void fitToScreen(QMainWindow& window) {
    if (!window.isVisible() || window.isMaximized() || window.isFullScreen() || !window.screen() ||
        QGuiApplication::platformName() == u"offscreen"_s) // nobody sees that one
        return;
    const QRect room = window.screen()->availableGeometry();
    const QRect frame = window.frameGeometry();
    window.resize(window.size().boundedTo(room.size() - (frame.size() - window.size())));
    const QPoint last(std::max(room.left(), room.right() + 1 - frame.width()),
                      std::max(room.top(), room.bottom() + 1 - frame.height()));
    window.move(std::clamp(frame.left(), room.left(), last.x()),
                std::clamp(frame.top(), room.top(), last.y()));
}

} // namespace

Layouts::Layouts(QMainWindow& window, ViewDocks& views, Settings& settings, Memory memory,
                 int version)
    : QObject(&window), m_window(window), m_views(views), m_settings(settings), m_memory(memory),
      m_version(version), m_current(layoutRows().front().title) {
    if (m_memory == Memory::Forget)
        return;
    m_own = m_settings.ownLayouts().mid(0, mostOwn);
    for (const Named& one : all())
        if (const QByteArray left = m_settings.layout(version, one.title); !left.isEmpty())
            m_left[one.title] = left;
    const QString last = m_settings.currentLayout();
    const auto known = all();
    if (std::any_of(known.begin(), known.end(),
                    [&](const Named& one) { return one.title == last; }))
        m_current = last;
}

std::vector<Layouts::Named> Layouts::all() const {
    std::vector<Named> out;
    const auto keys = [&] { return u"Alt+Shift+F%1"_s.arg(out.size() + 1); };
    for (const LayoutRow& row : layoutRows())
        out.push_back({row.title, keys()});
    for (const QString& title : m_own)
        out.push_back({title, keys(), true});
    return out;
}

QByteArray Layouts::state() const {
    QByteArray out;
    QDataStream stream(&out, QIODevice::WriteOnly);
    stream << m_window.saveState(m_version) << m_views.middle()->saveState();
    return out;
}

bool Layouts::restore(const QByteArray& state) {
    QByteArray docks, middle;
    QDataStream stream(state);
    stream >> docks >> middle;
    if (stream.status() != QDataStream::Ok || !m_window.restoreState(docks, m_version))
        return false;
    m_views.middle()->restoreState(middle);
    m_views.restored();
    return true;
}

void Layouts::begin() {
    const bool remembers = m_memory == Memory::Remember;
    if (remembers)
        m_window.restoreGeometry(m_settings.geometry());
    reset();
    if (!remembers)
        return;
    if (m_window.restoreState(m_settings.state(), m_version))
        m_views.restored();
    restoreWidths(m_window, m_settings, m_version);
    for (const ViewDocks::Shown& shown : m_views)
        shown.view->switchTo(m_settings.switched(shown.row.name));
}

void Layouts::end() {
    if (m_memory == Memory::Forget)
        return;
    m_settings.setLayout(m_window.saveGeometry(), m_window.saveState(m_version));
    keep();
    saveWidths(m_window, m_settings, m_version);
    for (const ViewDocks::Shown& shown : m_views)
        if (const QString what = shown.view->switched(); !what.isEmpty())
            m_settings.setSwitched(shown.row.name, what);
}

void Layouts::keep() {
    m_left[m_current] = state();
    if (m_memory == Memory::Forget)
        return;
    m_settings.setLayout(m_version, m_current, m_left[m_current]);
    m_settings.setCurrentLayout(m_current);
}

void Layouts::choose(const QString& title) {
    keep();
    m_current = title;
    if (const auto left = m_left.find(title); left == m_left.end() || !restore(left->second))
        reset();
    if (m_memory == Memory::Remember)
        m_settings.setCurrentLayout(m_current);
    Q_EMIT changed();
    Q_EMIT said(u"layout: %1 (Ctrl+Alt+R puts it back as it was at first)"_s.arg(title));
}

void Layouts::saveAs(const QString& title) {
    const auto known = all();
    const auto same = std::find_if(known.begin(), known.end(),
                                   [&](const Named& one) { return one.title == title; });
    if (title.isEmpty() || (same != known.end() && !same->isOwn))
        return Q_EMIT said(u"a layout of one's own has a name of its own"_s);
    if (same == known.end()) {
        if (std::size_t(m_own.size()) == mostOwn)
            m_own.removeFirst(); // as many as there are keys
        m_own << title;
    }
    m_current = title;
    if (m_memory == Memory::Remember)
        m_settings.setOwnLayouts(m_own);
    keep();
    Q_EMIT changed();
}

// One of people's own has no first state: that to look is a good one.
void Layouts::reset() {
    const auto row = std::find_if(layoutRows().begin(), layoutRows().end(),
                                  [&](const LayoutRow& one) { return one.title == m_current; });
    const QSize before = m_window.size();
    m_views.layOut(row == layoutRows().end() ? DockLayout() : row->docks);
    if (m_window.isVisible() && m_window.size() != before)
        m_window.resize(before); // docks that were larger had widened it
    fitToScreen(m_window);
}

} // namespace fw::ui
