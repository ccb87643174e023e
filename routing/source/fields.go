package source

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// fields reads the members of an object one by one and notes what is wrong with each.
type fields struct {
	raw    map[string]json.RawMessage
	errors Errors
}

func (f *fields) fault(code, field, want string) {
	f.errors = append(f.errors, Error{Code: code, Field: field, Want: want})
}

// take gives a member; null is the same as none.
func (f *fields) take(name string) (json.RawMessage, bool) {
	raw, ok := f.raw[name]
	delete(f.raw, name)
	return raw, ok && string(raw) != "null"
}

// must gives a member and notes when it is missing.
func (f *fields) must(name, want string) (json.RawMessage, bool) {
	raw, ok := f.take(name)
	if !ok {
		f.fault(required, name, want)
	}
	return raw, ok
}

// text reads a JSON string.
func (f *fields) text(raw json.RawMessage, field, want string) (string, bool) {
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		f.fault(wrongType, field, want)
		return "", false
	}
	return s, true
}

// listed reads a text that is one of a list.
func (f *fields) listed(raw json.RawMessage, field string, list []string) (string, bool) {
	want := strings.Join(list, " | ")
	s, ok := f.text(raw, field, want)
	if ok && !slices.Contains(list, s) {
		f.fault(notListed, field, want)
		return "", false
	}
	return s, ok
}

// truth reads true or false.
func (f *fields) truth(raw json.RawMessage, field string) bool {
	switch string(raw) {
	case "true":
		return true
	case "false":
		return false
	}
	f.fault(wrongType, field, "true | false")
	return false
}

// whole reads a number that is written as a whole one: 3.0 is none.
func (f *fields) whole(raw json.RawMessage, field string, most int) int {
	want := "a whole number from 0 to " + strconv.Itoa(most)
	if most == math.MaxInt32 {
		want = "a whole number from 0"
	}
	if c := raw[0]; c != '-' && (c < '0' || c > '9') || strings.ContainsAny(string(raw), ".eE") {
		f.fault(wrongType, field, want)
		return 0
	}
	n, err := strconv.Atoi(string(raw))
	if err != nil || n < 0 || n > most {
		f.fault(outOfRange, field, want)
		return 0
	}
	return n
}

// list hands each element of a list to read, with its place.
func (f *fields) list(raw json.RawMessage, field, want string, read func(element json.RawMessage, at string)) {
	var elements []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &elements) != nil {
		f.fault(wrongType, field, want)
		return
	}
	for i, element := range elements {
		read(element, fmt.Sprintf("%s[%d]", field, i))
	}
}
