// Two fingers, on a touch pad or on a screen: the point between them stays where it is.
#include "views/graph/canvas.h"

#include <QGestureEvent>
#include <QNativeGestureEvent>
#include <QPinchGesture>

namespace fw::ui {

void GraphCanvas::takeGestures() {
    viewport()->grabGesture(Qt::PinchGesture);
}

// Touch pads tell what it changes by, screens the factor since the last time.
bool GraphCanvas::gesture(QEvent* event) {
    if (event->type() == QEvent::NativeGesture) {
        const auto* native = static_cast<const QNativeGestureEvent*>(event);
        if (native->gestureType() != Qt::ZoomNativeGesture)
            return false;
        zoomAround(native->position(), m_scale * std::max(0.1, 1 + native->value()));
        return true;
    }
    if (event->type() != QEvent::Gesture)
        return false;
    auto* all = static_cast<QGestureEvent*>(event);
    const auto* pinch = static_cast<const QPinchGesture*>(all->gesture(Qt::PinchGesture));
    if (pinch == nullptr)
        return false;
    all->accept(Qt::PinchGesture);
    if (pinch->changeFlags() & QPinchGesture::ScaleFactorChanged)
        zoomAround(viewport()->mapFromGlobal(pinch->centerPoint()), m_scale * pinch->scaleFactor());
    return true;
}

} // namespace fw::ui
