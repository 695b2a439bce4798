/* What the compiler makes of its own 16-bit floats: an extension in C, which has nothing to do with our code. */
#include "half_reference.h"

#include <string.h>

uint16_t half_of(long double value) {
    const _Float16 half = (_Float16)value;
    uint16_t bits;
    memcpy(&bits, &half, sizeof bits);
    return bits;
}

double value_of_half(uint16_t bits) {
    _Float16 half;
    memcpy(&half, &bits, sizeof half);
    return (double)half;
}
