// Graphs that are compared with those of the document: other stages, targets, books, models.
#include "app/window/document_send.h"

#include <algorithm>

namespace fw::ui {

using snapshot::Arguments;

Arguments Document::askedOf(const GraphState& state) const {
    snapshot::Inputs other = inputs();
    if (state.model) { // under the target and the books of the document
        other.model = *state.model;
        other.leftOut.clear();
        other.pins.clear();
        other.dims.clear();
        other.types.clear();
        other.log.clear();
    }
    if (state.target) {
        other.libraries.reset();
        other = snapshot::applied(std::move(other), snapshot::SetTarget{*state.target});
    }
    if (state.without) {
        std::erase_if(other.books,
                      [&](const snapshot::Book& book) { return book.path == *state.without; });
        if (state.without->find('/') == std::string::npos)
            other = snapshot::applied(
                std::move(other), snapshot::SwitchShipped{*state.without, snapshot::Enabled::No});
    }
    Arguments out = argumentsFor(other);
    out.stage = state.stageText();
    if (state.stage == GraphState::Stage::Behind)
        out.application = state.application;
    return out;
}

void Document::wantState(const GraphState& state) {
    if (!isOpen())
        return;
    std::erase(m_wantedStates, state);
    m_wantedStates.push_front(state);
    while (m_wantedStates.size() > statesLimit) {
        cancel(m_stateGraphs[m_wantedStates.back()].request);
        m_stateGraphs.erase(m_wantedStates.back());
        m_wantedStates.pop_back();
    }
    StateGraph& mine = m_stateGraphs[state];
    sendLatest<snapshot::GraphDocument>(
        mine.request, askedOf(state),
        ofThisPlan<snapshot::GraphDocument>([this, state](Answer<snapshot::GraphDocument> answer) {
            StateGraph& now = m_stateGraphs[state];
            now.error = {};
            if (answer) {
                now.graph = answer.take();
                now.state = State::Ready;
                if (!state.isOwn() && state.stage != GraphState::Stage::Imported)
                    askRewriteOf(state);
            } else {
                now.error = answer.diag();
                now.state = now.error.code != DiagCode::Cancelled ? State::Error
                            : now.graph                           ? State::Stale
                                                                  : State::Empty;
            }
            tell(Part::States);
        }),
        state.isOwn() ? WorkerClient::By::First : WorkerClient::By::Second);
    mine.state = State::Busy;
    tell(Part::States);
}

// Which application took out or put in what the document's own rewriting did not.
void Document::askRewriteOf(const GraphState& state) {
    send<snapshot::RewriteDocument>(
        askedOf(state),
        ofThisPlan<snapshot::RewriteDocument>([=, this](Answer<snapshot::RewriteDocument> answer) {
            const auto found = m_stateGraphs.find(state);
            if (found == m_stateGraphs.end() || !answer)
                return; // without it nothing but that sentence is missing
            found->second.rewrite = answer.take();
            tell(Part::States);
        }),
        WorkerClient::By::Second);
}

void Document::endStates() {
    for (auto& [state, graph] : m_stateGraphs) {
        cancel(graph.request);
        graph.state = graph.graph ? State::Stale : State::Empty;
    }
}

} // namespace fw::ui
