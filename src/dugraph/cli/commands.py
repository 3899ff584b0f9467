"""The commands: their settings, where they are carried out, and the texts of their ``--help``."""

from __future__ import annotations

import textwrap
from importlib import import_module
from typing import Any, NamedTuple

from dugraph import settings as of
from dugraph.io.layouts import FORMATS
from dugraph.words import RUNS_FOLDER

_FORMATS = "\n".join(textwrap.wrap(f"Formats: {', '.join(FORMATS)}.", 100, break_on_hyphens=False))


class Command(NamedTuple):
    """A command: `module` has a function of its name, and is imported when the command runs."""

    settings: type[of.Settings]
    module: str
    description: str
    example: str

    @property
    def name(self) -> str:
        """The word on the command line."""
        return self.settings.command

    def run(self, given: of.Settings) -> int:
        """Carry the command out; returns the exit code."""
        function: Any = getattr(import_module(f"dugraph.cli.{self.module}"), self.name)
        return int(function(given))


_COMMANDS = (
    Command(
        of.DemoSettings,
        "demo",
        """\
Simulate a cohort, mine and test it, cross-validate a classifier and write a report, in under a minute.
The cohort resembles the paper's ADHD data: 200 brain networks of 116 regions, half of them patients,
with three planted subgraphs to recover.""",
        "  dugraph demo -o dugraph-demo",
    ),
    Command(
        of.ConvertSettings,
        "convert",
        f"""\
Convert the output files of a pipeline and a table of participants into a cohort file.
The format is recognised by file names and content; docs/files.md lists the command for each pipeline.
The table is --participants, or participants.tsv or participants.csv in the folder.
Matrices are aligned by region name. Ambiguous or invalid input is rejected; each step is printed and recorded
in the cohort file.
{_FORMATS}""",
        """\
  dugraph convert xcp_d --participants xcp_d/participants.tsv --positive patient -o xcp_d.npz
  dugraph convert xcp_d --participants none --select atlas=4S156Parcels --threshold 0.3 -o unlabelled.npz""",
    ),
    Command(
        of.InfoSettings,
        "cohort",
        """\
Describe a cohort file: graphs, classes, nodes, edges, probabilities and provenance.
The first table is a row of Table 3 of the paper: mean edges counts the edges with positive probability
per graph, mean probability is the mean over these, expected edges is the sum of all probabilities.
The second shows how many connected subgraphs exceed an expected frequency; counting stops at 100,000.""",
        "  dugraph info cohort.npz",
    ),
    Command(
        of.SimulateSettings,
        "cohort",
        """\
Simulate a cohort of brain networks with planted discriminative subgraphs.
The planted subgraphs are written next to the cohort: cohort.planted.json for cohort.npz.""",
        "  dugraph simulate --like hiv --n-planted 3 --random-state 1 -o cohort.npz",
    ),
    Command(
        of.MineSettings,
        "mine",
        """\
Find the connected subgraphs that rank highest by a measure of their score (exact search).
The labels are two classes; expected HSIC, the default, also supports several groups, a phenotype, and
covariates. Prints a table. With -o, writes a folder with results.json, results.csv, results.graphml,
BrainNet Viewer files (if the regions have coordinates), the features of all graphs, model.json for
`dugraph transform`, and config.toml: see docs/results.md. With --test, the subfolder test contains the
output of `dugraph test`.
`--config FOLDER/config.toml` repeats a run; flags on the command line override the file.""",
        """\
  dugraph mine cohort.npz --score hsic --measure expectation --n-subgraphs 10 -o results
  dugraph mine cohort.npz --n-subgraphs 10 --max-correlation 0.5
  dugraph mine cohort.npz --min-expected-frequency 0.1 --checkpoint search.npz -o results
  dugraph mine cohort.npz --shard 3/16 -o shards/3
  dugraph mine cohort.npz --phenotype age --covariates site,sex -o age
  dugraph mine cohort.npz --score frequency_ratio --measure phi_probability --phi 1 --time-limit 60""",
    ),
    Command(
        of.PowerSettings,
        "power",
        """\
Compute the power of a test to detect a subgraph, as a function of the number of graphs.
The subgraph has --n-edges edges and the expected --frequencies in the two classes. The critical values
come from a pilot cohort, real or simulated (--like), whose labels are not used. Do not take the frequencies
from a subgraph that is significant in the pilot itself: they are inflated by selection; those that `dugraph
replicate` estimates in a second cohort are not. Prints a table: the power; the probability that the subgraph
is frequent enough to be tested; and the frequency in the positive class that is detected with the target
power. With -o, writes a folder with results.json, results.csv, power.svg, detectable.svg and config.toml.""",
        """\
  dugraph power pilot.npz --n-edges 2 --frequencies 0.5,0.3 -o power
  dugraph power pilot.npz --n-edges 2 --frequencies 0.5,0.3 --n-graphs 80,90,100
  dugraph power --like adhd --n-edges 2 --frequencies 0.6,0.3 --min-expected-frequency 0.2""",
    ),
    Command(
        of.PlanSettings,
        "test",
        """\
Write the plan of a test: its settings, the hash of the graphs, versions and the date.
The labels are not used. `dugraph test COHORT --plan FILE` carries out the plan and rejects other settings and
graphs; the error names each deviation. The message and report of the test state when it was planned. A plan
is a short text file with a checksum, which can be registered. With --n-edges and --frequencies it states the
expected power: see docs/significance.md.""",
        """\
  dugraph plan cohort.npz --blocks site --covariates age,sex --n-edges 2 --frequencies 0.5,0.3 -o plan.toml
""",
    ),
    Command(
        of.TestSettings,
        "test",
        """\
Test all connected subgraphs at once for differences between the classes.
This is a permutation test: the probability of listing any subgraph that does not differ is at most --alpha.
Prints tables. With -o, writes a folder with results.json, results.csv, null_maxima.csv, config.toml, text for
a paper (methods.md, results.md, references.bib), and results.graphml and BrainNet Viewer files of the
subgraphs that share no edge: see docs/significance.md.
With --holdout, subgraphs are found in one part of the cohort and tested again in the other; the results of
the second test are in the subfolder replication.
`--config FOLDER/config.toml` repeats a run; flags on the command line override the file.""",
        """\
  dugraph test cohort.npz --blocks site --covariates age,sex --report -o test
  dugraph test cohort.npz -o test
  dugraph test cohort.npz --phenotype age --blocks site -o age
  dugraph test cohort.npz --blocks site --holdout 0.5 --report -o both""",
    ),
    Command(
        of.ReplicateSettings,
        "test",
        """\
Test the subgraphs found in one cohort in another cohort.
Regions and classes are matched by name. Each subgraph is tested in the direction found in the first
cohort; the probability of confirming any subgraph that does not differ in the second one is at most --alpha.
Blocks and covariates are those of the test, unless others are given. The graphs of the first cohort are not
needed, only the folder of its test. Prints a table with the effects of both cohorts. With -o, writes a folder
with results.json, results.csv, blocks.csv (with --blocks site, the effects in each site), null_maxima.csv of
the first test, config.toml, and results.graphml and BrainNet Viewer files of the confirmed subgraphs: see
docs/significance.md.""",
        """\
  dugraph replicate test second.npz --report -o replication
  dugraph replicate test second.npz --blocks site --covariates age,sex -o replication""",
    ),
    Command(
        of.SensitivitySettings,
        "power",
        """\
Repeat a test under several settings and compare the edges that are found.
Tests every combination of frequency limits, statistics and thresholds, and, with --also, of cohort files of
the same participants that were converted with other probability maps. Prints what each setting finds, and the
edges found by most settings. This is exploratory: it does not show which setting is right, and p-values
are not valid for a setting that was chosen from these.
With -o, writes a folder with results.json, results.csv (the edges), settings.csv, jaccard.csv, jaccard.svg,
edges.svg and config.toml: see docs/significance.md.""",
        """\
  dugraph sensitivity cohort.npz --blocks site -o sensitivity
  dugraph sensitivity cohort.npz --min-expected-frequencies 0.1,0.2 --statistics z,difference,t
  dugraph sensitivity cohort.npz --also absolute.npz,threshold.npz --thresholds 0,0.3""",
    ),
    Command(
        of.SparseSettings,
        "sparse",
        """\
Fit a linear model over all connected subgraphs, with an L1 penalty that selects a few complementary ones.
With two classes it is a classifier, and positive coefficients favour the positive class; with several groups
there is one model for each group against the rest; for a numeric phenotype (more than two values) it is a
regression. Covariates are not penalised and are also required for prediction.
Prints a table. With -o, writes a folder with the files of `dugraph mine`, and path.csv with all penalties:
see docs/sparse.md and docs/results.md.
`--config FOLDER/config.toml` repeats a run; flags on the command line override the file.""",
        """\
  dugraph sparse cohort.npz --n-nonzero 10 --min-expected-frequency 0.3 -o model
  dugraph sparse cohort.npz --alpha 0.02
  dugraph sparse cohort.npz --alpha cv --cv 3 --n-alphas 10 --report -o model
  dugraph sparse cohort.npz --phenotype age --covariates site,sex -o age
  dugraph sparse cohort.npz --phenotype diagnosis --n-nonzero 5 -o diagnoses""",
    ),
    Command(
        of.TransformSettings,
        "cohort",
        """\
Apply a saved model to new graphs: compute the probability that each contains each subgraph of the model.
The model is the folder written by `dugraph mine -o`, `sparse -o` or `test -o`, or a model.json. For a test,
the irreducible significant subgraphs are used. Regions, edges, layers and covariates are matched by name,
in any order; if one that the model needs is missing, the error names it and nothing is written. The columns
are the graph ids; the classes, if the cohort has any; for a sparse classifier, predicted_class, decision and
the probability of the last class in sorted order (which positive decisions favour); for a sparse regression,
forecast; and one column for each subgraph.""",
        """\
  dugraph transform results cohort.npz -o features.csv
  dugraph transform results/model.json cohort.npz -o features.parquet""",
    ),
    Command(
        of.EvaluateSettings,
        "evaluate",
        """\
Compare methods on random 80/20 splits.
Features are mined in the training graphs and used in a ridge classifier, whose penalty is also chosen there
(with --like-paper, by the paper's linear SVM).
Prints a table of error rates, F1, AUC and ranks. The folder contains table.csv, table.md, table.tex, all
values in results.csv, times in timings.csv and the settings in config.toml. Finished parts are saved in
FOLDER/cache: the same command resumes an interrupted run and gives identical results.
With --phenotype, or with labels other than two classes, methods are compared by repeated cross-validation:
phenotypes by correlation, R2 and mean absolute error, groups by macro F1 and balanced accuracy.
A method without features in some split has no mean and no rank. Messages on stderr report this, fewer
subgraphs than requested, and results not proven because of a limit (~ in the table).""",
        """\
  dugraph evaluate cohort.npz --methods exp-hsic,exp-hsic+div,med-confidence,comparisons -o evaluation
  dugraph evaluate cohort.npz --methods exp-hsic,sparse,baselines -o evaluation
  dugraph evaluate cohort.npz --like-paper adhd --methods all --n-jobs 2 -o evaluation
  dugraph evaluate cohort.npz --phenotype age --covariates site,sex --methods exp-hsic,cpm -o age""",
    ),
    Command(
        of.ReportSettings,
        "app",
        """\
Write the results of a folder as one self-contained HTML page.
The page shows the contents of the folder: the subgraphs of `dugraph mine -o` or `sparse -o`, the significant
subgraphs of `test -o`, or the splits of `evaluate -o`. --test and --evaluation combine several of these. It
also shows the cohort, which is read from the path in the results. Participants are numbered on the page;
--with-ids shows their ids.""",
        """\
  dugraph report results
  dugraph report results --test test --evaluation evaluation -o for-the-clinic.html""",
    ),
    Command(
        of.PlotSettings,
        "app",
        """\
Draw the results of a folder as a figure for a paper.
Subgraphs of `dugraph test -o`, `mine -o`, `sparse -o` and `replicate -o` are drawn on the brain, as a matrix
or as a circle of regions. For `evaluate -o`, the figure shows the first metric against the number of
subgraphs. The extension, .pdf, .svg or .png, sets the format; text in .pdf and .svg can be edited.
Regions and their coordinates are read from the cohort file. Requires matplotlib: pip install 'dugraph[plot]'.
""",
        """\
  dugraph plot test -o figure-1.pdf
  dugraph plot test -o families.svg --family each --view above,left --width two
  dugraph plot test -o circle.png --kind chord --dpi 600""",
    ),
    Command(
        of.MergeSettings,
        "mine",
        """\
Merge the shards of a job array into the results of one `dugraph mine` or `dugraph test`.
Shards come from `dugraph mine cohort.npz --shard 1/2 -o shards/1` and so on. Name every shard of a run
exactly once. If the search of a shard reached a limit, the merged list is the best so far. The files in
-o are identical to those of a run without shards, except for the counters: see docs/clusters.md.""",
        "  dugraph merge shards/1 shards/2 -o merged",
    ),
    Command(
        of.AppSettings,
        "app",
        f"""\
Analyse a study in the browser, from its files to the report.
Serves pages on this computer only and opens them in a browser. Each step is a dugraph command, which the
page shows; each run has a folder in {RUNS_FOLDER} and continues when the browser or the app is closed.
Requires the extra app: pip install 'dugraph[app]'.""",
        """\
  dugraph app study
  dugraph app study shared/atlases --no-browser""",
    ),
    Command(
        of.DoctorSettings,
        "doctor",
        """\
Show versions, compiler, instruction set, threads, memory, and missing extras.
Also checks the compiled core against the NumPy reference on a small cohort. The exit code is 1 if dugraph
cannot run here; a missing extra is only reported. Paste the output into bug reports.""",
        "  dugraph doctor",
    ),
)
COMMANDS = {command.name: command for command in _COMMANDS}
"""In the order of ``dugraph --help``."""
