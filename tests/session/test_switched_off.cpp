// A shipped book that is switched off, and would let operators fuse, is named by an explanation.
#include "common/test.h"
#include "session/asked.h"

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestSwitchedOff : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bookThatWouldFuseIsNamed();
    void nothingOfBooksThatAct();
};

// With its batch norm folded a convolution goes on to its relu.
void TestSwitchedOff::bookThatWouldFuseIsNamed() {
    Asked asked;
    Arguments wanted = on("residual");
    wanted.without = {"simplify.fw"};
    wanted.stage = "rewritten";
    const auto graph = asked.get<GraphDocument>("graph", wanted);
    const auto named = [&](const std::string& op) {
        const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                        [&](const NodeRecord& node) { return node.op == op; });
        return found == graph.nodes.end() ? std::string() : found->name;
    };
    wanted.stage.clear();
    wanted.nodes = {named("conv2d")};
    const auto told = asked.get<ExplainDocument>("explain", wanted);
    const auto book = std::find_if(told.counterfactuals.begin(), told.counterfactuals.end(),
                                   [](const auto& one) { return one.book == "simplify.fw"; });
    QVERIFY(book != told.counterfactuals.end());
    QCOMPARE(book->change, std::string("with simplify.fw"));
    QCOMPARE(book->verdict, std::string("other"));
    QVERIFY2(book->groups.at(0).starts_with("conv2d_bias_relu_"), book->groups.at(0).c_str());
}

void TestSwitchedOff::nothingOfBooksThatAct() {
    Asked asked;
    Arguments wanted = on("residual");
    wanted.nodes = {"Relu_stem_relu"};
    for (const auto& one : asked.get<ExplainDocument>("explain", wanted).counterfactuals)
        QVERIFY(one.book.empty());
}

FW_TEST(TestSwitchedOff, QCoreApplication)
#include "test_switched_off.moc"
