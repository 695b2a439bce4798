// The stepper: the applications of rules one by one, each as match, change and result in a picture
// of what lies around it. Here are the list, a slider and what to stop at; the picture is in the
// middle of the window.
#pragma once

#include "views/common/view.h"
#include "views/steps/steps_model.h"

class QComboBox;
class QPushButton;
class QTreeView;

namespace fw::ui {

class ElidedLabel;
class StepSlider;
class StopList;

class StepsView : public View {
    Q_OBJECT

public:
    explicit StepsView(QWidget* parent = nullptr);

    void documentChanged(Parts parts) override;
    void frontChanged() override;
    std::vector<QWidget*> stops() override;
    void keep(snapshot::KeptView& kept) const override;
    void showKept(const snapshot::KeptView& kept) override;

    int number() const; // of the application that is shown, from 1; 0: none
    StepPhase phase() const { return m_phase; }
    QString sentence() const; // what is said of it
    using View::show;
    void show(int number, StepPhase phase = StepPhase::Match);
    void step(int by); // through the phases, and on to the next application
    // Forward, to what `fw step --until` would stop at: the first of these that comes.
    void run(std::vector<std::string> until);
    void runToStops(); // to what stands in the box, or in the list and is ticked
    StepsModel& model() { return m_model; }
    QTreeView* table() const { return m_table; }
    StepSlider* slider() const { return m_slider; }
    QComboBox* until() const { return m_until; }
    StopList* stopList() const { return m_stops; }
    // What competes for the operators of the application: first what was done, then the others.
    QComboBox* choices() const { return m_choices; }
    QPushButton* instead() const { return m_instead; } // does what is chosen

private:
    QWidget* makeBar();
    void ask(int number, std::int64_t choice = 0); // 0: what was done
    void fill();                                   // the list
    void showStep();                               // what the document has
    void showPhase();
    void setPhase(StepPhase phase);
    void leaveOutCurrent();
    void keepStop(); // what stands in the box
    QWidget* makeChoiceBar();
    void showChoices();
    void nextChoice();
    void doInstead();
    bool hasAnswer() const; // of what is asked for
    int last() const;       // application; the list may end before

    StepsModel m_model;
    QTreeView* m_table;
    StepSlider* m_slider;
    QComboBox* m_until;
    StopList* m_stops;
    ElidedLabel* m_sentence;
    QComboBox* m_choices;
    QPushButton* m_instead;
    QPushButton* m_phases[3];
    QPushButton* m_back;
    QPushButton* m_forward;
    QPushButton* m_go;
    StepPhase m_phase = StepPhase::Match;
    int m_wanted = 0; // application; 0: none was asked for
    bool m_filling = false;
    Shared<snapshot::StepDocument> m_shown;
};

} // namespace fw::ui
