// Package freeze turns a folded state into bytes and back, to the last field.
//
// A fold keeps much in fields that nobody but the fold may see. Writing a twin of every type for a
// snapshot would mean that a field which somebody adds and forgets there is silently lost, and a state
// that lacks a field decides wrongly. So the types themselves are walked, hidden fields included. What
// comes back is equal to what went in: an empty list stays one, and does not become a missing one.
//
// The same value always gives the same bytes: maps are written in the order of their keys. Bytes are
// only good for the very program that wrote them, which is what the key of a snapshot is made from.
//
// A field with the tag `freeze:"-"` is left out: what is derived from the others, and is made again by
// whoever thaws. A value that cannot be written (an interface, a function) gives [ErrOpaque].
package freeze

import (
	"errors"
	"reflect"
	"time"
	"unsafe"
)

var (
	// ErrOpaque says that a value holds something that cannot be written.
	ErrOpaque = errors.New("cannot be frozen")
	// ErrBroken says that the bytes are not what a value of the type was frozen to.
	ErrBroken = errors.New("frozen bytes are broken")
)

// Freeze gives the bytes of what the pointer points to.
func Freeze[T any](value *T) ([]byte, error) {
	var w writer
	if err := w.value(reflect.ValueOf(value).Elem()); err != nil {
		return nil, err
	}
	return w.out, nil
}

// Thaw fills what the pointer points to, which must be its type's zero value.
func Thaw[T any](frozen []byte, into *T) error {
	r := reader{rest: frozen}
	r.value(reflect.ValueOf(into).Elem())
	if r.err == nil && len(r.rest) > 0 {
		r.fail("%d bytes are left", len(r.rest))
	}
	return r.err
}

// kept gives the fields of a struct that are frozen.
func kept(t reflect.Type) []int {
	var out []int
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("freeze") != "-" {
			out = append(out, i)
		}
	}
	return out
}

// open gives a field as if it were exported. The struct must be addressable.
func open(field reflect.Value) reflect.Value {
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
}

// instant gives a value of type time.Time.
func instant(v reflect.Value) *time.Time { return v.Addr().Interface().(*time.Time) }

var timeType = reflect.TypeFor[time.Time]()
