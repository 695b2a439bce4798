// The parser of `.fw` text: token helpers, expressions, types, and the table of declarations.
//
// The grammar is resources/docs/grammar.md. Each kind of declaration (base/declarations.def) is one
// function in a sibling file.
// When something does not fit, fail() notes the error once and the parser plays dead (peek() is
// End) until the declaration is left; parsing goes on at the next keyword that starts a line at or
// left of this one. So all errors of a file come in one pass and the valid declarations stay
// usable.
#pragma once

#include "base/result.h"
#include "syntax/caret.h"
#include "syntax/tree.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace fw {

// The tree of one declaration; sibling files derive from it.
struct DeclarationTree {
    virtual ~DeclarationTree() = default;
    std::string keyword;
    std::string name;
    std::string doc;
    std::vector<KeyTree> targets; // behind `on`; empty: every
    Span span;
    std::string source; // as written
};
using DeclarationPtr = std::shared_ptr<const DeclarationTree>;

template <class T>
std::shared_ptr<const T> declarationAs(const DeclarationPtr& declaration) {
    return std::dynamic_pointer_cast<const T>(declaration);
}

// What one error would have been satisfied with.
struct MissingMark {
    std::size_t error = 0;  // index in FileTree::errors
    std::size_t offset = 0; // in the text, behind the last token that was understood
    std::string text;       // ")"
};

// A declaration that the grammar refuses, as far as it can be told what it declares.
struct BrokenDeclaration {
    std::string keyword;
    std::string name;
    std::size_t begin = 0; // in the text
};

struct FileTree {
    std::string file;
    std::vector<DeclarationPtr> declarations; // the valid ones, in order
    std::vector<BrokenDeclaration> broken;    // the others, in order
    Diags remarks;                            // older spellings, which are read all the same
    std::vector<Comment> comments;
    Diags errors;
    std::vector<MissingMark> missing;
};

class Parser;
// Called behind the keyword. Fills everything but keyword, span and source; nullptr or a failed
// parser means that there is no declaration.
using DeclarationParser = std::shared_ptr<DeclarationTree> (*)(Parser&);
#define FW_DECLARATION(keyword, Name, ...)                                                         \
    std::shared_ptr<DeclarationTree> parse##Name##Declaration(Parser& parser);
#include "base/declarations.def"
using Grammar = std::map<std::string, DeclarationParser, std::less<>>;
const Grammar& fwGrammar(); // every declaration of the language

FileTree parseFile(std::string_view text, const std::string& file);
// One expression that fills the whole text.
Result<Tree> parseTree(std::string_view text, const std::string& file = {});
Result<TypeTree> parseTypeTree(std::string_view text, const std::string& file = {});

class Parser {
public:
    Parser(std::string_view text, std::string file);
    // Of some tokens of the text, up to one End. At its place `caret` is told what would have been
    // taken: at() and accept() note words, names what they stand for.
    Parser(std::string_view text, std::vector<Token> tokens, Caret& caret);

    // Tokens
    const Token& peek(std::size_t ahead = 0) const;
    Token take();
    bool atEnd() const { return peek().kind == TokenKind::End; }
    bool at(std::string_view punctOrWord) const {
        if (m_caret != nullptr)
            offer({punctOrWord});
        return peek().is(punctOrWord);
    }
    bool isAtCaret(std::size_t ahead = 0) const; // nothing is written there yet
    bool isNameBehind() const; // the token behind the next is one, or may become one
    bool accept(std::string_view punctOrWord); // takes it if it is next
    bool expect(std::string_view punctOrWord); // fails if it is not next
    std::string expectName(std::string_view what, Expect stands = Expect::Nothing);
    // Of something that is declared or captured: true and false are none.
    std::string expectNewName(std::string_view what, Expect stands = Expect::Nothing);
    std::string expectText(std::string_view what);
    std::string acceptText(); // a doc string, or empty
    std::int64_t expectInt(std::string_view what);
    bool failed() const { return m_failed; }
    std::size_t place() const { return m_next; } // of the next token
    void fail(std::string message);              // at the next token
    void failAt(const Span& span, std::string message, std::string hint = {});
    void remark(const Span& span, std::string message, std::string hint);
    // At the caret: words that are compared when they are taken, what a name stands for.
    void offer(std::initializer_list<std::string_view> words) const;
    void offer(Expect stands) const;
    // What the declaration binds, for the caret.
    void binds(BoundName::Kind kind, const std::string& name, const Span& span) const;
    void bindsNamesIn(BoundName::Kind kind, const Tree& tree) const; // but for what it calls
    void bindsVariablesOf(const TypeTree& type) const;
    std::string bindName(std::string_view what, BoundName::Kind kind = BoundName::Kind::Value,
                         Expect stands = Expect::Nothing); // expectNewName, of one that is bound
    // What names in expressions stand for, as long as it lives.
    class Expecting {
    public:
        Expecting(Parser& parser, Expect stands)
            : m_parser(parser), m_before(std::exchange(parser.m_stands, stands)) {}
        ~Expecting() { m_parser.m_stands = m_before; }
        Expecting(const Expecting&) = delete;
        Expecting& operator=(const Expecting&) = delete;

    private:
        Parser& m_parser;
        Expect m_before;
    };
    // Of an operator's attribute, which names behind it stand for the value of.
    class InAttribute {
    public:
        InAttribute(Parser& parser, std::string op, std::string attribute = {});
        ~InAttribute() { std::swap(m_parser.m_attributeOf, m_before); }
        InAttribute(const InAttribute&) = delete;
        InAttribute& operator=(const InAttribute&) = delete;

    private:
        Parser& m_parser;
        std::pair<std::string, std::string> m_before;
    };
    void standsForType(const std::string& name) { m_types.insert(name); } // T of T[N]
    // False when the depth limit is reached (and failed); for recursive grammar functions.
    class Deeper {
    public:
        explicit Deeper(Parser& parser);
        ~Deeper() { --m_parser.m_depth; }
        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;

    private:
        Parser& m_parser;
    };

    // Expressions: || && comparisons, in {..}, + - * / % unary, calls, indexing, reductions, lists,
    // packs; in rules also `...NAME`, a pack whose text is "..."
    Tree expression();
    ConditionTree condition();
    std::vector<ConditionTree> conditions(); // joined by a comma or &&, each by itself
    bool atNumber() const;                   // or a list of numbers, true, false
    Tree unary();
    Tree primary();
    std::vector<Tree> expressions(std::string_view close);   // up to and with the closing mark
    std::vector<TreeAttr> attributes(const std::string& op); // behind '{', up to and with '}'
    TypeTree type();                                         // T[P..., D@axis]

    // In rules an operator may be written in place of its name: called behind `op`, in front of its
    // parameters, gives the name that it gets. Empty: this is no rule.
    using OperatorInPlace = std::function<std::string(Parser&)>;
    void setInRule(OperatorInPlace parse) { m_operatorInPlace = std::move(parse); }

    // Files
    FileTree file();
    const std::string& fileName() const { return m_file; }
    std::string source(const Span& from) const; // from its begin to the last token taken
    Span spanFrom(const Token& first) const;
    Diags takeErrors() { return std::move(m_errors); }

private:
    friend class Deeper;
    Tree binary(int level);
    Tree callOrIndex(Token name);
    std::vector<Tree> operands(std::string_view of); // behind '(', up to and with ')'
    Tree reduction(Token name);
    bool atReduction() const;
    void finish(Tree& tree, const Token& first);
    static constexpr std::size_t mostErrors = 100;
    BrokenDeclaration brokenAt(std::size_t start) const;
    void recover(std::size_t start, int column);
    bool atAttributes() const;
    bool isElementType(const Tree& tree) const;

    std::string_view m_text;
    std::string m_file;
    TokenList m_list;
    std::size_t m_next = 0;
    int m_depth = 0;
    bool m_failed = false;
    OperatorInPlace m_operatorInPlace;
    Diags m_errors, m_remarks;
    std::vector<MissingMark> m_missing;

    Caret* m_caret = nullptr;
    Expect m_stands = Expect::Nothing;                 // names in expressions
    std::pair<std::string, std::string> m_attributeOf; // operator, attribute
    std::size_t m_value = 0;                           // where that of the attribute begins
    std::set<std::string, std::less<>> m_types{"T"};   // names of element types
};

} // namespace fw
