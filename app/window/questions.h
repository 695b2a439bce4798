// What a document asks the worker: answers are read in the background, of questions of one kind the
// latest wins, and all that is pending can be stopped.
//
// Owns what is in flight; who asks gets every answer once.
#pragma once

#include "app/window/kept_parts.h"
#include "app/window/worker_client.h"
#include "snapshot/worker_commands.h"
#include "views/common/background.h"
#include "views/common/in_flight.h"

#include <malloc.h>

#include <set>

namespace fw::ui {

class Questions : public QObject {
    Q_OBJECT

public:
    using Arguments = snapshot::Arguments;
    using By = WorkerClient::By;

    explicit Questions(WorkerClient& worker, QObject* parent = nullptr) // lives longer
        : QObject(parent), m_worker(worker) {}

    // `done` gets the document, or why there is none.
    template <class T, class Done>
    std::int64_t send(const Arguments& arguments, Done done, By by = By::First);
    // What was asked before is cancelled, and its answer goes to `always` only, which gets every
    // one.
    template <class T, class Done>
    void sendLatest(InFlight& latest, const Arguments& arguments, Done done, By by = By::First,
                    std::function<void(const Answer<T>&)> always = {});
    template <class Work, class Done>
    void compute(Work work, Done done); // without the worker
    void cancel(std::int64_t id) { m_worker.cancel(id); }
    void cancel(InFlight& request);
    void stop(); // all that is pending
    bool idle() const { return m_busy == 0; }

Q_SIGNALS:
    void idleChanged();

private:
    void changeBusy(int by);

    static constexpr std::size_t largeAnswer = 1u << 20;

    WorkerClient& m_worker;
    std::set<std::int64_t> m_inFlight;
    int m_busy = 0;
};

template <class T>
auto orNull(Then<T> done) {
    return [done = std::move(done)](Answer<T> answer) { done(answer ? answer.take() : nullptr); };
}

template <class Work, class Done>
void Questions::compute(Work work, Done done) {
    changeBusy(+1);
    inBackground(this, std::move(work), [this, done](auto result) {
        done(std::move(result));
        changeBusy(-1);
    });
}

template <class T, class Done>
std::int64_t Questions::send(const Arguments& arguments, Done done, By by) {
    static_assert(snapshot::commandOf<T> != nullptr);
    changeBusy(+1);
    const auto token = std::make_shared<std::int64_t>(0);
    *token = m_worker.request(
        snapshot::commandOf<T>, arguments,
        [this, done, token](Result<snapshot::Pieces> text) {
            m_inFlight.erase(*token);
            if (!text) {
                done(Answer<T>(text.takeDiag()));
                changeBusy(-1);
                return;
            }
            inBackground(
                this,
                [text = std::make_shared<snapshot::Pieces>(text.take())]() -> Answer<T> {
                    std::size_t size = 0;
                    for (const std::string& piece : *text)
                        size += piece.size();
                    auto document = snapshot::fromJson<T>(std::move(*text));
                    if (size >= largeAnswer)
                        ::malloc_trim(0); // the text took as much as the document that is kept
                    if (!document)
                        return document.takeDiag();
                    return std::make_shared<const T>(document.take());
                },
                [this, done](Answer<T> answer) {
                    done(std::move(answer));
                    changeBusy(-1);
                });
        },
        by);
    // A question of the machine, not of the model, goes on when that is stopped.
    if (!std::is_same_v<T, snapshot::DoctorDocument>)
        m_inFlight.insert(*token);
    return *token;
}

template <class T, class Done>
void Questions::sendLatest(InFlight& latest, const Arguments& arguments, Done done, By by,
                           std::function<void(const Answer<T>&)> always) {
    const std::int64_t earlier = latest.end();
    const std::weak_ptr<InFlight::Request> request = latest.begin();
    const std::int64_t id = send<T>(
        arguments,
        [request, done, always](Answer<T> answer) {
            if (always)
                always(answer);
            const auto mine = request.lock();
            if (!mine)
                return; // another one was asked, or nobody waits for it
            *mine = 0;
            done(std::move(answer));
        },
        by);
    *request.lock() = id;
    if (earlier)
        cancel(earlier);
}

} // namespace fw::ui
