// The loops of every operator of the library, by every template that takes it, reach no further
// than their tensors: in several element types, at odd, unit and zero extents, with free
// dimensions, with images channels last.
#include "common/test.h"
#include "library/instances.h"
#include "library/library.h"
#include "strategy/loop_trial.h"

using namespace fw;
using namespace fw::test;

class TestLoops : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void instancesOfEveryOperator();
    void smallCalls_data();
    void smallCalls();
};

// As they are, and with the floats of other widths and with integers where the operator takes them.
void TestLoops::instancesOfEveryOperator() {
    int nests = 0;
    for (const Instance& instance : instances())
        for (const char* dtype : {"f32", "f64", "f16", "i64", "i8", "bool"}) {
            Instance other = instance;
            bool changed = false;
            for (std::string& type : other.types)
                if (type.starts_with("f32")) {
                    type = dtype + type.substr(3);
                    changed = true;
                }
            if (!changed && std::string_view(dtype) != "f32")
                continue;
            const LoopTrial trial =
                tryLoopsOf(callOf(other), other.op, standardOperators(), 2'000'000);
            QVERIFY2(!trial.wrong, trial.wrong ? trial.wrong->text().c_str() : "");
            nests += trial.nests;
        }
    QVERIFY2(nests > 1000, qPrintable(QString::number(nests)));
}

void TestLoops::smallCalls_data() {
    QTest::addColumn<QString>("name");
    for (const Operator* op : standardOperators()->all())
        if (!op->isNative())
            QTest::newRow(op->name().c_str()) << QString::fromStdString(op->name());
}

void TestLoops::smallCalls() {
    QFETCH(QString, name);
    LoopTrialLimits limits;
    limits.calls = 40;
    limits.steps = 2'000'000;
    limits.types = {DType::F32, DType::I64, DType::U8, DType::F16, DType::Bool, DType::F64};
    const LoopTrial trial =
        tryLoopsOf(*standardOperators()->find(name.toStdString()), standardOperators(), limits);
    QVERIFY2(!trial.wrong, trial.wrong ? trial.wrong->text().c_str() : "");
    // The extents of its operands follow from products of each other, which no draw meets: every
    // instance of it is tried above.
    QCOMPARE(trial.nests > 0, name != QStringLiteral("deform_conv2d"));
}

FW_TEST(TestLoops, QCoreApplication)
#include "test_loops.moc"
