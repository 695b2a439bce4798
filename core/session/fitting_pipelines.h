// The pipeline of a model that the data at hand fit.
#pragma once

#include "session/data_sets.h"

namespace fw {

// A model runs with its sizes free wherever that can be. What is refused so, and would not be with
// the sizes of the data at hand, is read once more with these: a condition that a size decides, an
// input without a shape, a size that is 1. Where that does not help, the values of small inputs
// that are no real numbers are constants, as sizes and conditions are. What is refused each time is
// refused in the words of the second.
class FittingPipelines {
public:
    explicit FittingPipelines(Pipeline& free) : m_free(free) {}
    FittingPipelines(const FittingPipelines&) = delete;
    FittingPipelines& operator=(const FittingPipelines&) = delete;

    // What takes these data, of all inputs, or of some by name; the pipeline with free sizes if
    // none does, which says why when it runs. Kept as long as this.
    Pipeline& of(const ReadTensors& data, const Context& context, bool some = false);
    Pipeline& of(const TestDataSet& set, const Context& context);
    // Of the data that a command with these arguments runs first; with made-up ones the free one.
    // What cannot be read, or does not belong to the model, is told by who needs it.
    Pipeline& of(const snapshot::Arguments& arguments, const Context& context);
    // The data sets that dataSetsFor() gives of what the model leaves free.
    Result<std::vector<TestDataSet>> sets(const snapshot::Arguments& arguments,
                                          const Context& context);
    // The inputs whose data are constants of one that this gave.
    std::vector<std::string> constants(const Pipeline& made) const;

private:
    void findBase(const ReadTensors& data, const Context& context);
    Pipeline& with(std::map<std::string, std::string> types,
                   std::map<std::string, std::int64_t> dims);

    Pipeline& m_free;
    // In which the sizes are those that the model leaves free; an input without a shape has that of
    // the data asked about last.
    Pipeline* m_base = &m_free;
    std::map<std::pair<std::map<std::string, std::string>, std::map<std::string, std::int64_t>>,
             std::unique_ptr<Pipeline>>
        m_made; // by types and dimensions
};

} // namespace fw
