// Whatever steps are written: either they are refused with a reason, or the loops compute what the
// stages say. Schedules of the templates with steps left out, moved, doubled and changed.
#include "common/test.h"
#include "schedule/lower_check.h"

#include <QElapsedTimer>

#include <random>

using namespace fw;
using namespace fw::test;

namespace {

struct MutatedSubject {
    const char* name;
    OpInst inst;
    Bindings symbols;
    double tolerance;
};

std::vector<MutatedSubject> subjects() {
    return {
        {"convolution",
         convolution(
             {.c = 3, .h = 6, .w = 7, .o = 5, .bias = true, .relu = true, .residual = true}),
         {},
         0},
        {"strided", convolution({.c = 4, .h = 9, .w = 6, .o = 6, .stride = 2, .groups = 2}), {}, 0},
        {"product", matmul(v("M"), Expr(9), Expr(5), true, true), {{"M", 7}}, 0},
        {"softmax", softmax(v("N"), Expr(19)), {{"N", 3}}, 1e-12},
        {"shuffle", channelShuffle(6, 2, 5), {}, 0},
    };
}

class Mutation {
public:
    Mutation(Schedule schedule, std::mt19937& random)
        : m_schedule(std::move(schedule)), m_random(random) {
        for (const ScheduleStep& step : m_schedule.steps)
            m_names.insert(m_names.end(), step.names.begin(), step.names.end());
    }

    Schedule make() {
        for (std::size_t changes = 1 + below(3); changes > 0; --changes)
            change();
        return m_schedule;
    }

private:
    std::size_t below(std::size_t count) { return count == 0 ? 0 : m_random() % count; }

    void change() {
        auto& steps = m_schedule.steps;
        if (steps.empty())
            return;
        const std::size_t at = below(steps.size());
        const auto place = steps.begin() + static_cast<std::ptrdiff_t>(at);
        switch (below(9)) {
        case 0:
            steps.erase(place);
            break;
        case 1:
            std::swap(steps[at], steps[below(steps.size())]);
            break;
        case 2:
            steps.insert(place, steps[below(steps.size())]);
            break;
        case 3:
            if (steps[at].number > 0)
                steps[at].number = 1 + static_cast<std::int64_t>(below(40));
            break;
        case 4:
            steps[at].tail = steps[at].tail == Tail::Guard ? Tail::Peel : Tail::Guard;
            break;
        case 5:
            if (!steps[at].names.empty() && !m_names.empty())
                steps[at].names[below(steps[at].names.size())] = m_names[below(m_names.size())];
            break;
        case 6:
        case 7:
            insertSplit(at);
            break;
        default: // another mark
            if (steps[at].kind == StepKind::Unroll || steps[at].kind == StepKind::Vectorize ||
                steps[at].kind == StepKind::Parallel || steps[at].kind == StepKind::Partial) {
                const StepKind kinds[] = {StepKind::Unroll, StepKind::Vectorize, StepKind::Parallel,
                                          StepKind::Partial};
                steps[at].kind = kinds[below(4)];
                steps[at].number = std::max<std::int64_t>(steps[at].number, 1);
            }
        }
    }

    // Of a loop that a step names, behind it. New loops are loops that later changes may take.
    void insertSplit(std::size_t at) {
        auto& steps = m_schedule.steps;
        if (steps[at].names.empty() || steps[at].kind == StepKind::At)
            return;
        const Symbol loop = steps[at].names[below(steps[at].names.size())];
        const std::string number = std::to_string(m_names.size());
        ScheduleStep split;
        split.kind = StepKind::Split;
        split.stage = steps[at].stage;
        split.names = {loop, Symbol("outer" + number), Symbol("inner" + number)};
        split.number = 1 + static_cast<std::int64_t>(below(6));
        split.tail = below(2) == 0 ? Tail::Guard : Tail::Peel;
        m_names.insert(m_names.end(), {split.names[1], split.names[2]});
        const bool before = below(4) == 0;
        steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(before ? at : at + 1), split);
    }

    Schedule m_schedule;
    std::mt19937& m_random;
    std::vector<Symbol> m_names;
};

} // namespace

class TestMutated : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rightOrRefused();
};

void TestMutated::rightOrRefused() {
    const int seconds = qEnvironmentVariableIntValue("FW_FUZZ_SECONDS");
    QElapsedTimer timer;
    timer.start();
    int right = 0, refused = 0;
    const std::vector<MutatedSubject> all = subjects();
    for (unsigned seed = 1; seconds > 0 ? timer.elapsed() < seconds * 1000 : seed <= 400; ++seed) {
        std::mt19937 random(seed);
        const MutatedSubject& subject = all[seed % all.size()];
        ScheduleContext context;
        context.vectorLanes = random() % 2 == 0 ? 4 : 8;
        context.vectorRegisters = 16;
        if (random() % 2 == 0)
            context.constants = {"w", "b"};
        const Result<ScheduleChoice> planned = plannedSchedule(subject.inst, context);
        QVERIFY(planned.ok());
        const Schedule schedule = Mutation(planned->schedule, random).make();
        Checked checked;
        try {
            checked =
                checkLowering(subject.inst, schedule, {}, subject.symbols, seed, subject.tolerance);
        } catch (const std::exception& error) {
            QFAIL(qPrintable(QStringLiteral("seed %1: %2\n%3")
                                 .arg(seed)
                                 .arg(error.what())
                                 .arg(schedule.text().c_str())));
        }
        if (checked.problem.startsWith(QStringLiteral("refused"))) {
            ++refused;
            continue;
        }
        QVERIFY2(
            checked.problem.isEmpty(),
            qPrintable(
                QStringLiteral("seed %1, %2: ").arg(seed).arg(QString::fromUtf8(subject.name)) +
                checked.problem));
        ++right;
    }
    QVERIFY(right > 20 && refused > 20);
}

FW_TEST(TestMutated, QCoreApplication)
#include "test_mutated.moc"
