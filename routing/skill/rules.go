package skill

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/batonflow/baton/routing/intent"
	"github.com/batonflow/baton/routing/sentinel"
	"github.com/batonflow/baton/skills"
)

// Version counts the changes of how a request is read, scored and decided: the same index, rules and
// lessons give the same decision under one version. A test holds it to a digest of many decisions.
const Version = 3

// ErrVersion is a decision made by another version, which cannot be made again by this one.
var ErrVersion = errors.New("decided by another version of the router")

// Rules are the texts that a decision rests on, beside the index and the lessons. Of each list the
// first is the binary's, and what follows was added to it.
type Rules struct {
	Version         int      `json:"version"`
	Lexicon         []string `json:"lexicon"`
	Intent          []string `json:"intent"`
	Sentinel        []string `json:"sentinel"`
	ConfirmHighRisk bool     `json:"confirm_high_risk,omitempty"` // every high-risk action is confirmed
}

// DefaultRules are those of the binary.
func DefaultRules() Rules {
	return Rules{Version: Version, Lexicon: []string{string(lexiconFile)}, Intent: []string{string(intent.Vocabulary())}, Sentinel: []string{string(sentinel.RulesFile())}}
}

// DecodeRules reads what [Book.Encode] wrote.
func DecodeRules(data []byte) (Rules, error) {
	var r Rules
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("decode the rules of routing: %w", err)
	}
	return r, nil
}

// Book is rules that were read. It does not change and is safe for concurrent use.
type Book struct {
	rules    Rules
	encoded  []byte
	digest   string
	lexicon  *lexicon
	reader   intent.Reader
	sentinel sentinel.Sentinel
}

// Open reads rules. It fails with [ErrVersion] for those of another version, with [ErrLexicon],
// [intent.ErrVocabulary] or [sentinel.ErrRules] for a text that does not check.
func (r Rules) Open() (*Book, error) {
	if r.Version != Version {
		return nil, fmt.Errorf("%w: %d, this is %d", ErrVersion, r.Version, Version)
	}
	b := &Book{rules: r}
	var err error
	if b.encoded, err = json.Marshal(r); err != nil {
		return nil, fmt.Errorf("encode the rules of routing: %w", err)
	}
	sum := sha256.Sum256(b.encoded)
	b.digest = hex.EncodeToString(sum[:])
	if b.lexicon, err = loadLexicon(r.Lexicon...); err != nil {
		return nil, err
	}
	if b.reader, err = intent.Read(r.Intent...); err != nil {
		return nil, err
	}
	rules, err := sentinel.ReadRules(r.Sentinel...)
	if err != nil {
		return nil, err
	}
	b.sentinel, err = sentinel.New(&rules)
	return b, err
}

// Digest is the SHA-256 of the rules.
func (b *Book) Digest() string { return b.digest }

// Encode gives the rules in bytes, always the same ones; they have the digest.
func (b *Book) Encode() []byte { return b.encoded }

// Sentinel is the gate of these rules.
func (b *Book) Sentinel() sentinel.Sentinel { return b.sentinel }

// Reader is the reader of requests of these rules.
func (b *Book) Reader() intent.Reader { return b.reader }

// Over makes a router over an index.
func (b *Book) Over(index skills.Index) *Router {
	return &Router{searcher: newSearcher(index, b.lexicon), intent: b.reader, sentinel: b.sentinel, confirmHighRisk: b.rules.ConfirmHighRisk}
}

// Searcher is what a router finds candidates with.
func (r *Router) Searcher() *Searcher { return r.searcher }
