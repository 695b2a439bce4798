// A tensor in numbers: which of the selected node's tensors is chosen, its statistics, a histogram,
// its first elements.
#pragma once

#include "snapshot/records.h"

#include <QWidget>

#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QPlainTextEdit;

namespace fw::ui {

class StateOverlay;

// A constant is there; what is computed takes a run of the model, so people ask for it.
enum class TensorKind : std::uint8_t { Constant, Computed };

// A tensor that can be asked for.
struct TensorChoice {
    QString label; // "weight  f32[64,3,7,7]"
    std::string stage;
    snapshot::NodeId node = snapshot::noNode;
    int output = 0;
    TensorKind kind = TensorKind::Constant;

    bool operator==(const TensorChoice&) const = default;
};

class Histogram : public QWidget {
    Q_OBJECT

public:
    using QWidget::QWidget;
    void setCounts(std::vector<std::int64_t> counts);

protected:
    void paintEvent(QPaintEvent* event) override;
    QSize sizeHint() const override { return {200, 44}; }

private:
    std::vector<std::int64_t> m_counts;
};

class ValuePanel : public QWidget {
    Q_OBJECT

public:
    explicit ValuePanel(QWidget* parent = nullptr);

    // The first one is asked for at once if it is a constant.
    void setChoices(std::vector<TensorChoice> choices);
    const std::vector<TensorChoice>& choices() const { return m_choices; }
    void setValue(std::shared_ptr<const snapshot::ValueDocument> value); // null: none yet
    StateOverlay* overlay() const { return m_overlay; }
    QString asText() const;
    void choose(int index); // as a person does
    void request();         // the chosen tensor

    const TensorChoice* current() const; // null: there is none

Q_SIGNALS:
    void requested(const fw::ui::TensorChoice& choice);
    void saveAsked(const fw::ui::TensorChoice& choice);

private:
    void chosen();

    std::vector<TensorChoice> m_choices;
    QComboBox* m_choice;
    QLabel* m_numbers;
    Histogram* m_histogram;
    QPlainTextEdit* m_elements;
    QWidget* m_body;
    StateOverlay* m_overlay;
};

// "least -0.4, most 0.9, mean 0.01, deviation 0.1 · 12 zeros"
QString statisticsText(const snapshot::ValueDocument& value);

} // namespace fw::ui
