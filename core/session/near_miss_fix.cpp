#include "session/near_miss_fix.h"

#include "base/numbers.h"
#include "expr/dtype.h"
#include "syntax/declarations.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using snapshot::Fix;

class Relaxing {
public:
    Relaxing(const NearMiss& miss, const DeclarationTree& declaration, const ReadText& text,
             const OperatorSet& operators)
        : m_miss(miss), m_declaration(declaration), m_text(text), m_tokens(text.tokens),
          m_operators(operators) {}

    std::optional<Fix> fix() const {
        const bool outside = m_miss.why == Missed::Condition && m_miss.span.line == 0;
        if (outside)
            return computedTwice();
        const std::size_t first = m_text.indexAt(m_miss.span.begin);
        if (m_miss.span.line == 0 || m_miss.span.end > m_text.places.text().size() ||
            token(first).span.begin != m_miss.span.begin)
            return std::nullopt;
        switch (m_miss.why) {
        case Missed::Attribute:
            return attribute(first);
        case Missed::Constant:
            return anyValue(first);
        case Missed::SameType:
            return dropConstraint(first, "same");
        case Missed::SameValue:
            return anotherName(first);
        case Missed::Operator:
            return orFound(first);
        case Missed::Operands:
            return anyOperands(first);
        case Missed::Condition:
            return dropCondition(first);
        case Missed::Step:
            return anotherStep();
        case Missed::Type:
            return anyType(first);
        case Missed::Other:
            return std::nullopt;
        }
        return std::nullopt;
    }

private:
    const Token& token(std::size_t index) const {
        return m_tokens[std::min(index, m_tokens.size() - 1)];
    }
    // Behind the last token of what was missed.
    std::size_t behind() const { return m_text.indexAt(m_miss.span.end); }

    Fix replace(std::size_t begin, std::size_t end, std::string text, std::string label) const {
        return fixOf(m_text.places, begin, end, std::move(text), std::move(label));
    }
    // Tokens [from, to), with the blanks in front of them if something else stands on the line.
    Fix drop(std::size_t from, std::size_t to, std::string label) const {
        const std::size_t begin = from > 0 && !token(from).firstOnLine ? token(from - 1).span.end
                                                                       : token(from).span.begin;
        return replace(begin, token(to - 1).span.end, "", std::move(label));
    }
    // One of a list with commas; with what stands around an only one.
    std::optional<Fix> dropListed(std::size_t from, std::size_t to, std::size_t aroundFrom,
                                  std::size_t aroundTo, std::string label) const {
        if (token(to).is(","))
            return replace(token(from).span.begin, token(to + 1).span.begin, "", std::move(label));
        if (from > 0 && token(from - 1).is(","))
            return drop(from - 1, to, std::move(label));
        return drop(aroundFrom, aroundTo, std::move(label));
    }

    std::optional<Fix> attribute(std::size_t first) const {
        const std::string written(m_text.slice(m_miss.span));
        const bool captured = behind() == first + 1;
        if (token(first).text != m_miss.name || (captured && usedOutside(first, first + 1)))
            return std::nullopt;
        if (token(first + 1).is("in"))
            if (const auto found = parseInteger(m_miss.found)) {
                std::vector<std::int64_t> ends;
                bool negative = false;
                for (std::size_t i = first + 2; i < behind(); ++i) {
                    if (const auto value = parseInteger(token(i).text))
                        ends.push_back(negative ? -*value : *value);
                    negative = token(i).is("-");
                }
                if (ends.size() == 2) {
                    std::string wider =
                        fmt::format("{} in {}..{}", m_miss.name, std::min(ends[0], *found),
                                    std::max(ends[1], *found));
                    std::string label = fmt::format("widen {} to {}", written, wider);
                    return replace(m_miss.span.begin, m_miss.span.end, std::move(wider),
                                   std::move(label));
                }
            }
        return dropListed(first, behind(), first - 1, behind() + 1, "drop " + written);
    }

    std::optional<Fix> anyValue(std::size_t first) const {
        if (token(first).is("const") && behind() == first + 1)
            return replace(m_miss.span.begin, m_miss.span.end, "any", "take any value");
        return dropConstraint(first, "const");
    }

    // "w: const & same(y)": one of them, or both and the colon.
    std::optional<Fix> dropConstraint(std::size_t first, std::string_view word) const {
        for (std::size_t i = first + 2; i < behind(); ++i) {
            if (!token(i).is(word))
                continue;
            const std::size_t end = word == "same" ? i + 4 : i + 1;
            std::string label =
                word == "same"
                    ? "take values of any type for " + token(first).text
                    : fmt::format("take any value for {}, not only constants", token(first).text);
            return dropConstraint(i, end, std::move(label));
        }
        return std::nullopt;
    }

    // Tokens [from, to) and the sign that joins them to what stands around.
    Fix dropConstraint(std::size_t from, std::size_t to, std::string label) const {
        if (token(from - 1).is(":") && token(to).is("&") && to < behind())
            return replace(token(from).span.begin, token(to + 1).span.begin, "", std::move(label));
        return drop(from - 1, to, std::move(label));
    }

    // "f32[N, 64]": another element type, another extent, any shape.
    std::optional<Fix> anyType(std::size_t first) const {
        const std::size_t type = typeIn(first);
        if (type == 0)
            return std::nullopt;
        const bool hasShape = token(type + 1).is("[");
        std::size_t end = type + 1;
        while (hasShape && end < behind() && !token(end).is("]"))
            ++end;
        end += hasShape ? 1 : 0;
        const std::string written = textOf(type, end);
        const std::string again = m_miss.expected.ends_with(" again")
                                      ? m_miss.expected.substr(0, m_miss.expected.find(' '))
                                      : std::string();
        const std::string_view found(m_miss.found);
        const std::string_view dtype = found.substr(0, found.find('['));
        const std::string& name = token(type).text;
        if (parseDtype(dtype) && name != dtype && (parseDtype(name) || name == again))
            return hasShape ? replace(token(type).span.begin, token(type).span.end, "any",
                                      "take any element type, not only " + name)
                            : dropConstraint(type, end, "take any type, not only " + name);
        if (!hasShape)
            return std::nullopt;
        std::string wider = name + "[" + widerDims(type + 2, end - 1, again) + "]";
        if (wider == written) {
            if (usedOutside(type + 2, end - 1))
                return std::nullopt;
            wider = name;
        }
        std::string label = fmt::format("widen {} to {}", written, wider);
        return replace(token(type).span.begin, token(end - 1).span.end, std::move(wider),
                       std::move(label));
    }

    // The type behind the colon of what was missed; 0 if there is none.
    std::size_t typeIn(std::size_t first) const {
        std::size_t colon = 0;
        int depth = 0;
        for (std::size_t i = first; i < behind(); ++i) {
            depth += token(i).is("(") || token(i).is("{") || token(i).is("[")   ? 1
                     : token(i).is(")") || token(i).is("}") || token(i).is("]") ? -1
                                                                                : 0;
            if (depth == 0 && token(i).is(":"))
                colon = i;
            if (colon > 0 && (token(i).is(":") || token(i).is("&")) && depth == 0 &&
                token(i + 1).kind == TokenKind::Name && !token(i + 1).is("const") &&
                !token(i + 1).is("input") && !token(i + 1).is("same"))
                return i + 1;
        }
        return 0;
    }

    std::string textOf(std::size_t from, std::size_t to) const {
        const std::size_t begin = token(from).span.begin;
        return from < to
                   ? std::string(m_text.places.text().substr(begin, token(to - 1).span.end - begin))
                   : std::string();
    }

    // With `any` in place of the extents that were others, or of the name that stood for another.
    std::string widerDims(std::size_t from, std::size_t to, const std::string& again) const {
        std::vector<std::string> dims, found;
        for (std::size_t i = from, begin = from; i <= to; ++i)
            if (i == to || token(i).is(",")) {
                dims.push_back(textOf(begin, i));
                begin = i + 1;
            }
        std::string_view rest(m_miss.found);
        rest = rest.substr(std::min(rest.find('[') + 1, rest.size()));
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find_first_of(",]"), rest.size());
            found.emplace_back(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 2, rest.size()));
        }
        for (std::size_t i = 0; i < dims.size(); ++i)
            if (again.empty()
                    ? found.size() == dims.size() && parseInteger(dims[i]) && dims[i] != found[i]
                    : dims[i] == again)
                dims[i] = "any";
        return fmt::format("{}", fmt::join(dims, ", "));
    }

    std::optional<Fix> anotherName(std::size_t first) const {
        if (token(first).text != m_miss.name)
            return std::nullopt;
        std::string other;
        const auto taken = [&](const std::string& name) {
            return m_operators.find(name) != nullptr ||
                   std::any_of(m_tokens.begin(), m_tokens.end(),
                               [&](const Token& one) { return one.text == name; });
        };
        for (int i = 2; other.empty() || taken(other); ++i)
            other = m_miss.name + std::to_string(i);
        return replace(token(first).span.begin, token(first).span.end, other,
                       fmt::format("let it be another value, {}", other));
    }

    // "relu(^)" becomes "(relu(^) | sigmoid(^))".
    std::optional<Fix> orFound(std::size_t first) const {
        const Operator* found = m_operators.find(m_miss.found);
        const std::size_t name = token(first).is("kind") ? first + 1 : first;
        if (found == nullptr || token(name).text != m_miss.name || !token(name + 1).is("("))
            return std::nullopt;
        const std::size_t open = name + 1, close = closing(open);
        if (close >= behind())
            return std::nullopt;
        const std::string_view text = m_text.places.text();
        std::string operands(
            text.substr(token(open).span.begin, token(close).span.end - token(open).span.begin));
        if (found->inputNames().size() != operandCount(open, close) &&
            !token(close - 1).is("...")) {
            if (isA<RuleTree>(m_declaration))
                return std::nullopt; // its right side needs the operands by name
            operands = token(open + 1).is("^") ? "(^, ...)" : "(...)";
        }
        std::string attributes(
            text.substr(token(close).span.end, m_miss.span.end - token(close).span.end));
        const std::vector<std::string> known = found->attrNames();
        for (std::size_t i = close + 1; i < behind(); ++i) {
            const bool named = token(i - 1).is("{") || token(i - 1).is(",");
            if (named && token(i).kind == TokenKind::Name &&
                std::find(known.begin(), known.end(), token(i).text) == known.end())
                attributes.clear();
        }
        return replace(m_miss.span.begin, m_miss.span.end,
                       fmt::format("({} | {}{}{})", m_text.slice(m_miss.span), m_miss.found,
                                   operands, attributes),
                       "take " + m_miss.found + " as well");
    }

    std::size_t closing(std::size_t open) const {
        int depth = 0;
        for (std::size_t i = open; i + 1 < m_tokens.size(); ++i) {
            depth += token(i).is("(") ? 1 : token(i).is(")") ? -1 : 0;
            if (depth == 0)
                return i;
        }
        return m_tokens.size();
    }

    std::size_t operandCount(std::size_t open, std::size_t close) const {
        std::size_t count = close > open + 1 ? 1 : 0;
        int depth = 0;
        for (std::size_t i = open; i < close; ++i) {
            depth += token(i).is("(") || token(i).is("{")   ? 1
                     : token(i).is(")") || token(i).is("}") ? -1
                                                            : 0;
            count += depth == 1 && token(i).is(",") ? 1 : 0;
        }
        return count;
    }

    // Whether a name among tokens [from, to) stands elsewhere in the declaration as well.
    bool usedOutside(std::size_t from, std::size_t to) const {
        const std::size_t begin = m_text.indexAt(m_declaration.span.begin),
                          end = m_text.indexAt(m_declaration.span.end);
        for (std::size_t i = from; i < to; ++i)
            for (std::size_t other = begin; other < end && token(i).kind == TokenKind::Name;
                 ++other)
                if ((other < from || other >= to) && token(other).text == token(i).text)
                    return true;
        return false;
    }

    std::optional<Fix> anyOperands(std::size_t first) const {
        const std::size_t open = first + 1, close = closing(open);
        if (token(first).text != m_miss.name || !token(open).is("(") || close > behind())
            return std::nullopt;
        const std::size_t wanted = operandCount(open, close);
        const auto found = parseInteger(m_miss.found);
        if (!found || *found == static_cast<std::int64_t>(wanted))
            return std::nullopt;
        if (*found < static_cast<std::int64_t>(wanted))
            return fewerOperands(open, close, *found);
        return replace(token(close).span.begin, token(close).span.begin,
                       wanted == 0 ? "..." : ", ...",
                       fmt::format("let {} have further operands", m_miss.name));
    }

    // The operands that are too many may be absent, if nothing else speaks of them.
    std::optional<Fix> fewerOperands(std::size_t open, std::size_t close,
                                     std::int64_t found) const {
        std::size_t from = open + 1;
        int depth = 0;
        for (std::int64_t left = found; from < close && left > 0; ++from) {
            depth += token(from).is("(") || token(from).is("{")   ? 1
                     : token(from).is(")") || token(from).is("}") ? -1
                                                                  : 0;
            left -= depth == 0 && token(from).is(",") ? 1 : 0;
        }
        if (from >= close || token(close - 1).is("...") || usedOutside(from, close))
            return std::nullopt;
        return replace(token(from).span.begin, token(close).span.begin, "...",
                       fmt::format("let the operands of {} behind the {} first be absent",
                                   m_miss.name, found));
    }

    // What follows the match may belong to it. The right side of a rule would lose it.
    std::optional<Fix> anotherStep() const {
        if (isA<RuleTree>(m_declaration) || m_miss.name.empty() ||
            m_miss.span.begin < m_declaration.span.begin ||
            m_miss.span.end > m_declaration.span.end)
            return std::nullopt;
        return replace(m_miss.span.end, m_miss.span.end, fmt::format(" >> {}?", m_miss.name),
                       fmt::format("take {} behind it as well", m_miss.found));
    }

    std::optional<Fix> dropCondition(std::size_t first) const {
        // The word `where` goes with the last condition behind it.
        return dropListed(first, behind(), first - 1, behind(),
                          "drop " + std::string(m_text.slice(m_miss.span)));
    }

    // An inner value that is used outside: only rules may compute it twice.
    std::optional<Fix> computedTwice() const {
        if (!isA<RuleTree>(m_declaration))
            return std::nullopt;
        for (std::size_t i = m_text.indexAt(m_declaration.span.begin);
             i < m_text.indexAt(m_declaration.span.end); ++i)
            if (token(i).is("match"))
                return replace(token(i).span.begin, token(i).span.begin, "duplicate\n  ",
                               "compute the inner values twice");
        return std::nullopt;
    }

    const NearMiss& m_miss;
    const DeclarationTree& m_declaration;
    const ReadText& m_text;
    const std::vector<Token>& m_tokens;
    const OperatorSet& m_operators;
};

} // namespace

std::size_t ReadText::indexAt(std::size_t offset) const {
    const auto found =
        std::lower_bound(tokens.begin(), tokens.end(), offset,
                         [](const Token& token, std::size_t at) { return token.span.begin < at; });
    return static_cast<std::size_t>(found - tokens.begin());
}

std::optional<Fix> relaxed(const NearMiss& miss, const DeclarationTree& declaration,
                           const ReadText& text, const OperatorSet& operators) {
    return Relaxing(miss, declaration, text, operators).fix();
}

} // namespace fw
