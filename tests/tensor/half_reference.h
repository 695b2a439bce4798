/* f16 by the compiler. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint16_t half_of(long double value); /* rounded once */
double value_of_half(uint16_t bits);

#ifdef __cplusplus
}
#endif
