// What an editor knows of the text of a book without the engine: the pieces of a line that have a
// colour, where declarations begin, which brackets belong together, and columns.
//
// Everything looks at a bounded part of a text, whatever its lines hold.
#pragma once

#include <QString>
#include <QStringList>

#include <optional>
#include <utility>
#include <vector>

namespace fw::ui {

enum class PieceKind : std::uint8_t {
    Comment,
    Text,    // in quotes
    Number,  // with its fraction and exponent
    Keyword, // begins a declaration
    Word,    // of a clause: match, where, priority, ...
    Call,    // a name before `(`
    Name,    // any other
    Sign,    // >> -> | ? * ^ and the like
    Bracket, // one of ()[]{}
    Wrong,   // starts nothing
};

struct Piece {
    int begin = 0; // in the line
    int length = 0;
    PieceKind kind = PieceKind::Name;

    bool operator==(const Piece&) const = default;
};

// Nothing behind this place of a line is looked at.
constexpr int lineLimit = 20000;

// The pieces of one line; blanks belong to none. No piece goes over the end of a line.
std::vector<Piece> piecesOf(QStringView line);

// A declaration by its first line: "rule" "fold_bias". Of `grow` the name is what follows.
struct DeclarationLine {
    int line = 0; // from 1
    QString keyword, name;

    bool operator==(const DeclarationLine&) const = default;
};
// Indented it may be where no bracket is open: inside of one the same words are clauses.
enum class Indent : std::uint8_t { None, Any };
std::optional<DeclarationLine> declarationOf(QStringView line, int number,
                                             Indent allowed = Indent::None);

// How many brackets are open behind the line, with so many before it.
int openBehind(QStringView line, int before);

bool isDeclarationKeyword(QStringView word);

// The text without comments and without blanks at the ends of lines: what remains says the same at
// the same places.
QString withoutComments(const QString& text);

// Places count the characters (code points) of a line from 1, as diagnostics do; a text box counts
// UTF-16 units from 0. Outside of the line is its end.
int columnOf(QStringView line, int position);
int positionOf(QStringView line, int column);

// How far a new line after this one is indented, in blanks: one step more behind an open bracket.
int indentAfter(QStringView line);

} // namespace fw::ui
