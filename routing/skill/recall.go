package skill

import (
	"cmp"
	"math"
	"slices"
)

// Recall gives the lessons that bear on a task, the nearest first, at most 32.
func (m *Memory) Recall(task string) []Recalled {
	m.turn++
	sh := newShape(task)
	asked, length := m.ask(keysOf(m.lex, sh.text, stems{}))
	type at struct {
		id          int32
		alike, near float64
	}
	var out []at
	for _, id := range m.found(sh.key, asked) {
		e := &m.all[id]
		r := at{id: id, alike: round(alike(sh, e.shape))}
		if common, own := m.measure(e.keys); r.alike == 1 {
			r.near = 1 // blanks do not make another request
		} else if both := length * own; both > 0 {
			r.near = round(common / both)
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b at) int {
		return cmp.Or(cmp.Compare(b.alike+b.near, a.alike+a.near), cmp.Compare(b.id, a.id))
	})
	var list []Recalled
	for _, r := range out[:min(len(out), mostRecalled)] {
		list = append(list, Recalled{Lesson: m.all[r.id].lesson, Alike: r.alike, Near: r.near})
	}
	return list
}

// ask weighs the words of a task. It gives those that are known, the rarest first, and the length of
// all of them as a vector of their rarities.
func (m *Memory) ask(keys []string) (asked []int32, length float64) {
	sum := 0.0
	for _, key := range keys {
		id, known := m.ids[key]
		if !known {
			r := m.rarity(0, m.lightness(key))
			sum += r * r
			continue
		}
		r := m.weigh(id)
		sum += r * r
		m.words[id].asked = true
		asked = append(asked, id)
	}
	slices.SortStableFunc(asked, func(a, b int32) int { return cmp.Compare(m.words[b].rarity, m.words[a].rarity) })
	return asked, math.Sqrt(sum)
}

// found gives the lessons that have the most in common with a task, by the words they share, and one
// about the very same task in any case. How many there are makes no difference to its work.
func (m *Memory) found(task string, asked []int32) []int32 {
	var ids []int32
	add := func(id int32, common float64) {
		e := &m.all[id]
		if e.turn != m.turn {
			e.turn, e.common = m.turn, 0
			ids = append(ids, id)
		}
		e.common += common
	}
	left := mostRead
	for _, word := range asked {
		w := m.words[word]
		n := min(len(w.lessons), mostOfWord, left)
		for _, id := range w.lessons[len(w.lessons)-n:] {
			add(id, w.rarity*w.rarity)
		}
		left -= n
	}
	if id, ok := m.byTask[task]; ok {
		add(id, math.Inf(1))
	}
	slices.SortFunc(ids, func(a, b int32) int {
		return cmp.Or(cmp.Compare(m.all[b].common, m.all[a].common), cmp.Compare(b, a))
	})
	return ids[:min(len(ids), mostCompared)]
}

// measure gives the product of a lesson's words and the task's, as vectors of their rarities, and the
// length of the lesson's.
func (m *Memory) measure(words []int32) (common, length float64) {
	sum := 0.0
	for _, id := range words {
		r := m.weigh(id)
		sum += r * r
		if m.words[id].asked {
			common += r * r
		}
	}
	return common, math.Sqrt(sum)
}

// weigh gives the rarity of a known word, once a recall.
func (m *Memory) weigh(id int32) float64 {
	w := &m.words[id]
	if w.turn != m.turn {
		w.turn, w.asked, w.rarity = m.turn, false, m.rarity(len(w.lessons), w.light)
	}
	return w.rarity
}

// rarity is how much a word that so many lessons have tells them apart.
func (m *Memory) rarity(lessons int, light float64) float64 {
	return light * math.Log(1+float64(m.live+priorLessons)/float64(1+lessons))
}

// lightness is the share of a word's rarity that counts.
func (m *Memory) lightness(key string) float64 {
	if light := m.lex.light[key]; light > 0 {
		return math.Sqrt(light)
	}
	return 1
}
