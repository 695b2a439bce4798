// What follows on each element of a call of oneDNN is right, whatever kernel runs: kernels are
// tried before they are trusted, plain loops compute what they get wrong.
#include "common/test.h"
#include "libraries/onednn/call/onednn_table.h"
#include "libraries/onednn/call/onednn_trial.h"
#include "runtime/invalid_operations.h"
#include "runtime/memory.h"
#include "runtime/plain_loops.h"
#include "strides.h"

#include <algorithm>
#include <cmath>
#include <xmmintrin.h>

using namespace fw::runtime;

namespace {

// A call with memory for each of its arguments.
struct Made {
    ShapedCall call;
    std::vector<std::vector<float>> memory;

    std::uint32_t add(Role role, const Extents& dims, const Extents& strides) {
        ShapedArgument argument;
        argument.role = role;
        argument.buffer = static_cast<std::uint32_t>(memory.size());
        argument.dims = dims;
        argument.strides = strides;
        std::vector<float> values;
        for (std::int64_t i = 0; i < argument.elements(); ++i)
            values.push_back(static_cast<float>((i * 7 + argument.buffer * 3) % 11) * 0.25f -
                             1.125f);
        argument.bytes = 4 * argument.elements();
        memory.push_back(values);
        call.arguments.push_back(argument);
        return argument.buffer;
    }

    double at(std::size_t argument, const Extents& index) const {
        const ShapedArgument& a = call.arguments[argument];
        std::int64_t offset = a.offset;
        for (std::size_t d = 0; d < index.size(); ++d)
            offset += a.dims[d] == 1 ? 0 : index[d] * a.strides[d];
        return static_cast<double>(memory[argument][static_cast<std::size_t>(offset)]);
    }

    // What its output holds is made again where the call asks for it.
    Status run(std::string& loops, int threads = 2) {
        std::unique_ptr<PreparedCall> prepared;
        if (Status s = prepareCall(call, threads, prepared); !s.ok())
            return s;
        AlignedMemory scratch;
        if (Status s = scratch.reserve(prepared->scratchBytes() + 1); !s.ok())
            return s;
        std::vector<void*> buffers;
        for (std::vector<float>& one : memory)
            buffers.push_back(one.data());
        const std::vector<float> before = memory[0];
        Status out = prepared->run(buffers.data(), scratch.data());
        lost = prepared->lostNan();
        if (lost) {
            std::copy(before.begin(), before.end(), memory[0].begin());
            out = prepared->runAgain(buffers.data(), scratch.data());
        }
        loops = prepared->notes().loops;
        return out;
    }
    bool lost = false; // by the last run
};

// A 1x1 convolution of channels-last images with post-ops; the operand is stored row-major or not.
Made convolution(const std::vector<PostOpKind>& ops, bool rowMajorOperand,
                 std::int64_t channels = 6) {
    Made out;
    const Extents images = {2, channels, 5, 3};
    out.add(Role::Output, images, channelsLast(images));
    out.add(Role::Input, images, channelsLast(images));
    const Extents filters = {channels, channels, 1, 1};
    out.add(Role::Weights, filters, rowMajor(filters));
    out.call.kind = CallKind::Convolution;
    out.call.attributes = {1, 1, 1, 1, 0, 0, 0, 0};
    for (const PostOpKind kind : ops) {
        PostOp op;
        op.kind = kind;
        if (takesOperand(kind))
            op.argument = out.add(Role::Operand, images,
                                  rowMajorOperand ? rowMajor(images) : channelsLast(images));
        out.call.postOps.push_back(op);
    }
    return out;
}

bool present() {
    return libraryInfo(LibraryId::OneDnn).presence == LibraryPresence::Ready;
}

} // namespace

class TestPostOpTrial : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        if (!present())
            QSKIP("oneDNN is not installed");
    }

    void numbersAreRight_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("rowMajorOperand");
        for (int kind = int(PostOpKind::Add); kind <= int(PostOpKind::Sum); ++kind)
            for (const bool order : {false, true})
                QTest::addRow("%s %d", postOpText(static_cast<PostOpKind>(kind)), order)
                    << kind << order;
    }
    void numbersAreRight() {
        QFETCH(int, kind);
        QFETCH(bool, rowMajorOperand);
        Made made = convolution({static_cast<PostOpKind>(kind), PostOpKind::Relu}, rowMajorOperand);
        const Made before = made;
        std::string note;
        const Status status = made.run(note);
        QVERIFY2(status.ok(), status.message.c_str());
        Extents index(4, 0);
        do {
            double want = 0;
            for (std::int64_t i = 0; i < 6; ++i)
                want += before.at(1, {index[0], i, index[2], index[3]}) *
                        before.at(2, {index[1], i, 0, 0});
            const std::size_t operand = kind == int(PostOpKind::Sum) ? 0 : 3;
            const double r = before.at(operand, index);
            switch (static_cast<PostOpKind>(kind)) {
            case PostOpKind::Add:
            case PostOpKind::Sum:
                want += r;
                break;
            case PostOpKind::Sub:
                want -= r;
                break;
            case PostOpKind::Mul:
                want *= r;
                break;
            case PostOpKind::Div:
                want /= r;
                break;
            case PostOpKind::Max:
                want = std::max(want, r);
                break;
            default:
                want = std::min(want, r);
            }
            want = std::max(want, 0.0);
            const double got = made.at(0, index);
            QVERIFY2(std::abs(got - want) <= 1e-5 * (1 + std::abs(want)),
                     qPrintable(QStringLiteral("%1 instead of %2; %3")
                                    .arg(got)
                                    .arg(want)
                                    .arg(QString::fromStdString(note))));
        } while (nextIndex(before.call.arguments[0].dims, index.data()));
    }

    // What a NaN in the image and in an operand becomes, as IEEE 754 and ONNX say: one wherever it
    // is read, but for the steps that do not read it.
    void notANumberStaysOne_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("behindSum");
        for (int kind = int(PostOpKind::Relu); kind <= int(lastPostOpKind); ++kind)
            for (const bool behindSum : {false, true})
                QTest::addRow("%s%s", behindSum ? "sum, " : "",
                              postOpText(static_cast<PostOpKind>(kind)))
                    << kind << behindSum;
    }
    void notANumberStaysOne() {
        QFETCH(int, kind);
        QFETCH(bool, behindSum);
        std::vector<PostOpKind> ops = {static_cast<PostOpKind>(kind)};
        if (behindSum)
            ops.insert(ops.begin(), PostOpKind::Sum);
        Made made = convolution(ops, false);
        PostOp& last = made.call.postOps.back();
        last.alpha = last.kind == PostOpKind::Relu ? 0.0f : -0.5f;
        last.beta = 0.75f;
        const float notANumber = std::nanf("");
        made.memory[1][2 * 6 + 3] = notANumber; // image 0, row 0, column 2, channel 3
        if (behindSum)
            made.memory[0][4 * 6 + 1] = notANumber;
        if (made.memory.size() > 3)
            made.memory[3][6 * 6 + 5] = notANumber;
        const Made before = made;
        std::string note;
        const Status status = made.run(note);
        QVERIFY2(status.ok(), status.message.c_str());
        int notNumbers = 0;
        for (std::size_t i = 0; i < made.memory[0].size(); ++i) {
            const bool expected = i / 6 == 2 || (behindSum && i == 4 * 6 + 1) ||
                                  (before.memory.size() > 3 && i == 6 * 6 + 5);
            // Roots and logarithms of what is negative are none either.
            const bool may = last.kind == PostOpKind::Sqrt || last.kind == PostOpKind::Log;
            if (may && !expected)
                continue;
            QVERIFY2(std::isnan(made.memory[0][i]) == expected,
                     qPrintable(QStringLiteral("%1 at %2; %3")
                                    .arg(static_cast<double>(made.memory[0][i]))
                                    .arg(i)
                                    .arg(QString::fromStdString(note))));
            notNumbers += expected;
        }
        QVERIFY(notNumbers >= 6);
    }

    void notANumberWinsAWindow() {
        Made made;
        made.add(Role::Output, {1, 16, 3, 3}, channelsLast({1, 16, 3, 3}));
        made.add(Role::Input, {1, 16, 6, 6}, channelsLast({1, 16, 6, 6}));
        made.call.kind = CallKind::MaxPool;
        made.call.attributes = {2, 2, 1, 1, 2, 2, 0, 0, 0, 0};
        made.memory[1][(1 * 6 + 3) * 16 + 5] = std::nanf(""); // in the window of row 0, column 1
        std::string note;
        const Status status = made.run(note);
        QVERIFY2(status.ok(), status.message.c_str());
        for (std::size_t i = 0; i < made.memory[0].size(); ++i)
            QCOMPARE(std::isnan(made.memory[0][i]), i == 1 * 16 + 5);
    }

    // exp(NaN - largest) / sum: the whole row.
    void notANumberFillsARow() {
        for (const CallKind kind : {CallKind::Softmax, CallKind::LogSoftmax})
            for (const std::int64_t length : {3, 8, 37, 200}) {
                Made made;
                made.add(Role::Output, {3, length}, {length, 1});
                made.add(Role::Input, {3, length}, {length, 1});
                made.call.kind = kind;
                made.call.attributes = {1};
                made.memory[1][static_cast<std::size_t>(length) + 2] = std::nanf("");
                std::string note;
                QVERIFY(made.run(note).ok());
                for (std::int64_t i = 0; i < 3 * length; ++i)
                    QCOMPARE(std::isnan(made.memory[0][static_cast<std::size_t>(i)]),
                             i / length == 1);
            }
    }

    // What is added to in place is gone when a relu behind it has lost a NaN, be it of the sum's
    // own or of the image: the call says so, and is right when it is given back.
    void aSumThatLostANaN_data() {
        QTest::addColumn<bool>("product");
        QTest::addColumn<int>("last");
        QTest::addColumn<int>("where");
        for (const bool product : {false, true})
            for (const PostOpKind last : {PostOpKind::Relu, PostOpKind::Clip, PostOpKind::Exp})
                for (const int where : {-1, 0, 1})
                    QTest::addRow("%s, %s, %s", product ? "product" : "convolution",
                                  postOpText(last),
                                  where < 0    ? "numbers"
                                  : where == 0 ? "what is added to"
                                               : "the image")
                        << product << int(last) << where;
    }
    void aSumThatLostANaN() {
        QFETCH(bool, product);
        QFETCH(int, last);
        QFETCH(int, where);
        constexpr std::size_t channels = 8; // rows at multiples of 16 bytes
        Made made = convolution({PostOpKind::Sum, static_cast<PostOpKind>(last)}, false, channels);
        if (product) { // of the same numbers
            made.call.kind = CallKind::Matmul;
            made.call.attributes.clear();
            made.call.arguments[0].dims = made.call.arguments[1].dims = {30, channels};
            made.call.arguments[0].strides = made.call.arguments[1].strides = {channels, 1};
            made.call.arguments[2].dims = {channels, channels};
            made.call.arguments[2].strides = {1, channels};
        }
        made.call.postOps.back().alpha = 0;
        made.call.postOps.back().beta = 0.75f;
        OneDnnAnswer answer;
        QVERIFY(askOneDnn(made.call, 2, answer).ok());
        QVERIFY2(answer.doubt.empty(), answer.doubt.c_str());
        const bool watched = findingOf(made.call, answer.kernel, 2).watched;
        m_watchedSums += watched;
        const std::size_t row = 11;
        if (where >= 0)
            made.memory[static_cast<std::size_t>(where)][row * channels + 2] = std::nanf("");
        const Made before = made;
        std::string loops;
        const Status status = made.run(loops);
        QVERIFY2(status.ok(), status.message.c_str());
        QCOMPARE(made.lost, watched && where >= 0);
        const std::string kind = postOpText(static_cast<PostOpKind>(last));
        QVERIFY2(made.lost ? loops == "sum, " + kind + " (there is a NaN, which " + answer.kernel +
                                          " loses)"
                           : loops.empty(),
                 loops.c_str());
        for (std::size_t i = 0; i < made.memory[0].size(); ++i) {
            double sum = static_cast<double>(before.memory[0][i]);
            for (std::size_t k = 0; k < channels; ++k)
                sum += static_cast<double>(before.memory[1][i / channels * channels + k]) *
                       static_cast<double>(before.memory[2][i % channels * channels + k]);
            const bool isNan =
                (where == 0 && i == row * channels + 2) || (where == 1 && i / channels == row);
            QCOMPARE(std::isnan(sum), isNan);
            const double low = sum < 0 ? 0 : sum;
            const double want = last == int(PostOpKind::Relu)   ? low
                                : last == int(PostOpKind::Clip) ? (low > 0.75 ? 0.75 : low)
                                                                : std::exp(sum);
            const double got = static_cast<double>(made.memory[0][i]);
            QVERIFY2(isNan ? std::isnan(got) : std::abs(got - want) <= 1e-5 * (1 + want),
                     qPrintable(QStringLiteral("%1, %2 instead of %3").arg(i).arg(got).arg(want)));
        }
    }
    void someSumsAreWatched() { QVERIFY(m_watchedSums > 0); }

    // The calls that a NaN is lost in with a NaN that one thread of the library's alone meets: rows
    // of the beginning, of the end, and between.
    void everyThreadIsWatched_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("threads");
        for (const CallKind kind : {CallKind::Matmul, CallKind::Convolution, CallKind::MaxPool})
            for (const int threads : {1, 2, 3})
                QTest::addRow("%s, %d threads", kindText(kind), threads) << int(kind) << threads;
    }
    void everyThreadIsWatched() {
        QFETCH(int, kind);
        QFETCH(int, threads);
        constexpr std::int64_t rows = 96;
        constexpr std::size_t channels = 16;
        int watched = 0;
        for (const std::size_t row : {std::size_t(0), std::size_t(40), std::size_t(rows - 1)}) {
            Made made;
            made.call.kind = static_cast<CallKind>(kind);
            if (made.call.kind == CallKind::Matmul) {
                made.add(Role::Output, {rows, 16}, {16, 1});
                made.add(Role::Input, {rows, 16}, {16, 1});
                made.add(Role::Weights, {16, 16}, {16, 1});
            } else {
                const Extents image = {1, 16, rows, 1};
                made.add(Role::Output, image, channelsLast(image));
                made.add(Role::Input, image, channelsLast(image));
            }
            if (made.call.kind == CallKind::MaxPool) {
                made.call.attributes = {1, 1, 1, 1, 1, 1, 0, 0, 0, 0};
            } else {
                if (made.call.kind == CallKind::Convolution) {
                    made.add(Role::Weights, {16, 16, 1, 1}, rowMajor({16, 16, 1, 1}));
                    made.call.attributes = {1, 1, 1, 1, 0, 0, 0, 0};
                }
                made.call.postOps = {{PostOpKind::Relu, 0, 0, 0}};
            }
            made.memory[1][row * channels + 3] = std::nanf("");
            std::string loops;
            const Status status = made.run(loops, threads);
            QVERIFY2(status.ok(), status.message.c_str());
            watched += loops.find("there is a NaN") != std::string::npos;
            for (std::size_t i = 0; i < made.memory[0].size(); ++i)
                QCOMPARE(std::isnan(made.memory[0][i]), made.call.kind == CallKind::MaxPool
                                                            ? i == row * channels + 3
                                                            : i / channels == row);
        }
    }

    // Of each thread of a team its flag counts, whatever it was before, and its mode comes back.
    void flagsOfATeam() {
        struct Team {
            const OpenMp& openMp;
            int invalid; // the thread that compares with a NaN
            std::uint32_t words[3] = {};
        };
        const OpenMp& openMp = oneDnn().openMp;
        const auto run = [&](Team& team, void (*function)(void*)) {
            openMp.parallel(function, &team, 3, 0);
        };
        const auto give = [](void* data) {
            auto& team = *static_cast<Team*>(data);
            const int thread = team.openMp.threadNumber();
            // With the flag, rounding up, without denormals.
            _mm_setcsr(thread == 0 ? _mm_getcsr() : 0x1f80u | 0x1 | 0x4000 | 0x8040);
        };
        const auto compare = [](void* data) {
            auto& team = *static_cast<Team*>(data);
            const int thread = team.openMp.threadNumber();
            team.words[thread] = _mm_getcsr();
            volatile float value = thread == team.invalid ? std::nanf("") : 1.0f;
            _mm_max_ss(_mm_set_ss(value), _mm_set_ss(0.0f));
            volatile bool less = value < 0.0f;
            static_cast<void>(less);
        };
        const auto take = [](void* data) {
            auto& team = *static_cast<Team*>(data);
            team.words[team.openMp.threadNumber()] = _mm_getcsr();
        };
        for (const int invalid : {-1, 0, 1, 2}) {
            Team team{openMp, invalid, {}};
            run(team, give);
            bool raised = false;
            {
                InvalidOperations flags(openMp, 3);
                run(team, compare);
                raised = flags.raised();
            }
            for (const std::uint32_t word : team.words) // those of this thread, without a flag
                QCOMPARE(word & 0xffc1u, _mm_getcsr() & 0xffc0u);
            QCOMPARE(raised, invalid >= 0);
            run(team, take);
            QCOMPARE(team.words[1], 0x1f80u | 0x1 | 0x4000 | 0x8040);
            QCOMPARE(team.words[2], team.words[1]);
        }
    }

    // Whatever flags and mode the caller has.
    void theModeOfTheCallerStays() {
        const std::uint32_t usual = _mm_getcsr();
        for (const int threads : {1, 2})
            for (const std::uint32_t word :
                 {0x1f80u, 0x1f80u | 0x3f /* all flags */, 0x1f80u | 0x8040 /* no denormals */})
                for (const bool withNan : {false, true}) {
                    Made made;
                    made.add(Role::Output, {1, 4, 6, 6}, channelsLast({1, 4, 6, 6}));
                    made.add(Role::Input, {1, 4, 6, 6}, channelsLast({1, 4, 6, 6}));
                    made.call.kind = CallKind::MaxPool;
                    made.call.attributes = {1, 1, 1, 1, 1, 1, 0, 0, 0, 0};
                    made.memory[1][20] = withNan ? std::nanf("") : 1.0f;
                    std::string loops;
                    _mm_setcsr(word);
                    const Status status = made.run(loops, threads);
                    const std::uint32_t after = _mm_getcsr();
                    _mm_setcsr(usual);
                    QVERIFY2(status.ok(), status.message.c_str());
                    QCOMPARE(after & 0xffc0u, word & 0xffc0u);
                    QCOMPARE(after & word & 1u, word & 1u);
                    QCOMPARE(loops.empty(), !withNan);
                    QCOMPARE(std::isnan(made.memory[0][20]), withNan);
                }
    }

    // A softmax is not tried with anything behind it, so loops finish it, and say so.
    void loopsFinishACall() {
        Made made;
        made.add(Role::Output, {3, 4}, {4, 1});
        made.add(Role::Input, {3, 4}, {4, 1});
        made.call.kind = CallKind::Softmax;
        made.call.attributes = {1};
        Made plain = made;
        std::string note;
        QVERIFY(plain.run(note).ok());
        QCOMPARE(note, std::string());
        made.add(Role::Operand, {1, 4}, {4, 1});
        made.call.postOps = {{PostOpKind::Linear, 2, 0.5f, 0},
                             {PostOpKind::Sum, 0, 0, 0},
                             {PostOpKind::Mul, 0, 0, 2}};
        const Made before = made;
        const Status status = made.run(note);
        QVERIFY2(status.ok(), status.message.c_str());
        QVERIFY2(note.find("linear, sum, mul (oneDNN refuses this softmax") == 0, note.c_str());
        for (std::int64_t i = 0; i < 3; ++i)
            for (std::int64_t k = 0; k < 4; ++k) {
                const double want =
                    (2 * plain.at(0, {i, k}) + 0.5 + before.at(0, {i, k})) * before.at(2, {i, k});
                QVERIFY(std::abs(made.at(0, {i, k}) - want) < 1e-6);
            }
    }

    void loopsFillBlocks() {
        Made made;
        made.add(Role::Output, {1, 6, 2, 2}, {});
        made.add(Role::Input, {1, 6, 2, 2}, {});
        for (ShapedArgument& argument : made.call.arguments) {
            argument.layout = "aBcd8b";
            argument.bytes = 4 * 32;
            made.memory[argument.buffer].resize(32);
        }
        made.call.kind = CallKind::Softmax;
        made.call.attributes = {1};
        Made plain = made;
        std::string note;
        if (!plain.run(note).ok())
            QSKIP("oneDNN has no softmax on blocks here");
        made.add(Role::Operand, {1, 6, 2, 2}, {24, 4, 2, 1});
        made.call.postOps = {{PostOpKind::Add, 0, 0, 2}};
        QVERIFY(made.run(note).ok());
        for (std::size_t pixel = 0; pixel < 4; ++pixel)
            for (std::size_t c = 0; c < 6; ++c)
                QCOMPARE(made.memory[0][pixel * 8 + c],
                         plain.memory[0][pixel * 8 + c] + made.memory[2][c * 4 + pixel]);
    }

    void operandsMustFit() {
        Made made = convolution({PostOpKind::Add}, false);
        made.call.arguments[3].dims[1] = 5;
        std::string note;
        QCOMPARE(made.run(note).code, FW_BAD_PROGRAM);
    }

    void doubtsAreRemembered() {
        const ShapedCall call = convolution({PostOpKind::Add}, true).call;
        QCOMPARE(findingOf(call, "no such kernel", 1).doubt,
                 std::string("no such kernel could not be tried with convolution, add"));
        OneDnnAnswer first, again;
        QVERIFY(askOneDnn(call, 1, first).ok() && askOneDnn(call, 1, again).ok());
        QCOMPARE(first.doubt, again.doubt);
        QVERIFY2(
            first.doubt.empty() ||
                (first.doubt.find(first.kernel + " computes convolution, add wrongly: ") == 0 &&
                 first.doubt.find(" instead of ") != std::string::npos),
            first.doubt.c_str());
    }

private:
    int m_watchedSums = 0;
};

FW_TEST(TestPostOpTrial, QCoreApplication)
#include "test_post_op_trial.moc"
