// The arena planner on random lifetimes, and the replay that must notice a wrong plan.
#include "common/test.h"
#include "runtime/sample_program.h"

#include <random>

using namespace fw::runtime;

class TestArena : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void randomLifetimes() {
        std::mt19937 random(7);
        for (int round = 0; round < 400; ++round) {
            std::vector<Block> blocks(random() % 40);
            std::int64_t sum = 0;
            for (Block& block : blocks) {
                block.bytes = random() % 5 == 0 ? 0 : std::int64_t(random() % 5000);
                block.first = random() % 20;
                block.last = block.first + random() % 6;
                sum += (block.bytes + 63) / 64 * 64;
            }
            ArenaPlan plan;
            ArenaPlan again;
            QVERIFY(planArena(blocks, plan).ok());
            QVERIFY(planArena(blocks, again).ok());
            QVERIFY(planHolds(blocks, plan));
            QCOMPARE(plan.offsets, again.offsets);
            QVERIFY(plan.bytes <= sum);
            std::int64_t peak = 0; // no plan can be smaller than what is alive at once
            for (std::uint32_t step = 0; step < 26; ++step) {
                std::int64_t alive = 0;
                for (const Block& block : blocks)
                    if (block.first <= step && step <= block.last)
                        alive += (block.bytes + 63) / 64 * 64;
                peak = std::max(peak, alive);
            }
            QVERIFY(plan.bytes >= peak);
        }
    }

    void chainNeedsTwoBuffers() {
        std::vector<Block> blocks;
        for (std::uint32_t i = 0; i < 10; ++i)
            blocks.push_back({1000, i, i + 1});
        ArenaPlan plan;
        QVERIFY(planArena(blocks, plan).ok());
        QCOMPARE(plan.bytes, 2 * 1024);
    }

    void refusesWhatCannotFit() {
        ArenaPlan plan;
        QCOMPARE(
            planArena({{std::int64_t{1} << 46, 0, 0}, {(std::int64_t{1} << 46) + 1, 5, 5}}, plan)
                .code,
            FW_OVERFLOW);
        QCOMPARE(planArena({{-1, 0, 0}}, plan).code, FW_OVERFLOW);
    }

    void wrongPlansAreNoticed() {
        QVERIFY(!planHolds({{100, 0, 2}, {100, 2, 3}}, {{0, 64}, 192}));
        QVERIFY(!planHolds({{100, 0, 2}}, {{32}, 192}));
        QVERIFY(!planHolds({{100, 0, 2}}, {{0}, 64}));
        QVERIFY(planHolds({{100, 0, 1}, {100, 2, 3}}, {{0, 0}, 128}));
    }

    void replay() {
        const Program program = sample::program();
        const std::int64_t n = 100;
        MemoryPlan plan;
        QVERIFY(planMemory(program, &n, plan).ok());
        QVERIFY(replayMemory(program, plan).ok());
        QCOMPARE(plan.bytes[5], 99 * 12);
        QCOMPARE(plan.offsets[5], 12); // the view, from the start of its root
        MemoryPlan wrong = plan;
        wrong.offsets[3] = wrong.offsets[2]; // b over a, which step 2 still reads
        const Status status = replayMemory(program, wrong);
        QCOMPARE(status.code, FW_BAD_PROGRAM);
        QVERIFY(status.message.find("share memory") != std::string::npos);
        wrong = plan;
        wrong.offsets[4] = wrong.offsets[2] + 64;
        QCOMPARE(replayMemory(program, wrong).code, FW_BAD_PROGRAM);
    }
};

FW_TEST(TestArena, QCoreApplication)
#include "test_arena.moc"
