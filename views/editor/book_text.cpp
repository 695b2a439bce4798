#include "views/editor/book_text.h"

#include "base/declaration_kind.h"
#include "base/language_words.h"

#include <QSet>

#include <algorithm>

namespace fw::ui {

namespace {

constexpr int indentOfBlock = 2;

// Of those that clauses begin or hold; names everywhere else.
bool isWord(QStringView word) {
    static const QSet<QString> words = [] {
        QSet<QString> out;
        for (const LanguageWord& known : languageWords())
            if (known.look == LanguageWord::Look::Word)
                out << QString::fromLatin1(known.word.data(), qsizetype(known.word.size()));
        return out;
    }();
    return words.contains(word.toString());
}

bool isLetter(QChar c) {
    return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z') || c == u'_';
}

bool isDigit(QChar c) {
    return c >= u'0' && c <= u'9';
}

class LineLexer {
public:
    explicit LineLexer(QStringView line) : m_line(line.left(lineLimit)) {}

    std::vector<Piece> run() {
        while (m_at < m_line.size()) {
            const QChar c = at();
            const qsizetype begin = m_at;
            if (c.isSpace()) {
                ++m_at;
                continue;
            }
            const PieceKind kind = next(c);
            m_pieces.push_back({int(begin), int(m_at - begin), kind});
        }
        return std::move(m_pieces);
    }

private:
    QChar at(qsizetype ahead = 0) const {
        return m_at + ahead < m_line.size() ? m_line[m_at + ahead] : QChar();
    }
    void digits() {
        while (isDigit(at()))
            ++m_at;
    }

    PieceKind next(QChar c) {
        if (c == u'#') {
            m_at = m_line.size();
            return PieceKind::Comment;
        }
        if (c == u'"')
            return quoted();
        if (isDigit(c))
            return number();
        if (isLetter(c))
            return name();
        ++m_at;
        if (QStringView(u"()[]{}").contains(c))
            return PieceKind::Bracket;
        return QStringView(u",:;.=<>+-*/%?@^|&!$~").contains(c) ? PieceKind::Sign
                                                                : PieceKind::Wrong;
    }

    PieceKind quoted() {
        ++m_at;
        while (m_at < m_line.size() && at() != u'"')
            m_at += at() == u'\\' && m_at + 1 < m_line.size() ? 2 : 1;
        if (m_at >= m_line.size())
            return m_line.size() < lineLimit ? PieceKind::Wrong : PieceKind::Text;
        ++m_at;
        return PieceKind::Text;
    }

    PieceKind number() {
        digits();
        if (at() == u'.' && isDigit(at(1))) {
            ++m_at;
            digits();
        }
        const qsizetype sign = at(1) == u'+' || at(1) == u'-' ? 1 : 0;
        if ((at() == u'e' || at() == u'E') && isDigit(at(1 + sign))) {
            m_at += 1 + sign;
            digits();
        }
        return PieceKind::Number;
    }

    PieceKind name() {
        const qsizetype begin = m_at;
        do
            ++m_at;
        while (isLetter(at()) || isDigit(at()) || (at() == u'.' && isLetter(at(1))));
        const QStringView word = m_line.mid(begin, m_at - begin);
        if (m_pieces.empty() && isDeclarationKeyword(word))
            return PieceKind::Keyword;
        // `expect becomes graph` is the one declaration inside a line.
        static const QLatin1StringView graph(kindOf(Declares::Graph).keyword);
        if (word == graph)
            return PieceKind::Word;
        if (word == u"true" || word == u"false")
            return PieceKind::Number;
        if (at() == u'(' && !isWord(word))
            return PieceKind::Call;
        return isWord(word) && at() != u'=' ? PieceKind::Word : PieceKind::Name;
    }

    QStringView m_line;
    qsizetype m_at = 0;
    std::vector<Piece> m_pieces;
};

} // namespace

std::vector<Piece> piecesOf(QStringView line) {
    return LineLexer(line).run();
}

bool isDeclarationKeyword(QStringView word) {
    const DeclarationKind* kind = findKind(word.toUtf8().toStdString());
    return kind != nullptr && kind->keyword.size() == std::size_t(word.size());
}

std::optional<DeclarationLine> declarationOf(QStringView line, int number, Indent allowed) {
    const QStringView start = (allowed == Indent::Any ? line.trimmed() : line).left(400);
    const std::vector<Piece> pieces = piecesOf(start);
    if (pieces.empty() || pieces[0].kind != PieceKind::Keyword || pieces[0].begin > 0)
        return {};
    const auto textOf = [&](const Piece& piece) { return start.mid(piece.begin, piece.length); };
    DeclarationLine out{number, textOf(pieces[0]).toString(), {}};
    if (isKind(out.keyword.toStdString(), Declares::Grow)) {
        out.name = start.mid(pieces[0].length).trimmed().toString();
    } else if (pieces.size() > 1 && pieces[1].kind == PieceKind::Text) {
        out.name = textOf(pieces[1]).mid(1, pieces[1].length - 2).toString();
    } else if (pieces.size() > 2 && textOf(pieces[1]) == u"kind") {
        out.name = start.mid(pieces[1].begin, pieces[2].begin + pieces[2].length - pieces[1].begin)
                       .toString();
    } else if (pieces.size() > 1 && pieces[1].kind != PieceKind::Bracket) {
        out.name = textOf(pieces[1]).toString();
    }
    return out;
}

int openBehind(QStringView line, int before) {
    int open = before;
    for (const Piece& piece : piecesOf(line)) {
        if (piece.kind != PieceKind::Bracket)
            continue;
        const bool opens = QStringView(u"([{").contains(line[piece.begin]);
        open = opens ? open + 1 : std::max(0, open - 1);
    }
    return open;
}

int columnOf(QStringView line, int position) {
    int column = 1;
    for (int i = 0; i < std::min(position, int(line.size())); ++i)
        column += !line[i].isLowSurrogate();
    return column;
}

int positionOf(QStringView line, int column) {
    int position = 0;
    while (position < line.size() && (column > 1 || line[position].isLowSurrogate()))
        column -= !line[position++].isLowSurrogate();
    return position;
}

int indentAfter(QStringView line) {
    int indent = 0;
    while (indent < line.size() && indent < 200 && line[indent] == u' ')
        ++indent;
    return openBehind(line, 0) > 0 ? indent + indentOfBlock : indent;
}

QString withoutComments(const QString& text) {
    QString out;
    out.reserve(text.size());
    const auto endLine = [&] {
        while (!out.isEmpty() && (out.back() == u' ' || out.back() == u'\t' || out.back() == u'\r'))
            out.chop(1);
    };
    bool quoted = false;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        if (c == u'\n') {
            quoted = false;
            endLine();
        } else if (quoted && c == u'\\' && i + 1 < text.size() && text[i + 1] != u'\n') {
            out += c;
            out += text[++i];
            continue;
        } else if (c == u'"') {
            quoted = !quoted;
        } else if (c == u'#' && !quoted) {
            const qsizetype end = text.indexOf(u'\n', i);
            i = (end < 0 ? text.size() : end) - 1;
            continue;
        }
        out += c;
    }
    endLine();
    while (out.endsWith(u'\n'))
        out.chop(1);
    return out;
}

} // namespace fw::ui
