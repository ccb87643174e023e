// The keyboard: what it does stands in the dialog that ? opens.
const views = ["timeline", "graph", "events", "context", "decisions"];
const places = { r: "/runs", s: "/sessions", i: "/inbox", y: "/system" };

export function keys(go, view) {
  const dialog = document.getElementById("keys");
  let leading = false;
  document.querySelector("[data-keys]")?.addEventListener("click", () => dialog.showModal());

  const lines = () => [...document.querySelectorAll("[data-line]")];
  function move(by) {
    const all = lines();
    if (!all.length) return;
    const at = all.findIndex((l) => l.classList.contains("cursor"));
    const to = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)];
    for (const l of all) l.classList.toggle("cursor", l === to);
    view()?.stir();
    to.scrollIntoView({ block: "nearest" });
    const box = to.getBoundingClientRect();
    if (box.top < 120) scrollBy(0, box.top - 120);
    if (box.bottom > innerHeight - 60) scrollBy(0, box.bottom - innerHeight + 60);
  }
  const open = () => document.querySelector(".cursor a.go, .cursor .what a")?.click();
  const press = (selector) => document.querySelector(selector)?.click();

  const does = {
    j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1), Enter: open,
    "/": () => document.querySelector("[data-search]")?.focus(), "?": () => dialog.showModal(),
    f: () => view()?.follow(), "[": () => press('[data-step="-1"]'), "]": () => press('[data-step="1"]'),
    "+": () => view()?.zoom(0.5), "=": () => view()?.zoom(0.5), "-": () => view()?.zoom(2), 0: () => view()?.zoom(0),
    Escape: () => press("#panel .close"),
  };
  views.forEach((name, i) => { does[i + 1] = () => press(`[data-view="${name}"]`); });

  document.addEventListener("keydown", (e) => {
    if (e.metaKey || e.ctrlKey || e.altKey || dialog.open) return;
    if (/INPUT|TEXTAREA|SELECT/.test(e.target.tagName)) {
      if (e.key === "Escape") e.target.blur();
      return;
    }
    if (leading && places[e.key]) { leading = false; return void (location.href = places[e.key]); }
    leading = e.key === "g";
    const act = does[e.key];
    if (!act || e.key === "Enter" && !document.querySelector(".cursor")) return;
    e.preventDefault();
    act();
  });
}
