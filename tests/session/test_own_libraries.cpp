// Plans depend on the content of a library that a book declares, and on whether the user agreed.
#include "common/test.h"
#include "session/pipeline_store.h"

#include <QTemporaryDir>

#include <algorithm>
#include <filesystem>

using namespace fw;

namespace {

const std::string binaries = FW_BINARY_DIR;

} // namespace

class TestOwnLibraries : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void agreementIsAskedFirst();
    void sameContentIsTheSamePlan();
    void anotherContentNeedsAFreshWorker();

private:
    std::string file(const std::string& name) const {
        return (std::filesystem::path(m_folder.path().toStdString()) / name).string();
    }
    void put(const std::string& library) const {
        std::filesystem::copy_file(library, file("new.so"));
        std::filesystem::rename(file("new.so"), file("libtoylib.so"));
    }
    PipelineInputs inputs(const std::vector<std::string>& agreed) const {
        PipelineInputs out;
        out.model = file("blocks.fw");
        out.target = "x86-64 -libs=toylib";
        out.rules = {file("toylib.fw")};
        out.agreed = agreed;
        return out;
    }
    Result<const FusionPlan*> plan(const std::vector<std::string>& agreed = {"toylib"}) {
        Result<Pipeline*> pipeline = m_store.find(inputs(agreed));
        if (!pipeline)
            return pipeline.diag();
        m_made = &(*pipeline)->made();
        return (*pipeline)->plan({});
    }

    QTemporaryDir m_folder;
    PipelineStore m_store;
    const MadeStages* m_made = nullptr;
};

void TestOwnLibraries::initTestCase() {
    for (const char* name : {"toylib.fw", "blocks.fw"})
        std::filesystem::copy_file(std::string(FW_SOURCE_DIR "/samples/toylib/") + name,
                                   file(name));
    put(binaries + "/toylib/libtoylib.so");
}

void TestOwnLibraries::agreementIsAskedFirst() {
    const Result<const FusionPlan*> refused = plan({});
    QVERIFY(!refused);
    QCOMPARE(refused.diag().code, DiagCode::LibraryNotAgreed);
    const Result<const FusionPlan*> of = plan({"0123"}); // another content
    QVERIFY(!of);
    QCOMPARE(of.diag().code, DiagCode::LibraryNotAgreed);
}

void TestOwnLibraries::sameContentIsTheSamePlan() {
    const Result<const FusionPlan*> first = plan();
    QVERIFY2(first, first ? "" : first.diag().text().c_str());
    const auto& groups = (*first)->groups;
    QVERIFY(std::any_of(groups.begin(), groups.end(), [](const Group& group) {
        return group.implementation == "toylib.conv_bias_relu";
    }));
    const std::size_t made = m_made->planned;
    put(binaries + "/toylib/libtoylib.so"); // written again, with another time
    QVERIFY(plan());
    QCOMPARE(m_made->planned, made);
}

void TestOwnLibraries::anotherContentNeedsAFreshWorker() {
    put(binaries + "/tests/libbad_zeros.so");
    const Result<const FusionPlan*> changed = plan();
    QVERIFY(!changed);
    QCOMPARE(changed.diag().code, DiagCode::LibraryLevel);
    QVERIFY2(changed.diag().message.find("before it changed") != std::string::npos,
             changed.diag().message.c_str());
}

FW_TEST(TestOwnLibraries, QCoreApplication)
#include "test_own_libraries.moc"
