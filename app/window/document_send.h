// How a document asks the worker: for the files that implement it.
#pragma once

#include "app/window/document.h"
#include "snapshot/worker_commands.h"
#include "views/common/background.h"

#include <malloc.h>

namespace fw::ui {

constexpr std::size_t largeAnswer = 1u << 20;

// `done` gets the document, read in the background, or why there is none. Always called once.
template <class T, class Done>
std::int64_t Document::send(const snapshot::Arguments& arguments, Done done, WorkerClient::By by) {
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

// The latest wins: what was asked before is cancelled, and its answer goes to `always` only, which
// gets every one.
template <class T, class Done>
void Document::sendLatest(InFlight& latest, const snapshot::Arguments& arguments, Done done,
                          WorkerClient::By by, std::function<void(const Answer<T>&)> always) {
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
        m_worker.cancel(earlier);
}

// What is answered to an earlier plan is dropped.
template <class T, class Done>
auto Document::ofThisPlan(Done done) const {
    return [this, done, generation = m_planGeneration](Answer<T> answer) {
        if (generation == m_planGeneration)
            done(std::move(answer));
    };
}

// Why there is no answer is told elsewhere, or not worth a word.
template <class T>
auto Document::keptAs(Part part, Shared<T>& slot) {
    return [this, part, &slot](Answer<T> answer) {
        if (!answer)
            return;
        slot = answer.take();
        tell(part);
    };
}

template <class T>
auto Document::orProblem(Then<T> done) {
    return [this, done = std::move(done)](Answer<T> answer) {
        if (answer)
            done(answer.take());
        else
            Q_EMIT problem(answer.diag());
    };
}

template <class T>
auto Document::orNull(Then<T> done) {
    return [done = std::move(done)](Answer<T> answer) { done(answer ? answer.take() : nullptr); };
}

} // namespace fw::ui
