package page

import (
	"github.com/batonflow/baton/engine"
)

// factsView are raw events.
type factsView struct {
	Lines []factLine
	Next  int
	Prev  int
	Total int
}

type factLine struct {
	engine.EventLine
	Place int
	First bool // of its commit
}

// factsPerPage is how many events stand on one page.
const factsPerPage = 100

func (p *page) facts(r *request, t tracePage) (*factsView, error) {
	return p.factsOf(r, t, engine.FactsAsk{
		Row: t.Run, Type: r.Query("type"), Find: r.Query("find"), From: number(r.Query("from")), Until: t.Place, Count: factsPerPage,
	})
}

func (p *page) factsOf(r *request, t tracePage, q engine.FactsAsk) (*factsView, error) {
	got, err := ask[engine.Facts](r, "timeline.events", t.Session, q)
	if err != nil {
		return nil, err
	}
	v := &factsView{Next: got.Next, Total: got.Total}
	if q.From > 1 {
		v.Prev = max(1, q.From-factsPerPage)
	}
	last := 0
	for i, line := range got.Events {
		v.Lines = append(v.Lines, factLine{line, got.Places[i], got.Places[i] != last})
		last = got.Places[i]
	}
	return v, nil
}
