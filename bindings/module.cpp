// The table of contents of dugraph._core: one binding file per concept.
#include <nanobind/nanobind.h>

#include <system_error>

namespace dugraph::bindings {
void bind_build(nanobind::module_& m);
void bind_goals(nanobind::module_& m);
void bind_maxima(nanobind::module_& m);
void bind_search(nanobind::module_& m);
void bind_support(nanobind::module_& m);
}  // namespace dugraph::bindings

NB_MODULE(_core, m) {
    // Objects that outlive the interpreter, in caches and cycles, are not leaks that a user could fix.
    nanobind::set_leak_warnings(false);
    // Only starting threads can raise system errors.
    nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::system_error&) {
            PyErr_SetString(PyExc_OSError,
                            "the system gives no more threads: use fewer jobs, or end other programs");
        }
    });
    m.doc() = "dugraph's compiled core: arrays in, arrays out.";
    dugraph::bindings::bind_build(m);
    dugraph::bindings::bind_goals(m);
    dugraph::bindings::bind_search(m);
    dugraph::bindings::bind_maxima(m);
    dugraph::bindings::bind_support(m);
}
