"""Only a browser that opened the app's link is served, and nothing outside of the study is read or run."""

import json
import os
import shlex
from urllib.parse import urlencode

import pytest
from app_client import CONVERT, ORIGIN, Client

from dugraph.app.forms import ALL, in_form
from dugraph.cli.program import COMMANDS, build_parser, settings_from

PAGES = ["/", "/data", "/runs/001-convert", "/static/app.js", "/nowhere", "/file?path=participants.tsv"]


@pytest.mark.parametrize("page", PAGES)
def test_without_the_cookie_nothing_is_served(app, page):
    answer = Client(app[0], app[1], opened=False).get(page)
    assert answer.status_code == 403
    assert "has not opened the app" in answer.text


def test_a_cookie_that_was_not_given_is_refused(app):
    answer = Client(app[0], app[1], opened=False).get("/", cookie="dugraph=abc")
    assert answer.status_code == 403


def test_a_link_works_once_and_the_next_one_is_announced(app):
    announced = []
    app[1].announce = announced.append
    token = app[1].new_link()
    first, second = Client(app[0], app[1], opened=False), Client(app[0], app[1], opened=False)
    answer = first.get(f"/open?token={token}")
    assert answer.status_code == 200
    assert second.get(f"/open?token={token}").status_code == 403
    assert second.get("/").status_code == 403
    assert announced == [token, announced[1]]
    assert second.get(f"/open?token={announced[1]}").status_code == 200
    flags = answer.headers["set-cookie"].lower().split("; ")
    assert {"httponly", "samesite=strict", "path=/"} <= set(flags)


@pytest.mark.parametrize("token", ["", "x", "é", "%00"])
def test_a_wrong_token_is_refused(app, token):
    client = Client(app[0], app[1], opened=False)
    assert client.get(f"/open?token={token}").status_code == 403
    app[1].new_link()
    assert client.get(f"/open?token={token}").status_code == 403


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example:8000",
        "evil.example:8000",
        "localhost@evil.example",
        "",
        "[::1",
        "127.0.0.1:x",
    ],
)
def test_a_foreign_host_is_refused(client, host):
    assert client.get("/", host=host).status_code == 421


@pytest.mark.parametrize("host", ["localhost:9999", "127.0.0.1", "[::1]:8000"])
def test_this_machine_is_served_by_each_of_its_names_and_through_a_tunnel(client, host):
    assert client.get("/", host=host).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:8001", "https://127.0.0.1:8000"]
)
def test_a_foreign_origin_is_refused(client, runs, origin):
    token = client.page("/data").token
    assert client.post("/runs", token, origin=origin, **CONVERT).status_code == 403
    assert client.get("/", origin=origin).status_code == 403
    assert runs.all() == []


def test_a_form_needs_an_origin_and_its_token(client, runs):
    token = client.page("/data").token
    assert client.post("/runs", token, origin=None, **CONVERT).status_code == 403
    assert client.post("/runs", "wrong", **CONVERT).status_code == 403
    assert client.request("POST", "/runs", urlencode(CONVERT).encode(), origin=ORIGIN).status_code == 403
    assert runs.all() == []
    assert client.post("/runs", token, **CONVERT).status_code == 303
    assert len(runs.all()) == 1


def test_the_token_of_one_browser_is_not_that_of_another(app, client):
    other = Client(app[0], app[1])
    assert other.page("/data").token != client.page("/data").token
    assert other.post("/runs", client.page("/data").token, **CONVERT).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_links_and_fetches_of_other_pages_are_refused(client, site):
    assert client.get("/", **{"sec-fetch-site": site}).status_code == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
def test_other_methods_are_refused(client, method):
    assert client.request(method, "/").status_code == 405


def test_every_answer_has_the_policy_and_is_not_stored(app, client):
    for answer in (client.get("/"), client.get("/nowhere"), Client(app[0], app[1], opened=False).get("/")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_pages_have_no_inline_scripts_and_styles(client):
    for address in ("/", "/data", "/data?path=matrices"):
        page = client.page(address)
        assert "<script>" not in page
        assert "style=" not in page
        assert " onclick" not in page


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../secret",
        "/etc",
        "/etc/passwd",
        "matrices/../../secret",
        "leading_out",
        "leading_out/secret",
        "a%00b",
        "nowhere",
    ],
)
def test_paths_outside_are_refused_wherever_a_path_is_taken(client, runs, study_folder, path):
    (study_folder.parent / "secret").mkdir()
    (study_folder.parent / "secret" / "results.json").write_text("{}")
    (study_folder / "leading_out").symlink_to(study_folder.parent)
    for address in (
        "/data?path=",
        "/cohort?file=",
        "/question?data=",
        "/file?path=",
        "/result?folder=",
        "/report?folder=",
    ):
        assert client.get(address + path).status_code == 404
    token = client.page("/data").token
    text = path.replace("%00", "\0")
    assert client.post("/runs", token, **{**CONVERT, "path": text}).status_code == 404
    for option in ("participants", "atlas"):
        assert client.post("/runs", token, **{**CONVERT, option: text}).status_code == 400
    assert runs.all() == []


def test_a_link_among_the_matrices_that_leads_out_is_not_read(client, study_folder):
    secret = study_folder.parent / "secret.csv"
    secret.write_text("password,1\n")
    (study_folder / "matrices" / "P099_conn.csv").symlink_to(secret)
    page = client.page("/data?path=matrices")
    assert "is a link that leads out of the study" in page
    assert "password" not in page


@pytest.mark.parametrize(
    "option", ["dask", "checkpoint", "shard", "output", "config", "progress", "max_memory"]
)
def test_a_form_cannot_set_what_the_app_sets(client, runs, option):
    form = {**CONVERT, option: "/tmp/elsewhere"}
    assert client.send("/runs", **form).status_code == 303
    assert not any("elsewhere" in word for word in runs.all()[0].job.arguments)
    assert not any(one.name == option for kind in ALL.values() for one in in_form(kind.settings))


HOSTILE = [
    "$(touch hacked)",
    "`id`;rm -rf x",
    "a'b\"c",
    "--output=elsewhere",
    "<script>alert(1)</script>",
    "-o x",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_one_argument(client, runs, processes, text):
    """No shell is there to read it, the parser of the command sees one value, and the page escapes it."""
    form = {**CONVERT, "positive": text}
    assert client.send("/runs", **form).status_code == 303
    runs.step()
    job = processes[0].run.job
    assert f"--positive={text}" in job.arguments
    parsed = build_parser().parse_args(job.arguments)
    settings = settings_from(parsed, COMMANDS["convert"])
    assert settings.positive == text
    assert settings.output.endswith("cohort.npz")
    assert shlex.split(job.line)[1:] == job.arguments
    page = client.page(f"/runs/{processes[0].run.name}")
    assert "<script>alert" not in page
    processes[0].end(0)


def test_a_file_named_like_a_flag_is_a_file(client, runs, study_folder):
    (study_folder / "-o").mkdir()
    assert client.send("/runs", **{**CONVERT, "path": "-o"}).status_code == 303
    assert runs.all()[0].job.arguments[1] == "./-o"


def test_markup_in_names_and_tables_is_escaped(client, study_folder):
    bad = "<img src=x onerror=alert(1)>"
    table = (study_folder / "participants.tsv").read_text()
    (study_folder / "participants.tsv").write_text(
        table.replace("patient", bad).replace("site", f"{bad}site")
    )
    (study_folder / bad).mkdir()
    (study_folder / f"{bad}.csv").write_text("1,2\n")
    for address in ("/data", "/data?path=matrices"):
        page = client.page(address)
        assert "<img src=x" not in page
        assert "&lt;img src=x" in page


def test_ten_thousand_files_are_counted_not_listed(client, study_folder):
    many = study_folder / "many"
    many.mkdir()
    for k in range(10_000):
        os.mknod(many / f"sub-{k:05d}.csv")
    page = client.page("/data?path=many")
    assert "10,000 files" in page
    assert len(page) < 200_000


def test_a_huge_participants_table_is_refused_unread(client, study_folder):
    with open(study_folder / "participants.tsv", "r+b") as file:
        file.truncate(2 * 2**30)
    assert "2,147,483,648 bytes" in client.page("/data?path=matrices")


def test_a_huge_form_is_refused(client):
    answer = client.post("/data", "x", path="a" * 2**21)
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "name", ["../study", "001-convert/../..", "001", "001-", "-convert", "001-convert%2f.."]
)
def test_runs_are_named_by_their_own_names_only(client, name):
    assert client.get(f"/runs/{name}").status_code == 404


def test_only_files_of_results_are_handed_out(client, study_folder):
    assert client.get("/file?path=participants.tsv").status_code == 404
    assert client.get("/file?path=matrices/P001_conn.csv").status_code == 404
    folder = study_folder / "earlier"
    folder.mkdir()
    (folder / "results.json").write_text(json.dumps({"command": "mine"}))
    answer = client.get("/file?path=earlier/results.json")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith("attachment")


def test_scripts_of_a_report_from_elsewhere_do_not_run(client, study_folder):
    folder = study_folder / "earlier"
    folder.mkdir()
    (folder / "results.json").write_text("{}")
    (folder / "report.html").write_text("<script>alert(1)</script>")
    policy = client.get("/report?folder=earlier").headers["content-security-policy"]
    scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))
    assert all(word.startswith("'sha256-") for word in scripts.split()[1:])
    assert "default-src 'none'" in policy
    outside = study_folder.parent / "outside.html"
    outside.write_text("secret")
    (folder / "report.html").unlink()
    (folder / "report.html").symlink_to(outside)
    assert client.get("/report?folder=earlier").status_code == 404
