// What follows on each element of a call of oneDNN is right, whatever kernel runs: kernels are
// tried before they are trusted, plain loops compute what they get wrong.
#include "runtime/memory.h"
#include "runtime/onednn_trial.h"
#include "runtime/plain_loops.h"

#include <QTest>

#include <cfenv>
#include <cmath>

using namespace fw::runtime;
using Extents = std::vector<std::int64_t>;

namespace {

Extents rowMajor(const Extents& dims) {
    Extents out(dims.size(), 1);
    for (std::size_t d = dims.size() - 1; d-- > 0;)
        out[d] = out[d + 1] * dims[d + 1];
    return out;
}

Extents channelsLast(const Extents& d) {
    return {d[1] * d[2] * d[3], 1, d[3] * d[1], d[1]};
}

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

    Status run(std::string& note) {
        std::unique_ptr<PreparedCall> prepared;
        if (Status s = prepareCall(call, 2, prepared); !s.ok())
            return s;
        note = prepared->note();
        AlignedMemory scratch;
        if (Status s = scratch.reserve(prepared->scratchBytes() + 1); !s.ok())
            return s;
        std::vector<void*> buffers;
        for (std::vector<float>& one : memory)
            buffers.push_back(one.data());
        return prepared->run(buffers.data(), scratch.data());
    }
};

// A 1x1 convolution of channels-last images with post-ops; the operand is stored row-major or not.
Made convolution(const std::vector<PostOpKind>& ops, bool rowMajorOperand) {
    Made out;
    const Extents images = {2, 6, 5, 3};
    out.add(Role::Output, images, channelsLast(images));
    out.add(Role::Input, images, channelsLast(images));
    out.add(Role::Weights, {6, 6, 1, 1}, rowMajor({6, 6, 1, 1}));
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

    // What a NaN in the image and in an operand becomes, as IEEE 754 and ONNX say: one wherever it is
    // read, but for the steps that do not read it.
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

    // Numbers that are none of the caller's business.
    void theFlagOfTheCallerStays() {
        Made made = convolution({PostOpKind::Relu}, false);
        std::string note;
        for (const bool before : {false, true})
            for (const bool withNan : {false, true}) {
                made.memory[1][20] = withNan ? std::nanf("") : 1.0f;
                std::feclearexcept(FE_ALL_EXCEPT);
                if (before)
                    std::feraiseexcept(FE_INVALID);
                QVERIFY(made.run(note).ok());
                QVERIFY(!before || std::fetestexcept(FE_INVALID) != 0);
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
        QVERIFY2(note.find("oneDNN refuses this softmax") != std::string::npos &&
                     note.find("by plain loops: linear, sum, mul") != std::string::npos,
                 note.c_str());
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

    void smallInstancesKeepTheForm() {
        ShapedCall call;
        const auto add = [&](Role role, const Extents& dims, const Extents& strides) {
            ShapedArgument argument;
            argument.role = role;
            argument.dims = dims;
            argument.strides = strides;
            call.arguments.push_back(argument);
        };
        const Extents output = {8, 150, 56, 56}, input = {8, 300, 113, 113};
        add(Role::Output, output, channelsLast(output));
        add(Role::Input, input, channelsLast(input));
        add(Role::Weights, {150, 300, 3, 3}, rowMajor({150, 300, 3, 3}));
        add(Role::Operand, output, {60 * 56 * 160, 1, 60 * 160, 160});
        call.arguments[3].offset = 37;
        call.kind = CallKind::Convolution;
        call.attributes = {2, 2, 1, 1, 0, 0, 0, 0};
        ShapedCall small;
        QVERIFY(smallInstance(call, false, small));
        QCOMPARE(small.arguments[0].dims, (Extents{2, 32 + 150 % 16, 4, 8}));
        QCOMPARE(small.arguments[1].dims, (Extents{2, 32 + 300 % 16, 9, 17}));
        QCOMPARE(small.arguments[2].dims, (Extents{38, 44, 3, 3}));
        QCOMPARE(small.arguments[0].strides, channelsLast(small.arguments[0].dims));
        // Gaps behind the channels and behind the rows stay, capped.
        const Extents& strides = small.arguments[3].strides;
        QCOMPARE(strides[1], 1);
        QCOMPARE(strides[3], 38 + 10);
        QVERIFY(strides[2] > 8 * strides[3] && strides[0] == 4 * strides[2]);
        QCOMPARE(small.arguments[3].offset, 37 % 16);
        QVERIFY(smallInstance(call, true, small));
        QCOMPARE(small.arguments[0].dims, (Extents{2, 150, 4, 8}));
        call.arguments[3].strides = {1, 1, 1, 1}; // elements on top of each other
        QVERIFY(!smallInstance(call, false, small));
    }
};

QTEST_GUILESS_MAIN(TestPostOpTrial)
#include "test_post_op_trial.moc"
