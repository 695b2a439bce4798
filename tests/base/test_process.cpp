// Child processes and SHA-256.
#include "base/process.h"
#include "base/sha256.h"
#include "common/test.h"

using namespace fw;

namespace {

std::string sha(std::string_view text) {
    return sha256Hex(std::as_bytes(std::span(text.data(), text.size())));
}

} // namespace

class TestProcess : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void feedsAndReads() {
        const std::string text(3000000, 'x'); // far beyond what a pipe holds
        auto result = runProcess({.command = {"cat"}, .folder = {}, .input = text});
        QVERIFY2(result.ok(), result.ok() ? "" : result.diag().message.c_str());
        QCOMPARE(result->exitCode, 0);
        QCOMPARE(result->output.size(), text.size());
    }

    void childThatDoesNotRead() {
        auto result =
            runProcess({.command = {"true"}, .folder = {}, .input = std::string(3000000, 'x')});
        QVERIFY(result.ok());
        QCOMPARE(result->exitCode, 0);
    }

    void exitCodesErrorsAndFolders() {
        auto result = runProcess(
            {.command = {"sh", "-c", "pwd; echo bad >&2; exit 3"}, .folder = "/usr", .input = {}});
        QVERIFY(result.ok());
        QCOMPARE(result->exitCode, 3);
        QCOMPARE(result->output, std::string("/usr\n"));
        QCOMPARE(result->errors, std::string("bad\n"));
        result = runProcess({.command = {"sh", "-c", "kill -9 $$"}, .folder = {}, .input = {}});
        QCOMPARE(result->exitCode, 137);
    }

    void missingProgram() {
        const auto result =
            runProcess({.command = {"no-such-program-anywhere"}, .folder = {}, .input = {}});
        QVERIFY(!result.ok());
        QCOMPARE(result.diag().code, DiagCode::FileMissing);
    }

    void timeoutKillsTheWholeGroup() {
        ProcessRequest request{
            .command = {"sh", "-c", "sleep 60 | sleep 60"}, .folder = {}, .input = {}};
        request.timeout = std::chrono::milliseconds(100);
        const auto start = std::chrono::steady_clock::now();
        const auto result = runProcess(request);
        QCOMPARE(result.diag().code, DiagCode::LimitReached);
        QVERIFY(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
    }

    void cancelled() {
        CancelToken cancel;
        cancel.cancel();
        const auto result =
            runProcess({.command = {"sleep", "60"}, .folder = {}, .input = {}}, cancel);
        QCOMPARE(result.diag().code, DiagCode::Cancelled);
    }

    void outputLimit() {
        ProcessRequest request{.command = {"cat"}, .folder = {}, .input = std::string(100000, 'y')};
        request.outputLimit = 1000;
        QCOMPARE(runProcess(request)->output.size(), std::size_t{1000});
    }

    void sha256() {
        QCOMPARE(sha(""),
                 std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
        QCOMPARE(sha("abc"),
                 std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        QCOMPARE(sha(std::string(1000000, 'a')),
                 std::string("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
        QCOMPARE(sha("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                 std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
    }
};

FW_TEST(TestProcess, QCoreApplication)
#include "test_process.moc"
