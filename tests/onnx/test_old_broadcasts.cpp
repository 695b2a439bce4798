// Operators of two operands before opset 7: the attribute `broadcast` lays the second one along
// axes of the first, from `axis` on or at its end. Drawn at random, and held against what the text
// of the standard says, which is computed here element by element.
#include "base/random.h"
#include "common/test.h"
#include "onnx/judge.h"

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

namespace {

struct Kind {
    const char* type;
    double (*of)(double, double);
};

const Kind kinds[] = {
    {"Add", [](double a, double b) { return a + b; }},
    {"Sub", [](double a, double b) { return a - b; }},
    {"Mul", [](double a, double b) { return a * b; }},
};

struct Drawn {
    const Kind* kind = nullptr;
    std::vector<std::int64_t> left, right;
    std::optional<std::int64_t> axis; // not given: at the end
    bool fits = true;
};

Drawn draw(Random& random) {
    Drawn out;
    out.kind = &kinds[random.below(std::size(kinds))];
    for (std::size_t i = 1 + random.below(4); i > 0; --i)
        out.left.push_back(random.between(1, 4));
    const auto rank = static_cast<std::int64_t>(out.left.size());
    const std::int64_t from = random.between(0, rank), to = random.between(from, rank);
    out.right.assign(out.left.begin() + from, out.left.begin() + to);
    if (to < rank || random.chance(40))
        out.axis = from < rank && random.chance(20) ? from - rank : from;
    if (out.right.empty())
        out.axis.reset();
    if (random.chance(15) && !out.right.empty()) {
        out.right.back() += 1; // an extent that is not the other's
        out.fits = out.left.at(static_cast<std::size_t>(to - 1)) == 1;
        if (out.fits) // which NumPy stretches, and the old standard does not say
            out.right.back() -= 1;
    }
    return out;
}

std::vector<std::string> texts(const std::vector<std::int64_t>& extents) {
    std::vector<std::string> out;
    for (const std::int64_t extent : extents)
        out.push_back(std::to_string(extent));
    return out;
}

std::vector<double> integers(const std::vector<std::int64_t>& extents, Random& random) {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents)
        count *= extent;
    std::vector<double> out;
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(static_cast<double>(random.between(-9, 9)));
    return out;
}

// The place in the right operand of a place in the left one.
std::size_t placeOf(const Drawn& drawn, std::size_t place) {
    const std::size_t rank = drawn.left.size(), own = drawn.right.size();
    const auto said = drawn.axis.value_or(static_cast<std::int64_t>(rank - own));
    const auto first = static_cast<std::size_t>(said < 0 ? said + std::int64_t(rank) : said);
    std::size_t out = 0, step = 1;
    for (std::size_t axis = rank; axis-- > 0;) {
        const auto extent = static_cast<std::size_t>(drawn.left[axis]);
        if (axis >= first && axis < first + own) {
            out += place % extent * step;
            step *= extent;
        }
        place /= extent;
    }
    return out;
}

} // namespace

class TestOldBroadcasts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asTheStandardSays();
};

void TestOldBroadcasts::asTheStandardSays() {
    int refused = 0, computed = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        const Drawn drawn = draw(random);
        M m(1 + static_cast<std::int64_t>(random.below(6)));
        m.input("a", texts(drawn.left)).input("b", texts(drawn.right));
        m.output("y", texts(drawn.left));
        auto& node = m.node(drawn.kind->type, "a b", "y", "old");
        M::set(node, "broadcast", 1);
        if (drawn.axis)
            M::set(node, "axis", *drawn.axis);
        const auto about = [&](const std::string& wrong) {
            return fmt::format("seed {}: {} of [{}] and [{}]: {}", seed, drawn.kind->type,
                               fmt::join(drawn.left, ", "), fmt::join(drawn.right, ", "), wrong);
        };
        if (!drawn.fits) {
            QVERIFY2(!refusal(m).empty(), about("is read").c_str());
            ++refused;
            continue;
        }
        const std::vector<double> left = integers(drawn.left, random),
                                  right = integers(drawn.right, random);
        std::vector<double> wanted;
        for (std::size_t i = 0; i < left.size(); ++i)
            wanted.push_back(drawn.kind->of(left[i], right[placeOf(drawn, i)]));
        const std::string wrong =
            judge(m, {reals(drawn.left, left), reals(drawn.right, right)}, wanted);
        QVERIFY2(wrong.empty(), about(wrong).c_str());
        ++computed;
    }
    QVERIFY(refused > 5 && computed > 100);
}

FW_TEST(TestOldBroadcasts, QCoreApplication)
#include "test_old_broadcasts.moc"
