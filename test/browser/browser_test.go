package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// patience is how long a state is waited for: a busy machine is no fault of the page.
const patience = 2 * time.Minute

// chromium finds the browser; without one there is nothing to test, but where it should have been.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatal("no Chromium is here, and CI is set: install it, or name it in CHROMIUM")
	}
	t.Skip("skipped: no Chromium is here; install it, or name it in CHROMIUM")
	return ""
}

// folder is where the binary lies, see TestMain.
var folder string

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "baton-browser-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	folder = dir
	code := m.Run()
	for range 50 {
		if os.RemoveAll(dir) == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	os.Exit(code)
}

// binary is built once for all tests.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(folder, "baton")
	build := exec.Command("go", "build", "-o", path, "./cmd/baton")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

// baton is an installation with an empty home and a server.
type baton struct {
	t    *testing.T
	path string
	home string
	work string
}

func install(t *testing.T) *baton {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(folder, "home-") // removed at the very end: a server that was stopped writes a last word
	if err != nil {
		t.Fatal(err)
	}
	b := &baton{t: t, path: path, home: dir, work: t.TempDir()}
	if err := os.Symlink(filepath.Join(root, "examples"), filepath.Join(b.work, "examples")); err != nil {
		t.Fatal(err)
	}
	b.serve()
	t.Cleanup(func() { _, _ = b.try("stop", "--force") })
	return b
}

// serve starts the server as any command does.
func (b *baton) serve() { b.run("status") }

func (b *baton) try(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.path, args...)
	cmd.Dir = b.work
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "BATON_") && !strings.HasPrefix(v, "LC_") && !strings.HasPrefix(v, "LANG") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "BATON_HOME="+b.home, "USER=ada", "BATON_SKILLS_PATH="+filepath.Join(b.work, "examples", "skills"))
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("baton %s: %w\n%s%s", strings.Join(args, " "), err, out.String(), said.String())
	}
	return out.String(), nil
}

func (b *baton) run(args ...string) string {
	b.t.Helper()
	out, err := b.try(args...)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func ask[T any](b *baton, args ...string) T {
	b.t.Helper()
	var v T
	raw := b.run(append(args, "--json")...)
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		b.t.Fatalf("baton %v: %v\n%s", args, err, raw)
	}
	return v
}

// template writes a template and gives its path.
func (b *baton) template(name, text string) string {
	b.t.Helper()
	path := filepath.Join(b.work, name+".yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return path
}

type started struct {
	Run     string `json:"run"`
	Session string `json:"session"`
}

// start starts a run and does not wait for it.
func (b *baton) start(template string, args ...string) started {
	b.t.Helper()
	return ask[started](b, append([]string{"workflow", "run", template, "--detach"}, args...)...)
}

func (s started) path() string { return "/s/" + s.Session + "?run=" + s.Run }

// link is a one-time link that lets a browser in.
func (b *baton) link() string {
	b.t.Helper()
	return ask[struct {
		URL string `json:"url"`
	}](b, "open", "--print").URL
}

// browser is a tab of a Chromium with a profile of its own.
type browser struct {
	t    *testing.T
	ctx  context.Context
	base string

	mu   sync.Mutex
	said []string // errors of the console: exceptions, what the policy refused
}

func launch(t *testing.T, b *baton) *browser {
	t.Helper()
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(chromium(t)), chromedp.UserDataDir(t.TempDir())}
	for _, flag := range []string{
		"headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
		"disable-component-update", "disable-sync", "hide-scrollbars", "disable-dev-shm-usage",
	} {
		options = append(options, chromedp.Flag(flag, true))
	}
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(alloc)
	t.Cleanup(end)
	ctx, enough := context.WithTimeout(ctx, 10*time.Minute)
	t.Cleanup(enough)
	w := &browser{t: t, ctx: ctx}
	messages := chromedp.Console(ctx)
	go func() { // ends with the browser
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || strings.HasPrefix(m.String(), "error") {
				w.mu.Lock()
				w.said = append(w.said, m.String())
				w.mu.Unlock()
			}
		}
	}()
	w.size(1400, 900, 1)
	w.enter(b)
	return w
}

// enter follows a one-time link, which leads to the page.
func (w *browser) enter(b *baton) {
	w.t.Helper()
	link := b.link()
	w.base = link[:strings.Index(link, "/open")]
	w.do(chromedp.Navigate(link))
	w.until(`document.querySelector("h1") && location.pathname === "/runs"`)
}

func (w *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	if err := chromedp.Do(w.ctx, actions...); err != nil {
		w.t.Fatal(err)
	}
}

func (w *browser) open(path string) {
	w.t.Helper()
	w.do(chromedp.Navigate(w.base + path))
}

// size sets the window: its width and height, and how many dots a pixel has.
func (w *browser) size(width, height int64, scale float64) {
	w.t.Helper()
	if _, err := chromedp.Call(w.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: scale, Mobile: width < 600,
	}); err != nil {
		w.t.Fatal(err)
	}
}

// eval runs a script in the page and gives what it is worth.
func eval[T any](w *browser, script string) T {
	w.t.Helper()
	v, err := chromedp.Run(w.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		w.t.Fatalf("%s: %v", script, err)
	}
	return v
}

// until waits until something holds in the page.
func (w *browser) until(condition string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+condition+")"))
		if ok {
			return
		}
		select {
		case <-ctx.Done():
			w.t.Fatalf("it never came that %s (%v); the page says:\n%s", condition, err, w.text())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// text is what a person can read on the page.
func (w *browser) text() string {
	text, err := chromedp.Run(w.ctx, chromedp.Evaluate[string]("document.body.innerText"))
	if err != nil {
		return err.Error()
	}
	return text
}

// shows waits until texts can be read on the page.
func (w *browser) shows(texts ...string) {
	w.t.Helper()
	for _, text := range texts {
		raw, _ := json.Marshal(text)
		w.until("document.body.innerText.includes(" + string(raw) + ")")
	}
}

// press clicks the first element that a selector finds, once it is there.
func (w *browser) press(selector string) {
	w.t.Helper()
	raw, _ := json.Marshal(selector)
	w.until("document.querySelector(" + string(raw) + ")")
	eval[bool](w, "(document.querySelector("+string(raw)+").click(), true)")
}

// key presses a key.
func (w *browser) key(keys string) {
	w.t.Helper()
	w.do(chromedp.KeyEvent(keys))
}

// quiet fails the test for whatever the console complained of: an exception, or what the policy refused.
func (w *browser) quiet(but ...string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.said {
		if !slices.ContainsFunc(but, func(s string) bool { return strings.Contains(line, s) }) {
			w.t.Errorf("the console says: %s", line)
		}
	}
}

// picture takes a screenshot.
func (w *browser) picture(path string) {
	w.t.Helper()
	png, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
	if err := errors.Join(err, os.WriteFile(path, png, 0o644)); err != nil {
		w.t.Fatal(err)
	}
}
