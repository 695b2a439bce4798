#pragma once

#include <QString>

namespace fw::test {

inline const QString sourceRoot = QStringLiteral(FW_SOURCE_DIR);

} // namespace fw::test
