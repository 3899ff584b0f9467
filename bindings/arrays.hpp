// The array types that cross the border, named once.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

namespace dugraph::bindings {

template <class T, int dimensions>
using In = nanobind::ndarray<const T, nanobind::ndim<dimensions>, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using Out = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;

}  // namespace dugraph::bindings
