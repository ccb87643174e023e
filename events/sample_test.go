package events_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/batonflow/baton/events"
)

// sampleText holds a likely value for each text field, by its stored name. Between them they have
// what encoders trip over: quotes, HTML, Chinese, an emoji, a line separator, a line break.
var sampleText = map[string]string{
	"about":          "unknown",
	"action":         "9155bebb5b3f07c41c2d7e5c2f0f4a1d9155bebb5b3f07c41c2d7e5c2f0f4a1d",
	"actor":          "cli",
	"approval":       "r-01k/publish#1",
	"question":       "publish 摘要?",
	"signal":         "delivered",
	"at":             "2026-02-03T04:05:06.789012345Z",
	"by":             "literature-search",
	"call":           "research/vor",
	"child":          "9c1185a5-c5e9-8d3a-a0bd-6d3a4ed8e9b1",
	"cause":          "run was resumed",
	"chosen":         "literature-search",
	"class":          "retryable",
	"code":           "exec_exit",
	"condition":      "a contradiction between VOR and BPPV is explained",
	"decision":       "auto",
	"error":          "exec_timeout: judge.sh 超时 <20s>",
	"evidence":       "as_03.json lists two contradictions",
	"why":            "它检索文献，另一个只画图 & 不查",
	"outcome":        "goal_not_met_yet",
	"description":    "检索文献并给出要点 – finds papers & lists <claims>",
	"event":          "01KGE3V0A8M2C5T7Q4WZ000000",
	"feedback":       "fb001",
	"folder":         "/home/ada/flows",
	"from":           "literature-search",
	"goal":           "调研转公众号文章并配图",
	"high_risk":      "publish",
	"hint":           "name the folder and the topic",
	"index":          strings.Repeat("5f", 32),
	"rules":          strings.Repeat("6e", 32),
	"intent":         "search literature on \"VOR\" suppression\u2028and summarise it",
	"key":            "research.raw",
	"kind":           "handoff",
	"limit":          "gpu",
	"matched":        "hack",
	"message":        "./search.sh exited with status 75 \U0001f6ab",
	"mode":           "auto",
	"name":           "research-and-publish",
	"note":           "three sources",
	"parent":         "c001",
	"of":             "c002",
	"path":           "/home/ada/flows/research.yaml",
	"policy":         "accept",
	"purpose":        "probe",
	"queue":          "default",
	"query_affected": "固态电池 makers",
	"timestamp":      "2026-02-03T04:05:06Z",
	"reason":         "the text needs a diagram",
	"router":         "source",
	"route":          "rt-01KGE3V0A8M2C5T7",
	"run":            "r-01KGE3V0A8M2C5T7Q4WZ",
	"schedule":       "report",
	"session":        "01a22b69-d3a5-82db-9781-c1b3ee854269",
	"cron":           "0 9 * * 1-5",
	"zone":           "Europe/Berlin",
	"overlap":        "skip",
	"next":           "2026-02-04T08:00:00Z",
	"sha256":         strings.Repeat("a1", 32),
	"hash":           strings.Repeat("7c", 32),
	"skill":          "literature-search",
	"source":         "publish",
	"status":         "ok",
	"step":           "vor",
	"suggestion":     "say what may be tested and who allowed it",
	"summary":        "draft is ready",
	"suspended":      "c001",
	"tail":           "line 1\nline 2\ttab \\ backslash",
	"task":           "把调研要点整理成公众号文章正文",
	"text":           "name: research\nsteps:\n  - skill: literature-search\n",
	"tier":           "project",
	"timer":          "backoff/research/vor/2",
	"to":             "drawio-skill",
	"tool":           "skill-radoute",
	"id":             "s-20260203-040506-a1f",
	"worker":         "p7f3.2",
	"workspace":      "/home/ada/project",
}

// sample fills a type with likely values, so that no field is left at its zero value.
func sample(t *testing.T, of reflect.Type, field string) reflect.Value {
	t.Helper()
	v := reflect.New(of).Elem()
	switch {
	case of == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(`{"` + field + `":["a<b>&c",1.5,null,{"deep":"值"}]}`))
		return v
	case of == reflect.TypeFor[events.Value]():
		v.Set(reflect.ValueOf(events.Value{JSON: json.RawMessage(`{"sources":3,"title":"a < b"}`)}))
		return v
	}
	switch of.Kind() {
	case reflect.String:
		text, ok := sampleText[field]
		if !ok {
			t.Fatalf("sampleText has no value for the field %q: add one", field)
		}
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Uint64:
		v.SetUint(1<<53 + 1) // more than a double holds
	case reflect.Float64:
		v.SetFloat(0.725)
	case reflect.Slice:
		v.Set(reflect.Append(v, sampleItem(t, of.Elem(), field, 1), sampleItem(t, of.Elem(), field, 2)))
	case reflect.Map:
		v.Set(reflect.MakeMap(of))
		v.SetMapIndex(reflect.ValueOf("topic"), sampleItem(t, of.Elem(), field, 1))
		v.SetMapIndex(reflect.ValueOf("limit"), sampleItem(t, of.Elem(), field, 2))
	case reflect.Struct:
		for i := range of.NumField() {
			if f := of.Field(i); f.IsExported() {
				v.Field(i).Set(sample(t, f.Type, storedName(f)))
			}
		}
	default:
		t.Fatalf("sample knows no values for %s: teach it", of)
	}
	return v
}

func sampleItem(t *testing.T, of reflect.Type, field string, n int) reflect.Value {
	if of.Kind() == reflect.String {
		return reflect.ValueOf(fmt.Sprintf("%s %d", field, n))
	}
	return sample(t, of, field)
}

func storedName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// sampleData gives the entry's fact with every field filled.
func sampleData(t *testing.T, e events.Entry) events.Data {
	t.Helper()
	return sample(t, reflect.TypeOf(e.Zero()), "").Interface().(events.Data)
}

// sampleEvent gives the n-th event of a story, with its fact.
func sampleEvent(n int, d events.Data) events.Event {
	e := events.New(d)
	e.ID = fmt.Sprintf("01KGE3V0A8M2C5T7Q4WZ9X%04d", n)
	e.Time = time.Date(2026, 2, 3, 4, 5, 6, 789012345, time.UTC).Add(time.Duration(n) * time.Second)
	e.Actor = "cli"
	if n > 1 {
		e.Causation = fmt.Sprintf("01KGE3V0A8M2C5T7Q4WZ9X%04d", n-1)
	}
	return e
}
