package skill

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ErrChoseNone says that a judge was heard and chose nobody.
var ErrChoseNone = errors.New("it chose none of the candidates")

// maxWhy bounds a judge's words as they are kept, in characters.
const maxWhy = 2000

// Read takes a judge's answer, {"chosen": NAME or null, "why": TEXT}, which may stand inside a text, as
// agents answer. The words are given also where the error says why there is no choice.
func (q Question) Read(answer json.RawMessage) (chosen, why string, err error) {
	var text string
	if json.Unmarshal(answer, &text) == nil {
		from, to := strings.Index(text, "{"), strings.LastIndex(text, "}")
		if from < 0 || to < from {
			return "", "", fmt.Errorf("it answers no JSON object {chosen, why}: %.200q", text)
		}
		answer = json.RawMessage(text[from : to+1])
	}
	var said struct {
		Chosen *string `json:"chosen"`
		Why    string  `json:"why"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return "", "", fmt.Errorf("it answers no JSON object {chosen, why}: %w", err)
	}
	why = Brief(said.Why)
	if said.Chosen == nil || *said.Chosen == "" {
		return "", why, ErrChoseNone
	}
	for _, c := range q.Candidates {
		if c.Name == *said.Chosen {
			return c.Name, why, nil
		}
	}
	return "", why, fmt.Errorf("it chose %.200q, which is no candidate", *said.Chosen)
}

// Brief bounds what somebody outside said, so that it can be kept.
func Brief(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
	if runes := []rune(text); len(runes) > maxWhy {
		return string(runes[:maxWhy]) + "…"
	}
	return text
}
