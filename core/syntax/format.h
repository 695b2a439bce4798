// The layout of `.fw` text: blanks, line breaks and indentation, and nothing else.
//
// Tokens and comments stay what they are, in their order, so a laid-out book means what it meant
// and is laid out once: the layout of a laid-out text is that text. Line breaks between the parts
// of a block, and inside an expression, are the author's; a block that has one is open, with its
// parts on lines of their own. Lines end at `formatWidth` characters where there is a place to
// break them.
#pragma once

#include "syntax/parser.h"

namespace fw {

constexpr int formatWidth = 110; // characters of a line

struct FormattedText {
    std::string text; // the given one if there are errors
    Diags errors;     // of the grammar: what cannot be read is left alone
};

FormattedText formatText(std::string_view text, const std::string& file);

// One declaration, laid out as in a file of its own, without a line break behind it.
std::string declarationText(const DeclarationTree& declaration);

} // namespace fw
