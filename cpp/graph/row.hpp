// A row of probabilities, one per graph, in the precision in which they were given. Single precision is made
// double as it is read, which is exact: the answer is the same to the byte, in half the memory.
#pragma once

namespace dugraph {

struct Row {
    Row(const double* row) : wide(row) {}  // implicit: any row of doubles will do
    explicit Row(const float* row) : narrow(row) {}

    const double* wide = nullptr;
    const float* narrow = nullptr;  // one of the two
};

}  // namespace dugraph
