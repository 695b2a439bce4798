// PictureJob: makes a diagram, lays it out and indexes it in a thread of its own and delivers the
// picture to the GUI thread. The latest request wins: an older one is cancelled, and its result,
// should it still come, is dropped.
#pragma once

#include "picture/picture.h"
#include "views/graph/scene_index.h"

#include <QObject>

#include <functional>
#include <memory>
#include <thread>

namespace fw::ui {

class PictureJob : public QObject {
    Q_OBJECT

public:
    explicit PictureJob(QObject* parent = nullptr);
    ~PictureJob() override; // cancels and waits; a layout ends within milliseconds of that

    void start(picture::Diagram diagram, picture::DrawOptions options = {});
    using Maker = std::function<picture::Diagram()>; // called in the other thread
    void start(Maker diagram, picture::DrawOptions options = {});
    void cancel(); // nothing is delivered any more
    bool running() const { return m_running; }

Q_SIGNALS:
    void started();
    void finished(std::shared_ptr<const fw::picture::Picture> picture,
                  std::shared_ptr<const fw::ui::SceneIndex> index);
    void failed(const fw::Diag& diag); // never for a cancelled one

private:
    struct Request;
    struct Shared;

    using Drawn = Result<std::shared_ptr<const SceneIndex>>; // with its picture

    void deliver(std::uint64_t generation, const Drawn& drawn);
    static Drawn guarded(const Request& request);
    static void work(PictureJob* self, std::shared_ptr<Shared> shared);

    std::shared_ptr<Shared> m_shared;
    std::thread m_thread;
    std::uint64_t m_generation = 0;
    bool m_running = false;
    CancelToken m_cancel;
};

} // namespace fw::ui
