// What the walk through applications stops at, as a list that people keep: each is switched on and
// off by its box, Delete takes it out, Enter puts its text back where it can be changed.
#pragma once

#include "snapshot/kept_view.h"

#include <QListWidget>

namespace fw::ui {

class StopList : public QListWidget {
    Q_OBJECT

public:
    explicit StopList(QWidget* parent = nullptr); // hidden while it is empty

    void add(const QString& text); // one that is there already is switched on
    void show(const std::vector<snapshot::KeptStop>& stops);
    std::vector<snapshot::KeptStop> stops() const;
    std::vector<std::string> on() const; // of those that are switched on

Q_SIGNALS:
    void changed(); // by people
    void edited(const QString& text);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void put(const QString& text, bool isOn);
};

} // namespace fw::ui
