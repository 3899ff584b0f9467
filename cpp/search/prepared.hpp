// What a search knows of a cohort before it starts; several searches of one cohort can share it.
#pragma once

#include <atomic>
#include <memory>

#include "search/cohort.hpp"
#include "search/pair_table.hpp"

namespace dugraph {

struct Prepared {
    // After a stop the table of pairs is incomplete, and no search may use it but one that is stopped itself.
    Prepared(const Input& input, const std::atomic<bool>& stop);

    Cohort cohort;
    PairTable pairs;
};

// As search_subgraphs(input, poll), preparing only once: what `prepared` holds is used, else it is filled,
// unless the search is stopped meanwhile. The cohort of `input` and its limits of admission must be the same
// each time.
Result search_subgraphs(const Input& input, std::unique_ptr<const Prepared>& prepared, const Poll& poll);

}  // namespace dugraph
