#include "app/window/bookmarks.h"

#include "views/common/text.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace fw::ui {

using namespace Qt::StringLiterals;

QString Bookmarks::Place::text() const {
    return node.isEmpty() ? u"%1:%2"_s.arg(QFileInfo(book).fileName()).arg(line) : node;
}

Bookmarks::Bookmarks(const DocumentParts& document, const Selection& selection,
                     std::function<bool()> inBooks, QObject* parent)
    : QObject(parent), m_document(document), m_selection(selection), m_inBooks(std::move(inBooks)) {
    connect(&selection, &Selection::changed, this, &Bookmarks::follow);
    connect(&selection, &Selection::placeChanged, this, &Bookmarks::follow);
}

Bookmarks::Place Bookmarks::here() const {
    const PickedPlace& place = m_selection.place();
    if (m_inBooks() && !place.book.isEmpty())
        return {{}, place.book, place.line, place.column};
    const Picked& picked = m_selection.picked();
    const auto* node = nodeOf(m_document.fused().get(), picked.fusedSubject);
    if (node == nullptr)
        node = nodeOf(m_document.imported().get(), picked.importedSubject);
    return node == nullptr ? Place()
                           : Place{fw::ui::text(node->name.empty() ? node->op : node->name)};
}

void Bookmarks::follow() {
    const Place now = here();
    if (!now.isNone() && now != m_now)
        left(std::exchange(m_now, now));
}

// Lines of a book that lie close together are one place.
void Bookmarks::left(const Place& place) {
    constexpr int close = 5;
    if (place.isNone())
        return;
    std::erase_if(m_left, [&](const Place& one) {
        return one.node == place.node && one.book == place.book &&
               (!place.node.isEmpty() || std::abs(one.line - place.line) < close);
    });
    m_left.insert(m_left.begin(), place);
    if (m_left.size() > snapshot::mostPlaces)
        m_left.pop_back();
}

void Bookmarks::use(int number) {
    Place& mark = m_marks[std::size_t(number - 1)];
    if (!mark.isNone())
        return Q_EMIT wanted(mark);
    const Place now = here();
    if (now.isNone())
        return Q_EMIT said(u"there is no place to mark: select an operator, or a line of a book"_s);
    this->mark(number, now);
    Q_EMIT said(u"bookmark %1 is %2 (Ctrl+B, %1 returns)"_s.arg(number).arg(now.text()));
}

void Bookmarks::mark(int number, const Place& place) {
    m_marks[std::size_t(number - 1)] = place;
    Q_EMIT changed();
}

namespace {

snapshot::KeptPlace keptOf(const Bookmarks::Place& place) {
    return {place.node.toStdString(), place.book.toStdString(), place.line, place.column};
}

Bookmarks::Place placeOf(const snapshot::KeptPlace& kept) {
    return {QString::fromStdString(kept.node), QString::fromStdString(kept.book), int(kept.line),
            int(kept.column)};
}

} // namespace

void Bookmarks::keep(snapshot::KeptView& kept) const {
    kept.bookmarks.clear();
    kept.places.clear();
    for (int number = 1; number <= count; ++number)
        if (!at(number).isNone())
            kept.bookmarks.push_back({number, keptOf(at(number))});
    for (const Place& place : m_left)
        kept.places.push_back(keptOf(place));
}

void Bookmarks::show(const snapshot::KeptView& kept) {
    m_marks = {};
    m_left.clear();
    m_now = {};
    for (const snapshot::KeptBookmark& one : kept.bookmarks)
        m_marks[std::size_t(one.number - 1)] = placeOf(one.place);
    for (const snapshot::KeptPlace& one : kept.places)
        m_left.push_back(placeOf(one));
}

bool Bookmarks::isGone(const Place& place) const {
    const std::string name = place.node.toStdString();
    const auto has = [&](const snapshot::GraphDocument* graph) {
        return graph == nullptr ||
               std::any_of(graph->nodes.begin(), graph->nodes.end(), [&](const auto& node) {
                   return (node.name.empty() ? node.op : node.name) == name;
               });
    };
    return !place.node.isEmpty() && !has(m_document.imported().get()) &&
           !has(m_document.fused().get());
}

std::vector<Choice> Bookmarks::choices() {
    std::vector<Choice> out;
    const auto offer = [&](const QString& text, const QString& what, const Place& place) {
        out.push_back({text, what, [this, place] { Q_EMIT wanted(place); }});
    };
    for (int number = 1; number <= count; ++number)
        if (!at(number).isNone())
            offer(u"%1  %2"_s.arg(number).arg(at(number).text()),
                  isGone(at(number)) ? u"bookmark: there is no such operator any more"_s
                                     : u"bookmark"_s,
                  at(number));
    for (const Place& place : m_left)
        offer(place.text(), place.node.isEmpty() ? u"book"_s : u"operator"_s, place);
    for (int number = 1; number <= count; ++number)
        if (!at(number).isNone())
            out.push_back({u"forget bookmark %1"_s.arg(number), u"bookmark"_s,
                           [this, number] { mark(number, {}); }});
    return out;
}

} // namespace fw::ui
