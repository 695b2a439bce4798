// Two fingers on a graph, on a touch pad and on a screen.
#include "common/test.h"
#include "picture/diagrams.h"
#include "views/graph/canvas.h"

#include <QApplication>
#include <QNativeGestureEvent>
#include <QPointingDevice>

#include <tuple>

using namespace fw;
using namespace fw::ui;

class TestGestures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { m_canvas.reset(); }
    void fingersZoom();

private:
    std::unique_ptr<GraphCanvas> m_canvas;
};

void TestGestures::fingersZoom() {
    m_canvas = std::make_unique<GraphCanvas>();
    m_canvas->resize(700, 900);
    m_canvas->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_canvas.get()));
    picture::DrawOptions options;
    options.engine = picture::EngineChoice::Layered;
    m_canvas->setPicture(std::make_shared<const picture::Picture>(
        picture::draw(picture::residualBlock(), options).take()));
    m_canvas->setScale(1);
    const QPointF at(250, 333);
    const picture::Point before = m_canvas->toScene(at);
    const auto stays = [&] {
        const picture::Point after = m_canvas->toScene(at);
        return std::abs(before.x - after.x) * m_canvas->scale() <= 1 &&
               std::abs(before.y - after.y) * m_canvas->scale() <= 1;
    };
    const auto pad = [&](Qt::NativeGestureType type, double value) {
        const QPointF global = m_canvas->viewport()->mapToGlobal(at);
        QNativeGestureEvent event(type, QPointingDevice::primaryPointingDevice(), 2, at, at, global,
                                  value, {});
        QCoreApplication::sendEvent(m_canvas->viewport(), &event);
    };
    pad(Qt::ZoomNativeGesture, 0.25);
    QCOMPARE(m_canvas->scale(), 1.25);
    QVERIFY(stays());
    pad(Qt::ZoomNativeGesture, -0.2);
    QCOMPARE(m_canvas->scale(), 1.0);
    pad(Qt::RotateNativeGesture, 0.5);
    QCOMPARE(m_canvas->scale(), 1.0);
    // On a screen.
    QPointingDevice* screen = QTest::createTouchDevice();
    QWidget* on = m_canvas->viewport();
    const auto fingers = [&](int apart) {
        return std::pair(QPoint(250 - apart, 333), QPoint(250 + apart, 333));
    };
    auto [left, right] = fingers(30);
    QTest::touchEvent(on, screen).press(0, left, on).press(1, right, on);
    for (int apart = 35; apart <= 90; apart += 5) {
        std::tie(left, right) = fingers(apart);
        QTest::touchEvent(on, screen).move(0, left, on).move(1, right, on);
    }
    QTest::touchEvent(on, screen).release(0, left, on).release(1, right, on);
    QVERIFY2(m_canvas->scale() > 1.5, qPrintable(QString::number(m_canvas->scale())));
}

FW_TEST(TestGestures, QApplication)
#include "test_gestures.moc"
