#include "session/text_context.h"

#include "syntax/parser.h"

#include <algorithm>
#include <set>

namespace fw {

namespace {

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

// Whether the braces that have just closed are those of an `onnx` clause: ours = theirs, or a text.
bool endsClause(const std::vector<Token>& tokens, std::size_t start, std::size_t before) {
    if (before <= start || !tokens[before - 1].is("}"))
        return false;
    std::size_t open = before - 1;
    while (open > start && !tokens[open].is("{"))
        --open;
    return tokens[open + 1].kind == TokenKind::Text || tokens[open + 2].is("=") ||
           tokens[open + 2].is("==");
}

// -> y, or -> (y, z), of an operator that stands for calls.
std::set<std::string> resultsWithoutTypes(const std::vector<Token>& tokens,
                                          const TextContext& context) {
    std::set<std::string> out;
    if (context.first >= context.last || !tokens[context.first].is("op"))
        return out;
    std::size_t at = context.first;
    while (at < context.last && !tokens[at].is("->"))
        ++at;
    const bool several = at + 1 < context.last && tokens[at + 1].is("(");
    for (at += several ? 2 : 1; at < context.last && tokens[at].kind == TokenKind::Name; at += 2) {
        if (at + 1 < context.last && tokens[at + 1].is(":"))
            return {};
        out.insert(tokens[at].text);
        if (!several || at + 1 >= context.last || !tokens[at + 1].is(","))
            break;
    }
    return out;
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
            readPlace(tokens, beforeKey, key);
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
    out.results = resultsWithoutTypes(tokens, out);
    readPlace(tokens, before, out);
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
    const bool braced = out.keyword == "rule" || out.keyword == "fuse" || out.keyword == "test" ||
                        out.keyword == "pin" || out.keyword == "op" || out.keyword == "graph" ||
                        out.keyword == "composite" || out.keyword == "implementations" ||
                        out.keyword == "schedule" || out.keyword == "target";
    const std::string_view line = text.substr(0, out.begin);
    const std::size_t lineStart =
        line.rfind('\n') == std::string_view::npos ? 0 : line.rfind('\n') + 1;
    const bool fresh = line.substr(lineStart).find_first_not_of(" \t") == std::string_view::npos;
    const bool clause = out.keyword == "op" && endsClause(tokens, start, before);
    if (!nothing && depth <= 0 && !clause &&
        (braced ? before > start && tokens[before - 1].is("}") : fresh)) {
        if (braced)
            out.words.clear();
        if (braced || out.expect == Expect::Words)
            out.expect = Expect::Words;
        for (const auto& [keyword, parse] : fwGrammar())
            out.words.push_back(keyword);
    }
    readNames(tokens, out);
    return out;
}

} // namespace fw
