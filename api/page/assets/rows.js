// Rows of the waterfall. They come in chunks of equal height; only those in sight, and a little around,
// hold anything, so that ten thousand steps cost no more than a hundred.
import { go, part, put } from "./page.js";

const around = "900px 0px"; // how far beyond the window chunks are filled
const most = 2;             // questions at once

export function rows(frame) {
  if (!frame) return undefined;
  const list = frame.querySelector("#rows"), button = document.querySelector("[data-follow]");
  const size = Number(frame.dataset.chunk);
  const waiting = new Set(), under = new Map();
  let total = Number(frame.dataset.total), following = true, stopped = false;

  const url = (from) => {
    const u = new URL(frame.dataset.rows + location.search, location);
    u.searchParams.set("from", from);
    return u;
  };
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      target.dataset.near = isIntersecting ? "1" : "";
      if (isIntersecting) { if (!target.dataset.full) waiting.add(target); continue; }
      waiting.delete(target);
      under.get(target)?.abort();
      if (target.dataset.full && !target.classList.contains("tail")) { target.replaceChildren(); target.dataset.full = ""; }
    }
    next();
  }, { rootMargin: around });

  // next fills what has come into sight, the latest first: who scrolls fast does not wait for what is past.
  function next() {
    while (!stopped && under.size < most && waiting.size) {
      const chunk = [...waiting].pop();
      waiting.delete(chunk);
      fill(chunk);
    }
  }
  async function fill(chunk) {
    const stop = new AbortController();
    under.set(chunk, stop);
    try {
      const answer = await part("rows", url(chunk.dataset.from), stop.signal);
      const html = await answer.text();
      grow(Number(answer.headers.get("Baton-Total")));
      if (chunk.dataset.near) { put(chunk, html); chunk.dataset.full = "1"; }
    } catch { /* it went out of sight, or nobody answered */ }
    if (under.get(chunk) === stop) under.delete(chunk);
    if (chunk.dataset.near && !chunk.dataset.full && !stopped) setTimeout(() => { waiting.add(chunk); next(); }, 300);
    next();
  }
  // grow adds chunks for rows that have come; fewer than before means that another list is meant.
  function grow(n) {
    if (!n || n === total) return;
    if (n < total) { total = n; return void go(location.href, undefined, false); }
    total = n;
    let last = list.querySelector(".chunk:last-of-type");
    if (!last) return void go(location.href, undefined, false);
    while (Number(last.dataset.from) + size < n) {
      last.classList.remove("tail");
      last.dataset.count = size;
      const chunk = last.cloneNode(false);
      chunk.dataset.from = Number(last.dataset.from) + size;
      chunk.dataset.full = chunk.dataset.near = "";
      chunk.classList.add("tail");
      list.append(chunk);
      seen.observe(chunk);
      last = chunk;
    }
    last.dataset.count = n - Number(last.dataset.from);
    last.classList.toggle("tail", Number(last.dataset.count) < size);
  }

  function follow(on) {
    following = on || !button;
    if (!button) return;
    button.setAttribute("aria-pressed", following);
    button.classList.toggle("still", !following);
  }
  async function moved() {
    if (!following) return; // whoever has scrolled back sees what stands there, still
    const answer = await part("axis", location.href);
    put(frame.querySelector("#axis"), await answer.text());
    put(document.getElementById("chips"), await (await part("chips", location.href)).text());
    const near = [...list.querySelectorAll('.chunk[data-near="1"]')];
    await Promise.all(near.map(fill));
    newest();
  }
  function newest() {
    const plot = frame.querySelector("#axis [data-newest]");
    const at = Number(plot?.dataset.newest ?? -1);
    if (!following || at < 0) return;
    const row = list.querySelector(`[data-index="${at}"]`);
    const box = row?.getBoundingClientRect();
    if (box && box.top > 110 && box.bottom < innerHeight - 60) return;
    self = true;
    if (row) row.scrollIntoView({ block: "center" });
    else list.querySelector(`.chunk[data-from="${Math.floor(at / size) * size}"]`)?.scrollIntoView({ block: "center" });
    setTimeout(() => { self = false; }, 150);
  }
  let self = false;
  const stir = () => { if (button && following && !self) follow(false); };
  const opts = { passive: true };
  for (const kind of ["wheel", "touchmove"]) frame.addEventListener(kind, stir, opts);
  button?.addEventListener("click", () => { follow(!following); moved(); });

  // Dragging over the overview zooms into a part of the time.
  const zoomTo = (from, to) => {
    const u = new URL(location);
    for (const [name, value] of [["t0", from], ["t1", to]]) value === undefined ? u.searchParams.delete(name) : u.searchParams.set(name, Math.round(value));
    go(u.pathname + u.search);
  };
  frame.addEventListener("pointerdown", (e) => {
    const field = e.target.closest("[data-zoom]");
    if (!field) return;
    const box = field.getBoundingClientRect(), whole = Number(field.parentElement.dataset.whole) * 1.02, begun = e.clientX;
    addEventListener("pointerup", (end) => {
      const [a, b] = [begun, end.clientX].sort((x, y) => x - y).map((x) => ((x - box.left) / box.width) * whole);
      if (b - a > whole / 100) zoomTo(Math.max(0, a), b);
    }, { once: true });
  });
  function zoom(by) {
    const plot = frame.querySelector(".axis .plot"), whole = Number(plot.dataset.whole) * 1.02;
    const t0 = Number(plot.dataset.t0), t1 = Number(plot.dataset.t1), mid = (t0 + t1) / 2, half = Math.max(1, ((t1 - t0) / 2) * by);
    if (!by || half * 2 >= whole) zoomTo();
    else zoomTo(Math.max(0, mid - half), Math.min(whole, mid + half));
  }

  for (const chunk of list.querySelectorAll(".chunk")) seen.observe(chunk);
  return {
    moved, zoom, stir,
    follow: () => { follow(!following); moved(); },
    end() { stopped = true; seen.disconnect(); for (const stop of under.values()) stop.abort(); },
  };
}
