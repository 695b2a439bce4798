// Casts between all element types: every number of 8 and 16 bits, and of wider types what lies on a
// rounding tie of a narrower one, beside it, at the limits of integers, denormals, infinities, no
// numbers. Expected bits come from the compiler (f16, f32, f64), from comparisons with the two
// neighbours (bf16) and from integers of 128 bits. The reference, the interpreter of loop nests and
// machine code of every level, lanes and scalar, give them.
#include "codegen/harness.h"
#include "common/test.h"
#include "expr/scalar.h"
#include "schedule/lower_check.h"
#include "tensor/half_reference.h"
#include "tensor/reference.h"
#include "tensor/wide_integers.h"

using namespace fw;
using namespace fw::test;

namespace {

using Real = long double; // holds every number of every type

constexpr DType types[] = {DType::Bool, DType::I8,  DType::U8,  DType::I16, DType::U16,
                           DType::I32,  DType::U32, DType::I64, DType::U64, DType::F16,
                           DType::BF16, DType::F32, DType::F64};
float floatOf(std::uint64_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

Real realOfBits(DType dtype, std::uint64_t bits) {
    switch (dtype) {
    case DType::F16:
        return value_of_half(static_cast<std::uint16_t>(bits));
    case DType::BF16:
        return floatOf(bits << 16);
    case DType::F32:
        return floatOf(bits);
    default:
        return std::bit_cast<double>(bits);
    }
}

Wide integerOfBits(DType dtype, std::uint64_t bits) {
    const int unused = 64 - bitsOf(dtype);
    const std::uint64_t high = bits << unused;
    return isSigned(dtype) ? Wide(static_cast<std::int64_t>(high) >> unused) : Wide(high >> unused);
}

std::uint64_t lowBits(DType dtype, Wide value) {
    return static_cast<std::uint64_t>(value) & (~std::uint64_t(0) >> (64 - bitsOf(dtype)));
}

// Of the two numbers around it the nearer one, of two that are as near the one with an even last
// bit. The number behind the largest is 2^128, which stands for infinity.
std::uint64_t brainOf(Real value) {
    static const auto magnitudes = [] {
        std::vector<Real> out;
        for (std::uint64_t bits = 0; bits < 0x7f80; ++bits)
            out.push_back(floatOf(bits << 16));
        out.push_back(std::ldexp(Real(1), 128));
        return out;
    }();
    const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0;
    const Real size = std::fabs(value);
    if (std::isnan(size))
        return sign | 0x7fc0;
    const auto above = std::upper_bound(magnitudes.begin(), magnitudes.end(), size);
    if (above == magnitudes.end())
        return sign | 0x7f80;
    const auto low = static_cast<std::uint64_t>(above - magnitudes.begin()) - 1;
    const Real before = size - magnitudes[low], behind = *above - size;
    const bool up = behind < before || (behind == before && low % 2 == 1);
    return sign | (low + (up ? 1 : 0));
}

std::uint64_t floatBits(DType to, Real value) {
    switch (to) {
    case DType::F16:
        return half_of(value);
    case DType::BF16:
        return brainOf(value);
    case DType::F32:
        return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    default:
        return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    }
}

std::uint64_t expectedBits(DType from, std::uint64_t bits, DType to) {
    if (!isFloat(from)) {
        const Wide value = integerOfBits(from, bits);
        if (to == DType::Bool)
            return value != 0;
        return isFloat(to) ? floatBits(to, static_cast<Real>(value)) : lowBits(to, value);
    }
    const Real value = realOfBits(from, bits);
    if (isFloat(to))
        return floatBits(to, value);
    if (to == DType::Bool)
        return value != 0; // what is no number is not 0
    if (std::isnan(value))
        return 0;
    const Real cut = std::trunc(value);
    if (cut <= static_cast<Real>(leastWide(to)))
        return lowBits(to, leastWide(to));
    return lowBits(to, cut >= static_cast<Real>(mostWide(to)) ? mostWide(to) : Wide(cut));
}

bool agree(DType dtype, std::uint64_t got, std::uint64_t wanted) {
    return got == wanted || (isFloat(dtype) && std::isnan(realOfBits(dtype, got)) &&
                             std::isnan(realOfBits(dtype, wanted)));
}

// Halfway between two neighbours of that type, in turn of either sign.
std::vector<Real> tiesOf(DType dtype) {
    std::vector<Real> out;
    std::mt19937 random(3);
    const std::uint64_t end = dtype == DType::F16 ? 0x7bff : dtype == DType::BF16 ? 0x7f7f : 20000;
    for (std::uint64_t i = 0; i < end; ++i) {
        const std::uint64_t bits = dtype == DType::F32 ? random() % 0x7f7fffff : i;
        const Real tie = (realOfBits(dtype, bits) + realOfBits(dtype, bits + 1)) / 2;
        out.push_back(i % 2 == 0 ? tie : -tie);
    }
    const Real most = realOfBits(dtype, dtype == DType::F32 ? 0x7f7fffff : end);
    const Real step = most - realOfBits(dtype, (dtype == DType::F32 ? 0x7f7fffff : end) - 1);
    out.push_back(most + step / 2); // from here on it is infinite
    out.push_back(-most - step / 2);
    return out;
}

std::vector<std::uint64_t> floatSources(DType dtype) {
    std::vector<std::uint64_t> out;
    const std::uint64_t sign = std::uint64_t(1) << (bitsOf(dtype) - 1);
    const auto around = [&](Real value) {
        const std::uint64_t bits = floatBits(dtype, value);
        for (const std::uint64_t near : {bits - 1, bits, bits + 1})
            out.push_back(lowBits(dtype, Wide(near)));
    };
    for (const DType narrow : {DType::F16, DType::BF16, DType::F32})
        if (dtypeBytes(narrow) < dtypeBytes(dtype))
            for (const Real tie : tiesOf(narrow)) {
                around(tie);
                // By way of f32 it would become the tie itself.
                if (dtype == DType::F64)
                    for (const Real part : {0x1p-30L, -0x1p-30L})
                        out.push_back(floatBits(dtype, tie * (1 + part)));
            }
    for (const DType whole : types)
        if (!isFloat(whole))
            for (const Wide limit : {leastWide(whole), mostWide(whole)})
                for (const Real off : {-1.0L, -0.5L, 0.0L, 0.5L, 1.0L})
                    around(static_cast<Real>(limit) + off);
    const std::uint64_t infinity = floatBits(dtype, HUGE_VALL);
    for (const std::uint64_t bits :
         {std::uint64_t(0), std::uint64_t(1), infinity - 1, infinity, infinity + 1,
          infinity + infinity / 3, floatBits(dtype, 0.3L), floatBits(dtype, 0x1p-126L),
          floatBits(dtype, 0x1p-149L), floatBits(dtype, 0x1p-150L)})
        for (const std::uint64_t side : {std::uint64_t(0), sign})
            out.push_back(bits | side);
    return out;
}

std::vector<std::uint64_t> integerSources(DType dtype) {
    std::vector<Wide> out = {
        leastWide(dtype), leastWide(dtype) + 1, mostWide(dtype), mostWide(dtype) - 1, 0, 1};
    for (const int digits : {8, 11, 24, 53}) // of bf16, f16, f32, f64
        for (int power = digits; power < 64; ++power)
            for (const Wide units : {Wide(0), Wide(1), Wide(2), (Wide(1) << (digits - 1)) - 1}) {
                const Wide unit = Wide(1) << (power - digits + 1);
                for (const Wide off : {-1, 0, 1})
                    for (const Wide side : {1, -1})
                        out.push_back(side * ((Wide(1) << power) + units * unit + unit / 2 + off));
            }
    std::vector<std::uint64_t> bits;
    for (const Wide value : out)
        if (value >= leastWide(dtype) && value <= mostWide(dtype))
            bits.push_back(lowBits(dtype, value));
    return bits;
}

std::vector<std::uint64_t> sourcesOf(DType dtype) {
    if (dtypeBytes(dtype) > 2)
        return isFloat(dtype) ? floatSources(dtype) : integerSources(dtype);
    std::vector<std::uint64_t> all(dtype == DType::Bool ? 2 : std::size_t(1) << bitsOf(dtype));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

std::uint64_t bitsAt(const std::byte* from, DType dtype, std::size_t i) {
    std::uint64_t out = 0;
    std::memcpy(&out, from + i * dtypeBytes(dtype), dtypeBytes(dtype));
    return out;
}

LoopValues loopValuesOf(const TensorData& data) {
    LoopValues out = loopValues(data.dtype(), data.count());
    for (std::size_t i = 0; i < out.size(); ++i)
        if (isFloat(data.dtype()))
            out.real[i] = static_cast<double>(
                realOfBits(data.dtype(), bitsAt(data.bytes().data(), data.dtype(), i)));
        else
            out.integer[i] = static_cast<std::int64_t>(
                integerOfBits(data.dtype(), bitsAt(data.bytes().data(), data.dtype(), i)));
    return out;
}

std::string nameOf(DType to) {
    return "y_" + std::string(dtypeText(to));
}

// x into every type at once; lanes with a tail, or one by one.
LoopNest castNest(DType from, std::int64_t count, bool lanes) {
    const Expr at = lanes ? v("o") * Expr(16) + v("l") : v("o");
    LoopNest nest;
    nest.name = "casts";
    nest.parameters = {{"x", from, Expr(count), BufferScope::Parameter, BufferAccess::Read}};
    std::vector<Stmt> stores;
    for (const DType to : types) {
        const Symbol y(nameOf(to));
        nest.parameters.push_back(
            {y, to, Expr(count), BufferScope::Parameter, BufferAccess::Write});
        stores.push_back(storeStmt(y, at, castExpr(loadExpr("x", {at}, from), to)));
    }
    Stmt body = blockStmt(std::move(stores));
    if (lanes)
        body = forStmt("l", 0, 16, LoopKind::Vector, ifStmt(ltExpr(at, Expr(count)), body));
    nest.body = forStmt("o", 0, lanes ? ceilDivExpr(Expr(count), Expr(16)) : Expr(count),
                        LoopKind::Serial, body);
    return nest;
}

} // namespace

class TestConversions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void all_data();
    void all();

private:
    std::string differs(const char* who, DType to, std::size_t i, std::uint64_t got) const {
        return std::string(who) + ": " + std::string(dtypeText(m_from)) + " " +
               QByteArray::number(quint64(m_sources[i]), 16).toStdString() + " to " +
               std::string(dtypeText(to)) + " is " +
               QByteArray::number(quint64(got), 16).toStdString() + ", not " +
               QByteArray::number(quint64(expectedBits(m_from, m_sources[i], to)), 16)
                   .toStdString();
    }

    DType m_from = DType::F32;
    std::vector<std::uint64_t> m_sources;
};

void TestConversions::all_data() {
    QTest::addColumn<int>("from");
    for (const DType from : types)
        QTest::newRow(std::string(dtypeText(from)).c_str()) << static_cast<int>(from);
}

void TestConversions::all() {
    QFETCH(int, from);
    m_from = static_cast<DType>(from);
    m_sources = sourcesOf(m_from);
    const auto count = static_cast<std::int64_t>(m_sources.size());
    const std::size_t width = dtypeBytes(m_from);
    std::vector<std::byte> bytes(m_sources.size() * width);
    for (std::size_t i = 0; i < m_sources.size(); ++i)
        std::memcpy(bytes.data() + i * width, &m_sources[i], width);
    const TensorData data(m_from, {count}, bytes);
    std::map<DType, std::vector<std::uint64_t>> expected;
    for (const DType to : types)
        for (const std::uint64_t bits : m_sources)
            expected[to].push_back(expectedBits(m_from, bits, to));

    // Literals, data that are made of numbers, and the reference.
    for (const DType to : types) {
        OpInst inst;
        inst.inputs = {tensor("x", {Expr(count)}, m_from)};
        inst.outputs = {tensor("y", {Expr(count)}, to)};
        inst.stages = {
            mapStage("y", {{"i", Expr(count)}}, castExpr(loadExpr("x", {v("i")}, m_from), to))};
        const auto got = evaluate(inst, {&data});
        QVERIFY2(got.ok(), got.ok() ? "" : got.diag().text().c_str());
        const TensorData written =
            m_from == DType::F64   ? dataFromDoubles(to, {count}, data.toDoubles())
            : m_from == DType::I64 ? dataFromIntegers(to, {count}, data.toIntegers())
                                   : (*got)[0];
        for (std::size_t i = 0; i < m_sources.size(); ++i) {
            const std::uint64_t wanted = expected[to][i];
            const std::uint64_t made = bitsAt((*got)[0].bytes().data(), to, i);
            if (!agree(to, made, wanted))
                QFAIL(differs("reference", to, i, made).c_str());
            const std::uint64_t kept = bitsAt(written.bytes().data(), to, i);
            if (!agree(to, kept, wanted))
                QFAIL(differs("data", to, i, kept).c_str());
            if (isFloat(m_from) == isFloat(to) && isFloat(to))
                continue; // a literal keeps its digits until it is stored
            const Expr literal =
                isFloat(m_from)
                    ? literalAs(
                          floatExpr(static_cast<double>(realOfBits(m_from, m_sources[i])), m_from),
                          to)
                    : castExpr(
                          intExpr(static_cast<std::int64_t>(integerOfBits(m_from, m_sources[i])),
                                  m_from),
                          to);
            const std::uint64_t folded =
                isFloat(to) ? floatBits(to, literal->real) : lowBits(to, literal->integer);
            if (!agree(to, folded, wanted))
                QFAIL(differs("folding", to, i, folded).c_str());
            if (to == DType::F32 || to == DType::F64) // narrow ones keep their digits, too
                QVERIFY(static_cast<Real>(literal->real) == realOfBits(to, wanted));
        }
    }

    for (const bool lanes : {false, true}) {
        const LoopNest nest = castNest(m_from, count, lanes);
        std::vector<LoopValues> values = {loopValuesOf(data)};
        for (const DType to : types)
            values.push_back(loopValues(to, m_sources.size()));
        const Status status = interpret(nest, values, {});
        QVERIFY2(status.ok(), status.ok() ? "" : status.diag().text().c_str());
        for (std::size_t t = 0; t < std::size(types); ++t)
            for (std::size_t i = 0; i < m_sources.size(); ++i) {
                const DType to = types[t];
                const LoopValues& own = values[t + 1];
                const std::uint64_t got =
                    isFloat(to) ? floatBits(to, own.real[i]) : lowBits(to, own.integer[i]);
                if (!agree(to, got, expected[to][i]))
                    QFAIL(differs("interpreter", to, i, got).c_str());
                if (isFloat(to) && !std::isnan(own.real[i]))
                    QVERIFY(static_cast<Real>(own.real[i]) == realOfBits(to, got));
            }

        for (const char* level : levels) {
            const Target target = testTarget(level);
            if (!target.isHost)
                continue;
            const Result<CompiledKernel> kernel = compileKernel(nest, target, {});
            QVERIFY2(kernel.ok(), kernel.ok() ? "" : kernel.diag().text().c_str());
            const std::vector<std::vector<std::byte>> objects = {kernel->object};
            const Result<JitModule> module = jit().load(objects);
            QVERIFY(module.ok());
            std::vector<GuardedBuffer> memory;
            std::vector<void*> pointers;
            memory.emplace_back(bytes.size());
            std::memcpy(memory.back().data(), bytes.data(), bytes.size());
            for (const DType to : types)
                memory.emplace_back(m_sources.size() * dtypeBytes(to));
            for (const GuardedBuffer& buffer : memory)
                pointers.push_back(buffer.data());
            const fw_kernel_context context{pointers.data(), nullptr, runSerially, nullptr};
            module->kernel(kernel->symbol).value().run(&context);
            for (std::size_t t = 0; t < std::size(types); ++t) {
                QVERIFY(memory[t + 1].isIntact());
                for (std::size_t i = 0; i < m_sources.size(); ++i) {
                    const std::uint64_t got = bitsAt(memory[t + 1].data(), types[t], i);
                    if (!agree(types[t], got, expected[types[t]][i]))
                        QFAIL(differs(lanes ? level : (std::string(level) + " scalar").c_str(),
                                      types[t], i, got)
                                  .c_str());
                }
            }
        }
    }
}

FW_TEST(TestConversions, QCoreApplication)
#include "test_conversions.moc"
