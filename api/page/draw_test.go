package page

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/projections/timeline"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// TestDiffLeadsFromOneToTheOther: what stayed and went is the one text, what stayed and came the other.
func TestDiffLeadsFromOneToTheOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "  d"}), 0, 12)
		before, after := strings.Join(text.Draw(t, "before"), "\n"), strings.Join(text.Draw(t, "after"), "\n")
		var was, is []string
		for _, line := range diff(before, after) {
			if line.Sign != "+" {
				was = append(was, line.Text)
			}
			if line.Sign != "-" {
				is = append(is, line.Text)
			}
		}
		if strings.Join(was, "\n") != before || strings.Join(is, "\n") != after {
			t.Fatalf("%q became %q by way of %v", before, after, diff(before, after))
		}
	})
	if got := diff("same\nold\nend", "same\nnew\nend"); !cmp.Equal(got, []diffLine{{" ", "same"}, {"-", "old"}, {"+", "new"}, {" ", "end"}}) {
		t.Errorf("got %v", got)
	}
}

func TestScaleKeepsEverythingOnTheAxis(t *testing.T) {
	t.Parallel()
	w := timeline.Window{Start: noon, End: noon.Add(10 * time.Second), Place: 3, Commits: 3}
	whole := scaleOf(base{query: url.Values{}}, w, noon.Add(time.Hour))
	if got := whole.at(5 * time.Second); got != "49.020%" || !whole.Now.Equal(w.End) || whole.Zoomed {
		t.Errorf("the middle lies at %s, the present at %s", got, whole.Now)
	}
	part := scaleOf(base{query: url.Values{"t0": {"4000"}, "t1": {"6000"}}}, w, noon)
	for at, want := range map[time.Duration]string{3 * time.Second: "0.000%", 5 * time.Second: "50.000%", 9 * time.Second: "100.000%"} {
		if got := part.at(at); got != want {
			t.Errorf("zoomed in, %s lies at %s, want %s", at, got, want)
		}
	}
	w.Open, w.Place = true, 2
	if past := scaleOf(base{query: url.Values{}}, w, noon.Add(time.Hour)); !past.Now.Equal(w.End) {
		t.Errorf("the past has a present at %s", past.Now)
	}
}

func TestBarsAreDrawnWhereTheyAreSeen(t *testing.T) {
	t.Parallel()
	s := scale{Start: noon, To: 10 * time.Second, Now: noon.Add(8 * time.Second)}
	say := func(text string, _ ...any) string { return text }
	bar, seen := barOf(timeline.Bar{Kind: timeline.Work, From: noon.Add(2 * time.Second), Attempt: 2, Worker: "w", Error: "broken"}, s, say)
	if !seen || !bar.Open || bar.X != "20.000%" || bar.Width != "60.000%" || bar.Class != "bar work open" {
		t.Errorf("an open bar: %+v, %v", bar, seen)
	}
	if _, seen := barOf(timeline.Bar{Kind: timeline.Queue, From: noon.Add(11 * time.Second), To: noon.Add(12 * time.Second)}, s, say); seen {
		t.Error("a bar beyond the axis is drawn")
	}
	lost, _ := barOf(timeline.Bar{Kind: timeline.Work, From: noon, To: noon.Add(time.Second), Outcome: "lost"}, s, say)
	if lost.Fill != "url(#lost)" || !strings.Contains(lost.Class, "lost") {
		t.Errorf("a lost attempt: %+v", lost)
	}
}

func TestLabelsStandWhereThereIsRoom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to float64
		text     string
		anchor   string
		inside   bool
	}{
		{0, 0.2, "short", "start", false},
		{0.8, 0.99, "no room on the right", "end", false},
		{0.05, 0.99, strings.Repeat("x", 40), "end", true},
	} {
		v := rowView{Text: c.text}
		v.stand(c.from, c.to)
		if v.Anchor != c.anchor || v.Inside != c.inside {
			t.Errorf("%q from %g to %g: %s, inside %v", c.text, c.from, c.to, v.Anchor, v.Inside)
		}
	}
}

func TestWordsAndNumbers(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		shortID("019ad3b0-0000-7000-8000-00000000000a"): "019ad3b0…000a",
		shortID("r-01m8p31k75h0gv1q4getr73wkk/step[3]"): "r-01m8…3wkk/step[3]",
		grouped(1234567): "1\u2009234\u2009567", grouped(-123): "-123", cut("abcdef", 4): "abc…", cut("abc", 4): "abc",
		percent(1, 0): "0%", percent(5, 4): "100.000%", pretty(json.RawMessage(`"a\nb"`)): "a\nb", pretty(json.RawMessage(`{"a":1}`)): "{\n  \"a\": 1\n}",
		pretty(nil): "", translate("zh", "attempt %d of %d", 2, 3): "第 2 次尝试，共 3 次", translate("zh", "never said"): "never said",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := prose("use `baton why` now"); !cmp.Equal(got, []phrase{{"use ", false}, {"baton why", true}, {" now", false}}) {
		t.Errorf("prose: %v", got)
	}
}

func TestTheShortAddressOfARunLeadsToIt(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.begin(one)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Get(s.URL + "/r/r-1")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if to := res.Header.Get("Location"); res.StatusCode != http.StatusSeeOther || to != "/s/"+one+"?run=r-1" {
		t.Errorf("%d to %q", res.StatusCode, to)
	}
	if code, _ := s.get("/r/nobody"); code != http.StatusNotFound {
		t.Errorf("a run that is not there: %d", code)
	}
}
