// What the process is doing, for the message after it died: the step that runs, the node that a
// library is asked about. One per process; a pointer, so that a signal handler can read it.
#pragma once

#include <string>
#include <vector>

namespace fw::runtime {

struct Crumb {
    std::string text;               // for people: "dense_relu_0 calling openblas"
    std::string library;            // canonical name; empty: code of ours
    std::vector<std::string> nodes; // names in the graph that was planned
};

const Crumb* breadcrumb(); // null: nothing that could go wrong outside our code

// `crumb` must live as long as this object, which brings back what was there before.
class Breadcrumb {
public:
    explicit Breadcrumb(const Crumb& crumb);
    ~Breadcrumb();
    Breadcrumb(const Breadcrumb&) = delete;
    Breadcrumb& operator=(const Breadcrumb&) = delete;

private:
    const Crumb* m_before;
};

} // namespace fw::runtime
