#include "pattern/declared.h"
#include "pattern/repeated.h"

#include <fmt/format.h>

#include <map>

namespace fw {

namespace {

std::string listText(const std::vector<PatternTree>& parts, const std::string& mark) {
    std::string out;
    for (const PatternTree& part : parts)
        out += (out.empty() ? "" : mark) + patternText(part);
    return out;
}

// As one step: what stands behind it is said of all of it.
std::string stepText(const PatternTree& part) {
    return part.kind == PatternKind::Sequence ? "(" + patternText(part) + ")" : patternText(part);
}

std::string attributesText(const std::vector<PatternAttrTree>& attrs) {
    std::string out;
    for (const PatternAttrTree& attr : attrs)
        out += (out.empty() ? " {" : ", ") + attr.text;
    return out.empty() ? out : out + "}";
}

std::string constraintsText(const PatternTree& p) {
    std::string out;
    for (const PatternConstraint& one : p.constraints)
        out += (out.empty() ? ": " : " & ") + (one.kind == PatternConstraint::Kind::Same
                                                   ? "same(" + writtenName(one.name) + ")"
                                                   : one.text);
    return out;
}

// "(a, _, c) = p"; empty if it is the name of a value.
std::string resultsText(const PatternTree& p) {
    std::map<std::int64_t, std::string> names;
    const PatternTree* inner = &p;
    for (; inner->kind == PatternKind::Bind && inner->result >= 0; inner = &inner->args[0])
        names[inner->result] = writtenName(inner->name);
    const PatternTree& named = inner->kind == PatternKind::Bind ? inner->args[0] : *inner;
    const bool isFurther = named.kind == PatternKind::Output && named.low >= 0;
    if (inner->kind != PatternKind::Bind || inner->shared || (names.empty() && !isFurther))
        return {};
    names[isFurther ? named.low : 0] = writtenName(inner->name);
    std::string out;
    for (std::int64_t i = 0; i <= names.rbegin()->first; ++i)
        out += (i == 0 ? "" : ", ") + (names.contains(i) ? names[i] : "_");
    return "(" + out + ") = " + patternText(isFurther ? named.args[0] : named);
}

std::string plainText(const PatternTree& p) {
    switch (p.kind) {
    case PatternKind::Previous:
        return "^";
    case PatternKind::Any:
        return "any";
    case PatternKind::Const:
        return "const";
    case PatternKind::Capture:
        return writtenName(p.name);
    case PatternKind::Bind:
        if (std::string several = resultsText(p); !several.empty())
            return several;
        return (p.shared ? "" : writtenName(p.name) + " = ") + patternText(p.args[0]);
    case PatternKind::Call:
        return (p.ofKind ? "kind " : "") + p.name + "(" + listText(p.args, ", ") + ")" +
               attributesText(p.attrs);
    case PatternKind::Sequence:
        return listText(p.args, " >> ");
    case PatternKind::Alternatives:
        return "(" + listText(p.args, " | ") + ")";
    case PatternKind::Optional:
        return stepText(p.args[0]) + "?";
    case PatternKind::Repeat:
        return stepText(p.args[0]) + fmt::format("* {{{}..{}}}", p.low, p.high);
    case PatternKind::Not:
        return "not " + stepText(p.args[0]);
    case PatternKind::Output:
        return fmt::format("out({}, {})", p.low < 0 ? "any" : std::to_string(p.low),
                           patternText(p.args[0]));
    case PatternKind::Rest:
        return "..." + listText(p.args, "");
    case PatternKind::Dominated:
        return "dominated(" + listText(p.args, ", ") + ")";
    case PatternKind::Associative:
        return "assoc " + p.name + "(" + listText(p.args, ", ") + ")";
    }
    return {};
}

} // namespace

std::string patternText(const PatternTree& p) {
    // "const 0.5" is a constraint of its own.
    if (p.kind == PatternKind::Const && !p.constraints.empty() &&
        p.constraints.front().kind == PatternConstraint::Kind::Equal)
        return p.constraints.front().text;
    return plainText(p) + constraintsText(p);
}

} // namespace fw
