// What competes for operators, and how it gets its turn.
#include "common/test.h"
#include "rewrite/choices.h"
#include "rewrite/history.h"
#include "rewrite/rewriting.h"

using namespace fw;
using namespace rewriting;

class TestChoices : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void othersOfTheSameOperators();
    void oneThatIsTakenActs();
    void rivalsOfRivals();
    void waysOfOneRule();
    void whatCannotBeHad();
    void whatDoesNotFit();
    void randomChoicesKeepTheirWord();

private:
    struct Stepped { // the walk stands in front of an application
        GraphPtr graph;
        RuleBook book;
        RewriteOptions options;
        std::shared_ptr<const Rewritten> out;
        std::unique_ptr<RewriteHistory> history;
        OtherMatches choices;

        Result<Application> done(std::size_t choice) {
            return take(history->editor(), book, choices.found.at(choice));
        }
        Instead instead(const Application& wanted) {
            return insteadOf(graph, book, options, history->next(), wanted).take();
        }
        std::vector<std::string> names() const { // "pair: tanh two, relu one"
            std::vector<std::string> all;
            for (const OtherMatch& choice : choices.found) {
                std::string text = book.entries[choice.entry]->name + ":";
                for (const NodeId id : choice.match.nodes)
                    text += " " + history->editor().find(id)->name;
                all.push_back(text);
            }
            return all;
        }
    };
    static Stepped before(std::size_t application, const GraphPtr& graph, const RuleBook& book,
                          const LeftOut& leftOut = {}) {
        Stepped out;
        out.graph = graph;
        out.book = book;
        out.options.leftOut = leftOut;
        out.out = std::make_shared<Rewritten>(rewriteGraph(graph, book, out.options).take());
        out.history = std::make_unique<RewriteHistory>(graph, out.out->trace.applications);
        while (out.history->done() < application)
            out.history->step();
        out.choices = choicesAt(out.history->editor(), book, out.history->next(), out.options);
        return out;
    }
    static GraphPtr rewrittenInstead(const Stepped& stepped, const Instead& instead) {
        RewriteOptions options = stepped.options;
        for (const auto& one : parseLeftOut(instead.leaveOut).take())
            options.leftOut.insert(one);
        for (const auto& one : parseLeftOut(instead.again).take())
            options.leftOut.erase(one);
        return rewriteGraph(stepped.graph, stepped.book, options).take().graph;
    }
};

namespace {

const char* const chain = "graph g(x: f32[2]) -> y {\n"
                          " a = relu(x) @node(\"one\")  b = tanh(a) @node(\"two\")\n"
                          " y = exp(b) @node(\"three\")\n}";

} // namespace

void TestChoices::othersOfTheSameOperators() {
    const RuleBook book = bookOf("rule single { match y = relu(x) emit y = neg(x) }\n"
                                 "rule pair { match y = tanh(relu(x)) emit y = sin(x) }\n"
                                 "rule far { match y = exp(x) emit y = cos(x) }\n"
                                 "rule triple { match y = exp(tanh(relu(x))) emit y = log(x) }");
    Stepped stepped = before(0, graphOf(chain), book);
    QCOMPARE(stepped.names(), (std::vector<std::string>{"pair: two one", "triple: three two one"}));
    for (const OtherMatch& choice : stepped.choices.found) {
        QCOMPARE(choice.shared.size(), std::size_t(1));
        QCOMPARE(choice.shared.front()->name, std::string("one"));
        QVERIFY(!choice.unfit);
    }
    QCOMPARE(stepped.choices.stopped, std::string());
}

// What was shown is what is done then.
void TestChoices::oneThatIsTakenActs() {
    const RuleBook book = bookOf("rule single { match y = relu(x) emit y = neg(x) }\n"
                                 "rule pair { match y = tanh(relu(x)) emit y = sin(x) }");
    Stepped stepped = before(0, graphOf(chain), book);
    const Application shown = stepped.done(0).take();
    const Instead instead = stepped.instead(shown);
    QCOMPARE(instead.leaveOut, std::vector<std::string>{"single at one"});
    QCOMPARE(instead.number, std::size_t(1));
    QVERIFY(!instead.refused);
    QCOMPARE(operatorsOf(*rewrittenInstead(stepped, instead)), QStringLiteral("sin exp"));
    // The walk shows it in place of what was done.
    RewriteHistory history(stepped.graph, stepped.out->trace.applications);
    history.replaceNext(shown);
    QCOMPARE(history.next().matched.size(), std::size_t(2));
    const Graph& graph = history.graph();
    history.step();
    QCOMPARE(operatorsOf(graph), QStringLiteral("sin exp"));
}

// Another one would come first: it is left out, too.
void TestChoices::rivalsOfRivals() {
    const RuleBook book = bookOf("rule single { match y = relu(x) emit y = neg(x) }\n"
                                 "rule other { match y = tanh(x) emit y = cos(x) }\n"
                                 "rule pair { match y = tanh(relu(x)) emit y = sin(x) }");
    Stepped stepped = before(0, graphOf(chain), book);
    QCOMPARE(stepped.names(), std::vector<std::string>{"pair: two one"});
    const Instead instead = stepped.instead(stepped.done(0).take());
    QCOMPARE(instead.leaveOut, (std::vector<std::string>{"single at one", "other at two"}));
    QCOMPARE(operatorsOf(*rewrittenInstead(stepped, instead)), QStringLiteral("sin exp"));
    // What the user left out before is wanted again.
    Stepped again = before(0, graphOf(chain), book, {{"pair", "two"}});
    const Instead back = again.instead(again.done(0).take());
    QCOMPARE(back.again, std::vector<std::string>{"pair at two"});
    QCOMPARE(operatorsOf(*rewrittenInstead(again, back)), QStringLiteral("sin exp"));
}

void TestChoices::waysOfOneRule() {
    const GraphPtr graph = graphOf("graph g(x: f32[2]) -> y {\n"
                                   " a = relu(x) @node(\"one\")  b = relu(a) @node(\"two\")\n"
                                   " y = relu(b) @node(\"three\")\n}");
    const RuleBook book = bookOf("rule twice { match y = relu(relu(x)) emit y = tanh(x) }");
    Stepped stepped = before(0, graph, book);
    QCOMPARE(stepped.names(), std::vector<std::string>{"twice: three two"});
    const Instead instead = stepped.instead(stepped.done(0).take());
    QCOMPARE(instead.leaveOut, std::vector<std::string>{"twice at two"});
    QCOMPARE(operatorsOf(*rewrittenInstead(stepped, instead)), QStringLiteral("relu tanh"));
}

void TestChoices::whatCannotBeHad() {
    const GraphPtr graph = graphOf("graph g(x: f32[2]) -> z {\n"
                                   " a = relu(x) @node(\"one\")  b = tanh(x) @node(\"two\")\n"
                                   " z = add(a, b) @node(\"sum\")\n}");
    const RuleBook book =
        bookOf("rule either { match y = add(relu(x), q) | add(q, tanh(x)) emit y = neg(q) }");
    Stepped stepped = before(0, graph, book);
    QCOMPARE(stepped.names(), std::vector<std::string>{"either: sum two"});
    const Instead instead = stepped.instead(stepped.done(0).take());
    QVERIFY(instead.leaveOut.empty());
    QCOMPARE(instead.number, std::size_t(0));
    QVERIFY(instead.refused);
    QCOMPARE(instead.refused->code, ReasonCode::MatchTaken);
    QCOMPARE(instead.refused->subject, std::string("either at sum"));
    QVERIFY2(instead.refused->evidence.starts_with("what takes it has the same name"),
             instead.refused->evidence.c_str());
}

void TestChoices::whatDoesNotFit() {
    const RuleBook book =
        bookOf("rule single { match y = relu(x) emit y = neg(x) }\n"
               "rule pair { match y = tanh(relu(x)) emit y = reshape(x) {shape = [2, 1]} }");
    Stepped stepped = before(0, graphOf(chain), book);
    QCOMPARE(stepped.names(), std::vector<std::string>{"pair: two one"});
    QVERIFY(stepped.choices.found.front().unfit);
    QCOMPARE(stepped.choices.found.front().unfit->code, ReasonCode::RuleUndone);
    QVERIFY(!stepped.done(0));
    // The editor is as before.
    QCOMPARE(operatorsOf(stepped.history->graph()), QStringLiteral("relu tanh exp"));
}

// In chains of random operators every choice is either had as it was shown, or refused.
void TestChoices::randomChoicesKeepTheirWord() {
    const RuleBook book = bookOf("rule ab { match y = tanh(relu(x)) emit y = sin(x) }\n"
                                 "rule bb { match y = tanh(tanh(x)) emit y = cos(x) }\n"
                                 "rule ba { match y = relu(tanh(x)) emit y = exp(x) }\n"
                                 "rule aba { match y = relu(tanh(relu(x))) emit y = log(x) }");
    unsigned state = 7;
    std::size_t had = 0, refused = 0;
    for (int i = 0; i < 40; ++i) {
        std::string text = "graph g(x0: f32[2]) -> x8 {\n";
        for (int k = 0; k < 8; ++k) {
            state = state * 1103515245U + 12345U;
            text += " x" + std::to_string(k + 1) + " = " +
                    ((state >> 16U) % 2 == 0 ? "relu" : "tanh") + "(x" + std::to_string(k) + ")\n";
        }
        const GraphPtr graph = graphOf(text + "}");
        const std::size_t count = rewriteGraph(graph, book, {}).take().trace.applications.size();
        for (std::size_t at = 0; at < count; ++at) {
            const std::size_t choices = before(at, graph, book).choices.found.size();
            for (std::size_t k = 0; k < choices; ++k) {
                Stepped stepped = before(at, graph, book);
                const Application shown = stepped.done(k).take();
                const Instead instead = stepped.instead(shown);
                if (instead.refused) {
                    ++refused;
                    continue;
                }
                ++had;
                RewriteOptions options;
                options.leftOut = parseLeftOut(instead.leaveOut).take();
                const Rewritten out = rewriteGraph(graph, book, options).take();
                const Application& one = out.trace.applications.at(instead.number - 1);
                QCOMPARE(one.entry, shown.entry);
                QCOMPARE(one.matched.size(), shown.matched.size());
                for (std::size_t n = 0; n < one.matched.size(); ++n)
                    QCOMPARE(one.matched[n]->name, shown.matched[n]->name);
            }
        }
    }
    QVERIFY2(had > 40, qPrintable(QString::number(had)));
    QVERIFY2(refused < had, qPrintable(QString::number(refused)));
}

FW_TEST(TestChoices, QCoreApplication)
#include "test_choices.moc"
