#include "syntax/format_pieces.h"

#include "base/language_words.h"
#include "syntax/declarations.h"
#include "syntax/fusion.h"
#include "syntax/schedule.h"
#include "syntax/test.h"

#include <algorithm>
#include <array>
#include <set>

namespace fw {

namespace {

template <std::size_t N>
bool oneOf(const std::array<std::string_view, N>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 16> infixMarks = {
    "||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "|", ">>", "&"};

using Offsets = std::set<std::size_t>;

void partsOfGraph(const GraphTree& graph, Offsets& parts) {
    for (const GraphNodeTree& node : graph.nodes) {
        parts.insert(node.span.begin);
        for (const GraphBodyTree& body : node.bodies)
            if (body.graph)
                partsOfGraph(*body.graph, parts);
    }
    for (const GraphAssumptionTree& assumption : graph.assumptions)
        parts.insert(assumption.span.begin);
}

// Where the trees say that a part of a block begins, without the word before it.
Offsets partsOf(const FileTree& file) {
    Offsets out;
    const auto add = [&](const auto& parts) {
        for (const auto& part : parts)
            out.insert(part.span.begin);
    };
    for (const DeclarationPtr& declaration : file.declarations)
        byKind(
            *declaration,
            [&](const OpTree& op) {
                add(op.stmts);
                add(op.calls);
            },
            [&](const ImplementationsTree& block) { add(block.entries); },
            [&](const PinTree& pin) { add(pin.clauses); },
            [&](const ScheduleTree& schedule) {
                add(schedule.knobs);
                add(schedule.steps);
            },
            [&](const GraphTree& graph) { partsOfGraph(graph, out); },
            [&](const TestTree& test) {
                partsOfGraph(*test.graph, out);
                add(test.expects);
                for (const ExpectTree& expect : test.expects)
                    if (expect.graph)
                        partsOfGraph(*expect.graph, out);
            });
    return out;
}

class Marking {
public:
    Marking(std::string_view text, const FileTree& file) : m_file(file), m_parts(partsOf(file)) {
        const TokenList list = tokenize(text);
        auto comment = list.comments.begin();
        std::size_t end = 0;
        const auto add = [&](const Span& span, TokenKind kind, bool isComment) {
            Piece piece;
            piece.text = text.substr(span.begin, span.end - span.begin);
            while (isComment && (piece.text.back() == ' ' || piece.text.back() == '\t' ||
                                 piece.text.back() == '\r'))
                piece.text.remove_suffix(1);
            piece.kind = kind;
            piece.comment = isComment;
            const std::string_view between = text.substr(end, span.begin - end);
            piece.breaks = static_cast<int>(std::count(between.begin(), between.end(), '\n'));
            end = span.end;
            m_list.pieces.push_back(piece);
            m_begins.push_back(span.begin);
        };
        for (const Token& token : list.tokens) {
            for (; comment != list.comments.end() && comment->span.begin < token.span.begin;
                 ++comment)
                add(comment->span, TokenKind::Name, true);
            if (token.kind != TokenKind::End)
                add(token.span, token.kind, false);
        }
        m_list.kinds.resize(m_list.pieces.size());
    }

    PieceList take() {
        brackets();
        declarations();
        for (int i = 0; i < count(); ++i)
            if (!at(i).comment)
                close(i);
        return std::move(m_list);
    }

private:
    int count() const { return static_cast<int>(m_list.pieces.size()); }
    Piece& at(int i) { return m_list.pieces[static_cast<std::size_t>(i)]; }
    int before(int i) const { return m_list.neighbour(i, -1); }
    int behind(int i) const { return m_list.neighbour(i, 1); }
    bool is(int i, std::string_view mark) const {
        return i >= 0 && m_list.pieces[static_cast<std::size_t>(i)].is(mark);
    }
    bool isName(int i) const {
        if (i < 0)
            return false;
        const Piece& piece = m_list.pieces[static_cast<std::size_t>(i)];
        return !piece.comment && piece.kind == TokenKind::Name;
    }
    std::string_view text(int i) const {
        return i < 0 ? std::string_view() : m_list.pieces[static_cast<std::size_t>(i)].text;
    }

    void brackets() {
        std::vector<int> open;
        for (int i = 0; i < count(); ++i) {
            Piece& piece = at(i);
            const bool ends = piece.is(")") || piece.is("]") || piece.is("}");
            if (ends && !open.empty()) {
                piece.match = open.back();
                at(open.back()).match = i;
                open.pop_back();
            }
            piece.open = open.empty() ? -1 : open.back();
            piece.depth = static_cast<int>(open.size());
            if (piece.is("(") || piece.is("[") || piece.is("{"))
                open.push_back(i);
        }
    }

    void declarations() {
        for (const DeclarationPtr& declaration : m_file.declarations) {
            const auto index = [&](std::size_t offset) {
                return static_cast<int>(std::lower_bound(m_begins.begin(), m_begins.end(), offset) -
                                        m_begins.begin());
            };
            const int first = index(declaration->span.begin);
            const int behindLast = index(declaration->span.end);
            at(first).declaration = true;
            mark(first, behindLast, kindOf(*declaration));
        }
    }

    void mark(int first, int behindLast, const DeclarationKind& kind) {
        for (int i = first; i < behindLast; ++i)
            at(i).part = first;
        const int last = before(behindLast);
        const bool hasBlock = kind.layout != BlockLayout::None;
        if (hasBlock && last > first && is(last, "}") && at(last).match > first)
            block(at(last).match, last, kind);
        header(first, behindLast, kind);
        if (kind.computes == Computes::Terms)
            for (int i = first; i < behindLast; ++i)
                inPlace(i);
    }

    // op (x: T[S...]) -> y: T[S...] { ... }(x): laid out as a declaration is, its operands as those
    // of a name.
    void inPlace(int word) {
        if (!isName(word) || !is(word, "op") || !is(behind(word), "("))
            return;
        for (int i = behind(word); i >= 0 && at(i).depth >= at(word).depth; i = behind(i))
            if (at(i).is("{") && at(i).depth == at(word).depth && is(behind(at(i).match), "(")) {
                at(i).apart = at(at(i).match).apart = true;
                at(behind(word)).apart = true;
                return;
            }
    }

    // The parts of a block, and the blocks of graphs in it.
    void block(int open, int end, const DeclarationKind& kind) {
        at(open).block = at(end).block = true;
        m_list.kinds[static_cast<std::size_t>(open)] = &kind;
        static const DeclarationKind& graph = kindOf(Declares::Graph);
        int part = -1;
        for (int i = open + 1; i < end; ++i) {
            if (at(i).open == open && !at(i).comment && starts(i, kind, part))
                at(i).partStart = true, part = i;
            if (part >= 0)
                at(i).part = part;
            if (kind.layout == BlockLayout::Rows && at(i).open == open && isName(i) && i != part &&
                columnOf(text(before(i)), kind.keyword) == 0)
                at(i).column = columnOf(at(i).text, kind.keyword);
            if (at(i).open == open && is(i, "graph") && isName(i) && !is(behind(i), "=") &&
                kind.words == graph.keyword)
                if (const int inner = graphBlock(i); inner > 0 && at(inner).match < end) {
                    const int after = at(inner).match;
                    for (int k = i; k <= after; ++k)
                        at(k).part = part < 0 ? i : part;
                    block(inner, after, graph);
                    i = after;
                }
        }
    }

    // The brace of the graph whose word this is; -1 if it is none.
    int graphBlock(int word) const {
        for (int i = word + 1; i < static_cast<int>(m_list.pieces.size()); ++i) {
            const Piece& piece = m_list.pieces[static_cast<std::size_t>(i)];
            if (piece.is("{") && piece.depth == m_list.pieces[static_cast<std::size_t>(word)].depth)
                return i;
            if (piece.depth < m_list.pieces[static_cast<std::size_t>(word)].depth)
                return -1;
        }
        return -1;
    }

    bool starts(int i, const DeclarationKind& kind, int part) {
        const int previous = before(i);
        const auto told = [&](int piece) {
            return piece >= 0 && m_parts.contains(m_begins[static_cast<std::size_t>(piece)]);
        };
        if (kind.layout == BlockLayout::Words || kind.layout == BlockLayout::Lines ||
            kind.layout == BlockLayout::Clauses) {
            const LanguageWord* clause = isName(i) ? clauseWord(at(i).text, kind.keyword) : nullptr;
            const LanguageWord* held =
                previous == part && part >= 0 ? clauseWord(text(previous), kind.keyword) : nullptr;
            const bool begins = clause != nullptr && (held == nullptr || held->isAlone) &&
                                (is(previous, "{") || endsOperand(previous) || is(previous, "?") ||
                                 is(previous, "*"));
            at(i).word = begins && !clause->isAlone && kind.layout == BlockLayout::Clauses;
            return begins;
        }
        if (is(i, "knob") || is(i, "assume"))
            return told(behind(i)) && !told(i);
        const bool behindWord =
            (is(previous, "knob") || is(previous, "assume")) && previous == part && !told(previous);
        // A body stands behind the node that it belongs to, on a line of its own.
        return (told(i) && !behindWord) ||
               (kind.declares == Declares::Graph && is(i, "body") && isName(i) &&
                !is(behind(i), "=") && endsOperand(previous));
    }

    // What stands outside of blocks: keys of targets, the columns of a growth rule.
    void header(int first, int behindLast, const DeclarationKind& kind) {
        int head = -1;
        for (int i = first; i < behindLast && !(at(i).block && is(i, "{")); ++i) {
            if (at(i).comment)
                continue;
            const bool begins = at(i).depth == at(first).depth && i > first + 1 &&
                                (isName(i) || is(i, "->") || is(i, "="));
            const bool holds =
                begins && (is(i, "=") ? kind.layout == BlockLayout::None : holdsList(at(i).text));
            if (holds || (begins && (is(i, "->") || is(i, "on") || is(i, "onnx"))))
                head = holds ? i : -1;
            else
                at(i).head = head;
        }
        for (int i = first; i < behindLast; ++i) {
            if (at(i).comment)
                continue;
            const bool isTarget = kind.declares == Declares::Target;
            const bool list = is(i, "on") || (isTarget && i == first);
            if (at(i).depth == at(first).depth && list)
                keys(i, behindLast);
            if (isTarget && at(i).depth > 1 && is(i, "-"))
                at(i).closeLeft = at(i).closeRight = true;
            if (is(i, "has") && is(before(i), "target"))
                keys(i, behindLast);
            if (kind.declares == Declares::Grow && i > first)
                at(i).column = is(i, "->") ? 1 : isName(i) ? columnOf(at(i).text, kind.keyword) : 0;
        }
    }

    // Behind a word: keys such as x86-64-v3 with commas between them.
    void keys(int word, int end) {
        for (int i = behind(word); i > 0 && i < end; i = behind(i)) {
            if (is(i, "-")) {
                at(i).closeLeft = at(i).closeRight = true;
                i = behind(i);
            } else if (!is(i, ",") && i != behind(word) && !is(before(i), ",")) {
                return;
            }
            if (i < 0)
                return;
        }
    }

    bool endsOperand(int i) const {
        if (i < 0)
            return false;
        const Piece& piece = m_list.pieces[static_cast<std::size_t>(i)];
        if (piece.kind == TokenKind::Name)
            return !opensOperand(piece.text);
        return piece.kind != TokenKind::Punct || piece.is(")") || piece.is("]") || piece.is("}") ||
               piece.is("...") || piece.is("^");
    }

    bool startsOperand(int i) const {
        if (i < 0)
            return false;
        const Piece& piece = m_list.pieces[static_cast<std::size_t>(i)];
        return !piece.declaration && !piece.partStart && !is(i, "in") &&
               (piece.kind != TokenKind::Punct || piece.is("(") || piece.is("[") || piece.is("-") ||
                piece.is("!") || piece.is("^"));
    }

    bool isReduction(int open) const {
        if (!is(open, "("))
            return false;
        int i = behind(behind(open));
        return is(i, "...") ? is(behind(i), "in") : is(i, "in");
    }

    bool isLayout(int open) const {
        const std::string_view name = is(open, "(") ? text(before(open)) : std::string_view();
        return name == "layout" || name.ends_with(".layout");
    }

    void close(int i) {
        Piece& piece = at(i);
        if (piece.kind != TokenKind::Punct)
            return;
        const int previous = before(i), next = behind(i);
        const auto both = [&] { piece.closeLeft = piece.closeRight = true; };
        if (piece.is("(") || piece.is("[")) {
            piece.closeRight = true;
            piece.closeLeft =
                (calls(i, previous) && !piece.apart) || (is(previous, "}") && at(previous).apart);
            piece.reduction = isReduction(i);
        } else if (piece.is("{")) {
            piece.closeRight = !(piece.block || piece.apart) || is(next, "}");
        } else if (piece.is("}")) {
            piece.closeLeft = !(piece.block || piece.apart);
        } else if (piece.is(")") || piece.is("]") || piece.is(",") || piece.is(";") ||
                   piece.is("?")) {
            piece.closeLeft = true;
        } else if (piece.is(":")) {
            const bool reference = previous >= 0 && at(previous).kind == TokenKind::Text &&
                                   (is(before(previous), "@") || is(before(previous), "hash"));
            piece.closeLeft = !is(previous, ")") && !is(previous, "]") && !is(previous, "}") &&
                              !reference && !isReduction(piece.open);
        } else if (piece.is(".") || piece.is("..")) {
            both();
        } else if (piece.is("...")) {
            piece.closeLeft = endsOperand(previous);
            piece.closeRight = !piece.closeLeft && isName(next);
        } else if (piece.is("@")) {
            piece.closeRight = true;
            piece.closeLeft = is(piece.open, "[");
        } else if (piece.is("*") && (is(previous, "{") || is(previous, ",")) && isName(next) &&
                   piece.open >= 0 && !at(piece.open).block) {
            piece.closeRight = true;
        } else if (piece.is("*") && !startsOperand(next)) {
            piece.closeLeft = true;
        } else if (piece.is("!")) {
            piece.closeRight = true;
        } else if ((piece.is("/") || piece.is("%") || piece.is("-")) && isLayout(piece.open)) {
            both();
        } else if (piece.is("-") && !piece.closeLeft && !endsOperand(previous)) {
            piece.closeRight = true;
        } else if (!piece.closeLeft && !piece.partStart && oneOf(infixMarks, piece.text)) {
            piece.infix = true;
        }
    }

    // Whether a bracket belongs to the name before it.
    bool calls(int open, int previous) const {
        if (previous < 0)
            return false;
        const Piece& name = m_list.pieces[static_cast<std::size_t>(previous)];
        // The operands of an operator's declaration stand apart from its name and doc string.
        const auto isDeclared = [&](int i) {
            return is(before(i), "op") &&
                   m_list.pieces[static_cast<std::size_t>(before(i))].declaration;
        };
        if (name.kind == TokenKind::Text) // unknown "domain" "Type"(...)
            return !isDeclared(before(previous));
        if (name.kind != TokenKind::Name || opensOperand(name.text))
            return false;
        if (is(open, "["))
            return name.text != "const";
        return !isDeclared(previous);
    }

    const FileTree& m_file;
    Offsets m_parts;
    PieceList m_list;
    std::vector<std::size_t> m_begins;
};

} // namespace

int PieceList::neighbour(int piece, int step) const {
    const int count = static_cast<int>(pieces.size());
    for (int i = piece + step; i >= 0 && i < count; i += step)
        if (!pieces[static_cast<std::size_t>(i)].comment)
            return i;
    return -1;
}

PieceList piecesOf(std::string_view text, const FileTree& file) {
    return Marking(text, file).take();
}

} // namespace fw
