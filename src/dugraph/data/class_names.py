"""What the two classes are called where people read about them."""

from dugraph.data.class_labels import check_labels
from dugraph.data.uncertain_graphs import UncertainGraphs


def class_names(graphs: object, y: object, pos_label: object = None) -> tuple[str, str]:
    """Name the positive and the negative class.

    Reading files makes the classes 1 and 0; what their table called them is kept in the provenance of the
    cohort, and is what people want to see. Other labels are names themselves.

    Parameters
    ----------
    graphs : UncertainGraphs or array
        The cohort; only an UncertainGraphs can know names.
    y : sequence of shape (n_graphs,)
        Class of each graph.
    pos_label : optional
        The positive class; by default the last in sorted order.

    Returns
    -------
    positive, negative : str
        As they came from the files: escape them before showing.
    """
    _, classes = check_labels(y, len(y), pos_label)  # type: ignore[arg-type]
    negative, positive = classes.tolist()
    if pos_label == negative:
        negative, positive = positive, negative
    return names_of_classes(graphs, positive, negative)


def names_of_classes(graphs: object, positive: object, negative: object) -> tuple[str, str]:
    """Name two labels that have been checked; see `class_names`."""
    known = _groups(graphs) if {positive, negative} == {0, 1} else {}
    return known.get(positive, str(positive)), known.get(negative, str(negative))


def _groups(graphs: object) -> dict[object, str]:
    """Return the groups that became the classes 1 and 0; none if the cohort does not know both."""
    origin = graphs.provenance if isinstance(graphs, UncertainGraphs) else None
    names = {label: (origin or {}).get(word) for label, word in ((1, "positive"), (0, "negative"))}
    texts: dict[object, str] = {
        label: name for label, name in names.items() if isinstance(name, str) and name
    }
    return texts if len(set(texts.values())) == 2 else {}
