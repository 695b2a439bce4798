#include "syntax/target.h"

#include "base/nearest.h"
#include "syntax/header.h"

#include <set>

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

void clause(Parser& parser, TargetTree& tree) {
    if (parser.accept("keys")) {
        tree.keys = list(parser, Expect::TargetKey);
    } else if (parser.accept("libs")) {
        tree.libs = list(parser, Expect::Library);
    } else if (parser.accept("features")) {
        tree.features = list(parser, Expect::Feature);
    } else if (parser.accept("vector_bits")) {
        tree.vectorBits = number(parser, "how many bits a vector has");
    } else if (parser.accept("threads")) {
        tree.threads = number(parser, "how many threads there are");
    } else if (parser.accept("requires")) {
        do {
            SequenceTree one;
            const Token first = parser.peek();
            one.pattern = parsePattern(parser);
            one.text = parser.source(parser.spanFrom(first));
            tree.required.push_back(std::move(one));
        } while (!parser.failed() && parser.accept(","));
    } else {
        const Token word = parser.peek();
        parser.failAt(word.span, "a target has no " + word.text,
                      didYouMean(word.text,
                                 {"keys", "libs", "features", "vector_bits", "threads", "requires"},
                                 "keys, libs, features, vector_bits, threads or requires"));
    }
}

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
    std::set<std::string> written;
    while (!parser.failed() && (!parser.atEnd() || parser.isAtCaret()) && !parser.at("}")) {
        const Token word = parser.peek();
        if (!written.insert(word.text).second && !word.is("requires"))
            parser.failAt(word.span, word.text + " stands once");
        clause(parser, *out);
    }
    parser.expect("}");
    return out;
}

} // namespace fw
