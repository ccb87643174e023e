package skills

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Index is the list of installed skills, in an order that does not depend on how it was found:
// by name, then the one that wins the bare name first.
type Index struct {
	Skills []Skill `json:"skills"`
}

// Clash is a bare name that several skills with different text claim.
type Clash struct {
	Name   string   `json:"name"`
	Winner string   `json:"winner"` // full name
	Others []string `json:"others"` // full names
}

// NewIndex orders skills and drops copies: of the same name and the same text one is kept, the one
// that is usable, trusted and of the highest tier. A name that looks like another's is flagged.
func NewIndex(list []Skill) Index {
	sorted := slices.SortedFunc(slices.Values(list), precedence)
	markLookalikes(sorted)
	type copyOf struct{ name, hash string }
	seen := map[copyOf]bool{}
	out := Index{Skills: make([]Skill, 0, len(sorted))}
	for _, s := range sorted {
		key := copyOf{strings.ToLower(s.Name), s.Hash}
		if s.Hash != "" && seen[key] {
			continue
		}
		seen[key] = true
		out.Skills = append(out.Skills, s)
	}
	return out
}

func precedence(a, b Skill) int {
	if c := compareNames(a.Name, b.Name); c != 0 {
		return c
	}
	return cmp.Or(
		yesFirst(a.Usable, b.Usable),
		yesFirst(a.Trusted, b.Trusted),
		cmp.Compare(TierWeight(b.Tier), TierWeight(a.Tier)),
		cmp.Compare(a.Host, b.Host),
		cmp.Compare(a.Path, b.Path),
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Hash, b.Hash),
	)
}

// compareNames compares letter case ignored, without making new strings where it need not.
func compareNames(a, b string) int {
	if a == b {
		return 0
	}
	return strings.Compare(strings.ToLower(a), strings.ToLower(b))
}

func yesFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

// Find gives the skill of a name, or of a full name (host:tier/name), letter case ignored. Of
// several with the bare name it is the usable, trusted one of the highest tier.
func (x Index) Find(name string) (Skill, bool) {
	if strings.ContainsAny(name, ":/") {
		for _, s := range x.Skills {
			if strings.EqualFold(s.FullName(), name) {
				return s, true
			}
		}
		return Skill{}, false
	}
	want := strings.ToLower(name)
	i, ok := slices.BinarySearchFunc(x.Skills, want, func(s Skill, want string) int {
		return cmp.Compare(strings.ToLower(s.Name), want)
	})
	if !ok {
		return Skill{}, false
	}
	return x.Skills[i], true
}

// Clashes lists the names that skills with different text share.
func (x Index) Clashes() []Clash {
	out := []Clash{}
	for i := 0; i < len(x.Skills); {
		c := Clash{Name: x.Skills[i].Name, Winner: x.Skills[i].FullName()}
		j := i + 1
		for ; j < len(x.Skills) && strings.EqualFold(x.Skills[j].Name, c.Name); j++ {
			c.Others = append(c.Others, x.Skills[j].FullName())
		}
		if len(c.Others) > 0 {
			out = append(out, c)
		}
		i = j
	}
	return out
}

// Digest is the hex SHA-256 of the index as [Index.Encode] writes it.
func (x Index) Digest() (string, error) {
	h := sha256.New()
	if err := x.write(h); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Encode writes the index as canonical JSON: the same skills always give the same bytes.
func (x Index) Encode() ([]byte, error) {
	var b bytes.Buffer
	err := x.write(&b)
	return b.Bytes(), err
}

// write writes one skill after another, since an index can be large.
func (x Index) write(w io.Writer) error {
	list := x.Skills
	if !slices.IsSortedFunc(list, precedence) {
		list = slices.SortedFunc(slices.Values(list), precedence)
	}
	between := `{"skills":[`
	for _, s := range list {
		raw, err := json.Marshal(s)
		if err != nil {
			return fmt.Errorf("encode the skill index: %w", err)
		}
		if _, err := io.WriteString(w, between); err != nil {
			return err
		}
		if _, err := w.Write(raw); err != nil {
			return err
		}
		between = ","
	}
	end := "]}"
	if len(list) == 0 {
		end = `{"skills":[]}`
	}
	_, err := io.WriteString(w, end)
	return err
}

// Decode reads what [Index.Encode] wrote.
func Decode(data []byte) (Index, error) {
	var x Index
	if err := json.Unmarshal(data, &x); err != nil {
		return Index{}, fmt.Errorf("decode the skill index: %w", err)
	}
	return x, nil
}
