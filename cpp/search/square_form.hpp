// The expectation of a squared difference of supports, scale (a q - b p)^2, in closed form: bounds in O(1),
// the value in O(n). See docs/search.md.
#pragma once

#include <algorithm>

#include "search/kernels.hpp"
#include "search/rows.hpp"

namespace dugraph {

struct SquareForm {
    double scale, p, q;

    explicit operator bool() const { return scale > 0; }

    // At most this for expected supports a and b: E a^2 <= a + a^2 (1 - 1/p), with equality when all x are
    // equal. The margin belongs to the terms: their difference may be small.
    double own_bound(double a, double b) const {
        const double pos = q * q * (a + a * a * (1 - 1 / p)), neg = p * p * (b + b * b * (1 - 1 / q));
        return scale * ((pos + neg) * (1 + screen_margin) - 2 * p * q * a * b);
    }
    // Convex along both axes and along a + b = limit, hence largest at a corner of what is admissible.
    double subtree_bound(const ClassMass& mass, double limit) const {
        const double a = mass.pos, b = mass.neg;
        return std::max({own_bound(a, b), own_bound(a, std::max(0.0, limit - a)),
                         own_bound(std::max(0.0, limit - b), b)});
    }
    // E (aq - bp)^2 = q^2 E a^2 + p^2 E b^2 - 2pq AB with E a^2 = A + A^2 - sum x^2: a hair more, a hair
    // less.
    double most(const ClassMass& mass, const ClassMass& squares) const { return value(mass, squares, 1); }
    double least(const ClassMass& mass, const ClassMass& squares) const { return value(mass, squares, -1); }
    // The mean over worlds of the larger of (aq)^2 and (bp)^2 is at least the larger mean; a hair less.
    double least_worldwise(const ClassMass& mass, const ClassMass& squares) const {
        const ClassMass means = terms(mass, squares);
        return std::max(means.pos, means.neg) * (1 - screen_margin) * scale;
    }

  private:
    ClassMass terms(const ClassMass& mass, const ClassMass& squares) const {
        const double a = mass.pos, b = mass.neg;
        return {q * q * (a + a * a - squares.pos), p * p * (b + b * b - squares.neg)};
    }
    double value(const ClassMass& mass, const ClassMass& squares, double side) const {
        const ClassMass means = terms(mass, squares);
        const double sum = means.pos + means.neg;
        return (sum - 2 * p * q * mass.pos * mass.neg + side * screen_margin * sum) * scale;
    }
};

}  // namespace dugraph
