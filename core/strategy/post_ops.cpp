#include "strategy/post_ops.h"

#include <string>
#include <vector>

namespace fw {

namespace {

constexpr std::size_t widest = 110; // characters of a line

struct TailChain {
    std::string name, times;
    std::vector<std::string> steps;
};

// A constant is one number or one per channel, which the library's code looks at itself.
TailChain chainOfRows() {
    TailChain out;
    std::vector<std::string> joins;
#define FW_CHAIN(chain, also, often)                                                               \
    out.name = chain;                                                                              \
    out.times = often;                                                                             \
    out.steps.emplace_back(also);
#define FW_MAP(id, number, text, code, value, op, ...) out.steps.emplace_back(op);
#define FW_ALSO(id, op, ...) out.steps.emplace_back(op);
#define FW_JOIN(id, number, text, code, value, op) joins.emplace_back(op);
#include "libraries/onednn/post_ops.def"
    std::erase(out.steps, ""); // no operator becomes it
    std::erase(joins, "");
    for (std::string& step : out.steps)
        if (step.find('(') == std::string::npos)
            step += "(^)";
    for (const char* other : {"(^, r: same(^))", "(^, const)"})
        for (const std::string& op : joins)
            out.steps.push_back(op + other);
    return out;
}

std::string bookText() {
    const TailChain chain = chainOfRows();
    std::string out =
        "# What a library can append to its calls: a step for each row of its table of "
        "post-ops, in this order or any other.\n";
    std::string line = "chain " + chain.name + " = (";
    const std::string inside(line.size(), ' ');
    bool first = true;
    for (const std::string& step : chain.steps) {
        const std::string piece = (first ? "" : "| ") + step;
        if (!first && line.size() + 1 + piece.size() > widest) {
            out += line + "\n";
            line = inside + piece;
        } else {
            line += (first ? "" : " ") + piece;
        }
        first = false;
    }
    return out + line + ")* " + chain.times + "\n";
}

} // namespace

std::string_view embeddedPostOps() {
    static const std::string text = bookText();
    return text;
}

} // namespace fw
