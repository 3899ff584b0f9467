"""The pages, from files to a result; each shows the command it starts."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from collections.abc import AsyncIterator, Callable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from dugraph.app import jobs
from dugraph.app.forms import Entered, fields, in_form, label_of, read_form
from dugraph.app.jobs import Run, Runs
from dugraph.app.questions import KINDS, OF_RESULTS, Kind
from dugraph.app.study import MOST_LISTED, PLACEHOLDERS, RECORDS, OutsideError, Problem, Study
from dugraph.exceptions import InputError
from dugraph.settings import ConvertSettings, PartedSettings, PlotSettings, Settings
from dugraph.words import FIGURE_FORMATS

_MOST_FORM = 2**20  # bytes
_EVENTS = 0.4  # seconds between two polls of a run
_STATIC = {"app.css": "text/css", "app.js": "text/javascript", "report.css": "text/css"}
_DATA_FIRST = (
    *("participants", "id_column", "group_column", "id_pattern", "positive", "negative", "intersect"),
    *("probability", "missing", "atlas"),
)
_UNFIT = re.compile("[\0\ud800-\udfff]")
Form = dict[str, list[str]]


class RefusedError(Exception):
    """A request that cannot be answered: the status, and a sentence for the page."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def routes() -> list[Any]:
    """All addresses of the app."""
    pages = {
        "/": home,
        "/data": data,
        "/cohort": cohort,
        "/question": question,
        "/runs/{name}": run_page,
        "/result": result,
        "/report": report,
        "/file": download,
        "/picture": picture,
        "/compare": comparison,
    }
    actions = {"/data": data, "/question": question, "/runs": start, "/runs/{name}/{action}": change}
    return [
        *(Route(path, _page(one), methods=["GET"]) for path, one in pages.items()),
        *(Route(path, _page(one), methods=["POST"]) for path, one in actions.items()),
        Route("/runs/{name}/events", events, methods=["GET"]),
        Route("/static/{name}", static, methods=["GET"]),
        Route("/{rest:path}", _page(nothing), methods=["GET", "POST"]),
    ]


def _page(answer: Callable[[Request, Form], Response]) -> Callable[[Request], Any]:
    """Read the form, answer in a thread, and turn errors into pages."""

    async def respond(request: Request) -> Response:
        try:
            form = await _form(request) if request.method == "POST" else parse_qs(request.url.query)
            return await run_in_threadpool(answer, request, form)
        except RefusedError as error:
            return _render(request, "problem.html", error.status, problem=Problem(str(error)))
        except OutsideError:
            why = (
                "There is no such file or folder in the study. The app reads only the folders it was "
                "started with."
            )
            return _render(request, "problem.html", 404, problem=Problem(why))
        except (InputError, OSError) as error:
            return _render(request, "problem.html", 400, problem=Problem.of(error, {}))

    return respond


async def _form(request: Request) -> Form:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_FORM:
            raise RefusedError(413, "The form is too large.")
    form = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
    if form.pop("token", [""])[-1] != request.scope["form_token"]:
        raise RefusedError(
            403,
            "The form belongs to an earlier session of the app. Go back, reload the page, and submit it "
            "again.",
        )
    return form


def _study(request: Request) -> Study:
    study: Study = request.app.state.study
    return study


def _runs(request: Request) -> Runs:
    runs: Runs = request.app.state.runs
    return runs


def _one(form: Mapping[str, list[str]], name: str, default: str = "") -> str:
    return form.get(name, [default])[-1]


@cache
def _asset(name: str) -> str:
    package = "dugraph.report" if name == "report.css" else "dugraph.app"
    return (files(package) / "templates" / name).read_text(encoding="utf-8")


def _fit(value: object) -> object:
    """Replace characters that HTML cannot represent by their codes; the template escapes the rest."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return _UNFIT.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode(), value)


@cache
def _templates() -> Environment:
    made = Environment(
        loader=FunctionLoader(_asset),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_fit,
    )
    made.filters |= {"percent": "{:.0%}".format, "short": "{:.4g}".format, "query": urlencode}
    made.globals |= {"MOST": MOST_LISTED, "ended": jobs.ENDED}
    return made


def _render(request: Request, name: str, status: int = 200, **context: Any) -> Response:
    study = _study(request)
    template = _templates().get_template(name)
    page = template.render(
        study=study.home.name or str(study.home),
        home=str(study.home),
        token=request.scope["form_token"],
        **context,
    )
    return HTMLResponse(page, status)


async def static(request: Request) -> Response:
    """A style sheet or a script."""
    name = request.path_params["name"]
    if name not in _STATIC:
        return Response(status_code=404)
    return Response(_asset(name), media_type=_STATIC[name])


def nothing(request: Request, form: Form) -> Response:
    """Any other address."""
    raise RefusedError(404, "There is no such page.")


def home(request: Request, form: Form) -> Response:
    """The cohorts, the runs and the results of the study."""
    study, runs = _study(request), _runs(request).all()
    cohorts, results = study.made()
    own = {study.name(run.result) for run in runs}
    found = [folder for folder in results if folder not in own]
    return _render(request, "home.html", cohorts=cohorts, results=found, runs=runs, active=_any_active(runs))


def _any_active(runs: list[Run]) -> bool:
    return any(run.state not in jobs.ENDED for run in runs)


# ---------------------------------------------------------------- step 1: data


def data(request: Request, form: Form) -> Response:
    """Folders and files, the recognised layout, the participants, and which of them match."""
    from dugraph.app.files import inspect, likely_table, participants_tables
    from dugraph.io.layouts import FORMATS
    from dugraph.words import ATLASES, PROBABILITIES

    study = _study(request)
    form = _earlier(request, form)
    path = study.resolve(_one(form, "path", "."))
    _apply_fix(form)
    tables = participants_tables(study, path)
    if "participants" not in form:
        form["participants"] = [likely_table(tables)]
    options = {one.name: one for one in in_form(ConvertSettings)}
    entered = _entered(study, ConvertSettings, form)
    found = inspect(study, path, entered.values, options)
    table = found.table
    columns = table.columns if table else []
    groups = [name for name, _ in table.groups] if table else []
    choices = {
        "participants": tables,
        "id_column": columns,
        "group_column": table.varying if table else [],
        "positive": groups,
        "negative": groups,
        "format": list(FORMATS),
        "atlas": [*ATLASES, *tables],
    }
    shown = fields(ConvertSettings, form, entered.errors, choices)
    folders, names = study.entries(path) if path.is_dir() else ([], [])
    return _render(
        request,
        "data.html",
        path=study.name(path),
        trail=_trail(study, path),
        folders=folders[:MOST_LISTED],
        n_folders=len(folders),
        files=names[:MOST_LISTED],
        n_files=len(names),
        found=found,
        first=[shown[name] for name in _DATA_FIRST],
        more=[one for name, one in shown.items() if name not in _DATA_FIRST],
        command=_command_line(ConvertSettings, [study.name(path)], entered.flags),
        ready=bool(found.layout) and not found.problems and not entered.errors,
        probability_words=PROBABILITIES,
    )


def _trail(study: Study, path: Path) -> list[tuple[str, str]]:
    """The folders above a path that may be read."""
    above = [one for one in (path, *path.parents) if study.contains(one)]
    return [(one.name or str(one), study.name(one)) for one in above[::-1]]


def _earlier(request: Request, form: Form) -> Form:
    """The form of an earlier run to repeat, updated with the values given here."""
    if "run" not in form:
        return dict(form)
    return {**_run(request, _one(form, "run")).job.values, **{k: v for k, v in form.items() if k != "run"}}


def _apply_fix(form: Form) -> None:
    """Enter the value of a button such as “use this pattern”."""
    for text in form.pop("fix", []):
        name, _, value = text.partition("=")
        form[name] = [value]


def _entered(study: Study, settings: type[Settings], form: Form) -> Entered:
    def resolve(text: str) -> str:
        try:
            return study.name(study.resolve(text))
        except OutsideError:
            raise ValueError("must be a file or folder of the study") from None

    return read_form(settings, form, resolve)


def _command_line(settings: type[Settings], sources: list[str], flags: list[str]) -> str:
    report = ["--report"] if "report" in settings.options() else []
    output = jobs.RESULTS.get(settings.command, "FOLDER")
    return shlex.join(["dugraph", settings.command, *sources, *flags, *report, f"--output={output}"])


# ---------------------------------------------------------------- step 2: cohort


def cohort(request: Request, form: Form) -> Response:
    """Sizes, balance, probabilities, and how many subgraphs each limit admits."""
    from dugraph.app.cohorts import admitted, view_cohort

    study = _study(request)
    file = study.resolve(_one(form, "file"))
    view = view_cohort(study, file)
    counts = admitted(file, compute="count" in form)
    return _render(request, "cohort.html", view=view, part=view.part, counts=counts, kinds=KINDS)


# ---------------------------------------------------------------- step 3: question


def question(request: Request, form: Form) -> Response:
    """The question: the relevant columns, and a description of what will be done."""
    from dugraph.app.cohorts import view_cohort
    from dugraph.app.questions import describe
    from dugraph.app.results import is_of_test

    study = _study(request)
    form = _earlier(request, form)
    _apply_fix(form)
    kind = _kind(form)
    file = study.resolve(_one(form, "data"))
    view = view_cohort(study, file)
    entered = _entered(study, kind.settings, form)
    names = [name for name in view.columns if not kind.by_group or name != view.group_column]
    choices: dict[str, list[str]] = {"COLUMN": names, "COLUMNS": names, "pos_label": list(view.names)}
    if "result" in kind.first:
        choices["result"] = [name for name in study.made()[1] if is_of_test(study.home / name)]
    shown = fields(kind.settings, form, entered.errors, choices)
    needed = [label_of(name) for name in kind.needed if not _one(form, name).strip()]
    return _render(
        request,
        "question.html",
        view=view,
        kind=kind,
        kinds=KINDS,
        first=[shown[name] for name in kind.first if name in shown],
        more=[one for name, one in shown.items() if name not in (*kind.first, *kind.left_out)],
        text=describe(kind, view, entered.values),
        command=_command_line(kind.settings, _sources(study, kind.settings, form), entered.flags),
        ready=not needed and not entered.errors,
        needed=needed,
    )


def _kind(form: Form) -> Kind:
    try:
        return {**KINDS, **OF_RESULTS}[_one(form, "ask", "compare")]
    except KeyError:
        raise RefusedError(404, "There is no such question.") from None


# ---------------------------------------------------------------- step 4: run


def start(request: Request, form: Form) -> Response:
    """Put a command into the queue."""
    study, runs = _study(request), _runs(request)
    _apply_fix(form)
    kind = None if _one(form, "ask") == "convert" else _kind(form)
    settings: type[Settings] = ConvertSettings if kind is None else kind.settings
    sources = _sources(study, settings, form)
    entered = _entered(study, settings, form)
    missing = kind is not None and not all(_one(form, one).strip() for one in kind.needed)
    if (entered.errors or missing) and (kind is None or kind.name in KINDS):
        answer = (data if kind is None else question)(request, form)  # with the error beside each field
        answer.status_code = 400
        return answer
    if entered.errors:
        raise RefusedError(400, "; ".join(f"{label_of(name)} {why}" for name, why in entered.errors.items()))
    ending = _one(form, "ending", FIGURE_FORMATS[-1])
    if ending not in FIGURE_FORMATS:
        raise RefusedError(400, f"A figure is one of {', '.join(FIGURE_FORMATS)}.")

    def arguments(folder: Path) -> list[str]:
        place = study.name(folder)
        words = [settings.command, *sources, *entered.flags]
        if issubclass(settings, PartedSettings):
            words.append(f"--checkpoint={place}/{jobs.CHECKPOINT}")
        if "report" in settings.options():
            words.append("--report")
        name = jobs.RESULTS.get(settings.command, jobs.FOLDER)
        if settings is PlotSettings:
            name = f"figure.{ending}"
        return [*words, f"--output={place}/{name}"]

    title = "Read the files" if kind is None else kind.title
    run = runs.add(settings.command, arguments, form, title)
    return RedirectResponse(f"/runs/{run.name}", 303)


def _sources(study: Study, settings: type[Settings], form: Form) -> list[str]:
    """The files and folders that a command reads, in the order of its arguments."""
    names = [one.name for one in settings.options().values() if one.is_positional]
    return [study.name(study.resolve(_one(form, name))) for name in names if _one(form, name).strip()]


def _run(request: Request, name: str) -> Run:
    try:
        return _runs(request).get(name)
    except KeyError:
        raise RefusedError(404, "There is no such run.") from None


def change(request: Request, form: Form) -> Response:
    """Stop or resume a run."""
    run = _run(request, request.path_params["name"])
    action = request.path_params["action"]
    if action not in ("stop", "resume"):
        raise RefusedError(404, "There is no such page.")
    (_runs(request).stop if action == "stop" else _runs(request).resume)(run)
    return RedirectResponse(f"/runs/{run.name}", 303)


def run_page(request: Request, form: Form) -> Response:
    """The progress of a run, then its result."""
    from dugraph.app.results import summarise

    study, run = _study(request), _run(request, request.path_params["name"])
    job, state = run.job, run.state
    finished = state in (jobs.DONE, jobs.LIMIT)
    converted, planned = job.command == "convert", job.command == "plan"
    progress = run.progress()
    known = {one.name for one in in_form(ConvertSettings)} if converted else set()
    fixes = [
        fix
        for fix in (progress.error or {}).get("settings", [])
        if fix[0] in known and fix[1] not in PLACEHOLDERS
    ]
    again = ("/data?" if converted else "/question?") + urlencode({"run": run.name})
    if _one(job.values, "ask") in OF_RESULTS:
        again = "/result?" + urlencode({"folder": _one(job.values, "folder")})
    waiting = [one.name for one in _runs(request).all()[::-1] if one.state not in jobs.ENDED]
    return _render(
        request,
        "run.html",
        run=run,
        job=job,
        state=state,
        progress=progress,
        fixes=[(name, value, f"{again}&{urlencode({'fix': f'{name}={value}'})}") for name, value in fixes],
        again=again,
        before=waiting.index(run.name) if run.name in waiting else 0,
        cohort=study.name(run.result) if finished and converted else None,
        plan=study.name(run.result) if finished and planned else None,
        drawn=study.name(run.result) if finished and job.command == "plot" else None,
        forms=_result_forms(),
        page=study.name(run.folder) if finished and job.command == "report" else None,
        data=_one(job.values, "data"),
        summary=summarise(study, run.result) if finished and run.result.is_dir() else None,
        output=run.output() if finished else "",
        folder=study.name(run.result),
        others=_others(request, run),
    )


def _others(request: Request, run: Run) -> list[tuple[str, str]]:
    """Other runs of the same command, for comparison."""
    study = _study(request)
    runs = [
        one for one in _runs(request).all() if one.name != run.name and one.state in (jobs.DONE, jobs.LIMIT)
    ]
    return [
        (study.name(one.result), f"{one.name}: {one.job.title}")
        for one in runs
        if one.job.command != "convert"
    ]


async def events(request: Request) -> Response:
    """Server-sent events: the state and the last progress of a run, until it ends."""
    try:
        run = _run(request, request.path_params["name"])
    except RefusedError:
        return Response(status_code=404)

    async def stream() -> AsyncIterator[str]:
        last = ""
        while not await request.is_disconnected():
            state, progress = await run_in_threadpool(lambda: (run.state, run.progress()))
            content = {"state": state, "text": progress.text, "ended": state in jobs.ENDED}
            text = json.dumps(content)
            yield f"data: {text}\n\n" if text != last else ": still there\n\n"
            last = text
            if state in jobs.ENDED:
                return
            await asyncio.sleep(_EVENTS)

    return StreamingResponse(stream(), media_type="text/event-stream")


# ---------------------------------------------------------------- step 5: result


def _result_folder(request: Request, form: Form, name: str = "folder") -> Path:
    folder = _study(request).resolve(_one(form, name))
    own = folder.is_relative_to(_runs(request).folder.resolve())
    if not own and not any((folder / record).is_file() for record in RECORDS):
        raise RefusedError(404, "This folder has no results of dugraph.")
    return folder


def result(request: Request, form: Form) -> Response:
    """The result in a folder that was not written by this app."""
    from dugraph.app.results import summarise

    study, folder = _study(request), _result_folder(request, form)
    summary = summarise(study, folder)
    return _render(request, "result.html", summary=summary, folder=study.name(folder), forms=_result_forms())


def _result_forms() -> dict[str, list[Any]]:
    """The form fields for each product of a result, by name."""
    return {
        name: [shown[one] for one in kind.first]
        for name, kind in OF_RESULTS.items()
        for shown in [fields(kind.settings, {}, {}, {})]
    }


def report(request: Request, form: Form) -> Response:
    """The report of a result, under its own policy: only scripts of this version of dugraph run."""
    from dugraph.report.write import served_policy

    folder = _result_folder(request, form)
    page = folder / "report.html"
    if not (page.is_file() and _study(request).contains(page.resolve())):
        raise RefusedError(404, "This result has no report. Write it with `dugraph report`.")
    return FileResponse(page, media_type="text/html", headers={"Content-Security-Policy": served_policy()})


def download(request: Request, form: Form) -> Response:
    """A file of a result, as a download."""
    study = _study(request)
    file = study.resolve(_one(form, "path"))
    inside = any((above / record).is_file() for above in file.parents[:2] for record in RECORDS)
    own = file.is_relative_to(_runs(request).folder.resolve())
    if not file.is_file() or not (inside or own):
        raise RefusedError(404, "Only files of results can be saved from here.")
    return FileResponse(file, filename=file.name, media_type="application/octet-stream")


def picture(request: Request, form: Form) -> Response:
    """A picture of a result; scripts in it are not run."""
    from dugraph.app.results import PICTURES

    file = _study(request).resolve(_one(form, "path"))
    kind = PICTURES.get(file.suffix)
    if not file.is_relative_to(_runs(request).folder.resolve()) or kind is None:
        raise RefusedError(404, "Only pictures of runs are shown.")
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
    return FileResponse(file, media_type=kind, headers={"Content-Security-Policy": policy})


def comparison(request: Request, form: Form) -> Response:
    """Two results side by side: settings, findings, common subgraphs."""
    from dugraph.app.results import compare

    study = _study(request)
    both = [_result_folder(request, form, name) for name in ("a", "b")]
    return _render(
        request, "compare.html", names=[study.name(one) for one in both], table=compare(study, *both)
    )
