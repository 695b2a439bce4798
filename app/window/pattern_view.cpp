#include "app/window/pattern_view.h"

#include "app/window/clause_fields.h"
#include "picture/graph_diagram.h"
#include "views/common/state_overlay.h"
#include "views/graph/graph_pane.h"

#include <QPointer>
#include <QVBoxLayout>

#include <utility>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int caretPauseMs = 60; // behind the last move of the caret

picture::Diagram diagramOf(const snapshot::DrawingDocument& drawing) {
    picture::DiagramOptions options;
    options.attributeLine = [](const std::string&, const std::string& written) { return written; };
    picture::Diagram out = picture::diagramOf(drawing.graph, options);
    for (picture::Box& box : out.boxes)
        if (box.role == picture::BoxRole::Input)
            box.title = std::exchange(box.subtitle, {});
    return out;
}

bool holds(const snapshot::TextRange& range, int line, int column) {
    const auto at = std::pair(line, column);
    return std::pair(range.line, range.column) <= at &&
           at <= std::pair(range.endLine, range.endColumn);
}

} // namespace

PatternView::PatternView(Document& document, QWidget* parent)
    : View(parent), m_document(document), m_pane(new GraphPane(u"Pattern"_s, this)),
      m_clauses(new ClauseFields(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_pane, 1);
    layout->addWidget(m_clauses);
    m_pause.setSingleShot(true);
    m_pause.setInterval(caretPauseMs);
    connect(&m_pause, &QTimer::timeout, this, &PatternView::ask);
    connect(m_pane->canvas(), &GraphCanvas::activated, this, [this](std::int64_t id) { goTo(id); });
    connect(m_pane->canvas(), &GraphCanvas::selectionChanged, this,
            [this](const std::vector<std::int64_t>& ids) {
                if (ids.size() != 1)
                    return;
                goTo(ids.front());
                m_pane->canvas()->setFocus(); // a double click goes on into the text
            });
    connect(m_clauses, &ClauseFields::changed, this, [this](const snapshot::Fix& clause) {
        Q_EMIT asked(ChangeText{selection().place().book, clause});
    });
    connect(m_pane, &GraphPane::busyChanged, this, [this] {
        if (!m_pane->busy())
            m_pane->canvas()->fitReadable(m_current);
        Q_EMIT busyChanged();
    });
    m_pane->overlay()->setEmpty(u"No pattern"_s,
                                u"Put the caret into a rule, a pattern or a fusion rule."_s);
    addCommand(
        MenuPlace::Begin, u"Show the pattern as a &graph"_s, u"Ctrl+Alt+T"_s,
        [this] {
            Q_EMIT asked(Appear{});
            ask();
        },
        Needs::Nothing);
}

std::vector<QWidget*> PatternView::stops() {
    return {m_pane->canvas(), m_clauses};
}

void PatternView::goTo(std::int64_t box) {
    if (!m_drawing)
        return;
    for (const snapshot::DrawnNode& node : m_drawing->nodes)
        if (node.node == box && node.range.line > 0)
            return Q_EMIT asked(
                OpenPlace{selection().place().book, node.range.line, node.range.column});
}

bool PatternView::settled() const {
    return !m_waits && !m_pause.isActive() && !m_pane->busy();
}

void PatternView::documentChanged(Parts parts) {
    if (parts.hasAny({Part::Checks, Part::TextMatches}) && inFront())
        m_pause.start();
}

void PatternView::frontChanged() {
    if (inFront())
        m_pause.start();
}

// A dock that is just shown has its size a little later than its picture.
void PatternView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    QMetaObject::invokeMethod(
        this, [this] { m_pane->canvas()->fitReadable(m_current); }, Qt::QueuedConnection);
}

void PatternView::placeChanged() {
    if (!inFront())
        return;
    showHalos();
    m_pause.start();
}

void PatternView::ask() {
    const PickedPlace& place = selection().place();
    if (place.book.isEmpty())
        return show(nullptr);
    m_waits = true;
    m_document.books().askDrawing(place.book, place.line, place.column,
                                  [self = QPointer(this), asked = ++m_asked](
                                      const Shared<snapshot::DrawingDocument>& drawing) {
                                      if (!self || asked != self->m_asked)
                                          return;
                                      self->m_waits = false;
                                      self->show(drawing);
                                      Q_EMIT self->busyChanged();
                                  });
}

void PatternView::show(const Shared<snapshot::DrawingDocument>& drawing) {
    const bool same = drawing && m_drawing && drawing->graph == m_drawing->graph;
    m_drawing = drawing;
    if (!drawing || drawing->name.empty()) {
        // While a text is not right the last picture would be of something else.
        m_pane->clear();
        m_pane->setDetail({});
        m_clauses->show({});
        const bool wrong = drawing && !drawing->diagnostics.empty();
        m_pane->overlay()->setEmpty(
            u"No pattern"_s, wrong
                                 ? u"What stands here cannot be read: "_s +
                                       QString::fromStdString(drawing->diagnostics.front().message)
                                 : u"Put the caret into a rule, a pattern or a fusion rule."_s);
        return;
    }
    m_pane->overlay()->setReady();
    m_pane->setDetail(QString::fromStdString(drawing->kind + " " + drawing->name));
    if (!same)
        m_pane->setDiagram([drawing] { return diagramOf(*drawing); });
    showHalos();
}

void PatternView::showHalos() {
    if (!m_drawing)
        return;
    std::vector<Halo> halos;
    const PickedPlace& place = selection().place();
    const snapshot::DrawnNode* current = nullptr; // the innermost at the caret
    for (const snapshot::DrawnNode& node : m_drawing->nodes) {
        if (node.mark == "created")
            halos.push_back({{node.node}, Halo::Look::Created, u"+"_s});
        if (node.mark == "erased")
            halos.push_back({{node.node}, Halo::Look::Erased, u"−"_s});
        if (holds(node.range, place.line, place.column) &&
            (!current || node.range.line > current->range.line ||
             (node.range.line == current->range.line &&
              node.range.column >= current->range.column)))
            current = &node;
    }
    if (current)
        halos.push_back({{current->node}, Halo::Look::Current, {}});
    m_current = current ? current->node : -1;
    m_clauses->show(current ? current->clauses : std::vector<snapshot::Fix>());
    m_pane->canvas()->setHalos(std::move(halos));
    if (!m_pane->busy())
        m_pane->canvas()->reveal(m_current);
}

} // namespace fw::ui
