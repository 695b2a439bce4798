#include "app/window/declared_libraries.h"

#include "base/declaration_kind.h"
#include "snapshot/inputs.h"

#include <algorithm>

namespace fw::ui {

const snapshot::LibraryRecord* DeclaredLibraries::named(const QString& name) const {
    if (m_parts.doctor())
        for (const auto& library : m_parts.doctor()->libraries)
            if (!library.path.empty() && library.name == name.toStdString())
                return &library;
    return nullptr;
}

std::vector<std::string> DeclaredLibraries::found() const {
    if (!m_parts.inputs().libraries && snapshot::namesDeclaredTarget(m_parts.inputs().target) &&
        m_parts.plan())
        if (auto said = snapshot::splitTarget(m_parts.plan()->target).libraries)
            return *said;
    std::vector<std::string> out;
    if (m_parts.doctor())
        for (const auto& library : m_parts.doctor()->libraries)
            if (library.status == "ready")
                out.push_back(library.name);
    return out;
}

void DeclaredLibraries::agree(const QStringList& contents) {
    m_agreed.clear();
    for (const QString& content : contents)
        m_agreed.push_back(content.toStdString());
}

bool DeclaredLibraries::isAgreed(const snapshot::LibraryRecord& library) const {
    return std::find(m_agreed.begin(), m_agreed.end(), library.content) != m_agreed.end();
}

bool DeclaredLibraries::follow() {
    const auto isLibrary = [](const auto& item) { return isKind(item.kind, Declares::Library); };
    bool declares = false;
    for (const auto& [book, check] : m_parts.checks())
        declares =
            declares || (check && std::any_of(check->items.begin(), check->items.end(), isLibrary));
    return std::exchange(m_declared, declares) || declares;
}

} // namespace fw::ui
