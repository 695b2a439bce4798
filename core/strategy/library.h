// Library: code of others that computes some operators. It brings implementations; whether it is
// there is found out once, without ending the process.
#pragma once

#include "strategy/implementation.h"
#include "strategy/machine.h"

namespace fw {

// NotAgreed, OtherOpened: of a library that a book declares. Nobody agreed to load it; this process
// opened another file under its name.
enum class LibraryState : std::uint8_t { Ready, Missing, Unusable, NotAgreed, OtherOpened };

struct LibraryStatus {
    LibraryState state = LibraryState::Missing;
    std::string version; // "2.6.3"; empty if it is not there
    std::string core;    // the kernels that it chose for this CPU: "SkylakeX"
    std::string path;    // of the file that was opened
    std::string reason;  // why it cannot be used
    std::string package; // what to install: "libdnnl2"
};

class Library {
public:
    virtual ~Library() = default;
    virtual const std::string& name() const = 0; // as in -libs=: "onednn"
    virtual const LibraryStatus& status() const = 0;
    // What its calls reach where nothing was measured.
    virtual std::span<const Efficiency> efficiencies() const { return {}; }
    virtual std::vector<std::shared_ptr<const Implementation>> implementations() const = 0;
    // A book declares it: it is used only where the target names it, for what composites match.
    virtual bool isDeclared() const { return false; }
    // Of those; null: it has none of that name, or it cannot be used.
    virtual std::shared_ptr<const Implementation> kernel(std::string_view) const { return nullptr; }
    virtual std::string kernels() const { return {}; } // "conv_bias_relu, pool"
};

} // namespace fw
