package template

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// plain charges for a result and turns what the expression language makes of its own into plain
// values. It refuses what JSON cannot hold.
func (b *budget) plain(v any, depth int) (any, error) {
	if depth > mostNesting {
		return nil, fmt.Errorf("%w: a value is nested more than %d deep", errWork, mostNesting)
	}
	if err := b.spend(weight(v)); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case nil, bool, int, string:
		return v, nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errors.New("the result is no number that JSON can hold")
		}
		return v, nil
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Slice, reflect.Array:
		list := make([]any, r.Len())
		for i := range list {
			one, err := b.plain(r.Index(i).Interface(), depth+1)
			if err != nil {
				return nil, err
			}
			list[i] = one
		}
		return list, nil
	case reflect.Map:
		return b.plainMap(r, depth)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return int(r.Int()), nil
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return int(r.Uint()), nil
	}
	return nil, fmt.Errorf("the result holds a %T, which JSON cannot", v)
}

func (b *budget) plainMap(r reflect.Value, depth int) (any, error) {
	m := make(map[string]any, r.Len())
	for it := r.MapRange(); it.Next(); {
		key, ok := it.Key().Interface().(string)
		if !ok {
			key = fmt.Sprint(it.Key().Interface())
		}
		one, err := b.plain(it.Value().Interface(), depth+1)
		if err != nil {
			return nil, err
		}
		m[key] = one
	}
	return m, nil
}

// keys, values and pairs go through a mapping in the order of its keys: the language's own go through
// it in any order, and a decision must come out the same each time.
func (b *budget) keys(v any) (any, error) {
	return b.eachKey(v, func(k string, _ any) any { return k })
}

func (b *budget) values(v any) (any, error) {
	return b.eachKey(v, func(_ string, value any) any { return value })
}

func (b *budget) pairs(v any) (any, error) {
	return b.eachKey(v, func(k string, value any) any { return []any{k, value} })
}

func (b *budget) eachKey(v any, take func(string, any) any) (any, error) {
	plain, err := b.plain(v, 0)
	if err != nil {
		return nil, err
	}
	m, ok := plain.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("a mapping is needed, not %s", typeOf(v))
	}
	names := make([]string, 0, len(m))
	for k := range m {
		names = append(names, k)
	}
	slices.Sort(names)
	list := make([]any, len(names))
	for i, k := range names {
		list[i] = take(k, m[k])
	}
	return list, nil
}

// replace is charged for what it makes.
func (b *budget) replace(text, old, with string, times ...int) (string, error) {
	n := strings.Count(text, old)
	if len(times) > 0 && times[0] >= 0 {
		n = min(n, times[0])
	}
	if err := b.spend(1 + (len(text)+n*len(with))/textUnit); err != nil {
		return "", err
	}
	return strings.Replace(text, old, with, n), nil
}

// join is charged for what it makes. Elements that are no texts are written as JSON.
func (b *budget) join(list any, between ...string) (string, error) {
	plain, err := b.plain(list, 0)
	if err != nil {
		return "", err
	}
	items, ok := plain.([]any)
	if !ok {
		return "", fmt.Errorf("a list is needed, not %s", typeOf(list))
	}
	glue := strings.Join(between, "")
	if err := b.spend(len(items) * len(glue) / textUnit); err != nil {
		return "", err
	}
	texts := make([]string, len(items))
	for i, item := range items {
		if texts[i], err = written(item); err != nil {
			return "", err
		}
	}
	return strings.Join(texts, glue), nil
}

func typeOf(v any) string {
	if v == nil {
		return "nil"
	}
	return fmt.Sprintf("%T", v)
}
