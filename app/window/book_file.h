// The file of a book as text: UTF-8 with the line ends it had. What is no UTF-8 is refused, because
// saving would change what nobody touched.
#pragma once

#include "base/result.h"

#include <QString>

namespace fw::ui {

struct BookFile {
    QString text; // lines end with \n
    bool carriageReturns = false;

    bool operator==(const BookFile&) const = default;
};

// Text in the language that has no graph which could be opened as a model.
bool isBookFile(const QString& path);
Result<BookFile> readBookFile(const QString& path);
// Whole or not at all; a link stays one.
Status writeBookFile(const QString& path, const BookFile& file);

// A name beside `folder`'s files that is free: "book-1.fw"; `taken` are paths that are open.
QString freeBookPath(const QString& folder, const QString& stem, const QStringList& taken);

} // namespace fw::ui
