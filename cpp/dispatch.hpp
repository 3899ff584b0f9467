// One binary for every x86-64 machine: a hot function is compiled once per instruction set, and the best one
// is chosen when it runs. Only element-wise operations may stand in such a function: then every version does
// the same roundings in the same order, and gives the same bytes. Elsewhere there is one version.
#pragma once

// clang-cl on Windows lacks the library function that names the processor: SSE2 only.
#if defined(__x86_64__) && !defined(_MSC_VER) && !defined(DUGRAPH_NO_CLONES)
#define DUGRAPH_X86_TARGETS 1
#endif

// A helper must be compiled for the instruction set of its caller, hence inside it.
#define DUGRAPH_INLINE inline __attribute__((always_inline))

// Defines `name` from the template `name_kernel<width>`, where width is the number of doubles in a vector
// register. A vector wider than the register would be kept in memory, twenty times slower.
#if defined(DUGRAPH_X86_TARGETS)
namespace dugraph {
inline const int vector_width = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                                        __builtin_cpu_supports("avx512bw") &&
                                        __builtin_cpu_supports("avx512dq")
                                    ? 8
                                : __builtin_cpu_supports("avx2") ? 4
                                                                 : 2;
}  // namespace dugraph
#define DUGRAPH_BY_WIDTH(result, name, parameters, arguments)                          \
    __attribute__((target("arch=x86-64-v3"))) static result name##_by_4 parameters {   \
        return name##_kernel<4> arguments;                                             \
    }                                                                                  \
    __attribute__((target("arch=x86-64-v4"))) static result name##_by_8 parameters {   \
        return name##_kernel<8> arguments;                                             \
    }                                                                                  \
    result name parameters {                                                           \
        if (vector_width == 8) return name##_by_8 arguments;                           \
        return vector_width == 4 ? name##_by_4 arguments : name##_kernel<2> arguments; \
    }
#else
#define DUGRAPH_BY_WIDTH(result, name, parameters, arguments) \
    result name parameters { return name##_kernel<2> arguments; }
#endif
