// The linked view: subgraphs on a brain that turns, in a list, a matrix and distributions. What is selected in
// one is marked in all of them, and in the tables of the page. The data are in #view-data (report/view.py).
(function () {
  "use strict";
  const source = document.getElementById("view-data"), home = document.getElementById("view");
  if (!source || !home) return;
  const data = JSON.parse(source.textContent);
  const $ = (id) => document.getElementById("view-" + id);
  document.querySelectorAll(".with-script").forEach((one) => { one.hidden = false; });
  home.hidden = false;
  document.getElementById("view-link").hidden = false;
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const { names, networks, places, others, flat } = data.nodes;
  const palettes = {
    light: ["#0072b2", "#d55e00", "#009e73", "#aa4499", "#b58900", "#332288", "#882255", "#117733", "#666666", "#44aa99"],
    dark: ["#56b4e9", "#ff8a3d", "#2fd6a5", "#e590c8", "#f0e442", "#a8a2ff", "#e06c8f", "#7fd07f", "#c0c0c0", "#88ddcc"],
  };
  const allNetworks = networks ? [...new Set(networks)].sort() : [];
  const canvas = $("brain"), matrix = $("matrix"), chart = $("chart"), list = $("list"), tip = $("tip");
  const state = { set: 0, k: -1, hover: null, limit: 0, open: new Set(), yaw: 0, pitch: 0, zoom: 1 };
  const VIEWS = { left: [-90, 0], right: [90, 0], top: [0, 90], front: [180, 0], back: [0, 0] };
  let listing, shown, order, edgeUse, colours;

  // ---- Surface ----
  const mesh = data.mesh && (function () {
    const p = new Int16Array(bytes(data.mesh.points).buffer), faces = new Uint16Array(bytes(data.mesh.faces).buffer);
    const points = Float64Array.from(p, (v) => v / 10), normals = new Float64Array(faces.length);
    for (let f = 0; f < faces.length; f += 3) {
      const [a, b, c] = [faces[f] * 3, faces[f + 1] * 3, faces[f + 2] * 3];
      const u = [0, 1, 2].map((i) => points[b + i] - points[a + i]), v = [0, 1, 2].map((i) => points[c + i] - points[a + i]);
      const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      const size = Math.hypot(...n) || 1;
      for (let i = 0; i < 3; i++) normals[f + i] = n[i] / size;
    }
    return { points, faces, normals };
  })();

  // ---- Pens: the same drawing on a canvas and as SVG ----
  const xml = (text) => String(text).replace(/[&<>"']/g, (c) => "&#" + c.charCodeAt(0) + ";")
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
  function canvasPen(g) {
    return {
      path(d, s) {
        const path = new Path2D(d);
        g.globalAlpha = s.alpha ?? 1;
        if (s.fill) { g.fillStyle = s.fill; g.fill(path); }
        if (s.stroke) {
          g.strokeStyle = s.stroke; g.lineWidth = s.width ?? 1; g.lineCap = "round"; g.lineJoin = "round";
          g.setLineDash(s.dash ?? []); g.stroke(path);
        }
        g.globalAlpha = 1;
      },
      text(x, y, text, s) {
        g.font = (s.bold ? "600 " : "") + (s.size ?? 12) + "px system-ui, sans-serif";
        g.textAlign = s.anchor === "middle" ? "center" : s.anchor ?? "start";
        if (s.halo) { g.lineWidth = 3; g.setLineDash([]); g.lineJoin = "round"; g.strokeStyle = s.halo; g.strokeText(text, x, y); }
        g.fillStyle = s.fill; g.fillText(text, x, y);
      },
    };
  }
  function svgPen(out) {
    return {
      path(d, s) {
        out.push(`<path d="${d}" fill="${s.fill ?? "none"}"` + (s.stroke ? ` stroke="${s.stroke}" stroke-width="${round(s.width ?? 1)}" stroke-linecap="round" stroke-linejoin="round"` : "") +
          (s.dash ? ` stroke-dasharray="${s.dash.join(" ")}"` : "") + (s.alpha !== undefined ? ` opacity="${round(s.alpha)}"` : "") + "/>");
      },
      text(x, y, text, s) {
        out.push(`<text x="${round(x)}" y="${round(y)}" font-family="sans-serif" font-size="${s.size ?? 12}" fill="${s.fill}"` +
          (s.bold ? ' font-weight="600"' : "") + ` text-anchor="${s.anchor ?? "start"}"` +
          (s.halo ? ` stroke="${s.halo}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"` : "") + `>${xml(text)}</text>`);
      },
    };
  }
  const round = (x) => Math.round(x * 100) / 100;
  const disc = (x, y, r) => `M${round(x - r)} ${round(y)}a${round(r)} ${round(r)} 0 1 0 ${round(2 * r)} 0a${round(r)} ${round(r)} 0 1 0 ${round(-2 * r)} 0`;
  const short = (text, n) => { const all = [...text.replace(/\s+/g, " ")]; return all.length > n ? all.slice(0, n - 1).join("") + "…" : all.join(""); };
  const share = (x) => (100 * x).toFixed(x < 0.0995 && x > 0 ? 1 : 0) + "%";

  function readColours() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue("--" + name).trim();
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    colours = { pos: of("pos"), neg: of("neg"), text: of("text"), soft: of("soft"), line: of("line"), ground: of("surface"),
      brain: dark ? "#9fb0bd" : "#5b6670", dot: of("dot"), plain: of("plain"), palette: palettes[dark ? "dark" : "light"] };
  }

  // ---- What is shown ----
  const sideOf = (k) => listing.signs[k] >= 0 ? "pos" : "neg";
  const networkColour = (name) => colours.palette[allNetworks.indexOf(name) % colours.palette.length];
  const edgeName = (e) => data.edges[e].map((n) => names[n]).join(" – ") + (data.layers ? " (" + data.layers[e] + ")" : "");
  const subgraphName = (k) => listing.edges[k].map(edgeName).join(", ");
  function among(k) {
    const which = $("which").value;
    return !listing.kept || which === "all" || (which === "families" ? listing.kept[k] === 2 : listing.kept[k] > 0);
  }
  function candidates() { return listing.values.map((_, k) => k).filter(among); }
  function limits() {  // what the slider steps over: ranks, or the distinct p-values
    const all = candidates();
    if ($("by").value !== "p") return all.map((_, i) => i + 1);
    return [...new Set(all.map((k) => listing.values[k]))].sort((a, b) => a - b);
  }
  function edgeColour(e, best) {
    if ($("colour").value !== "network" || !networks) return colours[sideOf(best)];
    const [a, b] = data.edges[e].map((n) => networks[n]);
    return a === b ? networkColour(a) : colours.plain;
  }
  function refresh(keepSlider) {
    const all = candidates(), steps = limits(), slider = $("limit");
    slider.max = Math.max(steps.length - 1, 0);
    if (!keepSlider) slider.value = slider.max;
    slider.disabled = steps.length < 2;
    const last = steps[Math.min(Number(slider.value), steps.length - 1)];
    shown = $("by").value === "p" ? all.filter((k) => listing.values[k] <= last) : all.slice(0, last);
    const said = $("by").value === "p" ? `p ≤ ${last}: ${shown.length} of ${all.length}` : `${shown.length} of ${all.length}`;
    $("limit-said").textContent = said;
    slider.setAttribute("aria-valuetext", said);
    edgeUse = new Map();  // edge -> the best subgraph with it, and how many there are
    shown.forEach((k) => listing.edges[k].forEach((e) => {
      const use = edgeUse.get(e);
      if (use) use.n++; else edgeUse.set(e, { best: k, n: 1 });
    }));
    makeOrder();
    home.dataset.shown = shown.length;
    fillList();
    paint();
  }

  // ---- Brain ----
  function projector(width, height) {
    const a = state.yaw * Math.PI / 180, b = state.pitch * Math.PI / 180;
    const [ca, sa, cb, sb] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b)];
    const scale = Math.min(width / (flat ? 200 : 184), height / (flat ? 190 : 196)) * state.zoom, centre = flat || !mesh ? [0, 0, 0] : [0, -18, 14];
    // Seen from behind at yaw 0: x to the right, z up; depth grows away from the viewer.
    return (x, y, z) => {
      const [u, v, w] = [x - centre[0], y - centre[1], z - centre[2]];
      if (flat) return [width / 2 + u * scale, height / 2 - v * scale, 0];
      const across = u * ca + v * sa, away = -u * sa + v * ca;
      return [width / 2 + across * scale, height / 2 - (w * cb + away * sb) * scale, away * cb - w * sb];
    };
  }
  const LEVELS = 12;
  function drawSurface(pen, project) {
    const { points, faces, normals } = mesh, n = points.length / 3, at = new Float64Array(2 * n);
    for (let i = 0; i < n; i++) { const p = project(points[3 * i], points[3 * i + 1], points[3 * i + 2]); at[2 * i] = round(p[0]); at[2 * i + 1] = round(p[1]); }
    const a = state.yaw * Math.PI / 180, b = state.pitch * Math.PI / 180;
    const eye = [Math.sin(a) * Math.cos(b), -Math.cos(a) * Math.cos(b), Math.sin(b)];
    const buckets = Array.from({ length: LEVELS }, () => []);
    for (let f = 0; f < faces.length; f += 3) {
      const facing = normals[f] * eye[0] + normals[f + 1] * eye[1] + normals[f + 2] * eye[2];
      if (facing <= 0) continue;
      const [i, j, k] = [2 * faces[f], 2 * faces[f + 1], 2 * faces[f + 2]];
      buckets[Math.min(Math.floor((1 - facing) * LEVELS), LEVELS - 1)].push(`M${at[i]} ${at[i + 1]}L${at[j]} ${at[j + 1]}L${at[k]} ${at[k + 1]}Z`);
    }
    // Faces that look sideways are darker, as in glass.
    buckets.forEach((faces, level) => { if (faces.length) pen.path(faces.join(""), { fill: colours.brain, alpha: 0.07 + 0.3 * Math.pow(level / LEVELS, 1.6) }); });
  }
  function drawBrain(pen, width, height) {
    const project = projector(width, height), at = places.map((p) => project(...p));
    if (mesh) drawSurface(pen, project);
    const rest = others.map((p) => project(...p));
    pen.path(rest.map((p) => disc(p[0], p[1], 1.4)).join(""), { fill: colours.dot });
    const depths = at.map((p) => p[2]), near = Math.min(...depths), far = Math.max(...depths);
    const fade = (d) => far > near ? 1 - 0.6 * (d - near) / (far - near) : 1;
    const chosen = state.k >= 0 ? new Set(listing.edges[state.k]) : null;
    const edges = [...edgeUse.keys()].filter((e) => !chosen || !chosen.has(e));
    const depth = (e) => at[data.edges[e][0]][2] + at[data.edges[e][1]][2];
    edges.sort((e, f) => depth(f) - depth(e));
    const most = Math.max(1, ...[...edgeUse.values()].map((use) => use.n));
    const line = (e) => { const [p, q] = data.edges[e].map((n) => at[n]); return `M${round(p[0])} ${round(p[1])}L${round(q[0])} ${round(q[1])}`; };
    const dash = (k) => sideOf(k) === "neg" && !networksShown() && edgeUse.size <= MANY ? [6, 3.5] : undefined;
    // Lines of one look and depth are one path: a thousand single strokes would take four times as long.
    const looks = new Map();
    edges.forEach((e) => {
      const use = edgeUse.get(e), strong = Math.round(6 * fade(depth(e) / 2)) / 6;
      const s = { stroke: edgeColour(e, use.best), dash: dash(use.best), width: Math.round(2 + 4.8 * Math.sqrt(use.n / most)) / 2, alpha: (chosen ? 0.18 : 0.85) * strong };
      const key = strong + s.stroke + s.width + (s.dash ?? "");
      if (looks.has(key)) looks.get(key).lines.push(line(e)); else looks.set(key, { lines: [line(e)], s });
    });
    looks.forEach(({ lines, s }) => pen.path(lines.join(""), s));
    const inShown = new Set([...edgeUse.keys(), ...(chosen ?? [])].flatMap((e) => data.edges[e]));
    const inChosen = new Set(chosen ? [...chosen].flatMap((e) => data.edges[e]) : []);
    if (chosen) chosen.forEach((e) => {
      pen.path(line(e), { stroke: colours.ground, width: 6.5 });
      pen.path(line(e), { stroke: edgeColour(e, state.k), dash: dash(state.k), width: 3.6 });
    });
    [...inShown].sort((a, b) => inChosen.has(a) - inChosen.has(b) || at[b][2] - at[a][2]).forEach((n) => {
      const bold = inChosen.has(n), fill = networksShown() ? networkColour(networks[n]) : colours.text;
      pen.path(disc(at[n][0], at[n][1], bold ? 5 : 3.4), { fill, stroke: colours.ground, width: 1.2, alpha: chosen && !bold ? 0.35 : 1 });
    });
    if (state.hover?.edge !== undefined) pen.path(line(state.hover.edge), { stroke: colours.text, width: 2, alpha: 0.9 });
    if (state.hover?.node !== undefined) pen.path(disc(...at[state.hover.node].slice(0, 2), 8), { stroke: colours.text, width: 2 });
    drawNames(pen, inChosen.size ? [...inChosen] : inShown.size <= 12 ? [...inShown] : [], at, width, height);
    if (!flat) sidesOfView(pen, width, height);
    return at;
  }
  const MANY = 150;  // lines, from which dashes cost more than they say
  const networksShown = () => Boolean(networks) && $("colour").value === "network";
  function sidesOfView(pen, width, height) {
    const project = projector(width, height), middle = project(0, mesh ? -18 : 0, mesh ? 14 : 0);
    [["L", -1, 0, 0], ["R", 1, 0, 0]].forEach(([text, x, y, z]) => {
      const p = project(x * 80, mesh ? -18 : 0, mesh ? 14 : 0), across = p[0] - middle[0];
      if (Math.abs(across) > 40) pen.text(across > 0 ? width - 14 : 14, 18, text, { fill: colours.soft, anchor: "middle", bold: true, size: 13 });
    });
  }
  // Names stand beside their nodes, on the side without lines if they can, where they meet neither one another
  // nor the margins; others are left out.
  function pulls(n, at) {  // to the right where most lines of a node go, of those that are in front
    const lines = state.k >= 0 ? listing.edges[state.k] : [...edgeUse.keys()];
    return lines.filter((e) => data.edges[e].includes(n)).reduce((sum, e) => sum + at[data.edges[e][0]][0] + at[data.edges[e][1]][0] - 2 * at[n][0], 0);
  }
  function drawNames(pen, nodes, at, width, height) {
    const taken = nodes.map((n) => [at[n][0] - 5, at[n][1] - 5, at[n][0] + 5, at[n][1] + 5]);
    nodes.sort((a, b) => at[a][1] - at[b][1]).forEach((n) => {
      const text = short(names[n], 28), w = 6.6 * [...text].length, [x, y] = at[n];
      const [right, left] = [x + 9, x - 9 - w], [near, far] = pulls(n, at) > 0 ? [left, right] : [right, left];
      const spots = [[near, y + 4], [x - w / 2, y - 10], [x - w / 2, y + 19], [far, y + 4], [near, y - 10], [near, y + 19], [far, y - 10], [far, y + 19]];
      for (const [start, base] of spots) {
        const box = [start, base - 11, start + w, base + 3];
        if (box[0] < 2 || box[2] > width - 2 || box[1] < 2 || box[3] > height - 2) continue;
        if (taken.some((o) => o[0] < box[2] && o[2] > box[0] && o[1] < box[3] && o[3] > box[1])) continue;
        taken.push(box);
        pen.text(start, base, text, { fill: colours.text, halo: colours.ground, size: 12 });
        return;
      }
    });
  }

  // ---- Matrix ----
  function makeOrder() {
    const inShown = [...new Set([...edgeUse.keys()].flatMap((e) => data.edges[e]))];
    const key = (n) => (networks ? String(allNetworks.indexOf(networks[n])).padStart(4, "0") : "") + (flat ? "" : places[n][0] < 0 ? "a" : "b");
    order = inShown.sort((a, b) => key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a - b);
  }
  function drawMatrix(pen, width, height) {
    const n = order.length, cell = Math.min(width, height) / (n + 1), left = (width - cell * n) / 2, top = (height - cell * n) / 2;
    const row = new Map(order.map((node, i) => [node, i])), square = (i, j, inset) => `M${round(left + j * cell + inset)} ${round(top + i * cell + inset)}h${round(cell - 2 * inset)}v${round(cell - 2 * inset)}h${round(2 * inset - cell)}Z`;
    pen.path(`M${left} ${top}h${cell * n}v${cell * n}h${-cell * n}Z`, { stroke: colours.line, width: 1 });
    order.forEach((node, i) => { pen.path(square(i, i, 0), { fill: networksShown() ? networkColour(networks[node]) : colours.line }); });
    const most = Math.max(1, ...[...edgeUse.values()].map((use) => use.n)), chosen = new Set(state.k >= 0 ? listing.edges[state.k] : []);
    const cellOf = (e, inset) => { const [i, j] = data.edges[e].map((node) => row.get(node)); return i === undefined || j === undefined ? "" : square(i, j, inset) + square(j, i, inset); };
    edgeUse.forEach((use, e) => pen.path(cellOf(e, 0.5), { fill: edgeColour(e, use.best), alpha: (chosen.size && !chosen.has(e) ? 0.3 : 1) * (0.35 + 0.65 * Math.sqrt(use.n / most)) }));
    chosen.forEach((e) => pen.path(cellOf(e, 0), { stroke: colours.text, width: 2 }));
    if (state.hover?.edge !== undefined) pen.path(cellOf(state.hover.edge, 0), { stroke: colours.text, width: 2 });
    return { left, top, cell, n };
  }

  // ---- Distributions ----
  const counts = data.listings.map((one) => bytes(one.counts));
  function drawChart(pen, width, height) {
    const k = state.k, groups = data.groups, bottom = height - 34, row = (bottom - 8) / groups.length, left = 8, right = width - 12;
    if (k < 0) { pen.text(width / 2, height / 2, "Select a subgraph", { fill: colours.soft, anchor: "middle", size: 12.5 }); return; }
    const top = listing.tops[k], bins = data.bins, x = (v) => left + (right - left) * v / top;
    groups.forEach((name, g) => {
      const base = 8 + row * (g + 1), from = (k * groups.length + g) * bins, values = counts[state.set].subarray(from, from + bins), most = Math.max(...values, 1);
      const fill = groups.length === 2 ? colours[g ? "neg" : "pos"] : colours.palette[g % colours.palette.length];
      let d = `M${left} ${round(base)}`;
      values.forEach((v, b) => { d += `V${round(base - (row - 22) * v / most)}H${round(left + (right - left) * (b + 1) / bins)}`; });
      pen.path(d + `V${round(base)}Z`, { fill, alpha: 0.35 });
      pen.path(d + `V${round(base)}`, { stroke: fill, width: 1.5, dash: groups.length === 2 && g ? [5, 2.5] : undefined });
      const mean = listing.shares[k][g];
      pen.path(`M${round(x(mean))} ${round(base)}v${round(-(row - 18))}`, { stroke: colours.text, width: 2 });
      pen.text(right, base - row + 16, `${short(name, 24)}: ${share(mean)} on average`, { fill: colours.text, halo: colours.ground, anchor: "end", size: 12 });
    });
    pen.path(`M${left} ${bottom}H${right}`, { stroke: colours.plain, width: 1 });
    [0, top / 2, top].forEach((v, i) => pen.text(x(v), bottom + 13, share(v), { fill: colours.soft, size: 11, anchor: ["start", "middle", "end"][i] }));
    pen.text(width / 2, height - 5, "probability that a graph contains it", { fill: colours.soft, anchor: "middle", size: 11.5 });
  }

  // ---- Painting ----
  let waiting = false, stale = true, projected = [], cells = null;
  function prepare(one) {
    const ratio = window.devicePixelRatio || 1, box = one.getBoundingClientRect(), w = Math.round(box.width), h = Math.round(box.height);
    if (one.width !== Math.round(w * ratio) || one.height !== Math.round(h * ratio)) { one.width = Math.round(w * ratio); one.height = Math.round(h * ratio); }
    const g = one.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    return [canvasPen(g), w, h];
  }
  // Turning changes the brain only.
  function paint(turned) {
    stale = stale || turned !== true;
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; paintNow(); });
  }
  function paintNow() {
    const start = performance.now();
    projected = drawBrain(...prepare(canvas));
    if (stale) {
      cells = drawMatrix(...prepare(matrix));
      drawChart(...prepare(chart));
      stale = false;
    }
    home.dataset.frame = (performance.now() - start).toFixed(1);
  }

  // ---- List ----
  const ROW = 34;
  let rows = [];
  function familyOf(k) { return listing.family ? listing.family[k] : 0; }
  function fillList() {
    rows = [];
    shown.forEach((k) => {
      rows.push({ k, level: 1 });
      if ($("which").value === "families" && state.open.has(familyOf(k)))
        listing.family.forEach((f, j) => { if (f === familyOf(k) && j !== k && listing.kept[j]) rows.push({ k: j, level: 2 }); });
    });
    $("rows").style.height = rows.length * ROW + "px";
    list.setAttribute("aria-label", `${rows.length} of ${listing.title}`);
    drawRows();
  }
  const variants = (k) => $("which").value === "families" && listing.kept ? listing.family.filter((f, j) => f === familyOf(k) && listing.kept[j] === 1).length : 0;
  function drawRows() {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 6), last = Math.min(rows.length, first + Math.ceil(list.clientHeight / ROW) + 14);
    const active = rows.findIndex((row) => row.k === state.k), parts = [];
    const wanted = new Set(Array.from({ length: Math.max(last - first, 0) }, (_, i) => first + i));
    if (active >= 0) wanted.add(active);
    wanted.forEach((i) => {
      const { k, level } = rows[i], item = document.createElement("div"), n = level === 1 ? variants(k) : 0;
      item.className = "item level-" + level + " " + sideOf(k);
      item.id = "view-item-" + k;
      item.dataset.k = k;
      item.setAttribute("role", "treeitem");
      item.setAttribute("aria-level", level);
      item.setAttribute("aria-selected", k === state.k);
      item.setAttribute("aria-setsize", rows.length);
      item.setAttribute("aria-posinset", i + 1);
      item.style.top = i * ROW + "px";
      const piece = (name, text) => { const e = document.createElement("span"); e.className = name; e.textContent = text; item.append(e); };
      piece("rank", k + 1);
      piece("mark", "");
      piece("name", short(edgeName(listing.edges[k][0]), 90) + (listing.edges[k].length > 1 ? ` + ${listing.edges[k].length - 1}` : ""));
      if (n) { item.setAttribute("aria-expanded", state.open.has(familyOf(k))); piece("fold", (state.open.has(familyOf(k)) ? "▾ " : "▸ ") + n); item.lastChild.title = `${n} variants that share its edges`; }
      piece("value", (listing.value === "adjusted p" ? "p " : "") + listing.values[k]);
      item.title = `Subgraph ${k + 1}: ${subgraphName(k).slice(0, 500)}`;
      parts.push(item);
    });
    $("rows").replaceChildren(...parts);
    if (active >= 0) list.setAttribute("aria-activedescendant", "view-item-" + state.k); else list.removeAttribute("aria-activedescendant");
  }
  function fold(k, open) {
    if (!variants(k)) return;
    if (open) state.open.add(familyOf(k)); else state.open.delete(familyOf(k));
    fillList();
  }

  // ---- Selection ----
  function describe(k) {
    if (k < 0) return "Nothing is selected.";
    const means = data.groups.map((name, g) => `${name} ${share(listing.shares[k][g])}`).join(", ");
    const side = listing.sides[listing.signs[k] >= 0 ? 0 : 1], family = listing.family ? `, family ${familyOf(k)}` : "";
    return `Subgraph ${k + 1} of ${listing.values.length}${family}: ${subgraphName(k)}; ${listing.value} ${listing.values[k]}${listing.words[k] ? "; " + listing.words[k] : ""}${side ? "; " + side : ""}. Contained in: ${means}.`;
  }
  function select(k, quiet) {
    if (k >= 0 && familyOf(k) && $("which").value === "families" && listing.kept[k] === 1) { state.open.add(familyOf(k)); fillList(); }
    state.k = k;
    home.dataset.selected = k;
    const i = rows.findIndex((row) => row.k === k);
    if (i >= 0 && (i * ROW < list.scrollTop || (i + 1) * ROW > list.scrollTop + list.clientHeight)) list.scrollTop = i * ROW - list.clientHeight / 2;
    drawRows();
    $("said").textContent = describe(k);
    document.querySelectorAll("tr[aria-current]").forEach((row) => { row.removeAttribute("aria-current"); });
    if (k >= 0) document.querySelectorAll(`#${listing.table} tr[data-k="${k}"]`).forEach((row) => { row.setAttribute("aria-current", "true"); });
    if (!quiet && k >= 0) home.dispatchEvent(new CustomEvent("chosen", { detail: { table: listing.table, k } }));
    paint();
  }
  function step(by) {
    const i = rows.findIndex((row) => row.k === state.k), next = i < 0 ? (by > 0 ? 0 : rows.length - 1) : i + by;
    if (rows[next]) select(rows[next].k);
  }
  // Selecting an edge gives the best subgraph with it, then the next one.
  function selectEdge(e) {
    const having = shown.filter((k) => listing.edges[k].includes(e));
    if (having.length) select(having[(having.indexOf(state.k) + 1) % having.length]);
  }
  function chooseSet(i, k) {
    state.set = i;
    listing = data.listings[i];
    state.open.clear();
    state.k = -1;
    home.dataset.selected = -1;
    $("set").value = i;
    $("which").closest("label").hidden = !listing.kept;
    if (!listing.kept) $("which").value = "all"; else $("which").value = "families";
    $("by").closest("label").hidden = listing.value !== "adjusted p";
    $("by").value = "rank";
    refresh();
    select(k ?? -1, true);
  }

  // ---- Pointers and keys ----
  function nearest(event) {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const nodes = new Set([...edgeUse.keys(), ...(state.k >= 0 ? listing.edges[state.k] : [])].flatMap((e) => data.edges[e]));
    let best = null, distance = 11;
    nodes.forEach((n) => { const d = Math.hypot(projected[n][0] - x, projected[n][1] - y); if (d < distance) { distance = d; best = { node: n }; } });
    if (best) return best;
    distance = 6;
    edgeUse.forEach((_, e) => {
      const [p, q] = data.edges[e].map((n) => projected[n]), [dx, dy] = [q[0] - p[0], q[1] - p[1]];
      const t = Math.max(0, Math.min(1, ((x - p[0]) * dx + (y - p[1]) * dy) / (dx * dx + dy * dy || 1))), d = Math.hypot(p[0] + t * dx - x, p[1] + t * dy - y);
      if (d < distance) { distance = d; best = { edge: e }; }
    });
    return best;
  }
  function hover(found, event, owner) {
    const before = JSON.stringify(state.hover);
    state.hover = found;
    tip.hidden = !found;
    if (found) {
      tip.textContent = found.node !== undefined ? names[found.node] + (networks ? " · " + networks[found.node] : "")
        : edgeName(found.edge) + ": " + data.groups.map((g, i) => `${g} ${share(data.means[i][found.edge])}`).join(", ");
      const box = home.getBoundingClientRect();
      tip.style.left = Math.max(0, Math.min(event.clientX - box.left + 12, box.width - 260)) + "px";
      tip.style.top = event.clientY - box.top + 14 + "px";
    }
    if (before !== JSON.stringify(found)) paint();
  }
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => { drag = { x: event.clientX, y: event.clientY, yaw: state.yaw, pitch: state.pitch, moved: false }; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return hover(nearest(event), event);
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (Math.hypot(dx, dy) > 3) drag.moved = true;
    if (drag.moved && !flat) turn(drag.yaw - dx * 0.5, drag.pitch + dy * 0.5);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (drag && !drag.moved) {
      const found = nearest(event);
      if (!found) select(-1);
      else if (found.edge !== undefined) selectEdge(found.edge);
      else {
        const having = shown.filter((k) => listing.edges[k].some((e) => data.edges[e].includes(found.node)));
        if (having.length) select(having[(having.indexOf(state.k) + 1) % having.length]);
      }
    }
    drag = null;
  });
  canvas.addEventListener("pointercancel", () => { drag = null; });
  [canvas, matrix].forEach((one) => one.addEventListener("pointerleave", (event) => hover(null, event)));
  function turn(yaw, pitch) {
    state.yaw = ((yaw + 180) % 360 + 360) % 360 - 180;
    state.pitch = Math.max(-90, Math.min(90, pitch));
    home.dataset.yaw = state.yaw;
    home.dataset.pitch = state.pitch;
    paint(true);
  }
  canvas.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const turns = { ArrowLeft: [10, 0], ArrowRight: [-10, 0], ArrowUp: [0, 10], ArrowDown: [0, -10] }[event.key];
    if (turns && !flat) turn(state.yaw + turns[0], state.pitch + turns[1]);
    else if (event.key === "+" || event.key === "=" || event.key === "-") { state.zoom = Math.max(0.5, Math.min(4, state.zoom * (event.key === "-" ? 1 / 1.2 : 1.2))); paint(); }
    else if (event.key === "n" || event.key === "p") step(event.key === "n" ? 1 : -1);
    else if (event.key === "Escape") select(-1);
    else if (event.key === "Home") { state.zoom = 1; turn(...VIEWS.left); }
    else return;
    event.preventDefault();
  });
  function edgeAt(event) {
    const box = matrix.getBoundingClientRect(), i = Math.floor((event.clientY - box.top - cells.top) / cells.cell), j = Math.floor((event.clientX - box.left - cells.left) / cells.cell);
    const [a, b] = [order[i], order[j]];
    if (a === undefined || b === undefined) return null;
    if (a === b) return { node: a };
    for (const e of edgeUse.keys()) if (data.edges[e].includes(a) && data.edges[e].includes(b)) return { edge: e };
    return null;
  }
  matrix.addEventListener("pointermove", (event) => hover(edgeAt(event), event));
  matrix.addEventListener("click", (event) => { const found = edgeAt(event); if (found && found.edge !== undefined) selectEdge(found.edge); else select(-1); });
  list.addEventListener("scroll", drawRows);
  list.addEventListener("click", (event) => {
    const item = event.target.closest(".item");
    if (!item) return;
    const k = Number(item.dataset.k);
    if (event.target.closest(".fold")) fold(k, !state.open.has(familyOf(k)));
    select(k);
  });
  list.addEventListener("keydown", (event) => {
    const k = state.k, done = {
      ArrowDown: () => step(1), ArrowUp: () => step(-1),
      Home: () => rows.length && select(rows[0].k), End: () => rows.length && select(rows[rows.length - 1].k),
      ArrowRight: () => k >= 0 && fold(k, true), ArrowLeft: () => k >= 0 && fold(k, false), Escape: () => select(-1),
    }[event.key];
    if (!done || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    done();
  });
  ["which", "by"].forEach((id) => $(id).addEventListener("change", () => refresh()));
  $("limit").addEventListener("input", () => refresh(true));
  $("colour").addEventListener("change", () => { legend(); paint(); });
  $("set").addEventListener("change", () => chooseSet(Number($("set").value)));
  home.querySelectorAll("button[data-from]").forEach((button) => button.addEventListener("click", () => { state.zoom = 1; turn(...VIEWS[button.dataset.from]); }));

  // ---- Tables of the page ----
  document.querySelectorAll("#significant tbody").forEach((family) => {
    const first = family.rows[0], n = family.rows.length - 1;
    if (!n) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "unfold";
    const set = (open) => { family.classList.toggle("folded", !open); button.setAttribute("aria-expanded", open); button.textContent = open ? `▾ fold` : `▸ ${n} more`; };
    button.addEventListener("click", () => set(family.classList.contains("folded")));
    set(false);
    first.cells[1].append(button);
  });
  data.listings.forEach((one, i) => {
    const table = document.getElementById(one.table);
    if (!table) return;
    table.classList.add("linked");
    const choose = (row) => { if (state.set !== i) chooseSet(i, -1); select(Number(row.dataset.k), true); };
    table.addEventListener("click", (event) => { const row = event.target.closest("tr[data-k]"); if (row) choose(row); });
    table.addEventListener("focusin", (event) => { const row = event.target.closest("tr[data-k]"); if (row) choose(row); });
  });
  window.addEventListener("shown", (event) => {
    const i = data.listings.findIndex((one) => one.table === "ranking");
    if (i < 0 || (state.set === i && state.k === event.detail)) return;
    if (state.set !== i) chooseSet(i, -1);
    select(event.detail, true);
  });

  // ---- Export: brain, matrix and distributions side by side, with what is selected ----
  function sheet(pen, offset) {
    const [w, h, side] = [640, 560, 300];
    pen.path(`M0 0H${w + side + 20}V${h + 60}H0Z`, { fill: colours.ground });
    offset(0, 0, () => drawBrain(pen, w, h));
    offset(w, 10, () => drawMatrix(pen, side, side));
    offset(w, side + 20, () => drawChart(pen, side, h - side - 20));
    const text = describe(state.k), said = state.k >= 0 ? text : `${shown.length} of ${listing.title}`;
    pen.text(14, h + 24, short(said, 130), { fill: colours.text, size: 13 });
    let x = 14;
    keys().forEach(([colour, words]) => { pen.path(disc(x + 5, h + 44, 5), { fill: colour }); pen.text(x + 15, h + 48, words, { fill: colours.text, size: 12 }); x += 34 + 6.6 * words.length; });
    return [w + side + 20, h + 60];
  }
  function svgText() {
    const out = [], pen = svgPen(out);
    const [w, h] = sheet(pen, (x, y, draw) => { out.push(`<g transform="translate(${x} ${y})">`); draw(); out.push("</g>"); });
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}" role="img"><title>${xml(describe(state.k))}</title>${out.join("")}</svg>`;
  }
  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    $("said").textContent = `${name} was saved.`;
  }
  $("svg").addEventListener("click", () => save(new Blob([svgText()], { type: "image/svg+xml" }), "subgraphs.svg"));
  $("png").addEventListener("click", () => {
    const page = document.createElement("canvas"), scale = 3;
    page.width = 960 * scale; page.height = 620 * scale;
    const g = page.getContext("2d");
    g.scale(scale, scale);
    sheet(canvasPen(g), (x, y, draw) => { g.save(); g.translate(x, y); draw(); g.restore(); });
    page.toBlob((blob) => save(blob, "subgraphs.png"), "image/png");
  });

  // ---- Legend and start ----
  function keys() {
    if (networksShown()) return allNetworks.map((name) => [networkColour(name), short(name, 30)]);
    return listing.sides.map((words, i) => [colours[i ? "neg" : "pos"], words]).filter(([, words]) => words);
  }
  function legend() {
    $("key").replaceChildren(...keys().map(([colour, words]) => {
      const item = document.createElement("span"), dot = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      dot.setAttribute("viewBox", "0 0 12 12"); dot.setAttribute("class", "dot"); dot.setAttribute("aria-hidden", "true");
      const circle = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      circle.setAttribute("cx", 6); circle.setAttribute("cy", 6); circle.setAttribute("r", 5.5); circle.setAttribute("fill", colour);
      dot.append(circle); item.append(dot, " " + words);
      return item;
    }));
  }
  data.listings.forEach((one, i) => { const option = document.createElement("option"); option.value = i; option.textContent = one.title; $("set").append(option); });
  $("set").closest("label").hidden = data.listings.length < 2;
  $("colour").closest("label").hidden = !networks;
  $("from").hidden = flat;
  readColours();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); legend(); paint(); });
  new ResizeObserver(() => paint()).observe(home);
  listing = data.listings[0];
  if (!flat) { [state.yaw, state.pitch] = VIEWS.left; home.dataset.yaw = state.yaw; home.dataset.pitch = state.pitch; }
  chooseSet(0, -1);
  legend();
  const linked = /^#subgraph-(\d+)$/.exec(location.hash), first = data.listings[0];
  if (linked && first.table === "ranking" && Number(linked[1]) <= first.values.length) select(Number(linked[1]) - 1, true);
})();
