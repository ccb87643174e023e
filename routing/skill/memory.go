package skill

import (
	"fmt"
	"slices"
)

// Bounds of a memory: what it keeps of each skill, and how far a request looks.
const (
	mostExamples = 50 // lessons that chose one skill; the oldest are forgotten
	mostRecalled = 32
	priorLessons = 50  // a word that two of three lessons share need not be common
	mostOfWord   = 128 // lessons with one word that are looked at, the newest
	mostRead     = 128 // lessons that are looked at in all, those of the rarest words first
	mostCompared = 48  // of those, the ones with the most in common are compared
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
	ids    map[string]int32   // of words, as places in words
	words  []memoryWord
	turn   uint32 // of the last recall
}

// remembered is a lesson with what it is found by; a forgotten one has no shape.
type remembered struct {
	lesson Lesson
	shape  shape
	keys   []int32 // of its words, in the order of their texts
	turn   uint32  // of the last recall that found it
	common float64 // what it has in common with the task of that one
}

// memoryWord is a word with the lessons that have it, in order.
type memoryWord struct {
	lessons []int32
	light   float64 // share of its rarity that counts
	turn    uint32  // of the last recall that weighed it
	rarity  float64 // in that one
	asked   bool    // the task of that one has it
}

// NewMemory makes an empty memory. The error is for a lexicon that does not load.
func NewMemory() (*Memory, error) {
	lex, err := embedded()
	if err != nil {
		return nil, fmt.Errorf("memory of lessons: %w", err)
	}
	return emptyMemory(lex), nil
}

func emptyMemory(lex *lexicon) *Memory {
	return &Memory{lex: lex, byTask: map[string]int32{}, chosen: map[string][]int32{}, ids: map[string]int32{}}
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
	m.all = append(m.all, remembered{lesson: l, shape: sh, keys: m.wordsOf(keysOf(m.lex, sh.text, stems{}))})
	m.byTask[sh.key] = id
	m.live++
	for _, word := range m.all[id].keys {
		m.words[word].lessons = append(m.words[word].lessons, id)
	}
	if l.Chosen != "" {
		m.chosen[l.Chosen] = append(m.chosen[l.Chosen], id)
		if list := m.chosen[l.Chosen]; len(list) > mostExamples {
			m.forget(list[0])
		}
	}
	if len(m.all) > 2*m.live+mostOfWord {
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
	m.chosen[e.lesson.Chosen] = without(m.chosen[e.lesson.Chosen], id)
	for _, word := range e.keys {
		m.words[word].lessons = without(m.words[word].lessons, id)
	}
	*e = remembered{}
	m.live--
}

// without takes an id out of a list, which is in order.
func without(list []int32, id int32) []int32 {
	if i, ok := slices.BinarySearch(list, id); ok {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// wordsOf gives the places of words, which are made for new ones.
func (m *Memory) wordsOf(keys []string) []int32 {
	out := make([]int32, len(keys))
	for i, key := range keys {
		id, known := m.ids[key]
		if !known {
			id = int32(len(m.words))
			m.ids[key] = id
			m.words = append(m.words, memoryWord{light: m.lightness(key)})
		}
		out[i] = id
	}
	return out
}

// compact leaves out what was forgotten.
func (m *Memory) compact() {
	fresh := emptyMemory(m.lex)
	for _, e := range m.all {
		if e.shape.key != "" {
			fresh.Learn(e.lesson)
		}
	}
	*m = *fresh
}
