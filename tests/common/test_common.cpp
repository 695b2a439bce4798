// The states of a view, the style sheet, rows.
#include "common/test.h"
#include "views/common/elided_label.h"
#include "views/common/elided_name.h"
#include "views/common/elided_words.h"
#include "views/common/pane.h"
#include "views/common/state_overlay.h"
#include "views/common/theme.h"
#include "views/common/tool_tip.h"

#include <QApplication>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTableView>
#include <QTreeView>

using namespace fw;
using namespace fw::ui;

class TestCommon : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void overlayStates();
    void overlayBusyComesLate();
    void themeKnowsAllItsColours();
    void rowsArePainted();
    void longLinesGiveWay();
    void namesKeepWhatTellsThemApart();
    void wordsGiveWayNumbersStay();
    void narrowRowsAreToldApart();
    void codeIsBrokenAtBlanks();
};

void TestCommon::longLinesGiveWay() {
    ElidedLabel label;
    const QString text = QStringLiteral("pooled: <b>2</b> matches, 1 near miss, 81.6 µs");
    label.setFullText(text);
    label.show();
    label.resize(label.sizeHint());
    QCOMPARE(label.text(), text);
    QVERIFY(label.toolTip().isEmpty());
    QVERIFY(label.minimumSizeHint().width() < 60);
    label.resize(90, 20);
    QVERIFY(label.text().endsWith(QStringLiteral("…")) && label.text().size() < text.size());
    QVERIFY(label.toolTip().contains(QStringLiteral("&lt;b&gt;"))); // no markup
    QCOMPARE(label.fullText(), text);
    QCOMPARE(label.textFormat(), Qt::PlainText);
}

void TestCommon::namesKeepWhatTellsThemApart() {
    const QFontMetrics metrics(Theme::textFont());
    const auto elided = [&](const QStringList& list, const QString& like) {
        SharedParts shared;
        for (const QString& other : list)
            shared.compare(list[0], other);
        const int width = metrics.horizontalAdvance(like);
        const QString out = elidedName(list[0], shared, metrics, width);
        return metrics.horizontalAdvance(out) <= width ? out : QStringLiteral("too wide: ") + out;
    };
    const QString one = QStringLiteral("conv2d_bias_relu_12");
    const QStringList list{one, QStringLiteral("conv2d_bias_relu_17"),
                           QStringLiteral("conv2d_bias_relu_1"), QStringLiteral("dense_bias_12"),
                           QStringLiteral("softmax_3")};
    QCOMPARE(elided(list, one), one);
    QCOMPARE(elided(list, QStringLiteral("conv2d_b…12")), QStringLiteral("conv2d_b…12"));
    QCOMPARE(elided({list[1], list[0], list[2]}, QStringLiteral("conv2d_b…17")),
             QStringLiteral("conv2d_b…17"));
    QCOMPARE(elided({list[2], list[0], list[1]}, QStringLiteral("conv2…1")),
             QStringLiteral("conv2…1"));
    QCOMPARE(elided(list, QStringLiteral("…12")), QStringLiteral("…12"));
    // In the middle, and at the end.
    const QStringList norms{QStringLiteral("BatchNormalization_depth0_bn"),
                            QStringLiteral("BatchNormalization_depth1_bn"),
                            QStringLiteral("BatchNormalization_stem_bn")};
    QCOMPARE(elided(norms, QStringLiteral("BatchNo…depth0_bn")),
             QStringLiteral("BatchNo…depth0_bn"));
    QCOMPARE(elided(norms, QStringLiteral("BatchN…0_bn")), QStringLiteral("BatchN…0_bn"));
    QCOMPARE(elided(norms, QStringLiteral("…0…n")), QStringLiteral("…0…n"));
    QCOMPARE(elided({QStringLiteral("encoder_relu_output"), QStringLiteral("decoder_relu_output")},
                    QStringLiteral("encoder…put")),
             QStringLiteral("encoder…put"));
    // No room for all that is its own: where it begins says most, dots stand once.
    const QStringList sums{QStringLiteral("conv2d_bias_add"), QStringLiteral("conv2d_bias_relu")};
    QCOMPARE(elided(sums, QStringLiteral("add")), QStringLiteral("add"));
    QVERIFY(elided(sums, QStringLiteral("a…")).startsWith(u'a'));
    const QStringList ends{QStringLiteral("BatchNormalization_expanded"),
                           QStringLiteral("BatchNormalization_projected"),
                           QStringLiteral("BatchMatMul_expanded")};
    QCOMPARE(elided(ends, QStringLiteral("expa…ed")), QStringLiteral("expa…ed"));
    for (const QStringList& names : {sums, ends, norms})
        for (int width = 0; width < metrics.horizontalAdvance(names[0]); ++width) {
            std::set<QString> shown;
            for (int first = 0; first < names.size(); ++first) {
                SharedParts shared;
                for (const QString& other : names)
                    shared.compare(names[first], other);
                const QString out = elidedName(names[first], shared, metrics, width);
                QVERIFY2(!out.contains(QStringLiteral("……")), qPrintable(out));
                QVERIFY2(metrics.horizontalAdvance(out) <= width, qPrintable(out));
                shown.insert(out);
            }
            if (width > metrics.horizontalAdvance(QStringLiteral("mmmm…m")))
                QVERIFY2(shown.size() == std::size_t(names.size()), qPrintable(*shown.begin()));
        }
    // Nothing is shared: both ends say the most.
    QCOMPARE(elided({QStringLiteral("abcdefghijklmnop"), QStringLiteral("xyz")},
                    QStringLiteral("abc…nop")),
             metrics.elidedText(QStringLiteral("abcdefghijklmnop"), Qt::ElideMiddle,
                                metrics.horizontalAdvance(QStringLiteral("abc…nop"))));
    QVERIFY(elided(list, QStringLiteral("…")).size() <= 1);
}

// What is painted, with an icon and without.
void TestCommon::narrowRowsAreToldApart() {
    for (const bool icon : {false, true}) {
        QStandardItemModel model;
        for (const char* name : {"conv2d_bias_relu_12", "conv2d_bias_relu_17"}) {
            auto* item = new QStandardItem(QString::fromLatin1(name));
            if (icon)
                item->setData(
                    QVariant::fromValue(picture::MakerRecord{picture::Maker::Generated, {}}),
                    MakerRole);
            model.appendRow(item);
        }
        QTableView table;
        table.setModel(&model);
        prepare(&table);
        table.setAlternatingRowColors(false);
        table.horizontalHeader()->hide();
        table.horizontalHeader()->setStretchLastSection(false);
        table.setColumnWidth(0, icon ? 100 : 64);
        table.resize(200, 100);
        table.show();
        const QImage image = table.viewport()->grab().toImage();
        QVERIFY(image.copy(table.visualRect(model.index(0, 0))) !=
                image.copy(table.visualRect(model.index(1, 0))));
    }
}

void TestCommon::codeIsBrokenAtBlanks() {
    const QString tip = codeTipOf(QStringLiteral("y[n] = sum(k in K : x[n, k] * w[k])\n<b>\n\nx"),
                                  QStringLiteral("mono"), 20);
    QCOMPARE(tip, QStringLiteral("<pre style=\"font-family:'mono'\">y[n] = sum(k in K :\n"
                                 "    x[n, k] * w[k])\n&lt;b&gt;\n\nx</pre>"));
    const QString wall = codeTipOf(QString(500, QLatin1Char('x')), {}, 20);
    QCOMPARE(wall.count(QLatin1Char('x')), 500);
    QVERIFY(wall.count(QLatin1Char('\n')) > 20);
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
    QWidget longer;
    StateOverlay later(&longer);
    longer.show();
    later.setBusy(QStringLiteral("Layout"));
    QTRY_VERIFY(later.isVisible());
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
        model.item(row, 0)->setData(
            QVariant::fromValue(picture::MakerRecord{picture::Maker::Library, "onednn"}),
            MakerRole);
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

void TestCommon::wordsGiveWayNumbersStay() {
    const QFontMetrics metrics(QApplication::font());
    const QString said = QStringLiteral("12 matches, 0.4 ms");
    QCOMPARE(elidedWords(said, metrics, metrics.horizontalAdvance(said)), said);
    QCOMPARE(elidedWords(said, metrics, metrics.horizontalAdvance(QStringLiteral("12 m…, 0.4 ms"))),
             QStringLiteral("12 m…, 0.4 ms"));
    for (const QString& text : {said, QStringLiteral("1.65 ms estimated"),
                                QStringLiteral("364 applied 107.1 ms"), QStringLiteral("a b")})
        for (int width = 0; width < metrics.horizontalAdvance(text) + 20; width += 3) {
            const QString out = elidedWords(text, metrics, width);
            QVERIFY2(metrics.horizontalAdvance(out) <= std::max(width, 12), qPrintable(out));
        }
    // The longest gives way first.
    QCOMPARE(elidedWords(QStringLiteral("short considerable 3 ms"), metrics,
                         metrics.horizontalAdvance(QStringLiteral("short consid… 3 ms"))),
             QStringLiteral("short consid… 3 ms"));
}

FW_TEST(TestCommon, QApplication)
#include "test_common.moc"
