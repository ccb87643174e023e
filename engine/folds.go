package engine

import (
	"container/list"
	"sync"
)

// folds bounds what the folds of all sessions take in memory: when they are too large together, those
// that were asked longest ago are let go. What is asked now stays, however large it is.
type folds struct {
	limit int

	mu    sync.Mutex
	total int
	order *list.List // of *held, the one used last in front
	at    map[*writer]*list.Element
}

// held is a writer with the size of its fold.
type held struct {
	w    *writer
	size int
}

// A state takes about so many times the bytes of the commits that it was folded from.
const foldFactor = 3

// DefaultFolds is how many bytes the folds may take together where nothing else is said.
const DefaultFolds = 128 << 20

func newFolds(limit int) *folds {
	if limit <= 0 {
		limit = DefaultFolds
	}
	return &folds{limit: limit, order: list.New(), at: map[*writer]*list.Element{}}
}

// used notes that a writer was asked and how large its fold is now, and tells others to go where that is
// too much. They go once they have nothing to do.
func (f *folds) used(w *writer, folded int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(w)
	f.at[w] = f.order.PushFront(&held{w, folded * foldFactor})
	f.total += folded * foldFactor
	for f.total > f.limit && f.order.Len() > 1 {
		last := f.order.Back().Value.(*held).w
		f.drop(last)
		select {
		case last.rest <- struct{}{}:
		default: // it was told before
		}
	}
}

// gone forgets a writer that has ended.
func (f *folds) gone(w *writer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(w)
}

func (f *folds) drop(w *writer) {
	if e := f.at[w]; e != nil {
		f.total -= e.Value.(*held).size
		f.order.Remove(e)
		delete(f.at, w)
	}
}
