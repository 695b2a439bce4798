#include "base/language_words.h"

#include "base/declaration_kind.h"

#include <algorithm>
#include <set>

namespace fw {

namespace {

using Words = std::set<std::string_view>;

Words wordsThat(bool LanguageWord::*fits) {
    Words out;
    for (const LanguageWord& known : languageWords())
        if (known.*fits)
            out.insert(known.word);
    return out;
}

const LanguageWord* findWord(std::string_view word, std::string_view in) {
    const auto words = languageWords();
    const auto found = std::find_if(words.begin(), words.end(), [&](const LanguageWord& known) {
        return known.word == word && known.in == in;
    });
    return found == words.end() ? nullptr : &*found;
}

} // namespace

std::span<const LanguageWord> languageWords() {
    using enum LanguageWord::Look;
    static constexpr LanguageWord words[] = {
#define FW_WORD(word_, keyword, sentence_, ...)                                                    \
    {.word = #word_, .in = #keyword, .sentence = sentence_, .look = Word, __VA_ARGS__},
#define FW_CALL(word, keyword, sentence) {#word, #keyword, sentence, Call},
#define FW_NAME(word_, keyword, sentence_, ...)                                                    \
    {.word = #word_, .in = #keyword, .sentence = sentence_, .look = Name, __VA_ARGS__},
#include "base/words.def"
    };
    return words;
}

bool opensOperand(std::string_view word) {
    static const Words words = wordsThat(&LanguageWord::opens);
    return words.contains(word);
}

bool holdsList(std::string_view word) {
    static const Words words = wordsThat(&LanguageWord::holdsList);
    return words.contains(word);
}

const LanguageWord* clauseWord(std::string_view word, std::string_view keyword) {
    static const Words clauses = wordsThat(&LanguageWord::begins);
    const DeclarationKind* kind = clauses.contains(word) ? findKind(keyword) : nullptr;
    if (kind == nullptr)
        return nullptr;
    for (const std::string_view in : {kind->keyword, kind->words})
        if (const LanguageWord* known = findWord(word, in); known != nullptr && known->begins)
            return known;
    return nullptr;
}

int columnOf(std::string_view word, std::string_view keyword) {
    const LanguageWord* known = findWord(word, keyword);
    return known == nullptr ? 0 : known->column;
}

std::string_view languageSentence(std::string_view word, std::string_view keyword) {
    const DeclarationKind* in = findKind(keyword);
    const std::string_view like = in == nullptr ? std::string_view() : in->words;
    if (const LanguageWord* known = findWord(word, keyword))
        return known->sentence;
    if (const LanguageWord* known = findWord(word, like))
        return known->sentence;
    if (const DeclarationKind* declares = findKind(word); declares && declares->keyword == word)
        return declares->sentence;
    const LanguageWord* kind = findWord(word, "kind"); // of operators, wherever one is named
    return kind == nullptr ? std::string_view() : kind->sentence;
}

} // namespace fw
