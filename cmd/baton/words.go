package main

import (
	"strings"

	"github.com/batonflow/baton/sessions"
)

// language is the language of texts: the flag's, else the locale's, else English.
func (a *app) language() string {
	if lang, ok := a.raw("lang"); ok {
		return lang
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale := a.Env(name); locale != "" {
			if strings.HasPrefix(strings.ToLower(locale), "zh") {
				return "zh"
			}
			return "en"
		}
	}
	return "en"
}

// say gives a text in the user's language; one that is not in the table stays English.
func (a *app) say(text string) string {
	if a.lang == "zh" {
		for _, table := range []map[string]string{chineseTexts, chineseAcquire, chineseDoors} {
			if chinese, ok := table[text]; ok {
				return chinese
			}
		}
	}
	return text
}

// hint is what to do about a refusal, in the user's language where the table has it.
func (a *app) hint(r *sessions.Refusal) string {
	if a.lang == "zh" {
		if chinese, ok := chineseHints[r.Code]; ok {
			return chinese
		}
	}
	return r.Hint
}
