//go:build linux

package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// plain is a JSON document with its keys in order.
func plain(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	out, _ := json.Marshal(v) // it was JSON
	return string(out)
}

// passing are what differs from one installation and moment to the other.
var passing = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`), "SESSION"},
	{regexp.MustCompile(`r-[0-9a-z]{26}`), "RUN"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`"effect_key":"[0-9a-f]{32}"`), `"effect_key":"KEY"`},
	{regexp.MustCompile(`"([a-z_]*seconds|duration_ms|quiet)":[0-9.e+-]+`), `"$1":0`},
	{regexp.MustCompile(`"(worker|actor|by|closed_by|written_by)":"[a-z0-9._:]*"`), `"$1":"WHO"`},
	{regexp.MustCompile(`decided by [a-z_:]+ at`), `decided by WHO at`},
	{regexp.MustCompile(`"details":\{[^}]*\}`), `"details":{}`}, // the shell says which command it was
	{regexp.MustCompile(`"(index|digest|sha256)":"[0-9a-f]{64}"`), `"$1":"DIGEST"`},
}

// lasting is a document without what is passing.
func (p *person) lasting(text string) string {
	text = strings.ReplaceAll(plain(text), p.work, "WORK")
	for _, x := range passing {
		text = x.pattern.ReplaceAllString(text, x.with)
	}
	return text
}

// twice is one thing done through the shell and through a tool.
type twice struct {
	tool string
	with map[string]any // SESSION and RUN stand for those of the story
	cli  []string
	when string // begun: both have only begun something; settled: the shell is asked until it says the same
}

type object = map[string]any

var seedStory = []twice{
	{"session_new", object{"goal": "调研转公众号文章并配图", "mode": "auto", "workspace": "WORK"}, []string{"session", "new", "--goal", "调研转公众号文章并配图", "--mode", "auto"}, ""},
	{"ctx_set", object{"session": "SESSION", "key": "research.raw", "value": json.RawMessage(`{"sources":3,"points":["agents"]}`)}, []string{"ctx", "set", "research.raw", `{"sources":3,"points":["agents"]}`}, ""},
	{"route", object{"session": "SESSION", "task": "把调研要点整理成公众号文章正文"}, []string{"route", "把调研要点整理成公众号文章正文"}, ""},
	{"call_open", object{"session": "@last", "skill": "wechat-publisher", "intent": "撰写公众号正文", "reads": []string{"research.raw"}, "writes": []string{"draft.md"}},
		[]string{"call", "open", "--skill", "wechat-publisher", "--intent", "撰写公众号正文", "--reads", "research.raw", "--writes", "draft.md"}, ""},
	{"switch", object{"session": "SESSION", "to": "drawio-skill", "kind": "handoff", "reason": "正文需要架构图", "carry": []string{"research.raw"}, "keep_open": true},
		[]string{"switch", "--to", "drawio-skill", "--kind", "handoff", "--reason", "正文需要架构图", "--carry", "research.raw", "--keep-open"}, ""},
	{"route", object{"session": "SESSION", "task": "画一张 Agent 系统架构图"}, []string{"route", "画一张 Agent 系统架构图"}, ""},
	{"call_open", object{"session": "SESSION", "skill": "drawio-skill", "intent": "生成架构图", "reads": []string{"research.raw"}, "writes": []string{"draft.diagram"}},
		[]string{"call", "open", "--skill", "drawio-skill", "--intent", "生成架构图", "--reads", "research.raw", "--writes", "draft.diagram"}, ""},
	{"ctx_set", object{"session": "SESSION", "key": "draft.diagram", "value": "arch.drawio"}, []string{"ctx", "set", "draft.diagram", "arch.drawio"}, ""},
	{"call_close", object{"session": "SESSION", "call": "c002", "status": "ok", "artifacts": []string{"arch.drawio"}}, []string{"call", "close", "--id", "c002", "--status", "ok", "--artifact", "arch.drawio"}, ""},
	{"call_resume", object{"session": "SESSION", "call": "c001"}, []string{"call", "resume", "c001"}, ""},
	{"call_close", object{"session": "SESSION", "call": "c001", "status": "ok", "outputs": object{"words": 1800}}, []string{"call", "close", "--id", "c001", "--status", "ok", "--output", "words=1800"}, ""},
	{"ctx_get", object{"session": "SESSION", "key": "research.raw"}, []string{"ctx", "get", "research.raw"}, ""},
	{"trace_get", object{"session": "SESSION"}, []string{"trace"}, ""},
	{"session_show", object{"session": "SESSION"}, []string{"session", "show", "SESSION"}, ""},
	{"session_list", object{}, []string{"session", "list"}, ""},
	{"skill_search", object{"task": "画一张 Agent 系统架构图", "top": 2}, []string{"skills", "search", "画一张 Agent 系统架构图", "--top", "2"}, ""},
	{"ctx_get", object{"session": "SESSION", "key": "no.such"}, []string{"ctx", "get", "no.such"}, ""},
	{"call_close", object{"session": "SESSION", "call": "c009", "status": "ok"}, []string{"call", "close", "--id", "c009", "--status", "ok"}, ""},
	{"session_end", object{"session": "SESSION", "summary": "文章已入草稿箱"}, []string{"session", "end", "--summary", "文章已入草稿箱"}, ""},
	{"ctx_set", object{"session": "SESSION", "key": "more", "value": "text"}, []string{"ctx", "set", "more", "text", "--session", "SESSION"}, ""},
}

// both runs a story in two installations, once by the shell and once by tools, and compares each answer.
func both(t *testing.T, byTool *robot, byShell *person, story []twice) {
	t.Helper()
	names := map[*person]map[string]string{byTool.person: {"WORK": byTool.work}, byShell: {}}
	fill := func(p *person, text string) string {
		for name, value := range names[p] {
			text = strings.ReplaceAll(text, name, value)
		}
		return text
	}
	learn := func(p *person, answer string) {
		var of struct{ Session, Run string }
		if json.Unmarshal([]byte(answer), &of) == nil && of.Session != "" {
			names[p]["SESSION"] = of.Session
		}
		if of.Run != "" {
			names[p]["RUN"] = of.Run
		}
	}
	for _, step := range story {
		raw, err := json.Marshal(step.with)
		if err != nil {
			t.Fatal(err)
		}
		var arguments map[string]json.RawMessage // so that values stay as they are written
		if err := json.Unmarshal([]byte(fill(byTool.person, string(raw))), &arguments); err != nil {
			t.Fatal(err)
		}
		got, _ := byTool.call(step.tool, arguments)
		args := slices.Clone(step.cli)
		for i := range args {
			args[i] = fill(byShell, args[i])
		}
		want := byShell.cli(args...)
		for deadline := time.Now().Add(time.Minute); step.when == "settled" && byShell.lasting(want) != byTool.lasting(got) && time.Now().Before(deadline); {
			time.Sleep(50 * time.Millisecond)
			want = byShell.cli(args...)
		}
		if diff := cmp.Diff(byShell.lasting(want), byTool.lasting(got)); diff != "" && step.when != "begun" {
			t.Errorf("%s %s and baton %s (-shell +tool):\n%s", step.tool, raw, strings.Join(args, " "), diff)
		}
		learn(byTool.person, got)
		learn(byShell, want)
	}
}

var approvalStory = []twice{
	{"workflow_run", object{"template": "publish", "inputs": object{"topic": "agents"}, "workspace": "WORK"}, []string{"workflow", "run", "publish", "--input", "topic=agents", "--detach"}, "begun"},
	{"run_status", object{"run": "RUN", "wait": 30}, []string{"workflow", "show", "RUN"}, "settled"},
	{"why", object{"run": "RUN"}, []string{"why", "RUN"}, ""},
	{"run_approve", object{"run": "RUN", "yes": true, "note": "read it"}, []string{"workflow", "approve", "RUN", "send", "--yes", "--note", "read it"}, ""},
	{"run_status", object{"run": "RUN", "wait": 30}, []string{"workflow", "show", "RUN"}, "settled"},
	{"run_approve", object{"run": "RUN", "step": "send", "yes": false}, []string{"workflow", "approve", "RUN", "send", "--no"}, ""},
	{"run_cancel", object{"run": "RUN"}, []string{"workflow", "cancel", "RUN"}, ""},
	{"why", object{"run": "RUN"}, []string{"why", "RUN"}, ""},
}
