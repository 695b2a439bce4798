// How a document asks the worker: for the files that implement it.
#pragma once

#include "app/window/document.h"
#include "views/common/background.h"

#include <malloc.h>

namespace fw::ui {

constexpr std::size_t largeAnswer = 1u << 20;

// `done` gets the document, read in the background, or why there is none. Always called once.
template <class T, class Done>
std::int64_t Document::send(const std::string& command, const snapshot::Arguments& arguments,
                            Done done, WorkerClient::By by) {
    using Answer = Result<std::shared_ptr<const T>>;
    changeBusy(+1);
    const auto token = std::make_shared<std::int64_t>(0);
    *token = m_worker.request(
        command, arguments,
        [this, done, token](Result<snapshot::Pieces> text) {
            m_inFlight.erase(*token);
            if (!text) {
                done(Answer(text.takeDiag()));
                changeBusy(-1);
                return;
            }
            inBackground(
                this,
                [text = std::make_shared<snapshot::Pieces>(text.take())]() -> Answer {
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
                [this, done](Answer answer) {
                    done(std::move(answer));
                    changeBusy(-1);
                });
        },
        by);
    if (command != "doctor") // belongs to the machine, not to the model
        m_inFlight.insert(*token);
    return *token;
}

} // namespace fw::ui
