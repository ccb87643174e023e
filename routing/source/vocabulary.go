package source

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/batonflow/baton/routing/words"
)

// Source is a kind of source: one of the five there are.
type Source string

// The sources.
const (
	Web       Source = "web"
	LocalFile Source = "local_file"
	Vector    Source = "vector"
	Graph     Source = "graph"
	Counter   Source = "counter" // searches for opposing views
)

const (
	breakingNews      = "breaking_news"
	deepResearch      = "deep_research"
	entityAnalysis    = "entity_analysis"
	internalKnowledge = "internal_knowledge"
	techEvaluation    = "tech_evaluation"

	investigate = "investigate"

	high = "high" // no older than a day
	low  = "low"  // of any age
)

var (
	everySource = []Source{Web, LocalFile, Vector, Graph, Counter}

	sources     = []string{string(Web), string(LocalFile), string(Vector), string(Graph), string(Counter)}
	taskTypes   = []string{breakingNews, deepResearch, entityAnalysis, internalKnowledge, techEvaluation}
	goalModes   = []string{"analyze", "evaluate", "compare", investigate}
	freshnesses = []string{high, "medium", low}

	// recency are words in a gap that only the web can fill.
	recency = []string{"最新", "近期", "当前", "latest", "recent", "current"}
	// relations are words that ask for a network of entities.
	relations = []string{"关系", "网络", "链条", "上下游", "利益相关", "relationship", "network", "supply chain", "stakeholder"}

	doubtsChinese = []string{"质疑", "争议", "失败", "反面", "缺点", "局限性"}
	doubtsEnglish = []string{"criticism", "controversy", "failure", "counterexample", "drawbacks", "limitations"}
)

// mentions says whether one of the texts holds one of the words. A Latin word counts where a word
// begins, so that concurrent does not ask for what is current.
func mentions(texts, vocabulary []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		text = strings.ToLower(text)
		return slices.ContainsFunc(vocabulary, func(word string) bool { return holds(text, word) })
	})
}

func holds(text, word string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		if chinese(word) || chinese(string(before)) || !unicode.IsLetter(before) {
			return true
		}
		from = at + len(word)
	}
}

// chinese says whether a text is written, if only in part, without blanks between words.
func chinese(text string) bool { return strings.ContainsFunc(text, words.CJK) }
