package play_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
)

// revealsSecret reveals a secret in its log and in its error.
type revealsSecret struct{ note }

func (h revealsSecret) Update(context.Context, *cfnresource.UpdateRequest[noteProps]) (data struct{}, err error) {
	slog.Info("refused", "by", "open-sesame")
	return data, errors.New("open-sesame refuses it")
}

func TestAStoryIsNotToldWithASecretInIt(t *testing.T) {
	c := adapted(func(n note) revealsSecret { return revealsSecret{n} })
	c.Secrets, c.Skip = []string{"open-sesame"}, nil
	got := textOf(play.RunChecks(t, c), "secrets-stay-out-of-log")
	if !strings.Contains(got, "holds a secret") || strings.Contains(got, "sesame") {
		t.Errorf("secrets-stay-out-of-log says %q", got)
	}
}

// logsCreate logs the heading of its note.
type logsCreate struct{ note }

func (h logsCreate) Create(ctx context.Context, req *cfnresource.CreateRequest[noteProps]) (struct{}, error) {
	slog.DebugContext(ctx, "a note is pinned", "heading", req.Properties.Heading)
	return h.note.Create(ctx, req)
}

func TestSecretsOfTheContractAreLookedFor(t *testing.T) {
	const secret = `who "reads" this`
	c := adapted(func(n note) logsCreate { return logsCreate{n} })
	c.Properties = map[string]any{"Heading": secret, "Lines": 2}
	c.InPlace = map[string]any{"Heading": secret, "Lines": 3}
	c.Secrets = []string{secret}
	c.Skip = nil
	results := play.RunChecks(t, c)
	if diff := cmp.Diff([]string{"secrets-stay-out-of-log"}, outcomes(results, "failed")); diff != "" {
		t.Errorf("failing checks (-want +got):\n%s", diff)
	}
	if text := textOf(results, "secrets-stay-out-of-log"); !strings.Contains(text, "the log holds a secret") || strings.Contains(text, "reads") {
		t.Errorf("the check says %q", text)
	}
}
