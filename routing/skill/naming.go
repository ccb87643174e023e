package skill

import (
	"slices"
	"strings"

	"github.com/batonflow/baton/routing/words"
)

// cues stand before or behind a common word that is meant as a skill's name.
var (
	before = []string{"用", "使用", "调用", "通过", "skill", "技能", "/", "@", "$"}
	after  = []string{"skill", "技能"}
)

// named finds the one skill that a request names. A name counts as a whole word, as it is written;
// a common word only when the request says that a skill is meant. Two names are no naming.
func (s *Searcher) named(q query) (int32, bool) {
	found := int32(-1)
	roles := q.roles
	for _, doc := range s.mayBeNamed(q.text) {
		if s.shadowed[doc] || !strings.Contains(q.text, s.names[doc]) {
			continue
		}
		at := s.mention(q.text, s.names[doc])
		if at < 0 || roles[at] == 0 {
			continue
		}
		if found >= 0 && !part(s.skills[found].Name, s.skills[doc].Name) {
			if part(s.skills[doc].Name, s.skills[found].Name) {
				continue
			}
			return 0, false
		}
		found = doc
	}
	return found, found >= 0
}

// mayBeNamed lists the skills of which the first word is in the text.
func (s *Searcher) mayBeNamed(text string) []int32 {
	out := slices.Clone(s.begins[""])
	seen := map[string]bool{"": true}
	for run := range words.Runs(text) {
		if run.CJK {
			continue
		}
		for _, word := range words.Split(run.Text) {
			if !seen[word] {
				seen[word] = true
				out = append(out, s.begins[word]...)
			}
		}
	}
	slices.Sort(out)
	return out
}

// firstWord is the word that a folded name begins with, "" for one that begins with CJK characters
// or none.
func firstWord(name string) string {
	for run := range words.Runs(name) {
		if run.CJK {
			return ""
		}
		if parts := words.Split(run.Text); len(parts) > 0 {
			return parts[0]
		}
	}
	return ""
}

// part says whether one name is a part of a longer one, which is then the one that is meant.
func part(short, long string) bool {
	return len(short) < len(long) && strings.Contains(strings.ToLower(long), strings.ToLower(short))
}

// mention gives where in the text a name stands as a name, or -1.
func (s *Searcher) mention(text, name string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 || name == "" {
			return -1
		}
		at := from + i
		end := at + len(name)
		if whole(text, at, end) && (!s.commonName(name) || cued(text, at, end)) {
			return at
		}
		from = at + 1
	}
}

// whole says whether text[at:end] is no part of a longer word.
func whole(text string, at, end int) bool {
	return !joins(text[:at], true) && !joins(text[end:], false)
}

// joins says whether a word goes on over the edge of the text given, at its end or its beginning.
func joins(text string, atEnd bool) bool {
	for run := range words.Runs(text) {
		if run.CJK {
			continue
		}
		if atEnd && run.Start+len(run.Text) == len(text) || !atEnd && run.Start == 0 {
			return true
		}
	}
	if atEnd {
		return strings.HasSuffix(text, "-") || strings.HasSuffix(text, "_")
	}
	return strings.HasPrefix(text, "-") || strings.HasPrefix(text, "_")
}

// commonName says whether a name is a word that requests use without meaning the skill: short, in
// the lexicon, or in the description of another skill.
func (s *Searcher) commonName(name string) bool {
	if strings.ContainsAny(name, "-_:/") {
		return false
	}
	if len([]rune(name)) < 4 || strings.ContainsFunc(name, words.CJK) {
		return true
	}
	key := words.Porter(name)
	return s.lex.common[key] || s.terms[key] != nil && len(s.terms[key].list) > 1
}

func cued(text string, at, end int) bool {
	left := strings.TrimRight(text[:at], " `'\"「『“‘")
	right := strings.TrimLeft(text[end:], " `'\"」』”’")
	for _, cue := range before {
		if strings.HasSuffix(left, cue) {
			return true
		}
	}
	for _, cue := range after {
		if strings.HasPrefix(right, cue) {
			return true
		}
	}
	return false
}
