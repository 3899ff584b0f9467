#include "support/convolution_tree.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "support/recursion.hpp"

namespace dugraph {
namespace {

constexpr std::size_t longest_piece = 128;  // about where a convolution of two halves becomes cheaper
constexpr std::size_t lanes = 8;

struct Pieces {
    std::size_t count;   // a power of two, so that the tree is balanced
    std::size_t length;  // of each but the last ones, which are padded with probabilities 0

    explicit Pieces(std::size_t n)
        : count(std::max(lanes, std::bit_ceil((n + longest_piece - 1) / longest_piece))),
          length((n + count - 1) / count) {}
};

// A pmf on the stack: entry i is the mass of begin + i.
struct Node {
    double* masses;
    std::size_t size;
    std::size_t begin;
    std::size_t pieces;

    void trim_ends(double budget) {
        const Window kept = trim(masses, {0, size}, budget);
        masses += kept.begin;
        begin += kept.begin;
        size = kept.end - kept.begin;
    }
};

// Nodes that wait for their sibling, organised like a binary counter, so that each node is merged while it is
// still in the cache and a fixed array suffices.
class Stack {
  public:
    Stack(double* memory, double* work, double budget) : free_(memory), work_(work), budget_(budget) {}

    void push(const double* masses, std::size_t size) {
        Node& node = nodes_[height_++] = Node{free_, size, 0, 1};
        std::copy(masses, masses + size, free_);
        node.trim_ends(budget_);
        free_ = node.masses + node.size;
        while (height_ > 1 && nodes_[height_ - 2].pieces == nodes_[height_ - 1].pieces) merge_top();
    }

    const Node& merge_all() {
        while (height_ > 1) merge_top();
        return nodes_[0];
    }

  private:
    void merge_top() {
        const Node& right = nodes_[--height_];
        Node& left = nodes_[height_ - 1];
        convolve(left.masses, left.size, right.masses, right.size, work_, left.masses);
        left.size += right.size - 1;
        left.begin += right.begin;
        left.pieces += right.pieces;
        left.trim_ends(budget_);
        free_ = left.masses + left.size;
    }

    std::array<Node, 65> nodes_;
    std::size_t height_ = 0;
    double* free_;
    double* work_;
    double budget_;
};

}  // namespace

std::size_t convolution_tree_work_size(std::size_t n) {
    const Pieces pieces(n);
    const std::size_t padded = pieces.count * (pieces.length + 1);
    return lanes * (2 * pieces.length + 1) + recursion_eight_work_size(pieces.length) + padded +
           convolution_padding + convolution_work_size(padded, 0);
}

Window convolution_tree(const double* x, std::size_t n, double tail, double* work) {
    const Pieces pieces(n);
    const std::size_t length = pieces.length;
    double* last_pieces = work;
    double* rows = last_pieces + lanes * length;
    double* lanes_work = rows + lanes * (length + 1);
    double* stack_memory = lanes_work + recursion_eight_work_size(length);
    double* convolution_work = stack_memory + pieces.count * (length + 1) + convolution_padding;

    // The mass that a node drops is lost at most once, since its factors have mass at most 1. There are fewer
    // than 2 count nodes with two ends each, so together they neglect at most tail.
    Stack stack(stack_memory, convolution_work, tail / (4.0 * static_cast<double>(pieces.count)));
    for (std::size_t first = 0; first * length < n; first += lanes) {
        const double* piece[lanes];
        double* row[lanes];
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::size_t at = std::min(n, (first + lane) * length);
            row[lane] = rows + lane * (length + 1);
            piece[lane] = x + at;
            if (at + length > n) {  // pad: a probability of 0 changes nothing
                double* padded = last_pieces + lane * length;
                std::fill(std::copy(x + at, x + n, padded), padded + length, 0.0);
                piece[lane] = padded;
            }
        }
        recursion_eight(piece, length, lanes_work, row);
        for (std::size_t lane = 0; lane < lanes; ++lane) stack.push(row[lane], length + 1);
    }
    const Node& all = stack.merge_all();
    std::copy(all.masses, all.masses + all.size, work + all.begin);
    return {all.begin, all.begin + all.size};
}

}  // namespace dugraph
