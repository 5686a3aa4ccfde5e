package cfntest_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/response"
)

func decode(t *testing.T, event []byte) map[string]any {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(event, &fields); err != nil {
		t.Fatalf("the event is not JSON: %v", err)
	}
	return fields
}

const function = "arn:aws:lambda:us-west-2:123456789012:function:my-function"

// CloudFormation sends every scalar as a string, at any depth, and no nulls.
func TestPropertiesAreSentAsStrings(t *testing.T) {
	type rule struct {
		Port int
		Open bool
	}
	props := struct {
		Topic   string
		Active  bool
		Days    int
		Ratio   float64
		Rules   []rule
		Labels  map[string]int
		Big     json.Number
		Empty   []string
		Left    *int `json:",omitempty"`
		Nothing *int
	}{
		Topic: "a<b&c", Active: true, Days: 14, Ratio: 1.5,
		Rules:  []rule{{Port: 443, Open: true}, {}},
		Labels: map[string]int{"a": 1},
		Big:    "12345678901234567890",
		Empty:  []string{},
	}
	got := decode(t, cfntest.CreateEvent(props))["ResourceProperties"]
	want := map[string]any{
		"ServiceToken": function,
		"Topic":        "a<b&c",
		"Active":       "true",
		"Days":         "14",
		"Ratio":        "1.5",
		"Rules": []any{
			map[string]any{"Port": "443", "Open": "true"},
			map[string]any{"Port": "0", "Open": "false"},
		},
		"Labels": map[string]any{"a": "1"},
		"Big":    "12345678901234567890",
		"Empty":  []any{},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ResourceProperties (-want +got):\n%s", diff)
	}
}

type base struct{ Grace time.Duration }

// A bare number is not a duration. The decoder of properties refuses it too.
func TestDurationsAreSentAsATemplateWritesThem(t *testing.T) {
	wait := 90 * time.Second
	type rule struct {
		Every time.Duration `json:"every"`
	}
	props := struct {
		base
		Wait   time.Duration
		Again  *time.Duration
		None   *time.Duration
		Rules  []rule
		Named  map[string]time.Duration
		Nested any
		At     time.Time
		Days   int
	}{
		base: base{Grace: time.Minute}, Wait: 30 * time.Second, Again: &wait,
		Rules:  []rule{{Every: time.Hour}},
		Named:  map[string]time.Duration{"a": time.Millisecond},
		Nested: []any{time.Second, 5},
		At:     time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Days:   14,
	}
	got := decode(t, cfntest.CreateEvent(&props))["ResourceProperties"]
	want := map[string]any{
		"ServiceToken": function,
		"Grace":        "1m0s",
		"Wait":         "30s",
		"Again":        "1m30s",
		"Rules":        []any{map[string]any{"every": "1h0m0s"}},
		"Named":        map[string]any{"a": "1ms"},
		"Nested":       []any{"1s", "5"},
		"At":           "2026-01-02T03:04:05Z",
		"Days":         "14",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ResourceProperties (-want +got):\n%s", diff)
	}
}

func TestFieldsOfEachRequestType(t *testing.T) {
	props := map[string]any{"Days": 2}
	old := map[string]any{"Days": 1}
	common := []string{"RequestType", "ServiceToken", "ResponseURL", "StackId", "RequestId", "LogicalResourceId"}
	for _, tc := range []struct {
		name  string
		event []byte
		want  []string
	}{
		{"a Create has no physical ID", cfntest.CreateEvent(props), append(common[:6:6], "ResourceType", "ResourceProperties")},
		{"an Update has an ID and old properties", cfntest.UpdateEvent("id-1", props, old),
			append(common[:6:6], "PhysicalResourceId", "ResourceType", "ResourceProperties", "OldResourceProperties")},
		{"a Delete has an ID and no old properties", cfntest.DeleteEvent("id-1", props),
			append(common[:6:6], "PhysicalResourceId", "ResourceType", "ResourceProperties")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, keys(t, tc.event)); diff != "" {
				t.Errorf("fields, in the order of real events (-want +got):\n%s", diff)
			}
		})
	}

	update := decode(t, cfntest.UpdateEvent("id-1", props, old))
	if diff := cmp.Diff(map[string]any{"ServiceToken": function, "Days": "1"}, update["OldResourceProperties"]); diff != "" {
		t.Errorf("OldResourceProperties (-want +got):\n%s", diff)
	}
	if update["PhysicalResourceId"] != "id-1" {
		t.Errorf("PhysicalResourceId is %v, want id-1", update["PhysicalResourceId"])
	}
}

// keys returns the names of an object's fields in the order in which they come.
func keys(t *testing.T, object []byte) (names []string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(object)))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name.(string))
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

func TestEventsDifferInTheirRequestOnly(t *testing.T) {
	first, second := decode(t, cfntest.CreateEvent(nil)), decode(t, cfntest.CreateEvent(nil))
	if first["RequestId"] == second["RequestId"] {
		t.Error("two events have one RequestId: they would be deliveries of the same request")
	}
	for _, name := range []string{"StackId", "LogicalResourceId", "ResourceType"} {
		if first[name] != second[name] {
			t.Errorf("%s differs: %v, %v", name, first[name], second[name])
		}
	}
}

func TestOptionsChangeEveryField(t *testing.T) {
	got := decode(t, cfntest.CreateEvent(nil, func(e *cfntest.Event) {
		e.RequestType = "Update"
		e.ServiceToken = "arn:aws:sns:eu-central-1:210987654321:topic"
		e.StackID = "arn:aws:cloudformation:eu-central-1:210987654321:stack/other/0a1b"
		e.RequestID = "request-1"
		e.LogicalID = "Second"
		e.ResourceType = "Custom::Other"
		e.PhysicalID = "id-2"
		e.Properties = map[string]any{"A": 1}
		e.OldProperties = map[string]any{"A": 0}
		e.ServiceTimeout = 30
		e.ResponseURL = "https://example.com/answer"
	}))
	want := map[string]any{
		"RequestType":        "Update",
		"ServiceToken":       "arn:aws:sns:eu-central-1:210987654321:topic",
		"ServiceTimeout":     "30",
		"ResponseURL":        "https://example.com/answer",
		"StackId":            "arn:aws:cloudformation:eu-central-1:210987654321:stack/other/0a1b",
		"RequestId":          "request-1",
		"LogicalResourceId":  "Second",
		"PhysicalResourceId": "id-2",
		"ResourceType":       "Custom::Other",
		"ResourceProperties": map[string]any{
			"ServiceToken": "arn:aws:sns:eu-central-1:210987654321:topic", "ServiceTimeout": "30", "A": "1",
		},
		"OldResourceProperties": map[string]any{
			"ServiceToken": "arn:aws:sns:eu-central-1:210987654321:topic", "ServiceTimeout": "30", "A": "0",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The URL is one that S3 would sign: no rebuilding of its path may be
// necessary, and its date is the event's.
func TestURLHasTheFormOfSignedURLs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which begins at midnight UTC 2000-01-01
		event := cfntest.CreateEvent(nil, func(e *cfntest.Event) { e.RequestID = "5a7d9dda-94e2-4d20-ad9b-eb66d61746fa" })
		got, _ := decode(t, event)["ResponseURL"].(string)
		want := "https://cloudformation-custom-resource-response-uswest2.s3-us-west-2.amazonaws.com/" +
			"arn%3Aaws%3Acloudformation%3Aus-west-2%3A123456789012%3Astack/my-stack/8f3c1b60-6b52-11f0-9c1d-0a58a9feac02" +
			"%7CMyResource%7C5a7d9dda-94e2-4d20-ad9b-eb66d61746fa" +
			"?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20000101T000000Z&X-Amz-SignedHeaders=host&X-Amz-Expires=7200" +
			"&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20000101%2Fus-west-2%2Fs3%2Faws4_request&X-Amz-Signature="
		if !strings.HasPrefix(got, want) || len(got) != len(want)+64 {
			t.Errorf("got  %s\nwant %s and 64 digits", got, want)
		}
		if !strings.Contains(string(event), got) {
			t.Error("the URL is escaped in the event's JSON, as real ones are not")
		}
	})
}

// A function answers a stack of its own Region only. The kit's hosts and the sender's are two tables, since what judges
// shares no code with what it judges: they are of the same partitions, and an event is answered in each.
func TestEveryPartitionIsAnswered(t *testing.T) {
	for partition, region := range map[string]string{
		"aws": "eu-central-1", "aws-cn": "cn-northwest-1", "aws-us-gov": "us-gov-east-1", "aws-eusc": "eusc-de-east-1",
		"aws-iso": "us-iso-west-1", "aws-iso-b": "us-isob-west-1", "aws-iso-e": "eu-isoe-west-1", "aws-iso-f": "us-isof-east-1",
	} {
		t.Run(partition, func(t *testing.T) {
			event := cfntest.CreateEvent(nil, func(e *cfntest.Event) {
				e.StackID = "arn:" + partition + ":cloudformation:" + region + ":123456789012:stack/s/u"
			})
			text, _ := decode(t, event)["ResponseURL"].(string)
			u, err := response.ParseURL(text)
			if err != nil {
				t.Fatal(err)
			}
			if err := response.NewSender(region, response.SenderOptions{}).Check(u); err != nil {
				t.Error(err)
			}
			stack := engine.New("s", engine.Options{Region: region}).Stack()
			if !strings.HasPrefix(stack.ID, "arn:"+partition+":") {
				t.Errorf("the engine has the region in another partition: %s", stack.ID)
			}
		})
	}
}

func TestURLHostIsThatOfTheStacksRegion(t *testing.T) {
	for stack, want := range map[string]string{
		"arn:aws:cloudformation:us-east-1:1:stack/s/u":         "cloudformation-custom-resource-response-useast1.s3.amazonaws.com",
		"arn:aws:cloudformation:eu-west-1:1:stack/s/u":         "cloudformation-custom-resource-response-euwest1.s3-eu-west-1.amazonaws.com",
		"arn:aws:cloudformation:eu-central-1:1:stack/s/u":      "cloudformation-custom-resource-response-eucentral1.s3.eu-central-1.amazonaws.com",
		"arn:aws-cn:cloudformation:cn-north-1:1:stack/s/u":     "cloudformation-custom-resource-response-cnnorth1.s3.cn-north-1.amazonaws.com.cn",
		"arn:aws-us-gov:cloudformation:us-gov-west-1:1:stack/": "cloudformation-custom-resource-response-usgovwest1.s3.us-gov-west-1.amazonaws.com",
		"not an ARN": "cloudformation-custom-resource-response-uswest2.s3-us-west-2.amazonaws.com",
	} {
		event := cfntest.CreateEvent(nil, func(e *cfntest.Event) { e.StackID = stack })
		text, _ := decode(t, event)["ResponseURL"].(string)
		u, err := url.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", stack, err)
		} else if u.Host != want {
			t.Errorf("%s: host %s, want %s", stack, u.Host, want)
		}
	}
}

// Properties that no template can hold are a mistake in the test, and panic.
func TestPropertiesThatNoTemplateHoldsPanic(t *testing.T) {
	for name, props := range map[string]any{
		"a channel":    map[string]any{"C": make(chan int)},
		"not a number": []float64{0},
		"a string":     "Topic: orders",
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "cfntest: ") {
					t.Errorf("recovered %q, want what is wrong with the properties", text)
				}
			}()
			cfntest.CreateEvent(props)
		})
	}
}
