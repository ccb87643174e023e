package operation_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"

	"github.com/batonflow/baton/api/operation"
)

func TestIDsAreNewOrDerivedFromTheRequest(t *testing.T) {
	t.Parallel()
	for range 2 {
		session, err := operation.NewSession("")
		if id := uuid.MustParse(session); err != nil || id.Version() != 7 || !operation.IsSession(session) {
			t.Errorf("session id %s: %v", session, err)
		}
		run, err := operation.NewRun("")
		if _, parsed := ulid.ParseStrict(strings.TrimPrefix(run, "r-")); err != nil || parsed != nil || run != strings.ToLower(run) {
			t.Errorf("run id %s: %v %v", run, err, parsed)
		}
	}
	session, _ := operation.NewSession("R1")
	again, _ := operation.NewSession("R1")
	run, _ := operation.NewRun("R1")
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
		if got := operation.IsSession(id); got != want {
			t.Errorf("operation.IsSession(%q) = %v", id, got)
		}
	}
}
