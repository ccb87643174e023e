package main

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"
)

func testApp(t *testing.T, env ...string) (a *app, out, errs *bytes.Buffer) {
	t.Helper()
	out, errs = new(bytes.Buffer), new(bytes.Buffer)
	a = &app{environ: env, in: strings.NewReader(""), out: out, err: errs, now: time.Now, random: rand.Reader, began: true}
	a.lang = a.language()
	return a, out, errs
}

func TestIDsAreNewOrDerivedFromTheRequest(t *testing.T) {
	t.Parallel()
	a, _, _ := testApp(t)
	for range 2 {
		session, err := a.newSessionID()
		if id := uuid.MustParse(session); err != nil || id.Version() != 7 || !isSessionID(session) {
			t.Errorf("session id %s: %v", session, err)
		}
		run, err := a.newRunID()
		if _, parsed := ulid.ParseStrict(strings.TrimPrefix(run, "r-")); err != nil || parsed != nil || run != strings.ToLower(run) {
			t.Errorf("run id %s: %v %v", run, err, parsed)
		}
	}
	a.request = "R1"
	session, _ := a.newSessionID()
	again, _ := a.newSessionID()
	run, _ := a.newRunID()
	if id := uuid.MustParse(session); id.Version() != 8 || id.Variant() != uuid.RFC4122 || session != again {
		t.Errorf("derived session ids %s and %s", session, again)
	}
	// These are what a request id has always meant: whoever repeats one must find the same things.
	if want := "1553eace-f3d4-8d9e-9079-decaa55ff546"; session != want {
		t.Errorf("session of R1 is %s, want %s", session, want)
	}
	if want := "r-1h9rh15tvvkfsghppk0wjt812r"; run != want {
		t.Errorf("run of R1 is %s, want %s", run, want)
	}
}

func TestWholeSessionIDs(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		"0193b1c8-7e6a-7c3f-9d53-0123456789ab": true, "0193": false, "@last": false, "": false,
		"0193B1C8-7E6A-7C3F-9D53-0123456789AB": false, "urn:uuid:0193b1c8-7e6a-7c3f-9d53-0123456789ab": false,
		"0193b1c87e6a7c3f9d530123456789ab0000": false,
	} {
		if got := isSessionID(id); got != want {
			t.Errorf("isSessionID(%q) = %v", id, got)
		}
	}
}
