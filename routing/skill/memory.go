package skill

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Bounds of a memory: what it keeps of each skill, and how far a request looks.
const (
	mostExamples = 50 // lessons that chose one skill; the oldest are forgotten
	mostRecalled = 32
	priorLessons = 50  // a word that two of three lessons share need not be common
	mostRead     = 256 // lessons with one word that are looked at, the newest
	mostCompared = 160 // of those, the ones with the most in common are compared
)

// Memory holds lessons so that those that bear on a request are found by the words they share, at a
// cost that does not grow with their number.
//
// Keep one for a server. Give it every lesson in the order of the log with [Memory.Learn]; for a
// request, take what [Memory.Recall] gives, put it into [Request].Lessons, and keep it with the
// decision: a decision depends on the recalled lessons alone, so the same ones make it again however
// much was learned since. It is not safe for use by several at a time.
type Memory struct {
	lex    *lexicon
	all    []remembered
	live   int
	byTask map[string]int32   // by the text without blanks
	chosen map[string][]int32 // by skill
	words  map[string][]int32
}

// remembered is a lesson with what it is found by; a forgotten one has no shape.
type remembered struct {
	lesson Lesson
	shape  shape
	keys   []string
}

// NewMemory makes an empty memory. The error is for a lexicon that does not load.
func NewMemory() (*Memory, error) {
	lex, err := embedded()
	if err != nil {
		return nil, fmt.Errorf("memory of lessons: %w", err)
	}
	return &Memory{lex: lex, byTask: map[string]int32{}, chosen: map[string][]int32{}, words: map[string][]int32{}}, nil
}

// Len is the number of lessons that are remembered.
func (m *Memory) Len() int { return m.live }

// Learn adds a lesson. Of lessons about one request, however it is spaced, the last one counts: what
// it chose is no longer turned down, what it turned down is no longer chosen.
func (m *Memory) Learn(l Lesson) {
	sh := newShape(l.Task)
	if sh.key == "" {
		return
	}
	if old, ok := m.byTask[sh.key]; ok {
		l = merged(m.all[old].lesson, l)
		m.forget(old)
	}
	id := int32(len(m.all))
	m.all = append(m.all, remembered{lesson: l, shape: sh, keys: keysOf(m.lex, sh.text, stems{})})
	m.byTask[sh.key] = id
	m.live++
	for _, key := range m.all[id].keys {
		m.words[key] = append(m.words[key], id)
	}
	if l.Chosen != "" {
		m.chosen[l.Chosen] = append(m.chosen[l.Chosen], id)
		if list := m.chosen[l.Chosen]; len(list) > mostExamples {
			m.forget(list[0])
		}
	}
	if len(m.all) > 2*m.live+mostRead {
		m.compact()
	}
}

// merged is what two lessons about one request say together.
func merged(old, l Lesson) Lesson {
	if l.Chosen == "" && !slices.Contains(l.Excluded, old.Chosen) {
		l.Chosen = old.Chosen
	}
	for _, name := range old.Excluded {
		if name != l.Chosen && !slices.Contains(l.Excluded, name) {
			l.Excluded = append(slices.Clone(l.Excluded), name)
		}
	}
	return l
}

func (m *Memory) forget(id int32) {
	e := &m.all[id]
	delete(m.byTask, e.shape.key)
	without(m.chosen, e.lesson.Chosen, id)
	for _, key := range e.keys {
		without(m.words, key, id)
	}
	*e = remembered{}
	m.live--
}

// without takes an id out of a list, which is in order.
func without(lists map[string][]int32, key string, id int32) {
	list := lists[key]
	if i, ok := slices.BinarySearch(list, id); ok {
		lists[key] = slices.Delete(list, i, i+1)
	}
}

// compact leaves out what was forgotten.
func (m *Memory) compact() {
	fresh := &Memory{lex: m.lex, byTask: map[string]int32{}, chosen: map[string][]int32{}, words: map[string][]int32{}}
	for _, e := range m.all {
		if e.shape.key != "" {
			fresh.Learn(e.lesson)
		}
	}
	*m = *fresh
}

// Recall gives the lessons that bear on a task, the nearest first, at most 32.
func (m *Memory) Recall(task string) []Recalled {
	sh := newShape(task)
	keys := keysOf(m.lex, sh.text, stems{})
	found := m.found(sh.key, keys)
	rare := rarities{m, map[string]float64{}}
	length := rare.length(keys)
	type at struct {
		Recalled
		id int32
	}
	var out []at
	for _, id := range found {
		e := m.all[id]
		r := Recalled{Lesson: e.lesson, Alike: round(alike(sh, e.shape))}
		if both := length * rare.length(e.keys); r.Alike == 1 {
			r.Near = 1 // blanks do not make another request
		} else if both > 0 {
			r.Near = round(rare.common(keys, e.keys) / both)
		}
		out = append(out, at{r, id})
	}
	slices.SortFunc(out, func(a, b at) int {
		return cmp.Or(cmp.Compare(b.Alike+b.Near, a.Alike+a.Near), cmp.Compare(b.id, a.id))
	})
	var list []Recalled
	for _, r := range out[:min(len(out), mostRecalled)] {
		list = append(list, r.Recalled)
	}
	return list
}

// found gives the lessons that have the most in common with a task, by the words they share, and one
// about the very same task in any case.
func (m *Memory) found(task string, keys []string) []int32 {
	common := map[int32]float64{}
	for _, key := range keys {
		list, r := m.words[key], m.rarity(key)
		for _, id := range list[max(0, len(list)-mostRead):] {
			common[id] += r * r
		}
	}
	if id, ok := m.byTask[task]; ok {
		common[id] = math.Inf(1)
	}
	ids := slices.SortedFunc(maps.Keys(common), func(a, b int32) int {
		return cmp.Or(cmp.Compare(common[b], common[a]), cmp.Compare(b, a))
	})
	return ids[:min(len(ids), mostCompared)]
}

// rarity is how much a word tells lessons apart.
func (m *Memory) rarity(key string) float64 {
	r := math.Log(1 + float64(m.live+priorLessons)/float64(1+len(m.words[key])))
	if light := m.lex.light[key]; light > 0 {
		r *= math.Sqrt(light)
	}
	return r
}

// rarities remembers them for the length of one recall.
type rarities struct {
	memory *Memory
	known  map[string]float64
}

func (r rarities) of(key string) float64 {
	if v, ok := r.known[key]; ok {
		return v
	}
	v := r.memory.rarity(key)
	r.known[key] = v
	return v
}

// length of a set of words as a vector of their rarities.
func (r rarities) length(keys []string) float64 {
	sum := 0.0
	for _, key := range keys {
		r := r.of(key)
		sum += r * r
	}
	return math.Sqrt(sum)
}

// common is the product of two such vectors; both lists are sorted.
func (r rarities) common(a, b []string) float64 {
	sum := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			r := r.of(a[i])
			sum += r * r
			i++
			j++
		}
	}
	return sum
}
