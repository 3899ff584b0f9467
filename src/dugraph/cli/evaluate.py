"""`dugraph evaluate`: the paper's protocol on a cohort file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dugraph.cli.output import ExitCode, print_table, progress, say
from dugraph.cli.run import accepted_labels, check_folder, dask_client, without_warnings, write_folder
from dugraph.exceptions import FewerSubgraphsWarning, InputError, LimitReachedWarning
from dugraph.files.text import escaped
from dugraph.settings import EvaluateSettings

if TYPE_CHECKING:
    from dugraph import EvaluationResult, LabelledGraphs

DESCRIPTION = """\
Compare methods on random 80/20 splits: features are mined in the training graphs and used by a ridge
classifier, whose penalty is also chosen there (with --like-paper, by the paper's linear SVM).
Prints a table of error rates, F1, AUC and ranks. The folder contains table.csv, table.md, table.tex, all
values in results.csv, times in timings.csv and the settings in config.toml. Finished parts are saved in
FOLDER/cache: the same command resumes an interrupted run and gives identical results.
With --phenotype, or with labels other than two classes, methods are compared by repeated cross-validation:
phenotypes by correlation, R2 and mean absolute error, groups by macro F1 and balanced accuracy.
A method without features in some split has no mean and no rank. Messages on stderr report this, fewer
subgraphs than requested, and results that a limit left unproven (~ in the table)."""
EXAMPLE = """\
  dugraph evaluate cohort.npz --methods exp-hsic,exp-hsic+div,med-confidence,comparisons -o evaluation
  dugraph evaluate cohort.npz --methods exp-hsic,sparse,baselines -o evaluation
  dugraph evaluate cohort.npz --like-paper adhd --methods all --n-jobs 2 -o evaluation
  dugraph evaluate cohort.npz --phenotype age --covariates site,sex --methods exp-hsic,cpm -o age"""

SETTINGS = EvaluateSettings


def run(settings: EvaluateSettings) -> int:
    """Evaluate, write the files, print the table."""
    from dugraph.data.arguments import counted
    from dugraph.data.labels import CLASSES
    from dugraph.results import record_of
    from dugraph.results.cohort_ref import open_cohort

    check_folder(settings)
    folder = Path(settings.output)
    column, labelled = settings.phenotype, accepted_labels(settings)
    source = open_cohort(
        settings.data,
        "evaluation needs",
        settings.pos_label,
        phenotype=column,
        where=settings.where,
        labelled=labelled,
    )
    classes = column is None and source.cohort.kind == CLASSES
    _refuse_unused(settings, classes)
    result = _evaluate(source.cohort, classes, folder, settings)
    name = escaped(Path(settings.data).name)
    if classes:
        scored = escaped(result.parameters["positive_class"])
        metrics = "error rate and F1" if settings.like_paper else "error rate, F1 and AUC"
        title = f"{name}: {metrics} of {scored} with (rank), mean of "
        title += counted(result.n_splits, "split")
    else:
        beyond = f" beyond {', '.join(map(escaped, settings.covariates))}" if settings.covariates else ""
        title = f"{name}: {escaped(column or result.task)}{beyond}, with (rank), mean of "
        title += counted(result.n_splits, "fold")
    record = record_of(result, source, settings=settings.kept_values())
    # Before the table: if the reader of stdout is gone, the files must not be lost.
    files = write_folder(settings, record, title=title).files
    print_table(result.headline(title), *result.table_cells())
    for note in (*(f"{method}: {why}" for method, why in result.skipped.items()), *result.notes):
        say(f"dugraph: {escaped(note)}")
    for path in files:
        say(f"written: {escaped(path)}")
    return ExitCode.DONE if result.proven else ExitCode.LIMIT_REACHED


def _refuse_unused(settings: EvaluateSettings, classes: bool) -> None:
    """Raise an InputError for options that do not apply to the labels."""
    for name in settings.unused(classes):
        if getattr(settings, name) == settings.options()[name].default:
            continue
        if classes:
            why = "only with --phenotype COLUMN, which is not given. Leave it out, or name the column."
        elif name in settings.of_classes:
            why = "to two classes, not to --phenotype or other labels. Leave it out."
        else:
            why = (
                "to random splits, but a phenotype is predicted in repeated folds. Use --n-folds and "
                "--n-repeats."
            )
        raise InputError(f"--{name.replace('_', '-')} applies {why}")


def _evaluate(
    cohort: "LabelledGraphs", classes: bool, folder: Path, settings: EvaluateSettings
) -> "EvaluationResult":
    from dugraph import RandomSplits, RepeatedFolds, evaluate
    from dugraph.data.columns import named_columns
    from dugraph.evaluation.cells import progress_text

    # Splits and folds are arguments of the splitter.
    elsewhere = {*settings.unused(classes), *settings.of_random_splits, *settings.of_folds} - {"covariates"}
    asked = {name: value for name, value in settings.arguments().items() if name not in elsewhere}
    column, seed = settings.phenotype, settings.random_state
    if classes:
        asked["cv"] = RandomSplits(settings.n_splits, settings.test_size, settings.stratify, seed)
        data: tuple[Any, ...] = (cohort,)
    else:
        folds = {name: getattr(settings, name) for name in ("n_folds", "n_repeats")}
        given = {name: value for name, value in folds.items() if value is not None}
        asked["cv"] = RepeatedFolds(**given, random_state=seed)
        y = cohort.y
        if column in (cohort.graphs.participants or {}):
            y = named_columns([column], "phenotype", cohort.graphs)[column]
        # A column of two numbers is a phenotype, and one of two words names groups.
        asked["task"] = "phenotype" if y.dtype.kind in "iuf" and settings.target != "groups" else "groups"
        data = (cohort.graphs, y)

    def work() -> "EvaluationResult":
        show = progress("evaluating", settings.progress, progress_text, quiet=0.0)
        with dask_client(settings) as client:
            return evaluate(*data, **asked, client=client, cache=folder / "cache", progress=show)

    try:
        return without_warnings(work, reported_later=(FewerSubgraphsWarning, LimitReachedWarning))
    except InputError as error:
        named = column is not None and error.parameter == "y"
        raise (error.renamed("phenotype") if named else error) from error
