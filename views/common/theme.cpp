#include "views/common/theme.h"

#include "views/common/style.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QPalette>

#include <algorithm>
#include <cmath>

namespace fw::ui {

QColor toQt(picture::Rgb rgb) {
    return QColor(rgb.red, rgb.green, rgb.blue);
}

Theme& Theme::instance() {
    static Theme theme;
    return theme;
}

ThemeKind Theme::systemKind() {
    const QPalette palette = QApplication::palette();
    return palette.color(QPalette::WindowText).lightness() >
                   palette.color(QPalette::Window).lightness()
               ? ThemeKind::Dark
               : ThemeKind::Light;
}

double Theme::fontScale() {
    constexpr double usual = 12, least = 8, most = 48;
    return std::clamp(double(QFontInfo(QApplication::font()).pixelSize()), least, most) / usual;
}

int Theme::scaled(int pixels) {
    return int(std::lround(pixels * fontScale()));
}

QFont Theme::textFont(int pixelSize, QFont::Weight weight) {
    QFont font = QApplication::font();
    font.setPixelSize(scaled(pixelSize));
    font.setWeight(weight);
    return font;
}

namespace {

// What a font says of itself is not enough: some families whose letters are all equally wide do not
// say so, and a style hint may lead to one whose letters are not.
bool isFixedPitch(QFont font) {
    font.setPixelSize(16);
    for (const bool bold : {false, true}) {
        font.setBold(bold);
        const QFontMetricsF metrics(font);
        const qreal wide = metrics.horizontalAdvance(u'W');
        for (const QChar letter : {u'i', u'l', u'.', u' ', u'm', u'0', u'{'})
            if (std::abs(metrics.horizontalAdvance(letter) - wide) > 0.01)
                return false;
    }
    return true;
}

// The desktop's, if its letters are equally wide, else a family in which they are.
QString fixedFamily() {
    const QFont system = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    static QString asked, found;
    if (asked == system.family() && !found.isEmpty())
        return found;
    asked = system.family();
    found = asked;
    if (isFixedPitch(system))
        return found;
    QStringList families{QStringLiteral("DejaVu Sans Mono"), QStringLiteral("Noto Sans Mono"),
                         QStringLiteral("Liberation Mono")};
    for (const QString& family : QFontDatabase::families(QFontDatabase::Latin))
        if (QFontDatabase::isFixedPitch(family))
            families << family;
    for (const QString& family : families)
        if (QFontDatabase::hasFamily(family) && isFixedPitch(QFont(family)))
            return found = family;
    return found;
}

} // namespace

QFont Theme::codeFont(int pixelSize) {
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setFamily(fixedFamily());
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    font.setPixelSize(scaled(pixelSize));
    return font;
}

QFont Theme::graphFont(int pixelSize, QFont::Weight weight) {
    QFont font(QStringLiteral("DejaVu Sans"));
    font.setPixelSize(pixelSize);
    font.setWeight(weight);
    return font;
}

void Theme::followFont() {
    if (QApplication::font() != m_font)
        apply(m_kind);
}

void Theme::apply(ThemeKind kind) {
    m_kind = kind;
    QApplication::setStyle(new Style);
    QPalette palette;
    const auto set = [&](QPalette::ColorRole role, Colour meaning) {
        palette.setColor(role, colour(meaning));
    };
    set(QPalette::Window, Colour::Pane);
    set(QPalette::WindowText, Colour::Text);
    set(QPalette::Base, Colour::Pane);
    set(QPalette::AlternateBase, Colour::PaneAlternate);
    set(QPalette::Text, Colour::Text);
    set(QPalette::Button, Colour::Pane);
    set(QPalette::ButtonText, Colour::Text);
    set(QPalette::BrightText, Colour::Failing);
    set(QPalette::ToolTipBase, Colour::Chrome);
    set(QPalette::ToolTipText, Colour::Text);
    set(QPalette::PlaceholderText, Colour::Muted);
    set(QPalette::Highlight, Colour::Accent);
    set(QPalette::HighlightedText, Colour::OnAccent);
    set(QPalette::Link, Colour::Accent);
    set(QPalette::Light, Colour::PaneAlternate);
    set(QPalette::Mid, Colour::Line);
    set(QPalette::Midlight, Colour::Line);
    set(QPalette::Dark, Colour::Line);
    set(QPalette::Shadow, Colour::Line);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, colour(Colour::BoxLine));
    QApplication::setPalette(palette);
    m_font = QApplication::font();
    qApp->setStyleSheet(styleSheet(kind));
    Q_EMIT changed(kind);
}

// Colours are written as @Meaning and replaced from the palette, sizes that grow with the font as
// @14px, the family of code as @code.
static const char g_styleSheet[] = R"(
QMainWindow { background: @Pane; }
QMainWindow::separator { background: @Line; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: @Accent; }
QSplitter::handle { background: @Line; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QMenuBar { background: @Chrome; border: none; padding: 1px 4px; }
QMenuBar::item { padding: 4px 9px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: @PaneHighlight; }
QMenu { background: @Pane; border: 1px solid @Line; padding: 4px 0; }
QMenu::item { padding: 5px 28px 5px 24px; }
QMenu::item:selected { background: @PaneHighlight; }
QMenu::item:disabled { color: @BoxLine; }
QMenu::separator { height: 1px; background: @Line; margin: 4px 0; }
QToolBar { background: @Pane; border: none; border-bottom: 1px solid @Line; padding: 5px 8px; spacing: 6px; }
QToolBar::separator { width: 14px; background: transparent; }
QToolBar QToolButton, QPushButton {
  background: @Pane; color: @Text; border: 1px solid @Line; border-radius: 4px; padding: 4px 11px; min-height: 15px; }
QToolBar QToolButton:hover, QPushButton:hover { background: @PaneHighlight; border-color: @Hover; }
QToolBar QToolButton:pressed, QPushButton:pressed, QToolBar QToolButton:checked { background: @PaneHighlight; }
QPushButton:checked { background: @PaneHighlight; border-color: @Accent; color: @Accent; }
QToolBar QToolButton:disabled, QPushButton:disabled { color: @BoxLine; background: @PaneAlternate; }
QToolButton[primary="true"], QPushButton[primary="true"], QPushButton:default {
  background: @Accent; color: @OnAccent; border-color: @Accent; }
QToolButton[primary="true"], QPushButton[primary="true"] { font-weight: bold; }
QToolButton[primary="true"]:hover, QPushButton[primary="true"]:hover { background: @Hover; border-color: @Hover; color: @OnAccent; }
QToolButton[primary="true"]:disabled, QPushButton[primary="true"]:disabled { background: @Line; border-color: @Line; color: @Muted; }
QPushButton:focus, QToolBar QToolButton:focus, QLineEdit:focus, QComboBox:focus, QSpinBox:focus { border-color: @Accent; }
QToolButton[primary="true"]:focus, QPushButton[primary="true"]:focus, QPushButton:default:focus { border: 2px solid @Text; padding: 3px 10px; }
QDialogButtonBox QPushButton { min-width: 76px; }
QSlider::groove:horizontal { height: 4px; background: @Line; border-radius: 2px; margin: 0 6px; }
QSlider::sub-page:horizontal { background: @Accent; border-radius: 2px; margin: 0 6px; }
QSlider::handle:horizontal { width: 12px; margin: -4px -6px; border-radius: 6px; background: @Accent; }
QSlider::handle:horizontal:disabled { background: @Line; }
QSlider:focus { border: 1px solid @Accent; border-radius: 4px; }
QLineEdit, QComboBox, QSpinBox {
  background: @Pane; color: @Text; border: 1px solid @Line; border-radius: 4px; padding: 3px 8px; min-height: 16px;
  selection-background-color: @Accent; selection-color: @OnAccent; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox QAbstractItemView { background: @Pane; border: 1px solid @Line; selection-background-color: @PaneHighlight;
  selection-color: @Text; outline: none; }
QTabBar { background: @Chrome; qproperty-drawBase: 0; }
QTabWidget::pane { border: none; border-top: 1px solid @Line; }
QTabWidget::tab-bar { left: 6px; }
QTabBar::tab { background: transparent; color: @Muted; padding: 6px 9px; border: 1px solid transparent; border-bottom: none; }
QTabBar::tab:selected { background: @Pane; color: @Text; border-color: @Line; font-weight: bold;
  border-top-left-radius: 5px; border-top-right-radius: 5px; }
QTabBar::tab:hover:!selected { color: @Text; }
QMainWindow > QTabBar { qproperty-elideMode: ElideNone; qproperty-usesScrollButtons: true; }
QMainWindow > QTabBar::tab { padding: 6px 6px; }
QMainWindow > QTabBar::tab:selected { font-weight: normal; }
QMainWindow > QTabBar::scroller { width: 20px; }
QMainWindow > QTabBar QToolButton { background: @Chrome; border: 1px solid @Line; padding: 0; }
QDockWidget { titlebar-close-icon: none; titlebar-normal-icon: none; }
QHeaderView { background: @Pane; border: none; }
QHeaderView::section { background: @Pane; color: @Muted; border: none; border-bottom: 1px solid @Line; padding: 4px 9px; }
QAbstractItemView { background: @Pane; alternate-background-color: @PaneAlternate; border: 1px solid @Pane; outline: none;
  gridline-color: transparent; selection-background-color: @PaneHighlight; selection-color: @Text; }
QTreeView::item, QTableView::item, QListView::item { padding: 2px 4px; border: none; min-height: 17px; }
QTreeView::item:hover, QTableView::item:hover, QListView::item:hover { background: @PaneHighlight; }
QTreeView::item:selected, QTableView::item:selected, QListView::item:selected { background: @PaneHighlight; color: @Text; }
QTreeView::item:selected:active, QTableView::item:selected:active, QListView::item:selected:active { color: @Accent; }
QPlainTextEdit, QTextEdit, QTextBrowser { background: @Pane; color: @Text; border: 1px solid @Pane;
  selection-background-color: @Accent; selection-color: @OnAccent; }
QAbstractItemView:focus, QPlainTextEdit:focus, QTextEdit:focus { border-color: @Accent; }
QScrollBar { background: transparent; border: none; }
QScrollBar:vertical { width: 10px; }
QScrollBar:horizontal { height: 10px; }
QScrollBar::handle { background: @Line; border-radius: 4px; margin: 1px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: @BoxLine; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QStatusBar { background: @Pane; border-top: 1px solid @Line; color: @Muted; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: @Muted; padding: 2px 9px; }
QProgressBar { background: @PaneAlternate; border: 1px solid @Line; border-radius: 4px; text-align: center; max-height: 12px; }
QProgressBar::chunk { background: @Accent; border-radius: 3px; }
QToolTip { background: @Pane; color: @Text; border: 1px solid @Line; padding: 2px 6px; }
QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-origin: padding; subcontrol-position: center left; left: 1px; width: 7px; height: 5px; }
QPlainTextEdit[code="true"] { font-family: "@code"; font-size: @12px; }
QLabel[strong="true"] { font-weight: bold; }
#messageBar { background: @FailingFill; border: none; border-bottom: 1px solid @Line; }
#messageBar QLabel { color: @Failing; }
#noteBar { background: @PaneHighlight; border: none; border-bottom: 1px solid @Line; }
#noteBar QLabel { color: @Text; }
#completions { background: @Pane; border: 1px solid @Line; }
QLabel[muted="true"] { color: @Muted; }
#paneHeader { background: @Pane; border-bottom: 1px solid @Line; }
#paneTitle { font-weight: bold; }
#paneMenu { border: none; padding: 0px 4px; }
#paneMenu::menu-indicator { image: none; width: 0px; }
#paneDetail { color: @Muted; }
#palette { background: @Chrome; border: 1px solid @Line; border-radius: 6px; }
#stateCard { background: @Pane; border: 1px solid @Line; border-radius: 6px; }
#stateTitle { font-size: @14px; font-weight: bold; }
#stateTitle[state="error"] { color: @Failing; }
#stateText { color: @Muted; }
#staleRibbon { background: @PaneHighlight; border-bottom: 1px solid @Line; }
#staleRibbon QLabel { color: @NearMiss; }
)";

QString Theme::styleSheet(ThemeKind kind) {
    QString text = QString::fromLatin1(g_styleSheet);
    QString out;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] != QLatin1Char('@')) {
            out += text[i];
            continue;
        }
        qsizetype end = i + 1;
        while (end < text.size() && text[end].isDigit())
            ++end;
        if (end > i + 1) {
            out += QString::number(scaled(text.mid(i + 1, end - i - 1).toInt()));
            i = end - 1;
            continue;
        }
        while (end < text.size() && text[end].isLetter())
            ++end;
        const std::string name = text.mid(i + 1, end - i - 1).toStdString();
        if (name == "code")
            out += codeFont().family();
#define FW_X(meaning, light, dark)                                                                 \
    if (name == #meaning)                                                                          \
        out += QString::fromStdString(hexText(rgb(Colour::meaning, kind)));
        FW_COLOURS(FW_X)
#undef FW_X
        i = end - 1;
    }
    return out;
}

} // namespace fw::ui
