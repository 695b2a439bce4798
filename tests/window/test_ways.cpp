// Where a value gets out of what would be one group: drawn in the fused graph as long as that pair
// is what is explained.
#include "common/test.h"
#include "views/explain/explain_view.h"
#include "window/story_fixture.h"

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestWays : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void wayOutIsDrawn();

private:
    std::vector<QString> wayShown() const {
        std::vector<QString> out;
        const auto fused = m_window->document().fused();
        for (const Halo& halo :
             m_window->view<GraphsView>()->pane(GraphSide::Fused)->canvas()->halos())
            if (halo.look == Halo::Look::Way)
                for (const std::int64_t id : halo.ids)
                    for (const auto& node : fused->nodes)
                        if (node.id == id)
                            out.push_back(QString::fromStdString(node.name));
        return out;
    }
};

void TestWays::wayOutIsDrawn() {
    begin({});
    QFile model(m_folder.filePath(u"ways.fw"_s));
    QVERIFY(model.open(QIODevice::WriteOnly));
    model.write("graph ways(x: f32[4, 32]) -> y {\n"
                "  w = const random(1) : f32[32, 32]\n"
                "  d = dense(x, w)\n"
                "  s = softmax(d) {axis = 1}\n"
                "  y = add(d, s)\n"
                "}\n");
    model.close();
    start();
    open(u"ways.fw"_s);
    QVERIFY(m_window->selectByNames({u"dense"_s, u"add"_s}));
    waitIdle();
    const QString explained = m_window->view<ExplainView>()->asText();
    QCOMPARE(wayShown(), (std::vector<QString>{u"dense"_s, u"softmax"_s, u"add"_s}));
    QVERIFY2(explained.contains(u"dense → softmax → add"_s), qPrintable(explained));
    picture(u"way_out"_s);
    QVERIFY(m_window->selectByNames({u"softmax"_s}));
    waitIdle();
    QVERIFY(wayShown().empty());
    end();
}

FW_TEST(TestWays, QApplication)
#include "test_ways.moc"
