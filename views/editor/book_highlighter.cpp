#include "views/editor/book_highlighter.h"

#include "views/common/theme.h"

namespace fw::ui {

BookHighlighter::BookHighlighter(QTextDocument* document) : QSyntaxHighlighter(document) {
    readTheme();
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        readTheme();
        rehighlight();
    });
}

void BookHighlighter::readTheme() {
    const auto set = [this](PieceKind kind, Colour colour) {
        QTextCharFormat format;
        format.setForeground(Theme::instance().colour(colour));
        m_formats[std::size_t(kind)] = format;
    };
    set(PieceKind::Comment, Colour::Muted);
    set(PieceKind::Text, Colour::Created);
    set(PieceKind::Number, Colour::OneDnn);
    set(PieceKind::Keyword, Colour::Accent);
    set(PieceKind::Word, Colour::Changed);
    set(PieceKind::Call, Colour::Generated);
    set(PieceKind::Name, Colour::Text);
    set(PieceKind::Sign, Colour::Muted);
    set(PieceKind::Bracket, Colour::Muted);
    set(PieceKind::Wrong, Colour::Failing);
    m_formats[std::size_t(PieceKind::Comment)].setFontItalic(true);
    m_formats[std::size_t(PieceKind::Keyword)].setFontWeight(QFont::Bold);
}

void BookHighlighter::highlightBlock(const QString& text) {
    for (const Piece& piece : piecesOf(text))
        if (piece.kind != PieceKind::Name)
            setFormat(piece.begin, piece.length, m_formats[std::size_t(piece.kind)]);
}

} // namespace fw::ui
