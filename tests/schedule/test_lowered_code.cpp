// Default schedules, lowered and compiled, give the values that the interpreter of loop nests
// gives.
#include "codegen/harness.h"
#include "common/test.h"
#include "lower_check.h"

using namespace fw;
using namespace fw::test;

class TestLoweredCode : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void convolutions();
    void groupedConvolutions();
    void imagesAsRows();
    void shuffles();
    void products();
    void rows();

private:
    static QString run(const OpInst& inst, const char* cpu, bool last, const Bindings& symbols,
                       double tolerance = 0);
};

QString TestLoweredCode::run(const OpInst& inst, const char* cpu, bool last,
                             const Bindings& symbols, double tolerance) {
    const Target target = testTarget(cpu);
    if (!target.isHost)
        return {};
    ScheduleContext context;
    context.vectorLanes = target.vectorLanesF32;
    context.vectorRegisters = target.vectorRegisters;
    context.constants = {"w", "b"};
    if (last)
        context.maps = {{"x", channelsLast(4)}, {"y", channelsLast(4)}, {"r", channelsLast(4)}};
    const auto choice = plannedSchedule(inst, context);
    if (!choice.ok())
        return QString::fromStdString(choice.diag().text());
    const auto lowered = lower(inst, choice->schedule, context.maps, "t");
    if (!lowered.ok())
        return QString::fromStdString(lowered.diag().text());
    const std::string difference = compareOnRandom(lowered->nest, symbols, target, tolerance);
    return difference.empty() ? QString()
                              : QString::fromStdString(difference + "\n" + choice->schedule.text() +
                                                       text(lowered->nest));
}

#define VERIFY_RUN(expression)                                                                     \
    do {                                                                                           \
        const QString problem = expression;                                                        \
        QVERIFY2(problem.isEmpty(), qPrintable(problem));                                          \
    } while (false)

void TestLoweredCode::convolutions() {
    const ConvShape shapes[] = {
        {.c = 3, .h = 5, .w = 31, .o = 35, .bias = true, .relu = true, .residual = true},
        {.c = 5, .h = 3, .w = 15, .o = 33, .kh = 1, .kw = 1, .pad = 0, .relu = true},
        {.c = 2, .h = 7, .w = 33, .o = 9, .kh = 5, .kw = 5, .stride = 2, .pad = 2},
        {.c = 2, .h = 5, .w = 30, .o = 17, .kh = 3, .kw = 3, .pad = 2, .dilation = 2},
        {.c = 36, .h = 4, .w = 17, .o = 36, .groups = 36, .bias = true},
        {.n = v("N"), .c = 8, .h = 4, .w = 15, .o = 6, .groups = 2},
    };
    for (const char* cpu : {"x86-64-v3", "x86-64-v4"})
        for (const bool last : {false, true})
            for (const ConvShape& shape : shapes)
                VERIFY_RUN(run(convolution(shape), cpu, last, {{"N", 2}}));
}

// Groups that fill vectors, parts of vectors, neither; whole groups at the end of memory, where a
// read beyond them would be seen.
void TestLoweredCode::groupedConvolutions() {
    const ConvShape shapes[] = {
        {.c = 16, .h = 4, .w = 9, .o = 16, .groups = 4, .bias = true, .relu = true},
        {.c = 12, .h = 4, .w = 9, .o = 12, .groups = 3, .bias = true},
        {.c = 24, .h = 3, .w = 8, .o = 32, .groups = 8, .residual = true},
        {.c = 16, .h = 3, .w = 7, .o = 32, .groups = 16, .bias = true},
        {.c = 32, .h = 5, .w = 9, .o = 32, .stride = 2, .groups = 16},
        {.c = 64, .h = 3, .w = 5, .o = 32, .groups = 4},
        {.c = 39, .h = 3, .w = 5, .o = 39, .groups = 3, .bias = true, .relu = true},
        {.c = 8, .h = 3, .w = 5, .o = 6, .groups = 2},
        {.c = 6, .h = 3, .w = 5, .o = 10, .groups = 2, .bias = true},
        {.c = 30, .h = 3, .w = 5, .o = 60, .kh = 1, .kw = 1, .pad = 0, .groups = 3},
        {.c = 68, .h = 3, .w = 5, .o = 68, .kh = 1, .kw = 1, .pad = 0, .groups = 4, .bias = true},
        {.n = v("N"), .c = 16, .h = 4, .w = 5, .o = 48, .groups = 2, .relu = true},
    };
    for (const char* cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
        for (const bool last : {false, true})
            for (const ConvShape& shape : shapes)
                VERIFY_RUN(run(convolution(shape), cpu, last, {{"N", 2}}));
}

// Rows that would be gathered, masked or short, with enough to sum up: lanes along the channels.
void TestLoweredCode::imagesAsRows() {
    const ConvShape shapes[] = {
        {.c = 3, .h = 24, .w = 24, .o = 20, .kh = 8, .kw = 8, .stride = 8, .pad = 0, .bias = true},
        {.c = 16, .h = 6, .w = 7, .o = 32, .bias = true, .relu = true, .residual = true},
        {.c = 130, .h = 7, .w = 5, .o = 19, .kh = 1, .kw = 1, .pad = 0, .relu = true},
        {.n = v("N"), .c = 32, .h = 6, .w = 5, .o = 32, .groups = 2, .bias = true},
    };
    for (const char* cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
        for (const ConvShape& shape : shapes)
            VERIFY_RUN(run(convolution(shape), cpu, false, {{"N", 2}}));
}

void TestLoweredCode::shuffles() {
    // One pixel: the whole tensor is shorter than a vector, and nothing lies behind it.
    for (const char* cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
        for (const std::int64_t groups : {2, 3, 4, 5, 8})
            for (const std::int64_t each : {1, 2, 3, 5, 7})
                VERIFY_RUN(run(channelShuffle(groups * each, groups, 1), cpu, true, {}));
    for (const char* cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
        for (const std::int64_t groups : {2, 3, 4, 5, 8})
            for (const std::int64_t each : {1, 4, 16, 29, 58})
                for (const bool last : {false, true})
                    VERIFY_RUN(run(channelShuffle(groups * each, groups, 3), cpu, last, {}));
}

void TestLoweredCode::products() {
    for (const char* cpu : {"x86-64-v3", "x86-64-v4"})
        for (const std::int64_t n : {1, 7, 16, 50})
            for (const bool transposed : {false, true}) {
                VERIFY_RUN(run(matmul(v("M"), Expr(n), Expr(19), transposed, true), cpu, false,
                               {{"M", 15}}));
                VERIFY_RUN(run(matmul(Expr(31), Expr(n), v("K"), transposed, false), cpu, false,
                               {{"K", 70}}));
                VERIFY_RUN(run(matmul(Expr(1), v("N"), Expr(20), transposed, true), cpu, false,
                               {{"N", n}}));
            }
}

void TestLoweredCode::rows() {
    for (const char* cpu : {"x86-64-v3", "x86-64-v4"})
        for (const std::int64_t d : {1, 9, 16, 77, 130})
            for (const bool free : {false, true}) {
                const OpInst inst = free ? softmax(Expr(3), v("D")) : softmax(v("N"), Expr(d));
                VERIFY_RUN(run(inst, cpu, false, {{"N", 3}, {"D", d}}, 1e-5));
            }
}

FW_TEST(TestLoweredCode, QCoreApplication)
#include "test_lowered_code.moc"
