// The worker of `fw` as a child of a program that has more than it: another worker, and output that
// waits to be written.
#include "cli/client.h"
#include "common/test.h"

#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

using namespace fw;
using cli::Client;

class TestClient : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void firstEndsBesideASecond();
    void whatWaitsToBeWrittenIsWrittenOnce();

private:
    static bool answers(Client& client) {
        return client.ask("ops", {}, [](const snapshot::Progress&) {}).ok();
    }
    static std::unique_ptr<Client> make() {
        return std::make_unique<Client>([](const Diag&) {});
    }
};

void TestClient::firstEndsBesideASecond() {
    auto first = make();
    auto second = make();
    QVERIFY(answers(*first));
    QVERIFY(answers(*second));
    first.reset(); // waits until it has ended
    QVERIFY(answers(*second));
}

void TestClient::whatWaitsToBeWrittenIsWrittenOnce() {
    QTemporaryDir folder;
    const QByteArray path = folder.filePath(QStringLiteral("out")).toLocal8Bit();
    std::fflush(stdout);
    const int before = ::dup(STDOUT_FILENO);
    const int file = ::open(path.constData(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(file, STDOUT_FILENO);
    std::fputs("waits\n", stdout);
    bool answered = false;
    {
        auto client = make();
        answered = answers(*client);
    }
    std::fflush(stdout);
    ::dup2(before, STDOUT_FILENO);
    ::close(before);
    ::close(file);
    QVERIFY(answered);
    QFile written(QString::fromLocal8Bit(path));
    QVERIFY(written.open(QIODevice::ReadOnly));
    QCOMPARE(written.readAll(), QByteArray("waits\n"));
}

FW_TEST(TestClient, QCoreApplication)
#include "test_client.moc"
