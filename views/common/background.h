// Runs work in the thread pool and hands its value back in the GUI thread, unless the receiver is
// gone.
#pragma once

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <memory>
#include <utility>

namespace fw::ui {

template <class Work, class Then>
void inBackground(QObject* receiver, Work work, Then then) {
    QPointer<QObject> guard(receiver);
    QThreadPool::globalInstance()->start([guard, work = std::move(work), then = std::move(then)] {
        using Value = decltype(work());
        auto value = std::make_shared<Value>(work());
        // Posted to the application, which outlives the pool; the receiver may not.
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [guard, value, then] {
                if (guard)
                    then(std::move(*value));
            },
            Qt::QueuedConnection);
    });
}

} // namespace fw::ui
