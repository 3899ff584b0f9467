// Everything works without this script; with it, forms answer while they are filled in and progress is live.
"use strict";
document.documentElement.classList.add("scripted");

// Replace parts of this page by those of another; the focused field keeps the focus.
function replaceParts(html, selectors) {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const selector of selectors) {
    const old = document.querySelector(selector), fresh = page.querySelector(selector);
    if (!old || !fresh) continue;
    const open = new Set([...old.querySelectorAll("details[open] > summary")].map(one => one.textContent));
    const focus = document.activeElement, id = old.contains(focus) ? focus.id : "";
    const selection = id && "selectionStart" in focus ? focus.selectionStart : null;
    old.replaceWith(fresh);
    fresh.querySelectorAll("details > summary").forEach(one => { if (open.has(one.textContent)) one.parentElement.open = true; });
    const again = id && document.getElementById(id);
    if (again) {
      again.focus({preventScroll: true});
      if (selection !== null) try { again.setSelectionRange(selection, selection); } catch { /* not a text field */ }
    }
    prepare(fresh);
  }
}

// A form with data-live is sent to that address whenever it changes, and #live is replaced by the answer.
let latest = 0;
async function look(form) {
  const number = ++latest, body = new URLSearchParams(new FormData(form));
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.dataset.live, {method: "POST", body});
    const text = await answer.text();
    if (number === latest && answer.ok) replaceParts(text, ["#live"]);
  } catch { /* the server is gone: sending the form will say so */ }
  if (number === latest) form.removeAttribute("aria-busy");
}
for (const form of document.querySelectorAll("form[data-live]")) {
  let timer;
  const soon = wait => { clearTimeout(timer); timer = setTimeout(() => look(form), wait); };
  form.addEventListener("input", event => { if (event.target.matches("input:not([type=checkbox])")) soon(500); });
  form.addEventListener("change", event => { if (event.target.matches("select, [type=checkbox]")) soon(0); });
}

// The progress of a run; when it ends, the page of its result.
const progress = document.querySelector("[data-events]");
if (progress) {
  const source = new EventSource(progress.dataset.events);
  source.onmessage = event => {
    const now = JSON.parse(event.data);
    if (now.ended) { source.close(); location.reload(); return; }
    const state = progress.querySelector(".state");
    state.textContent = now.state;
    state.className = "state " + now.state;
    if (now.text) document.getElementById("said").textContent = now.text;
  };
}

// Lists with unfinished runs.
const listed = document.querySelector("[data-refresh]");
if (listed) {
  setInterval(async () => {
    const answer = await fetch(location.href);
    if (answer.ok) replaceParts(await answer.text(), [listed.dataset.refresh]);
  }, 2000);
}

// Load the parts that take some seconds, and put a button beside each command that copies it.
function prepare(part) {
  for (const late of [part, ...part.querySelectorAll("[data-load]")]) {
    if (!late.dataset?.load) continue;
    (late.querySelector("p") || late).textContent = "Computing …";
    fetch(late.dataset.load).then(answer => answer.text()).then(text => { if (late.isConnected) replaceParts(text, ["#" + late.id]); });
  }
  for (const line of part.querySelectorAll("code.line")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy the command";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(line.textContent);
      button.textContent = "Copied";
    });
    line.closest("pre").after(button);
  }
}
prepare(document);
