// Instances on little memory that stand for a call when its kernel is tried.
#include "common/test.h"
#include "libraries/onednn/call/onednn_trial.h"
#include "strides.h"

using namespace fw::runtime;

class TestSmallInstance : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 2^34 elements for 2^30 rows: no instance of the kernel is found on little memory, and none is
    // looked for on as much.
    void callsOfAnyBatchAreTriedOnLittle() {
        ShapedCall call;
        call.kind = CallKind::Matmul;
        const std::int64_t rows = std::int64_t{1} << 30;
        for (const auto& [role, dims] : {std::pair(Role::Output, Extents{rows, 16}),
                                         {Role::Input, Extents{rows, 16}},
                                         {Role::Weights, Extents{16, 16}}}) {
            ShapedArgument argument;
            argument.role = role;
            argument.dims = dims;
            argument.strides = rowMajor(dims);
            call.arguments.push_back(argument);
        }
        call.postOps.push_back({});
        call.postOps.back().kind = PostOpKind::Relu;
        QCOMPARE(findingOf(call, "no kernel of oneDNN", 2).doubt,
                 std::string("no kernel of oneDNN could not be tried with matmul, relu"));
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
        QVERIFY(smallInstance(call, true, small, 4)); // wider and higher
        QCOMPARE(small.arguments[0].dims, (Extents{2, 150, 19, 35}));
        QCOMPARE(small.arguments[1].dims, (Extents{2, 300, 39, 71}));
        call.arguments[3].strides = {1, 1, 1, 1}; // elements on top of each other
        QVERIFY(!smallInstance(call, false, small));
    }

    // One channel: its stride is that of the pixels, and kernels for images are chosen by it.
    void smallImagesOfOneChannel() {
        for (const bool last : {false, true}) {
            const auto strides = last ? channelsLast : rowMajor;
            ShapedCall call;
            for (const std::int64_t channels : {32, 1}) {
                ShapedArgument image;
                image.role = channels == 32 ? Role::Output : Role::Input;
                image.dims = {16, channels, 224, 224};
                image.strides = strides(image.dims);
                call.arguments.push_back(image);
            }
            ShapedArgument filters;
            filters.role = Role::Weights;
            filters.dims = {32, 1, 5, 5};
            filters.strides = rowMajor(filters.dims);
            call.arguments.push_back(filters);
            call.kind = CallKind::Convolution;
            call.attributes = {1, 1, 1, 1, 2, 2, 2, 2};
            ShapedCall small;
            QVERIFY(smallInstance(call, false, small));
            QCOMPARE(small.arguments[1].dims, (Extents{2, 1, 4, 8}));
            QCOMPARE(small.arguments[1].strides, strides(small.arguments[1].dims));
        }
    }
};

FW_TEST(TestSmallInstance, QCoreApplication)
#include "test_small_instance.moc"
