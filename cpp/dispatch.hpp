// One binary for every x86-64 machine: a hot function is compiled once per instruction set and the loader
// picks the best. Only element-wise operations may stand in such a function: then every version does the same
// roundings in the same order, and gives the same bytes.
#pragma once

#include <cstdlib>  // defines __GLIBC__, which the choice at load time (ifunc) needs

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) && \
    !defined(DUGRAPH_NO_CLONES)
#define DUGRAPH_MANY_TARGETS 1
#endif

// For functions of plain loops, which the compiler vectorises by itself.
#if defined(DUGRAPH_MANY_TARGETS)
#define DUGRAPH_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define DUGRAPH_CLONES
#endif

// A helper must be compiled for the instruction set of its caller, hence inside it.
#define DUGRAPH_INLINE inline __attribute__((always_inline))

// For functions written in vectors: defines `name` from the template `name_kernel<width>`, where width is the
// number of doubles in a vector register. A vector wider than the register would be kept in memory, twenty
// times slower.
#if defined(DUGRAPH_MANY_TARGETS)
#define DUGRAPH_BY_WIDTH(result, name, parameters, arguments)                                               \
    __attribute__((target("default"))) result name parameters { return name##_kernel<2> arguments; }        \
    __attribute__((target("arch=x86-64-v3"))) result name parameters { return name##_kernel<4> arguments; } \
    __attribute__((target("arch=x86-64-v4"))) result name parameters { return name##_kernel<8> arguments; }
#else
#if defined(__AVX512F__)
#define DUGRAPH_WIDTH 8
#elif defined(__AVX__)
#define DUGRAPH_WIDTH 4
#else
#define DUGRAPH_WIDTH 2
#endif
#define DUGRAPH_BY_WIDTH(result, name, parameters, arguments) \
    result name parameters { return name##_kernel<DUGRAPH_WIDTH> arguments; }
#endif
