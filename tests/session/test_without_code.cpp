// An operator that nothing is left to compute with, because the user ruled all of it out: its
// reference computes it, which every command says, and only a module cannot be made.
#include "base/files.h"
#include "common/test.h"
#include "session/asked.h"

#include <QTemporaryDir>

#include <algorithm>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestWithoutCode : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void planSaysWhy();
    void everyStageHasText();
    void runsAndIsTimed();
    void modulesAreRefused();

private:
    Arguments asked(bool ruledOut) const {
        Arguments out = on("");
        out.model = m_model;
        out.seconds = 0.02;
        if (ruledOut)
            out.pins = m_pins;
        return out;
    }

    QTemporaryDir m_folder;
    std::string m_model, m_pins;
};

namespace {} // namespace

void TestWithoutCode::initTestCase() {
    m_model = m_folder.filePath(QStringLiteral("net.fw")).toStdString();
    QVERIFY(writeFile(m_model, R"(graph net(x: f32[4, 8]) -> z {
  w = const random(1) : f32[16, 8]
  d = dense(x, w) @node("d1")
  s = softmax(d) @node("s1")
  z = exp(s) @node("z1")
}
)")
                .ok());
    Asked a;
    m_pins = "pin {";
    const auto plan = a.get<FuseDocument>("fuse", asked(false));
    for (const CandidateRecord& candidate : groupOf(plan, "s1").candidates)
        m_pins += " avoid " + candidate.name.str() + " for s";
    m_pins += " }";
}

void TestWithoutCode::planSaysWhy() {
    Asked a;
    const auto plan = a.get<FuseDocument>("fuse", asked(true));
    const GroupRecord& group = groupOf(plan, "s1");
    QCOMPARE(group.nodes, std::vector<std::string>{"s1"});
    QCOMPARE(group.implementation.str(), std::string("reference"));
    QVERIFY(!group.candidates.empty());
    QVERIFY(groupOf(plan, "d1").implementation.str().starts_with("generated"));
    QVERIFY(groupOf(plan, "z1").implementation.str().starts_with("generated"));
    QVERIFY(std::any_of(plan.notices.begin(), plan.notices.end(), [](const std::string& notice) {
        return notice.starts_with("HST01 s1") &&
               notice.find("no implementation of softmax") != std::string::npos;
    }));
    Arguments arguments = asked(true);
    arguments.nodes = {"s1"};
    QCOMPARE(a.get<ExplainDocument>("explain", arguments).code, std::string("HST01"));
    arguments.nodes = {"s1", "z1"};
    QCOMPARE(a.get<ExplainDocument>("explain", arguments).code, std::string("HST01"));
}

void TestWithoutCode::everyStageHasText() {
    Asked a;
    for (const char* stage :
         {"fused", "partitioned", "tensor", "schedule", "loops", "llvm", "asm"}) {
        Arguments arguments = asked(true);
        arguments.stage = stage;
        const auto text = a.get<StagesDocument>("stages", arguments).text;
        QVERIFY2(!text.empty(), stage);
        if (std::string(stage) == "asm")
            QVERIFY2(text.find("# no code: its reference computes it") != std::string::npos,
                     text.c_str());
    }
}

void TestWithoutCode::runsAndIsTimed() {
    Asked a;
    const auto other = a.get<RunDocument>("run", asked(false));
    const auto run = a.get<RunDocument>("run", asked(true));
    QCOMPARE(run.outputs.at(0).shape, other.outputs.at(0).shape);
    QCOMPARE(run.outputs.at(0).summary.substr(0, 4), other.outputs.at(0).summary.substr(0, 4));
    Arguments arguments = asked(true);
    arguments.each = true;
    const auto profile = a.get<ProfileDocument>("profile", arguments);
    const auto row = std::find_if(profile.rows.begin(), profile.rows.end(), [](const auto& one) {
        return one.implementation == "reference";
    });
    QVERIFY(row != profile.rows.end());
    QCOMPARE(row->nodes.at(0).name, std::string("s1"));
    for (const char* command : {"verify", "bench", "tune"}) {
        Arguments also = asked(true);
        also.log = command == std::string("tune")
                       ? m_folder.filePath(QStringLiteral("log")).toStdString()
                       : std::string();
        const auto answer = a.ask(command, also);
        QVERIFY2(answer.ok(), answer ? "" : answer.diag().text().c_str());
    }
}

void TestWithoutCode::modulesAreRefused() {
    Asked a;
    Arguments arguments = asked(true);
    arguments.output = m_folder.filePath(QStringLiteral("module")).toStdString();
    const auto answer = a.ask("export", arguments);
    QVERIFY(!answer.ok());
    QCOMPARE(answer.diag().code, DiagCode::NotRunnable);
    QCOMPARE(answer.diag().where.node, std::string("s1"));
    QVERIFY(answer.diag().message.find("s1 has no code (HST01)") == 0);
}

FW_TEST(TestWithoutCode, QCoreApplication)
#include "test_without_code.moc"
