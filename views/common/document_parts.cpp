#include "views/common/document_parts.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

template <class T>
bool isKept(const Shared<T>& kept) {
    return kept != nullptr;
}
template <class T>
bool isKept(const T& kept) {
    if constexpr (requires { kept.empty(); })
        return !kept.empty();
    return true;
}

} // namespace

bool DocumentParts::has(Part part) const {
    switch (part) {
#define FW_PART(part, getter, kept, life, wanted)                                                  \
    case Part::part:                                                                               \
        return isKept(m_kept.getter);
        FW_DOCUMENT_PARTS(FW_PART)
#undef FW_PART
    }
    return false;
}

void DocumentParts::forget(Part part) {
    stateOf(part) = {};
    switch (part) {
#define FW_PART(part, getter, kept, life, wanted)                                                  \
    case Part::part:                                                                               \
        m_kept.getter = {};                                                                        \
        break;
        FW_DOCUMENT_PARTS(FW_PART)
#undef FW_PART
    }
}

QString DocumentParts::fileName() const {
    return modelName(m_savedPath.isEmpty() ? QString::fromStdString(m_kept.inputs.model)
                                           : m_savedPath);
}

bool DocumentParts::takesPart(const std::string& book) const {
    const auto books = m_kept.inputs.enabledBooks();
    return isOpen() && std::find(books.begin(), books.end(), book) != books.end();
}

QString DocumentParts::staleReason() const {
    for (const std::string& path : m_kept.brokenTexts)
        if (takesPart(path))
            return u"%1 has errors; this is older."_s.arg(
                QFileInfo(QString::fromStdString(path)).fileName());
    return u"This belongs to an earlier target or plan."_s;
}

const snapshot::NodeRecord* nodeOf(const snapshot::GraphDocument* graph, snapshot::NodeId id) {
    if (graph)
        for (const auto& node : graph->nodes)
            if (node.id == id)
                return &node;
    return nullptr;
}

Shared<snapshot::TimesComparison> comparedTimes(const DocumentParts& document) {
    const auto& against = document.against();
    return against && document.state(Part::Profile) == State::Ready && isComparable(*against)
               ? against
               : nullptr;
}

const TextMatches* DocumentParts::textMatchesOf(const QString& path) const {
    const auto found = m_kept.textMatches.find(path.toStdString());
    return found == m_kept.textMatches.end() ? nullptr : &found->second;
}

} // namespace fw::ui
