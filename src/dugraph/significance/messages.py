"""What a test says: its claim with the assumption, or why there is none."""

from __future__ import annotations

from dugraph.data.phenotype import Phenotype
from dugraph.data.wording import counted
from dugraph.exceptions import InputError, Setting, ShardDone, UnfinishedTestError

GUARANTEE = "The probability of listing"
"""How the second part of a claim begins."""


def claim(
    phenotype: Phenotype,
    *,
    alpha: float,
    n_significant: int,
    n_representative: int,
    n_tested: int,
    smallest_p: float,
    blocks_given: bool,
    adjusted: bool,
    permute: str,
) -> str:
    """The claim and what it assumes, in sentences that can be quoted."""
    what = {
        "classes": f"differ between the classes ({phenotype.contrasts[0]})",
        "phenotype": "vary with the phenotype",
        "groups": f"differ among the {len(phenotype.contrasts)} groups",
    }[phenotype.kind]
    if n_significant:
        found = (
            f"{n_significant:,} of {counted(n_tested, 'connected subgraph')} {what}; {n_representative:,} of "
            "them share no edge."
        )
    else:
        found = (
            f"None of {counted(n_tested, 'connected subgraph')} is shown to {what}; the smallest adjusted "
            f"p-value is {smallest_p:.3g}."
        )
    labels = "phenotype" if phenotype.kind == "phenotype" else "labels"
    return f"{found} {_guarantee(labels, alpha, blocks_given, adjusted, permute)}"


def _guarantee(labels: str, alpha: float, blocks_given: bool, adjusted: bool, permute: str) -> str:
    within = " within blocks" if blocks_given and permute == "within" else ""
    given = f"{within} given the covariates" if adjusted else within
    movable = {
        "within": f"labels are exchangeable{within}",
        "whole": "blocks of the same size are exchangeable",
    }
    assumption = movable[permute]
    if adjusted:
        assumption += " given the covariates, with log odds of the labels that are linear in these"
    bound = "is about" if adjusted else "is at most"
    return (
        f"{GUARANTEE} any subgraph whose presence is independent of the {labels}{given} {bound} {alpha:g}, "
        f"provided that {assumption}, and that the test and the probabilities were fixed without looking at "
        f"the {labels}. A subgraph is significant as a whole; single edges in it may contribute nothing."
    )


def unfinished(n_visited: int) -> UnfinishedTestError:
    """The error of a time limit: partial maxima would give p-values that are too small."""
    return UnfinishedTestError(
        InputError(
            f"The time limit was reached after {counted(n_visited, 'subgraph')}, so there are no p-values: "
            "the largest statistics over only part of the subgraphs are too small, and so would be "
            "p-values computed from them.",
            parameter="time_limit",
            way_out=(
                *("Raise ", Setting("time_limit"), " or ", Setting("min_expected_frequency")),
                *(", or set ", Setting("max_edges"), "."),
            ),
        )
    )


def shard_done(shard: object) -> ShardDone:
    """What ends a shard: its maxima are in its file, and p-values need those of all."""
    return ShardDone(
        InputError(f"Shard {shard} is done; the p-values come from merging all shards.", parameter="shard")
    )
