"""`dugraph plot`: the results in a folder as a figure for a paper."""

from dugraph.cli.output import ExitCode
from dugraph.files.text import escaped
from dugraph.settings import PlotSettings

DESCRIPTION = """\
Draw the results of a folder as a figure for a paper.
Subgraphs of `dugraph test -o`, `mine -o`, `sparse -o` and `replicate -o` are drawn on the brain, as a matrix
or as a circle of regions. For `evaluate -o`, the figure shows the first metric against the number of
subgraphs. The extension, .pdf, .svg or .png, sets the format; text in .pdf and .svg can be edited.
Regions and their coordinates are read from the cohort file. Needs matplotlib: pip install 'dugraph[plot]'."""
EXAMPLE = """\
  dugraph plot test -o figure-1.pdf
  dugraph plot test -o families.svg --family each --view above,left --width two
  dugraph plot test -o circle.png --kind chord --dpi 600"""

SETTINGS = PlotSettings


def run(settings: PlotSettings) -> int:
    """Draw the figure, write it and print its path."""
    from dugraph.plot.figure import check_figure_path, draw_record, save_figure
    from dugraph.results import load_result

    check_figure_path(settings.output)
    record = load_result(settings.folder, data=settings.data)
    figure = draw_record(record, **settings.arguments())
    print(escaped(save_figure(figure, settings.output, dpi=settings.dpi)))
    return ExitCode.DONE
