#include "views/graph/picture_job.h"

#include <condition_variable>
#include <malloc.h>
#include <mutex>
#include <optional>

namespace fw::ui {

namespace {

constexpr std::size_t largePicture = 20000; // items

} // namespace

struct PictureJob::Request {
    std::uint64_t generation = 0;
    Maker diagram;
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
    start([diagram = std::move(diagram)] { return diagram; }, std::move(options));
}

void PictureJob::start(Maker diagram, picture::DrawOptions options) {
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

PictureJob::Drawn PictureJob::guarded(const Request& request) {
    try {
        FW_TRY(picture::Picture made,
               picture::draw(request.diagram(), request.options, request.cancel));
        return std::make_shared<const SceneIndex>(
            std::make_shared<const picture::Picture>(std::move(made)));
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
        const auto result = std::make_shared<const Drawn>(guarded(request));
        request.diagram = nullptr;
        if (*result && (**result)->shared()->items.size() >= largePicture)
            ::malloc_trim(0); // a layout takes more than the picture that is left of it
        // `self` outlives this thread: its destructor joins before QObject's runs, and drops queued
        // calls.
        QMetaObject::invokeMethod(
            self,
            [self, generation = request.generation, result] { self->deliver(generation, *result); },
            Qt::QueuedConnection);
    }
}

void PictureJob::deliver(std::uint64_t generation, const Drawn& drawn) {
    if (generation != m_generation)
        return;
    m_running = false;
    if (drawn)
        Q_EMIT finished((*drawn)->shared(), *drawn);
    else
        Q_EMIT failed(drawn.diag());
}

} // namespace fw::ui
