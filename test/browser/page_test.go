package browser

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// publish has what a run can have: branches, a list, attempts that fail, a question.
const publish = `
name: publish
description: gathers, writes and sends a report
order: dataflow
limits: {parallel: 3, budget: {usd: 5}}
defaults: {retry: {attempts: 3, backoff: 500ms}, timeout: 1m}
steps:
  - {id: fetch, intent: fetch the sources, run: {exec: [sh, -c, "sleep 0.5; echo '\"twelve notes\"'"]}, output: notes.raw}
  - id: draft
    needs: [fetch]
    intent: write a draft
    run: {exec: [sh, -c, "sleep 0.5; if [ $BATON_ATTEMPT -lt 3 ]; then echo 'the service is busy' >&2; exit 75; fi; sleep 0.7; echo '\"a draft of eight paragraphs\"'"]}
    output: report.draft
  - {id: figures, needs: [fetch], foreach: '["north", "south", "east", "west"]', run: {exec: [sh, -c, "sleep 0.6; echo '\"figure\"'"]}}
  - {id: check, needs: [draft, figures], intent: check the facts, run: {exec: [sh, -c, "sleep 0.8; echo '\"all true\"'"]}, output: report.check}
  - {id: send, needs: [check], intent: send the report to the list, run: {exec: [sh, -c, "sleep 0.4; echo '\"sent\"'"]}, confirm: {question: "Send the report to 412 readers?", expires: 30m}}
  - {id: archive, needs: [send], intent: keep a copy, run: {exec: [sh, -c, "sleep 0.2; echo '\"kept\"'"]}}
`

// TestARunIsShownWhileItWorksAfterItAndAfterARestart walks the way that a person walks: an empty home,
// the page, a run that is watched, a question that is answered in place, the server started again.
func TestARunIsShownWhileItWorksAfterItAndAfterARestart(t *testing.T) {
	chromium(t)
	b := install(t)
	w := launch(t, b)
	w.shows("Nothing has run yet")
	b.run("session", "new", "--goal", "choose a supplier for battery packs")
	example := b.start("examples/workflows/compare.yaml")
	w.shows("compare", "choose a supplier for battery packs") // without a reload
	w.until(`[...document.querySelectorAll(".tr .state.completed")].length === 1`)

	run := b.start(b.template("publish", publish))
	w.until(`[...document.querySelectorAll(".tr .state.running")].length >= 1`)
	w.press(`a[href*="` + run.Run + `"]`)
	w.until(`location.search.includes("` + run.Run + `") && document.querySelector(".bar.open, .bar.work.ok")`)
	w.until(`document.querySelectorAll('.wr[data-row$="/draft"] .bar.failed').length === 2`) // its attempts stand in one row
	w.until(`document.querySelector('.wr[data-row$="/draft"] .try')?.innerText === "3/3"`)
	w.until(`document.querySelectorAll('.wr[data-row*="/figures["]').length === 4`)
	w.shows("Send the report to 412 readers?", "The exact action", "waits for an answer")
	w.until(`document.querySelector('.wr[data-row$="/send"] .bar.approval.open')`)

	eval[bool](w, `(document.querySelector("#top [name=by]").value = "Grace", document.querySelector("#top [name=note]").value = "read it twice", true)`)
	w.press(`#top button[value="yes"]`)
	w.until(`document.querySelector("#top .state.completed")`)
	w.press(`.wr[data-row$="/send"] a.go`)
	w.until(`document.querySelector("#panel h2")?.innerText === "send"`)
	w.press(`#panel [role=tab][href*="tab=decision"]`)
	w.shows("approved by", "Grace", "read it twice")
	after := rows(w)

	b.run("stop", "--force")
	b.serve()
	w.open(run.path())
	w.until(`document.querySelectorAll(".wr").length === ` + fmt.Sprint(len(after)))
	if again := rows(w); strings.Join(after, "\n") != strings.Join(again, "\n") {
		t.Errorf("after a restart the rows are others:\n%s\nbefore:\n%s", strings.Join(again, "\n"), strings.Join(after, "\n"))
	}
	w.open(example.path())
	w.until(`document.querySelectorAll(".wr .bar.work.ok").length === 6`)
	w.quiet("ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_EMPTY_RESPONSE") // the server was stopped under the page
}

// rows says what the rows of a waterfall show.
func rows(w *browser) []string {
	w.t.Helper()
	return eval[[]string](w, `[...document.querySelectorAll(".wr")].map((r) => [r.dataset.row, r.querySelector("i.state").title, r.querySelector("text").textContent, r.querySelectorAll(".bar").length].join(" | "))`)
}

// hostile is a text that would be an element, an attribute or a script wherever it were not escaped.
const hostile = `"'></script></title></textarea><script>window.struck=1</script><img src=x onerror="window.struck=2"><svg onload="window.struck=3"><a href="javascript:window.struck=4">`

// TestTextsStayTexts gives hostile texts wherever a skill, a result, a goal, a name or a person can bring
// some, and looks at every view.
func TestTextsStayTexts(t *testing.T) {
	chromium(t)
	b := install(t)
	w := launch(t, b)
	b.run("session", "new", "--goal", hostile)
	b.run("ctx", "set", "bad.key", hostile)
	b.run("call", "open", "--skill", hostile, "--intent", hostile, "--input", "in="+hostile)
	b.run("call", "close", "--status", "ok", "--output", "out.key="+hostile, "--note", hostile)
	b.run("route", hostile)
	quoted, _ := json.Marshal(hostile)
	echo, _ := json.Marshal(string(quoted))
	run := b.start(b.template("hostile", fmt.Sprintf(`
name: %s
order: dataflow
on_failure: continue
steps:
  - {id: good, intent: %s, inputs: {topic: %s}, run: {exec: [echo, %s]}, output: good.out}
  - {id: bad, run: {exec: [sh, -c, 'echo "$0" >&2; exit 3', %s]}}
  - {id: ask, needs: [good], run: {exec: [echo, %s]}, confirm: {question: %s}}
`, "hostile", quoted, quoted, echo, quoted, echo, quoted)))
	w.open("/inbox")
	w.shows(`<img src=x onerror=`)
	eval[bool](w, fmt.Sprintf(`(document.querySelector("[name=by]").value = %s, document.querySelector("[name=note]").value = %s, true)`, quoted, quoted))
	w.press(`button[value="no"]`)
	w.until(`location.pathname === "/inbox" && !document.querySelector(".ask")`)
	paths := []string{"/runs", "/sessions", "/inbox", "/system", "/s/" + run.Session, "/compare?run=" + run.Run + "&a=" + run.Session + "&b=" + run.Session}
	for _, view := range []string{"timeline", "graph", "events", "context", "decisions"} {
		paths = append(paths, run.path()+"&view="+view, "/s/"+run.Session+"?view="+view)
	}
	for _, row := range []string{"good", "bad", "ask"} {
		for _, tab := range []string{"call", "context", "decision", "attempts", "events", "fork"} {
			paths = append(paths, run.path()+"&row="+run.Run+"/"+row+"&tab="+tab)
		}
	}
	for _, path := range paths {
		w.open(path)
		w.until(`document.readyState === "complete" && document.querySelector("h1")`)
		if path == "/sessions" {
			w.shows(`<img src=x onerror=`)
		}
		if struck := eval[float64](w, `window.struck ?? 0`); struck != 0 {
			t.Errorf("%s: a text became a script (%g)", path, struck)
		}
		if n := eval[int](w, `document.querySelectorAll("img, iframe, [onerror], [onload], [style], a[href^='javascript']").length`); n > 0 {
			t.Errorf("%s: %d elements came from a text", path, n)
		}
	}
	w.quiet()
}

// TestALongRun opens a run of ten thousand items and scrolls through it for five seconds. How long that
// takes is printed; what is held is that the page stays small.
func TestALongRun(t *testing.T) {
	chromium(t)
	b := install(t)
	w := launch(t, b)
	b.run("session", "new", "--goal", "count to ten thousand")
	run := b.start(b.template("long", "name: long\norder: dataflow\nsteps:\n  - {id: all, foreach: \"1..10000\", run: {builtin: noop}}\n"))
	w.open(run.path())
	w.until(`document.querySelector("#top .state.completed")`)
	w.open("/system")
	begun := eval[float64](w, `(location.href = `+fmt.Sprintf("%q", w.base+run.path())+`, Date.now())`)
	w.until(`location.search && document.querySelectorAll(".wr").length >= 20`)
	t.Logf("open: rows are there after %.0f ms, the page itself after %.0f ms", eval[float64](w, `Date.now()`)-begun,
		eval[float64](w, `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`))
	got := eval[struct {
		Frames, Slow, Most int
		Worst, Median      float64
		Last               string
	}](w, scroll)
	t.Logf("scroll: %d frames in 5 s, the slowest %.0f ms, half of them under %.0f ms, %d over 100 ms; at most %d elements", got.Frames, got.Worst, got.Median, got.Slow, got.Most)
	if got.Most == 0 || got.Most > 6000 {
		t.Errorf("the page had %d elements", got.Most)
	}
	w.until(`document.querySelector('.wr[data-row$="/all[9999]"]')`)
	if shown := eval[int](w, `document.querySelectorAll(".wr").length`); shown > 400 {
		t.Errorf("%d rows are drawn at once", shown)
	}
	w.quiet()
}

const scroll = `new Promise((done) => {
  const frames = [];
  let begun = performance.now(), last = begun, most = 0;
  const step = (now) => {
    frames.push(now - last);
    last = now;
    scrollTo(0, Math.min(1, (now - begun) / 5000) * (document.documentElement.scrollHeight - innerHeight));
    if (frames.length % 5 === 0) most = Math.max(most, document.getElementsByTagName("*").length);
    if (now - begun < 5000) return requestAnimationFrame(step);
    const sorted = frames.slice(1).sort((a, b) => a - b);
    done({ Frames: sorted.length, Slow: sorted.filter((f) => f > 100).length, Most: most, Worst: sorted.at(-1), Median: sorted[sorted.length >> 1], Last: "" });
  };
  requestAnimationFrame(step);
})`

// TestKeysAddressesAndSmallScreens: everything is reached by keyboard, a state has an address, and a
// phone shows all of it without scrolling sideways.
func TestKeysAddressesAndSmallScreens(t *testing.T) {
	chromium(t)
	b := install(t)
	w := launch(t, b)
	b.run("session", "new", "--goal", "choose a supplier")
	run := b.start("examples/workflows/compare.yaml")
	w.until(`document.querySelector(".tr .state.completed")`)
	w.key("j")
	w.key("\r")
	w.until(`document.querySelectorAll(".wr").length === 6`)
	w.key("j")
	w.key("j")
	w.key("\r")
	w.until(`document.querySelector("#panel h2")?.innerText === "collect-right" && location.search.includes("row=")`)
	w.key("\x1b")
	w.until(`!document.querySelector("#panel h2") && !location.search.includes("row=")`)
	w.key("2")
	w.until(`document.querySelectorAll(".graph .box").length === 6`)
	w.key("1")
	w.until(`document.querySelectorAll(".wr").length === 6`)
	for range 4 {
		w.key("[")
		w.until(`document.querySelector(".why.past")`)
	}
	if !eval[bool](w, `location.search.includes("at=")`) {
		t.Error("the past has no address")
	}
	w.press(`.why.past a`)
	w.until(`!document.querySelector(".why.past")`)
	w.key("?")
	w.until(`document.querySelector("dialog[open]")`)
	w.key("\x1b")
	w.until(`!document.querySelector("dialog[open]")`)

	w.press(`a[href*="lang=zh"]`)
	w.shows("时间线", "已完成")
	w.press(`a[href*="theme=dark"]`)
	w.until(`document.documentElement.dataset.theme === "dark"`)
	w.size(390, 844, 2)
	for _, path := range []string{"/runs", "/sessions", "/inbox", "/system", run.path(), run.path() + "&view=events", run.path() + "&view=context", run.path() + "&row=" + run.Run + "/compare"} {
		w.open(path)
		w.until(`document.readyState === "complete" && document.querySelector("h1")`)
		if over := eval[int](w, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%s is %d pixels wider than a phone", path, over)
		}
	}
	w.quiet()
}

// TestForkAndCompare changes what went into a step, and lays both sides beside one another.
func TestForkAndCompare(t *testing.T) {
	chromium(t)
	b := install(t)
	w := launch(t, b)
	b.run("session", "new", "--goal", "two ways")
	run := b.start(b.template("ways", `
name: ways
steps:
  - {id: first, inputs: {topic: alder}, run: {exec: [cat]}, output: first}
  - {id: second, inputs: {topic: birch}, run: {exec: [cat]}, output: second}
`))
	w.open(run.path() + "&row=" + run.Run + "/second&tab=fork")
	w.until(`document.querySelector("#top .state.completed") && document.querySelector("#panel textarea")`)
	eval[bool](w, `(document.querySelector("#panel [name=edit]").value = "{topic: cedar}", true)`)
	w.press(`#panel form.stack button`)
	w.until(`!location.pathname.includes("` + run.Session + `") && document.querySelector("#top .state.completed")`)
	w.press(`a[href^="/compare"]`)
	w.shows("Side by side", "shared", "they part at")
	w.press(`.pair.differs summary`)
	w.shows("cedar", "birch")
	w.quiet()
}
