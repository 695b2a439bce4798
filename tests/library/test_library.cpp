// Every operator of the library on small instances: inference, computation, result and facts agree,
// at odd, unit and zero extents too; none is forgotten.
#include "common/test.h"
#include "library/instances.h"
#include "library/library.h"
#include "syntax/declarations.h"
#include "syntax/op.h"
#include "tensor/calls_check.h"
#include "tensor/falsify.h"
#include "tensor/op_def.h"

#include <fmt/format.h>

#include <limits>
#include <random>
#include <set>

using namespace fw;
using namespace fw::test;

class TestLibrary : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyOperatorHasAnInstance();
    void definitionsAreSound();
    void operatorsOfCallsAreSound();
    void factsSurvive();
    void truthsAreNoSum();
    void freeDimensions();
    void slicesOfFreeSizes();
    void documented();
    void wrongFactsAreFound();
    void hostileText();
    void opaqueOnesSayWhy();
    void constantOfShape();
};

void TestLibrary::everyOperatorHasAnInstance() {
    std::set<std::string> seen = withoutExpression;
    for (const Instance& instance : instances())
        seen.insert(instance.op);
    QStringList missing;
    for (const Operator* op : standardOperators()->all())
        if (!seen.contains(op->name()))
            missing << QString::fromStdString(op->name());
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(u' ')));
}

// The program takes them as they are.
void TestLibrary::definitionsAreSound() {
    std::size_t checked = 0;
    std::set<std::string> names; // of two of one name the later one would take the place
    for (const LibraryText& book : libraryTexts()) {
        const FileTree tree = parseFile(book.text, book.file);
        QVERIFY2(tree.errors.empty(), book.file.c_str());
        for (const auto& op : each<OpTree>(tree.declarations)) {
            for (const Diag& diag : checkDefinition(*op, book.file))
                QFAIL(diag.text().c_str());
            QVERIFY2(names.insert(op->name).second, op->name.c_str());
            ++checked;
        }
    }
    QVERIFY(checked > 200);
}

// Those that stand for calls of others: the calls are ones that there are, and a clause reads them
// or another of them calls them.
void TestLibrary::operatorsOfCallsAreSound() {
    std::set<std::string> standing, used;
    for (const LibraryText& book : libraryTexts()) {
        const FileTree tree = parseFile(std::string(book.text), book.file);
        for (const DeclarationPtr& declaration : tree.declarations) {
            const auto op = declarationAs<OpTree>(declaration);
            if (!op || !op->standsForCalls())
                continue;
            for (const Diag& diag : checkCallsOf(*op, *standardOperators(), book.file))
                QFAIL(diag.text().c_str());
            standing.insert(op->name);
            if (!op->onnx.empty())
                used.insert(op->name);
            for (const std::string& other : standing)
                if (op->body.find(other + "(") != std::string::npos)
                    used.insert(other);
        }
    }
    QVERIFY(standing.size() > 20);
    QVERIFY2(standing == used, "one is read by nobody");
}

void TestLibrary::factsSurvive() {
    QStringList wrong;
    std::uint64_t seed = 1;
    for (const Instance& instance : instances()) {
        const Operator* op = standardOperators()->find(instance.op);
        if (op == nullptr) {
            wrong << QString::fromStdString(instance.op) + QStringLiteral(" is not in the library");
            continue;
        }
        const Status status = falsifyFacts(*op, callOf(instance), seed++);
        if (!status)
            wrong << QString::fromStdString(status.diag().text());
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

void TestLibrary::truthsAreNoSum() {
    for (const char* op : {"reduce_sum", "reduce_mean", "reduce_prod"}) {
        const auto inferred =
            standardOperators()->find(op)->infer(callOf({op, {"bool[2, 3]"}, {}}));
        QVERIFY2(!inferred.ok(), op);
        QVERIFY(inferred.diag().code == DiagCode::DtypeMismatch);
        QVERIFY(inferred.diag().message.starts_with(op));
    }
    for (const char* op : {"reduce_max", "reduce_min"})
        QVERIFY2(standardOperators()->find(op)->infer(callOf({op, {"bool[2, 3]"}, {}})).ok(), op);
}

void TestLibrary::freeDimensions() {
    // The batch is free: the same operators instantiate, and their reads are still proved.
    for (const Instance& instance :
         {Instance{"conv2d",
                   {"f32[N, 4, 5, 5]", "f32[2, 4, 3, 3]"},
                   attrs({{"pads", Integers{1, 1, 1, 1}}})},
          Instance{"dense", {"f32[N, 3]", "f32[4, 3]"}, {}},
          Instance{"softmax", {"f32[N, S, S]"}, {}},
          Instance{"layernorm", {"f32[N, S, 4]", "f32[4]", "f32[4]"}, {}},
          Instance{"add", {"f32[N, 4]", "f32[4]"}, {}}, Instance{"add", {"f32[N]", "f32[M]"}, {}},
          Instance{"batch_matmul", {"f32[N, 2, S, 4]", "f32[N, 2, 4, S]"}, {}},
          Instance{"concat", {"f32[N, 3]", "f32[N, M]"}, attrs({{"axis", std::int64_t(1)}})},
          Instance{"channel_shuffle", {"f32[N, 6, S]"}, attrs({{"groups", std::int64_t(2)}})},
          Instance{"transpose", {"f32[N, S, 4]"}, attrs({{"perm", Integers{1, 0, 2}}})},
          Instance{"max_pool2d", {"f32[N, 4, 5, 5]"}, attrs({{"kernel_shape", Integers{2, 2}}})}}) {
        const auto inst = standardOperators()->find(instance.op)->instantiate(callOf(instance));
        QVERIFY2(inst.ok(), inst.ok() ? "" : inst.diag().text().c_str());
    }
}

// As many elements as are counted one by one, and every read lies inside.
void TestLibrary::slicesOfFreeSizes() {
    const Operator* slice = standardOperators()->find("slice");
    const auto counted = [](std::int64_t extent, std::int64_t start, std::int64_t end,
                            std::int64_t step) {
        const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
        const auto clamped = [&](std::int64_t at) { // the last element is no sum that overflows
            return at < 0 ? std::max(at + extent, low) : std::min(at, high);
        };
        const std::int64_t last = clamped(end);
        std::int64_t count = 0;
        for (std::int64_t at = clamped(start); step > 0 ? at < last : at > last; at += step)
            ++count;
        return count;
    };
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const Integers places{-most, -6, -4, -3, -1, 0, 1, 3, 4, 6, most};
    for (const std::int64_t start : places)
        for (const std::int64_t end : places)
            for (const std::int64_t step : {-3, -2, -1, 1, 2, 3}) {
                const Instance instance{"slice",
                                        {"f32[N]"},
                                        attrs({{"starts", Integers{start}},
                                               {"ends", Integers{end}},
                                               {"axes", Integers{0}},
                                               {"steps", Integers{step}}})};
                const auto inferred = slice->infer(callOf(instance));
                QVERIFY(inferred.ok());
                const Dim& dim = inferred->outputs[0].shape[0];
                for (const std::int64_t extent : {0, 1, 2, 3, 4, 5, 9}) {
                    const auto got = evalIndex(dim, {{Symbol("N"), extent}});
                    const std::string text =
                        fmt::format("[{}:{}:{}] of {} is {} by {}", start, end, step, extent,
                                    got.value_or(-1), dim.text());
                    QVERIFY2(got == counted(extent, start, end, step), text.c_str());
                }
                const auto inst = slice->instantiate(callOf(instance));
                QVERIFY2(inst.ok() || dim.isInt(0), dim.text().c_str());
            }
}

void TestLibrary::documented() {
    for (const Operator* op : standardOperators()->all()) {
        QVERIFY2(!op->doc().empty(), op->name().c_str());
        QVERIFY2(op->signature().rfind(op->name(), 0) == 0, op->name().c_str());
        QVERIFY2(!op->body().empty(), op->name().c_str());
        QCOMPARE(op->isNative(), op->body() == "native");
    }
    QVERIFY(standardOperators()->find("nothing") == nullptr);
}

void TestLibrary::wrongFactsAreFound() {
    // An operator whose facts promise too much: everything is forwarded but the facts.
    class Liar final : public Operator {
    public:
        explicit Liar(const Operator& real) : m_real(real) {}
        const std::string& name() const override { return m_real.name(); }
        const std::string& doc() const override { return m_real.doc(); }
        std::string signature() const override { return m_real.signature(); }
        std::string body() const override { return m_real.body(); }
        std::vector<std::string> inputNames() const override { return m_real.inputNames(); }
        std::vector<std::string> outputNames() const override { return m_real.outputNames(); }
        Arity arity() const override { return m_real.arity(); }
        std::optional<AttrType> attrType(std::string_view attr) const override {
            return m_real.attrType(attr);
        }
        std::vector<std::string> attrNames() const override { return m_real.attrNames(); }
        Result<Inferred> infer(const OpCall& call) const override { return m_real.infer(call); }
        Result<OpInst> instantiate(const OpCall& call) const override {
            return m_real.instantiate(call);
        }
        Result<Facts> facts(const OpCall& call) const override {
            FW_TRY(Facts facts, m_real.facts(call));
            facts.inPlace.assign(facts.inPlace.size(), true);
            return facts;
        }
        Result<std::vector<TensorData>>
        reference(const OpCall& call, const std::vector<const TensorData*>& inputs) const override {
            return m_real.reference(call, inputs);
        }
        bool isNative() const override { return m_real.isNative(); }

    private:
        const Operator& m_real;
    };
    const Liar softmax(*standardOperators()->find("softmax"));
    const Status status = falsifyFacts(softmax, callOf({"softmax", {"f32[2, 5]"}, {}}), 1);
    QVERIFY(!status.ok());
    QVERIFY2(QString::fromStdString(status.diag().message).contains(u"may not be overwritten"),
             status.diag().message.c_str());
    // Of an operator of a book: whose mistake it is, and where the operator stands.
    const Status told =
        factsHold(softmax, callOf({"softmax", {"f32[2, 5]"}, {}}), {"b.fw", {}, 3, 1});
    QVERIFY(!told.ok() && told.diag().code == DiagCode::Internal);
    QCOMPARE(told.diag().where.line, 3);
    QVERIFY(QString::fromStdString(told.diag().message)
                .startsWith(u"what was derived from the text of the operator is wrong on (f32[2, "
                            "5]): softmax: element "));
    QVERIFY(told.diag().hint.find("a mistake of the program") != std::string::npos);
    const Liar relu(*standardOperators()->find("relu"));
    QVERIFY(falsifyFacts(relu, callOf({"relu", {"f32[2, 5]"}, {}}), 1).ok());
}

void TestLibrary::hostileText() {
    Diags errors;
    auto set = withOperators(*standardOperators(),
                             "op twice(x: T[S...]) -> y: T[S...] { y[i...] = x[i...] + x[i...] }\n"
                             "op broken(x: T[S...]) -> y: T[S...] { y[i...] = z[i...] }\n"
                             "op cut(x: T[S...",
                             "mine.fw", errors);
    QCOMPARE(errors.size(), std::size_t(2));
    QVERIFY(set->find("twice") != nullptr && set->find("broken") == nullptr &&
            set->find("relu") != nullptr);

    // Mutations of the shipped texts: refused or defined, and then inferred and instantiated
    // without a crash.
    std::mt19937 random(5);
    for (const char* name :
         {"conv2d", "softmax", "concat", "gather", "transpose", "lrn", "avg_pool2d"}) {
        const Operator* op = standardOperators()->find(name);
        const std::string text = "op " + op->signature() + " { " + op->body() + " }";
        for (int round = 0; round < 150; ++round) {
            std::string changed = text;
            for (int edit = 0; edit < 2; ++edit) {
                const std::size_t at = random() % changed.size();
                if (random() % 3 == 0)
                    changed.erase(at, random() % 6);
                else
                    changed[at] = "xyNKC01,[]()+-*/%.="[random() % 19];
            }
            Diags mistakes;
            const auto more = withOperators(*standardOperators(), changed, "", mistakes);
            if (const Operator* mutant = more->find(name))
                for (const Instance& instance : instances())
                    if (instance.op == name) {
                        const OpCall call = callOf(instance);
                        if (mutant->infer(call).ok() && mutant->instantiate(call).ok())
                            static_cast<void>(mutant->facts(call));
                    }
        }
    }
}

void TestLibrary::opaqueOnesSayWhy() {
    OpCall call;
    call.declared = {typeOf("f32[2]")};
    const Operator* unknown = standardOperators()->find("unknown");
    QCOMPARE(unknown->instantiate(call).diag().code, DiagCode::UnknownOperator);
    QCOMPARE(unknown->facts(call)->kind, FusionKind::Opaque);
    QCOMPARE(unknown->infer(call)->outputs[0].text(), std::string("f32[2]"));
}

// Filled with one element of any type; what is no such tensor is refused with what to write.
void TestLibrary::constantOfShape() {
    const Operator* op = standardOperators()->find("constant_of_shape");
    const auto filled = [&](Attrs attributes) {
        attributes.set("shape", Integers{2, 3});
        OpCall call;
        call.attrs = std::move(attributes);
        return op->reference(call, {});
    };
    const TensorData zero = filled({}).value().at(0);
    QCOMPARE(zero.type().text(), std::string("f32[2, 3]"));
    QCOMPARE(zero.at(5), 0.0);
    for (const DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
        const TensorData data =
            filled(attrs({{"value", dataFromDoubles(dtype, {1}, {-2.5})}})).value().at(0);
        QCOMPARE(data.dtype(), dtype);
        QCOMPARE(data.at(5), -2.5);
    }
    const std::vector<std::pair<DType, std::int64_t>> integers = {
        {DType::Bool, 1},        {DType::I8, -128},
        {DType::U8, 255},        {DType::I16, -32768},
        {DType::U16, 65535},     {DType::I32, INT32_MIN},
        {DType::U32, 1LL << 31}, {DType::I64, (1LL << 53) + 1},
        {DType::I64, INT64_MIN}};
    for (const auto& [dtype, value] : integers) {
        const TensorData data =
            filled(attrs({{"value", dataFromIntegers(dtype, {}, {value})}})).value().at(0);
        QCOMPARE(data.dtype(), dtype);
        QCOMPARE(data.integerAt(5), value);
    }
    for (const AttrValue& wrong :
         {AttrValue(std::int64_t(3)), AttrValue(3.0), AttrValue(Integers{3}),
          AttrValue(std::string("3")), AttrValue(dataFromDoubles(DType::F32, {2}, {1, 2})),
          AttrValue(dataFromDoubles(DType::F32, {0}, {}))}) {
        const auto refused = filled(attrs({{"value", wrong}}));
        QVERIFY(!refused.ok());
        QCOMPARE(refused.diag().code, DiagCode::UnsupportedAttribute);
        QVERIFY(refused.diag().hint.find("tensor(f32[1], [3.0])") != std::string::npos);
    }
}

FW_TEST(TestLibrary, QCoreApplication)
#include "test_library.moc"
