// Colours the pieces of each line of a book by what they are.
#pragma once

#include "views/editor/book_text.h"

#include <QSyntaxHighlighter>

#include <array>

namespace fw::ui {

class BookHighlighter : public QSyntaxHighlighter {
    Q_OBJECT

public:
    explicit BookHighlighter(QTextDocument* document);

protected:
    void highlightBlock(const QString& text) override;

private:
    void readTheme();

    static constexpr std::size_t kinds = std::size_t(PieceKind::Wrong) + 1;
    std::array<QTextCharFormat, kinds> m_formats;
};

} // namespace fw::ui
