package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/intent"
	"github.com/batonflow/baton/routing/sentinel"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/sessions"
)

// Files of the home that add to the rules of routing.
const (
	lexiconFile  = "lexicon.yaml"
	intentFile   = "intent.yaml"
	sentinelFile = "sentinel.yaml"
)

// Rules reads the rules of routing: those of the binary with what the home's files add. A file that
// does not check is refused, since a broken gate must not stand open; nothing is routed until it is
// mended or gone.
func (h Home) Rules(confirmHighRisk bool) (*skill.Book, error) {
	rules := skill.DefaultRules()
	rules.ConfirmHighRisk = confirmHighRisk
	for _, f := range []struct {
		name string
		into *[]string
	}{{lexiconFile, &rules.Lexicon}, {intentFile, &rules.Intent}, {sentinelFile, &rules.Sentinel}} {
		text, err := os.ReadFile(h.path(f.name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, sessions.Refuse(sessions.Usage, "routing_rules", "make it readable, or remove it", "%s: %v", h.path(f.name), err)
		default:
			*f.into = append(*f.into, string(text))
		}
	}
	book, err := rules.Open()
	for _, of := range []struct {
		err        error
		code, name string
	}{{skill.ErrLexicon, "lexicon", lexiconFile}, {intent.ErrVocabulary, "intent_vocabulary", intentFile}, {sentinel.ErrRules, "sentinel_rules", sentinelFile}} {
		if errors.Is(err, of.err) {
			return nil, sessions.Refuse(sessions.Usage, of.code, "mend the file, or remove it", "%s: %v", h.path(of.name), err)
		}
	}
	return book, err
}

// rulebook is the rules as they were when the files were last looked at.
type rulebook struct {
	book  *skill.Book
	files [3]fileState
}

type fileState struct {
	size     int64
	modified time.Time
}

// book gives the rules that hold now; files that did not change are not read again.
func (l *Library) book() (*skill.Book, error) {
	var now [3]fileState
	for i, name := range []string{lexiconFile, intentFile, sentinelFile} {
		if info, err := os.Stat(l.Home.path(name)); err == nil {
			now[i] = fileState{info.Size(), info.ModTime()}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rules.book != nil && l.rules.files == now {
		return l.rules.book, nil
	}
	book, err := l.Home.Rules(l.ConfirmHighRisk)
	if err != nil {
		return nil, err
	}
	l.rules = rulebook{book, now}
	return book, nil
}

// bookOf gives the rules that a decision names. One from before decisions named them went by those of
// its binary; this one's are tried.
func (l *Library) bookOf(ctx context.Context, d events.RouteDecided) (*skill.Book, error) {
	if d.Rules == "" {
		return skill.DefaultRules().Open()
	}
	l.mu.Lock()
	current := l.rules.book
	l.mu.Unlock()
	if current != nil && current.Digest() == d.Rules {
		return current, nil
	}
	raw, err := l.Payloads.Get(ctx, d.Rules)
	if err != nil {
		return nil, fmt.Errorf("rules %.12s of the decision: %w", d.Rules, err)
	}
	rules, err := skill.DecodeRules(raw)
	if err != nil {
		return nil, err
	}
	return rules.Open()
}
