// What the page does in the browser: it asks the server for parts of itself. All layout and every number
// comes from there; without this script the lists, panels and forms still work as plain pages.
import { rows } from "./rows.js";
import { keys } from "./keys.js";

const main = document.getElementById("main");
const parser = new DOMParser();
let asked; // the question that is under way: a newer one takes its place

export async function part(name, address, signal) {
  const answer = await fetch(address, { headers: { "Baton-Part": name }, signal, redirect: "follow" });
  if (!answer.ok) throw new Error(answer.status);
  const n = answer.headers.get("Baton-Waiting"), badge = document.getElementById("waiting");
  if (n !== null && badge) { badge.textContent = n; badge.hidden = n === "0"; }
  return answer;
}

// put sets the children of an element, keeping what a person has opened or is typing.
export function put(element, html) {
  if (!element) return;
  const fresh = parser.parseFromString(html, "text/html").body;
  const opened = new Set([...element.querySelectorAll("details[open][id], details.menu[open]")].map((d) => d.id || d.className));
  for (const d of fresh.querySelectorAll("details")) if (opened.has(d.id || d.className)) d.open = true;
  element.replaceChildren(...fresh.childNodes);
  clocks();
}

const typing = (within) => within?.contains(document.activeElement) && /INPUT|TEXTAREA|SELECT/.test(document.activeElement.tagName) && document.activeElement.type !== "range";
const chosen = () => document.querySelector("[name=run]:checked, [data-all]:checked");

// go shows another state of this page, without leaving it.
export async function go(address, name = main?.dataset.part, remember = true) {
  if (!name || new URL(address, location).pathname !== location.pathname) return void (location.href = address);
  asked?.abort();
  asked = new AbortController();
  try {
    const answer = await part(name, address, asked.signal);
    const html = await answer.text();
    if (remember) history.pushState({}, "", address);
    show(name, html);
  } catch (e) {
    if (e.name !== "AbortError") location.href = address;
  }
}

function show(name, html) {
  if (name === "panel") {
    const panel = document.getElementById("panel");
    put(panel, html);
    const open = panel.childElementCount > 0;
    panel.parentElement.classList.toggle("with-panel", open);
    const row = new URLSearchParams(location.search).get("row");
    for (const r of document.querySelectorAll("[data-row]")) r.classList.toggle("on", r.dataset.row === row);
    again();
    return;
  }
  const at = scrollY;
  put(main, html);
  scrollTo(0, at);
  begin();
}

document.addEventListener("click", (e) => {
  if (e.metaKey || e.ctrlKey || e.shiftKey || e.button) return;
  const sure = e.target.closest("[data-sure]");
  if (sure && !confirm(sure.dataset.sure)) return e.preventDefault();
  const link = e.target.closest("a[data-swap], a[data-panel]");
  if (!link) {
    for (const d of document.querySelectorAll("details.menu[open]")) if (!d.contains(e.target)) d.open = false;
    return;
  }
  e.preventDefault();
  const address = link.href.baseVal ?? link.href;
  go(address, link.dataset.panel !== undefined && document.getElementById("panel") ? "panel" : undefined);
});

document.addEventListener("submit", (e) => {
  const form = e.target;
  if (form.dataset.swap === undefined && form.dataset.travel === undefined) return;
  e.preventDefault();
  search(form);
});

function search(form) {
  const q = new URLSearchParams([...new FormData(form)].filter(([, v]) => v !== ""));
  go(form.getAttribute("action") + (q.size ? "?" + q : ""));
}

let wait;
document.addEventListener("input", (e) => {
  const form = e.target.form;
  if (e.target.type === "range") {
    form.querySelector("[data-place]").textContent = e.target.value;
    clearTimeout(wait);
    wait = setTimeout(() => travel(e.target), 120);
  } else if (e.target.name === "run" || e.target.dataset.all !== undefined) {
    bulk(e.target);
  }
});
document.addEventListener("change", (e) => { if (e.target.matches("[data-swap] select")) search(e.target.form); });

function travel(slider) {
  const u = new URL(location);
  if (slider.value === slider.max) u.searchParams.delete("at");
  else u.searchParams.set("at", slider.value);
  go(u.pathname + u.search).then(() => document.querySelector(".travel input[type=range]")?.focus({ preventScroll: true }));
}

function bulk(box) {
  const boxes = [...document.querySelectorAll("[name=run][type=checkbox]")];
  if (box.dataset.all !== undefined) boxes.forEach((b) => { b.checked = box.checked; });
  const n = boxes.filter((b) => b.checked).length;
  const bar = document.querySelector("[data-bulk-bar]");
  bar.hidden = n === 0;
  bar.querySelector("[data-bulk-count]").textContent = n;
}

addEventListener("popstate", () => go(location.href, undefined, false));

// clocks count times up and down.
function clocks() {
  const now = Date.now();
  for (const t of document.querySelectorAll("[data-since]")) t.textContent = took(now - Date.parse(t.dataset.since));
  for (const t of document.querySelectorAll("[data-until]")) t.textContent = took(Math.max(0, Date.parse(t.dataset.until) - now));
}
function took(ms) {
  const s = Math.max(0, ms / 1000), two = (n) => String(Math.floor(n)).padStart(2, "0");
  if (s < 60) return s < 10 ? s.toFixed(1) + "s" : Math.floor(s) + "s";
  if (s < 3600) return Math.floor(s / 60) + "m " + two(s % 60) + "s";
  return s < 172800 ? Math.floor(s / 3600) + "h " + two((s / 60) % 60) + "m" : Math.floor(s / 86400) + "d " + two((s / 3600) % 24) + "h";
}
setInterval(() => { if (!document.hidden) clocks(); }, 500);

// again asks once more for the panel of a call that is still under way.
let soon;
function again() {
  clearTimeout(soon);
  const inner = document.querySelector("[data-again]");
  if (inner) soon = setTimeout(() => refreshPanel().finally(again), Number(inner.dataset.again));
}
async function refreshPanel() {
  const panel = document.getElementById("panel");
  if (document.hidden || typing(panel) || !panel?.childElementCount) return;
  const at = panel.querySelector(".inner")?.scrollTop;
  put(panel, await (await part("panel", location.href)).text());
  if (at) panel.querySelector(".inner")?.scrollTo(0, at);
}

// news: the server says that something happened; what, is asked for.
let source, stream;
function listen() {
  const address = document.hidden ? "" : main?.querySelector("[data-live]")?.dataset.live ?? main?.dataset.live ?? "";
  if (address === stream) return;
  source?.close();
  source = undefined;
  if (!(stream = address)) return;
  source = new EventSource(address);
  source.addEventListener("moved", moved);
}
document.addEventListener("visibilitychange", listen);

let busy = false, more = false;
async function moved() {
  if (busy) return void (more = true);
  busy = true;
  try {
    if (document.getElementById("top")) await traced();
    else if (!typing(main) && !chosen()) put(main, await (await part(main.dataset.part, location.href)).text());
  } catch { /* the next news brings it */ }
  busy = false;
  if (more) { more = false; moved(); }
}
async function traced() {
  const top = document.getElementById("top");
  if (!typing(top)) put(top, await (await part("top", location.href)).text());
  if (view) await view.moved();
  else if (!typing(document.getElementById("body")) && !document.querySelector("#body details.fact[open]")) put(document.getElementById("body"), await (await part("body", location.href)).text());
  if (document.querySelector("[data-moving]")) await refreshPanel();
}

let view;
function begin() {
  view?.end();
  view = rows(document.querySelector("[data-rows]"));
  again();
  listen();
  clocks();
}

// The width of the panel is remembered where it was set.
const side = Number(localStorage.getItem("baton.side"));
if (side > 0) document.documentElement.style.setProperty("--side", side + "px");
document.addEventListener("pointerdown", (e) => {
  if (!e.target.closest("[data-grip]")) return;
  e.preventDefault();
  const move = (m) => {
    const width = Math.round(Math.min(Math.max(innerWidth - m.clientX, 300), innerWidth - 360));
    document.documentElement.style.setProperty("--side", width + "px");
    localStorage.setItem("baton.side", width);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
});

keys(go, () => view);
begin();
