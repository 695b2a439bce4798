#include "app/window/shown_names.h"

#include <algorithm>

namespace fw::ui {

QStringList shownNames(const QStringList& paths) {
    const auto tail = [](const QString& path, qsizetype parts) {
        return path.section(u'/', -parts, -1, QString::SectionSkipEmpty);
    };
    QStringList out;
    for (const QString& path : paths) {
        qsizetype parts = 1;
        const auto alike = [&](const QString& other) {
            return other != path && tail(other, parts) == tail(path, parts);
        };
        while (parts < path.count(u'/') && std::any_of(paths.begin(), paths.end(), alike))
            ++parts;
        out << tail(path, parts);
    }
    return out;
}

} // namespace fw::ui
