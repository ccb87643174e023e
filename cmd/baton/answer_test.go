package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/sessions"
)

func TestExitStatusFollowsFromTheKindOfRefusal(t *testing.T) {
	t.Parallel()
	for kind, want := range map[sessions.Kind]int{
		sessions.Failed: 1, sessions.Usage: 2, sessions.NotFound: 3, sessions.Conflict: 4, sessions.Waits: 5,
		sessions.Refused: 6, sessions.Unreachable: 7, sessions.Damaged: 8, sessions.Unverified: 9, "other": 1,
	} {
		a, out, errs := testApp(t)
		a.place = "baton test"
		if got := a.finish(fmt.Errorf("around: %w", sessions.Refuse(kind, "code", "hint", "what"))); got != want {
			t.Errorf("%s exits with %d, want %d", kind, got, want)
		}
		if out.Len() != 0 || errs.String() != "error: code: what; baton test; hint\n" {
			t.Errorf("%s says %q and %q", kind, out, errs)
		}
	}
}

func TestOtherEnds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err   error
		began bool
		want  int
		says  string
	}{
		{nil, true, 0, ""},
		{answered(9), true, 9, ""},
		{errors.New("broken"), true, 1, "error: failed: broken; "},
		{errors.New("broken"), false, 2, "error: usage: broken; "},
		{fmt.Errorf("x: %w", context.Canceled), true, 130, "error: interrupted: "},
	} {
		a, _, errs := testApp(t)
		a.began = tc.began
		if got := a.finish(tc.err); got != tc.want || !strings.HasPrefix(errs.String(), tc.says) {
			t.Errorf("%v exits with %d and says %q", tc.err, got, errs)
		}
	}
}

func TestAnErrorIsOneLineWhateverItHolds(t *testing.T) {
	t.Parallel()
	a, out, errs := testApp(t)
	a.json = true
	a.finish(sessions.Refuse(sessions.Usage, "bad", "hint\r\nerror: forged", "x\ny\x1b[31m").With("n", 1))
	if strings.Count(errs.String(), "\n") != 1 || strings.Contains(errs.String(), "\x1b") {
		t.Errorf("stderr: %q", errs)
	}
	var got struct{ Error operation.Error }
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Error.Code != "bad" || got.Error.Message != "x\ny\x1b[31m" || got.Error.Details["n"] != 1.0 {
		t.Errorf("stdout: %s (%v)", out, err)
	}
}

func TestErrorsAreJSONEvenWhenFlagsCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"status", "--what", "--json"}, {"--json", "nothing"}, {"--json=true", "call"}, {"--what", "--json"}} {
		var out, errs strings.Builder
		code := run(args, []string{"HOME=" + t.TempDir()}, strings.NewReader(""), &out, &errs)
		if code != 2 || !strings.HasPrefix(out.String(), `{"error":{"code":"`) {
			t.Errorf("%q: %d, stdout %q", args, code, out.String())
		}
	}
	var out, errs strings.Builder
	if run([]string{"nothing", "--", "--json"}, nil, strings.NewReader(""), &out, &errs); out.Len() > 0 {
		t.Errorf("--json after -- is no flag, stdout %q", out.String())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { panic("pulled out") }

func TestAPanicIsAnErrorWithoutAStack(t *testing.T) {
	t.Parallel()
	var errs strings.Builder
	code := run([]string{"version"}, nil, strings.NewReader(""), broken{}, &errs)
	if code != 1 || strings.Count(errs.String(), "\n") != 1 || !strings.HasPrefix(errs.String(), "error: failed: internal fault: pulled out; ") {
		t.Errorf("exit status %d, stderr %q", code, errs.String())
	}
}
