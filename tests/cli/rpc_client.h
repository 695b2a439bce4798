// A client of `fw lsp` and `fw mcp`: it starts the program, asks, and keeps what it is told beside
// the answers.
#pragma once

#include <QDeadlineTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QList>
#include <QProcess>

#include <optional>

namespace fw::tests {

class RpcClient {
public:
    enum class Framing { Headers, Lines };

    RpcClient(Framing framing, const QStringList& words, const QString& folder = {})
        : m_framing(framing) {
        m_process.setWorkingDirectory(folder);
        m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_process.start(qEnvironmentVariable("FW_BIN") + QStringLiteral("/fw"), words);
    }
    ~RpcClient() {
        m_process.closeWriteChannel();
        if (!m_process.waitForFinished(20000))
            m_process.kill();
        m_process.waitForFinished();
    }

    qint64 processId() const { return m_process.processId(); }

    // Piece by piece: what QProcess holds back it moves with every write.
    void sendBytes(const QByteArray& bytes) {
        constexpr qsizetype piece = 1 << 16;
        for (qsizetype i = 0; i < bytes.size(); i += piece) {
            m_process.write(bytes.mid(i, piece));
            while (m_process.bytesToWrite() > 0 && m_process.waitForBytesWritten(limit)) {
            }
        }
    }
    void sendText(const QByteArray& text) {
        sendBytes(m_framing == Framing::Lines
                      ? text + '\n'
                      : "Content-Length: " + QByteArray::number(text.size()) + "\r\n\r\n" + text);
    }
    void send(const QJsonObject& message) {
        sendText(QJsonDocument(message).toJson(QJsonDocument::Compact));
    }
    void notify(const QString& method, const QJsonObject& params = {}) {
        send({{QStringLiteral("jsonrpc"), QStringLiteral("2.0")},
              {QStringLiteral("method"), method},
              {QStringLiteral("params"), params}});
    }
    // Its id.
    int begin(const QString& method, const QJsonObject& params = {}) {
        send({{QStringLiteral("jsonrpc"), QStringLiteral("2.0")},
              {QStringLiteral("id"), ++m_lastId},
              {QStringLiteral("method"), method},
              {QStringLiteral("params"), params}});
        return m_lastId;
    }
    // What is answered to this id; what is told meanwhile is kept.
    QJsonObject answerTo(int id) {
        for (;;) {
            const QJsonObject message = next();
            if (message.isEmpty() || message[QStringLiteral("id")] == id)
                return message;
            m_told.push_back(message);
        }
    }
    QJsonObject ask(const QString& method, const QJsonObject& params = {}) {
        return answerTo(begin(method, params));
    }
    QJsonValue result(const QString& method, const QJsonObject& params = {}) {
        const QJsonObject answer = ask(method, params);
        if (!answer.contains(QStringLiteral("result")))
            qWarning("%s: %s", qPrintable(method), QJsonDocument(answer).toJson().constData());
        return answer[QStringLiteral("result")];
    }
    int errorOf(const QJsonObject& answer) const {
        return answer[QStringLiteral("error")].toObject()[QStringLiteral("code")].toInt();
    }
    // The next notification of this method, told before or now.
    QJsonObject told(const QString& method) {
        for (qsizetype i = 0; i < m_told.size(); ++i)
            if (m_told[i][QStringLiteral("method")] == method)
                return m_told.takeAt(i)[QStringLiteral("params")].toObject();
        for (;;) {
            const QJsonObject message = next();
            if (message.isEmpty())
                return {};
            if (message[QStringLiteral("method")] == method)
                return message[QStringLiteral("params")].toObject();
            m_told.push_back(message);
        }
    }
    void forget() { m_told.clear(); }

    // Of the stream; empty: there was none in time.
    QJsonObject next() { return nextDocument().object(); }
    QJsonDocument nextDocument() {
        const QDeadlineTimer deadline(limit);
        for (;;) {
            // What came while we wrote lies there, and nothing waits for that.
            m_read += m_process.readAllStandardOutput();
            if (const std::optional<QByteArray> text = takeMessage())
                return QJsonDocument::fromJson(*text);
            if (deadline.hasExpired() ||
                (!m_process.waitForReadyRead(static_cast<int>(deadline.remainingTime())) &&
                 m_process.bytesAvailable() == 0))
                return {};
        }
    }

    // Input ends; the exit code.
    int end() {
        m_process.closeWriteChannel();
        return wait();
    }
    int wait() {
        if (m_process.state() != QProcess::NotRunning && !m_process.waitForFinished(limit))
            return -1;
        return m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -2;
    }

private:
    static constexpr int limit = 60000; // ms

    std::optional<QByteArray> takeMessage() {
        if (m_framing == Framing::Lines) {
            const qsizetype end = m_read.indexOf('\n');
            return end < 0 ? std::nullopt : std::optional(take(end + 1));
        }
        const qsizetype end = m_read.indexOf("\r\n\r\n");
        if (end < 0 || !m_read.startsWith("Content-Length: "))
            return std::nullopt;
        const qsizetype size = m_read.mid(16, m_read.indexOf('\r') - 16).toLongLong();
        if (m_read.size() < end + 4 + size)
            return std::nullopt;
        take(end + 4);
        return take(size);
    }
    QByteArray take(qsizetype size) {
        const QByteArray out = m_read.left(size);
        m_read.remove(0, size);
        return out;
    }

    QProcess m_process;
    Framing m_framing;
    QByteArray m_read;
    QList<QJsonObject> m_told;
    int m_lastId = 0;
};

} // namespace fw::tests
