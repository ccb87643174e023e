package freeze

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

// reader fills values from what is left of its bytes. After an error it reads nothing more.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrBroken, fmt.Sprintf(format, args...))
	}
	r.rest = nil
}

func (r *reader) uint() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.fail("no number")
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) int() int64 {
	n, size := binary.Varint(r.rest)
	if size <= 0 {
		r.fail("no number")
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// take gives the next bytes. They are those that were frozen, so that whoever keeps them copies them.
func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.fail("%d bytes are missing", n-uint64(len(r.rest)))
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

// length is how many elements follow; false: what they would stand in is nil.
func (r *reader) length() (int, bool) {
	n := r.uint()
	if n == 0 {
		return 0, false
	}
	if n-1 > uint64(len(r.rest)) { // an element takes a byte at least
		r.fail("%d elements in %d bytes", n-1, len(r.rest))
		return 0, false
	}
	return int(n - 1), true
}

func (r *reader) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.uint() == 1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(r.uint())
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(r.uint()))
	case reflect.String:
		v.SetString(string(r.take(r.uint())))
	case reflect.Slice:
		r.slice(v)
	case reflect.Map:
		r.mapping(v)
	case reflect.Pointer:
		if r.uint() == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			r.value(v.Elem())
		}
	case reflect.Struct:
		r.structure(v)
	case reflect.Interface: // it was nil
	default:
		r.fail("a %s", v.Type())
	}
}

func (r *reader) slice(v reflect.Value) {
	n, there := r.length()
	if !there {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	if v.Type().Elem().Kind() == reflect.Uint8 {
		copy(v.Bytes(), r.take(uint64(n)))
		return
	}
	for i := range n {
		r.value(v.Index(i))
	}
}

func (r *reader) mapping(v reflect.Value) {
	n, there := r.length()
	if !there {
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), n))
	for range n {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		r.value(key)
		r.value(value)
		if r.err != nil {
			return
		}
		v.SetMapIndex(key, value)
	}
}

func (r *reader) structure(v reflect.Value) {
	if v.Type() == timeType {
		if err := instant(v).UnmarshalBinary(r.take(r.uint())); err != nil {
			r.fail("a time: %v", err)
		}
		return
	}
	for _, i := range kept(v.Type()) {
		r.value(open(v.Field(i)))
	}
}
