// Weights are packed once: the next module with the same constants shares them or copies them, and
// the bytes are those of a module that knows of no other.
#include "common/test.h"
#include "module/constants.h"

#include <cstring>

using namespace fw;

namespace {

struct Constant {
    std::string content;
    std::string bytes;
};

class Building {
public:
    explicit Building(KnownWeights* known) : m_builder(0, known) {}

    std::uint64_t add(const Constant& constant) {
        return m_builder
            .add(hashOf(constant.content),
                 [&]() -> Result<std::span<const std::byte>> {
                     ++made;
                     m_scratch.assign(constant.bytes.size(), std::byte{0});
                     std::memcpy(m_scratch.data(), constant.bytes.data(), constant.bytes.size());
                     return std::span<const std::byte>(m_scratch);
                 })
            .value();
    }
    std::shared_ptr<const AlignedBytes> take() { return m_builder.take(); }

    int made = 0;

private:
    WeightsBuilder m_builder;
    std::vector<std::byte> m_scratch;
};

std::shared_ptr<const AlignedBytes> built(KnownWeights* known, const std::vector<Constant>& all,
                                          int made) {
    Building building(known);
    for (const Constant& constant : all)
        building.add(constant);
    if (building.made != made)
        qWarning("%d were made", building.made);
    return building.made == made ? building.take() : nullptr;
}

const Constant a{"a", "some bytes"}, b{"b", "other bytes, and more of them"}, c{"c", "x"},
    sameAsA{"a in another order", "some bytes"};

} // namespace

class TestWeights : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalBytesAreStoredOnce();
    void theSameAreShared();
    void othersAreCopied();
    void whatNobodyHoldsIsForgotten();
    void aConstantThatCannotBeMade();
};

void TestWeights::equalBytesAreStoredOnce() {
    Building building(nullptr);
    QCOMPARE(building.add(a), std::uint64_t(0));
    QCOMPARE(building.add(b), std::uint64_t(64));
    QCOMPARE(building.add(sameAsA), std::uint64_t(0));
    QCOMPARE(building.add(c), std::uint64_t(128));
    const auto weights = building.take();
    QCOMPARE(weights->size(), std::size_t(129));
    QVERIFY(std::memcmp(weights->data() + 64, b.bytes.data(), b.bytes.size()) == 0);
    QCOMPARE((*weights)[63], std::byte{0}); // between them
}

void TestWeights::theSameAreShared() {
    KnownWeights known;
    const auto first = built(&known, {a, b, sameAsA, c}, 4);
    QVERIFY(first);
    QCOMPARE(built(&known, {a, b, sameAsA, c}, 0), first);
    QCOMPARE(built(&known, {a, b, c}, 0), first); // the same bytes
    QVERIFY(*built(nullptr, {a, b, sameAsA, c}, 4) == *first);
}

void TestWeights::othersAreCopied() {
    KnownWeights known;
    const auto first = built(&known, {a, b, c}, 3);
    for (const std::vector<Constant>& all :
         {std::vector{c, a}, std::vector{b, Constant{"new", "new bytes"}, a},
          std::vector{Constant{"new too", "y"}, c, b}, std::vector<Constant>{}}) {
        int unknown = 0;
        for (const Constant& one : all)
            unknown += one.content.starts_with("new");
        const auto shared = built(&known, all, unknown);
        QVERIFY(shared && shared != first);
        QVERIFY(*shared == *built(nullptr, all, static_cast<int>(all.size())));
    }
}

void TestWeights::whatNobodyHoldsIsForgotten() {
    KnownWeights known;
    auto first = built(&known, {a, b}, 2);
    QVERIFY(known.find(hashOf(a.content)));
    const std::weak_ptr<const AlignedBytes> watched = first;
    first.reset();
    QVERIFY(watched.expired());
    QVERIFY(!known.find(hashOf(a.content)));
    QVERIFY(built(&known, {a, b}, 2));
}

void TestWeights::aConstantThatCannotBeMade() {
    WeightsBuilder builder;
    const auto added = builder.add(hashOf("a"), []() -> Result<std::span<const std::byte>> {
        return makeDiag(DiagCode::LibraryFailed, "it cannot be packed");
    });
    QVERIFY(!added);
    QCOMPARE(added.diag().message, std::string("it cannot be packed"));
}

FW_TEST(TestWeights, QCoreApplication)
#include "test_weights.moc"
