package browser

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "take the screenshots of the documentation anew")

// wide has a thousand branches, and a step beside them that fails.
const wide = `
name: shops
order: dataflow
on_failure: continue
limits: {parallel: 8}
steps:
  - {id: gather, run: {builtin: noop}}
  - {id: shop, needs: [gather], foreach: "1..1000", run: {builtin: noop}}
  - {id: tax, needs: [gather], run: {exec: [sh, -c, "exit 3"]}}
  - {id: sum, needs: [shop, tax], run: {builtin: noop}}
`

const three = `
name: tidy
description: three steps, one after the other
steps:
  - {id: read, intent: read the notes, run: {exec: [sh, -c, "sleep 0.3; echo '\"12 notes\"'"]}, output: notes}
  - {id: think, intent: find what matters, run: {exec: [sh, -c, "sleep 0.9; echo '\"three points\"'"]}, output: points}
  - {id: write, intent: write it down, run: {exec: [sh, -c, "sleep 0.4; echo '\"one page\"'"]}, output: page}
`

// shot is one screenshot.
type shot struct {
	name, path string
	ready      string // what the page has by then
	phone      bool
	dark       bool
	chinese    bool
}

// TestScreenshots takes the pictures of docs/page.md. They are looked at before they are kept.
func TestScreenshots(t *testing.T) {
	if !*update {
		t.Skip("skipped: run with -update to take them anew")
	}
	chromium(t)
	b := install(t)
	w := launch(t, b)
	w.take(shot{name: "empty", path: "/runs", ready: `document.querySelector(".blank")`})
	b.run("session", "new", "--goal", "choose a supplier for battery packs")
	compare := b.start("examples/workflows/compare.yaml")
	tidy := b.start(b.template("tidy", three))
	shops := b.start(b.template("shops", wide))
	w.until(`document.querySelectorAll(".tr .state.completed").length >= 2`)
	run := b.start(b.template("publish", publish))
	drawn := `document.querySelector(".wr .bar") && !document.querySelector(".wr .bar.work.open") && !document.querySelector("#top .state.running")`
	asks := drawn + ` && document.querySelector(".ask") && document.querySelector(".chip.waiting") && !document.getElementById("waiting").hidden`
	for _, s := range []shot{
		{name: "run", path: run.path(), ready: asks},
		{name: "run-dark", path: run.path() + "&row=" + run.Run + "/draft&tab=attempts", ready: asks, dark: true},
		{name: "run-zh", path: run.path() + "&row=" + run.Run + "/draft", ready: asks, chinese: true},
		{name: "run-phone", path: run.path(), ready: asks, phone: true},
		{name: "run-phone-zh-dark", path: compare.path(), ready: drawn, phone: true, dark: true, chinese: true},
		{name: "three-steps", path: tidy.path(), ready: drawn},
		{name: "thousand-branches", path: shops.path(), ready: drawn},
		{name: "graph", path: run.path() + "&view=graph", ready: `document.querySelector(".box")`},
		{name: "call", path: compare.path() + "&row=" + compare.Run + "/compare&tab=context", ready: `document.querySelector("#panel .diff")`},
		{name: "runs", path: "/runs", ready: `document.querySelector(".tr .what")`},
		{name: "runs-phone-dark", path: "/runs", ready: `document.querySelector(".tr .what")`, phone: true, dark: true},
		{name: "inbox-zh", path: "/inbox", ready: `document.querySelector(".card")`, chinese: true},
		{name: "system", path: "/system", ready: `document.querySelector(".facts")`},
		{name: "error", path: "/s/nothing", ready: `document.querySelector(".blank.bad")`},
	} {
		w.take(s)
	}
}

// take shows a page as a person with these wishes sees it, and keeps the picture.
func (w *browser) take(s shot) {
	w.t.Helper()
	width, height, scale, scheme, lang := int64(1360), int64(850), 1.0, "light", "en"
	if s.phone {
		width, height, scale = 390, 844, 1.5
	}
	if s.dark {
		scheme = "dark"
	}
	if s.chinese {
		lang = "zh-CN"
	}
	w.size(width, height, scale)
	if _, err := chromedp.Call(w.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}); err != nil {
		w.t.Fatal(err)
	}
	if _, err := chromedp.Call(w.ctx, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: "Chromium", AcceptLanguage: lang}); err != nil {
		w.t.Fatal(err)
	}
	w.open(s.path)
	w.until(`document.readyState === "complete"`)
	w.until(s.ready)
	dir := filepath.Join("..", "..", "docs", "screenshots")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
	w.picture(filepath.Join(dir, s.name+".png"))
}
