// The words of the language (words.def) with what is known of each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace fw {

struct LanguageWord {
    enum class Look : std::uint8_t { Word, Call, Name };

    std::string_view word, in; // in declarations of this keyword
    std::string_view sentence;
    Look look = Look::Name;
    bool begins = false;    // a clause, or a part of the block
    bool isAlone = false;   // nothing of that clause stands behind it
    bool opens = false;     // behind it a sign is unary, and a bracket opens no call
    bool holdsList = false; // in front of a block
    bool isOfStep = false;  // an argument of a step of a schedule, beside loops, stages and knobs
    int column = 0;         // in rows that are aligned, which begin with column 0
};

std::span<const LanguageWord> languageWords();

// Of a word in whatever declaration.
bool opensOperand(std::string_view word);
bool holdsList(std::string_view word);

// In declarations of that keyword, or of the one whose words they share; null: it is none there.
const LanguageWord* clauseWord(std::string_view word, std::string_view keyword);
int columnOf(std::string_view word, std::string_view keyword); // 0: it begins none

// What it says in declarations of that keyword; empty if it is none there.
std::string_view languageSentence(std::string_view word, std::string_view keyword);

} // namespace fw
