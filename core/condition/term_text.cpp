#include "condition/condition.h"

#include <fmt/format.h>

namespace fw {

std::string termText(const Tree& term) {
    const auto listed = [&](std::string_view open, std::string_view close) {
        std::string out(open);
        for (const Tree& part : term.args)
            out += (out.size() > open.size() ? ", " : "") + termText(part);
        return out + std::string(close);
    };
    switch (term.kind) {
    case TreeKind::Int:
    case TreeKind::Float:
        if (const auto value = evaluate(term, {}))
            return textOf(*value);
        break;
    case TreeKind::Text:
        return quoteText(term.text);
    case TreeKind::List:
        return listed("[", "]");
    case TreeKind::Call:
        return term.text + listed("(", ")");
    case TreeKind::Index:
        return term.text + listed("[", "]");
    case TreeKind::Unary:
        return term.text + termText(term.args[0]);
    case TreeKind::Binary:
        return fmt::format("{} {} {}", termText(term.args[0]), term.text, termText(term.args[1]));
    case TreeKind::Name:
    case TreeKind::Pack:
    case TreeKind::Reduce:
        break;
    }
    return term.text;
}

} // namespace fw
