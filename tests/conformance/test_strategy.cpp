// The walk of samples/strategy, step by step as its page says, through `fw`: which implementation
// computes what, by target, by condition, by schedule, by order, and by measurement. Its last step
// is pinIsKeptWithTheDocument of tests/window/test_decisions.cpp.
#include "common/test.h"
#include "fw_process.h"
#include "runtime/fusewright.h"

#include <QJsonArray>
#include <QTemporaryDir>

#include <cstring>
#include <dlfcn.h>

using namespace Qt::StringLiterals;
using fw::conformance::askFw;
using fw::conformance::runFw;

namespace {

const QString here = u"x86-64 -mcpu=x86-64-v3 -libs= -threads=2"_s;
const QString little = u"little"_s;

QString sample(const char* file) {
    return QStringLiteral(FW_SOURCE_DIR "/samples/strategy/") + QLatin1StringView(file);
}

QStringList words(const char* command, const char* model, const QString& target,
                  const QStringList& more = {}, const char* book = "choices.fw") {
    return QStringList{QString::fromLatin1(command),
                       sample(model),
                       u"--rules"_s,
                       sample(book),
                       u"--target"_s,
                       target} +
           more;
}

QJsonObject plan(const char* model, const QString& target, const QStringList& more = {}) {
    return askFw(words("fuse", model, target, more));
}

// The group whose anchor has this name.
QJsonValue groupOf(const QJsonObject& plan, const QString& anchor) {
    for (const QJsonValue group : plan[u"groups"].toArray())
        if (group[u"anchor"].toString() == anchor)
            return group;
    return {};
}

QString chosenFor(const QJsonObject& plan, const QString& anchor) {
    return groupOf(plan, anchor)[u"implementation"].toString();
}

QJsonValue candidate(const QJsonValue& group, const QString& name) {
    for (const QJsonValue one : group[u"candidates"].toArray())
        if (one[u"name"].toString() == name)
            return one;
    return {};
}

QStringList notices(const QJsonObject& plan, const QString& code) {
    QStringList out;
    for (const QJsonValue notice : plan[u"notices"].toArray())
        if (notice.toString().startsWith(code))
            out += notice.toString();
    return out;
}

QString loops(const char* model, const QString& target, int group) {
    const QJsonObject got = askFw(words(
        "stages", model, target, {u"--stage"_s, u"loops"_s, u"--group"_s, QString::number(group)}));
    return got[u"text"].toString();
}

// What `fw verify` says of an implementation; empty: it was not tried.
QStringList verdicts(const char* model, const QString& target, const QString& implementation) {
    QStringList out;
    const QJsonObject got = askFw(words("verify", model, target));
    for (const QJsonValue row : got[u"models"][0][u"rows"].toArray())
        if (row[u"implementation"].toString() == implementation)
            out += row[u"verdict"].toString();
    return out;
}

bool agrees(const QStringList& verdicts) {
    return !verdicts.isEmpty() &&
           std::all_of(verdicts.begin(), verdicts.end(), [](const QString& verdict) {
               return verdict == u"exact"_s || verdict == u"within"_s;
           });
}

} // namespace

class TestStrategy : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBookIsTried();
    void step1EachTargetPicksItsOwn();
    void step2ConditionsShowTheirValues();
    void step3SizesThatAreNotKnown();
    void step4SchedulesOfAKind();
    void step5AScheduleForEachTarget();
    void step6Ties();
    void step6TiesWithALog();
    void step7ALibrarysCall();
    void step7WithoutTheLibrary();
    void step8MeasurementsDecide();
    void step9OneModuleForEveryNumberOfRows();
    void step10ALineForEachOperator();
};

void TestStrategy::theBookIsTried() {
    const QJsonObject checked = askFw({u"check"_s, sample("choices.fw")});
    int tried = 0;
    for (const QJsonValue item : checked[u"items"].toArray()) {
        QCOMPARE(item[u"verdict"].toString(), u"ok"_s);
        if (item[u"kind"].toString() == u"operator"_s || item[u"name"].toString() == u"conv2d"_s)
            QVERIFY2(item[u"trials"].toInt() > 0 && ++tried, qPrintable(item[u"name"].toString()));
    }
    QCOMPARE(tried, 5); // four operators and Winograd's computation of the convolution
}

void TestStrategy::step1EachTargetPicksItsOwn() {
    const struct {
        QString target, chosen, level;
    } cases[] = {{here, u"topk.wide"_s, u"topk on any"_s},
                 {little, u"topk.loops"_s, u"topk on little"_s}};
    for (const auto& one : cases) {
        const QJsonValue group = groupOf(plan("topk.fw", one.target), u"topk"_s);
        QCOMPARE(group[u"implementation"].toString(), one.chosen);
        const QJsonValue chosen = candidate(group, one.chosen);
        QCOMPARE(chosen[u"level"].toString(), one.level);
        QVERIFY(chosen[u"place"].toString().contains(u"choices.fw:"_s));
        QVERIFY(agrees(verdicts("topk.fw", one.target, one.chosen)));
    }
    const QJsonValue group = groupOf(plan("topk.fw", here), u"topk"_s);
    QVERIFY(candidate(group, u"topk.loops"_s).isUndefined() ||
            candidate(group, u"topk.loops"_s).isNull());
}

void TestStrategy::step2ConditionsShowTheirValues() {
    const QJsonObject got = plan("conv3x3.fw", here);
    const QJsonValue one = groupOf(got, u"by_one"_s), two = groupOf(got, u"by_two"_s);
    QCOMPARE(one[u"implementation"].toString(), u"conv.winograd"_s);
    QCOMPARE(one[u"source"].toString(), u"priority"_s);
    QCOMPARE(candidate(one, u"conv.winograd"_s)[u"priority"].toInt(), 15);
    QCOMPARE(two[u"implementation"].toString(), u"conv.direct"_s);
    QCOMPARE(candidate(two, u"conv.direct"_s)[u"priority"].toInt(), 10);
    const QJsonValue refused = candidate(two, u"conv.winograd"_s);
    QCOMPARE(refused[u"verdict"].toString(), u"refused"_s);
    QVERIFY2(refused[u"sentence"].toString().contains(u"strides = [2, 2]"_s),
             qPrintable(refused[u"sentence"].toString()));
    const auto explained = runFw(words("explain", "conv3x3.fw", here, {u"by_two"_s}), 60);
    QVERIFY(QString::fromUtf8(explained.out).contains(u"strides = [2, 2]"_s));
    QVERIFY(agrees(verdicts("conv3x3.fw", here, u"conv.winograd"_s)));
    QVERIFY(agrees(verdicts("conv3x3.fw", here, u"conv.direct"_s)));
}

void TestStrategy::step3SizesThatAreNotKnown() {
    const QJsonObject free = plan("dense_m.fw", here);
    QCOMPARE(chosenFor(free, u"dense"_s), u"dense.common"_s);
    QCOMPARE(notices(free, u"CHO09"_s).size(), 1);
    QVERIFY(notices(free, u"CHO09"_s)[0].contains(u"M > 16"_s));
    for (const auto& [rows, chosen] :
         {std::pair(u"M=1"_s, u"dense.common"_s), std::pair(u"M=16"_s, u"dense.common"_s),
          std::pair(u"M=17"_s, u"dense.large_m"_s), std::pair(u"M=64"_s, u"dense.large_m"_s)}) {
        const QJsonObject known = plan("dense_m.fw", here, {u"--dim"_s, rows});
        QCOMPARE(chosenFor(known, u"dense"_s), chosen);
        QVERIFY(notices(known, u"CHO09"_s).isEmpty());
        // It is our code, whatever the book calls its entry.
        QCOMPARE(known[u"groups"][0][u"by"].toString(), u"generated"_s);
    }
}

void TestStrategy::step4SchedulesOfAKind() {
    const QJsonObject first = plan("outer.fw", here), second = plan("outer.fw", little);
    QCOMPARE(chosenFor(first, u"outer"_s), u"generated.map"_s);
    QCOMPARE(notices(first, u"SCH11"_s),
             QStringList{u"SCH11 outer_0: the default schedule: map"_s});
    QCOMPARE(chosenFor(second, u"outer"_s), u"schedule.by_columns"_s);
    QCOMPARE(notices(second, u"SCH13"_s).size(), 1);
    QVERIFY(notices(second, u"SCH13"_s)[0].contains(u"a book: by_columns ("_s));
    const auto columnsFirst = [](const QString& text) {
        const auto columns = text.indexOf(u" n1 in "_s), rows = text.indexOf(u" m in 30"_s);
        return columns >= 0 && rows > columns;
    };
    QVERIFY(!columnsFirst(loops("outer.fw", here, 0)));
    QVERIFY(columnsFirst(loops("outer.fw", little, 0)));
    QVERIFY(agrees(verdicts("outer.fw", little, u"schedule.by_columns"_s)));
}

void TestStrategy::step5AScheduleForEachTarget() {
    QStringList layouts[2];
    const struct {
        QString target, schedule;
        bool lanes;
    } cases[] = {{here, u"schedule.pool_lanes"_s, true},
                 {little, u"schedule.pool_points"_s, false}};
    for (int i = 0; i < 2; ++i) {
        const QJsonObject got = plan("pool.fw", cases[i].target);
        QCOMPARE(chosenFor(got, u"pool_two"_s), cases[i].schedule);
        for (const QString& notice : notices(got, u"LAY01"_s))
            layouts[i] += notice.section(u':', 0, 0) + notice.section(u" wants"_s, 1);
        for (const QJsonValue group : got[u"groups"].toArray())
            QCOMPARE(group[u"reorders"].toArray().size(), 0);
        QCOMPARE(loops("pool.fw", cases[i].target, 1).contains(u"vector lane"_s), cases[i].lanes);
        QVERIFY(agrees(verdicts("pool.fw", cases[i].target, cases[i].schedule)));
    }
    QCOMPARE(layouts[0].size(), 2);
    QCOMPARE(layouts[0], layouts[1]);
}

void TestStrategy::step6Ties() {
    const QStringList tie = words("fuse", "dense_m.fw", here, {u"--dim"_s, u"M=8"_s}, "tie.fw");
    const QJsonObject got = askFw(tie);
    QCOMPARE(chosenFor(got, u"dense"_s), u"dense.left"_s);
    QCOMPARE(groupOf(got, u"dense"_s)[u"source"].toString(), u"order"_s);
    QCOMPARE(notices(got, u"CHO04"_s).size(), 1);
    const QString told = notices(got, u"CHO04"_s)[0];
    QVERIFY2(told.contains(u"dense.left of 2 with priority 30"_s), qPrintable(told));
    QVERIFY(QString::fromUtf8(runFw(tie, 60).out).contains(told));
}

void TestStrategy::step6TiesWithALog() {
    QTemporaryDir folder;
    const QString name = folder.filePath(u"log.jsonl"_s);
    const auto write = [&](const QByteArray& text) {
        QFile file(name);
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    };
    const QStringList more{u"--dim"_s, u"M=8"_s, u"--log"_s, name};
    const QStringList fuse = words("fuse", "dense_m.fw", here, more, "tie.fw");
    QVERIFY(write(""));
    const QJsonObject untold = askFw(fuse);
    QCOMPARE(groupOf(untold, u"dense"_s)[u"source"].toString(), u"order"_s);
    QCOMPARE(notices(untold, u"CHO04"_s).size(), 1);
    const auto tuned = runFw(
        words("tune", "dense_m.fw", here, more + QStringList{u"--seconds"_s, u"0.02"_s}, "tie.fw"),
        120);
    QCOMPARE(tuned.exitCode, 0);
    // The same measurements, had the first one been slower.
    QFile measured(name);
    QVERIFY(measured.open(QIODevice::ReadOnly));
    QByteArray changed;
    for (const QByteArray& line : measured.readAll().split('\n')) {
        QJsonObject record = QJsonDocument::fromJson(line).object();
        const QString implementation = record[u"implementation"].toString();
        if (!implementation.startsWith(u"dense."_s))
            continue;
        record[u"us"] = implementation == u"dense.left"_s ? 2.0 : 1.0;
        changed += QJsonDocument(record).toJson(QJsonDocument::Compact) + '\n';
    }
    measured.close();
    QCOMPARE(changed.count('\n'), 2);
    QVERIFY(write(changed));
    const QJsonObject logged = askFw(fuse);
    QCOMPARE(chosenFor(logged, u"dense"_s), u"dense.right"_s);
    QCOMPARE(groupOf(logged, u"dense"_s)[u"source"].toString(), u"log"_s);
    QVERIFY(notices(logged, u"CHO04"_s).isEmpty());
}

void TestStrategy::step7ALibrarysCall() {
    const auto fused = runFw(words("fuse", "dense_m.fw", u"x86-64 -libs=cblas"_s,
                                   {u"--dim"_s, u"M=8"_s, u"--json"_s}, "library.fw"),
                             60);
    if (fused.exitCode == 3)
        QSKIP(fused.error.constData());
    const QJsonValue group = groupOf(QJsonDocument::fromJson(fused.out).object(), u"dense"_s);
    QCOMPARE(group[u"implementation"].toString(), u"dense.blas"_s);
    QCOMPARE(group[u"source"].toString(), u"priority"_s);
    QCOMPARE(candidate(group, u"dense.blas"_s)[u"priority"].toInt(), 15);
}

void TestStrategy::step7WithoutTheLibrary() {
    const QStringList rows{u"--dim"_s, u"M=8"_s};
    const QJsonValue group =
        groupOf(askFw(words("fuse", "dense_m.fw", here, rows, "library.fw")), u"dense"_s);
    QCOMPARE(group[u"implementation"].toString(), u"dense.own"_s);
    const QJsonValue refused = candidate(group, u"dense.blas"_s);
    QCOMPARE(refused[u"verdict"].toString(), u"refused"_s);
    QCOMPARE(refused[u"code"].toString(), u"LIB11"_s);
    QCOMPARE(refused[u"priority"].toInt(), 15);
    QVERIFY2(refused[u"sentence"].toString().contains(u"library openblas is not in the target"_s),
             qPrintable(refused[u"sentence"].toString()));
    const auto explained = runFw(
        words("explain", "dense_m.fw", here, QStringList{u"dense"_s} + rows, "library.fw"), 60);
    QVERIFY2(explained.out.contains("dense.blas: the library cannot be used"), explained.out);
}

void TestStrategy::step8MeasurementsDecide() {
    QTemporaryDir folder;
    const QString name = folder.filePath(u"log.jsonl"_s);
    const QStringList log{u"--log"_s, name};
    (void)askFw(words("tune", "conv3x3.fw", here, log + QStringList{u"--seconds"_s, u"0.02"_s}));
    QFile measured(name);
    QVERIFY(measured.open(QIODevice::ReadOnly));
    // The same measurements on a machine where direct is the fastest for steps of one pixel; it
    // knows nothing of the other convolution.
    QByteArray changed;
    for (const QByteArray& line : measured.readAll().split('\n')) {
        QJsonObject record = QJsonDocument::fromJson(line).object();
        if (line.isEmpty() || record[u"workload"].toString().contains(u"strides"_s))
            continue;
        record.remove(u"disturbed"_s);
        record[u"us"] = record[u"implementation"].toString() == u"conv.direct"_s ? 10.0 : 20.0;
        changed += QJsonDocument(record).toJson(QJsonDocument::Compact) + '\n';
    }
    measured.close();
    QVERIFY(changed.contains("conv.winograd") && changed.contains("conv.direct"));
    QVERIFY(measured.open(QIODevice::WriteOnly) && measured.write(changed) == changed.size());
    measured.close();
    const QJsonObject got = plan("conv3x3.fw", here, log);
    const QJsonValue one = groupOf(got, u"by_one"_s), two = groupOf(got, u"by_two"_s);
    QCOMPARE(one[u"implementation"].toString(), u"conv.direct"_s);
    QCOMPARE(one[u"source"].toString(), u"log"_s);
    QVERIFY(!one[u"untuned"].toBool());
    QCOMPARE(two[u"implementation"].toString(), u"conv.direct"_s);
    QCOMPARE(two[u"source"].toString(), u"priority"_s);
    QVERIFY(two[u"untuned"].toBool());
    QCOMPARE(notices(got, u"CHO08"_s).size(), 1);
    QVERIFY(notices(got, u"CHO08"_s)[0].contains(u"by_two: untuned"_s));
}

// Compiled once, here and in an exported module, which says of each step whether it ran.
void TestStrategy::step9OneModuleForEveryNumberOfRows() {
    const QString text = loops("dense_m.fw", here, 0);
    QVERIFY2(text.contains(u"# by dense.large_m where M > 16: "_s) &&
                 text.contains(u"# by dense.common else"_s),
             qPrintable(text));
    QTemporaryDir folder;
    (void)askFw(words("export", "dense_m.fw", here, {u"-o"_s, folder.path()}));
    void* library =
        dlopen(folder.filePath(u"libdense_m.so"_s).toUtf8().constData(), RTLD_NOW | RTLD_LOCAL);
    QVERIFY2(library != nullptr, dlerror());
    const auto entry = reinterpret_cast<const fw_api* (*)()>(dlsym(library, "fw_dense_m_api"));
    QVERIFY(entry != nullptr);
    const fw_api& api = *entry();
    fw_model* model = nullptr;
    QCOMPARE(api.open(folder.filePath(u"dense_m.weights"_s).toUtf8().constData(), nullptr, &model),
             FW_OK);
    QFile manifest(folder.filePath(u"manifest.json"_s));
    QVERIFY(manifest.open(QIODevice::ReadOnly));
    const QJsonArray ways =
        QJsonDocument::fromJson(manifest.readAll()).object()[u"groups"].toArray();
    QCOMPARE(ways.size(), 2);
    QCOMPARE(ways[0][u"when"].toString(), u"16 < M"_s);
    QCOMPARE(ways[1][u"when"].toString(), u"otherwise"_s);
    // Row after row of what the reference computes for all of them.
    const QString wanted = folder.filePath(u"wanted"_s);
    const QString rows = folder.filePath(u"x.npy"_s);
    QByteArray head("\x93NUMPY\x01\x00", 8);
    QByteArray shape = "{'descr': '<f4', 'fortran_order': False, 'shape': (64, 96), }";
    shape = shape.leftJustified(117, ' ') + '\n';
    head.append(char(shape.size())).append('\0');
    std::vector<float> x(64 * 96);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = float((i * 37) % 101) / 101.0f - 0.5f;
    QFile file(rows);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(head + shape);
    file.write(reinterpret_cast<const char*>(x.data()), qsizetype(x.size() * sizeof(float)));
    file.close();
    (void)askFw({u"run"_s, sample("dense_m.fw"), u"--target"_s, here, u"--input"_s, u"x="_s + rows,
                 u"--output"_s, wanted});
    QFile computed(wanted + u"/y.npy"_s);
    QVERIFY(computed.open(QIODevice::ReadOnly));
    const QByteArray y = computed.readAll().mid(128);
    QCOMPARE(y.size(), qsizetype(64 * 64 * sizeof(float)));
    for (const std::int64_t count : {1, 16, 17, 64, 16}) {
        const std::int64_t extents[] = {count, 96};
        fw_tensor input{};
        input.data = x.data();
        input.device = {1, 0};
        input.ndim = 2;
        input.dtype = {FW_FLOAT, 32, 1};
        input.shape = const_cast<std::int64_t*>(extents);
        QCOMPARE(api.set_input(model, 0, &input), FW_OK);
        std::vector<fw_step_time> times(std::size_t(api.step_count(model)));
        auto steps = std::int32_t(times.size());
        QCOMPARE(api.run_profiled(model, times.data(), &steps), FW_OK);
        QCOMPARE(steps, 2);
        QCOMPARE(times[0].end_ns != 0, count > 16); // dense.large_m
        QCOMPARE(times[1].end_ns != 0, count <= 16);
        fw_tensor view{};
        QCOMPARE(api.output_view(model, 0, &view), FW_OK);
        const auto* got = static_cast<const float*>(view.data);
        for (std::int64_t i = 0; i < count * 64; ++i) {
            float expected = 0;
            std::memcpy(&expected, y.constData() + i * 4, 4);
            QVERIFY(std::abs(got[i] - expected) <= 1e-5f + 1e-4f * std::abs(expected));
        }
    }
    api.close(model);
    dlclose(library);
}

void TestStrategy::step10ALineForEachOperator() {
    const QStringList asked = words("fuse", "pool.fw", here);
    const QJsonObject json = askFw(asked);
    const auto shown = runFw(asked + QStringList{u"-v"_s}, 60);
    QCOMPARE(shown.exitCode, 0);
    const QStringList lines = QString::fromUtf8(shown.out).split(u'\n');
    int count = 0;
    for (const QJsonValue group : json[u"groups"].toArray())
        for (const QJsonValue node : group[u"nodes"].toArray()) {
            const QJsonValue chosen = candidate(group, group[u"implementation"].toString());
            const QString place = chosen[u"place"].toString();
            const QStringList told = lines.filter(QRegularExpression(
                u'^' + node.toString() + u"  .*"_s + QRegularExpression::escape(place)));
            QCOMPARE(told.size(), 1);
            for (const QString& fact :
                 {group[u"name"].toString(), group[u"implementation"].toString(),
                  group[u"source"].toString(),
                  chosen[u"code"].toString() + u' ' + chosen[u"sentence"].toString()})
                QVERIFY2(told[0].contains(fact), qPrintable(fact));
            ++count;
        }
    QCOMPARE(count, 3);
    // Of one that was taken along, the decision.
    const auto joined = runFw(
        {u"fuse"_s, QStringLiteral(FW_SOURCE_DIR "/samples/mlp"), u"-v"_s, u"--target"_s, here},
        60);
    QVERIFY2(joined.out.contains("FUS02 the implementation absorbs it as an epilogue: relu"),
             joined.out);
}

FW_TEST(TestStrategy, QCoreApplication)
#include "test_strategy.moc"
