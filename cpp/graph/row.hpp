// A row of probabilities, one per graph, in the precision of the input. Single precision is converted to
// double on reading, which is exact: the result is bit-identical, in half the memory.
#pragma once

namespace dugraph {

struct Row {
    Row(const double* row) : wide(row) {}  // implicit, for rows of doubles
    explicit Row(const float* row) : narrow(row) {}

    const double* wide = nullptr;
    const float* narrow = nullptr;  // one of the two
};

}  // namespace dugraph
