// What compiled the core, and which of its versions this machine runs: for `dugraph doctor` and bug reports.
#pragma once

#include <string>

#include "dispatch.hpp"

namespace dugraph {

inline std::string compiler() {
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "GCC " __VERSION__;
#else
    return "unknown";
#endif
}

inline std::string instruction_set() {
#if defined(DUGRAPH_X86_TARGETS)
    return vector_width == 8 ? "AVX-512" : vector_width == 4 ? "AVX2" : "SSE2";
#else
    return "baseline";
#endif
}

}  // namespace dugraph
