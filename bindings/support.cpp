// Support distributions: the Poisson-binomial pmf of every row of an array.
#include <cstddef>
#include <memory>
#include <stdexcept>

#include "arrays.hpp"
#include "support/support_distribution.hpp"

namespace nb = nanobind;

namespace dugraph::bindings {

namespace {

using NumpyRows = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

NumpyRows support_distribution(const In<double, 2>& probabilities, double tail) {
    if (!(tail >= 0.0 && tail < 1.0)) throw std::invalid_argument("tail must satisfy 0 <= tail < 1");
    const std::size_t count = probabilities.shape(0), n = probabilities.shape(1);
    std::unique_ptr<double[]> pmf(new double[count * (n + 1)]);
    {
        // Safe without the interpreter: the arguments keep the input alive, and the output is not yet known
        // to anyone.
        nb::gil_scoped_release released;
        support_distribution_batch(probabilities.data(), count, n, tail, pmf.get());
    }
    nb::capsule owner(pmf.get(), [](void* memory) noexcept { delete[] static_cast<double*>(memory); });
    return NumpyRows(pmf.release(), {count, n + 1}, owner);
}

}  // namespace

void bind_support(nb::module_& m) {
    m.def("support_distribution", &support_distribution, nb::arg("probabilities").noconvert(),
          nb::arg("tail"),
          "The Poisson-binomial pmf, (count, n + 1), of every row of probabilities, (count, n).");
}

}  // namespace dugraph::bindings
