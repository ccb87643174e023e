package skill

import (
	"bufio"
	"encoding/json"
	"fmt"
	"github.com/batonflow/baton/skills"
	"os"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	for _, set := range []string{"metatool-toole-single", "metatool-toole-multi", "acebench-en", "acebench-zh", "sealtools", "fastskills-zh"} {
		type cand struct{ ID, Name, Description string }
		type qq struct {
			Query string
			Gold  []string
		}
		var cs []skills.Skill
		rd(t, "/work/shared/data/routing/"+set+".candidates.jsonl", func(b []byte) {
			var c cand
			json.Unmarshal(b, &c)
			cs = append(cs, skills.Skill{Name: c.ID, Description: c.Description, Usable: true, Trusted: true, Tier: "user", Path: c.ID})
		})
		r := router(t, cs)
		n, h1, r5 := 0, 0, 0.0
		dec := map[string]int{}
		autoRight := 0
		noneAuto, none := 0, 0
		st := time.Now()
		rd(t, "/work/shared/data/routing/"+set+".queries.jsonl", func(b []byte) {
			var q qq
			json.Unmarshal(b, &q)
			gold := map[string]bool{}
			for _, g := range q.Gold {
				gold[g] = true
			}
			d := r.Decide(Request{Task: q.Query})
			if len(gold) == 0 {
				none++
				if d.Decision == Auto {
					noneAuto++
				}
				return
			}
			n++
			dec[d.Decision]++
			if d.Decision == Auto && gold[d.Chosen.Name] {
				autoRight++
			}
			if len(d.Candidates) > 0 && gold[d.Candidates[0].Name] {
				h1++
			}
			k := 0
			for _, c := range d.Candidates {
				if gold[c.Name] {
					k++
				}
			}
			r5 += float64(k) / float64(len(gold))
		})
		fmt.Printf("%-24s n=%d hit1=%.1f r5=%.1f %v autoRight=%d noneAuto=%d/%d %v/q\n", set, n, 100*float64(h1)/float64(n), 100*r5/float64(n), dec, autoRight, noneAuto, none, time.Since(st)/time.Duration(n+none))
	}
}
func rd(t *testing.T, f string, fn func([]byte)) {
	x, _ := os.Open(f)
	defer x.Close()
	s := bufio.NewScanner(x)
	s.Buffer(nil, 1<<22)
	for s.Scan() {
		fn(s.Bytes())
	}
}
