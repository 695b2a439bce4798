#include "session/text_context.h"

#include "base/declaration_kind.h"
#include "base/language_words.h"
#include "condition/condition.h"
#include "expr/dtype.h"
#include "syntax/foreign_words.h"
#include "syntax/parser.h"
#include "syntax/schedule.h"

#include <algorithm>

namespace fw {

namespace {

using Words = std::vector<std::string>;

Words joined(Words words, const Words& others) {
    words.insert(words.end(), others.begin(), others.end());
    return words;
}

Words conditionWords() {
    Words out{"given"};
    for (const ConditionFunction& function : conditionFunctions())
        out.emplace_back(function.name);
    return out;
}

Words functionWords() { // of expressions
    Words out = {
#define FW_FUNCTION(name, method, text, ...) text,
#include "expr/functions.def"
    };
    for (const LanguageWord& known : languageWords())
        if (known.look == LanguageWord::Look::Call)
            out.emplace_back(known.word);
    return out;
}

bool isWordByte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

// The declaration that a token belongs to begins at the last word of the grammar that starts a line
// at or left of the one before it, as the parser recovers, or behind a closed declaration.
std::size_t declarationStart(const std::vector<Token>& tokens, std::size_t before) {
    std::size_t start = before;
    int column = 0, depth = 0;
    for (std::size_t i = 0; i < before; ++i) {
        const Token& token = tokens[i];
        const bool begins = token.kind == TokenKind::Name && fwGrammar().contains(token.text);
        const bool line = token.firstOnLine && (start == before || token.span.column <= column);
        const bool closed = depth == 0 && i > 0 && tokens[i - 1].is("}");
        if (begins && (line || closed || start == before)) {
            start = i;
            column = token.span.column;
            depth = 0;
        }
        depth += token.is("{") ? 1 : token.is("}") ? -1 : 0;
    }
    return start;
}

// What stands at a place beside what the parser compares: functions, parts of a step, of a CPU.
Words namesAt(Expect expect, Computes computes) {
    switch (expect) {
    case Expect::Condition:
    case Expect::Guard:
        return joined(conditionWords(), {"libs", "target", "true", "false"});
    case Expect::Requirement:
    case Expect::Term:
        return computes == Computes::Expressions ? functionWords() : conditionWords();
    case Expect::AttributeValue:
        return computes == Computes::Terms         ? conditionWords()
               : computes == Computes::Expressions ? functionWords()
                                                   : Words();
    case Expect::Value:
        return {"given", "value", "op", "node"};
    case Expect::Expression:
    case Expect::Call:
        return functionWords();
    case Expect::StepArgument:
        return stepWords();
    default:
        return {};
    }
}

// What is expected behind the tokens [out.first, before), in place of what was.
void readPlace(std::string_view text, const std::vector<Token>& tokens, std::size_t before,
               TextContext& out) {
    static_cast<Caret&>(out) = caretBehind(text, tokens, out.first, before);
    out.keyword = tokens[out.first].text;
    const DeclarationKind* kind = findKind(out.keyword);
    for (std::string& name : namesAt(out.expect, kind ? kind->computes : Computes::Nothing))
        out.words.push_back(std::move(name));
}

void addBound(const std::vector<BoundName>& bound, TextContext& out) {
    using Kind = BoundName::Kind;
    const auto add = [&](std::map<std::string, Span>& names, const std::string& name,
                         const Span& span) {
        const auto [first, isNew] = names.emplace(name, span);
        const bool isTyped = first->second.begin == out.begin && first->second.end == out.end;
        if (isNew && isTyped)
            out.typed = name;
        if (first->second.begin != span.begin && out.typed == name)
            out.typed.clear();
        if (span.begin < first->second.begin)
            first->second = span;
    };
    for (const BoundName& one : bound) {
        const bool isType = parseDtype(one.name) || one.name == "any";
        if (isBoolean(one.name) || (isType && one.kind != Kind::Value && one.kind != Kind::Root))
            continue;
        if (one.kind == Kind::Root)
            add(out.roots, one.name, one.span);
        if (one.kind == Kind::Root || one.kind == Kind::Value)
            add(out.values, one.name, one.span);
        else if (one.kind == Kind::Extent)
            add(out.dims, one.name, one.span);
        else
            add(out.attributes, one.kind == Kind::Attributes ? "*" + one.name : one.name, one.span);
    }
}

} // namespace

TextContext contextAt(std::string_view text, const TokenList& list, std::size_t offset) {
    TextContext out;
    const std::vector<Token>& tokens = list.tokens;
    offset = std::min(offset, text.size());
    out.begin = out.end = offset;
    while (out.begin > 0 && isWordByte(text[out.begin - 1]))
        --out.begin;
    while (out.end < text.size() && isWordByte(text[out.end]))
        ++out.end;
    for (const Comment& comment : list.comments)
        if (comment.span.begin < offset && offset <= comment.span.end)
            out.expect = Expect::Nothing;
    const auto tokensBefore = [&](std::size_t place) {
        const auto found = std::lower_bound(
            tokens.begin(), tokens.end(), place,
            [](const Token& token, std::size_t at) { return token.span.end <= at; });
        return static_cast<std::size_t>(found - tokens.begin());
    };
    std::size_t before = std::min(tokensBefore(out.begin), tokens.size() - 1);
    const Token& at = tokens[before];
    const bool inText = (at.kind == TokenKind::Text || at.kind == TokenKind::Error) &&
                        at.span.begin < offset && offset < at.span.end;
    if (inText || out.expect == Expect::Nothing) {
        out.expect = Expect::Nothing;
        out.begin = out.end = offset;
    }
    // x86-64-v3 is several tokens.
    std::size_t keyBegin = out.begin;
    while (keyBegin > 0 && (isWordByte(text[keyBegin - 1]) || text[keyBegin - 1] == '-'))
        --keyBegin;
    if (keyBegin < out.begin && out.expect != Expect::Nothing) {
        TextContext key;
        key.first = declarationStart(tokens, std::min(tokensBefore(keyBegin), before));
        const std::size_t beforeKey = tokensBefore(keyBegin);
        if (key.first < beforeKey) {
            readPlace(text, tokens, beforeKey, key);
            if (key.expect == Expect::TargetKey) {
                out.begin = keyBegin;
                before = beforeKey;
            }
        }
    }
    const std::size_t start = declarationStart(tokens, before);
    const Token& word = tokens[before];
    const bool atLineStart = word.kind == TokenKind::Name && word.span.begin == out.begin &&
                             word.firstOnLine && start < before &&
                             word.span.column <= tokens[start].span.column;
    const bool declares = atLineStart && fwGrammar().contains(word.text);
    if (start == before || declares) {
        if (out.expect != Expect::Nothing)
            for (const auto& [keyword, parse] : fwGrammar())
                out.words.push_back(keyword);
        out.first = out.last = before;
        return out;
    }
    out.first = start;
    // Up to the next declaration.
    out.last = before;
    for (std::size_t i = before; i + 1 < tokens.size(); ++i) {
        const Token& token = tokens[i];
        if (token.firstOnLine && token.span.column <= tokens[start].span.column &&
            token.kind == TokenKind::Name && fwGrammar().contains(token.text) &&
            token.span.begin != out.begin)
            break;
        out.last = i + 1;
    }
    const bool nothing = out.expect == Expect::Nothing;
    readPlace(text, tokens, before, out);
    if (nothing) {
        out.expect = Expect::Nothing;
        out.words.clear();
    }
    while (out.expect == Expect::TargetKey && out.end < text.size() &&
           (isWordByte(text[out.end]) || text[out.end] == '-'))
        ++out.end;
    // Behind a whole declaration another one may begin.
    int depth = 0;
    for (std::size_t i = start; i < before; ++i)
        depth += tokens[i].is("{") ? 1 : tokens[i].is("}") ? -1 : 0;
    const std::string_view line = text.substr(0, out.begin);
    const std::size_t lineStart =
        line.rfind('\n') == std::string_view::npos ? 0 : line.rfind('\n') + 1;
    const bool fresh = line.substr(lineStart).find_first_not_of(" \t") == std::string_view::npos;
    const bool closed = tokens[before - 1].is("}");
    const bool goesOn = !out.isBehind && (!out.words.empty() || out.expect != Expect::Words);
    const bool left = word.span.column <= tokens[start].span.column;
    if (!nothing && depth <= 0 && (closed ? !goesOn : fresh && (out.isBehind || left))) {
        if (closed) {
            out.words.clear();
            out.expect = Expect::Words;
        }
        for (const auto& [keyword, parse] : fwGrammar())
            out.words.push_back(keyword);
    }
    addBound(out.bound, out);
    addBound(caretBehind(text, tokens, out.first, out.last).bound, out);
    return out;
}

std::string_view wordSentence(std::string_view word, std::string_view keyword) {
    if (const std::string_view said = languageSentence(word, keyword); !said.empty())
        return said;
    const ConditionFunction* function = conditionFunction(word);
    const DeclarationKind* kind = findKind(keyword);
    const bool conditions = kind != nullptr && findKind(kind->words)->takesConditions;
    return function != nullptr && conditions ? function->sentence : std::string_view();
}

} // namespace fw
