// Rule books: the shipped ones and the user's, read together, once, for every command.
//
// A file may hold declarations of every kind (declarations.h), in any order. All errors of a file
// come in one pass; what is valid stays usable. Names of later books go before those of earlier
// ones, with a notice. A user's book with the file name of a shipped one (strategy.fw, fusion.fw,
// simplify.fw) takes its place, so a copy can be edited.
#pragma once

#include "fusion/policy.h"
#include "rewrite/book_test.h"
#include "rewrite/driver.h"
#include "strategy/selection.h"
#include "strategy/targets.h"
#include "strategy/user_libraries.h"
#include "syntax/declarations.h"

namespace fw {

// One book: what it declares, each with its verdict.
struct ReadBook {
    std::string file;
    BookOrigin origin = BookOrigin::User;
    std::vector<DeclarationPtr> declarations; // the valid ones, which are used
    std::vector<DeclarationPtr> written;      // all that could be parsed
    std::vector<CheckedItem> items;           // beside `written`; tests are not run
    std::vector<BrokenDeclaration> broken;    // what the grammar refuses
    Diags errors;                             // of the grammar
    Diags remarks;                            // older spellings; told by a check
    std::vector<MissingMark> missing;         // beside `errors`

    // Those of a kind, with their places in `written`.
    template <class T>
    struct Written {
        std::size_t item;
        std::shared_ptr<const T> tree;
    };
    template <class T>
    std::vector<Written<T>> each() const {
        std::vector<Written<T>> out;
        for (std::size_t i = 0; i < written.size(); ++i)
            if (auto tree = declarationAs<T>(written[i]))
                out.push_back({i, std::move(tree)});
        return out;
    }
    bool stands(std::size_t item) const { return items[item].verdict == "ok"; }
    void refuse(std::size_t item, Diag diag);
};

struct Books {
    RuleBook rules; // the user's first
    StrategyBook strategy;
    FusionBook fusion;
    PatternTable patterns; // all that are valid; `read` owns them
    TargetTable targets;
    std::vector<DeclaredLibrary> libraries; // of the user; one per name
    std::shared_ptr<const OperatorSet> operators;
    std::vector<ReadBook> read; // in order: the shipped ones, or what takes their place, first
    std::string operatorText;   // the declarations of operators that the books add, as written
    Diags ofWholeBooks;         // what is about no one declaration
    // All that is to be told: errors of declarations that were left out, notices.
    Diags diagnostics;
};

// For parseTarget.
DeclaredTargets declaredTargets(const Books& books);

// Refused only if a file cannot be read.
Result<Books> loadBooks(const std::vector<std::string>& files);
struct BookText {
    std::string file;
    std::string text;
    Diags problems = {}; // of what it includes (include.h)
};
constexpr std::size_t largestBook = 4u << 20; // bytes: a hundred thousand lines
Books readBooks(const std::vector<BookText>& texts);

// What is shipped: the books in the order in which they are read, those that are read only where
// they are named, then the operator library, whose place no book takes.
struct ShippedText {
    std::string file; // "fusion.fw"
    std::string_view text;
    bool library = false;
};
std::vector<ShippedText> shippedTexts();
bool isShippedBook(const std::string& file); // by its file name, in whatever folder

// What is said of one book that was read.
struct CheckedBook {
    std::vector<CheckedItem> items;
    Diags diagnostics; // first the errors of the grammar
    std::vector<MissingMark> missing;
};

// Its verdicts, and those of its tests, which are run. Nothing if it was not read.
std::optional<CheckedBook> checkBook(const Books& books, const std::string& file);
// Errors in the books that a book includes, and in those that they include.
Diags errorsOfIncluded(const Books& books, const std::string& file);
CheckedBook checkBookText(std::string_view text, const std::string& file); // alone

} // namespace fw
