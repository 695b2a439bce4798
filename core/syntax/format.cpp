#include "syntax/format.h"

#include "syntax/format_pieces.h"

#include <algorithm>
#include <array>

namespace fw {

namespace {

constexpr int indentStep = 2;
constexpr int deepestAlignment = 70; // a continuation does not begin further right
constexpr int leastClauseColumn = 7; // "match  y = ..."

int width(std::string_view text) {
    return static_cast<int>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

bool partsOnOwnLines(BlockLayout layout) {
    return layout == BlockLayout::Lines || layout == BlockLayout::Clauses ||
           layout == BlockLayout::Rows;
}

class Layout {
public:
    explicit Layout(PieceList list)
        : m_list(std::move(list)), m_pieces(m_list.pieces), m_breaks(m_pieces.size(), 0),
          m_pads(m_pieces.size(), -1), m_columns(m_pieces.size(), 0), m_indents(m_pieces.size(), 0),
          m_lineEnds(m_pieces.size(), false) {}

    std::string run() {
        for (std::size_t i = 0; i < m_pieces.size(); ++i)
            m_breaks[i] = breakWanted(static_cast<int>(i));
        for (std::size_t i = 0; i < m_pieces.size(); ++i)
            if (m_pieces[i].is("{") && m_pieces[i].block)
                openBlock(static_cast<int>(i), false);
        // What opens moves what stands behind it, so the columns are found again.
        for (bool whole = false; !whole;) {
            openWideBlocks();
            std::fill(m_pads.begin(), m_pads.end(), -1);
            std::fill(m_lineEnds.begin(), m_lineEnds.end(), false);
            m_out.clear();
            alignColumns();
            alignClauses();
            whole = write();
        }
        return std::move(m_out);
    }

private:
    // False if a block was opened on the way.
    bool write() {
        bool whole = true;
        for (int i = 0; i < count();) {
            const int end = lineEnd(i);
            if (const int wide = wideBlock(i, end, indentOf(i)); wide >= 0) {
                openBlock(wide, true);
                whole = false;
                continue;
            }
            while (i < end)
                i = line(i, end);
        }
        if (!m_out.empty())
            m_out += '\n';
        return whole;
    }

    int count() const { return static_cast<int>(m_pieces.size()); }
    const Piece& at(int i) const { return m_pieces[static_cast<std::size_t>(i)]; }
    const DeclarationKind& kind(int open) const {
        return *m_list.kinds[static_cast<std::size_t>(open)];
    }

    // Before the piece: 0 goes on in the line, 1 a new line, 2 with an empty one before it.
    int breakWanted(int i) const {
        const Piece& piece = at(i);
        if (i == 0)
            return 0;
        const Piece& before = at(i - 1);
        const bool empty = piece.breaks > 1 && !(before.is("{") && before.block) &&
                           !(piece.is("}") && piece.block);
        if (piece.declaration)
            return empty ? 2 : 1;
        if (piece.comment)
            return piece.breaks == 0 ? 0 : empty && mayStandApart(i) ? 2 : 1;
        if (before.comment)
            return empty && piece.partStart ? 2 : 1;
        if (piece.breaks == 0 || (piece.is("{") && piece.block) || before.is("becomes"))
            return 0;
        if (piece.partStart)
            return empty ? 2 : 1;
        return mayBreak(i) || before.closeRight || isClosing(piece) ? 1 : 0;
    }

    // A comment between declarations, or between the parts of a block.
    bool mayStandApart(int i) const {
        const int next = m_list.neighbour(i, 1);
        return next < 0 || at(next).declaration || at(next).partStart ||
               (at(next).block && at(next).is("}"));
    }

    static bool isClosing(const Piece& piece) {
        return piece.is(")") || piece.is("]") || piece.is("}");
    }

    bool mayBreak(int i) const { return blanks(i) > 0; }

    int blanks(int i) const {
        const Piece& piece = at(i);
        const Piece& before = at(i - 1);
        if (piece.comment)
            return 2;
        if (piece.closeLeft || before.closeRight)
            return 0;
        if (m_pads[static_cast<std::size_t>(i)] >= 0)
            return m_pads[static_cast<std::size_t>(i)];
        return piece.partStart && !(before.is("{") && before.block) ? 2 : 1;
    }

    int lineEnd(int i) const {
        do
            ++i;
        while (i < count() && m_breaks[static_cast<std::size_t>(i)] == 0);
        return i;
    }

    // A block is open if anything in it stands on a line of its own, or if it is told to be.
    void openBlock(int open, bool always) {
        const int end = at(open).match;
        if (end == open + 1)
            return;
        bool broken = always;
        for (int i = open + 1; i <= end && !broken; ++i)
            broken = m_breaks[static_cast<std::size_t>(i)] > 0;
        if (!broken)
            return;
        const auto want = [&](int i) {
            int& breaks = m_breaks[static_cast<std::size_t>(i)];
            breaks = std::max(breaks, 1);
        };
        if (!at(open + 1).comment || at(open + 1).breaks > 0)
            want(open + 1);
        if (kind(open).declares != Declares::Op)
            want(end);
        for (int i = open + 1; i < end; ++i)
            if (at(i).partStart && at(i).open == open && at(i).part == i &&
                (always || partsOnOwnLines(kind(open).layout)))
                want(i);
    }

    void openWideBlocks() {
        for (int i = 0; i < count();) {
            const int end = lineEnd(i);
            const int wide = wideBlock(i, end, depthOf(i) * indentStep);
            if (wide < 0) {
                i = end;
                continue;
            }
            openBlock(wide, true);
        }
    }

    // The first closed block of a line that is too long; -1 if there is none.
    int wideBlock(int begin, int end, int indent) const {
        if (flatWidth(begin, end) + indent > formatWidth)
            for (int i = begin; i < end; ++i)
                if (at(i).is("{") && at(i).block && at(i).match > i + 1 && at(i).match < end)
                    return i;
        return -1;
    }

    // How many blocks are around a piece.
    int depthOf(int i) const {
        int depth = 0;
        for (int open = at(i).open; open >= 0; open = at(open).open)
            depth += at(open).block ? 1 : 0;
        return depth;
    }

    int flatWidth(int begin, int end) const {
        int out = 0;
        for (int i = begin; i < end && !at(i).comment; ++i)
            out += (i > begin ? blanks(i) : 0) + width(at(i).text);
        return out;
    }

    // --- columns

    struct Row {
        int begin = 0, end = 0;
        bool together = true; // with the one before it
    };

    bool isRow(const Row& row) const {
        int last = -1;
        for (int i = row.begin; i < row.end; ++i)
            if (at(i).column > 0) {
                if (at(i).column <= last)
                    return false;
                last = at(i).column;
            }
        const bool whole = row.end == count() || at(row.end).comment || at(row.end).partStart ||
                           at(row.end).declaration || at(row.end).block;
        return whole &&
               flatWidth(row.begin, row.end) + depthOf(row.begin) * indentStep <= formatWidth;
    }

    void alignColumns() {
        std::vector<Row> run;
        for (int i = 0; i < count();) {
            const Row row{i, lineEnd(i), m_breaks[static_cast<std::size_t>(i)] < 2};
            i = row.end;
            if (at(row.begin).comment && row.together)
                continue;
            const bool entry = at(row.begin).partStart && at(row.begin).open >= 0 &&
                               kind(at(row.begin).open).layout == BlockLayout::Rows;
            const bool grow =
                at(row.begin).declaration && isKind(at(row.begin).text, Declares::Grow);
            const bool joins = !run.empty() && row.together &&
                               at(run.back().begin).declaration == grow &&
                               at(run.back().begin).open == at(row.begin).open;
            if (!joins)
                alignRun(run);
            if ((entry || grow) && isRow(row))
                run.push_back(row);
            else
                alignRun(run);
        }
        alignRun(run);
    }

    void alignRun(std::vector<Row>& run) {
        const std::vector<Row> rows = std::move(run);
        run.clear();
        if (rows.empty() || (rows.size() == 1 && at(rows.front().begin).declaration))
            return;
        std::array<int, 6> widest{};
        std::array<bool, 6> used{};
        const auto cells = [&](const Row& row, const auto& visit) {
            for (int from = row.begin, i = from + 1; i <= row.end; ++i)
                if (i == row.end || at(i).column > 0 || at(i).comment) {
                    visit(from, i);
                    from = i;
                    if (i < row.end && at(i).comment)
                        return;
                }
        };
        for (const Row& row : rows)
            cells(row, [&](int from, int to) {
                const auto column =
                    static_cast<std::size_t>(from == row.begin ? 0 : at(from).column);
                used[column] = true;
                widest[column] = std::max(widest[column], flatWidth(from, to));
            });
        std::array<int, 6> begins{};
        int end = 0;
        for (std::size_t column = 0; column < begins.size(); ++column) {
            begins[column] = column == 0 ? 0 : end + (column == 1 ? 1 : 2);
            if (used[column])
                end = begins[column] + widest[column];
        }
        if (end + depthOf(rows.front().begin) * indentStep > formatWidth)
            return;
        for (const Row& row : rows) {
            int reached = 0;
            cells(row, [&](int from, int to) {
                const int column =
                    from == row.begin ? 0 : begins[static_cast<std::size_t>(at(from).column)];
                if (from != row.begin)
                    m_pads[static_cast<std::size_t>(from)] = column - reached;
                reached = column + flatWidth(from, to);
            });
        }
    }

    // In an open block of clauses what they hold begins in one column.
    void alignClauses() {
        for (int open = 0; open < count(); ++open) {
            if (!at(open).block || !at(open).is("{") || at(open).match <= open + 1 ||
                m_breaks[static_cast<std::size_t>(at(open).match)] == 0)
                continue;
            int column = leastClauseColumn;
            for (int i = open + 1; i < at(open).match; ++i)
                if (at(i).word && at(i).open == open)
                    column = std::max(column, width(at(i).text) + 1);
            for (int i = open + 1; i < at(open).match; ++i)
                if (at(i).word && at(i).open == open && i + 1 < at(open).match &&
                    !at(i + 1).partStart && !at(i + 1).comment)
                    m_pads[static_cast<std::size_t>(i) + 1] = column - width(at(i).text);
        }
    }

    // --- lines

    // Writes one line of the pieces from `begin`; where the next one begins.
    int line(int begin, int end) {
        const int indent = indentOf(begin);
        int column = indent, i = begin;
        for (; i < end; ++i) {
            const int gap = i > begin ? blanks(i) : 0;
            m_columns[static_cast<std::size_t>(i)] = column + gap;
            m_indents[static_cast<std::size_t>(i)] = indent;
            column += gap + width(at(i).text);
            if (column > formatWidth && i > begin && !at(i).comment) {
                const int place = bestBreak(begin, i, indent);
                if (place > begin) {
                    i = place;
                    break;
                }
            }
        }
        if (!m_out.empty())
            m_out.append(m_breaks[static_cast<std::size_t>(begin)] > 1 ? 2 : 1, '\n');
        m_out.append(static_cast<std::size_t>(indent), ' ');
        for (int k = begin; k < i; ++k) {
            if (k > begin)
                m_out.append(static_cast<std::size_t>(blanks(k)), ' ');
            m_out += at(k).text;
        }
        m_lineEnds[static_cast<std::size_t>(lastWord(begin, i))] = true;
        return i;
    }

    // The last piece of a line that is no comment.
    int lastWord(int begin, int end) const {
        int last = end - 1;
        while (last > begin && at(last).comment)
            --last;
        return last;
    }

    // The place with the fewest brackets around it, the loosest mark, and then the last one.
    int bestBreak(int begin, int last, int indent) const {
        int best = -1, bestRank = 0;
        for (int i = begin + 1; i <= last; ++i) {
            if (!mayBreak(i) || at(i).comment || at(i - 1).comment)
                continue;
            const int loose = looseness(i);
            const bool early = m_columns[static_cast<std::size_t>(i)] < indent + formatWidth / 4;
            if (loose < 0)
                continue;
            const int rank = (early ? 10000 : 0) + at(i).depth * 10 + loose;
            if (best < 0 || rank <= bestRank) {
                best = i;
                bestRank = rank;
            }
        }
        return best;
    }

    int looseness(int i) const {
        const Piece& piece = at(i);
        const Piece& before = at(i - 1);
        if (piece.partStart)
            return 0;
        if (before.is(",") && piece.open >= 0 && at(piece.open).reduction)
            return 6; // what it goes over stays together
        if (before.is(",") && piece.open >= 0 && at(piece.open).is("["))
            return 4;
        if (before.is(",") || piece.column > 0 || piece.is("requires") || piece.is("onnx"))
            return 1;
        if (piece.is("->") || (piece.is("where") && !piece.word))
            return 1;
        if (!piece.infix)
            return before.is(":") && !before.closeLeft ? 2 : -1;
        if (piece.is("||") || piece.is("|") || piece.is(">>"))
            return 2;
        if (piece.is("&&"))
            return 3;
        return piece.is("+") || piece.is("-") ? 5 : piece.is("*") || piece.is("/") ? 6 : 4;
    }

    int indentOf(int i) const {
        if (at(i).comment) {
            const int next = m_list.neighbour(i, 1);
            if (next < 0)
                return 0;
            if (!(at(next).block && isClosing(at(next))))
                return indentOf(next);
            return blockIndent(at(next).match) + indentStep;
        }
        if (at(i).declaration)
            return 0;
        int open = at(i).open;
        if (isClosing(at(i)) && at(i).block)
            return blockIndent(at(i).match);
        if (at(i).partStart)
            return blockIndent(open) + indentStep + (at(i).is("body") ? indentStep : 0);
        const bool inBracket = open >= 0 && !at(open).block && open >= at(i).part;
        if (inBracket)
            return indentInBracket(i, open);
        const int part = at(i).part;
        if (part < 0)
            return 0;
        const int indent = m_indents[static_cast<std::size_t>(part)];
        if (at(i).head >= 0 && at(i).head + 1 < i)
            return m_columns[static_cast<std::size_t>(at(i).head) + 1];
        if (at(part).declaration)
            return indent + indentStep;
        if (at(part).word && part + 1 < i)
            return m_columns[static_cast<std::size_t>(part) + 1];
        return indent + 2 * indentStep;
    }

    int indentInBracket(int i, int open) const {
        const auto index = static_cast<std::size_t>(open);
        const bool closes = isClosing(at(i)) && at(i).match == open;
        if (m_lineEnds[index])
            return m_indents[index] + (closes ? 0 : indentStep);
        if (at(open).reduction)
            return m_indents[index] + 2 * indentStep;
        const int aligned = m_columns[index] + (closes ? 0 : 1);
        const int unaligned = m_indents[index] + 2 * indentStep;
        const int width = flatWidth(i, lineEnd(i));
        const bool onlyUnaligned =
            aligned + width > formatWidth && unaligned + width <= formatWidth;
        return aligned <= deepestAlignment && !onlyUnaligned ? aligned : unaligned;
    }

    // Of the line on which the declaration or the part begins that has the block.
    int blockIndent(int open) const {
        const int part = at(open).part;
        return part < 0 ? 0 : m_indents[static_cast<std::size_t>(part)];
    }

    PieceList m_list;
    const std::vector<Piece>& m_pieces;
    std::vector<int> m_breaks;
    std::vector<int> m_pads;      // blanks before a piece that stands in a column; -1: as usual
    std::vector<int> m_columns;   // where a piece was written
    std::vector<int> m_indents;   // of its line
    std::vector<bool> m_lineEnds; // it is the last one of its line
    std::string m_out;
};

bool sameWords(std::string_view one, std::string_view other) {
    const TokenList a = tokenize(one), b = tokenize(other);
    const auto sameToken = [](const Token& left, const Token& right) {
        return left.kind == right.kind && left.text == right.text;
    };
    const auto trimmed = [](std::string_view text) {
        return text.substr(0, text.find_last_not_of(" \t\r") + 1);
    };
    return std::equal(a.tokens.begin(), a.tokens.end(), b.tokens.begin(), b.tokens.end(),
                      sameToken) &&
           std::equal(a.comments.begin(), a.comments.end(), b.comments.begin(), b.comments.end(),
                      [&](const Comment& left, const Comment& right) {
                          return trimmed(left.text) == trimmed(right.text);
                      });
}

} // namespace

FormattedText formatText(std::string_view text, const std::string& file) {
    FileTree tree = parseFile(text, file);
    if (!tree.errors.empty())
        return {std::string(text), std::move(tree.errors)};
    std::string out = Layout(piecesOf(text, tree)).run();
    if (!sameWords(text, out))
        throw InternalError("the layout of " + file + " has other words than the text");
    return {std::move(out), {}};
}

std::string declarationText(const DeclarationTree& declaration) {
    std::string out = formatText(declaration.source, {}).text;
    while (out.ends_with('\n'))
        out.pop_back();
    return out;
}

} // namespace fw
