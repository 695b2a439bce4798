// What people do in a view that only the document or the window can act on.
//
// A view tells an intent by View::asked; the window has one handler for each, in one place
// (app/window/main_window.cpp), and does not compile without.
#pragma once

#include "snapshot/book_records.h"
#include "snapshot/inputs.h"
#include "snapshot/protocol.h"
#include "views/common/choice.h"
#include "views/common/document_parts.h"

#include <QPoint>

#include <memory>
#include <variant>
#include <vector>

namespace fw::picture {
struct Picture;
}

namespace fw::ui {

// What people ask for where they are: of the view that has the keys, or that can do it, and of the
// window otherwise.
enum class Request : std::uint8_t {
    NewBook,
    OpenBook,
    OpenAgain, // the model that was wanted last
    Reload,    // what is open, as F5
    Profile,
    Stop,
    Save,
    SaveAs,
    Find,
    FindNext,
    FindPrevious,
    NextChange,
    PreviousChange,
    Back, // to where people were before
    Forward,
};

struct EditInputs { // can be undone
    snapshot::Edit edit;
};

struct WantPart { // that the worker answers for; of what, is said by `about`
    Part part;
    snapshot::Arguments about;
};

struct WantState { // a graph of Part::States
    GraphState state;
};

struct WantDetails {}; // now, not when the selection has come to rest

struct OpenPlace { // line 0: where it was left
    QString book;
    int line, column;
};

struct WriteText { // into a book
    QString declarations;
};

struct ChangeText { // in its place, as people do in the text
    QString book;
    snapshot::Fix edit;
};

struct ShowCounterexample {
    QString book;
    snapshot::CheckItem rule;
};

struct SelectNode {
    QString name;
};

struct ShowInside { // what lies inside the node
    snapshot::NodeId imported;
};

struct ShowNodeMenu {
    QPoint global;
};

struct SaveTensor { // all of its elements
    snapshot::Arguments about;
    QString name;
};

struct SavePicture {
    std::shared_ptr<const picture::Picture> picture; // null: there is none yet
    QString title;
};

struct ComeToFront {}; // there is something new
struct Appear {};      // people called it: it is shown, even if it was closed

struct Say { // in the status bar, for a while
    QString text;
};

struct Log {
    QString line;
};

struct TellProblem {
    Diag diag;
};

struct OfferChoice {
    QString title;
    std::vector<Choice> choices;
};

struct TakeOffer {}; // the Offer that waits, by other means than its button

using Intent = std::variant<Request, EditInputs, WantPart, WantState, WantDetails, OpenPlace,
                            WriteText, ChangeText, ShowCounterexample, SelectNode, ShowInside,
                            ShowNodeMenu, SavePicture, SaveTensor, ComeToFront, Appear, Say, Log,
                            TellProblem, OfferChoice, Offer, TakeOffer>;

} // namespace fw::ui
