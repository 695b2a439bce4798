// What rules and patterns cost grows with one thing alone, and not faster: moves, constants that
// join, repetitions, rules, readers.
#include "common/test.h"
#include "large/growth_rows.h"
#include "library/library.h"
#include "rewrite/driver.h"
#include "session/asked.h"

#include <fmt/format.h>

#include <map>

using namespace fw;
using namespace fw::test;

namespace {

class Builder {
public:
    ValueRef input(const std::string& name, const TensorType& type) {
        return m_editor.addInput(name, type);
    }
    ValueRef constant(const Shape& shape, double value) {
        const std::int64_t count = elementCount(shape).asInt().value();
        return m_editor.addConstant(
            fmt::format("c{}", m_constants++),
            dataFromDoubles(DType::F32, fixedExtents(shape).value(),
                            std::vector<double>(static_cast<std::size_t>(count), value)));
    }
    ValueRef add(const std::string& op, std::vector<ValueRef> inputs, Attrs attrs = {}) {
        GraphEditor::NewNode node;
        node.op = op;
        node.inputs = std::move(inputs);
        node.attrs = std::move(attrs);
        return m_editor.add(std::move(node)).value().front();
    }
    void result(ValueRef value) { m_editor.addResult(fmt::format("y{}", m_results++), value); }
    GraphPtr finish() { return m_editor.finish(GraphEditor::Origins::Fresh).value(); }
    GraphPtr finish(ValueRef value) {
        result(value);
        return finish();
    }

private:
    GraphEditor m_editor{standardOperators()};
    int m_constants = 0, m_results = 0;
};

const TensorType rows{DType::F32, {Dim(4), Dim(8)}};

Attrs attribute(const std::string& name, std::int64_t value) {
    Attrs out;
    out.set(name, AttrValue(value));
    return out;
}

// So many of these operators behind each other, in turn.
GraphPtr chain(int count, const std::vector<std::string>& ops, const std::string& first = {},
               const std::string& last = {}) {
    Builder b;
    ValueRef x = b.input("x", rows);
    if (!first.empty())
        x = b.add(first, {x});
    for (int i = 0; i < count; ++i)
        x = b.add(ops[static_cast<std::size_t>(i) % ops.size()], {x});
    return b.finish(last.empty() ? x : b.add(last, {x}));
}

// So many operators that take a constant, behind x.
GraphPtr withConstants(int count, const std::vector<std::string>& ops, ValueRef x, Builder& b,
                       const Shape& shape) {
    for (int i = 0; i < count; ++i) {
        const std::string& op = ops[static_cast<std::size_t>(i) % ops.size()];
        x = b.add(op, {x, b.constant(shape, 1 + 1e-4 * i)},
                  op == "bias" ? attribute("axis", 1) : Attrs());
    }
    return b.finish(x);
}

GraphPtr constants(int count, const std::vector<std::string>& ops) {
    Builder b;
    const ValueRef x = b.input("x", rows);
    return withConstants(count, ops, x, b, {Dim(8)});
}

GraphPtr behindConvolution(int count) {
    Builder b;
    const ValueRef x = b.input("x", {DType::F32, {Dim(1), Dim(4), Dim(6), Dim(6)}});
    const ValueRef y = b.add("conv2d", {x, b.constant({Dim(4), Dim(4), Dim(3), Dim(3)}, 0.5)});
    return withConstants(count, {"mul", "add"}, y, b, {Dim(4), Dim(1), Dim(1)});
}

// One value with so many readers, added up by a tree.
GraphPtr fan(int count, const std::vector<std::string>& ops) {
    Builder b;
    const ValueRef x = b.add("relu", {b.input("x", rows)});
    std::vector<ValueRef> parts;
    for (int i = 0; i < count; ++i)
        parts.push_back(b.add(ops[static_cast<std::size_t>(i) % ops.size()], {x}));
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2)
        parts.push_back(b.add("add", {parts[i], parts[i + 1]}));
    return b.finish(parts.back());
}

Work rewritten(GraphPtr graph, const std::string& text, std::size_t applications) {
    const RuleBook book =
        text.empty() ? standardRules().value() : parseRules(text, "book.fw").value();
    return [graph = std::move(graph), book, applications](int) {
        const Result<Rewritten> out = rewriteGraph(graph, book, {});
        QVERIFY(out.ok());
        QVERIFY2(out->trace.applications.size() >= applications,
                 qPrintable(QString::number(out->trace.applications.size())));
        QCOMPARE(out->trace.stopReason, std::string("fixpoint"));
    };
}

// Steps that may be repeated, and none of the ways to divide a chain among them has what comes
// first.
std::string refusedRepetitions(int steps, int least, int most) {
    std::string out = "rule none { match y = exp(x)";
    for (int i = 0; i < steps; ++i)
        out += fmt::format(" >> (kind elementwise(^, ...))* {{{}..{}}}", least, most);
    return out + " emit y = x }";
}

// Right rules that are alike but for a size.
std::string alike(int count, int run) {
    std::string out;
    for (int i = 0; i < count; ++i)
        out +=
            fmt::format("rule r{}_{} {{ match y = abs(abs(x: f32[{}, ...])) emit y = abs(x) }}\n",
                        run, i, i + 2);
    return out;
}

// A book that nobody asked about, since what small graphs say is kept.
Work checked(int count, std::string (*book)(int, int), bool all) {
    return [=](int run) {
        Asked asked;
        snapshot::Arguments arguments;
        arguments.rules = {"/nowhere/alike.fw"};
        arguments.texts = {{"/nowhere/alike.fw", book(count, run)}};
        const auto checked = asked.get<snapshot::CheckDocument>("check", arguments);
        QCOMPARE(checked.items.size(), static_cast<std::size_t>(count));
        for (const snapshot::CheckItem& item : checked.items)
            QVERIFY2(item.verdict.starts_with("proved") || (!all && item.verdict == "unknown"),
                     item.verdict.c_str());
    };
}

// That differ by an extent, which few graphs have that are drawn.
std::string ofSizes(int count, int run) {
    std::string out;
    for (int i = 0; i < count; ++i)
        out += fmt::format(
            "rule r{}_{} {{ match y = relu(tanh(x): f32[{}, 8]) emit y = tanh(relu(x)) }}\n", run,
            i, i + 2);
    return out;
}

// Rules of which none matches, asked at every operator.
Work refusedEverywhere(GraphPtr graph, int rules) {
    std::string text;
    for (int i = 0; i < rules; ++i)
        text += fmt::format("rule r{} {{ match y = relu(tanh(x): f32[{}, ...]) emit y = x }}\n", i,
                            i + 100);
    return rewritten(std::move(graph), text, 0);
}

} // namespace

class TestGrowthRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { keepMemory(); }
    void grows_data();
    void grows();

private:
    std::map<QString, GrowthRow> m_rows;
};

void TestGrowthRules::grows_data() {
    QTest::addColumn<QString>("name");
    const auto row = [&](const char* name, int small, int large,
                         const std::function<Work(int)>& make, int runs = 3, double seconds = 2) {
        m_rows[QString::fromLatin1(name)] = {make, small, large, runs, seconds};
        QTest::newRow(name) << QString::fromLatin1(name);
    };
    row("moves toward the inputs", 500, 4000, [](int n) {
        return rewritten(chain(n, {"tanh"}, {}, "relu"),
                         "rule up { match y = relu(tanh(x)) emit y = tanh(relu(x)) }",
                         static_cast<std::size_t>(n));
    });
    row("moves toward the results", 500, 4000, [](int n) {
        return rewritten(chain(n, {"tanh"}, "relu"),
                         "rule down { match y = tanh(relu(x)) emit y = relu(tanh(x)) }",
                         static_cast<std::size_t>(n));
    });
    row("moves past each other", 27 * 27, 54 * 54, [](int moves) { // of as many as the root of it
        Builder b;
        ValueRef x = b.input("x", rows);
        for (const char* op : {"tanh", "relu"})
            for (int i = 0; i * i < moves; ++i)
                x = b.add(op, {x});
        return rewritten(b.finish(x), "rule up { match y = relu(tanh(x)) emit y = tanh(relu(x)) }",
                         static_cast<std::size_t>(moves));
    });
    row("constants that join", 250, 1000, [](int n) {
        return rewritten(constants(n, {"mul"}),
                         "rule join { match y = mul(mul(x, c: const), d: const) "
                         "emit y = mul(x, mul(c, d)) }\nbuiltin fold_constants\n",
                         static_cast<std::size_t>(n) - 1);
    });
    row("constants behind a convolution, shipped rules", 250, 1000,
        [](int n) { return rewritten(behindConvolution(n), {}, 1); });
    row("constants that stay, shipped rules", 500, 8000, [](int n) {
        return rewritten(constants(n, {"bias", "mul"}), {}, 0);
    });
    row("constants that are added and multiplied, shipped rules", 500, 2000, [](int n) {
        return rewritten(constants(n, {"add", "mul"}), {}, 0);
    });
    row("operands that a pattern names", 250, 1000, [](int n) {
        Builder b;
        const ValueRef x = b.input("x", rows);
        std::vector<ValueRef> parts;
        std::string names;
        for (int i = 0; i < n; ++i) {
            parts.push_back(b.add(i % 2 == 0 ? "tanh" : "relu", {x}));
            names += fmt::format("{}a{}", i > 0 ? ", " : "", i);
        }
        return rewritten(b.finish(b.add("concat", parts, attribute("axis", 0))),
                         fmt::format("rule r {{ match y = concat({0}) {{axis = 0}} "
                                     "emit y = relu(concat({0}) {{axis = 0}}) strategy once }}",
                                     names),
                         1);
    });
    row("repetitions that are refused, by how many there may be", 5, 20, [](int n) {
        return rewritten(chain(300, {"tanh", "relu"}), refusedRepetitions(3, 1, n), 0);
    });
    row("repetitions that are refused, by how many there must be", 5, 20, [](int n) {
        return rewritten(chain(300, {"tanh", "relu"}), refusedRepetitions(3, n, n), 0);
    });
    row("repetitions that are refused, by steps", 2, 8, [](int n) {
        return rewritten(chain(300, {"tanh", "relu"}), refusedRepetitions(n, 1, 80 / n), 0);
    });
    row("rules that refuse everywhere, by rules", 25, 100, [](int n) {
        return refusedEverywhere(chain(1000, {"tanh", "relu"}), n);
    });
    row("rules that refuse everywhere, by operators", 1000, 4000, [](int n) {
        return refusedEverywhere(chain(n, {"tanh", "relu"}), 30);
    });
    row("readers of one value that all change", 1000, 4000, [](int n) {
        return rewritten(fan(n, {"tanh"}), "rule odd { match y = tanh(x) emit y = erf(x) }",
                         static_cast<std::size_t>(n));
    });
    // A rule costs as much as its trial: a hundred graphs, each computed a few times.
    row(
        "rules that are alike, checked", 10, 30, [](int n) { return checked(n, alike, true); }, 1,
        12);
    row(
        "rules that differ by a size, checked", 25, 100,
        [](int n) { return checked(n, ofSizes, false); }, 1, 8);
}

void TestGrowthRules::grows() {
    QFETCH(QString, name);
    checkGrowth(m_rows.at(name));
}

FW_TEST(TestGrowthRules, QCoreApplication)
#include "test_growth_rules.moc"
