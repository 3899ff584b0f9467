"""Writers of single binary files: CONN's results as MATLAB saves them, CIFTI-2 as Workbench does."""

import h5py
import nibabel
import numpy as np
from nibabel.cifti2 import BrainModelAxis, Cifti2Image, ParcelsAxis, SeriesAxis
from scipy.io import savemat

# MATLAB's header: text, offset of a subsystem, version 2, byte order.
V73_HEADER = b"MATLAB 7.3 MAT-file, Platform: GLNXA64, HDF5 schema 1.00 .".ljust(124) + b"\x00\x02IM"


def cell(values):
    array = np.empty((1, len(values)), dtype=object)
    array[0] = [value if isinstance(value, str) else np.atleast_2d(value) for value in values]
    return array


def write_conn_v7(file, z, names, targets, xyz, **more):
    """What CONN saves: also the regressors and degrees of freedom, which no one reads here."""
    variables = {"Z": z, "regressors": z, "names": cell(names), "names2": cell(targets)}
    variables |= {"xyz": cell(list(xyz)), "SE": np.ones_like(z), "DOF": 100.0}
    savemat(file, variables | more, do_compression=True)


def write_conn_v73(file, z, names, targets, xyz):
    """The same as MATLAB writes it with -v7.3: HDF5 after 512 bytes, transposed, cells by reference."""
    with h5py.File(file, "w", userblock_size=512) as opened:
        put(opened, "Z", z, "double", compression="gzip", compression_opts=3, chunks=z.T.shape)
        put_cell(opened, "names", names)
        put_cell(opened, "names2", targets)
        put_cell(opened, "xyz", list(xyz))
        put(opened, "DOF", np.array([[100.0]]), "double")
    with open(file, "r+b") as stream:
        stream.write(V73_HEADER)


def put(place, name, array, matlab_class, **how):
    dataset = place.create_dataset(name, data=np.atleast_2d(array).T, **how)
    dataset.attrs["MATLAB_class"] = np.bytes_(matlab_class)
    return dataset


def put_cell(opened, name, values):
    place = opened.require_group("#refs#")
    references = []
    for value in values:
        key = f"r{len(place)}"
        if isinstance(value, str):
            letters = np.frombuffer(value.encode("utf-16-le"), dtype="<u2")
            put(place, key, letters, "char").attrs["MATLAB_int_decode"] = np.int32(2)
        else:
            put(place, key, value, "double")
        references.append(place[key].ref)
    dataset = opened.create_dataset(name, (len(values), 1), dtype=h5py.ref_dtype)
    dataset[:, 0] = references
    dataset.attrs["MATLAB_class"] = np.bytes_("cell")


def parcels(names):
    surface = [
        (name, BrainModelAxis.from_surface([3 * i, 3 * i + 1], 100, "CortexLeft"))
        for i, name in enumerate(names)
    ]
    return ParcelsAxis.from_brain_models(surface)


def write_pconn(file, matrix, names, rows=None):
    header = nibabel.cifti2.Cifti2Header.from_axes((parcels(rows or names), parcels(names)))
    image = Cifti2Image(np.float32(matrix), header)
    image.nifti_header.set_intent(3003, name="ConnParcels", allow_unknown=True)
    image.to_filename(file)


def write_ptseries(file, series, names):
    header = nibabel.cifti2.Cifti2Header.from_axes((SeriesAxis(0, 0.72, len(series)), parcels(names)))
    image = Cifti2Image(np.float32(series), header)
    image.nifti_header.set_intent(3004, name="ConnParcelSries", allow_unknown=True)
    image.to_filename(file)
