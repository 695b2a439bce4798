// Reorders around a library's call are seen: in the plan with bytes and estimate, in the profile as
// rows with times, and what is timed alone counts them for their group.
#include "common/test.h"
#include "onnx/model/tensor_file.h"
#include "session/commands.h"
#include "session/compare.h"
#include "session/group_times.h"
#include "snapshot/documents.h"

#include <QTemporaryDir>

#include <numeric>

using namespace fw;
using namespace fw::snapshot;

class TestReorders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void channelsLastBetweenRowMajor();
    void winogradInBlocks();
    void blocksStayBetweenNeighbours();
    void stepsBelongToTheirGroup();

private:
    // The document, or why oneDNN does not answer here.
    template <class Document>
    Document get(const std::string& command, Arguments arguments) {
        Request request;
        request.id = 1;
        request.command = command;
        request.arguments = std::move(arguments);
        Result<std::string> answer = m_commands.run(request, Context());
        if (!answer)
            qFatal("%s", answer.diag().text().c_str());
        return fromJson<Document>(*answer).value();
    }
    std::string write(const char* name, const QByteArray& text) {
        QFile file(m_folder.filePath(QString::fromLatin1(name)));
        if (!file.open(QIODevice::WriteOnly))
            qFatal("cannot write");
        file.write(text);
        return file.fileName().toStdString();
    }

    Commands m_commands;
    QTemporaryDir m_folder;
    Arguments m_arguments;
};

void TestReorders::initTestCase() {
    m_arguments.model = write("c.fw", R"(graph c(x: f32[1, 32, 28, 28]) -> y {
  w = const random(1) : f32[32, 32, 3, 3]
  y = conv2d(x, w) {pads = [1, 1, 1, 1]}
}
)");
    m_arguments.target = "x86-64 -libs=onednn";
    m_arguments.seconds = 0.05;
    Request request;
    request.id = 1;
    request.command = "fuse";
    request.arguments = m_arguments;
    const Result<std::string> answer = m_commands.run(request, Context());
    if (!answer && answer.diag().code == DiagCode::LibraryMissing)
        QSKIP(answer.diag().text().c_str());
    QVERIFY2(answer.ok(), answer ? "" : answer.diag().text().c_str());
}

void TestReorders::channelsLastBetweenRowMajor() {
    const auto plan = get<FuseDocument>("fuse", m_arguments);
    QCOMPARE(plan.groups.size(), std::size_t(1));
    const GroupRecord& group = plan.groups[0];
    QCOMPARE(group.implementation, std::string("onednn.conv"));
    QCOMPARE(group.reorders.size(), std::size_t(2)); // input and result of the model are row-major
    for (const ReorderRecord& reorder : group.reorders) {
        QCOMPARE(reorder.layout, std::string("channels-last"));
        QCOMPARE(reorder.bytes, std::optional<double>(2.0 * 4 * 32 * 28 * 28));
        QVERIFY(reorder.estUs && *reorder.estUs > 0);
    }
    QCOMPARE(group.reorders[0].value, std::string("x"));
    QCOMPARE(group.reorders[1].value, std::string("y"));
    QVERIFY(std::any_of(plan.notices.begin(), plan.notices.end(), [](const std::string& notice) {
        return notice.starts_with("LIB16"); // ReasonCode::ReorderAdded
    }));
    const auto profile = get<ProfileDocument>("profile", m_arguments);
    std::vector<std::string> rows;
    for (const ProfileRow& row : profile.rows) {
        rows.push_back(row.group);
        QCOMPARE(row.groupId, 0);
        QVERIFY(row.medianUs > 0);
        QVERIFY(row.bytes && *row.bytes > 0);
    }
    QCOMPARE(rows,
             (std::vector<std::string>{"conv2d_0_reorder_in", "conv2d_0", "conv2d_0_reorder_out"}));
    QCOMPARE(profile.rows[0].implementation, std::string("onednn.reorder"));
    QCOMPARE(profile.rows[0].bytes, group.reorders[0].bytes);
    QVERIFY(profile.rows[0].nodes.empty());
    QCOMPARE(profile.rows[1].nodes.size(), std::size_t(1));
    Arguments measured = m_arguments;
    measured.measure = true;
    const auto alone = get<FuseDocument>("fuse", measured);
    QVERIFY(alone.groups[0].aloneUs && *alone.groups[0].aloneUs > 0);
}

void TestReorders::winogradInBlocks() {
    Arguments arguments = m_arguments;
    arguments.rules = {write("wino.fw", "pin { use onednn.winograd for y }\n")};
    const auto plan = get<FuseDocument>("fuse", arguments);
    if (plan.groups[0].implementation != "onednn.winograd")
        QSKIP("the library has no Winograd kernel for this CPU");
    QCOMPARE(plan.groups[0].reorders.size(), std::size_t(2));
    for (const ReorderRecord& reorder : plan.groups[0].reorders) {
        QVERIFY2(reorder.layout.find("16") != std::string::npos ||
                     reorder.layout.find('8') != std::string::npos,
                 reorder.layout.c_str()); // blocks of channels
        QVERIFY(reorder.bytes.has_value());
    }
    const auto profile = get<ProfileDocument>("profile", arguments);
    QCOMPARE(profile.rows.size(), std::size_t(3));
    QCOMPARE(profile.rows[1].implementation, std::string("onednn.winograd"));
}

// Three in a row: one reorder before the first, one behind the last.
void TestReorders::blocksStayBetweenNeighbours() {
    Arguments arguments = m_arguments;
    arguments.model = write("row.fw", R"(graph row(x: f32[1, 32, 28, 28]) -> y {
  w = const random(1) : f32[32, 32, 3, 3]
  b = const random(2) : f32[32]
  p = conv2d(x, w) {pads = [1, 1, 1, 1]}
  pb = bias(p, b)
  q = relu(pb)
  r = conv2d(q, w) {pads = [1, 1, 1, 1]}
  s = relu(r)
  y = conv2d(s, w) {pads = [1, 1, 1, 1]}
}
)");
    arguments.rules = {write("winos.fw", "pin { use onednn.winograd for p, r, y }\n")};
    const FuseDocument plan = get<FuseDocument>("fuse", arguments);
    if (plan.groups[0].implementation != "onednn.winograd")
        QSKIP("the library has no Winograd kernel for this CPU");
    QCOMPARE(plan.groups.size(), std::size_t(3));
    for (const char* name : {"q", "s"})
        QVERIFY(std::any_of(plan.notices.begin(), plan.notices.end(), [&](const auto& notice) {
            return notice.starts_with("LAY01 " + std::string(name)) &&
                   notice.find("d0 d1/16 d2 d3 d1%16") != std::string::npos;
        }));
    arguments.seconds = 0.02;
    const ProfileDocument profile = get<ProfileDocument>("profile", arguments);
    QStringList steps;
    for (const ProfileRow& row : profile.rows)
        steps << QString::fromStdString(row.implementation);
    QCOMPARE(steps, (QStringList{"onednn.reorder", "onednn.winograd", "onednn.winograd",
                                 "onednn.winograd", "onednn.reorder"}));
    // The same numbers as our own code, within what the algorithm costs.
    arguments.output = m_folder.path().toStdString() + "/wino";
    const RunDocument run = get<RunDocument>("run", arguments);
    arguments.rules.clear();
    arguments.target = "x86-64 -libs=";
    arguments.output = m_folder.path().toStdString() + "/own";
    const RunDocument own = get<RunDocument>("run", arguments);
    const NamedTensor got = readTensorFile(run.outputs[0].file).value();
    const NamedTensor wanted = readTensorFile(own.outputs[0].file).value();
    QVERIFY(compareTensors("y", got.data, wanted.data, {1e-3, 1e-3}).pass);
}

void TestReorders::stepsBelongToTheirGroup() {
    FusionPlan plan;
    for (const char* name : {"conv2d_1", "conv2d_12"}) {
        Group group;
        group.id = static_cast<int>(plan.groups.size());
        group.name = name;
        plan.groups.push_back(std::move(group));
    }
    runtime::Step step;
    step.name = "conv2d_1_reorder_in"; // not what decides
    step.group = 1;
    QCOMPARE(groupOfStep(plan, step), &plan.groups[1]);
    step.group = 0;
    QCOMPARE(groupOfStep(plan, step), &plan.groups[0]);
    for (const std::uint32_t none : {runtime::noGroup, 2U}) {
        step.group = none;
        QVERIFY(groupOfStep(plan, step) == nullptr);
    }
}

FW_TEST(TestReorders, QCoreApplication)
#include "test_reorders.moc"
