// Operators of books that nobody wrote: random indices (rests, quotients, ends, places that are
// read), guarded and bare, in maps, sums and stages between, at sizes from 0 on. Loops stay inside
// their memory, and a module computes what the drawn tree means, which is computed here without a
// line of the program.
#include "base/random.h"
#include "common/test.h"
#include "ir/graph_text.h"
#include "session/made.h"

#include <cmath>
#include <functional>

using namespace fw;
using namespace fw::test;

namespace {

using Places = std::map<std::string, std::int64_t>; // of axes

struct Tensor {
    std::vector<std::string> dims;
    std::vector<double> values;
};

struct Setting {
    Sizes sizes;
    std::map<std::string, Tensor> tensors;
};

std::int64_t wrapped(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

std::uint64_t bits(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

// Rounds down; 0 by 0.
std::int64_t quotient(std::int64_t a, std::int64_t b) {
    if (b == 0)
        return 0;
    const std::int64_t cut = a / b;
    return cut - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

std::int64_t rest(std::int64_t a, std::int64_t b) {
    return b == 0 ? 0 : wrapped(bits(a) - bits(quotient(a, b)) * bits(b));
}

// Text and meaning of one part of an operator.
struct Index {
    std::string text;
    std::function<std::int64_t(const Setting&, const Places&)> at;
};

struct Value {
    std::string text;
    std::function<double(const Setting&, const Places&)> at;
};

// Of values of one type and of places, which are i64 and have names that start with "at".
class Drawer {
public:
    explicit Drawer(std::uint64_t seed) : m_random(seed) {}

    std::map<std::string, std::vector<std::string>> shapes{
        {"x", {"N", "C"}}, {"v", {"K"}}, {"atp", {"P"}}, {"atn", {"N"}}};

    Random& random() { return m_random; }

    Index index(const std::vector<std::string>& axes, int depth) {
        const auto part = [&] { return index(axes, depth - 1); };
        switch (depth > 0 ? m_random.below(9) : m_random.below(3)) {
        case 0:
        case 1:
            if (!axes.empty())
                return axis(m_random.pick(axes));
            [[fallthrough]];
        case 2:
            return m_random.chance(50) ? number(m_random.between(-2, 5)) : extent();
        case 3: {
            const Index a = part(), b = part();
            return {"(" + a.text + " + " + b.text + ")", [=](const auto& s, const auto& p) {
                        return wrapped(bits(a.at(s, p)) + bits(b.at(s, p)));
                    }};
        }
        case 4: {
            const Index a = part();
            const Index b = m_random.chance(60) ? number(m_random.between(-3, 3)) : part();
            return {"(" + a.text + " * " + b.text + ")", [=](const auto& s, const auto& p) {
                        return wrapped(bits(a.at(s, p)) * bits(b.at(s, p)));
                    }};
        }
        case 5: {
            const Index a = part(), b = divisor();
            return {"(" + a.text + " % " + b.text + ")",
                    [=](const auto& s, const auto& p) { return rest(a.at(s, p), b.at(s, p)); }};
        }
        case 6: {
            const Index a = part(), b = divisor();
            return {"(" + a.text + " / " + b.text + ")",
                    [=](const auto& s, const auto& p) { return quotient(a.at(s, p), b.at(s, p)); }};
        }
        case 7: {
            const Index a = part(), b = part();
            const bool least = m_random.chance(50);
            return {fmt::format("{}({}, {})", least ? "min" : "max", a.text, b.text),
                    [=](const auto& s, const auto& p) {
                        return least ? std::min(a.at(s, p), b.at(s, p))
                                     : std::max(a.at(s, p), b.at(s, p));
                    }};
        }
        default:
            return placed(axes);
        }
    }

    // Somewhere near `dim`: an axis over it, brought into its range, or anything.
    Index indexInto(const std::string& dim, const std::vector<std::string>& axes) {
        Index any = index(axes, 2);
        if (any.text != lowered(dim)) // an axis that is read alone would say how far it runs
            any.text = "(" + any.text + " + 0)";
        const Index end = named(dim);
        switch (m_random.below(6)) {
        case 0:
            return {"wrap(" + any.text + ", " + dim + ")", [=](const auto& s, const auto& p) {
                        const std::int64_t i = any.at(s, p), n = end.at(s, p);
                        const std::int64_t from = i < 0 ? wrapped(bits(i) + bits(n)) : i;
                        return std::max<std::int64_t>(std::min(from, n - 1), 0);
                    }};
        case 1:
            return {"clamp(" + any.text + ", 0, " + dim + " - 1)",
                    [=](const auto& s, const auto& p) {
                        return std::max<std::int64_t>(std::min(any.at(s, p), end.at(s, p) - 1), 0);
                    }};
        case 2:
            return {any.text + " % " + dim,
                    [=](const auto& s, const auto& p) { return rest(any.at(s, p), end.at(s, p)); }};
        case 3:
        case 4:
            for (const std::string& name : axes)
                if (lowered(dim) == name)
                    return axis(name);
            return any;
        default:
            return any;
        }
    }

    Value read(const std::vector<std::string>& axes) {
        std::vector<std::string> names;
        for (const auto& [name, dims] : shapes)
            if (name.rfind("at", 0) != 0)
                names.push_back(name);
        const std::string name = m_random.pick(names);
        std::vector<Index> indices;
        std::string text;
        for (const std::string& dim : shapes.at(name)) {
            indices.push_back(indexInto(dim, axes));
            text += (text.empty() ? "" : ", ") + indices.back().text;
        }
        const bool guarded = m_random.chance(75);
        const double otherwise = guarded ? static_cast<double>(m_random.between(-3, 9)) : 0;
        text = name + "[" + text + "]";
        return {guarded ? fmt::format("pad({}, {})", text, otherwise) : text,
                [=](const Setting& s, const Places& p) {
                    const Tensor& tensor = s.tensors.at(name);
                    std::int64_t offset = 0;
                    for (std::size_t i = 0; i < indices.size(); ++i) {
                        const std::int64_t extent = s.sizes.at(tensor.dims[i]);
                        const std::int64_t place = indices[i].at(s, p);
                        // A bare read that was accepted: there is no element to pick.
                        if (place < 0 || place >= extent)
                            return guarded || extent == 0 ? otherwise : std::nan("");
                        offset = offset * extent + place;
                    }
                    return tensor.values.at(static_cast<std::size_t>(offset));
                }};
    }

    Value value(const std::vector<std::string>& axes, int depth) {
        switch (depth > 0 ? m_random.below(5) : 0) {
        case 1: {
            const Value a = value(axes, depth - 1), b = value(axes, depth - 1);
            const bool less = m_random.chance(30);
            return {fmt::format("({} {} {})", a.text, less ? '-' : '+', b.text),
                    [=](const auto& s, const auto& p) {
                        return less ? a.at(s, p) - b.at(s, p) : a.at(s, p) + b.at(s, p);
                    }};
        }
        case 2: {
            const Value a = value(axes, depth - 1);
            const double factor = static_cast<double>(m_random.between(-2, 3));
            return {fmt::format("({} * {})", a.text, factor),
                    [=](const auto& s, const auto& p) { return a.at(s, p) * factor; }};
        }
        case 3: {
            const Index a = index(axes, 2), b = index(axes, 1);
            const Value yes = value(axes, depth - 1), no = value(axes, depth - 1);
            return {fmt::format("select({} < {}, {}, {})", a.text, b.text, yes.text, no.text),
                    [=](const auto& s, const auto& p) {
                        return a.at(s, p) < b.at(s, p) ? yes.at(s, p) : no.at(s, p);
                    }};
        }
        case 4: {
            const std::string dim = m_random.pick(m_dims);
            const std::string name = fmt::format("r{}", m_sums++);
            std::vector<std::string> inner = axes;
            inner.push_back(name);
            const Value body = value(inner, depth - 1);
            return {fmt::format("sum({} in {} : {})", name, dim, body.text),
                    [=](const Setting& s, const Places& p) {
                        Places places = p;
                        double out = 0;
                        for (std::int64_t i = 0; i < s.sizes.at(dim); ++i) {
                            places[name] = i;
                            out += body.at(s, places);
                        }
                        return out;
                    }};
        }
        default:
            return read(axes);
        }
    }

    std::vector<std::string> someDims() {
        std::vector<std::string> out;
        for (const std::string& dim : m_dims)
            if (out.size() < 2 && m_random.chance(45))
                out.push_back(dim);
        if (out.empty())
            out.push_back(m_random.pick(m_dims));
        return out;
    }

    static std::string lowered(const std::string& dim) {
        return std::string(1, static_cast<char>(dim[0] - 'A' + 'a'));
    }

private:
    static Index axis(const std::string& name) {
        return {name, [=](const Setting&, const Places& p) { return p.at(name); }};
    }

    static Index number(std::int64_t value) {
        return {value < 0 ? fmt::format("({})", value) : std::to_string(value),
                [=](const Setting&, const Places&) { return value; }};
    }

    static Index named(const std::string& dim) {
        return {dim, [=](const Setting& s, const Places&) { return s.sizes.at(dim); }};
    }

    Index extent() { return named(m_random.pick(m_dims)); }

    Index divisor() {
        if (m_random.chance(30)) {
            const std::int64_t divisor = m_random.between(-3, 5);
            return number(divisor == 0 ? 7 : divisor);
        }
        const Index a = extent(), b = extent();
        if (m_random.chance(60))
            return a;
        const bool times = m_random.chance(50);
        return {fmt::format("({} {} {})", a.text, times ? '*' : '+', b.text),
                [=](const auto& s, const auto& p) {
                    return times ? a.at(s, p) * b.at(s, p) : a.at(s, p) + b.at(s, p);
                }};
    }

    // A place that is read.
    Index placed(const std::vector<std::string>& axes) {
        const std::string name = m_random.chance(50) ? "atp" : "atn";
        const std::string dim = name == "atp" ? "P" : "N";
        const Index where = indexInto(dim, axes);
        return {fmt::format("pad({}[{}], 1)", name, where.text),
                [=](const Setting& s, const Places& p) {
                    const std::int64_t place = where.at(s, p);
                    if (place < 0 || place >= s.sizes.at(dim))
                        return std::int64_t{1};
                    return static_cast<std::int64_t>(
                        s.tensors.at(name).values[static_cast<std::size_t>(place)]);
                }};
    }

    Random m_random;
    const std::vector<std::string> m_dims{"N", "C", "K", "P"};
    int m_sums = 0;
};

struct Stage {
    std::string name;
    std::vector<std::string> dims;
    Value value;
};

struct Drawn {
    std::vector<Stage> stages;           // the last is the result
    bool before = false, behind = false; // neg beside it, else relu
    DType dtype = DType::F32;            // all that is computed is exact in it
    std::string book, graph;
};

Drawn drawn(std::uint64_t seed) {
    Drawer drawer(seed);
    Drawn out;
    out.before = drawer.random().chance(40);
    out.behind = drawer.random().chance(40);
    out.dtype =
        drawer.random().pick(std::vector<DType>{DType::F32, DType::F64, DType::I32, DType::I64});
    const std::size_t lets = drawer.random().below(3);
    std::string body;
    for (std::size_t i = 0; i <= lets; ++i) {
        Stage stage;
        stage.name = i == lets ? "y" : fmt::format("t{}", i);
        stage.dims = drawer.someDims();
        std::vector<std::string> axes;
        for (const std::string& dim : stage.dims)
            axes.push_back(Drawer::lowered(dim));
        stage.value = drawer.value(axes, 3);
        body += fmt::format("  {}{}[{}] = {}\n", i == lets ? "" : "let ", stage.name,
                            fmt::join(axes, ", "), stage.value.text);
        drawer.shapes[stage.name] = stage.dims;
        out.stages.push_back(std::move(stage));
    }
    out.book = fmt::format("op own (x: T[N, C], v: T[K], atp: i64[P], atn: i64[N]) -> y: T[{}] {{\n"
                           "{}}}\n",
                           fmt::join(out.stages.back().dims, ", "), body);
    out.graph =
        fmt::format("graph g(x: {0}[N, C], v: {0}[K], p: i64[P], n: i64[N]) -> z {{\n"
                    "  a = {1}(x) y = own(a, v, p, n) z = {2}(y) }}",
                    dtypeText(out.dtype), out.before ? "neg" : "relu", out.behind ? "neg" : "relu");
    return out;
}

std::int64_t product(const std::vector<std::string>& dims, const Sizes& sizes) {
    std::int64_t out = 1;
    for (const std::string& dim : dims)
        out *= sizes.at(dim);
    return out;
}

std::vector<double> expected(const Drawn& operation, Setting setting) {
    for (double& element : setting.tensors["x"].values)
        element = operation.before ? -element : std::max(element, 0.0);
    for (const Stage& stage : operation.stages) {
        Tensor made{stage.dims, {}};
        const std::int64_t count = product(stage.dims, setting.sizes);
        for (std::int64_t i = 0; i < count; ++i) {
            Places places;
            std::int64_t left = i;
            for (std::size_t d = stage.dims.size(); d-- > 0;) {
                const std::int64_t extent = setting.sizes.at(stage.dims[d]);
                places[Drawer::lowered(stage.dims[d])] = left % extent;
                left /= extent;
            }
            made.values.push_back(stage.value.at(setting, places));
        }
        setting.tensors[stage.name] = std::move(made);
    }
    std::vector<double> out = setting.tensors["y"].values;
    for (double& element : out)
        element = operation.behind ? -element : std::max(element, 0.0);
    return out;
}

Setting setting(Random& random) {
    Setting out;
    const std::vector<std::int64_t> extents{0, 1, 2, 3, 4, 7, 9};
    for (const char* dim : {"N", "C", "K", "P"})
        out.sizes[dim] = random.pick(extents);
    const auto fill = [&](const char* name, std::vector<std::string> dims, std::int64_t low,
                          std::int64_t high) {
        Tensor tensor{std::move(dims), {}};
        for (std::int64_t i = product(tensor.dims, out.sizes); i > 0; --i)
            tensor.values.push_back(static_cast<double>(random.between(low, high)));
        out.tensors[name] = std::move(tensor);
    };
    fill("x", {"N", "C"}, -4, 4);
    fill("v", {"K"}, -4, 4);
    fill("atp", {"P"}, -3, 12);
    fill("atn", {"N"}, -3, 12);
    return out;
}

std::vector<TensorData> operands(const Setting& setting, DType dtype) {
    std::vector<TensorData> out;
    for (const char* name : {"x", "v", "atp", "atn"}) {
        const Tensor& tensor = setting.tensors.at(name);
        std::vector<std::int64_t> extents;
        for (const std::string& dim : tensor.dims)
            extents.push_back(setting.sizes.at(dim));
        out.push_back(dataFromDoubles(name[0] == 'a' ? DType::I64 : dtype, std::move(extents),
                                      tensor.values));
    }
    return out;
}

} // namespace

class TestRandomOperators : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void insideTheirMemoryAndRight();
};

// 150 of them, or as many as FW_FUZZ_SECONDS allows, from FW_SEED on.
void TestRandomOperators::insideTheirMemoryAndRight() {
    const int seconds = qEnvironmentVariableIntValue("FW_FUZZ_SECONDS");
    const int from = std::max(1, qEnvironmentVariableIntValue("FW_SEED"));
    QElapsedTimer timer;
    timer.start();
    int ran = 0, refused = 0;
    for (int seed = from; seconds > 0 ? timer.elapsed() < seconds * 1000 : ran + refused < 150;
         ++seed) {
        const Drawn operation = drawn(static_cast<std::uint64_t>(seed));
        const std::string where =
            fmt::format("seed {}\n{}{}", seed, operation.book, operation.graph);
        const char* cpu = seed % 2 == 0 ? "x86-64-v2" : "x86-64-v3";
        std::unique_ptr<Made> own;
        try {
            own = made(operation.book, operation.graph, cpu);
        } catch (const InternalError& error) {
            const std::string why = error.what();
            QVERIFY2(why.find("TXT04") != std::string::npos, (where + '\n' + why).c_str());
            ++refused;
            continue;
        }
        Random random(static_cast<std::uint64_t>(seed) + 1'000'000);
        for (int draw = 0; draw < 6; ++draw) {
            const Setting given = setting(random);
            std::string sizes;
            for (const auto& [name, value] : given.sizes)
                sizes += fmt::format(" {}={}", name, value);
            const std::string bad = badAccess(*own, given.sizes);
            QVERIFY2(bad.empty(), fmt::format("{}\n{}:{}", where, sizes, bad).c_str());
            const auto got = own->loaded->run(operands(given, operation.dtype));
            if (!got.ok()) { // a bare read that these sizes do not allow
                QVERIFY2(got.diag().message.find("may lie outside") != std::string::npos,
                         fmt::format("{}\n{}: {}", where, sizes, got.diag().message).c_str());
                continue;
            }
            const std::vector<double> wanted = expected(operation, given);
            QCOMPARE(got.value().at(0).count(), wanted.size());
            for (std::size_t i = 0; i < wanted.size(); ++i)
                QVERIFY2(got.value()[0].at(i) == wanted[i],
                         fmt::format("{}\n{}: [{}] is {}, not {}", where, sizes, i,
                                     got.value()[0].at(i), wanted[i])
                             .c_str());
        }
        ++ran;
    }
    qInfo("%d operators ran, %d were refused for a read", ran, refused);
    QVERIFY2(seconds > 0 || ran > refused, "most are accepted");
}

FW_TEST(TestRandomOperators, QCoreApplication)
#include "test_random_operators.moc"
