#include "loop/parse.h"

#include "base/numbers.h"
#include "expr/parse.h"
#include "loop/print.h"

#include <fmt/format.h>

#include <map>

namespace fw {

namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The place of `what` outside all brackets; npos if there is none.
std::size_t findOutside(std::string_view text, std::string_view what) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (depth == 0 && text.substr(i).starts_with(what))
            return i;
        depth += text[i] == '(' || text[i] == '[';
        depth -= text[i] == ')' || text[i] == ']';
    }
    return std::string_view::npos;
}

std::vector<std::string_view> splitOutside(std::string_view text, std::string_view separator) {
    std::vector<std::string_view> out;
    for (auto at = findOutside(text, separator); at != std::string_view::npos;
         at = findOutside(text, separator)) {
        out.push_back(trimmed(text.substr(0, at)));
        text = text.substr(at + separator.size());
    }
    if (!trimmed(text).empty() || !out.empty())
        out.push_back(trimmed(text));
    return out;
}

bool takeWord(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word) || (text.size() > word.size() && text[word.size()] != ' '))
        return false;
    text = trimmed(text.substr(word.size()));
    return true;
}

class LoopParser {
public:
    explicit LoopParser(std::string_view text) {
        while (!text.empty()) {
            const auto end = text.find('\n');
            m_lines.push_back(trimmed(text.substr(0, end)));
            text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        }
        skipEmpty();
    }

    Result<LoopNest> nest() {
        LoopNest out;
        std::string_view head = line();
        const auto open = head.find('(');
        if (!takeWord(head, "kernel") || open == std::string_view::npos || !head.ends_with(") {"))
            return wrong("a nest begins with: kernel name(parameters; symbols) {");
        const auto start = head.find('(');
        out.name = std::string(trimmed(head.substr(0, start)));
        const auto halves = splitOutside(head.substr(start + 1, head.size() - start - 4), ";");
        if (halves.size() > 2)
            return wrong("one ; divides parameters from symbols");
        if (halves.size() == 2)
            for (const std::string_view name : splitOutside(halves[1], ","))
                out.symbols.emplace_back(name);
        if (!halves.empty())
            for (const std::string_view part : splitOutside(halves[0], ",")) {
                FW_TRY(auto buffer, parameter(part));
                out.parameters.push_back(std::move(buffer));
            }
        next();
        FW_TRY(out.body, body());
        if (line() != "}")
            return wrong("} is missing");
        next();
        if (m_at < m_lines.size())
            return wrong("text after the nest");
        return out;
    }

private:
    Diag wrong(std::string what) const {
        return makeDiag(DiagCode::Syntax, std::move(what), {.line = static_cast<int>(m_at) + 1});
    }

    std::string_view line() const {
        return m_at < m_lines.size() ? m_lines[m_at] : std::string_view();
    }

    void skipEmpty() {
        while (m_at < m_lines.size() && (m_lines[m_at].empty() || m_lines[m_at].starts_with('#')))
            ++m_at;
    }

    void next() {
        ++m_at;
        skipEmpty();
    }

    Result<Expr> expression(std::string_view text) const {
        ExprScope scope;
        scope.variable = [](const std::string& name) { return std::optional(varExpr(name)); };
        scope.tensor = [this](const std::string& name) -> std::optional<DType> {
            const auto found = m_dtypes.find(name);
            return found == m_dtypes.end() ? std::nullopt : std::optional(found->second);
        };
        auto out = parseExpr(text, scope);
        if (!out.ok()) {
            Diag diag = out.takeDiag();
            diag.where.line = static_cast<int>(m_at) + 1;
            return diag;
        }
        return out;
    }

    // NAME: [word] DTYPE[SIZE]
    Result<Buffer> declared(std::string_view name, std::string_view type) {
        Buffer out;
        out.name = Symbol(name);
        const auto open = type.find('[');
        const auto dtype =
            open == std::string_view::npos ? std::nullopt : parseDtype(type.substr(0, open));
        if (!dtype || !type.ends_with(']') || name.empty())
            return wrong("a buffer reads name: dtype[size]");
        out.dtype = *dtype;
        FW_TRY(out.size, expression(type.substr(open + 1, type.size() - open - 2)));
        m_dtypes[std::string(name)] = *dtype;
        return out;
    }

    Result<Buffer> parameter(std::string_view text) {
        const auto colon = text.find(": ");
        if (colon == std::string_view::npos)
            return wrong("a parameter reads name: access dtype[size]");
        std::string_view rest = trimmed(text.substr(colon + 1));
        for (const BufferAccess access :
             {BufferAccess::Read, BufferAccess::Write, BufferAccess::ReadWrite}) {
            if (!takeWord(rest, accessText(access)))
                continue;
            FW_TRY(auto out, declared(trimmed(text.substr(0, colon)), rest));
            out.access = access;
            return out;
        }
        return wrong("a parameter is read, write or readwrite");
    }

    // Statements up to the closing brace.
    Result<Stmt> body() {
        std::vector<Stmt> parts;
        while (m_at < m_lines.size() && !line().starts_with("}")) {
            if (line().starts_with("alloc ")) {
                FW_TRY(auto rest, alloc());
                parts.push_back(std::move(rest));
                break;
            }
            FW_TRY(auto part, statement());
            parts.push_back(std::move(part));
        }
        return blockStmt(std::move(parts));
    }

    Result<Stmt> alloc() {
        std::string_view text = line();
        takeWord(text, "alloc");
        for (const BufferScope scope : {BufferScope::Register, BufferScope::Stack}) {
            if (!takeWord(text, scopeText(scope)))
                continue;
            const auto colon = text.find(": ");
            if (colon == std::string_view::npos)
                break;
            FW_TRY(auto buffer, declared(text.substr(0, colon), trimmed(text.substr(colon + 1))));
            buffer.scope = scope;
            next();
            FW_TRY(auto rest, body());
            return allocStmt(std::move(buffer), std::move(rest));
        }
        return wrong("a local buffer reads alloc register name: dtype[size], or alloc stack");
    }

    // Takes " @7 @9 {" off the end of a line.
    Result<std::vector<std::int64_t>> nodes(std::string_view& text) {
        if (!text.ends_with("{"))
            return wrong("{ is missing");
        text = trimmed(text.substr(0, text.size() - 1));
        std::vector<std::int64_t> out;
        const auto first = text.starts_with("@") ? 0 : text.find(" @");
        if (first == std::string_view::npos)
            return out;
        for (std::string_view part : splitOutside(trimmed(text.substr(first)), " ")) {
            const auto number = part.starts_with("@") ? parseInteger(part.substr(1)) : std::nullopt;
            if (!number)
                return wrong("a node reads @7");
            out.push_back(*number);
        }
        text = trimmed(text.substr(0, first));
        return out;
    }

    // Inside of braces that the current line opened.
    Result<Stmt> braces() {
        next();
        return body();
    }

    Status close() {
        if (line() != "}")
            return wrong("} is missing");
        next();
        return {};
    }

    Result<Stmt> statement() {
        std::string_view text = line();
        for (const LoopKind kind :
             {LoopKind::Serial, LoopKind::Parallel, LoopKind::Vector, LoopKind::Unroll})
            if (takeWord(text, loopKindText(kind)))
                return loop(kind, text);
        if (takeWord(text, "block")) {
            FW_TRY(const auto from, nodes(text));
            FW_TRY(auto inside, braces());
            FW_CHECK(close());
            return blockStmt({std::move(inside)}, from);
        }
        if (takeWord(text, "if")) {
            if (!text.ends_with("{"))
                return wrong("{ is missing");
            FW_TRY(const Expr condition, expression(text.substr(0, text.size() - 1)));
            FW_TRY(auto then, braces());
            Stmt otherwise;
            if (line() == "} else {") {
                FW_TRY(otherwise, braces());
            }
            FW_CHECK(close());
            return ifElseStmt(condition, std::move(then), std::move(otherwise));
        }
        const auto equals = findOutside(text, " = ");
        const auto open = text.find('[');
        if (equals == std::string_view::npos || open == std::string_view::npos || open > equals ||
            text[equals - 1] != ']')
            return wrong(fmt::format("\"{}\" is no statement", text));
        FW_TRY(const Expr index, expression(text.substr(open + 1, equals - open - 2)));
        FW_TRY(const Expr value, expression(text.substr(equals + 3)));
        const Symbol buffer(text.substr(0, open));
        next();
        return storeStmt(buffer, index, value);
    }

    Result<Stmt> loop(LoopKind kind, std::string_view text) {
        FW_TRY(const auto from, nodes(text));
        std::int64_t grain = 1;
        if (const auto at = findOutside(text, " grain "); at != std::string_view::npos) {
            const auto number = parseInteger(trimmed(text.substr(at + 7)));
            if (!number)
                return wrong("a grain is an integer");
            grain = *number;
            text = text.substr(0, at);
        }
        Expr min(0);
        if (const auto at = findOutside(text, " from "); at != std::string_view::npos) {
            FW_TRY(min, expression(text.substr(at + 6)));
            text = text.substr(0, at);
        }
        const auto in = text.find(" in ");
        if (in == std::string_view::npos)
            return wrong("a loop reads for variable in extent {");
        const Symbol var(trimmed(text.substr(0, in)));
        FW_TRY(const Expr extent, expression(text.substr(in + 4)));
        FW_TRY(auto inside, braces());
        FW_CHECK(close());
        if (kind == LoopKind::Parallel && min.isInt(0))
            return parallelStmt(var, extent, grain, std::move(inside), from);
        return forStmt(var, min, extent, kind, std::move(inside), from);
    }

    std::vector<std::string_view> m_lines;
    std::size_t m_at = 0;
    std::map<std::string, DType> m_dtypes;
};

} // namespace

Result<LoopNest> parseLoops(std::string_view text) {
    return LoopParser(text).nest();
}

} // namespace fw
