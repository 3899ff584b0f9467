// Arrays aligned to cache lines, for rows that vector instructions read.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace dugraph {

template <class T>
struct CacheAligned {
    using value_type = T;
    static constexpr std::align_val_t line{64};
    CacheAligned() = default;
    template <class U>
    CacheAligned(const CacheAligned<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, line); }
    bool operator==(const CacheAligned&) const { return true; }
};

template <class T>
using AlignedVector = std::vector<T, CacheAligned<T>>;

}  // namespace dugraph
