// Values of operands and constants: ordinary ones, those at which types end, those that are no
// numbers.
#pragma once

#include "ir/tensor_data.h"
#include "tensor/draw_critical.h"

namespace fw {

enum class DrawnValues : std::uint8_t {
    Whole, // integers from -3 to 3
    Any,  // these, numbers, positive ones, halves, one value, some 0; now and then an end of a type
    Ends, // up to the largest of the type, what it just holds or does not, large and small ones; in
          // these two also what is next to a literal or to a tie of a type (draw_critical.h)
    Largest, // floats within half of the largest, of either sign: what they sum up to ends; as Ends
    Smallest // floats below the least normal number, or whose products are; as Ends
};

// A constant, or the data of an input.
TensorData drawnData(Random& random, const Literals& literals, const TensorType& type,
                     DrawnValues how = DrawnValues::Any);

// One of the values at which laws of arithmetic end: 0, 1, -1, 2, 0.5, ...
double specialReal(Random& random);

// For an attribute: of either sign, large, small, special.
double drawnReal(Random& random);

// Some elements of floats, or one, replaced by NaN, or by infinities of both signs.
TensorData withNaN(const TensorData& data, Random& random);
TensorData withInfinities(const TensorData& data, Random& random);

} // namespace fw
