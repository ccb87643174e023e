package quality

import (
	"math"
	"slices"

	"github.com/batonflow/baton/routing/words"
)

// The usual settings of BM25.
const (
	bm25K = 1.2
	bm25B = 0.75
)

// Baseline is what plain BM25 gets over names and descriptions: identifiers split, function words left
// out, light stems, single Chinese characters and pairs.
func Baseline(s Set) Figures {
	b := newBM25(s.Tools)
	var f Figures
	for _, a := range s.Asks {
		if len(a.Gold) > 0 {
			f.add(a.Gold, b.first(a.Query, shown))
		}
	}
	return f.shares()
}

type bm25 struct {
	ids     []string
	lengths []float64
	average float64
	counts  map[string]map[int]float64 // by term and tool
}

func newBM25(tools []Tool) *bm25 {
	b := &bm25{counts: map[string]map[int]float64{}}
	for i, t := range tools {
		list := plainTerms(t.Name + " \n " + t.Description)
		b.ids = append(b.ids, t.ID)
		b.lengths = append(b.lengths, float64(len(list)))
		b.average += float64(len(list)) / float64(len(tools))
		for _, term := range list {
			if b.counts[term] == nil {
				b.counts[term] = map[int]float64{}
			}
			b.counts[term][i]++
		}
	}
	return b
}

func (b *bm25) first(query string, n int) []string {
	scores := make([]float64, len(b.ids))
	for _, term := range plainTerms(query) {
		with := float64(len(b.counts[term]))
		idf := math.Log(1 + (float64(len(b.ids))-with+0.5)/(with+0.5))
		for i, count := range b.counts[term] {
			scores[i] += idf * count * (bm25K + 1) / (count + bm25K*(1-bm25B+bm25B*b.lengths[i]/b.average))
		}
	}
	order := make([]int, len(b.ids))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return -cmpFloat(scores[x], scores[y]) })
	var out []string
	for _, i := range order[:min(n, len(order))] {
		if scores[i] > 0 {
			out = append(out, b.ids[i])
		}
	}
	return out
}

// cmpFloat orders scores that differ by more than rounding.
func cmpFloat(x, y float64) int {
	switch {
	case x > y+1e-9:
		return 1
	case y > x+1e-9:
		return -1
	}
	return 0
}

func plainTerms(text string) []string {
	var out []string
	for run := range words.Runs(words.Fold(words.Apart(text))) {
		if run.CJK {
			for gram, n := range words.Grams(run.Text) {
				if n < 3 {
					out = append(out, gram)
				}
			}
			continue
		}
		for _, word := range words.Split(run.Text) {
			if !words.Stop(word) {
				out = append(out, words.Stem(word))
			}
		}
	}
	return out
}
