package freeze

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
)

// writer appends values to its bytes. The length of what may be nil is one more than it is: 0 says nil.
type writer struct{ out []byte }

func (w *writer) uint(n uint64) { w.out = binary.AppendUvarint(w.out, n) }

// value writes what is addressable, since hidden fields cannot be reached otherwise.
func (w *writer) value(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Bool:
		w.uint(map[bool]uint64{true: 1}[v.Bool()])
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.out = binary.AppendVarint(w.out, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		w.uint(v.Uint())
	case reflect.Float64:
		w.uint(math.Float64bits(v.Float()))
	case reflect.String:
		w.uint(uint64(v.Len()))
		w.out = append(w.out, v.String()...)
	case reflect.Slice:
		return w.slice(v)
	case reflect.Map:
		return w.mapping(v)
	case reflect.Pointer:
		if v.IsNil() {
			w.uint(0)
			return nil
		}
		w.uint(1)
		return w.value(v.Elem())
	case reflect.Struct:
		return w.structure(v)
	case reflect.Interface:
		if !v.IsNil() {
			return fmt.Errorf("a %s: %w", v.Elem().Type(), ErrOpaque)
		}
	default:
		return fmt.Errorf("a %s: %w", v.Type(), ErrOpaque)
	}
	return nil
}

func (w *writer) slice(v reflect.Value) error {
	if v.IsNil() {
		w.uint(0)
		return nil
	}
	w.uint(uint64(v.Len()) + 1)
	if v.Type().Elem().Kind() == reflect.Uint8 {
		w.out = append(w.out, v.Bytes()...)
		return nil
	}
	for i := range v.Len() {
		if err := w.value(v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) mapping(v reflect.Value) error {
	if v.IsNil() {
		w.uint(0)
		return nil
	}
	keys, err := sorted(v)
	if err != nil {
		return err
	}
	w.uint(uint64(len(keys)) + 1)
	value := reflect.New(v.Type().Elem()).Elem()
	for _, key := range keys {
		value.Set(v.MapIndex(key))
		if err := errors.Join(w.value(key), w.value(value)); err != nil {
			return err
		}
	}
	return nil
}

// sorted gives the keys of a map in order.
func sorted(v reflect.Value) ([]reflect.Value, error) {
	keys := v.MapKeys()
	switch kind := v.Type().Key().Kind(); kind {
	case reflect.String:
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	case reflect.Int:
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.Int(), b.Int()) })
	case reflect.Uint64:
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.Uint(), b.Uint()) })
	default:
		return nil, fmt.Errorf("a map by %s: %w", kind, ErrOpaque)
	}
	return keys, nil
}

func (w *writer) structure(v reflect.Value) error {
	if v.Type() == timeType {
		raw, err := instant(v).MarshalBinary()
		w.uint(uint64(len(raw)))
		w.out = append(w.out, raw...)
		return err
	}
	for _, i := range kept(v.Type()) {
		if err := w.value(open(v.Field(i))); err != nil {
			return fmt.Errorf("%s: %w", v.Type().Field(i).Name, err)
		}
	}
	return nil
}
