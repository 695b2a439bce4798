#include "views/inspector/value_panel.h"

#include "views/common/combo_box.h"
#include "views/common/state_overlay.h"
#include "views/common/theme.h"

#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

QString number(double value) {
    return QString::number(value, 'g', 5);
}

} // namespace

QString statisticsText(const snapshot::ValueDocument& value) {
    QStringList parts;
    if (value.least && value.most)
        parts << u"least %1, most %2"_s.arg(number(*value.least), number(*value.most));
    if (value.mean)
        parts << u"mean %1"_s.arg(number(*value.mean));
    if (value.deviation)
        parts << u"deviation %1"_s.arg(number(*value.deviation));
    QString out = parts.join(u", "_s);
    out += u"%1%2 elements"_s.arg(out.isEmpty() ? u""_s : u" · "_s).arg(value.count);
    if (value.zeros)
        out += u" · %1 zeros"_s.arg(value.zeros);
    if (value.notNumbers)
        out += u" · %1 NaN"_s.arg(value.notNumbers);
    if (value.infinite)
        out += u" · %1 infinite"_s.arg(value.infinite);
    if (value.origin != "constant")
        out += u" · "_s + QString::fromStdString(value.origin);
    return out;
}

void Histogram::setCounts(std::vector<std::int64_t> counts) {
    m_counts = std::move(counts);
    setVisible(!m_counts.empty());
    update();
}

void Histogram::paintEvent(QPaintEvent*) {
    if (m_counts.empty())
        return;
    QPainter painter(this);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::instance().colour(Colour::Bar));
    const double most =
        double(std::max<std::int64_t>(*std::max_element(m_counts.begin(), m_counts.end()), 1));
    const double step = (width() - 20.0) / double(m_counts.size());
    for (std::size_t i = 0; i < m_counts.size(); ++i) {
        const double size = (height() - 4) * double(m_counts[i]) / most;
        if (m_counts[i] > 0)
            painter.drawRect(QRectF(10 + step * double(i), height() - std::max(size, 1.0),
                                    std::max(step - 1, 1.0), std::max(size, 1.0)));
    }
}

ValuePanel::ValuePanel(QWidget* parent)
    : QWidget(parent), m_choice(new ComboBox(this)), m_numbers(new QLabel(this)),
      m_histogram(new Histogram(this)), m_elements(new QPlainTextEdit(this)),
      m_body(new QWidget(this)), m_overlay(new StateOverlay(m_body)) {
    m_choice->setAccessibleName(u"Tensor"_s);
    m_choice->setObjectName(u"tensorChoice"_s);
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_choice->setMinimumContentsLength(12);
    m_numbers->setTextFormat(Qt::PlainText);
    m_numbers->setWordWrap(true);
    m_numbers->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_numbers->setContentsMargins(10, 2, 10, 4);
    m_elements->setReadOnly(true);
    m_elements->setProperty("code", true);
    m_elements->setAccessibleName(u"First elements"_s);
    m_elements->setMinimumHeight(40);
    m_histogram->setAccessibleName(u"Histogram"_s);
    m_histogram->setFixedHeight(44);
    auto* inner = new QVBoxLayout(m_body);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->setSpacing(0);
    inner->addWidget(m_numbers);
    inner->addWidget(m_histogram);
    inner->addWidget(m_elements, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->setSpacing(2);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(8, 2, 8, 2);
    line->addWidget(m_choice, 1);
    auto* save = new QToolButton(this);
    save->setObjectName(u"saveTensor"_s);
    save->setText(u"Save …"_s);
    save->setToolTip(u"All elements as a NumPy file (Ctrl+Alt+Shift+V)"_s);
    save->setAutoRaise(true);
    line->addWidget(save);
    layout->addLayout(line);
    layout->addWidget(m_body, 1);
    connect(save, &QToolButton::clicked, this, [this] {
        if (const TensorChoice* choice = current())
            Q_EMIT saveAsked(*choice);
    });
    connect(m_choice, &QComboBox::activated, this, &ValuePanel::chosen);
    connect(m_overlay, &StateOverlay::actionRequested, this, &ValuePanel::request);
    connect(&Theme::instance(), &Theme::changed, m_histogram, qOverload<>(&QWidget::update));
    setChoices({});
}

void ValuePanel::setChoices(std::vector<TensorChoice> choices) {
    setVisible(!choices.empty());
    if (choices == m_choices)
        return;
    m_choices = std::move(choices);
    {
        const QSignalBlocker quiet(m_choice);
        m_choice->clear();
        for (const TensorChoice& choice : m_choices)
            m_choice->addItem(choice.label);
    }
    chosen();
}

void ValuePanel::choose(int index) {
    m_choice->setCurrentIndex(index);
    chosen();
}

void ValuePanel::chosen() {
    setValue(nullptr);
    const int at = m_choice->currentIndex();
    if (at < 0 || std::size_t(at) >= m_choices.size())
        return;
    switch (m_choices[std::size_t(at)].kind) {
    case TensorKind::Constant:
        return request();
    case TensorKind::Computed:
        return m_overlay->setEmpty({}, u"This is computed: it takes a run of the model."_s,
                                   u"Compute"_s);
    }
}

const TensorChoice* ValuePanel::current() const {
    const int at = m_choice->currentIndex();
    return at >= 0 && std::size_t(at) < m_choices.size() ? &m_choices[std::size_t(at)] : nullptr;
}

void ValuePanel::request() {
    if (const TensorChoice* choice = current())
        Q_EMIT requested(*choice);
}

void ValuePanel::setValue(std::shared_ptr<const snapshot::ValueDocument> value) {
    const int at = m_choice->currentIndex();
    if (value && (at < 0 || m_choices[std::size_t(at)].node != value->node ||
                  m_choices[std::size_t(at)].output != value->output))
        return; // the answer to an earlier choice
    m_numbers->setText(value ? statisticsText(*value) : QString());
    m_histogram->setCounts(value ? value->histogram : std::vector<std::int64_t>());
    QStringList elements;
    if (value)
        for (const std::string& element : value->first)
            elements << QString::fromStdString(element);
    if (value && value->count > std::int64_t(value->first.size()))
        elements << u"…"_s;
    m_elements->setPlainText(elements.join(u"  "_s));
}

QString ValuePanel::asText() const {
    return m_numbers->text() + u'\n' + m_elements->toPlainText();
}

} // namespace fw::ui
