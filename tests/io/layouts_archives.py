"""Writers of the layouts of ABIDE Preprocessed and ADHD-200 Preprocessed: .1D files and phenotype tables."""

from pathlib import Path

from made_up import GROUPS, Expected, correlations, random_series

AAL_NUMBERS = ("2001", "2002", "2101", "2102", "2111")
ABIDE_IDS = ("Caltech_0051456", "KKI_0050772", "NYU_0050952", "UCLA_1_0051201")
ADHD_IDS = ("0010001", "0010002", "0026001", "1018959")
ADHD_HEADER = "File\tSub-brick\t" + "\t".join(f"Mean_{number}  " for number in AAL_NUMBERS) + "\n"


def abide_pcp(folder: Path, series=None, where="cpac/filt_global/rois_aal") -> Expected:
    """ABIDE Preprocessed as its bucket has it: numbers after # in the header, subjects without a file."""
    series = random_series(8) if series is None else series
    place = folder / where
    place.mkdir(parents=True, exist_ok=True)
    header = "\t".join(f"#{number}" for number in AAL_NUMBERS) + "\n"
    for file_id, one in zip(ABIDE_IDS, series, strict=True):
        rows = ("\t".join(map(repr, row)) + "\n" for row in one.tolist())
        (place / f"{file_id}_rois_aal.1D").write_text(header + "".join(rows))
    names = ",Unnamed: 0,SUB_ID,X,subject,SITE_ID,FILE_ID,DX_GROUP,AGE_AT_SCAN,SEX,COMORBIDITY"
    rows = []
    for i, (file_id, group) in enumerate(zip(ABIDE_IDS, GROUPS, strict=True)):
        site, number = file_id.rsplit("_", 1)
        sub, diagnosis = int(number), 1 if group == "patient" else 2
        rows.append(
            f'{i},{i},{sub},{i},{sub},{site.upper()},{file_id},{diagnosis},{20 + i}.5,1,"ADHD, phobia"'
        )
    for i, sub in enumerate((50002, 50123), len(rows)):
        rows.insert(1, f"{i},{i},{sub},{i},{sub},PITT,no_filename,1,16.77,1,")
    table = "Phenotypic_V1_0b_preprocessed1.csv"
    (folder / table).write_text("\n".join([names, *rows]) + "\n")
    return Expected(correlations(series), AAL_NUMBERS, ABIDE_IDS, series, table, "FILE_ID")


def adhd200_file(
    folder: Path, subject: str, letters="sfnwmrda", scan="session_1_rest_1", atlas="aal"
) -> Path:
    place = folder / "NYU" / subject
    place.mkdir(parents=True, exist_ok=True)
    return place / f"{letters}{subject}_{scan}_{atlas}_TCs.1D"


def adhd200(folder: Path, series=None, **name) -> Expected:
    """The Athena pipeline: tables of 3dROIstats; the phenotype file has lost the leading zeros of its ids."""
    series = random_series(9) if series is None else series
    for subject, one in zip(ADHD_IDS, series, strict=True):
        file = adhd200_file(folder, subject, **name)
        rows = [
            f"{file.stem}.nii.gz\t{t}[?]\t" + "\t".join(map(repr, row)) for t, row in enumerate(one.tolist())
        ]
        file.write_text(ADHD_HEADER + "\n".join(rows) + "\n")
    lines = [
        f"{int(one)}\t5\t{i % 2}\t9.{i}\t{int(group == 'patient')}\t1"
        for i, (one, group) in enumerate(zip(ADHD_IDS, GROUPS, strict=True))
    ]
    # Of the inattentive type, and of the test set, without files here.
    lines += ["10003\t5\t1\t10.1\t3\t1", "10004\t5\t1\t8.8\tpending\t1"]
    table = "adhd200_preprocessed_phenotypics.tsv"
    (folder / table).write_text("\n".join(["ScanDir ID\tSite\tGender\tAge\tDX\tQC_Athena", *lines]) + "\n")
    return Expected(correlations(series), AAL_NUMBERS, ADHD_IDS, series, table)
