// Every operator of the library, with each element type that it takes, against values that NumPy
// computed (samples/generator/values_*.py wrote tests/conformance/values): by the reference and by
// own code. Nothing that computes them here had a part in them. An operator, or an element type of
// it, that has no such values is a failure.
#include "common/test.h"
#include "conformance/element_calls.h"
#include "fuzz/engine.h"
#include "fuzz/numbers.h"
#include "ir/graph_text.h"
#include "tensor/evaluate_graph.h"

#include <QDir>
#include <QFile>

#include <fmt/format.h>

#include <cmath>
#include <map>

using namespace fw;
using namespace fw::test;

namespace {

// A call as a file has it.
struct CallValues {
    std::string op, attributes;              // "softmax", " {axis = -2}"
    std::vector<std::string> types, results; // "f16[2, 3]"; "none": an absent operand
    std::vector<QByteArrayList> elements;    // of the operands that are there, then of the results
    std::string place;                       // "sums.txt:17"
    bool single =
        false; // each element by itself: no larger one beside it excuses it, a zero has a sign
};

// Types between parentheses or behind the arrow.
std::vector<std::string> typesIn(const QString& text) {
    std::vector<std::string> out;
    static const QRegularExpression type(QStringLiteral("none|\\w+\\[[^\\]]*\\]"));
    for (auto at = type.globalMatch(text); at.hasNext();)
        out.push_back(at.next().captured().toStdString());
    return out;
}

std::map<std::string, std::vector<CallValues>> readValues() {
    std::map<std::string, std::vector<CallValues>> out;
    const QDir folder(QStringLiteral(FW_SOURCE_DIR "/tests/conformance/values"));
    static const QRegularExpression head(
        QStringLiteral("^(\\w+)\\(([^)]*)\\)( \\{.*\\})? -> (.*)$"));
    for (const QString& name : folder.entryList({QStringLiteral("*.txt")})) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::ReadOnly))
            continue;
        CallValues* last = nullptr;
        int line = 0;
        for (const QByteArray& text : file.readAll().split('\n')) {
            ++line;
            if (text.startsWith("  ")) {
                if (last != nullptr)
                    last->elements.push_back(text.simplified().split(' '));
                continue;
            }
            const auto found = head.match(QString::fromUtf8(text));
            if (!found.hasMatch())
                continue;
            CallValues one{found.captured(1).toStdString(),
                           found.captured(3).toStdString(),
                           typesIn(found.captured(2)),
                           typesIn(found.captured(4)),
                           {},
                           name.toStdString() + fmt::format(":{}", line),
                           name == QStringLiteral("ends.txt")};
            auto& known = out[one.op];
            known.push_back(std::move(one));
            last = &known.back();
        }
    }
    return out;
}

const std::map<std::string, std::vector<CallValues>>& values() {
    static const std::map<std::string, std::vector<CallValues>> all = readValues();
    return all;
}

TensorData dataOf(const std::string& type, const QByteArrayList& elements) {
    const TensorType known = test::typeOf(type);
    const std::vector<std::int64_t> extents = fixedExtents(known.shape).value();
    if (isFloat(known.dtype)) {
        std::vector<double> out;
        for (const QByteArray& element : elements)
            out.push_back(std::strtod(element.constData(), nullptr));
        return dataFromDoubles(known.dtype, extents, out);
    }
    std::vector<std::int64_t> out;
    for (const QByteArray& element : elements)
        out.push_back(known.dtype == DType::U64 ? static_cast<std::int64_t>(element.toULongLong())
                                                : element.toLongLong());
    return dataFromIntegers(known.dtype, extents, out);
}

// A few roundings of the type; of the largest element a tenth of that, where terms cancel.
double tolerance(DType dtype) {
    switch (dtype) {
    case DType::F16:
        return 4e-3;
    case DType::BF16:
        return 3e-2;
    case DType::F32:
        return 4e-6;
    case DType::F64:
        return 1e-12;
    default:
        return 0;
    }
}

// The first element that is not as wanted; "_" is not asked.
std::string difference(const TensorData& got, const std::string& type, const QByteArrayList& wanted,
                       bool single) {
    if (got.type().text() != type)
        return got.type().text() + " instead of " + type;
    if (static_cast<std::size_t>(wanted.size()) != got.count() &&
        !(got.count() == 0 && wanted == QByteArrayList{QByteArray()}))
        return "the file has another number of elements";
    QByteArrayList said = wanted;
    for (QByteArray& element : said)
        if (element == "_")
            element = "0";
    const TensorData want = dataOf(type, said);
    double largest = 0;
    for (std::size_t i = 0; i < want.count(); ++i)
        if (!single && std::isfinite(want.at(i)))
            largest = std::max(largest, std::fabs(want.at(i)));
    const double share = tolerance(got.dtype());
    for (std::size_t i = 0; i < got.count(); ++i) {
        const double g = got.at(i), w = want.at(i);
        if (single && g == 0 && w == 0 && std::signbit(g) != std::signbit(w))
            return fmt::format("element {} is a zero of the other sign", i);
        if (wanted[static_cast<qsizetype>(i)] == "_" || (std::isnan(g) && std::isnan(w)) || g == w)
            if (share > 0 || wanted[static_cast<qsizetype>(i)] == "_" ||
                got.integerAt(i) == want.integerAt(i))
                continue;
        const double own = single ? 4 * fuzz::rangeOf(got.dtype()).least : 0;
        if (share > 0 && std::fabs(g - w) <= share * (std::fabs(w) + 0.1 * largest) + own)
            continue;
        return fmt::format("element {} is {} instead of {}", i, g,
                           wanted[static_cast<qsizetype>(i)].toStdString());
    }
    return {};
}

} // namespace

class TestOperatorValues : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void computed_data();
    void computed();
    void nothingIsMissing();

private:
    fuzz::Engine m_engine;
};

void TestOperatorValues::computed_data() {
    QTest::addColumn<QString>("name");
    for (const auto& [name, calls] : values())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void TestOperatorValues::computed() {
    QFETCH(QString, name);
    const std::vector<CallValues>& calls = values().at(name.toStdString());
    std::string operands, results, text;
    std::vector<TensorData> inputs;
    std::size_t count = 0;
    for (const CallValues& call : calls) {
        std::string arguments, left;
        std::size_t row = 0;
        for (const std::string& type : call.types) {
            arguments += arguments.empty() ? "" : ", ";
            if (type == "none") {
                arguments += "none";
                continue;
            }
            const std::string operand = fmt::format("x{}", inputs.size());
            arguments += operand;
            operands += fmt::format("{}{}: {}", operands.empty() ? "" : ", ", operand, type);
            inputs.push_back(dataOf(type, call.elements.at(row++)));
        }
        for (std::size_t i = 0; i < call.results.size(); ++i) {
            left += fmt::format("{}y{}", left.empty() ? "" : ", ", count);
            results += fmt::format("{}y{}", results.empty() ? "" : ", ", count++);
        }
        text += fmt::format("  {} = {}({}){}\n", call.results.size() > 1 ? "(" + left + ")" : left,
                            call.op, arguments, call.attributes);
    }
    text = fmt::format("graph values({}) -> {} {{\n{}}}\n", operands, results, text);
    const Result<GraphPtr> graph = parseGraph(text, m_engine.operators());
    QVERIFY2(graph.ok(), graph.ok() ? "" : (graph.diag().text() + "\n" + text).c_str());
    const auto reference = evaluateGraph(**graph, inputs);
    QVERIFY2(reference.ok(), reference.ok() ? "" : reference.diag().text().c_str());
    const Result<fuzz::Built> built = m_engine.build(*graph, {"-libs=", {}, {}, false});
    QVERIFY2(built.ok(), built.ok() ? "" : built.diag().text().c_str());
    const auto own = built->loaded->run(inputs);
    QVERIFY2(own.ok(), own.ok() ? "" : own.diag().text().c_str());
    QStringList wrong;
    for (const auto& [by, got] : {std::pair("the reference", &*reference), {"own code", &*own}}) {
        std::size_t next = 0;
        for (const CallValues& call : calls) {
            const std::size_t operandRows = call.elements.size() - call.results.size();
            for (std::size_t i = 0; i < call.results.size(); ++i) {
                const std::string differs = difference((*got)[next++], call.results[i],
                                                       call.elements[operandRows + i], call.single);
                if (!differs.empty())
                    wrong << QString::fromStdString(
                        fmt::format("{} {}({}){} by {}: {}", call.place, call.op,
                                    fmt::join(call.types, ", "), call.attributes, by, differs));
            }
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(u'\n' + wrong.join(u'\n')));
}

void TestOperatorValues::nothingIsMissing() {
    // Input, constant, unknown and call compute nothing of their own.
    const std::set<std::string> withoutValues = {"input", "constant", "unknown", "call"};
    std::map<std::string, std::set<std::string>> taken;
    for (const test::Instance& instance : instances()) {
        const Operator& op = *m_engine.operators()->find(instance.op);
        for (const Drawn& one : callsOf(op, instance))
            if (op.infer(one.call).ok())
                taken[op.name()].merge(choicesOf(op, one.call));
    }
    QStringList missing;
    for (const Operator* op : m_engine.operators()->all()) {
        if (withoutValues.contains(op->name()))
            continue;
        const auto known = values().find(op->name());
        if (known == values().end()) {
            missing << QString::fromStdString(op->name());
            continue;
        }
        std::set<std::string> choices;
        for (const CallValues& call : known->second) {
            OpCall types;
            for (const std::string& type : call.types)
                types.inputs.push_back(type == "none" ? std::nullopt
                                                      : std::optional(test::typeOf(type)));
            choices.merge(choicesOf(*op, types));
            // Attributes that are types: " to = f16".
            for (const std::string& attr : op->attrNames())
                if (op->attrType(attr) == AttrType::DType)
                    for (const char* type : {"bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64",
                                             "u64", "f16", "bf16", "f32", "f64"})
                        for (const char* end : {",", "}"})
                            if (call.attributes.find(attr + " = " + type + end) !=
                                std::string::npos)
                                choices.insert(attr + " is " + type);
        }
        for (const std::string& choice : taken[op->name()])
            if (!choices.contains(choice))
                missing << QString::fromStdString(op->name() + ": " + choice);
    }
    QVERIFY2(missing.isEmpty(), qPrintable(QStringLiteral("no outside values of ") +
                                           missing.join(QStringLiteral(", "))));
}

FW_TEST(TestOperatorValues, QCoreApplication)
#include "test_operator_values.moc"
