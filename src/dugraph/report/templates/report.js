// Sorting, filtering, and showing one subgraph at a time. Without this script the page holds the same text.
(function () {
  "use strict";
  var table = document.getElementById("ranking");
  if (!table) return;
  document.querySelectorAll(".with-script, #tools").forEach(function (hidden) { hidden.hidden = false; });

  // Sorting: a button in each heading, numbers by their exact values, names as text; ties keep their order.
  var body = table.tBodies[0];
  var rows = Array.from(body.rows);
  function key(row, column) {
    var cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent.trim().toLowerCase() : Number(cell.dataset.value);
  }
  function sortBy(heading) {
    var rank = heading.dataset.sort === "rank" || heading.dataset.sort === "name";
    var now = heading.getAttribute("aria-sort");
    // Names and ranks begin with the first, numbers with the largest.
    var ascending = now ? now === "descending" : rank;
    table.querySelectorAll("th[aria-sort]").forEach(function (other) { other.removeAttribute("aria-sort"); });
    heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    var column = heading.cellIndex, sign = ascending ? 1 : -1;
    rows
      .map(function (row) { return { row: row, key: key(row, column) }; })
      .sort(function (a, b) { return a.key < b.key ? -sign : a.key > b.key ? sign : 0; })
      .forEach(function (one) { body.appendChild(one.row); });
  }
  table.querySelectorAll("th[data-sort]").forEach(function (heading) {
    var button = document.createElement("button");
    button.type = "button";
    while (heading.firstChild) button.appendChild(heading.firstChild);
    heading.appendChild(button);
    button.addEventListener("click", function () { sortBy(heading); });
  });

  // Filtering: every word must stand in the names of the edges.
  var text = document.getElementById("filter-text");
  var side = document.getElementById("filter-side");
  var count = document.getElementById("count");
  var names = new Map(rows.map(function (row) { return [row, row.cells[2].textContent.toLowerCase()]; }));
  function filter() {
    var words = text.value.toLowerCase().split(/\s+/).filter(Boolean), shown = 0;
    rows.forEach(function (row) {
      var fits = words.every(function (word) { return names.get(row).includes(word); }) &&
        (!side.value || row.dataset.side === side.value);
      row.hidden = !fits;
      shown += fits;
    });
    count.textContent = shown + " of " + rows.length + " shown";
  }
  document.getElementById("tools").addEventListener("submit", function (event) { event.preventDefault(); });
  text.addEventListener("input", filter);
  side.addEventListener("change", filter);
  filter();

  // Moving: the address names the subgraph, so links, history and bookmarks work.
  var parts = Array.from(document.querySelectorAll("article.subgraph"));
  var current = 0;
  function show(index) {
    parts[current].classList.remove("current");
    current = index;
    parts[current].classList.add("current");
    window.dispatchEvent(new CustomEvent("shown", { detail: index }));
  }
  function follow() {
    var match = /^#subgraph-(\d+)$/.exec(location.hash);
    var index = match ? Number(match[1]) - 1 : -1;
    if (!parts[index]) return;
    show(index);
    parts[index].scrollIntoView();
    parts[index].focus({ preventScroll: true });
  }
  if (!parts.length) return;
  show(0);
  follow();
  window.addEventListener("hashchange", follow);
  // What is selected in the linked view is the one shown here, without moving there.
  window.addEventListener("chosen", function (event) {
    if (event.detail.table === "ranking" && parts[event.detail.k]) show(event.detail.k);
  }, true);
  document.addEventListener("keydown", function (event) {
    var step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    // Where arrows have a meaning of their own, in fields and in what scrolls, they keep it.
    if (!step || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest("input, select, summary, .scroll, pre, canvas, [role=tree]")) return;
    if (parts[current + step]) {
      event.preventDefault();
      location.hash = parts[current + step].id;
      follow();  // at once: the event comes later, and a second key before it would count from the old place
    }
  });
})();
