// Declarations one after the other, and what goes on behind one that is wrong.
#include "syntax/hints.h"
#include "syntax/parser.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

FileTree Parser::file() {
    const Grammar& grammar = fwGrammar();
    FileTree tree;
    tree.file = m_file;
    while (!atEnd() && m_errors.size() < mostErrors) {
        const Token first = peek();
        const std::size_t start = m_next;
        const auto known = first.kind == TokenKind::Name ? grammar.find(first.text) : grammar.end();
        if (known == grammar.end()) {
            std::vector<std::string> keywords;
            for (const auto& [keyword, parse] : grammar)
                keywords.push_back(keyword);
            std::string hint = hintOfGrammar(m_list.tokens, m_next);
            if (hint.empty())
                hint = hintOfDeclaration(m_list.tokens, m_next, keywords);
            if (hint.empty()) // it tells what is wrong with a token that is none
                fail(fmt::format("a declaration expected, found {}", tokenText(first)));
            else
                failAt(first.span,
                       fmt::format("a declaration expected, found {}", tokenText(first)),
                       std::move(hint));
        } else {
            take();
            const std::shared_ptr<DeclarationTree> declaration = known->second(*this);
            if (declaration && !m_failed) {
                declaration->keyword = first.text;
                declaration->span = spanFrom(first);
                declaration->source = source(declaration->span);
                tree.declarations.push_back(declaration);
            }
        }
        if (m_failed) {
            if (known != grammar.end())
                tree.broken.push_back(brokenAt(start));
            recover(start, first.span.column);
        }
    }
    tree.errors = takeErrors();
    tree.remarks = std::move(m_remarks);
    tree.missing = std::move(m_missing);
    tree.comments = std::move(m_list.comments);
    return tree;
}

BrokenDeclaration Parser::brokenAt(std::size_t start) const {
    const TokenList& list = m_list;
    const Token &keyword = list.tokens[start], &name = list.tokens[start + 1];
    BrokenDeclaration out{keyword.text, {}, keyword.span.begin};
    if (name.kind == TokenKind::Name)
        out.name = name.text;
    for (std::size_t i = start + 2; i + 1 < list.tokens.size() && list.tokens[i].is("-") &&
                                    list.tokens[i].span.begin == list.tokens[i - 1].span.end;
         i += 2)
        out.name += "-" + list.tokens[i + 1].text; // a key of targets
    return out;
}

void Parser::recover(std::size_t start, int column) {
    m_failed = false;
    // From the start of what failed: a missing brace must not cost the declarations behind it.
    m_next = std::min(start + 1, m_list.tokens.size() - 1);
    while (!atEnd()) {
        const Token& token = peek();
        if (token.firstOnLine && token.span.column <= column && token.kind == TokenKind::Name &&
            fwGrammar().contains(token.text))
            return;
        take();
    }
}

FileTree parseFile(std::string_view text, const std::string& file) {
    return Parser(text, file).file();
}

namespace {

template <class T>
Result<T> whole(Parser& parser, T tree) {
    if (!parser.failed() && !parser.atEnd())
        parser.fail(fmt::format("nothing more expected, found {}", tokenText(parser.peek())));
    if (parser.failed())
        return parser.takeErrors().front();
    return tree;
}

} // namespace

Result<Tree> parseTree(std::string_view text, const std::string& file) {
    Parser parser(text, file);
    Tree tree = parser.expression();
    return whole(parser, std::move(tree));
}

Result<TypeTree> parseTypeTree(std::string_view text, const std::string& file) {
    Parser parser(text, file);
    TypeTree tree = parser.type();
    return whole(parser, std::move(tree));
}

} // namespace fw
