"""The pages, from files to a result; each shows the command it starts."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import AsyncIterator, Callable
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from dugraph.app import forms, jobs
from dugraph.app.forms import KINDS, OF_RESULTS, READ, Form, Kind, label_of, read_form
from dugraph.app.jobs import Run, Runs
from dugraph.app.study import MOST_LISTED, RECORDS, Problem, RefusedError, Study, possible
from dugraph.exceptions import InputError
from dugraph.files.html import page_templates
from dugraph.settings import PartedSettings
from dugraph.words import FIGURE_FORMATS, NONE, PROBABILITIES

_MOST_FORM = 2**20  # bytes
_EVENTS = 0.4  # seconds between two polls of a run
_STATIC = {"app.css": "text/css", "app.js": "text/javascript", "report.css": "text/css"}
Entered = dict[str, list[str]]


def routes() -> list[Any]:
    """All addresses of the app."""
    pages = [
        ("/", home, "GET"),
        ("/data", data, "GET POST"),
        ("/cohort", cohort, "GET"),
        ("/question", question, "GET POST"),
        ("/runs", start, "POST"),
        ("/runs/{name}", run_page, "GET"),
        ("/runs/{name}/{action}", change, "POST"),
        ("/result", result, "GET"),
        ("/report", report, "GET"),
        ("/file", download, "GET"),
        ("/picture", picture, "GET"),
        ("/compare", comparison, "GET"),
        ("/{rest:path}", nothing, "GET POST"),
    ]
    return [
        Route("/runs/{name}/events", events, methods=["GET"]),
        Route("/static/{name}", static, methods=["GET"]),
        *(Route(path, _page(one), methods=methods.split()) for path, one, methods in pages),
    ]


class Visit:
    """A request: the study, its runs, and what was entered."""

    def __init__(self, request: Request, entered: Entered) -> None:
        self.study: Study = request.app.state.study
        self.runs: Runs = request.app.state.runs
        self.token: str = request.scope["form_token"]
        self.path: dict[str, str] = request.path_params
        self.entered = entered

    def one(self, name: str, default: str = "") -> str:
        """A single value."""
        return self.entered.get(name, [default])[-1]

    def file(self, name: str, default: str = "") -> Path:
        """A file or folder of the study."""
        return self.study.resolve(self.one(name, default))

    @property
    def run(self) -> Run:
        """The run in the address."""
        return self.runs.get(self.path["name"])

    def kind(self) -> Kind:
        """The question, or what is to be done with files or a result."""
        try:
            return forms.ALL[self.one("ask", "compare")]
        except KeyError:
            raise RefusedError(404, "There is no such question.") from None

    def result(self, name: str = "folder") -> Path:
        """A folder with a result, or that of a run."""
        folder = self.file(name)
        if not self.is_own(folder) and not any((folder / record).is_file() for record in RECORDS):
            raise RefusedError(404, "This folder has no results of dugraph.")
        return folder

    def is_own(self, path: Path) -> bool:
        """Whether a path belongs to a run."""
        return path.is_relative_to(self.runs.folder.resolve())

    def fill_in(self) -> None:
        """Enter the form of a run to repeat, and the value of a button such as “use this pattern”."""
        for name in self.entered.pop("run", [])[-1:]:
            self.entered = {**self.runs.get(name).job.values, **self.entered}
        for text in self.entered.pop("fix", []):
            name, _, value = text.partition("=")
            self.entered[name] = [value]

    def form(self, kind: Kind) -> Form:
        """The options of a command."""

        def resolve(text: str) -> str:
            try:
                return self.study.name(self.study.resolve(text))
            except RefusedError:
                raise ValueError("must be a file or folder of the study") from None

        return read_form(kind, self.entered, resolve)

    def command(self, form: Form, output: str) -> list[str]:
        """The words of a command after ``dugraph``: what it reads, its flags, and where it writes."""
        settings = form.kind.settings
        options = settings.options()
        sources = [one.name for one in options.values() if one.is_positional and self.one(one.name).strip()]
        report = ["--report"] if "report" in options else []
        read = [self.study.name(self.file(name)) for name in sources]
        return [settings.command, *read, *form.flags, *report, f"--output={output}"]

    def shown_command(self, form: Form) -> str:
        """The command of a form for a shell."""
        output = jobs.RESULTS.get(form.kind.settings.command, "FOLDER")
        return shlex.join(["dugraph", *self.command(form, output)])

    def render(self, template: str, status: int = 200, **context: Any) -> Response:
        """A page."""
        home = self.study.home
        common = {"study": home.name or str(home), "home": str(home), "token": self.token}
        return HTMLResponse(_templates().get_template(template).render(**common, **context), status)


def _page(answer: Callable[[Visit], Response]) -> Callable[[Request], Any]:
    """Read the form, answer in a thread, and turn errors into pages."""

    async def respond(request: Request) -> Response:
        visit = Visit(request, {})
        refused = partial(visit.render, "problem.html")
        try:
            posted = request.method == "POST"
            visit.entered = await _posted(request) if posted else parse_qs(request.url.query)
            return await run_in_threadpool(answer, visit)
        except RefusedError as error:
            return refused(error.status, problem=Problem(str(error)))
        except (InputError, OSError) as error:
            return refused(400, problem=Problem.of(error))

    return respond


async def _posted(request: Request) -> Entered:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_FORM:
            raise RefusedError(413, "The form is too large.")
    form = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
    if form.pop("token", [""])[-1] != request.scope["form_token"]:
        why = (
            "The form belongs to an earlier session of the app. Go back, reload the page, and send it again."
        )
        raise RefusedError(403, why)
    return form


@cache
def _asset(name: str) -> str:
    package = "dugraph.report" if name == "report.css" else "dugraph.app"
    return (files(package) / "templates" / name).read_text(encoding="utf-8")


@cache
def _templates() -> Any:
    made = page_templates(_asset)
    made.filters |= {
        "query": partial(urlencode, doseq=True),
        "listed": forms.listed,
        "shortened": forms.shortened,
        "label": label_of,
    }
    made.globals |= {"MOST": MOST_LISTED, "ended": jobs.ENDED}
    return made


async def static(request: Request) -> Response:
    """A style sheet or a script."""
    name = request.path_params["name"]
    if name not in _STATIC:
        return Response(status_code=404)
    return Response(_asset(name), media_type=_STATIC[name])


def nothing(visit: Visit) -> Response:
    """Any other address."""
    raise RefusedError(404, "There is no such page.")


def home(visit: Visit) -> Response:
    """The cohorts, the runs and the results of the study."""
    runs = visit.runs.all()
    cohorts, results = visit.study.made()
    own = {visit.study.name(run.result) for run in runs}
    return visit.render(
        "home.html",
        cohorts=cohorts,
        results=[folder for folder in results if folder not in own],
        runs=runs,
        active=any(run.state not in jobs.ENDED for run in runs),
    )


def data(visit: Visit) -> Response:
    """Step 1: folders and files, the recognised layout, the participants, and which of them match."""
    from dugraph.app.views import EXAMPLE_TIMEPOINTS, inspect, likely_table, map_pictures, participants_tables
    from dugraph.io.layouts import FORMATS
    from dugraph.words import ATLASES

    visit.fill_in()
    study, path = visit.study, visit.file("path", ".")
    visit.entered["path"] = [study.name(path)]
    tables = participants_tables(study, path)
    visit.entered.setdefault("participants", [likely_table(tables)])
    form = visit.form(READ)
    found = inspect(study, path, form.values, {one.name for one in forms.in_form(READ.settings)})
    table = found.table
    groups = [name for name, _ in table.groups] if table else []
    choices = {
        "participants": [*tables, NONE],
        "id_column": table.columns if table else [],
        "group_column": table.varying if table else [],
        "positive": groups,
        "negative": groups,
        "format": list(FORMATS),
        "atlas": [*ATLASES, *tables],
    }
    folders, names = study.entries(path) if path.is_dir() else ([], [])
    threshold = form.values.get("threshold")
    return visit.render(
        "data.html",
        path=study.name(path),
        trail=[(one.name, study.name(one)) for one in (*path.parents[::-1], path) if study.contains(one)],
        folders=folders,
        files=names,
        found=found,
        **form.fields(choices),
        command=visit.shown_command(form),
        ready=bool(found.layout) and not found.problems and not form.errors,
        probability_words=PROBABILITIES,
        maps=map_pictures(threshold if threshold is not None and 0 <= threshold <= 1 else None),
        n_timepoints=EXAMPLE_TIMEPOINTS,
    )


def cohort(visit: Visit) -> Response:
    """Step 2: sizes, balance, the mean network, and how many subgraphs each limit admits."""
    from dugraph.app.views import admitted, view_cohort

    file = visit.file("file")
    view = view_cohort(file)
    counts = admitted(file) if "count" in visit.entered else None
    name = visit.study.name(file)
    return visit.render("cohort.html", file=name, view=view, part=view.part, counts=counts, kinds=KINDS)


def question(visit: Visit) -> Response:
    """Step 3: the relevant columns, a description of what will be done, and how long it will take."""
    from dugraph.app.views import expected_time, is_of_test, view_cohort

    visit.fill_in()
    study, kind, file = visit.study, visit.kind(), visit.file("data")
    view = view_cohort(file)
    measure = visit.entered.pop("measure", None) is not None
    form = visit.form(kind)
    names = [name for name in view.columns if not kind.by_group or name != view.group_column]
    choices: dict[str, list[str]] = {"COLUMN": names, "COLUMNS": names, "pos_label": list(view.names)}
    if "result" in kind.first:
        choices["result"] = [name for name in study.made()[1] if is_of_test(study.home / name)]
    settings: Any = kind.settings.of(form.values)
    phenotype = getattr(settings, "phenotype", None)
    timed = kind.name in forms.TIMED and not form.errors and not form.missing
    return visit.render(
        "question.html",
        file=study.name(file),
        view=view,
        kind=kind,
        kinds=KINDS,
        **form.fields(choices),
        settings=settings,
        planned="plan" in form.values,
        sides=forms.listed(view.names) or "the labels"
        if phenotype is None
        else f"“{forms.shortened(phenotype)}”",
        cautions=forms.cautions(kind, view, form.values),
        timed=timed,
        minutes=expected_time(file, settings, measure) if timed else None,
        entered=visit.entered,
        command=visit.shown_command(form),
        needed=form.missing,
    )


def start(visit: Visit) -> Response:
    """Step 4: put a command into the queue."""
    visit.fill_in()
    study, kind = visit.study, visit.kind()
    form = visit.form(kind)
    ending = visit.one("ending", FIGURE_FORMATS[-1])
    if ending not in FIGURE_FORMATS:
        raise RefusedError(400, f"A figure is one of {', '.join(FIGURE_FORMATS)}.")
    if kind.name in OF_RESULTS and form.errors:
        raise RefusedError(400, "; ".join(f"{label_of(name)} {why}" for name, why in form.errors.items()))
    if form.errors or form.missing:
        answer = data(visit) if kind is READ else question(visit)  # with the error beside each field
        answer.status_code = 400
        return answer
    name = f"figure.{ending}" if kind.name == "figure" else jobs.RESULTS.get(kind.settings.command)

    def arguments(folder: Path) -> list[str]:
        place = study.name(folder)
        words = visit.command(form, f"{place}/{name or jobs.FOLDER}")
        if issubclass(kind.settings, PartedSettings):
            words.insert(-1, f"--checkpoint={place}/{jobs.CHECKPOINT}")
        return words

    expected = None
    if kind.name in forms.TIMED:
        from dugraph.app.views import expected_time

        expected = expected_time(visit.file("data"), kind.settings.of(form.values), compute=False)
    run = visit.runs.add(kind.settings.command, arguments, visit.entered, kind.title, expected)
    return RedirectResponse(f"/runs/{run.name}", 303)


def change(visit: Visit) -> Response:
    """Stop or resume a run."""
    run, action = visit.run, visit.path["action"]
    if action not in ("stop", "resume"):
        raise RefusedError(404, "There is no such page.")
    (visit.runs.stop if action == "stop" else visit.runs.resume)(run)
    return RedirectResponse(f"/runs/{run.name}", 303)


def run_page(visit: Visit) -> Response:
    """The progress of a run, then its result."""
    from dugraph.app.views import summarise

    study, run = visit.study, visit.run
    job, state, progress = run.job, run.state, run.progress()
    done = job.command if state in (jobs.DONE, jobs.LIMIT) else ""
    again = ("/data?" if job.command == "convert" else "/question?") + urlencode({"run": run.name})
    if job.values.get("ask", [""])[-1] in OF_RESULTS:
        again = "/result?" + urlencode({"folder": job.values["folder"][-1]})
    known = {one.name for one in forms.in_form(READ.settings)} if job.command == "convert" else set()
    states = {one.name: one.state for one in visit.runs.all()[::-1]}
    waiting = [name for name, one in states.items() if one not in jobs.ENDED]
    others = [one for one in visit.runs.all() if states[one.name] in (jobs.DONE, jobs.LIMIT)]
    return visit.render(
        "run.html",
        run=run,
        job=job,
        state=state,
        progress=progress,
        fixes=possible((progress.error or {}).get("settings", []), known),
        again=again,
        before=waiting.index(run.name) if run.name in waiting else 0,
        done=done,
        page=study.name(run.folder),
        forms=_result_forms(),
        data=job.values.get("data", [""])[-1],
        summary=summarise(study, run.result) if done and run.result.is_dir() else None,
        output=run.output() if done else "",
        folder=study.name(run.result),
        others=[
            (study.name(one.result), f"{one.name}: {one.job.title}")
            for one in others
            if one != run and one.job.command != "convert"
        ],
    )


async def events(request: Request) -> Response:
    """Server-sent events: the state and the last progress of a run, until it ends."""
    try:
        run = Visit(request, {}).run
    except RefusedError:
        return Response(status_code=404)

    async def stream() -> AsyncIterator[str]:
        last = ""
        while not await request.is_disconnected():
            state, progress = await run_in_threadpool(lambda: (run.state, run.progress()))
            text = json.dumps({"state": state, "text": progress.text, "ended": state in jobs.ENDED})
            yield f"data: {text}\n\n" if text != last else ": still there\n\n"
            last = text
            if state in jobs.ENDED:
                return
            await asyncio.sleep(_EVENTS)

    return StreamingResponse(stream(), media_type="text/event-stream")


def result(visit: Visit) -> Response:
    """Step 5: the result in a folder that was not written by this app."""
    from dugraph.app.views import summarise

    folder = visit.result()
    summary, forms = summarise(visit.study, folder), _result_forms()
    return visit.render("result.html", summary=summary, folder=visit.study.name(folder), forms=forms)


def _result_forms() -> dict[str, list[forms.Field]]:
    """The form fields for each product of a result, by name."""
    return {name: read_form(kind, {}, str).fields({})["first"] for name, kind in OF_RESULTS.items()}


def report(visit: Visit) -> Response:
    """The report of a result, under its own policy: only scripts of this version of dugraph run."""
    from dugraph.report.write import served_policy

    page = visit.result() / "report.html"
    if not (page.is_file() and visit.study.contains(page)):
        raise RefusedError(404, "This result has no report. Write it with `dugraph report`.")
    return FileResponse(page, media_type="text/html", headers={"Content-Security-Policy": served_policy()})


def download(visit: Visit) -> Response:
    """A file of a result, as a download."""
    file = visit.file("path")
    inside = any((above / record).is_file() for above in file.parents[:2] for record in RECORDS)
    if not file.is_file() or not (inside or visit.is_own(file)):
        raise RefusedError(404, "Only files of results can be saved from here.")
    return FileResponse(file, filename=file.name, media_type="application/octet-stream")


def picture(visit: Visit) -> Response:
    """A picture of a result; scripts in it are not run."""
    from dugraph.app.views import PICTURES

    file = visit.file("path")
    if not visit.is_own(file) or file.suffix not in PICTURES:
        raise RefusedError(404, "Only pictures of runs are shown.")
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
    return FileResponse(file, media_type=PICTURES[file.suffix], headers={"Content-Security-Policy": policy})


def comparison(visit: Visit) -> Response:
    """Two results side by side: settings, findings, common subgraphs."""
    from dugraph.app.views import compare

    both = [visit.result(name) for name in ("a", "b")]
    names, table = [visit.study.name(one) for one in both], compare(visit.study, *both)
    return visit.render("compare.html", names=names, table=table)
