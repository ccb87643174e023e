package quality

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/batonflow/baton/routing/intent"
	"github.com/batonflow/baton/routing/sentinel"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/routing/words"
)

// Vectors say how many inputs of a file get the right answer.
type Vectors struct {
	Right, All int
	Wrong      []string // id and what was given instead
}

// vector is one input with its right answer.
type vector struct {
	ID    string          `json:"id"`
	Input json.RawMessage `json:"input"`
	Right json.RawMessage `json:"right_output"`
}

// checks holds, by the kind of a file, what says what is wrong with the answer to one vector.
var checks = map[string]func(v vector, r *skill.Router) (string, error){
	"intent": checkIntent, "sentinel": checkSentinel, "similarity": checkSimilarity, "tokens": checkTokens, "route": checkRoute,
}

// Kinds lists the kinds of vector files that can be measured.
func Kinds() []string { return slices.Sorted(maps.Keys(checks)) }

// MeasureVectors runs a file of vectors. Library is the file with the skills that route is asked over.
func MeasureVectors(kind string, file, library []byte) (Vectors, error) {
	var list struct {
		Cases []vector `json:"cases"`
	}
	var tools struct {
		Skills []Tool `json:"skills"`
	}
	if err := json.Unmarshal(file, &list); err != nil {
		return Vectors{}, fmt.Errorf("vectors of %s: %w", kind, err)
	}
	if err := json.Unmarshal(library, &tools); err != nil {
		return Vectors{}, fmt.Errorf("skills of the vectors: %w", err)
	}
	for i := range tools.Skills {
		tools.Skills[i].ID = tools.Skills[i].Name
	}
	r, err := routerOver(Set{Name: kind, Tools: tools.Skills})
	if err != nil {
		return Vectors{}, err
	}
	var out Vectors
	for _, v := range list.Cases {
		wrong, err := checks[kind](v, r)
		if err != nil {
			return out, fmt.Errorf("vector %s: %w", v.ID, err)
		}
		out.All++
		if wrong == "" {
			out.Right++
		} else {
			out.Wrong = append(out.Wrong, v.ID+": "+wrong)
		}
	}
	return out, nil
}

// read decodes the input and the right answer of a vector.
func read[I, O any](v vector) (in I, out O, err error) {
	if err = json.Unmarshal(v.Input, &in); err == nil {
		err = json.Unmarshal(v.Right, &out)
	}
	return in, out, err
}

func checkIntent(v vector, _ *skill.Router) (string, error) {
	text, want, err := read[string, struct {
		Intent, Domain string
		Types          []string
		Parallelizable bool
		Groups         [][]string `json:"parallel_groups"`
	}](v)
	if err != nil {
		return "", err
	}
	reader, err := intent.New()
	if err != nil {
		return "", err
	}
	got := reader.Parse(text)
	sorted := slices.Sorted(slices.Values(got.Types()))
	right := got.Intent == want.Intent && got.Domain == want.Domain && slices.Equal(sorted, slices.Sorted(slices.Values(want.Types))) &&
		got.Parallelizable == want.Parallelizable && slices.EqualFunc(got.ParallelGroups, want.Groups, slices.Equal)
	if right {
		return "", nil
	}
	return fmt.Sprintf("%s, %s, %v", got.Intent, got.Domain, got.ParallelGroups), nil
}

func checkSentinel(v vector, _ *skill.Router) (string, error) {
	in, want, err := read[struct {
		Text     string
		SubTasks []string          `json:"sub_tasks"`
		Skills   []string          `json:"available_skills"`
		Env      map[string]string `json:"env"`
	}, struct {
		Proceed  bool
		Matched  string
		Warnings []string
		Coverage *float64 `json:"capability_coverage"`
	}](v)
	if err != nil {
		return "", err
	}
	guard, err := sentinel.New(nil)
	if err != nil {
		return "", err
	}
	got := guard.Check(sentinel.Request{Text: in.Text, Types: in.SubTasks, Skills: in.Skills, Env: in.Env, Soft: true})
	same := got.Proceed == want.Proceed && got.Matched == words.Fold(want.Matched) && slices.Equal(got.Warnings, want.Warnings) &&
		(got.Coverage == nil) == (want.Coverage == nil)
	if same {
		return "", nil
	}
	return fmt.Sprintf("proceed %v, matched %q, warnings %v", got.Proceed, got.Matched, got.Warnings), nil
}

func checkSimilarity(v vector, _ *skill.Router) (string, error) {
	in, want, err := read[struct{ A, B string }, struct{ Applied bool }](v)
	if err != nil {
		return "", err
	}
	if got := skill.Alike(in.A, in.B); skill.AlikeEnough(got) != want.Applied {
		return fmt.Sprintf("alike %.2f", got), nil
	}
	return "", nil
}

func checkTokens(v vector, _ *skill.Router) (string, error) {
	text, want, err := read[string, struct {
		Tokens map[string]float64
		Mass   float64
	}](v)
	if err != nil {
		return "", err
	}
	got, mass := words.Tokens(text)
	switch {
	case want.Tokens == nil && len(got) > 0: // a note, not an answer
		return "", nil
	case !maps.Equal(got, want.Tokens) || mass != want.Mass:
		return fmt.Sprintf("%v, mass %v", got, mass), nil
	}
	return "", nil
}

func checkRoute(v vector, r *skill.Router) (string, error) {
	in, want, err := read[struct {
		Task    string
		Mode    string
		Top     int
		Exclude []string
	}, struct {
		Decision, Top1 string
		Chosen         *string
		ChosenOr       []*string `json:"chosen_or"`
		Plan           []string
	}](v)
	if err != nil {
		return "", err
	}
	d := r.Decide(skill.Request{Task: in.Task, Mode: in.Mode, Top: in.Top, Exclude: in.Exclude})
	chosen, first := "", ""
	if d.Chosen != nil {
		chosen = d.Chosen.Name
	}
	if len(d.Candidates) > 0 {
		first = d.Candidates[0].Name
	}
	mayChoose := []string{text(want.Chosen)}
	for _, c := range want.ChosenOr {
		mayChoose = append(mayChoose, text(c))
	}
	right := slices.Contains(strings.Split(want.Decision, " or "), d.Decision) && slices.Contains(mayChoose, chosen) &&
		(want.Top1 == "" || slices.Contains(strings.Split(want.Top1, " or "), first)) && (want.Plan == nil || slices.Equal(want.Plan, d.Intent.Types()))
	if right {
		return "", nil
	}
	return fmt.Sprintf("%s %s, first %s, plan %v", d.Decision, chosen, first, d.Intent.Types()), nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
