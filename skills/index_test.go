package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func sorted(list []string) []string {
	out := slices.Clone(list)
	slices.Sort(out)
	return out
}

func installed(name, tier, hash string) Skill {
	return Skill{Name: name, Tier: tier, Host: "claude", Path: "/" + tier + "/" + name, Hash: hash, Usable: true, Trusted: true, Description: "x"}
}

func TestIndexKeepsOneOfEqualCopies(t *testing.T) {
	t.Parallel()
	x := NewIndex([]Skill{installed("a", TierPlugin, "1"), installed("a", TierProject, "1"), installed("A", TierUser, "1")})
	if len(x.Skills) != 1 || x.Skills[0].Tier != TierProject {
		t.Errorf("got %+v, want the project's copy alone", x.Skills)
	}
}

func TestIndexShowsClashesAndLetsTheHigherTierWin(t *testing.T) {
	t.Parallel()
	x := NewIndex([]Skill{installed("a", TierUser, "2"), installed("a", TierProject, "1"), installed("b", TierUser, "3")})
	if s, ok := x.Find("A"); !ok || s.Tier != TierProject {
		t.Errorf("Find(A) = %+v, %v; want the project's", s, ok)
	}
	if s, ok := x.Find("claude:user/a"); !ok || s.Tier != TierUser {
		t.Errorf("Find(claude:user/a) = %+v, %v; want the user's", s, ok)
	}
	want := []Clash{{Name: "a", Winner: "claude:project/a", Others: []string{"claude:user/a"}}}
	if diff := cmp.Diff(want, x.Clashes()); diff != "" {
		t.Errorf("clashes (-want +got):\n%s", diff)
	}
}

func TestIndexPrefersATrustedCopyOverAnUntrustedHigherTier(t *testing.T) {
	t.Parallel()
	project := installed("a", TierProject, "1")
	project.Trusted = false
	x := NewIndex([]Skill{project, installed("a", TierUser, "2")})
	if s, _ := x.Find("a"); s.Tier != TierUser {
		t.Errorf("Find(a) is %s, want the user's trusted one", s.FullName())
	}
}

func TestIndexDoesNotDependOnTheOrderOfTheWalk(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Skill {
			return installed(
				rapid.SampledFrom([]string{"a", "b", "C"}).Draw(t, "name"),
				rapid.SampledFrom([]string{TierUser, TierProject, TierPlugin}).Draw(t, "tier"),
				rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "hash"))
		}), 0, 8).Draw(t, "skills")
		shuffled := slices.Clone(list)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		one, two := NewIndex(list), NewIndex(shuffled)
		first, err := one.Digest()
		if err != nil {
			t.Fatal(err)
		}
		if second, _ := two.Digest(); first != second {
			t.Fatalf("two walks, two digests:\n%s", cmp.Diff(one, two))
		}
		data, _ := one.Encode()
		back, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := back.Digest(); again != first {
			t.Fatalf("the decoded index has digest %s, want %s", again, first)
		}
	})
}

func TestLookalikesAreFlagged(t *testing.T) {
	t.Parallel()
	list := []Skill{}
	for _, name := range []string{"tavily", "tаvily", "ｔａｖｉｌｙ", "pdf-tools", "pdf‑tools", "写作助手", "résumé", "отчёт", "сору", "copy"} {
		list = append(list, Skill{Name: name, Usable: true, Trusted: true, Tier: TierUser, Host: "h", Hash: name})
	}
	x := NewIndex(list)
	flagged := map[string]bool{}
	for _, s := range x.Skills {
		if len(s.Flagged) > 0 {
			flagged[s.Name] = true
		}
	}
	want := map[string]bool{"tаvily": true, "ｔａｖｉｌｙ": true, "pdf‑tools": true, "сору": true}
	if diff := cmp.Diff(want, flagged); diff != "" {
		t.Errorf("flagged (-want +got):\n%s", diff)
	}
}

func TestEncodeIsPlainJSON(t *testing.T) {
	t.Parallel()
	for _, x := range []Index{{}, {Skills: []Skill{}}, NewIndex([]Skill{{Name: "b", Usable: true}, {Name: "a<&>", Description: "写"}})} {
		plain := x
		if plain.Skills == nil {
			plain.Skills = []Skill{}
		}
		want, err := json.Marshal(plain)
		if err != nil {
			t.Fatal(err)
		}
		got, err := x.Encode()
		if err != nil || string(got) != string(want) {
			t.Errorf("encoded %s, %v; want %s", got, err, want)
		}
		digest, err := x.Digest()
		if sum := sha256.Sum256(got); err != nil || digest != hex.EncodeToString(sum[:]) {
			t.Errorf("digest %s, %v; want that of the bytes", digest, err)
		}
	}
}
