// A runner in a page: TEST(name) { CHECK(...); }. No framework, so that the core's tests build wherever the
// core does.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace check {

struct Test {
    std::string name;
    std::function<void()> run;
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

struct Failure {
    std::string what;
};

struct Registered {
    Registered(std::string name, std::function<void()> run) {
        tests().push_back({std::move(name), std::move(run)});
    }
};

inline void require(bool holds, const char* text, const char* file, int line, const std::string& more) {
    if (holds) return;
    std::ostringstream what;
    what << file << ":" << line << ": " << text << " " << more;
    throw Failure{what.str()};
}

// So many rounds in the suite, and more of them in a soak.
inline int rounds(int in_suite, int in_soak) { return std::getenv("DUGRAPH_SOAK") ? in_soak : in_suite; }

// Whether two numbers agree to a share of their size, or to an absolute error.
inline bool near(double a, double b, double relative, double absolute = 0) {
    return std::fabs(a - b) <= relative * std::fmax(std::fabs(a), std::fabs(b)) + absolute;
}

inline double sum(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

// Numbers of all shapes that a containment probability has: uniform, certain, tiny, nearly one.
class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    // The distributions of the standard library differ between its implementations; these do not.
    double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
    std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }
    std::vector<double> probabilities(std::size_t n) {
        const std::size_t kind = below(5);
        std::vector<double> x(n);
        for (double& value : x) {
            const double u = uniform();
            value = kind == 0   ? u
                    : kind == 1 ? std::pow(u, 8)
                    : kind == 2 ? 1 - std::pow(u, 8)
                    : kind == 3 ? (u < 0.3   ? 0
                                   : u > 0.7 ? 1
                                             : uniform())
                                : (u < 0.5 ? 0.001 : 0.999);
        }
        return x;
    }

  private:
    std::mt19937_64 engine_;
};

}  // namespace check

#define CHECK(condition) ::check::require((condition), #condition, __FILE__, __LINE__, "")
#define CHECK_WITH(condition, more) ::check::require((condition), #condition, __FILE__, __LINE__, (more))
#define TEST(name)                                                   \
    static void name();                                              \
    static const ::check::Registered registered_##name(#name, name); \
    static void name()
