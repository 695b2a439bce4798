// PictureJob: lays a diagram out in a thread of its own and delivers the picture to the GUI thread.
// The latest request wins: an older one is cancelled, and its result, should it still come, is
// dropped.
#pragma once

#include "picture/picture.h"

#include <QObject>

#include <memory>
#include <thread>

namespace fw::ui {

class PictureJob : public QObject {
    Q_OBJECT

public:
    explicit PictureJob(QObject* parent = nullptr);
    ~PictureJob() override; // cancels and waits; a layout ends within milliseconds of that

    void start(picture::Diagram diagram, picture::DrawOptions options = {});
    void cancel(); // nothing is delivered any more
    bool running() const { return m_running; }

Q_SIGNALS:
    void started();
    void finished(std::shared_ptr<const fw::picture::Picture> picture);
    void failed(const fw::Diag& diag); // never for a cancelled one

private:
    struct Request;
    struct Shared;

    void deliver(std::uint64_t generation, std::shared_ptr<Result<picture::Picture>> result);
    static Result<picture::Picture> guarded(const Request& request);
    static void work(PictureJob* self, std::shared_ptr<Shared> shared);

    std::shared_ptr<Shared> m_shared;
    std::thread m_thread;
    std::uint64_t m_generation = 0;
    bool m_running = false;
    CancelToken m_cancel;
};

} // namespace fw::ui
