#include "app/window/worker_client.h"

#include <QCoreApplication>
#include <QDir>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

// They compile, run or measure: seconds to minutes.
constexpr std::string_view tasks[] = {"run",    "profile", "tune",  "verify",
                                      "export", "bench",   "value", "bisect"};
// They are asked while somebody looks or types, and change nothing.
constexpr std::string_view questions[] = {"explain", "match",   "stages", "schedule",
                                          "check",   "assist",  "book",   "format",
                                          "sketch",  "drawing", "probe",  "uses"};

constexpr int restMs = 60000;

} // namespace

WorkerClient::WorkerClient(QString program, QObject* parent)
    : QObject(parent), m_program(std::move(program)), m_first(m_program) {
    connect(&m_first, &WorkerProcess::stateChanged, this, &WorkerClient::stateChanged);
    connect(&m_first, &WorkerProcess::progressed, this, &WorkerClient::progressed);
    connect(&m_first, &WorkerProcess::logged, this, &WorkerClient::logged);
    connect(&m_first, &WorkerProcess::finished, this, &WorkerClient::finished);
    connect(&m_first, &WorkerProcess::died, this, [this](const Diag& diag) {
        m_secondDied = false;
        Q_EMIT died(diag);
    });
    m_rest.setSingleShot(true);
    m_rest.setInterval(restMs);
    connect(&m_rest, &QTimer::timeout, this, [this] { m_second->retire(); });
}

WorkerClient::~WorkerClient() = default;

QString WorkerClient::defaultProgram() {
    const QString fromEnvironment = qEnvironmentVariable("FW_WORKER");
    if (!fromEnvironment.isEmpty())
        return fromEnvironment;
    return QDir(QCoreApplication::applicationDirPath()).filePath(u"fw"_s);
}

std::int64_t WorkerClient::request(const std::string& command, const snapshot::Arguments& arguments,
                                   Handler handler, By by) {
    const std::int64_t id = m_nextId++;
    snapshot::Request request{id, command, arguments};
    const bool question =
        std::find(std::begin(questions), std::end(questions), command) != std::end(questions);
    if (by == By::Second || (question && m_first.isAskedFor(tasks))) {
        m_asked.emplace(id, Asked{std::move(request), std::move(handler)});
        askSecond(id);
    } else {
        m_first.request(std::move(request), std::move(handler));
    }
    return id;
}

void WorkerClient::cancel(std::int64_t id) {
    const auto found = m_asked.find(id);
    if (found == m_asked.end())
        return m_first.cancel(id);
    found->second.cancelled = true;
    m_second->cancel(id);
}

void WorkerClient::setCancelGrace(int milliseconds) {
    m_grace = milliseconds;
    m_first.setCancelGrace(milliseconds);
    if (m_second)
        m_second->setCancelGrace(milliseconds);
}

WorkerProcess& WorkerClient::second() {
    if (!m_second) {
        m_second = std::make_unique<WorkerProcess>(m_program, m_first.leftOut());
        connect(m_second.get(), &WorkerProcess::logged, this, &WorkerClient::logged);
        connect(m_second.get(), &WorkerProcess::died, this, &WorkerClient::secondDied);
        if (m_grace)
            m_second->setCancelGrace(*m_grace);
    }
    return *m_second;
}

void WorkerClient::askSecond(std::int64_t id) {
    m_rest.stop();
    second().request(m_asked.at(id).request, [this, id](Result<snapshot::Pieces> answer) {
        secondAnswered(id, std::move(answer));
    });
}

void WorkerClient::secondAnswered(std::int64_t id, Result<snapshot::Pieces> answer) {
    const auto found = m_asked.find(id);
    Asked& asked = found->second;
    const bool lost = !answer && (answer.diag().code == DiagCode::WorkerDied ||
                                  answer.diag().code == DiagCode::Cancelled);
    if (lost && !asked.cancelled) {
        asked.lives -= m_second->diedIn() == id ? 2 : 1;
        if (asked.lives > 0)
            return askSecond(id);
    }
    const Handler handler = std::move(asked.handler);
    m_asked.erase(found);
    if (m_asked.empty())
        m_rest.start();
    if (handler)
        handler(std::move(answer));
    Q_EMIT finished(id);
}

void WorkerClient::secondDied(Diag diag) {
    m_secondDied = true;
    if (diag.code == DiagCode::WorkerDied && m_asked.contains(m_second->diedIn())) {
        diag.severity = Severity::Warning;
        diag.hint = "it is asked again";
    }
    Q_EMIT died(diag);
}

} // namespace fw::ui
