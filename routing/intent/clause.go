package intent

import (
	"slices"
	"strings"
)

// action is a verb with its object.
type action struct {
	kind       string
	start, end int  // bytes of the folded text, verb and object
	object     bool // it has an object of its own
	generic    bool // the object says only that something is to be drawn
	after      bool // an order word puts it after what was said before
	alone      bool // a Chinese verb that has its object in it: 写代码
	adds       bool // it puts something to what was made before
	asked      bool // somebody is asked to do it: 请, 帮我
	wished     bool // somebody only wants it: 我想
	loose      bool // an -ing form, a question or something told: an action only when nothing else is asked
}

// clause is a stretch of marks without joining words or punctuation.
type clause struct {
	marks []mark
	after bool
}

// clauses cuts marks at punctuation, joining and ordering words.
func clauses(marks []mark) []clause {
	out := []clause{{}}
	for _, m := range marks {
		last := &out[len(out)-1]
		switch {
		case m.role == comesAfter:
			out = append(out, clause{after: true})
		case m.boundary, m.role == joins, m.role == comesFirst:
			if len(last.marks) > 0 {
				out = append(out, clause{})
			}
		default:
			last.marks = append(last.marks, m)
		}
	}
	return out
}

// actions reads the actions of one clause.
func (v *vocabulary) actions(c clause) []action {
	verbs := v.verbs(c.marks)
	var out []action
	for n, i := range verbs {
		end := len(c.marks)
		if n+1 < len(verbs) {
			end = verbs[n+1]
		}
		if no := slices.IndexFunc(c.marks[i+1:end], func(m mark) bool { return m.role == negates }); no >= 0 {
			end = i + 1 + no // write the script without testing it
		}
		out = append(out, v.action(c.marks[i], c.marks[i+1:end])...)
	}
	if len(out) > 0 {
		out[0].after = out[0].after || c.after
		given := slices.IndexFunc(c.marks[:verbs[0]], func(m mark) bool { return m.role == gives })
		if given >= 0 && slices.ContainsFunc(c.marks[given+1:verbs[0]], func(m mark) bool { return !filler(m) && !slices.Contains(pronouns, m.text) }) {
			out[0].object = true // it stands before the verb: 把报告翻译成英文
		}
		before := c.marks[:verbs[0]]
		out[0].asked = slices.ContainsFunc(before, func(m mark) bool { return m.manner.asks })
		out[0].wished = !out[0].asked && slices.ContainsFunc(before, func(m mark) bool { return m.manner.wishes })
		if tells(before) {
			for i := range out {
				out[i].loose = true
			}
		}
	}
	return out
}

// tells says whether what stands before the first verb of a clause makes it a story, not a request: it
// has a subject and nobody asks or wishes.
func tells(before []mark) bool {
	subject := false
	for _, m := range before {
		switch {
		case m.manner.asks, m.manner.wishes, m.role == gives:
			return false
		case m.manner.subject:
			subject = true
		}
	}
	return subject
}

// verbs finds the marks of a clause that are actions, by position. What is negated is none; what
// stands in given material is none, so there the last verb counts; of verbs in a row in Chinese
// each counts that has something of its own behind it; of English ones the first.
func (v *vocabulary) verbs(marks []mark) []int {
	var out []int
	material := false
	for i, m := range marks {
		switch {
		case m.role == negates, m.role == yields, m.manner.speaks && m.verb == "":
			return out
		case i+1 < len(marks) && marks[i+1].manner.told && m.cjk && m.end == marks[i+1].start:
			// 发布的文章, 下载速率: it is spoken of, not asked for
		case m.role == gives && len(out) == 0:
			material = true
		case m.verb == "" && m.role != makes:
		case m.cjk && material:
			out = []int{i}
		case m.cjk && !v.objectOfTheLast(marks, out, i):
			out = append(out, i)
		case !m.cjk && len(out) == 0 && (v.written[m.text] || !inflected(m.text)) && opens(marks[:i]):
			out = append(out, i)
		}
	}
	return out
}

// objectOfTheLast says whether a word that could be a verb is a part of what the verb before it is
// about: a noun right behind it, or work that must have been done already (总结调研内容).
func (v *vocabulary) objectOfTheLast(marks []mark, verbs []int, i int) bool {
	if len(verbs) == 0 {
		return false
	}
	last, m := marks[verbs[len(verbs)-1]], marks[i]
	next := verbs[len(verbs)-1] == i-1
	if next && (m.noun != "" || last.role == makes) {
		return true
	}
	if m.noun != "" && i == len(marks)-1 && marks[i-1].cjk && marks[i-1].role == none && marks[i-1].verb == "" && !filler(marks[i-1]) {
		return true // 润色我的论文摘要
	}
	if m.verb == "" || last.verb == "" {
		return false
	}
	earlier := v.byType[m.verb].order < v.byType[last.verb].order
	return earlier && (next || slices.Contains(v.byType[last.verb].Needs, m.verb))
}

// inflected says whether an English word is a form in which nobody asks for anything: published,
// reviews, comparison.
func inflected(text string) bool {
	for _, end := range []string{"ed", "tion", "ison", "sis", "er", "ers", "or", "ors"} {
		if strings.HasSuffix(text, end) {
			return true
		}
	}
	if slices.Contains([]string{"found", "written", "wrote", "drew", "drawn", "built", "made", "summary"}, text) {
		return true
	}
	return len(text) > 4 && strings.HasSuffix(text, "s") && !strings.HasSuffix(text, "ss") && !strings.Contains(text, " ")
}

// openers are the words that may stand before an English verb of request.
var openers = strings.Fields(`please pls can could would will you i we want need like to help me us let lets let's kindly just now
should must try go quickly only hey hi`)

// opens says whether a verb after these marks is the verb of the request, and not a noun.
func opens(before []mark) bool {
	if n := len(before); n > 0 && before[n-1].text == "to" {
		return true
	}
	for _, m := range before {
		if !m.cjk && !slices.Contains(openers, m.text) {
			return false
		}
	}
	return true
}

// prepositions end the object of an English verb.
var prepositions = strings.Fields("for of about on in to from with into as that which by at between so")

// action names the type of a verb with what stands behind it. A verb of making without a known
// product is none; arranging what must first be gathered is two.
func (v *vocabulary) action(verb mark, rest []mark) []action {
	a := action{kind: verb.verb, start: verb.start, end: verb.end, adds: slices.Contains(additions, verb.text)}
	noun, product := head(rest)
	a.loose = !verb.cjk && (strings.HasSuffix(verb.text, "ing") || verb.verb == "qa")
	gather := false
	for _, m := range rest {
		a.end = m.end
		a.object = a.object || !filler(m)
		gather = gather || m.gather
	}
	if verb.cjk && len(rest) > 0 && rest[0].cjk && slices.Contains(becomes, rest[0].text) || slices.Contains(turned, verb.text) {
		a.object = false // 翻译成英文: what comes out is no object
	}
	if len(rest) > 0 && slices.Contains(pronouns, rest[0].text) {
		a.object = false
	}
	a.alone = verb.cjk && len(rest) == 0
	a.generic = a.kind == "visualize" && slices.Contains([]string{"", "图", "图表", "chart", "diagram", "graph"}, noun.text)
	switch {
	case verb.role == makes:
		a.kind = noun.noun
		a.generic = noun.text == "图" || noun.text == "图表"
	case verb.drawing:
		a.kind = drawn(a, noun)
	case v.byType[a.kind].Open && slices.Contains([]string{"code", "test", "plan"}, noun.noun):
		a.kind = noun.noun
	case product && slices.Contains([]string{"structure", "analyze"}, a.kind) && noun.noun != "":
		a.kind = noun.noun
	}
	if a.kind == "" {
		return nil
	}
	if a.kind == "structure" && gather {
		first := a
		first.kind = "collect"
		return []action{first, a}
	}
	return []action{a}
}

// drawn tells a diagram from a picture by what is drawn.
func drawn(a action, noun mark) string {
	if noun.noun == "image" || noun.noun == "" && a.object {
		return "image"
	}
	return "visualize"
}

// head finds the noun that an object is about: the last one in Chinese, the last before a
// preposition in English. product is true when it is said to be made of something: 整理成文章.
func head(rest []mark) (noun mark, product bool) {
	for i, m := range rest {
		if !m.cjk && slices.Contains(prepositions, m.text) {
			if noun.noun != "" || i > 0 {
				return noun, product
			}
			continue
		}
		if m.cjk && i == 0 && slices.Contains(becomes, m.text) {
			product = true
		}
		if m.noun != "" {
			noun = m
		}
	}
	return noun, product
}

// becomes stand between a verb and what comes out of it; turned are verbs that have one in them.
var (
	becomes = strings.Fields("成 为 出 作")
	turned  = strings.Fields("译成 译为 写成 转成 转为 转换成 转换为 导出为")
)

// additions are verbs that put something to what was made before.
var additions = strings.Fields("配 配上 加 加上 添加 附上 add")

// pronouns begin an object that is what was spoken of before.
var pronouns = strings.Fields("it them that those they one its their 它 它们 其")

var fillers = strings.Fields("it them this that a an the 它 一 下 一下 吧 吗 呢 么 好 成 了 完 请 来 看 看看")

func filler(m mark) bool { return slices.Contains(fillers, m.text) }
