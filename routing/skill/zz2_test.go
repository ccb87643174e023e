package skill

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestBlocked(t *testing.T) {
	r := router(t, library(t))
	for _, set := range []string{"metatool-toole-single", "acebench-en", "acebench-zh", "sealtools", "fastskills-zh"} {
		type qq struct {
			Query string
			Gold  []string
		}
		rd(t, "/work/shared/data/routing/"+set+".queries.jsonl", func(b []byte) {
			var q qq
			json.Unmarshal(b, &q)
			d := r.Decide(Request{Task: q.Query})
			if d.Decision == Blocked {
				fmt.Println(q.Query, d.Sentinel.Matched)
			}
			if d.MultiIntent && len(q.Gold) == 1 {
				fmt.Println("MULTI", q.Query, d.Intent.SubTasks)
			}
		})
	}
}
