package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream/file"
)

// activeFile is where the id of a workspace's active session is kept.
func activeFile(home, workspace string) string {
	sum := sha256.Sum256([]byte(workspace))
	return filepath.Join(home, "workspaces", hex.EncodeToString(sum[:])[:16], "session")
}

// workspace is the folder that the user works in: the nearest one upwards that has an active session,
// else the root of the repository, else the current folder.
func (a *app) workspace() (string, error) {
	cwd, home, err := a.here()
	if err != nil {
		return "", err
	}
	if at, ok := upwards(cwd, func(dir string) bool { return exists(activeFile(home, dir)) }); ok {
		return at, nil
	}
	if at, ok := upwards(cwd, isRepository); ok {
		return at, nil
	}
	return cwd, nil
}

// newWorkspace is the folder that a new session belongs to. It is like workspace, but a session of a
// folder around the repository does not claim the repository.
func (a *app) newWorkspace() (string, error) {
	cwd, home, err := a.here()
	if err != nil {
		return "", err
	}
	if at, ok := upwards(cwd, func(dir string) bool { return isRepository(dir) || exists(activeFile(home, dir)) }); ok {
		return at, nil
	}
	return cwd, nil
}

// here is the current folder, links resolved, and the home folder.
func (a *app) here() (cwd, home string, err error) {
	dir, err := a.homeDir()
	if err != nil {
		return "", "", err
	}
	if cwd, err = os.Getwd(); err == nil {
		cwd, err = filepath.EvalSymlinks(cwd)
	}
	if err != nil {
		return "", "", sessions.Refuse(sessions.Failed, "no_folder", "change into a folder that exists", "the current folder cannot be found: %v", err)
	}
	return cwd, dir.Dir, nil
}

func upwards(from string, found func(dir string) bool) (string, bool) {
	for dir := from; ; dir = filepath.Dir(dir) {
		if found(dir) {
			return dir, true
		}
		if dir == filepath.Dir(dir) {
			return "", false
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func isRepository(dir string) bool { return exists(filepath.Join(dir, ".git")) }

// active is the workspace's active session; "" when it has none.
func (a *app) active() (string, error) {
	workspace, err := a.workspace()
	if err != nil {
		return "", err
	}
	home, err := a.homeDir()
	if err != nil {
		return "", err
	}
	raw, err := os.ReadFile(activeFile(home.Dir, workspace))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("active session of %s: %w", workspace, err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// activate makes a session the active one of a workspace; the file is whole or the old one.
func (a *app) activate(workspace, session string) error {
	home, err := a.homeDir()
	if err != nil {
		return err
	}
	path := activeFile(home.Dir, workspace)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return unwritable(home.Dir, err)
	}
	if err := file.Replace(path, []byte(session+"\n"), 0o600); err != nil {
		return unwritable(home.Dir, err)
	}
	return nil
}

func unwritable(home string, err error) error {
	return sessions.Refuse(sessions.Damaged, "home_unwritable", "make it writable, or name another with --home or BATON_HOME",
		"the home folder %s cannot be written: %v", home, err)
}

// chosen is the session that the command is about: the one of --session, that of the step which runs
// it, or the active one of the workspace. "" when there is none of these.
func (a *app) chosen(ctx context.Context, l *link) (string, error) {
	if a.session != "" {
		return a.find(ctx, l, a.session)
	}
	if id := a.Env("BATON_SESSION"); id != "" {
		return id, nil
	}
	return a.active()
}

// current is chosen, where there must be one.
func (a *app) current(ctx context.Context, l *link) (string, error) {
	id, err := a.chosen(ctx, l)
	if err == nil && id == "" {
		workspace, _ := a.workspace()
		return "", sessions.Refuse(sessions.NotFound, "no_session", "begin one with `baton session new --goal …`, or name one with --session",
			"workspace %s has no active session", workspace)
	}
	return id, err
}

// find gives the session of an id, a unique prefix, or @last.
func (a *app) find(ctx context.Context, l *link, id string) (string, error) {
	return operation.FindSession(ctx, l, id)
}
