// Texts of records are UTF-8.
#pragma once

#include <QString>

#include <string>

namespace fw::ui {

inline QString text(const std::string& value) {
    return QString::fromStdString(value);
}

} // namespace fw::ui
