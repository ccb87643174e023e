package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills/acquire"
)

func (a *app) acquireTrust() *cobra.Command {
	return a.group("trust", "the table of trust: from where skills may come, and what each version must be", `
baton acquire trust add tavily --repo owner/tavily-skill --version v1.2.0 --sha256 9f86d081884c7d65…
baton acquire trust list`,
		a.trustAdd(), a.trustList(), a.trustRemove())
}

// trustFlags are what `trust add` takes.
type trustFlags struct {
	entry           acquire.Entry
	version, digest string
	minisign, key   string
	issuer, subject string
	root            string
}

func (a *app) trustAdd() *cobra.Command {
	var t trustFlags
	return a.verb(verb{
		use: "add S [--repo R|--url U|--dir D] [--version V --sha256 H]", short: "trust a source of a skill, and pin a version of it", args: between(0, "S"),
		example: `
baton acquire trust add tavily --repo owner/tavily-skill --version v1.2.0 --sha256 9f86d081884c7d65…
baton acquire trust add poster --url "https://skills.example/{slug}-{version}.zip" --minisign RWQ…`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&t.entry.Slug, "slug", "", a.say("the skill's `NAME`"))
			f.StringVar(&t.entry.Repo, "repo", "", a.say("`OWNER/NAME` on GitHub, whose releases have the package"))
			f.StringVar(&t.entry.URL, "url", "", a.say("address of the package; {slug} and {version} are filled in"))
			f.StringVar(&t.entry.Dir, "dir", "", a.say("`FOLDER` of this machine that has the package"))
			f.StringVar(&t.entry.Source, "source", "", a.say("the kind of source, `dir|github|https` (default: by what is named)"))
			f.StringVar(&t.entry.Asset, "asset", "", a.say("`NAME` of the package; {slug} and {version} are filled in"))
			f.StringVar(&t.entry.Description, "description", "", a.say("what the skill is for, to find it by"))
			f.StringVar(&t.version, "version", "", a.say("the `VERSION` that is pinned"))
			f.StringVar(&t.digest, "sha256", "", a.say("the SHA-256 of its package, in `HEX`; from its author, not from where it is downloaded"))
			f.StringVar(&t.minisign, "minisign", "", a.say("the minisign `KEY` that must have signed it"))
			f.StringVar(&t.minisign, "identity", "", a.say("the same as --minisign"))
			f.StringVar(&t.key, "attestation-key", "", a.say("`FILE` with the public key (PEM) that must have signed its attestation"))
			f.StringVar(&t.issuer, "sigstore-issuer", "", a.say("who vouches for the signer, for a signature without a key (needs cosign)"))
			f.StringVar(&t.subject, "sigstore-subject", "", a.say("the signer, for a signature without a key"))
			f.StringVar(&t.root, "sigstore-root", "", a.say("`FILE` with the roots to check it against, without the network"))
		},
		run: func(_ context.Context, args []string) error {
			if len(args) > 0 {
				t.entry.Slug = args[0]
			}
			if err := t.complete(); err != nil {
				return err
			}
			home, err := a.homeDir()
			if err != nil {
				return err
			}
			if err := home.Open(); err != nil {
				return err
			}
			e, err := acquire.Add(home.Dir, t.entry)
			if err != nil {
				return err
			}
			return a.answer(e, func(p *page) error { p.trust(e); return nil })
		},
	})
}

// complete makes the entry of what was given.
func (t *trustFlags) complete() error {
	if (t.version == "") != (t.digest == "") {
		return sessions.Refuse(sessions.Usage, "bad_trust", "give --version and --sha256 together", "a pin is a version and its SHA-256")
	}
	if t.version != "" {
		if err := acquire.CheckVersion(t.version); err != nil {
			return err
		}
		digest := strings.ToLower(strings.TrimPrefix(t.digest, "sha256:"))
		if len(digest) != 64 || strings.Trim(digest, "0123456789abcdef") != "" {
			return sessions.Refuse(sessions.Usage, "bad_digest", "give 64 hexadecimal digits, as sha256sum prints them", "--sha256 %q is no SHA-256", t.digest)
		}
		t.entry.Versions = map[string]string{t.version: digest}
	}
	if t.entry.Dir != "" {
		abs, err := filepath.Abs(t.entry.Dir)
		if err != nil {
			return err
		}
		t.entry.Dir = abs
	}
	return t.identity()
}

func (t *trustFlags) identity() error {
	switch {
	case t.minisign != "":
		t.entry.Identity = &acquire.Identity{Minisign: t.minisign}
	case t.key != "":
		text, err := os.ReadFile(t.key)
		if err != nil {
			return sessions.Refuse(sessions.NotFound, "file_not_found", "name a file that is there", "%v", err)
		}
		t.entry.Identity = &acquire.Identity{Attestation: string(text)}
	case t.issuer != "" || t.subject != "":
		t.entry.Identity = &acquire.Identity{Sigstore: &acquire.Sigstore{Issuer: t.issuer, Subject: t.subject, TrustedRoot: t.root}}
	}
	return nil
}

func (a *app) trustList() *cobra.Command {
	return a.verb(verb{
		use: "list", short: "list what is trusted, with the fingerprints", example: `baton acquire trust list --json`,
		run: func(context.Context, []string) error {
			home, err := a.homeDir()
			if err != nil {
				return err
			}
			t, err := acquire.LoadTrust(home.Dir)
			if err != nil {
				return err
			}
			return a.answer(t, func(p *page) error {
				for _, e := range t.Entries {
					p.trust(e)
				}
				return nil
			})
		},
	})
}

func (a *app) trustRemove() *cobra.Command {
	var version string
	return a.verb(verb{
		use: "remove S [--version V]", short: "trust a skill, or one version of it, no longer", args: exactly("S"), example: `baton acquire trust remove tavily --version v1.2.0`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&version, "version", "", a.say("only this `VERSION`"))
		},
		run: func(_ context.Context, args []string) error {
			home, err := a.homeDir()
			if err != nil {
				return err
			}
			e, err := acquire.Remove(home.Dir, args[0], version)
			if err != nil {
				return err
			}
			return a.answer(e, func(p *page) error {
				p.line("%s is trusted no longer", strings.TrimSpace(args[0]+" "+version))
				return nil
			})
		},
	})
}

func (p *page) trust(e acquire.Entry) {
	place := e.Repo + e.URL + e.Dir
	if e.Builtin {
		place += p.app.say(" (built in)")
	}
	p.line("%s  %s  %s", styled(pad(e.Slug, 20)), styled(pad(e.Source, 6)), place)
	if e.Asset != "" {
		p.line("  asset  %s", e.Asset)
	}
	for _, v := range slices.Sorted(maps.Keys(e.Versions)) {
		p.line("  %s  sha256 %s", v, e.Versions[v])
	}
	if len(e.Versions) == 0 {
		p.line("  no version is pinned, so none can be installed")
	}
	if who := e.Identity.String(); who != "" {
		p.line("  must be signed by %s", who)
	}
}
