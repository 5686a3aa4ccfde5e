package registry_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/registry"
)

// told are the secrets that a handler can tell, by where it has them from.
var told = map[string]string{
	"property":               `hush "a" +/=é1`,
	"former property":        `hush "b" +/=é2`,
	"attribute":              `hush "c" +/=é3`,
	"caller's key":           `hush/d+4`,
	"caller's session token": `hush/e+5==`,
	"provider's key":         `hush/f+6`,
	"configuration":          `hush "g" +/=é7`,
}

// forms are those in which errors quote.
var forms = map[string]func(string) string{
	"as it is": func(s string) string { return s },
	"quoted":   func(s string) string { return fmt.Sprintf("%q", s) },
	"JSON":     inJSON,
	"base64":   func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"hex":      func(s string) string { return hex.EncodeToString([]byte(s)) },
	"query":    url.QueryEscape,
}

func inJSON(v string) string {
	raw, _ := json.Marshal(v) // a string: it cannot fail
	return string(raw)
}

type vaultData struct {
	Key string `cfn:"secret"`
}

type vaultSettings struct {
	Key string `cfn:"secret"`
}

// A vault tells all secrets in a form, in the method that is to, and ends it in one way.
type vault struct {
	method, end, form string
}

func (v vault) tell(ctx context.Context, method string) error {
	if _, err := registry.Configuration[vaultSettings](ctx); err != nil || method != v.method {
		return err
	}
	var words []string
	for _, secret := range told {
		words = append(words, forms[v.form](secret))
	}
	text := "it says " + strings.Join(words, ", ")
	log := registry.Logger(ctx).With("words", text)
	log.Info(text, "group", slog.GroupValue(slog.Any("error", errors.New(text)), slog.Any("list", words)))
	switch v.end {
	case "panic":
		panic(text)
	case "exit":
		runtime.Goexit()
	case "timeout":
		<-ctx.Done()
		<-time.After(10 * time.Second)
	}
	return errors.New(text)
}

func (v vault) Create(ctx context.Context, _ *cfnresource.CreateRequest[doorProps]) (vaultData, error) {
	return vaultData{told["attribute"]}, v.tell(ctx, "CREATE")
}

func (v vault) Update(ctx context.Context, _ *cfnresource.UpdateRequest[doorProps]) (vaultData, error) {
	return vaultData{told["attribute"]}, v.tell(ctx, "UPDATE")
}

func (v vault) Delete(ctx context.Context, _ *cfnresource.DeleteRequest[doorProps]) error {
	return v.tell(ctx, "DELETE")
}

func (v vault) Read(ctx context.Context, req *registry.ReadRequest) (m registry.Model[doorProps, vaultData], err error) {
	m.Properties.Name, m.Data.Key = "a", told["attribute"]
	if req.PhysicalID != "door-1" {
		return m, cfnresource.Errorf(cfnresource.CodeNotFound, "there is no such door")
	}
	return m, v.tell(ctx, "READ")
}

func (v vault) List(ctx context.Context, _ *registry.ListRequest) ([]string, string, error) {
	return nil, "", v.tell(ctx, "LIST")
}

// What a handler makes of a secret, and however it ends, is in no answer, in no record of
// the SDK's, and in none of its own that go through Logger.
func TestSecretsAreInNoAnswerAndNoRecord(t *testing.T) {
	for _, action := range []string{"CREATE", "UPDATE", "DELETE", "READ", "LIST"} {
		for _, end := range []string{"error", "panic", "exit", "timeout"} {
			for form := range forms {
				t.Run(action+" "+end+" "+form, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						var own, group bytes.Buffer
						former := slog.Default()
						slog.SetDefault(slog.New(slog.NewJSONHandler(&own, nil)))
						defer slog.SetDefault(former)
						logger := func(o *registry.Options) { o.Logger = slog.New(slog.NewTextHandler(&group, nil)) }
						for _, option := range []func(*registry.Options){nil, logger} {
							d := registry.New(typeName, vault{action, end, form}, option)
							a := invoke(t, d, vaultEvent(action))
							told := a.Message + own.String() + group.String()
							for kind, secret := range leaksIn(told) {
								t.Errorf("the %s is told as %q:\n%s", kind, secret, told)
							}
							if a.Status == "SUCCESS" || !strings.Contains(own.String()+group.String(), "it says") {
								t.Errorf("nothing is told: %+v\n%s", a, told)
							}
						}
						<-time.After(time.Minute) // what was given up ends
					})
				})
			}
		}
	}
}

// leaksIn returns the secrets that stand in a text, in whatever form, by their kinds.
// The attribute of a method that has not returned is nobody's yet.
func leaksIn(text string) map[string]string {
	found := map[string]string{}
	for kind, secret := range told {
		for _, form := range forms {
			if kind != "attribute" && strings.Contains(text, form(secret)) {
				found[kind] = form(secret)
			}
		}
	}
	return found
}

func vaultEvent(action string) []byte {
	props := func(pin string) string { return `{"Name":"a","Pin":` + inJSON(pin) + `,"PhysicalResourceId":"door-1"}` }
	e := event{action: action, properties: props(told["property"]), previous: props(told["former property"]),
		more: `,"callerCredentials":{"accessKeyId":"AKIA","secretAccessKey":` + inJSON(told["caller's key"]) + `,"sessionToken":` + inJSON(told["caller's session token"]) + `}` +
			`,"providerCredentials":{"accessKeyId":"AKIA","secretAccessKey":` + inJSON(told["provider's key"]) + `},"typeConfiguration":{"Key":` + inJSON(told["configuration"]) + `}`}
	if action == "CREATE" {
		e.properties = strings.Replace(e.properties, `,"PhysicalResourceId":"door-1"`, "", 1)
	}
	return e.json()
}

// Nor are they in the provider's log group, which a message names: the function's own
// log is CloudFormation's.
func TestSecretsAreNotInTheLogGroup(t *testing.T) {
	group := &logGroup{}
	server := httptest.NewServer(group)
	defer server.Close()
	t.Setenv("AWS_ENDPOINT_URL_CLOUDWATCH_LOGS", server.URL)
	t.Setenv("AWS_REGION", "eu-west-1")
	payload := strings.Replace(string(vaultEvent("UPDATE")), `"accessKeyId":"AKIA","secretAccessKey":`+inJSON(told["provider's key"]), `"accessKeyId":"AKIAPROVIDER","secretAccessKey":`+inJSON(told["provider's key"]), 1)
	payload = strings.Replace(payload, `"logicalResourceId"`, `"providerLogGroupName":"doors","logicalResourceId"`, 1)
	for form := range forms {
		a := invoke(t, registry.New(typeName, vault{"UPDATE", "panic", form}), []byte(payload))
		if leaks := leaksIn(a.Message + group.text); len(leaks) > 0 || !strings.Contains(group.text, "it says") {
			t.Errorf("%s: the log group holds %q:\n%s", form, leaks, group.text)
		}
		if !strings.Contains(a.Message, "log group doors, stream Example-Shelf-Thing/") {
			t.Errorf("the message does not lead to the records: %s", a.Message)
		}
	}
}
