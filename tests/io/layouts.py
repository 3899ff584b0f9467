"""Folders in the layouts that programs document.

A writer takes a folder to fill and gives the cohort in it; `LAYOUTS` names the writers as docs/files.md does.
"""

from collections.abc import Callable
from functools import partial

import graph_layouts as graphs
import layouts_labs as labs
import layouts_tools as tools
from binary_files import write_conn_v73
from made_up import Expected

LAYOUTS: dict[str, Callable[..., Expected]] = {
    "xcp_d": tools.xcp_d_relmat,
    "xcp_d_old": tools.xcp_d_conmat,
    "giga_connectome": tools.giga_connectome_relmat,
    "xcp_d_series": tools.xcp_d_timeseries,
    "giga_connectome_series": tools.giga_connectome_timeseries,
    "csv_folder": labs.csv_matrices,
    "npy_folder": labs.npy_matrices,
    "txt_folder": labs.txt_matrices,
    "npz_subjects": labs.npz_subjects,
    "abide_pcp": tools.abide_pcp,
    "adhd200": tools.adhd200,
    "fsl": tools.fsl_network,
    "mrtrix": tools.mrtrix_connectomes,
    "conn_project": tools.conn_results,
    "conn_project_v73": partial(tools.conn_results, write=write_conn_v73),
    "xcp_d_cifti": tools.xcp_d_pconn,
    "hcp_series": tools.hcp_ptseries,
    "edge_list": graphs.csv_edge_list,
    "edge_list_parquet": graphs.parquet_edge_list,
    "graphml": graphs.graphml_folder,
    "TU": graphs.tu_dataset,
    "TU_certain": graphs.tu_dataset_certain,
    "array_npy": labs.array_npy,
    "array_npz": labs.array_npz,
    "array_mat": labs.array_mat,
    "hcp_ptn": labs.hcp_netmats,
    "subject_rows": labs.subject_rows,
    "subject_triangles": labs.subject_triangles,
    "series_txt": labs.series_txt,
    "series_csv": labs.series_csv,
    "series_npy": labs.series_npy,
    "series_mat": labs.series_mat,
    "mat_folder": labs.mat_matrices,
    "class_folders": labs.class_folders,
    "subject_folders": labs.subject_folders,
    "named_files": labs.named_files,
    "ssv": labs.ssv_files,
    "edgelists": labs.networkx_edge_lists,
    "csv_edges": labs.csv_edge_lists,
    "brainnet": labs.brainnet_files,
    "halfpipe": tools.halfpipe_series,
    "halfpipe_matrices": tools.halfpipe_matrices,
    "dpabi": tools.dpabi_signals,
    "dpabi_all": tools.dpabi_correlations,
    "dpabi_z": tools.dpabi_fisher_z,
    "afni": tools.afni_netcc,
    "dsi_studio": tools.dsi_studio,
    "qsirecon": tools.qsirecon,
    "braingraph": tools.braingraph,
}
"""The folder that a command of docs/files.md names -> what fills it."""
