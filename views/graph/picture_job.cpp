#include "views/graph/picture_job.h"

#include <condition_variable>
#include <mutex>
#include <optional>

namespace fw::ui {

struct PictureJob::Request {
    std::uint64_t generation = 0;
    picture::Diagram diagram;
    picture::DrawOptions options;
    CancelToken cancel;
};

struct PictureJob::Shared {
    std::mutex mutex;
    std::condition_variable wake;
    std::optional<Request> next; // the latest only
    bool quit = false;
};

PictureJob::PictureJob(QObject* parent)
    : QObject(parent), m_shared(std::make_shared<Shared>()),
      m_thread([this, shared = m_shared] { work(this, shared); }) {}

PictureJob::~PictureJob() {
    m_cancel.cancel();
    {
        const std::lock_guard lock(m_shared->mutex);
        m_shared->quit = true;
        m_shared->next.reset();
    }
    m_shared->wake.notify_one();
    m_thread.join();
}

void PictureJob::start(picture::Diagram diagram, picture::DrawOptions options) {
    m_cancel.cancel();
    m_cancel = CancelToken();
    m_running = true;
    {
        const std::lock_guard lock(m_shared->mutex);
        m_shared->next = Request{++m_generation, std::move(diagram), std::move(options), m_cancel};
    }
    m_shared->wake.notify_one();
    Q_EMIT started();
}

void PictureJob::cancel() {
    m_cancel.cancel();
    ++m_generation;
    m_running = false;
    const std::lock_guard lock(m_shared->mutex);
    m_shared->next.reset();
}

Result<picture::Picture> PictureJob::guarded(const Request& request) {
    try {
        return picture::draw(request.diagram, request.options, request.cancel);
    } catch (const std::exception& error) { // a defect here must not end the window
        return makeDiag(DiagCode::Internal, error.what());
    }
}

void PictureJob::work(PictureJob* self, std::shared_ptr<Shared> shared) {
    for (;;) {
        Request request;
        {
            std::unique_lock lock(shared->mutex);
            shared->wake.wait(lock, [&] { return shared->quit || shared->next; });
            if (shared->quit)
                return;
            request = std::move(*shared->next);
            shared->next.reset();
        }
        auto result = std::make_shared<Result<picture::Picture>>(guarded(request));
        // `self` outlives this thread: its destructor joins before QObject's runs, and drops queued
        // calls.
        QMetaObject::invokeMethod(
            self,
            [self, generation = request.generation, result] { self->deliver(generation, result); },
            Qt::QueuedConnection);
    }
}

void PictureJob::deliver(std::uint64_t generation,
                         std::shared_ptr<Result<picture::Picture>> result) {
    if (generation != m_generation)
        return;
    m_running = false;
    if (result->ok())
        Q_EMIT finished(std::make_shared<const picture::Picture>(result->take()));
    else
        Q_EMIT failed(result->diag());
}

} // namespace fw::ui
