// Simplification keeps the value and proofs are sound: checked on random expressions against
// evaluation.
#include "common/test.h"
#include "expr/simplify.h"

#include <random>

using namespace fw;

namespace {

Expr v(const char* name) {
    return varExpr(name);
}

Expr randomExpr(std::mt19937& random, int depth) {
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    if (depth == 0 || pick(5) == 0) {
        const char* names[] = {"i", "j", "k"};
        return pick(2) == 0 ? v(names[pick(3)]) : Expr(pick(21) - 5);
    }
    const Expr a = randomExpr(random, depth - 1), b = randomExpr(random, depth - 1);
    switch (pick(8)) {
    case 0:
    case 1:
        return a + b;
    case 2:
        return a - b;
    case 3:
        return a * Expr(pick(9) - 2);
    case 4:
    case 5: {
        // By numbers of either sign, and by what is no number: not by 0, which has no value.
        const int way = pick(6);
        const Expr by = way == 0   ? maxExpr(b, Expr(1))
                        : way == 1 ? minExpr(b, Expr(-1))
                        : way == 2 ? Expr(-1 - pick(9))
                                   : Expr(1 + pick(9));
        return pick(2) == 0 ? floorDivExpr(a, by) : modExpr(a, by);
    }
    case 6:
        return minExpr(a, b);
    default:
        return maxExpr(a, b);
    }
}

} // namespace

class TestSimplify : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void canonicalSums();
    void divisionsUseRanges();
    void symbolicBounds();
    void quotientsAreDecided();
    void endsOfSplitLoops();
    void whatIsKeptHoldsWhereItIsUsed();
    void randomExpressionsKeepTheirValue();
    void randomProofsAreSound();
    void randomEndsAreSound();
};

void TestSimplify::canonicalSums() {
    QCOMPARE(simplify(v("i") + Expr(3) - v("i") + v("j") * Expr(2)).text(),
             std::string("j * 2 + 3"));
    QCOMPARE(simplify(v("j") - Expr(1) + v("i")).text(), std::string("i + j - 1"));
    QCOMPARE(simplify((v("N") + Expr(1)) * v("H") - v("H")).text(), std::string("H * N"));
    // One form, in whichever order and nesting factors are multiplied.
    const Expr a = v("A"), b = v("B"), c = v("C"), d = floorDivExpr(v("N"), Expr(2));
    for (const Expr& product : {a * b * c * d, d * c * b * a, (a * c) * (d * b), b * (a * (c * d)),
                                (b * a) * c * d, c * (b * d) * a})
        QCOMPARE(simplify(product).text(), std::string("A * B * C * (N / 2)"));
    QCOMPARE(simplify(b * (a + c) * b).text(), std::string("A * B * B + B * B * C"));
    QCOMPARE(simplify(b * Expr(3) * a * Expr(2)).text(), std::string("A * B * 6"));
    QCOMPARE(simplify((a * Expr(2)) * (b - a)).text(), std::string("A * B * 2 - A * A * 2"));
}

void TestSimplify::divisionsUseRanges() {
    Ranges ranges;
    ranges.push("i", Expr(0), Expr(15));
    QCOMPARE(simplify(floorDivExpr(v("o") * Expr(16) + v("i"), Expr(16)), ranges), v("o"));
    QCOMPARE(simplify(modExpr(v("o") * Expr(16) + v("i"), Expr(16)), ranges), v("i"));
    QCOMPARE(simplify(floorDivExpr(floorDivExpr(v("x"), Expr(4)), Expr(3))).text(),
             std::string("x / 12"));
    // Halves that are rounded up, one of the other.
    Expr half = v("H");
    for (int i = 0; i < 3; ++i)
        half = simplify(floorDivExpr(half + Expr(1), Expr(2)));
    QCOMPARE(half.text(), std::string("(H + 7) / 8"));
    QVERIFY(proveEqual(floorDivExpr(floorDivExpr(v("x") - Expr(1), Expr(4)) - Expr(5), Expr(3)),
                       floorDivExpr(v("x") + Expr(3), Expr(12)) - Expr(2)));
    ranges.push("w", Expr(0), v("W") - Expr(1));
    QCOMPARE(simplify(floorDivExpr(v("h") * v("W") + v("w"), v("W")), ranges), v("h"));
    QCOMPARE(simplify(modExpr(v("h") * v("W") + v("w"), v("W")), ranges), v("w"));
    // Values wrap, so what was read stays as it is written.
    const Expr read = loadExpr("x", {v("i")}, DType::I64);
    for (const Expr& value :
         {floorDivExpr(read * Expr(4), Expr(4)), modExpr(read * Expr(4), Expr(4))})
        QCOMPARE(simplify(value, ranges), value);
}

void TestSimplify::symbolicBounds() {
    Ranges ranges;
    ranges.push("i", Expr(0), v("N") - Expr(1));
    QCOMPARE(decide(ltExpr(v("i"), v("N")), ranges), std::optional(true));
    QCOMPARE(decide(ltExpr(v("i") + Expr(1), v("N")), ranges), std::optional<bool>());
    ranges.push("j", Expr(0), v("M") - Expr(1));
    QCOMPARE(decide(ltExpr(v("i") * v("M") + v("j"), v("N") * v("M")), ranges),
             std::optional(true));
    ranges.assume(ltExpr(v("j") + Expr(4), v("K")));
    QCOMPARE(decide(ltExpr(v("j") + Expr(3), v("K")), ranges), std::optional(true));
    Ranges shorter;
    shorter.assume(leExpr(Expr(0), v("N") - Expr(1)));
    QCOMPARE(decide(leExpr(Expr(0), v("N") * Expr(2) - Expr(2)), shorter), std::optional(true));
    QCOMPARE(decide(leExpr(Expr(0), v("N") * Expr(2) - Expr(3)), shorter), std::optional<bool>());
    // What is known simplifies an extent wherever it stands.
    const Expr third = floorDivExpr(minExpr(v("N"), Expr(3)) - minExpr(v("N"), Expr(1)), Expr(3));
    Ranges known;
    known.assume(leExpr(Expr(0), v("N") - Expr(2)));
    known.push("k", Expr(0), third - Expr(1));
    QCOMPARE(decide(ltExpr(v("k"), third), known), std::optional(true));
    // An extent that is a quotient, or the smaller of two, of free dimensions.
    for (const Expr& extent : {floorDivExpr(v("N") + Expr(1), Expr(2)), minExpr(v("N"), v("M")),
                               modExpr(v("N"), Expr(3))}) {
        Ranges one;
        one.push("k", Expr(0), extent - Expr(1));
        one.push("l", Expr(0), extent * Expr(2) - Expr(1));
        QCOMPARE(decide(ltExpr(v("k"), extent), one), std::optional(true));
        QCOMPARE(decide(ltExpr(v("k") + v("l"), extent * Expr(3) - Expr(1)), one),
                 std::optional(true));
        QCOMPARE(decide(ltExpr(v("l"), extent), one), std::optional<bool>());
    }
}

// A quotient is below N where its dividend is, and what is known of 2 * N is known of N.
void TestSimplify::quotientsAreDecided() {
    Ranges ranges;
    ranges.push("i", Expr(0), v("N") * Expr(3) - Expr(1));
    const Expr third = floorDivExpr(v("i"), Expr(3));
    QCOMPARE(decide(ltExpr(third, v("N")), ranges), std::optional(true));
    QCOMPARE(decide(ltExpr(third, v("N") - Expr(1)), ranges), std::optional<bool>());
    QCOMPARE(decide(ltExpr(v("N"), third), ranges), std::optional(false));
    QCOMPARE(simplify(floorDivExpr(third, v("N")), ranges), Expr(0));
    Ranges known;
    known.assume(leExpr(Expr(1), v("M") * Expr(2) - Expr(2)));
    QCOMPARE(decide(leExpr(Expr(2), v("M")), known), std::optional(true));
    QCOMPARE(decide(leExpr(Expr(3), v("M")), known), std::optional<bool>());
}

// The middle of a loop over tiles that was split: it starts behind the first tile, if there is one,
// and ends before the last.
void TestSimplify::endsOfSplitLoops() {
    const Expr tiles = floorDivExpr(v("W"), Expr(14)), w = v("i") * Expr(14);
    const Expr first = minExpr(Expr(1), tiles);
    const Expr last = maxExpr(floorDivExpr(v("W") + Expr(13), Expr(14)) - Expr(1), first);
    Ranges middle;
    middle.push("i", first, last - Expr(1));
    QCOMPARE(decide(leExpr(Expr(0), w - Expr(14)), middle), std::optional(true));
    QCOMPARE(decide(ltExpr(w + Expr(14), v("W")), middle), std::optional(true));
    QCOMPARE(decide(ltExpr(w + Expr(15), v("W")), middle), std::optional<bool>());
    Ranges end;
    end.push("i", last, tiles - Expr(1));
    QCOMPARE(decide(leExpr(Expr(0), w - Expr(14)), end), std::optional(true));
    QCOMPARE(decide(ltExpr(w + Expr(14), v("W")), end), std::optional(false));
}

// A range up to N - 1 has a value, so N is at least 1 while it is known, and not behind it: neither
// in what is simplified nor in what is proved, whichever is asked first.
void TestSimplify::whatIsKeptHoldsWhereItIsUsed() {
    for (const bool longer : {false, true})
        for (const bool filledFirst : {true, false}) {
            const Expr n = v(filledFirst ? (longer ? "A" : "B") : (longer ? "C" : "D"));
            Expr sum = v("M") * Expr(3);
            for (int i = 0; longer && i < 8; ++i)
                sum = sum + modExpr(v("M") * Expr(5 + i), Expr(97 + i)) * Expr(7);
            const Expr e = floorDivExpr(maxExpr(n, Expr(1)) + sum, Expr(101));
            const Expr least = floorDivExpr(n - Expr(1) + sum, Expr(1)) - sum;
            Ranges filled;
            filled.push("i", Expr(0), n - Expr(1));
            const auto hasMax = [&](const Ranges& ranges) {
                bool found = false;
                visitExpr(simplify(e, ranges),
                          [&](const Expr& part) { found = found || part.op() == ExprOp::Max; });
                return found;
            };
            for (int round = 0; round < 2; ++round)
                for (const bool isFilled : {filledFirst, !filledFirst}) {
                    QCOMPARE(hasMax(isFilled ? filled : Ranges()), !isFilled);
                    QCOMPARE(proveNonNegative(least, isFilled ? filled : Ranges()), isFilled);
                }
        }
}

void TestSimplify::randomExpressionsKeepTheirValue() {
    std::mt19937 random(1);
    Ranges ranges;
    ranges.push("i", Expr(0), Expr(6));
    ranges.push("j", Expr(-3), Expr(4));
    ranges.push("k", Expr(2), Expr(2));
    for (int round = 0; round < 4000; ++round) {
        const Expr e = randomExpr(random, 4), simple = simplify(e, ranges);
        for (std::int64_t i = 0; i <= 6; i += 2)
            for (std::int64_t j = -3; j <= 4; ++j) {
                const Bindings at{{"i", i}, {"j", j}, {"k", 2}};
                QVERIFY2(evalIndex(e, at) == evalIndex(simple, at),
                         (e.text() + " became " + simple.text()).c_str());
            }
    }
}

void TestSimplify::randomProofsAreSound() {
    std::mt19937 random(2);
    Ranges ranges;
    ranges.push("i", Expr(0), Expr(6));
    ranges.push("j", Expr(0), v("i") + Expr(1));
    ranges.push("k", Expr(-1), Expr(3));
    int proved = 0;
    for (int round = 0; round < 4000; ++round) {
        const Expr e = randomExpr(random, 3);
        if (!proveNonNegative(e, ranges))
            continue;
        ++proved;
        for (std::int64_t i = 0; i <= 6; ++i)
            for (std::int64_t j = 0; j <= i + 1; ++j)
                for (std::int64_t k = -1; k <= 3; ++k)
                    QVERIFY2(*evalIndex(e, {{"i", i}, {"j", j}, {"k", k}}) >= 0, e.text().c_str());
    }
    QVERIFY(proved > 100);
}

// Ends of ranges that are clamped by dimensions and by the variable before.
void TestSimplify::randomEndsAreSound() {
    std::mt19937 random(3);
    const auto number = [&](int least, int most) {
        return static_cast<int>(random() % static_cast<unsigned>(most - least + 1)) + least;
    };
    const auto linear = [&] {
        return floorDivExpr(v(number(0, 1) == 0 ? "N" : "M") * Expr(number(1, 3)) +
                                Expr(number(-3, 5)),
                            Expr(number(1, 4))) +
               Expr(number(-1, 1));
    };
    const auto end = [&](bool inner) {
        Expr out = inner && number(0, 1) == 0 ? v("i") : linear();
        for (int i = number(0, 3); i > 0; --i) {
            const Expr other = number(0, 1) == 0 ? Expr(number(-1, 3)) : linear();
            out = number(0, 1) == 0 ? minExpr(out, other) : maxExpr(other, out);
        }
        return out + Expr(number(-1, 1));
    };
    int proved = 0;
    for (int round = 0; round < 1500; ++round) {
        const Expr from = end(false), to = end(false), low = end(true), high = end(true);
        const Expr asked = v("j") * Expr(number(-2, 2)) + v("i") * Expr(number(-2, 2)) +
                           linear() * Expr(number(-2, 2)) + Expr(number(-3, 6));
        Ranges ranges;
        ranges.push("i", from, to);
        if (number(0, 2) == 0)
            ranges.assume(leExpr(low, high));
        ranges.push("j", low, high);
        if (!proveNonNegative(asked, ranges))
            continue;
        for (std::int64_t n = 0; n <= 6; ++n)
            for (std::int64_t m = 0; m <= 6; ++m) {
                Bindings at{{"N", n}, {"M", m}};
                for (std::int64_t i = *evalIndex(from, at); i <= *evalIndex(to, at); ++i) {
                    at["i"] = i;
                    for (std::int64_t j = *evalIndex(low, at); j <= *evalIndex(high, at); ++j) {
                        ++proved;
                        at["j"] = j;
                        QVERIFY2(*evalIndex(asked, at) >= 0,
                                 (asked.text() + ", i " + from.text() + " .. " + to.text() +
                                  ", j " + low.text() + " .. " + high.text())
                                     .c_str());
                    }
                    at.erase("j");
                }
                at.erase("i");
            }
    }
    QVERIFY(proved > 1000);
}

FW_TEST(TestSimplify, QCoreApplication)
#include "test_simplify.moc"
