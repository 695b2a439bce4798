// What people are asked to choose from, or to answer.
#pragma once

#include <QString>

#include <functional>

namespace fw::ui {

// One of several things to choose from by typing.
struct Choice {
    QString text;
    QString detail; // a shortcut, or what it is
    std::function<void()> act;
};

// A question that stays until it is answered.
struct Offer {
    QString text, action;
    std::function<void()> accept, decline;
};

} // namespace fw::ui
