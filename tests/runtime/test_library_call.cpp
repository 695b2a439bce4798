// Library calls as data: stored, checked, made ready; products by OpenBLAS and oneDNN against
// loops.
#include "common/test.h"
#include "libraries/onednn/call/onednn_describe.h"
#include "runtime/executor.h"

#include <cmath>

using namespace fw::runtime;

namespace {

constexpr std::int64_t M = 5, K = 7, N = 6;

std::vector<float> numbers(std::int64_t count, int seed) {
    std::vector<float> out;
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(static_cast<float>((i * 7 + seed * 3) % 11) - 5.0f);
    return out;
}

ShapedArgument argument(Role role, std::uint32_t buffer, std::vector<std::int64_t> dims,
                        std::vector<std::int64_t> strides) {
    ShapedArgument out;
    out.role = role;
    out.buffer = buffer;
    out.dims = std::move(dims);
    out.strides = std::move(strides);
    out.bytes = 1 << 20;
    return out;
}

bool present(LibraryId library) {
    return libraryInfo(library).presence == LibraryPresence::Ready;
}

// out[m, n] = alpha * sum(a[m, k] * b[k, n]) + beta * out[m, n], b stored transposed if asked.
ShapedCall product(LibraryId library, bool transposedA, bool transposedB, std::int64_t k = K) {
    ShapedCall call;
    call.library = library;
    call.arguments = {
        argument(Role::Output, 0, {M, N}, {N, 1}),
        argument(Role::Input, 1, {M, k},
                 transposedA ? std::vector<std::int64_t>{1, M} : std::vector<std::int64_t>{k, 1}),
        argument(Role::Weights, 2, {k, N},
                 transposedB ? std::vector<std::int64_t>{1, k} : std::vector<std::int64_t>{N, 1})};
    return call;
}

std::vector<float> run(const ShapedCall& call, const std::vector<float>& a,
                       const std::vector<float>& b, std::vector<float> out) {
    std::unique_ptr<PreparedCall> prepared;
    const Status made = prepareCall(call, 2, prepared);
    if (!made.ok()) {
        qWarning("%s", made.message.c_str());
        return {};
    }
    std::vector<float> left = a, right = b;
    alignas(64) static std::byte scratch[1 << 20];
    void* const buffers[] = {out.data(), left.data(), right.data()};
    if (prepared->scratchBytes() > sizeof scratch || !prepared->run(buffers, scratch).ok())
        return {};
    return out;
}

Program programOfOneCall() {
    Program p;
    p.name = "one";
    const auto three = p.addConstant(3), one = p.addConstant(1), size = p.addConstant(36);
    p.tensors.resize(3);
    for (Tensor& tensor : p.tensors) {
        tensor.dims = {three, three};
        tensor.bytes = size;
    }
    p.tensors[0].storage = Storage::Output;
    p.tensors[1].storage = Storage::Input;
    p.tensors[2].storage = Storage::Input;
    p.tensors[2].index = 1;
    p.outputs = {0};
    p.inputs = {1, 2};
    Step step;
    step.name = "product";
    step.kernel = libraryKernel;
    step.buffers = {{0, Access::Write}, {1, Access::Read}, {2, Access::Read}};
    step.flops = step.bytes = one;
    p.steps.push_back(step);
    LibraryCall call;
    call.library = LibraryId::OpenBlas;
    const auto zero = p.addConstant(0);
    call.arguments = {{Role::Output, 0, zero, {three, three}, {three, one}, {}},
                      {Role::Input, 1, zero, {three, three}, {three, one}, {}},
                      {Role::Weights, 2, zero, {three, three}, {three, one}, {}}};
    p.calls.push_back(call);
    return p;
}

} // namespace

class TestLibraryCall : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void libraryIsNamedWithItsCore() {
        for (const LibraryId library : {LibraryId::OneDnn, LibraryId::OpenBlas}) {
            const LibraryInfo& info = libraryInfo(library);
            QVERIFY(!info.package.empty());
            if (info.presence != LibraryPresence::Ready) {
                QVERIFY(!info.reason.empty());
                continue;
            }
            QVERIFY(!info.version.empty() && !info.core.empty() && !info.path.empty());
            QVERIFY(info.core != "Prescott"); // the silent fallback for CPUs it does not know
        }
    }

    void products_data() {
        QTest::addColumn<int>("library");
        QTest::addColumn<bool>("a");
        QTest::addColumn<bool>("b");
        for (int library = 0; library < 2; ++library)
            for (int i = 0; i < 4; ++i)
                QTest::addRow("%s %d", libraryText(static_cast<LibraryId>(library)), i)
                    << library << (i % 2 == 1) << (i / 2 == 1);
    }
    void products() {
        QFETCH(int, library);
        QFETCH(bool, a);
        QFETCH(bool, b);
        const auto id = static_cast<LibraryId>(library);
        if (!present(id))
            QSKIP("the library is not installed");
        const std::vector<float> left = numbers(M * K, 1), right = numbers(K * N, 2);
        const auto got = run(product(id, a, b), left, right, std::vector<float>(M * N, 99));
        QCOMPARE(got.size(), std::size_t(M * N));
        for (std::int64_t m = 0; m < M; ++m)
            for (std::int64_t n = 0; n < N; ++n) {
                float sum = 0;
                for (std::int64_t k = 0; k < K; ++k)
                    sum += left[std::size_t(a ? k * M + m : m * K + k)] *
                           right[std::size_t(b ? n * K + k : k * N + n)];
                QCOMPARE(got[std::size_t(m * N + n)], sum);
            }
    }

    void alphaAndBeta() {
        if (!present(LibraryId::OpenBlas))
            QSKIP("OpenBLAS is not installed");
        ShapedCall call = product(LibraryId::OpenBlas, false, false);
        const std::vector<float> left = numbers(M * K, 1), right = numbers(K * N, 2);
        const auto plain = run(call, left, right, std::vector<float>(M * N, 0));
        call.alpha = 2;
        call.beta = 3;
        const auto got = run(call, left, right, std::vector<float>(M * N, 1));
        for (std::size_t i = 0; i < got.size(); ++i)
            QCOMPARE(got[i], 2 * plain[i] + 3);
    }

    void batchesBroadcast() {
        for (const LibraryId library : {LibraryId::OneDnn, LibraryId::OpenBlas}) {
            if (!present(library))
                continue;
            ShapedCall call;
            call.library = library;
            call.arguments = {argument(Role::Output, 0, {3, M, N}, {M * N, N, 1}),
                              argument(Role::Input, 1, {3, M, K}, {M * K, K, 1}),
                              argument(Role::Weights, 2, {1, K, N}, {K * N, N, 1})};
            const std::vector<float> left = numbers(3 * M * K, 1), right = numbers(K * N, 2);
            const auto got = run(call, left, right, std::vector<float>(3 * M * N, 9));
            QCOMPARE(got.size(), std::size_t(3 * M * N));
            for (std::int64_t row = 0; row < 3 * M; ++row) {
                float sum = 0;
                for (std::int64_t k = 0; k < K; ++k)
                    sum += left[std::size_t(row * K + k)] * right[std::size_t(k * N)];
                QCOMPARE(got[std::size_t(row * N)], sum);
            }
        }
    }

    // A zero-size product kills oneDNN; it never gets one.
    void emptySums() {
        for (const LibraryId library : {LibraryId::OneDnn, LibraryId::OpenBlas}) {
            if (!present(library))
                continue;
            const auto zeros =
                run(product(library, false, false, 0), {0}, {0}, std::vector<float>(M * N, 99));
            QCOMPARE(zeros, std::vector<float>(M * N, 0));
            ShapedCall nothing = product(library, false, false);
            nothing.arguments[0].dims[0] = nothing.arguments[1].dims[0] = 0;
            QCOMPARE(run(nothing, {0}, numbers(K * N, 2), {7}), std::vector<float>{7});
        }
    }

    void emptySumKeepsWhatFollows() {
        if (!present(LibraryId::OneDnn))
            QSKIP("oneDNN is not installed");
        ShapedCall call = product(LibraryId::OneDnn, false, false, 0);
        call.postOps = {{PostOpKind::Linear, 1, 4, 0}, {PostOpKind::Clip, 0, 3, 0}};
        QCOMPARE(run(call, {0}, {0}, std::vector<float>(M * N, 99)), std::vector<float>(M * N, 3));
    }

    void nothingUnderTheWindow_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<float>("expected");
        const auto add = [](CallKind kind, float expected) {
            QTest::newRow(kindText(kind)) << static_cast<int>(kind) << expected;
        };
        add(CallKind::MaxPool, -HUGE_VALF);
        add(CallKind::AveragePool, NAN);
        add(CallKind::FullAveragePool, 0);
        add(CallKind::Convolution, 5); // its bias
        add(CallKind::Deconvolution, 5);
    }
    void nothingUnderTheWindow() {
        if (!present(LibraryId::OneDnn))
            QSKIP("oneDNN is not installed");
        QFETCH(int, kind);
        QFETCH(float, expected);
        ShapedCall call;
        call.kind = static_cast<CallKind>(kind);
        call.arguments = {argument(Role::Output, 0, {1, 1, 2, 2}, {4, 4, 2, 1}),
                          argument(Role::Input, 1, {1, 1, 0, 2}, {2, 2, 2, 1})};
        const bool pool = call.kind >= CallKind::MaxPool;
        if (!pool) {
            call.arguments.push_back(argument(Role::Weights, 1, {1, 1, 1, 1}, {1, 1, 1, 1}));
            call.arguments.push_back(argument(Role::Bias, 2, {1}, {1}));
        }
        call.attributes = {1, 1, 1, 1};
        if (pool)
            call.attributes.insert(call.attributes.end(), {1, 1});
        call.attributes.insert(call.attributes.end(), {1, 0, 1, 0});
        for (const float sign : {1.0F, -1.0F}) {
            call.postOps = {{PostOpKind::Linear, sign, 0, 0}};
            const std::vector<float> got = run(call, {9}, {5}, std::vector<float>(4, 99));
            QCOMPARE(got.size(), std::size_t(4));
            for (const float value : got)
                QVERIFY(value == sign * expected || (std::isnan(value) && std::isnan(expected)));
        }
    }

    void layoutsReadBack() {
        if (!present(LibraryId::OneDnn))
            QSKIP("oneDNN is not installed");
        const std::vector<std::int64_t> dims = {20, 3, 7, 7};
        for (const char* layout : {"abcd", "acdb", "Acdb16a", "ABcd8b16a", "ABcd4b16a4b"}) {
            dnnl_memory_desc_t description;
            QVERIFY2(describeLayout(dims, layout, description), layout);
            QCOMPARE(layoutText(description), std::string(layout));
        }
        dnnl_memory_desc_t ignored;
        for (const char* layout :
             {"", "abc", "abcz", "aacd", "Abcd", "abcd16a", "Abcd0a", "Abcd16", "Abcd99999999a",
              "wino:1,2", "ABcd1024a1024b1024a", "\xff\xff\xff\xff", "Abcd16a16z"})
            QVERIFY2(!describeLayout(dims, layout, ignored), layout);
    }

    void storedAndReadBack() {
        Program program = programOfOneCall();
        program.calls[0].postOps = {};
        program.calls[0].alpha = 0.5f;
        QVERIFY2(checkProgram(program).ok(), checkProgram(program).message.c_str());
        const auto blob = writeProgram(program);
        Program back;
        const Status status = readProgram(blob.data(), blob.size(), back);
        QVERIFY2(status.ok(), status.message.c_str());
        QCOMPARE(writeProgram(back), blob);
        QCOMPARE(back.calls[0].alpha, 0.5f);
    }

    void hostileCalls_data() {
        QTest::addColumn<int>("what");
        for (int i = 0; i < 13; ++i)
            QTest::addRow("%d", i) << i;
    }
    void hostileCalls() {
        QFETCH(int, what);
        Program p = programOfOneCall();
        LibraryCall& call = p.calls[0];
        switch (what) {
        case 0:
            p.steps[0].call = 1;
            break;
        case 1:
            call.arguments[1].buffer = 3;
            break;
        case 2:
            call.arguments.pop_back();
            break;
        case 3:
            call.arguments[1].dims = {99, 99};
            break;
        case 4:
            call.arguments[1].strides.clear();
            break;
        case 5:
            call.arguments[2].layout = "any";
            call.arguments[2].strides.clear();
            break;
        case 6: // packed weights that the caller may change
            call.library = LibraryId::OneDnn;
            call.arguments[2].layout = "ab";
            call.arguments[2].strides.clear();
            break;
        case 7:
            call.postOps = {{PostOpKind::Relu, 0, 0, 0}};
            break;
        case 8:
            call.library = LibraryId::OneDnn;
            call.postOps = {{PostOpKind::Add, 0, 0, 1}};
            break;
        case 9:
            call.kind = CallKind::Convolution;
            break;
        case 10:
            p.steps[0].buffers[0].access = Access::Read;
            break;
        case 11:
            call.attributes = {0};
            break;
        case 12:
            p.tensors[1].type = DataType::I32;
            break;
        }
        QCOMPARE(checkProgram(p).code, FW_BAD_PROGRAM);
    }

    // Sizes that are known with the shapes only: caught before the library sees them.
    void argumentsStayInsideTheirMemory() {
        for (const std::int64_t value : {4, -1}) {
            for (const int where : {0, 1, 2}) {
                Program p = programOfOneCall();
                const auto id = p.addConstant(value);
                CallArgument& argument = p.calls[0].arguments[1];
                (where == 0   ? argument.offset
                 : where == 1 ? argument.dims[0]
                              : argument.strides[0]) = id;
                std::unique_ptr<Executor> executor;
                ExecutorOptions options;
                options.libraries = prepareCall;
                const Status status = Executor::open(p, nullptr, 0, {}, options, executor);
                QCOMPARE(status.code, FW_BAD_PROGRAM);
            }
        }
    }

    void withoutLibrariesTheStepIsRefused() {
        std::unique_ptr<Executor> executor;
        const Status status = Executor::open(programOfOneCall(), nullptr, 0, {}, {}, executor);
        QCOMPARE(status.code, FW_LIBRARY_MISSING);
    }
};

FW_TEST(TestLibraryCall, QCoreApplication)
#include "test_library_call.moc"
