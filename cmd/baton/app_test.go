package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func testApp(t *testing.T, env ...string) (a *app, out, errs *bytes.Buffer) {
	t.Helper()
	out, errs = new(bytes.Buffer), new(bytes.Buffer)
	a = &app{environ: env, in: strings.NewReader(""), out: out, err: errs, now: time.Now, began: true}
	a.lang = a.language()
	return a, out, errs
}
