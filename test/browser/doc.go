// Package browser drives the page of a real server in a real headless Chromium: what a person sees while
// a run works, after it, and after the server was started again; that hostile texts stay texts; that a
// run of ten thousand steps scrolls. It is a module of its own, so that the program needs none of this.
//
// Without a browser its tests are skipped, unless CI is set. With -update the screenshots of the
// documentation are taken anew.
package browser
