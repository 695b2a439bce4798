#include "syntax/strategy.h"

#include "base/library_names.h"
#include "syntax/clauses.h"
#include "syntax/declarations.h"
#include "syntax/header.h"
#include "syntax/hints.h"
#include "syntax/schedule.h"

namespace fw {

namespace {

void byClause(Parser& parser, EntryTree& entry) {
    entry.codeSpan = parser.peek().span;
    if (parser.accept("schedule")) {
        entry.codeSpan = parser.peek().span;
        entry.code = scheduleCode(parser.expectName("the name of a schedule", Expect::Schedule));
    } else {
        entry.code = libraryMeant(
            parser.expectName("the implementation that computes it", Expect::Implementation));
    }
}

void computeClause(Parser& parser, EntryTree& entry) {
    const Parser::Expecting expecting(parser, Expect::Operator);
    entry.compute = parser.expression();
}

void priorityClause(Parser& parser, EntryTree& entry) {
    entry.priority = parser.expectInt("a priority");
}

void whenClause(Parser& parser, EntryTree& entry) {
    const Parser::Expecting expecting(parser, Expect::Guard);
    entry.guard = parser.condition();
    if (entry.guard->tree.isName("not") && parser.peek().kind == TokenKind::Name)
        parser.fail("a condition expected, found '" + parser.peek().text + "'");
    if (parser.peek().is("when"))
        parser.failAt(parser.peek().span, "there are two conditions", "join them with &&");
}

void absorbsClause(Parser& parser, EntryTree& entry) {
    entry.chainSpan = parser.peek().span;
    parser.offer({"none", "any"});
    const std::string what = parser.expectName("none, any or a chain", Expect::Chain);
    entry.absorbs = what == "none"  ? AbsorbClause::None
                    : what == "any" ? AbsorbClause::Any
                                    : AbsorbClause::Chain;
    if (entry.absorbs == AbsorbClause::Chain)
        entry.chain = what;
}

constexpr Clause<EntryTree> entryClauses[] = {
    {"by", byClause},     {"compute", computeClause}, {"priority", priorityClause},
    {"when", whenClause}, {"absorbs", absorbsClause},
};

EntryTree entry(Parser& parser) {
    EntryTree out;
    const Token first = parser.peek();
    if (isForeignClause(first))
        parser.fail("the name of an implementation expected, found '" + first.text + "'");
    out.name =
        parser.accept("*")
            ? "*"
            : libraryMeant(parser.expectName("the name of an implementation", Expect::Entry));
    if (out.name != "*" && parser.accept(".")) {
        parser.expect("*");
        out.name += ".*";
    }
    Clauses<EntryTree> clauses(entryClauses);
    while (!parser.failed() && clauses.accept(parser, out)) {
    }
    out.span = parser.spanFrom(first);
    return out;
}

void signatureOf(Parser& parser, ImplementationsTree& tree) {
    parser.expect("(");
    if (parser.accept("...")) {
        parser.expect(")");
        return;
    }
    tree.ownSignature = true;
    do {
        ParamTree param;
        const Token first = parser.peek();
        param.name = parser.bindName("an operand");
        parser.expect(":");
        param.type = parser.type();
        parser.bindsVariablesOf(param.type);
        param.span = parser.spanFrom(first);
        tree.params.push_back(std::move(param));
    } while (parser.accept(","));
    parser.expect(")");
}

} // namespace

std::shared_ptr<DeclarationTree> parseImplementationsDeclaration(Parser& parser) {
    auto out = std::make_shared<ImplementationsTree>();
    const Token first = parser.peek();
    out->subjectSpan = first.span;
    parser.offer({"kind"});
    out->subject = parser.expectName("an operator, or kind and a kind", Expect::Operator);
    out->name = out->subject;
    if (out->subject == "kind") {
        out->subjectKind = SubjectKind::Kind;
        out->subjectSpan = parser.peek().span;
        parser.offer({"any"});
        out->subject = parser.expectName("a kind of operators, or any", Expect::Kind);
        out->name += " " + out->subject;
    } else {
        signatureOf(parser, *out);
    }
    out->doc = parser.acceptText();
    if (parser.accept("let")) {
        const Parser::Expecting expecting(parser, Expect::Guard);
        out->let = parseNamedTrees(parser);
    }
    if (parser.at("{"))
        parser.failAt(parser.spanFrom(first), "a block says which targets it is for",
                      "on any, or on x86-64-v3, cpu");
    if (!parser.at("on"))
        parser.expect("on");
    const auto whole = joinedConditions(parseHeader(parser, *out, Expect::Guard));
    parser.expect("{");
    while (!parser.failed() && !parser.at("}")) {
        EntryTree one = entry(parser);
        if (whole && one.guard)
            one.guard = joinedConditions({*whole, *one.guard});
        else if (whole)
            one.guard = whole;
        out->entries.push_back(std::move(one));
    }
    parser.expect("}");
    return out;
}

std::optional<SignatureTree> parseSignature(const std::string& text) {
    const auto op = only<OpTree>(parseFile("op " + text + " {}", {}));
    return op ? std::optional(SignatureTree{op->params, op->outs}) : std::nullopt;
}

} // namespace fw
