/*
 * math.h - the one constant the choice among columns wants.
 *
 * Threads none.
 */
#ifndef ENGINE_WASM_LIBC_MATH_H
#define ENGINE_WASM_LIBC_MATH_H

#define INFINITY (__builtin_inff())

#endif
