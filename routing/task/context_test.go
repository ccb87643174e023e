package task

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadContext(t *testing.T) {
	t.Parallel()
	yes := true
	for text, want := range map[string]Context{
		`{}`:   {},
		`null`: {},
		`{"executed":["ACQ"],"已执行原子":["knowledge-extraction"],"Items":99,"anything":[1]}`: {Executed: []string{"ACQ", "knowledge-extraction"}},
		`{"已执行原子":[]}`:                                                              {},
		`{"items":10,"single_source":true,"biomedical":true}`:                       {Items: 10, SingleSource: true, Biomedical: &yes},
		`{"items":["a",{"doi":"b"}]}`:                                               {Items: 2},
		`{"outputs":{"b":1,"a":[]},"历史输出":{"c":null},"items":null,"subtasks":null}`: {Outputs: []string{"a", "b", "c"}},
		`{"subtasks":["x","y"]}`:                                                    {Subtasks: []string{"x", "y"}},
	} {
		got, err := ReadContext([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if len(got.Executed) == 0 {
			got.Executed = nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{
		``, `[]`, `"x"`, `{`, `{} {}`, `{"items":-1}`, `{"items":3.0}`, `{"items":"3"}`, `{"items":10001}`, `{"items":true}`,
		`{"executed":"ACQ"}`, `{"executed":[1]}`, `{"已执行原子":{}}`, `{"single_source":1}`, `{"outputs":[]}`, `{"subtasks":[["a"]]}`,
	} {
		if _, err := ReadContext([]byte(text)); code(err) != codeContext {
			t.Errorf("%s: %v, want %s", text, err, codeContext)
		}
	}
}

// TestStartAt: the chain is told whole, and where it goes on.
func TestStartAt(t *testing.T) {
	t.Parallel()
	r := router(t)
	for text, want := range map[string]int{
		`{}`:                   0,
		`{"executed":["EXT"]}`: 0,
		`{"executed":["knowledge-acquisition","memory"]}`: 1,
		`{"executed":["EXT","acq","GAP"]}`:                3,
	} {
		d, err := routed(r, "这两类方法有什么关联", json.RawMessage(text), "")
		if err != nil || d.StartAt != want || len(d.AtomChain) != 3 || len(d.Files) != 3 {
			t.Errorf("%s: starts at %d of %v, %v; want %d", text, d.StartAt, d.AtomChain, err, want)
		}
	}
}

func FuzzReadContext(f *testing.F) {
	for _, text := range []string{`{"executed":["ACQ"],"items":12}`, `{"items":[1,2],"subtasks":["a","b"],"outputs":{"x":1}}`, `{"已执行原子":["EXT"],"biomedical":false}`, `{"items":1e3}`, `nul`} {
		f.Add([]byte(text), "同时搜索A和B")
	}
	f.Fuzz(func(t *testing.T, text []byte, query string) {
		c, err := ReadContext(text)
		if err != nil {
			if code(err) != codeContext {
				t.Errorf("%s: %v", text, err)
			}
			return
		}
		r := router(t)
		d, err := r.Route(Request{Query: query, Context: c})
		if err == nil {
			holds(t, r, Request{Query: query, Context: c}, d)
		}
	})
}
