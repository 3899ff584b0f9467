// The table of contents of dugraph._core: one binding file per concept.
#include <nanobind/nanobind.h>

void bind_search(nanobind::module_& m);
void bind_support(nanobind::module_& m);

NB_MODULE(_core, m) {
    m.doc() = "dugraph's compiled core: arrays in, arrays out.";
    bind_search(m);
    bind_support(m);
}
