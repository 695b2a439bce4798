// What boxes and edges say, switched by keys.
#include "common/test.h"
#include "window/story_fixture.h"

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestBoxFacts : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"lenet"_s, u"encoder"_s}); }
    void init() { start(); }
    void cleanup() { end(); }
    void eachHasAKey_data();
    void eachHasAKey();
    void edgesAreToldApart();
    void theNextWindowHasThem();

private:
    // All texts of the picture, in one.
    QString texts() const {
        QString out;
        const auto* canvas = m_window->view<GraphsView>()->pane(GraphSide::Imported)->canvas();
        for (const picture::Item& item : canvas->picture()->items)
            if (const auto* text = std::get_if<picture::TextItem>(&item))
                out += QString::fromUtf8(text->text.data(), qsizetype(text->text.size())) + u'\n';
        return out;
    }
    double widest() const {
        double out = 0;
        const auto* canvas = m_window->view<GraphsView>()->pane(GraphSide::Imported)->canvas();
        for (const picture::Item& item : canvas->picture()->items)
            if (const auto* path = std::get_if<picture::PathItem>(&item))
                out = std::max(out, double(path->width));
        return out;
    }
};

void TestBoxFacts::eachHasAKey_data() {
    QTest::addColumn<QString>("keys");
    QTest::addColumn<QString>("part"); // that stands in the picture with it, or without it
    QTest::addColumn<bool>("atFirst");
    QTest::newRow("names") << u"Ctrl+Alt+Shift+1"_s << u"Conv_conv1"_s << true;
    QTest::newRow("attributes") << u"Ctrl+Alt+Shift+2"_s << u"pads = "_s << false;
    QTest::newRow("weights") << u"Ctrl+Alt+Shift+3"_s << u"const "_s << false;
    QTest::newRow("bytes") << u"Ctrl+Alt+Shift+4"_s << QString() << false;
}

void TestBoxFacts::eachHasAKey() {
    QFETCH(const QString, keys);
    QFETCH(const QString, part);
    QFETCH(const bool, atFirst);
    open(u"lenet"_s);
    const double before = widest();
    const auto isThere = [&] {
        return part.isEmpty() ? widest() > before : texts().contains(part);
    };
    QCOMPARE(isThere(), atFirst);
    press(keys);
    waitIdle();
    QTRY_COMPARE(isThere(), !atFirst);
    picture(u"boxes-"_s + QString::fromLatin1(QTest::currentDataTag()));
    press(u"Ctrl+Alt+Q"_s); // in one layout, too
    waitIdle();
    QTRY_COMPARE(isThere(), !atFirst);
    press(keys);
    waitIdle();
    QTRY_COMPARE(isThere(), atFirst);
}

void TestBoxFacts::edgesAreToldApart() {
    open(u"encoder"_s);
    const auto* canvas = m_window->view<GraphsView>()->pane(GraphSide::Imported)->canvas();
    const auto residual = [&] {
        int out = 0;
        for (const picture::Item& item : canvas->picture()->items)
            if (const auto* path = std::get_if<picture::PathItem>(&item))
                out += path->colour == Colour::Residual;
        return out;
    };
    QCOMPARE(residual(), 0);
    const double height = canvas->freeRect().height();
    press(u"Ctrl+Alt+Shift+5"_s);
    waitIdle();
    QTRY_VERIFY(residual() > 0);
    QVERIFY(canvas->picture()->edgeKinds.contains(picture::EdgeKind::Residual));
    QVERIFY(canvas->freeRect().height() < height); // a legend says which is which
    picture(u"edges-by-class"_s);
    press(u"Ctrl+Alt+Q"_s); // in one layout, too
    waitIdle();
    QTRY_VERIFY(residual() > 0);
    press(u"Ctrl+Alt+Shift+5"_s);
    waitIdle();
    QTRY_COMPARE(residual(), 0);
}

void TestBoxFacts::theNextWindowHasThem() {
    open(u"lenet"_s);
    press(u"Ctrl+Alt+Shift+1"_s);
    press(u"Ctrl+Alt+Shift+2"_s);
    waitIdle();
    QVERIFY(m_window->close());
    end();
    start();
    open(u"lenet"_s);
    QTRY_VERIFY(texts().contains(u"pads = "_s));
    QVERIFY(!texts().contains(u"Conv_conv1"_s));
    for (const QAction* action : m_window->findChildren<QAction*>())
        if (action->text() == u"&Attributes in boxes"_s)
            QVERIFY(action->isChecked());
    press(u"Ctrl+Alt+Shift+1"_s); // as others find it
    press(u"Ctrl+Alt+Shift+2"_s);
    QVERIFY(m_window->close());
}

FW_TEST(TestBoxFacts, QApplication)
#include "test_box_facts.moc"
