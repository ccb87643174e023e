package words

import "strings"

// Stem gives what the forms of an English word have in common: plural, -ing, -ed, British -ise,
// -ation and the names of doers. It is light on purpose; a stem is for comparing, not for reading.
func Stem(word string) string {
	if verb, ok := doers[word]; ok {
		word = verb
	} else if verb, ok := doers[strings.TrimSuffix(word, "s")]; ok {
		word = verb
	}
	if len(word) < 4 || word[0] >= 0x80 {
		return word
	}
	word = plural(word)
	switch {
	case strings.HasSuffix(word, "isation"), strings.HasSuffix(word, "ization"):
		word = word[:len(word)-7] + "iz"
	case strings.HasSuffix(word, "ation") && len(word) > 7:
		word = word[:len(word)-3]
	case strings.HasSuffix(word, "ing") && vowel(word[:len(word)-3]):
		word = single(word[:len(word)-3])
	case strings.HasSuffix(word, "ed") && vowel(word[:len(word)-2]):
		word = single(word[:len(word)-2])
	}
	word = strings.TrimSuffix(word, "e")
	switch {
	case strings.HasSuffix(word, "is") && len(word) > 5:
		word = word[:len(word)-2] + "iz"
	case strings.HasSuffix(word, "ys"):
		word = word[:len(word)-2] + "yz"
	case strings.HasSuffix(word, "y") && len(word) > 3:
		word = word[:len(word)-1] + "i"
	}
	return word
}

func plural(word string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "xes"), strings.HasSuffix(word, "ches"), strings.HasSuffix(word, "shes"):
		return word[:len(word)-2]
	case strings.HasSuffix(word, "ss"), strings.HasSuffix(word, "us"), strings.HasSuffix(word, "is"):
		return word
	}
	return strings.TrimSuffix(word, "s")
}

func vowel(stem string) bool { return len(stem) > 2 && strings.ContainsAny(stem, "aeiouy") }

// single takes off the doubled consonant of planning and stopped.
func single(stem string) string {
	n := len(stem)
	if n > 3 && stem[n-1] == stem[n-2] && !strings.ContainsRune("aeioulsz", rune(stem[n-1])) {
		return stem[:n-1]
	}
	return stem
}

// doers are names for what does a thing, as skills are called by; a rule for -er would turn a
// poster into a post.
var doers = map[string]string{
	"sender": "send", "writer": "write", "maker": "make", "reader": "read", "editor": "edit",
	"publisher": "publish", "generator": "generate", "creator": "create", "analyzer": "analyze",
	"analyser": "analyze", "analyst": "analyze", "designer": "design", "translator": "translate",
	"summarizer": "summarize", "summariser": "summarize", "converter": "convert", "tester": "test",
	"builder": "build", "planner": "plan", "scheduler": "schedule", "reviewer": "review",
	"debugger": "debug", "finder": "find", "searcher": "search", "helper": "help", "scraper": "scrape",
	"crawler": "crawl", "downloader": "download", "installer": "install", "formatter": "format",
	"validator": "validate", "checker": "check", "viewer": "view", "tracker": "track",
	"organizer": "organize", "organiser": "organize", "extractor": "extract", "parser": "parse",
	"recommender": "recommend", "recommendation": "recommend", "publication": "publish",
	"summary": "summarize", "analysis": "analyze", "analyses": "analyze", "conversion": "convert",
	"comparison": "compare", "extraction": "extract", "deployment": "deploy", "deletion": "delete",
	"payment": "pay", "illustrator": "illustrate", "illustration": "illustrate", "wrote": "write",
	"written": "write", "drew": "draw", "drawn": "draw", "sent": "send", "found": "find",
	"built": "build", "made": "make", "paid": "pay", "researcher": "research", "calculator": "calculate",
}
