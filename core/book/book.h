// Rule books: the shipped ones and the user's, read together.
//
// A file may hold operators, patterns, chains, rules, built-in rewrites, composites, fusion and
// growth rules, pins and implementations, in any order. All errors of a file come in one pass; what
// is valid stays usable. Names of later books shadow those of earlier ones. A user's book with the
// file name of a shipped one (strategy.fw, fusion.fw, simplify.fw) takes its place, so a copy can
// be edited.
#pragma once

#include "fusion/policy.h"
#include "rewrite/driver.h"
#include "strategy/selection.h"

namespace fw {

// The declarations of one book that are valid.
struct ReadBook {
    std::string file;
    std::vector<DeclarationPtr> declarations;
};

struct Books {
    RuleBook rules; // the user's first
    StrategyBook strategy;
    FusionBook fusion;
    std::shared_ptr<const OperatorSet> operators;
    std::vector<ReadBook> read; // in order: the shipped ones, or what takes their place, first
    std::string operatorText;   // the declarations of operators that the books add, as written
    Diags diagnostics;          // errors of declarations that were left out, warnings of shadowing
};

// Refused only if a file cannot be read. Errors inside are in `diagnostics`, with the declarations
// that have them left out.
Result<Books> loadBooks(const std::vector<std::string>& files);
struct BookText {
    std::string file;
    std::string text;
};
constexpr std::size_t largestBook = 4u << 20; // bytes: a hundred thousand lines
Books readBooks(const std::vector<BookText>& texts);

// What is shipped: the books in the order in which they are read, then the operator library, whose
// place no book takes.
struct ShippedText {
    std::string file; // "fusion.fw"
    std::string_view text;
    bool library = false;
};
std::vector<ShippedText> shippedTexts();
bool isShippedBook(const std::string& file); // by its file name, in whatever folder

// Every declaration with its verdict, whether valid or not. What the books beside it declare is
// known to it.
struct BookChecked {
    CheckedBook checked;
    Books books; // all that were read
};
Result<BookChecked> checkBook(const BookText& book, const std::vector<BookText>& beside);
Result<CheckedBook> checkBookText(std::string_view text, const std::string& file);

} // namespace fw
