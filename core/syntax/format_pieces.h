// Tokens and comments of a text with what their layout depends on: brackets, blocks, the parts of
// blocks, and which marks stand close to their neighbours. Private to the formatter.
#pragma once

#include "base/declaration_kind.h"
#include "syntax/parser.h"

namespace fw {

struct Piece {
    std::string_view text; // as written
    TokenKind kind = TokenKind::Name;
    bool comment = false;
    int breaks = 0; // line breaks before it, as written

    int open = -1;  // the bracket around it
    int match = -1; // of a bracket: the other one
    int depth = 0;  // how many brackets are around it
    int part = -1;  // the declaration or part of a block to which it belongs: its first piece
    int head = -1;  // of what stands before a block: the word whose content it is
    bool declaration = false; // the first piece of one
    bool partStart = false;   // the first piece of a part of a block
    int column = 0;           // that begins with it, in rows that are aligned
    bool word = false;        // of a clause: `match`, whose content is aligned
    bool block = false;       // a brace of a block
    bool apart = false;       // a bracket of an operator in place of a name: blanks as in a block
    bool closeLeft = false;   // no blank before it
    bool closeRight = false;  // no blank behind it
    bool reduction = false;   // the bracket of sum(k in K : ...)
    bool infix = false;       // stands between two operands

    bool is(std::string_view mark) const {
        return !comment && kind != TokenKind::Text && text == mark;
    }
};

struct PieceList {
    std::vector<Piece> pieces;
    // Whose block a brace opens: of a graph in a test that of a graph. Beside `pieces`.
    std::vector<const DeclarationKind*> kinds;

    // The next one in this direction that is no comment; -1 if there is none.
    int neighbour(int piece, int step) const;
};

// `file` is the tree of `text`, without errors.
PieceList piecesOf(std::string_view text, const FileTree& file);

} // namespace fw
