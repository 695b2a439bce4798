// What is known of a kind of declarations (declarations.def). Who does something with declarations
// asks its row; what only one kind has is asked by Declares.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace fw {

enum class Declares : std::uint8_t {
#define FW_DECLARATION(keyword, Name, ...) Name,
#include "base/declarations.def"
};

// What a later declaration of the same keyword and name does to an earlier one.
enum class SameName : std::uint8_t {
    Adds,    // both count: blocks of implementations, growth rules, pins
    Hides,   // who names it means the later one: operators, patterns
    Replaces // the earlier one is not asked any more: rules, schedules, targets
};

// Where its matches are looked for.
enum class FitsIn : std::uint8_t { Nothing, Imported, Rewritten, Plan };

// How the formatter lays out its block.
enum class BlockLayout : std::uint8_t {
    None,
    Parts,   // as its tree says where they begin
    Words,   // a part begins with a word of a clause (words.def)
    Lines,   // likewise, each on a line of its own
    Clauses, // likewise, and what they hold begins in one column
    Rows,    // as its tree says, each on a line of its own, in columns
};

// What its attributes are computed of.
enum class Computes : std::uint8_t { Nothing, Terms, Expressions };

// What an editor's outline shows it as: numbers of the language server protocol.
enum class ShownAs : std::uint8_t {
    Module = 2,
    Package = 4,
    Class = 5,
    Method = 6,
    Interface = 11,
    Function = 12,
    Constant = 14,
};

struct DeclarationKind {
    Declares declares;
    std::string_view keyword, sentence;
    std::string_view noun = keyword; // of verdicts: "operator"
    SameName sameName = SameName::Adds;
    bool isUsed = false;       // others name it and cannot do without
    bool canBeTested = false;  // by a test that stands behind it
    bool isOfModel = false;    // the text of a model has it, which is no book by that
    bool isAskedByName = true; // else its name is that of something else, or of nothing
    FitsIn fits = FitsIn::Nothing;
    BlockLayout layout = BlockLayout::None;
    std::string_view words = keyword; // whose words it shares beside its own
    bool takesConditions = false;
    Computes computes = Computes::Nothing;
    ShownAs shownAs = ShownAs::Class;
};

std::span<const DeclarationKind> declarationKinds();
const DeclarationKind* findKind(std::string_view keywordOrNoun); // null: there is none
const DeclarationKind& kindOf(std::string_view keywordOrNoun);   // which there is
const DeclarationKind& kindOf(Declares declares);

inline bool isKind(std::string_view keywordOrNoun, Declares declares) {
    const DeclarationKind* kind = findKind(keywordOrNoun);
    return kind != nullptr && kind->declares == declares;
}

inline bool fits(std::string_view keywordOrNoun, FitsIn where) {
    const DeclarationKind* kind = findKind(keywordOrNoun);
    return kind != nullptr && kind->fits == where;
}

} // namespace fw
