package task

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTargets(t *testing.T) {
	t.Parallel()
	r := router(t)
	for query, want := range map[string][]string{
		"同时搜索VOR和BPPV两个方向的文献并分析矛盾":                           {"VOR", "BPPV"},
		"Search in parallel: Kafka and NATS papers":          {"Kafka", "NATS"},
		"Search in parallel for ＣＲＤＴ and OT":                 {"ＣＲＤＴ", "OT"},
		"Find papers on Kafka and NATS simultaneously":       {"Kafka", "NATS"},
		"Find papers on Kafka, NATS, and Pulsar in parallel": {"Kafka", "NATS", "Pulsar"},
		"Thanks. In parallel, compare C++/Node.js v2.0":      {"C++", "Node.js v2.0"},
		"Find the relationship between A and B separately":   {"A", "B"},
		"分别搜索A、B和C的文献":                                       {"A", "B", "C"},
		"同时搜索A的文献、B的文献和C的文献并分析矛盾":                            {"A", "B", "C"},
		"同时搜索“深度学习”和《强化学习》":                                  {"深度学习", "强化学习"},
		"同时搜索和分析A和B":                                         {"A", "B"},
		"同时分析比较A和B":                                          {"A", "B"},
		"同时搜索优化算法和遗传算法":                                      {"优化算法", "遗传算法"},
		"分别搜索战争与和平以及百年孤独":                                    {"战争", "和平", "百年孤独"},
		"同时搜索A和并发控制的文献":                                      {"A", "并发控制"},
		"并行搜索 https://x.org/a/b 和 http://y.org/c":            {"https://x.org/a/b", "http://y.org/c"},
		"同時處理駭客與資安的文獻":                                       {"駭客", "資安"},
		"分别参与研究眼震":                                           nil,
		"同时搜索A和A":                                            nil,
		"同时搜索A和":                                             nil,
		"和":                                                  nil,
		"同时":                                                 nil,
		"":                                                   nil,
	} {
		if diff := cmp.Diff(want, r.targetsOf(Request{Query: query})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}

func FuzzTargets(f *testing.F) {
	for _, query := range []string{"同时搜索A和B", "A, B, and C in parallel", "://和://", "和、/and及", "\xff和\u200b", "İ和ẞ的"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		got := router(t).targetsOf(Request{Query: query})
		if len(got) == 1 || len(distinct(got)) != len(got) {
			t.Errorf("%q: %q", query, got)
		}
	})
}
