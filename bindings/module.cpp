// The table of contents of dugraph._core: one binding file per concept.
#include <nanobind/nanobind.h>

NB_MODULE(_core, m) { m.doc() = "dugraph's compiled core: arrays in, arrays out."; }
