package radoute

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if len(raw) == 0 || json.Compact(&b, raw) != nil {
		return json.RawMessage("null")
	}
	return b.Bytes()
}

// key gives the key of a name; nil for one that no command could name.
func (r *reader) key(name string) *key {
	if sessions.CheckKey(name) != nil {
		r.skip("context key that cannot be named")
		return nil
	}
	if r.keys[name] == nil {
		r.keys[name] = &key{revs: map[int]int{}}
	}
	return r.keys[name]
}

// written sets a key to the whole value, which the context keeps by its revision; the trace has only
// its beginning.
func (r *reader) written(l line) {
	k := r.key(l.Key)
	if k == nil {
		return
	}
	by, of := l.WrittenBy, r.callID(l.CallID)
	if to, known := k.revs[l.RolledBackFrom]; known && l.RolledBackFrom > 0 {
		k.next(l.Rev)
		r.say(events.ContextRolledBack{Key: l.Key, To: to, Rev: k.last, By: by, Call: of})
		return
	}
	whole, ok := r.slots[l.Key].at(l.Rev)
	raw := compact(whole.Value)
	if !ok {
		raw, _ = json.Marshal(l.Preview) // a text always encodes
		r.skip("value of which only the beginning is kept")
	}
	k.next(l.Rev)
	r.say(events.ContextSet{Key: l.Key, Value: events.Value{JSON: raw}, Rev: k.last, By: by, Call: of})
}

// next counts our revision on and remembers which of theirs it is.
func (k *key) next(theirs int) {
	k.last++
	k.gone = false
	k.revs[theirs] = k.last
}

func (s slot) at(rev int) (value, bool) {
	for _, v := range append(slices.Clone(s.History), s.value) {
		if v.Rev == rev && v.Value != nil {
			return v, true
		}
	}
	return value{}, false
}

// deleted removes a key that is there; the old router counted revisions from one again after that.
func (r *reader) deleted(l line) {
	k := r.keys[l.Key]
	if k == nil || k.gone {
		r.skip("deletion of a key that is not there")
		return
	}
	k.last++
	k.gone, k.revs = true, map[int]int{}
	r.say(events.ContextDeleted{Key: l.Key, Rev: k.last})
}

// untraced sets what the context holds and the trace never told, as workflows of the old router wrote.
func (r *reader) untraced() {
	for _, name := range slices.Sorted(maps.Keys(r.slots)) {
		s := r.slots[name]
		all := append(slices.Clone(s.History), s.value)
		slices.SortStableFunc(all, func(a, b value) int { return cmp.Compare(a.Rev, b.Rev) })
		for _, v := range all {
			k := r.keys[name]
			if v.Value == nil || k != nil && k.revs[v.Rev] > 0 {
				continue
			}
			if k = r.key(name); k == nil {
				break
			}
			r.now = r.at(v.TS)
			k.next(v.Rev)
			r.say(events.ContextSet{Key: name, Value: events.Value{JSON: compact(v.Value)}, Rev: k.last, By: v.WrittenBy, Call: r.callID(v.CallID)})
		}
	}
}
