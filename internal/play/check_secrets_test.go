package play_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
)

// revealsSecret reveals a secret in its log and in its error.
type revealsSecret struct{ named }

func (h revealsSecret) Update(context.Context, *updating) (data boxData, err error) {
	slog.Info("refused", "by", "open-sesame")
	return data, errors.New("open-sesame refuses it")
}

func TestAStoryIsNotToldWithASecretInIt(t *testing.T) {
	c := adapted(func(h named) revealsSecret { return revealsSecret{h} })
	c.Secrets, c.Skip = []string{"open-sesame"}, nil
	if got, _ := play.RunCheck(t, c, "secrets-stay-out-of-log"); !strings.Contains(got, "holds a secret") || strings.Contains(got, "sesame") {
		t.Errorf("secrets-stay-out-of-log says %q", got)
	}
}

// logsCreate logs the room of its box.
type logsCreate struct{ named }

func (h logsCreate) Create(ctx context.Context, req *creation) (boxData, error) {
	slog.DebugContext(ctx, "a box is built", "room", req.Properties.Room)
	return h.named.Create(ctx, req)
}

func TestSecretsOfTheContractAreLookedFor(t *testing.T) {
	const secret = `who "reads" this`
	c := adapted(func(h named) logsCreate { return logsCreate{h} })
	c.Properties = map[string]any{"Room": secret, "Size": 2}
	c.InPlace = map[string]any{"Room": secret, "Size": 3}
	c.Secrets = []string{secret}
	c.Skip = nil
	if text, _ := play.RunCheck(t, c, "secrets-stay-out-of-log"); !strings.Contains(text, "the log holds a secret") || strings.Contains(text, "reads") {
		t.Errorf("the check says %q", text)
	}
}
