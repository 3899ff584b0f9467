"""The table of layouts: the names of the files that programs write, and the functions that read them.

The functions are named, so that ``--help`` lists the formats without importing the readers. `detection` finds
the layout of a folder and calls them. CONTRIBUTING.md ("Adding a file format") has the recipe.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Layout:
    """One layout of files; functions are named as "module.function" of `dugraph.io`.

    A layout has one of three readers. With one file per subject, `load` reads one file after the other:
    ``(file: Path, options: ReadOptions) -> Sample``; or `read` reads all:
    ``(subjects: Subjects, options: ReadOptions) -> Connectomes``. With all subjects in one file, it is
    `read_all`: ``(found: InputFiles, files: list[Path], options: ReadOptions) -> Connectomes``.

    Attributes
    ----------
    name, description, files : str
        The name for ``--format``, one line, and the names of the files, as docs/files.md shows them.
    pattern : str
        A regular expression for the entire names of the files.
    place : {"below", "top", "each"}
        Files are anywhere below the folder; directly in it, or the one file that is named; or one per
        subject, directly in the folder or else below it.
    accepts : str
        ``(found: InputFiles, files: list[Path]) -> bool``: whether the files have this layout, if their names
        do not decide. It may read the head of one file, and never raises.
    on_request, general : bool
        The layout is never detected; it is chosen only if no other fits.
    subjects : str
        ``(found: InputFiles, named: list[NamedFile], options: ReadOptions) -> Subjects``, which takes ids
        from names without opening files; by default from the group ``sub`` of the pattern or from BIDS.
    kind : str
        For `load`, the kind of the values unless the user states it, or
        ``(subjects: Subjects, options: ReadOptions) -> str``. "series" for all layouts of time series.
    takes : tuple of str
        The special fields of `ReadOptions` that apply, "select" if it chooses among the files of a subject;
        others are refused.
    """

    name: str
    description: str
    files: str
    pattern: str
    place: str = "below"
    accepts: str = ""
    on_request: bool = False
    general: bool = False
    subjects: str = "input_files.by_entities"
    load: str = ""
    kind: str = "correlation"
    read: str = ""
    read_all: str = ""
    takes: tuple[str, ...] = ()


_TABLE = r"(?i:.*\.(csv|tsv|txt))"
_ARRAY = r"(?i:.*\.(npy|npz|mat))"
_VARIABLES = ("variable", "names_variable")

LAYOUTS: tuple[Layout, ...] = (
    Layout(
        "bids-relmat",
        "BIDS derivatives with one connectivity matrix per subject: XCP-D, giga_connectome, HALFpipe",
        "`sub-*/[ses-*/]func/sub-*_relmat.tsv` (older: `_conmat.tsv`; HALFpipe: `_matrix.tsv`)",
        pattern=r"sub-.*_(relmat|conmat|matrix)\.tsv",
        load="matrix_files.load_matrix",
        kind="matrix_files.kind_by_measure",
        takes=("select",),
    ),
    Layout(
        "bids-timeseries",
        "BIDS derivatives with the series of all regions per subject: XCP-D, giga_connectome, HALFpipe",
        "`sub-*/[ses-*/]func/sub-*_atlas-*_timeseries.tsv` (or `_seg-*`)",
        # Confounds of fMRIPrep have the same ending, but neither atlas nor segmentation.
        pattern=r"sub-.*_(atlas|seg)-.*_timeseries\.tsv",
        load="series.load_series",
        kind="series",
        takes=("select",),
    ),
    Layout(
        "cpac-series",
        "series of all regions per subject: C-PAC, ABIDE Preprocessed",
        "`[PIPELINE/STRATEGY/rois_ATLAS/]SUBJECT_rois_ATLAS.1D`",
        # The FILE_ID of ABIDE is the site, which may hold underscores, and seven digits: UCLA_1_0051201.
        pattern=r"(?P<sub>.+)_rois_(?P<atlas>[A-Za-z0-9-]+)\.1D",
        subjects="series.cpac_subjects",
        load="series.load_cpac",
        kind="series",
        takes=("select",),
    ),
    Layout(
        "adhd200-series",
        "series of all regions per subject: ADHD-200 Preprocessed, Athena pipeline",
        "`[SITE/ID/]sfnwmrdaID_session_1_rest_1_ATLAS_TCs.1D` (unfiltered: `snwmrda`)",
        # The letters are the steps of the pipeline: f stands for the band-pass filter.
        pattern=r"s(?P<filtered>f?)nwmrda(?P<sub>\d{7})_session_(?P<session>\d+)_rest_(?P<run>\d+)"
        r"_(?P<atlas>[A-Za-z0-9]+)_TCs\.1D",
        subjects="series.adhd200_subjects",
        load="series.load_adhd200",
        kind="series",
        takes=("select",),
    ),
    Layout(
        "fsl-network",
        "counts of streamlines between regions: FSL probtrackx2 --network",
        "`SUBJECT/[.../]fdt_network_matrix`, with `waytotal` in the same folder",
        pattern="fdt_network_matrix",
        subjects="matrix_files.fsl_subjects",
        load="matrix_files.load_fsl",
        kind="count",
    ),
    Layout(
        "mrtrix",
        "counts of streamlines between regions: MRtrix3 tck2connectome",
        "`SUBJECT_connectome.csv` or `SUBJECT/connectome.csv`",
        pattern=r"(?:(?P<sub>.+)[_-])?connectome\.csv",
        accepts="detection.has_counts",
        subjects="matrix_files.mrtrix_subjects",
        load="matrix_files.load_matrix",
        kind="count",
    ),
    Layout(
        "cifti-pconn",
        "CIFTI-2 matrices between parcels: HCP's Workbench, XCP-D",
        "`*.pconn.nii`",
        pattern=r"(?P<plain>.*)\.pconn\.nii",
        load="toolboxes.load_pconn",
        kind="matrix_files.kind_by_measure",
        takes=("select",),
    ),
    Layout(
        "cifti-ptseries",
        "CIFTI-2 series of parcels: HCP's Workbench, XCP-D",
        "`*.ptseries.nii`",
        pattern=r"(?P<plain>.*)\.ptseries\.nii",
        load="toolboxes.load_ptseries",
        kind="series",
        takes=("select",),
    ),
    Layout(
        "conn",
        "CONN toolbox, first-level results: Fisher z between regions, one file per subject and condition",
        "`results/firstlevel/SBC_01/resultsROI_Subject001_Condition001.mat`",
        pattern=r"resultsROI_(?P<sub>Subject\d+)_Condition(?P<condition>\d+)\.mat",
        subjects="toolboxes.conn_subjects",
        load="toolboxes.load_conn",
        kind="fisher_z",
        takes=("select",),
    ),
    Layout(
        "dpabi-signals",
        "DPABI, DPARSF: ROISignals_SUBJECT, the series of all regions per subject",
        "`ROISignals_SUBJECT.mat` or `.txt`",
        pattern=r"ROISignals_(?P<sub>.+)\.(mat|txt)",
        subjects="matrix_files.dpabi_subjects",
        load="series.load_dpabi_series",
        kind="series",
        takes=("variable",),
    ),
    Layout(
        "dpabi-correlations",
        "DPABI, DPARSF: ROICorrelation_SUBJECT or ROICorrelation_FisherZ_SUBJECT",
        "`ROICorrelation_SUBJECT.mat` or `.txt`; without these `ROICorrelation_FisherZ_SUBJECT`",
        pattern=r"ROICorrelation_(FisherZ_)?(?P<sub>.+)\.(mat|txt)",
        subjects="matrix_files.dpabi_subjects",
        load="matrix_files.load_dpabi_matrix",
        kind="matrix_files.kind_by_fisher",
        takes=("variable",),
    ),
    Layout(
        "afni-netcc",
        "AFNI 3dNetCorr: SUBJECT_000.netcc, correlations between the regions of a network",
        "`SUBJECT[_000].netcc`; `--variable FZ` reads FZ instead of CC",
        # 3dNetCorr numbers the networks of a subject after its prefix.
        pattern=r"(?P<sub>.+?)(?:_(?P<network>\d{3}))?\.netcc",
        read="toolboxes.read_netcc",
        takes=("select", "variable"),
    ),
    Layout(
        "connectivity-mat",
        "DSI Studio, QSIRecon: *connectivity.mat, one matrix or many per subject",
        "`SUBJECT*connectivity.mat` of versions 4 to 7.3; `--variable` where there are several matrices",
        pattern=r"(?P<plain>[^.]+?)(\..*)?[._-]connectivity\.mat",
        read="toolboxes.read_connectivity",
        takes=("select", *_VARIABLES),
    ),
    Layout(
        "hcp-netmats",
        "HCP's netmats1.txt, one row of all pairs per subject, with subjectIDs.txt",
        "`netmats1.txt` or `netmats2.txt` (`--select netmats=1`), with `subjectIDs.txt` in its folder or "
        "up to two above",
        pattern=r"netmats\d\.txt",
        read_all="matrix_files.read_netmats",
        takes=("select",),
    ),
    Layout(
        "npz-subjects",
        "one .npz per subject with the arrays connectivity and labels",
        "`FOLDER/SUBJECT.npz` with the arrays `connectivity` and `labels`",
        pattern=r"(?i:.*\.npz)",
        place="each",
        accepts="detection.have_labels",
        subjects="input_files.by_file_name",
        load="matrix_files.load_npz",
        takes=_VARIABLES,
    ),
    Layout(
        "array",
        "one array of all matrices, (subjects, regions, regions) or (regions, regions, subjects)",
        "`FILE.npy`, `.npz` or `.mat` with one array of three axes (`--variable`, `--names-variable`)",
        pattern=_ARRAY,
        place="top",
        accepts="detection.is_one_array",
        read_all="matrix_files.read_array",
        general=True,
        takes=_VARIABLES,
    ),
    Layout(
        "subject-rows",
        "one table with a row per subject and a column per edge",
        "`FILE.csv`, `.tsv` or `.txt` with a row per subject: columns `A--B`, or a triangle (`--triangle`)",
        pattern=_TABLE,
        place="top",
        accepts="detection.names_edges",
        read_all="matrix_files.read_subject_rows",
        takes=("triangle",),
    ),
    Layout(
        "edge-list",
        "one table with a row per edge of a graph",
        "`FILE.csv`, `.tsv`, `.txt` or `.parquet` with the columns `graph_id`, `source`, `target`, "
        "`probability` (`layer`, `y`)",
        pattern=rf"{_TABLE}|(?i:.*\.(parquet|pq))",
        place="top",
        accepts="detection.is_edge_list",
        read_all="edge_lists.read_edge_list",
    ),
    Layout(
        "edge-lists",
        "one edge list per subject: .edgelist, .ssv, or .csv with the columns source and target",
        "`FOLDER/SUBJECT.edgelist`, `.ssv`, or `.csv`, `.tsv`, `.txt` with the columns `source`, `target`",
        pattern=rf"{_TABLE}|(?i:.*\.(edgelist|ssv))",
        place="each",
        accepts="detection.are_edge_lists",
        subjects="edge_lists.edge_list_subjects",
        read="edge_lists.read_edge_lists",
    ),
    Layout(
        "brainnet",
        "BrainNet Viewer: one .edge matrix per subject, with a .node file of positions and labels",
        "`FOLDER/SUBJECT.edge`, with a `.node` file for all, or one of the same name for each",
        pattern=r"(?i:.*\.edge)",
        place="each",
        subjects="matrix_files.brainnet_subjects",
        load="matrix_files.load_brainnet",
    ),
    Layout(
        "graphml",
        "a folder with one GraphML file per subject, named after the subject",
        "`FOLDER/SUBJECT.graphml` with the edge attribute `probability`, or another (`--edge-attribute`; "
        "`layer`; nodes: `label` or `name`, `x`, `y`, `z`)",
        pattern=r"(?i:.*\.graphml)",
        place="top",
        subjects="input_files.by_file_name",
        read="graph_files.read_graphml",
        takes=("edge_attribute",),
    ),
    Layout(
        "tu-dataset",
        "a TUDataset of brain networks: node labels are regions, graph labels are classes",
        "`DS/DS_A.txt`, `DS_graph_indicator.txt`, `DS_graph_labels.txt`, `DS_node_labels.txt`, and "
        "optionally `DS_edge_attributes.txt`",
        pattern=r".+_A\.txt",
        place="top",
        accepts="detection.has_indicator",
        read_all="graph_files.read_tu",
    ),
    Layout(
        "series",
        "one table of time points by regions per subject, named after the subject",
        "`FOLDER/SUBJECT.csv`, `.tsv`, `.txt`, `.1D`, `.npy`, `.npz` or `.mat`; read only if requested",
        pattern=rf"{_TABLE}|{_ARRAY}|(?i:.*\.1d)",
        place="each",
        # A matrix that was cut short looks like series, so the user must say so.
        on_request=True,
        subjects="input_files.by_file_name",
        read="series.read_series_files",
        kind="series",
        takes=(*_VARIABLES, "time_axis"),
    ),
    Layout(
        "matrices",
        "one square matrix per subject, in one folder, a folder per subject or a folder per class",
        "`FOLDER/SUBJECT.csv`, `.tsv`, `.txt`, `.npy`, `.npz` or `.mat`, `FOLDER/SUBJECT/FILE` or "
        "`FOLDER/CLASS/SUBJECT.csv`; used when no other format fits",
        pattern=rf"{_TABLE}|{_ARRAY}",
        place="each",
        accepts="detection.is_not_one_array",
        subjects="input_files.by_file_name",
        load="matrix_files.load_matrix",
        kind="matrix_files.kind_by_fisher",
        general=True,
        takes=_VARIABLES,
    ),
)
"""Special layouts first; the docs list them in this order."""

FORMATS = tuple(one.name for one in LAYOUTS)
