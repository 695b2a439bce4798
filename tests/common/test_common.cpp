// Selection across versions, the states of a view, the style sheet, rows.
#include "views/common/pane.h"
#include "views/common/selection.h"
#include "views/common/state_overlay.h"
#include "views/common/theme.h"

#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTableView>
#include <QTreeView>
#include <QtTest>

using namespace fw;
using namespace fw::ui;

class TestCommon : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void selectionMapsBetweenVersions();
    void selectionComesToRest();
    void overlayStates();
    void overlayBusyComesLate();
    void themeKnowsAllItsColours();
    void rowsArePainted();
};

void TestCommon::selectionMapsBetweenVersions() {
    Selection selection;
    int asked = 0;
    selection.setMapper([&](int from, const Ids& ids, int to) {
        ++asked;
        Ids out;
        for (const std::int64_t id : ids)
            for (int k = 0; k < 2; ++k)
                out.push_back(id * 10 + (from - to) * 100 + k);
        return out;
    });
    selection.select(1, {3, 2, 3}, nullptr);
    QCOMPARE(selection.ids(), (Ids{2, 3}));
    QCOMPARE(selection.ids(1), (Ids{2, 3}));
    QCOMPARE(selection.ids(0), (Ids{120, 121, 130, 131}));
    QCOMPARE(selection.ids(0), (Ids{120, 121, 130, 131}));
    QCOMPARE(asked, 1);
    selection.clear(nullptr);
    QVERIFY(selection.ids(0).empty());
    QCOMPARE(asked, 1);
}

void TestCommon::selectionComesToRest() {
    // Three views that answer every change by selecting what they show.
    Selection selection;
    selection.setMapper([](int, const Ids& ids, int) { return ids; });
    int changes = 0;
    std::vector<std::unique_ptr<QObject>> views;
    for (int version = 0; version < 3; ++version) {
        views.push_back(std::make_unique<QObject>());
        QObject* self = views.back().get();
        connect(&selection, &Selection::selectionChanged, self, [&, self](const QObject* origin) {
            ++changes;
            if (origin != self)
                selection.select(selection.version(), selection.ids(selection.version()), self);
        });
    }
    selection.select(1, {4, 5}, views[0].get());
    QCOMPARE(changes, 3);

    QSignalSpy hovered(&selection, &Selection::hovered);
    selection.hover(1, 4, nullptr);
    selection.hover(1, 4, nullptr);
    selection.hover(1, -1, nullptr);
    selection.hover(2, -1, nullptr);
    QCOMPARE(hovered.size(), 2);
    QSignalSpy activated(&selection, &Selection::activated);
    selection.activate(1, 4, nullptr);
    QCOMPARE(activated.size(), 1);
}

void TestCommon::overlayStates() {
    QWidget view;
    view.resize(400, 300);
    StateOverlay overlay(&view);
    view.show();
    QVERIFY(!overlay.isVisible());
    QSignalSpy action(&overlay, &StateOverlay::actionRequested);
    const auto button = [&](const QString& text) -> QPushButton* {
        for (QPushButton* b : overlay.findChildren<QPushButton*>())
            if (b->isVisible() && b->text() == text)
                return b;
        return nullptr;
    };
    overlay.setEmpty(QStringLiteral("No model"), QStringLiteral("Open one"),
                     QStringLiteral("Open"));
    QVERIFY(overlay.isVisible());
    QCOMPARE(overlay.state(), ViewState::Empty);
    QCOMPARE(overlay.geometry(), view.rect());
    QVERIFY(button(QStringLiteral("Open")));
    button(QStringLiteral("Open"))->click();
    QCOMPARE(action.size(), 1);
    overlay.setStale(QStringLiteral("The target changed"), QStringLiteral("Run again"));
    QVERIFY(overlay.height() < 60); // a ribbon: the view below can be used
    QCOMPARE(overlay.text(), QStringLiteral("The target changed"));
    button(QStringLiteral("Run again"))->click();
    QCOMPARE(action.size(), 2);
    overlay.setError(QStringLiteral("<b>conv</b> failed"), QStringLiteral("node Conv_3"));
    QCOMPARE(overlay.text(), QStringLiteral("<b>conv</b> failed\nnode Conv_3"));
    for (const QLabel* label : overlay.findChildren<QLabel*>())
        QCOMPARE(label->textFormat(), Qt::PlainText);
    view.resize(500, 400);
    QCOMPARE(overlay.geometry(), view.rect());
    overlay.setReady();
    QVERIFY(!overlay.isVisible());
}

void TestCommon::overlayBusyComesLate() {
    QWidget view;
    view.resize(400, 300);
    StateOverlay overlay(&view);
    view.show();
    overlay.setBusy(QStringLiteral("Layout"));
    QVERIFY(!overlay.isVisible());
    overlay.setReady();
    QTest::qWait(StateOverlay::busyDelay + 100);
    QVERIFY(!overlay.isVisible()); // it was quick: nobody saw it
    overlay.setBusy(QStringLiteral("Layout"), 10);
    overlay.setBusy(QStringLiteral("Layout"), 60);
    QTRY_VERIFY(overlay.isVisible());
    QSignalSpy cancel(&overlay, &StateOverlay::cancelRequested);
    for (QPushButton* b : overlay.findChildren<QPushButton*>())
        if (b->isVisible())
            b->click();
    QCOMPARE(cancel.size(), 1);
}

void TestCommon::themeKnowsAllItsColours() {
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
        const QString sheet = Theme::styleSheet(kind);
        QVERIFY(!sheet.contains(QLatin1Char('@')));
        QVERIFY(!sheet.contains(QStringLiteral(": ;")) &&
                !sheet.contains(QStringLiteral("solid ;")));
        QSignalSpy changed(&Theme::instance(), &Theme::changed);
        Theme::instance().apply(kind);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(QApplication::palette().color(QPalette::Base),
                 Theme::instance().colour(Colour::Pane));
        QCOMPARE(Theme::systemKind(), kind);
    }
    Theme::instance().apply(ThemeKind::Light);
}

void TestCommon::rowsArePainted() {
    QStandardItemModel model(2, 3);
    for (int row = 0; row < 2; ++row) {
        model.setItem(row, 0, new QStandardItem(QStringLiteral("conv2d_bias_relu_3")));
        model.item(row, 0)->setData(static_cast<int>(picture::Implementation::OneDnn),
                                    ImplementationRole);
        model.setItem(row, 1, new QStandardItem);
        model.item(row, 1)->setData(row == 0 ? 1.0 : 0.25, ShareRole);
        model.setItem(row, 2, new QStandardItem(QStringLiteral("refused")));
        model.item(row, 2)->setData(static_cast<int>(Tone::Bad), ToneRole);
    }
    QTableView table;
    prepare(&table);
    table.setModel(&model);
    table.resize(500, 120);
    table.show();
    const QImage image = table.viewport()->grab().toImage();
    const auto bar = Theme::instance().colour(Colour::Bar);
    int widths[2] = {0, 0};
    for (int row = 0; row < 2; ++row) {
        const QRect cell = table.visualRect(model.index(row, 1));
        for (int x = cell.left(); x <= cell.right(); ++x)
            widths[row] += image.pixelColor(x, cell.center().y()) == bar ? 1 : 0;
    }
    QVERIFY(widths[1] > 10);
    QVERIFY(std::abs(widths[0] - 4 * widths[1]) < 12);
    QTreeView tree;
    prepare(&tree);
    tree.setModel(&model);
    QVERIFY(!tree.grab().isNull());
    PaneHeader header(QStringLiteral("Outline"));
    header.setDetail(QStringLiteral("155 ops"));
    QCOMPARE(header.detail(), QStringLiteral("155 ops"));
}

QTEST_MAIN(TestCommon)
#include "test_common.moc"
