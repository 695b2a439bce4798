#include "syntax/target.h"

#include "base/nearest.h"
#include "syntax/clauses.h"
#include "syntax/header.h"

namespace fw {

namespace {

std::vector<KeyTree> list(Parser& parser, Expect stands) {
    std::vector<KeyTree> out;
    parser.expect("=");
    parser.expect("[");
    while (!parser.failed() && !parser.at("]")) {
        out.push_back(parseKey(parser, stands));
        if (!parser.accept(","))
            break;
    }
    parser.expect("]");
    return out;
}

NumberTree number(Parser& parser, std::string_view what) {
    parser.expect("=");
    const Token first = parser.peek();
    NumberTree out;
    out.value = parser.expectInt(what);
    out.span = parser.spanFrom(first);
    return out;
}

void requiresClause(Parser& parser, TargetTree& tree) {
    do {
        SequenceTree one;
        const Token first = parser.peek();
        one.pattern = parsePattern(parser);
        one.text = parser.source(parser.spanFrom(first));
        tree.required.push_back(std::move(one));
    } while (!parser.failed() && parser.accept(","));
}

constexpr Clause<TargetTree> targetClauses[] = {
    {"keys", [](Parser& p, TargetTree& tree) { tree.keys = list(p, Expect::TargetKey); }},
    {"libs", [](Parser& p, TargetTree& tree) { tree.libs = list(p, Expect::Library); }},
    {"features", [](Parser& p, TargetTree& tree) { tree.features = list(p, Expect::Feature); }},
    {"vector_bits",
     [](Parser& p, TargetTree& tree) {
         tree.vectorBits = number(p, "how many bits a vector has");
     }},
    {"threads",
     [](Parser& p, TargetTree& tree) { tree.threads = number(p, "how many threads there are"); }},
    {"requires", requiresClause, Stands::Often},
};

} // namespace

std::shared_ptr<DeclarationTree> parseTargetDeclaration(Parser& parser) {
    auto out = std::make_shared<TargetTree>();
    const KeyTree name = parseKey(parser, Expect::Nothing);
    out->name = name.name;
    out->nameSpan = name.span;
    out->doc = parser.acceptText();
    if (parser.at("{"))
        parser.failAt(name.span, "a target stands on another one",
                      "target " + name.name + " on x86-64-v3, or on x86-64 for this machine's CPU");
    parser.expect("on");
    out->on = parseKey(parser);
    parser.expect("{");
    Clauses<TargetTree> clauses(targetClauses);
    while (!parser.failed() && (!parser.atEnd() || parser.isAtCaret()) && !parser.at("}")) {
        const Token word = parser.peek();
        if (!clauses.accept(parser, *out))
            parser.failAt(word.span, "a target has no " + word.text,
                          didYouMean(word.text, clauses.words(), clauses.anyOf("}")));
    }
    parser.expect("}");
    return out;
}

} // namespace fw
