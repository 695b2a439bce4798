// What the process is doing, for the message after it died: the step that runs, the node that a
// library is asked about. One per process; a pointer, so that a signal handler can read it.
#pragma once

namespace fw::runtime {

const char* breadcrumb(); // null: nothing that could go wrong outside our code

// `text` must live as long as this object, which brings back what was there before.
class Breadcrumb {
public:
    explicit Breadcrumb(const char* text);
    ~Breadcrumb();
    Breadcrumb(const Breadcrumb&) = delete;
    Breadcrumb& operator=(const Breadcrumb&) = delete;

private:
    const char* m_before;
};

} // namespace fw::runtime
