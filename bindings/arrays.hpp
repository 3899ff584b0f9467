// The array types of the interface between Python and the core.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

namespace dugraph::bindings {

template <class T, int dimensions>
using In = nanobind::ndarray<const T, nanobind::ndim<dimensions>, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using Out = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;

// A member of an object as an array that keeps the object alive.
template <class Owner, class T, std::vector<T> Owner::* member>
Out<T> array(Owner& owner) {
    return {(owner.*member).data(), {(owner.*member).size()}};
}

}  // namespace dugraph::bindings
