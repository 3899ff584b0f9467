// How the core was built.
#include "build.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace dugraph::bindings {

void bind_build(nb::module_& m) {
    m.def("compiler", &compiler, "The compiler, by the name and version that it gives itself.");
    m.def("instruction_set", &instruction_set, "The instruction set in use: chosen when the core is loaded.");
}

}  // namespace dugraph::bindings
