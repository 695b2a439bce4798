// The legend below a graph, in narrow panes and in wide ones.
#include "common/test.h"
#include "views/graph/legend.h"

#include <QApplication>
#include <QImage>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestLegend : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void takesTheLinesItNeeds();

private:
    // Right of this column nothing is painted but the ground and the line above it.
    static int widest(const Legend& legend, int width) {
        QImage image(width, int(legendHeight(legend, width)), QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        paintLegend(painter, image.rect(), legend, ThemeKind::Light);
        painter.end();
        for (int x = width - 1; x >= 0; --x)
            for (int y = 4; y < image.height(); ++y)
                if (image.pixel(x, y) != image.pixel(0, image.height() - 1))
                    return x;
        return -1;
    }
};

void TestLegend::takesTheLinesItNeeds() {
    QCOMPARE(legendHeight({}, 300), 0.0);
    Legend legend;
    legend.heatMost = u"time per operation: 863 ps per FLOP (log)"_s;
    legend.makers = {{picture::Maker::Generated, {}}, {picture::Maker::Library, "onednn"}};
    legend.edges = {picture::EdgeKind::Data, picture::EdgeKind::Shape, picture::EdgeKind::Residual};
    const double one = legendHeight(legend, 2000);
    QVERIFY(legendHeight(legend, 600) > one);
    QVERIFY(legendHeight(legend, 380) > legendHeight(legend, 600));
    for (const int width : {2000, 600, 380}) // whole words, within the view
        QVERIFY2(widest(legend, width) < width - 8, qPrintable(QString::number(width)));
}

FW_TEST(TestLegend, QApplication)
#include "test_legend.moc"
