// Where Resize reads, over all small sizes, against fractions of whole numbers.
#include "common/test.h"
#include "onnx/forms/resize_places.h"
#include "onnx/judge.h"

#include <numeric>

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

namespace {

struct Exact {
    std::int64_t over = 0, under = 1; // under > 0, lowest terms

    Exact(std::int64_t a = 0, std::int64_t b = 1) : over(b < 0 ? -a : a), under(b < 0 ? -b : b) {
        const std::int64_t common = std::gcd(over, under);
        over /= common;
        under /= common;
    }
    std::int64_t floor() const { return over >= 0 ? over / under : -((-over + under - 1) / under); }
    std::int64_t ceil() const { return -Exact(-over, under).floor(); }
    double real() const { return static_cast<double>(over) / static_cast<double>(under); }
};

Exact operator+(Exact a, Exact b) {
    return {a.over * b.under + b.over * a.under, a.under * b.under};
}
Exact operator-(Exact a, Exact b) {
    return a + Exact(-b.over, b.under);
}
Exact operator*(Exact a, Exact b) {
    return {a.over * b.over, a.under * b.under};
}
Exact operator/(Exact a, Exact b) {
    return {a.over * b.under, a.under * b.over};
}

const Exact half(1, 2);

struct Region {
    Exact first, last = 1;
};

// The text of the standard, "coordinate_transformation_mode" of Resize-11 and 19.
Exact original(const std::string& mode, std::int64_t o, std::int64_t from, std::int64_t to,
               Exact scale, const Region& region) {
    const Exact x(o);
    if (mode == "asymmetric")
        return x / scale;
    if (mode == "tf_half_pixel_for_nn")
        return (x + half) / scale;
    if (mode == "pytorch_half_pixel" && to <= 1)
        return 0;
    if (mode == "align_corners")
        return to <= 1 ? Exact(0) : x * Exact(from - 1) / (Exact(from) * scale - Exact(1));
    if (mode == "tf_crop_and_resize")
        return to > 1 ? region.first * Exact(from - 1) +
                            x * (region.last - region.first) * Exact(from - 1) / Exact(to - 1)
                      : half * (region.first + region.last) * Exact(from - 1);
    const Exact place = (x + half) / scale - half;
    if (mode != "half_pixel_symmetric")
        return place;
    const Exact adjustment = Exact(to) / (Exact(from) * scale);
    return Exact(from, 2) * (Exact(1) - adjustment) + place;
}

std::int64_t nearest(const std::string& rounding, Exact place) {
    if (rounding == "round_prefer_floor")
        return (place - half).ceil();
    if (rounding == "round_prefer_ceil")
        return (place + half).floor();
    return rounding == "floor" ? place.floor() : place.ceil();
}

const std::string modes[] = {"half_pixel",         "asymmetric",    "tf_half_pixel_for_nn",
                             "pytorch_half_pixel", "align_corners", "half_pixel_symmetric",
                             "tf_crop_and_resize"};
const std::string roundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
const Region regions[] = {{0, 1}, {Exact(1, 5), 1}, {Exact(1, 2), Exact(9, 10)}, {Exact(-1, 4), 1}};

float single(Exact value) {
    return static_cast<float>(value.over) / static_cast<float>(value.under);
}

// x, a line whose elements are their places.
std::vector<double> line(std::int64_t extent) {
    std::vector<double> out(static_cast<std::size_t>(extent));
    std::iota(out.begin(), out.end(), 0);
    return out;
}

proto::NodeProto& resize(M& m, const std::string& inputs, const std::string& output,
                         const std::string& mode, const std::string& coordinates) {
    auto& node = m.node("Resize", inputs, output);
    M::setText(node, "mode", mode);
    M::setText(node, "coordinate_transformation_mode", coordinates);
    return node;
}

double valueAt(const std::string& mode, std::int64_t from, Exact place, bool crop, double outside,
               const std::string& rounding) {
    const auto at = [&](std::int64_t i) {
        return static_cast<double>(std::clamp<std::int64_t>(i, 0, from - 1) % 7);
    };
    if (crop && (place.over < 0 || (Exact(from - 1) - place).over < 0))
        return outside;
    if (mode == "nearest")
        return at(nearest(rounding, place));
    const std::int64_t low = place.floor();
    const double t = (place - Exact(low)).real(), a = -0.75;
    if (mode == "linear")
        return at(low) * (1 - t) + at(low + 1) * t;
    const auto near = [&](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
    const auto far = [&](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    return at(low - 1) * far(1 + t) + at(low) * near(t) + at(low + 1) * near(1 - t) +
           at(low + 2) * far(2 - t);
}

std::vector<double> sevens(std::int64_t extent) {
    std::vector<double> out = line(extent);
    for (double& value : out)
        value = static_cast<double>(static_cast<std::int64_t>(value) % 7);
    return out;
}

} // namespace

class TestResize : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyPlaceOfSmallSizes();
    void scalesAreFractions();
    void nearestOfAllModes_data();
    void nearestOfAllModes();
    void betweenElements_data();
    void betweenElements();
    void byScales();
    void scalesOverFreeSizesAreWritten();
    void filtersOverFreeSizesAreWritten();
    void whileRunning();
    void otherAxesStay();
    void integersAreCut();
    void integersAreWrittenAsWhatIsOpened();
    void beforeOpset11();
    void oneScaleForAllAxes();
};

// All sizes up to 64 -> 128 with every mode, as the importer counts them: whole numbers, halves and
// the ends are met exactly.
void TestResize::everyPlaceOfSmallSizes() {
    for (const std::string& mode : modes)
        for (std::int64_t from = 1; from <= 64; ++from)
            for (std::int64_t to = 1; to <= 128; ++to) {
                const Region& region = regions[static_cast<std::size_t>(to) % 4];
                ResizedAxis axis;
                axis.scale = {static_cast<double>(to), static_cast<double>(from)};
                axis.from = static_cast<double>(from);
                axis.to = static_cast<double>(to);
                axis.first = fractionOf(single(region.first));
                axis.last = fractionOf(single(region.last));
                const AxisPlaces places = placesOf(coordinatesOf(mode).value(), axis);
                for (std::int64_t o = 0; o < to; ++o) {
                    const Exact wanted = original(mode, o, from, to, Exact(to, from), region);
                    const double got = places.at(static_cast<double>(o));
                    const bool same =
                        got == wanted.real() && std::floor(got) == wanted.floor() &&
                        std::ceil(got) == wanted.ceil() &&
                        std::ceil(got - 0.5) == nearest("round_prefer_floor", wanted) &&
                        std::floor(got + 0.5) == nearest("round_prefer_ceil", wanted);
                    if (!same)
                        QFAIL(qPrintable(QString::fromStdString(
                            fmt::format("{} {} -> {}, place {}: {} for {} / {}", mode, from, to, o,
                                        got, wanted.over, wanted.under))));
                }
            }
}

void TestResize::scalesAreFractions() {
    for (std::int64_t from = 1; from <= 96; ++from)
        for (std::int64_t to = 1; to <= 384; ++to) {
            const Fraction got = fractionOf(static_cast<float>(to) / static_cast<float>(from));
            QCOMPARE(got.over * static_cast<double>(from), got.under * static_cast<double>(to));
        }
    QCOMPARE(fractionOf(0.6F).over, 3.0);
    QCOMPARE(fractionOf(0.6F).under, 5.0);
    QCOMPARE(fractionOf(-0.25F).over, -1.0);
    QCOMPARE(fractionOf(0).over, 0.0);
    // No fraction of small numbers: the number itself.
    QCOMPARE(fractionOf(1.00001F).over, static_cast<double>(1.00001F));
    QCOMPARE(fractionOf(1.00001F).under, 1.0);
    // Whichever it is, it rounds to the number.
    for (int i = 1; i < 4000; ++i) {
        const float number = std::sqrt(static_cast<float>(i) / 500);
        const Fraction of = fractionOf(number);
        QCOMPARE(static_cast<float>(of.over / of.under), number);
    }
}

void TestResize::nearestOfAllModes_data() {
    QTest::addColumn<QString>("mode");
    for (const std::string& mode : modes)
        QTest::newRow(mode.c_str()) << QString::fromStdString(mode);
}

// The same through models: every result size of some operands.
void TestResize::nearestOfAllModes() {
    QFETCH(QString, mode);
    const std::string coordinates = mode.toStdString();
    const bool crop = coordinates == "tf_crop_and_resize";
    for (const std::int64_t from : {1, 2, 5, 6, 7, 12, 33, 64}) {
        M m(19);
        m.input("x", {std::to_string(from)});
        for (std::size_t r = 0; r < std::size(regions); ++r)
            m.weights("region" + std::to_string(r), {2},
                      {single(regions[r].first), single(regions[r].last)});
        std::vector<std::vector<double>> wanted;
        for (std::int64_t to = 1; to <= 128; ++to) {
            const std::size_t r = static_cast<std::size_t>(to) % 4;
            const std::string size = "size" + std::to_string(to);
            m.integers(size, {to});
            for (const std::string& rounding : roundings) {
                const std::string y = "y_" + rounding + std::to_string(to);
                auto& node =
                    resize(m, "x " + (crop ? "region" + std::to_string(r) : "-") + " - " + size, y,
                           "nearest", coordinates);
                M::setText(node, "nearest_mode", rounding);
                M::setReal(node, "extrapolation_value", -5);
                m.output(y);
                auto& row = wanted.emplace_back();
                for (std::int64_t o = 0; o < to; ++o)
                    row.push_back(
                        valueAt("nearest", from,
                                original(coordinates, o, from, to, Exact(to, from), regions[r]),
                                crop, -5, rounding));
            }
        }
        const std::string wrong = judgeAll(m, {reals({from}, sevens(from))}, wanted);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }
}

void TestResize::betweenElements_data() {
    nearestOfAllModes_data();
}

void TestResize::betweenElements() {
    QFETCH(QString, mode);
    const std::string coordinates = mode.toStdString();
    const bool crop = coordinates == "tf_crop_and_resize";
    for (const std::int64_t from : {1, 4, 9}) {
        M m(19);
        m.input("x", {std::to_string(from)});
        m.weights("region", {2}, {0.2F, 1});
        std::vector<std::vector<double>> wanted;
        for (const std::int64_t to : {1, 2, 3, 7, 9, 18, 31})
            for (const char* kind : {"linear", "cubic"}) {
                const std::string name = kind + std::to_string(to);
                m.integers("size" + name, {to});
                M::setReal(resize(m, std::string("x ") + (crop ? "region" : "-") + " - size" + name,
                                  name, kind, coordinates),
                           "extrapolation_value", 3);
                m.output(name);
                auto& row = wanted.emplace_back();
                for (std::int64_t o = 0; o < to; ++o)
                    row.push_back(valueAt(
                        kind, from,
                        original(coordinates, o, from, to, Exact(to, from), {Exact(1, 5), 1}), crop,
                        3, {}));
            }
        const std::string wrong = judgeAll(m, {reals({from}, sevens(from))}, wanted);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }
}

// The size is the product in single precision, rounded down; the scale the fraction it stands for.
void TestResize::byScales() {
    const Exact scales[] = {{3, 5}, {7, 10}, 3, {4, 3}, {17, 3}, {5, 2}, {1, 3}, {9, 7}, {31, 32}};
    for (const std::int64_t from : {2, 5, 6, 7, 10, 30}) {
        for (const std::string& coordinates : modes) {
            if (coordinates == "tf_crop_and_resize")
                continue;
            M m(19);
            m.input("x", {std::to_string(from)});
            std::vector<std::vector<double>> wanted;
            for (std::size_t s = 0; s < std::size(scales); ++s) {
                const float scale = single(scales[s]);
                const auto to =
                    static_cast<std::int64_t>(std::floor(static_cast<float>(from) * scale));
                m.weights("scale" + std::to_string(s), {1}, {scale});
                for (const std::string& rounding : roundings) {
                    const std::string y = rounding + std::to_string(s);
                    M::setText(
                        resize(m, "x - scale" + std::to_string(s), y, "nearest", coordinates),
                        "nearest_mode", rounding);
                    m.output(y);
                    auto& row = wanted.emplace_back();
                    for (std::int64_t o = 0; o < to; ++o)
                        row.push_back(valueAt("nearest", from,
                                              original(coordinates, o, from, to, scales[s], {}),
                                              false, 0, rounding));
                }
            }
            const auto read = test::read(m.bytes());
            QVERIFY2(read.ok() && read->diagnostics.empty(), coordinates.c_str());
            const std::string wrong =
                resultsOf(*read->graph, {reals({from}, sevens(from))}, wanted);
            QVERIFY2(wrong.empty(), (coordinates + ": " + wrong).c_str());
        }
    }
}

// Over a free size a scale is written as a scale. The file means the same of every extent.
void TestResize::scalesOverFreeSizesAreWritten() {
    const Exact scales[] = {{17, 10}, {3, 5}, {7, 10}, {4, 3}, {17, 3}, {1, 3}, {9, 7}, {31, 32}};
    for (const char* kind : {"nearest", "linear", "cubic"})
        for (const std::string coordinates : {"half_pixel", "asymmetric"}) {
            const std::string rounding = roundings[coordinates == "asymmetric" ? 2 : 0];
            M m(17);
            m.input("x", {"L"});
            for (std::size_t s = 0; s < std::size(scales); ++s) {
                m.weights("scale" + std::to_string(s), {1}, {single(scales[s])});
                auto& node = resize(m, "x - scale" + std::to_string(s), "y" + std::to_string(s),
                                    kind, coordinates);
                if (kind == std::string("nearest"))
                    M::setText(node, "nearest_mode", rounding);
                m.output("y" + std::to_string(s));
            }
            const auto read = test::read(m.bytes());
            QVERIFY2(read.ok() && read->diagnostics.empty(), kind);
            const auto written = exportModel(*read->graph);
            QVERIFY2(written.ok(), written ? "" : written.diag().text().c_str());
            proto::ModelProto file;
            QVERIFY(file.ParseFromString(written->bytes));
            QCOMPARE(file.graph().node_size(), static_cast<int>(std::size(scales)));
            for (const auto& node : file.graph().node())
                QVERIFY(node.op_type() == "Resize" && node.input_size() == 3);
            for (const std::int64_t from : {2, 5, 10, 30}) {
                auto& dim = *file.mutable_graph()
                                 ->mutable_input(0)
                                 ->mutable_type()
                                 ->mutable_tensor_type()
                                 ->mutable_shape()
                                 ->mutable_dim(0);
                dim.set_dim_value(from);
                for (auto& output : *file.mutable_graph()->mutable_output())
                    output.mutable_type()->mutable_tensor_type()->clear_shape();
                file.mutable_graph()->clear_value_info();
                const auto again = test::read(file.SerializeAsString());
                QVERIFY2(again.ok(), again ? "" : again.diag().text().c_str());
                std::vector<std::vector<double>> wanted;
                for (const Exact& scale : scales) {
                    const auto to = static_cast<std::int64_t>(
                        std::floor(static_cast<float>(from) * single(scale)));
                    auto& row = wanted.emplace_back();
                    for (std::int64_t o = 0; o < to; ++o)
                        row.push_back(valueAt(kind, from,
                                              original(coordinates, o, from, to, scale, {}), false,
                                              0, rounding));
                }
                const std::string wrong =
                    resultsOf(*again->graph, {reals({from}, sevens(from))}, wanted);
                QVERIFY2(wrong.empty(), (kind + (" " + coordinates) + ": " + wrong).c_str());
            }
        }
}

void TestResize::filtersOverFreeSizesAreWritten() {
    for (const char* kind : {"linear", "cubic"}) {
        M m(18);
        m.input("x", {"N", "3", "H", "W"}).output("y");
        m.weights("scales", {4}, {1, 1, 0.3F, 0.6F});
        M::set(resize(m, "x - scales", "y", kind, "half_pixel"), "antialias", std::int64_t(1));
        const auto read = test::read(m.bytes());
        QVERIFY2(read.ok() && read->diagnostics.empty(), kind);
        const auto again = writtenAndRead(*read->graph);
        QVERIFY2(again.ok(), again ? "" : again.diag().text().c_str());
        QVERIFY(meaning(*again->graph) == meaning(*read->graph));
    }
}

// The same by scales, sizes and regions that are operands of the model.
void TestResize::whileRunning() {
    for (const std::string& coordinates : modes) {
        const bool crop = coordinates == "tf_crop_and_resize";
        for (const bool bySizes : {true, false})
            for (const auto& [from, to] : {std::pair<std::int64_t, std::int64_t>{6, 34},
                                           {2, 6},
                                           {7, 3},
                                           {12, 11},
                                           {5, 1},
                                           {64, 127}}) {
                M m(19);
                m.input("x", {std::to_string(from)});
                m.input("r", {"2"});
                if (bySizes)
                    m.input("s", {"1"}, proto::TensorProto::INT64);
                else
                    m.input("s", {"1"});
                std::vector<std::vector<double>> wanted;
                for (const char* kind : {"nearest", "linear"})
                    for (const std::string& rounding : roundings) {
                        const std::string y = kind + rounding;
                        auto& node = resize(
                            m, std::string("x ") + (crop ? "r" : "-") + (bySizes ? " - s" : " s"),
                            y, kind, coordinates);
                        M::setText(node, "nearest_mode", rounding);
                        m.output(y);
                        auto& row = wanted.emplace_back();
                        for (std::int64_t o = 0; o < to; ++o)
                            row.push_back(valueAt(kind, from,
                                                  original(coordinates, o, from, to,
                                                           Exact(to, from), {Exact(1, 5), 1}),
                                                  crop, 0, rounding));
                    }
                const TensorData said =
                    bySizes ? dataFromIntegers(DType::I64, {1}, {to})
                            : reals({1}, {static_cast<double>(single(Exact(to, from)))});
                const std::string wrong = judgeAll(
                    m,
                    {reals({from}, sevens(from)), reals({2}, {static_cast<double>(0.2F), 1}), said},
                    wanted);
                QVERIFY2(wrong.empty(), (coordinates + ": " + wrong).c_str());
            }
    }
}

// One axis of three, which the node names: the others stay as they are, also once it was written.
void TestResize::otherAxesStay() {
    const std::int64_t from = 7, to = 9;
    const Region region{Exact(1, 5), 1};
    std::vector<double> x;
    for (std::int64_t i = 0; i < 3; ++i)
        for (const double value : sevens(from))
            for (std::int64_t j = 0; j < 2; ++j)
                x.push_back(value + static_cast<double>(10 * (2 * i + j)));
    for (const std::string& coordinates : modes)
        for (const bool computed : {false, true}) {
            const bool crop = coordinates == "tf_crop_and_resize";
            M m(19);
            m.input("x", {"3", std::to_string(from), "2"});
            if (computed)
                m.input("s", {"1"}, proto::TensorProto::INT64);
            else
                m.integers("s", {to});
            m.weights("r", {2}, {0.2F, 1});
            std::vector<std::vector<double>> wanted;
            for (const std::string kind : {"nearest", "linear", "cubic"})
                for (const std::string& rounding : roundings) {
                    const std::string y = kind + rounding;
                    auto& node = resize(m, std::string("x ") + (crop ? "r" : "-") + " - s", y, kind,
                                        coordinates);
                    M::setText(node, "nearest_mode", rounding);
                    M::set(node, "axes", Integers{1});
                    m.output(y);
                    auto& row = wanted.emplace_back();
                    for (std::int64_t i = 0; i < 3; ++i)
                        for (std::int64_t o = 0; o < to; ++o)
                            for (std::int64_t j = 0; j < 2; ++j) {
                                const Exact place =
                                    original(coordinates, o, from, to, Exact(to, from), region);
                                const bool outside =
                                    crop && (place.over < 0 || (Exact(from - 1) - place).over < 0);
                                row.push_back(
                                    valueAt(kind, from, place, crop, 0, rounding) +
                                    (outside ? 0 : static_cast<double>(10 * (2 * i + j))));
                            }
                }
            std::vector<TensorData> inputs{reals({3, from, 2}, x)};
            if (computed)
                inputs.push_back(dataFromIntegers(DType::I64, {1}, {to}));
            const std::string wrong = judgeAll(m, inputs, wanted);
            QVERIFY2(wrong.empty(), (coordinates + ": " + wrong).c_str());
        }
}

// Of integers between which is interpolated the whole part is the result; what is a whole number is
// not missed.
void TestResize::integersAreCut() {
    for (const int type : {proto::TensorProto::UINT8, proto::TensorProto::INT8,
                           proto::TensorProto::INT16, proto::TensorProto::INT32})
        for (const std::int64_t to : {3, 5, 6, 9, 12}) {
            const std::int64_t from = 3;
            const bool isSigned = type != proto::TensorProto::UINT8;
            const std::vector<std::int64_t> x = {isSigned ? -100 : 200, 100, 101};
            M m(13);
            m.input("x", {"3", "3"}, type).integers("size", {to, to}).output("y", {}, type);
            resize(m, "x - - size", "y", "linear", "align_corners");
            // Rows of x, columns times one of them.
            std::vector<std::int64_t> grid, wanted;
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t j = 0; j < 3; ++j)
                    grid.push_back(x[(i + j) % 3]);
            for (std::int64_t i = 0; i < to; ++i)
                for (std::int64_t j = 0; j < to; ++j) {
                    const Exact v(i * (from - 1), to - 1), u(j * (from - 1), to - 1);
                    Exact sum = 0;
                    for (std::int64_t a = 0; a < 2; ++a)
                        for (std::int64_t b = 0; b < 2; ++b) {
                            const Exact dv = v - Exact(v.floor()), du = u - Exact(u.floor());
                            const auto row = std::min(v.floor() + a, from - 1),
                                       column = std::min(u.floor() + b, from - 1);
                            sum = sum + (a == 0 ? Exact(1) - dv : dv) *
                                            (b == 0 ? Exact(1) - du : du) *
                                            Exact(grid[static_cast<std::size_t>(row * 3 + column)]);
                        }
                    wanted.push_back(sum.over < 0 ? sum.ceil() : sum.floor());
                }
            const DType dtype = type == proto::TensorProto::UINT8   ? DType::U8
                                : type == proto::TensorProto::INT8  ? DType::I8
                                : type == proto::TensorProto::INT16 ? DType::I16
                                                                    : DType::I32;
            const std::string wrong = judge(m, {dataFromIntegers(dtype, {3, 3}, grid)},
                                            std::vector<double>(wanted.begin(), wanted.end()));
            QVERIFY2(wrong.empty(), wrong.c_str());
        }
}

// The examples of Resize-10: down where the result is larger, up where it is smaller.
// ONNX Runtime has Resize of f32 and of integers of 8 and 32 bits; those of 32 and 64 are computed
// in f64.
void TestResize::integersAreWrittenAsWhatIsOpened() {
    for (const int element : {proto::TensorProto::INT32, proto::TensorProto::INT64,
                              proto::TensorProto::INT8, proto::TensorProto::UINT8})
        for (const char* mode : {"linear", "cubic"}) {
            M m(17);
            m.input("x", {"1", "1", "3", "4"}, element).output("y", {}, element);
            m.weights("scales", {4}, {1, 1, 2, 1.5});
            M::setText(m.node("Resize", "x - scales", "y"), "mode", mode);
            const auto read = test::read(m.bytes());
            QVERIFY2(read.ok(), read ? "" : read.diag().text().c_str());
            const auto written = exportModel(*read->graph);
            QVERIFY2(written.ok(), written ? "" : written.diag().text().c_str());
            const auto again = test::read(written->bytes);
            QVERIFY2(again.ok(), again ? "" : again.diag().text().c_str());
            for (const NodePtr& node : again->graph->nodes())
                if (node->op.starts_with("resize_"))
                    QCOMPARE(again->graph->type({node->id, 0}).dtype, DType::F32);
        }
}

void TestResize::beforeOpset11() {
    for (const bool computed : {false, true}) {
        for (const float scale : {0.6F, 2.0F}) {
            M m(10);
            m.input("x", {"1", "1", "2", "4"});
            if (computed)
                m.input("s", {"4"});
            else
                m.weights("s", {4}, {1, 1, scale, scale});
            M::setText(m.node("Resize", "x s", "y"), "mode", "nearest");
            m.output("y");
            std::vector<TensorData> inputs{reals({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})};
            if (computed)
                inputs.push_back(
                    reals({4}, {1, 1, static_cast<double>(scale), static_cast<double>(scale)}));
            const std::vector<double> wanted =
                scale < 1 ? std::vector<double>{1, 3}
                          : std::vector<double>{1, 1, 2, 2, 3, 3, 4, 4, 1, 1, 2, 2, 3, 3, 4, 4,
                                                5, 5, 6, 6, 7, 7, 8, 8, 5, 5, 6, 6, 7, 7, 8, 8};
            const std::string wrong = judge(m, inputs, wanted);
            QVERIFY2(wrong.empty(), wrong.c_str());
        }
    }
}

// keep_aspect_ratio_policy: sizes 7 x 8 of 2 x 4 are 4 x 8 or 7 x 14.
void TestResize::oneScaleForAllAxes() {
    for (const bool larger : {false, true}) {
        M m(18);
        m.input("x", {"2", "4"}).integers("size", {7, 8}).output("y");
        auto& node = resize(m, "x - - size", "y", "nearest", "half_pixel");
        M::setText(node, "keep_aspect_ratio_policy", larger ? "not_smaller" : "not_larger");
        const std::int64_t rows = larger ? 7 : 4, columns = larger ? 14 : 8;
        const Exact scale = larger ? Exact(7, 2) : Exact(2);
        std::vector<double> wanted;
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j) {
                const auto at = [&](std::int64_t o, std::int64_t from, std::int64_t to) {
                    return std::clamp<std::int64_t>(
                        nearest("round_prefer_floor",
                                original("half_pixel", o, from, to, scale, {})),
                        0, from - 1);
                };
                wanted.push_back(static_cast<double>(at(i, 2, rows) * 4 + at(j, 4, columns)));
            }
        const std::string wrong = judge(m, {reals({2, 4}, line(8))}, wanted);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }
}

FW_TEST(TestResize, QCoreApplication)
#include "test_resize.moc"
