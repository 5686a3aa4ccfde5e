package physicalid_test

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/physicalid"
)

func TestStackName(t *testing.T) {
	for in, want := range map[string]string{
		stackID:                      "Shop-Prod",
		"arn:aws-cn:…:stack/S/1":     "S",
		"Shop-Prod":                  "",
		"":                           "",
		"arn:aws:…:stack/no-uuid":    "no-uuid",
		"arn:aws:…:changeset/Shop/1": "",
	} {
		if got := physicalid.StackName(in); got != want {
			t.Errorf("StackName(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestGenerated(t *testing.T) {
	tests := []struct {
		name, id, logicalID string
		want                bool
	}{
		{"as recorded: 13 upper-case characters", "Shop-Prod-Topic-1CSUXRDAWQ7WW", "Topic", true},
		{"as recorded: 12", "Shop-Prod-Topic-O95385LWRHB6", "Topic", true},
		{"newer: 12 of mixed case", "Shop-Prod-Topic-xvqPt7CmcHKX", "Topic", true},
		{"a long stack name is cut", "Shop-Pr-Topic-O95385LWRHB6", "Topic", true},
		{"a long logical ID is cut", "Shop-Prod-Top-O95385LWRHB6", "Topic", true},
		{"another stack's", "Mall-Prod-Topic-O95385LWRHB6", "Topic", false},
		{"another resource's", "Shop-Prod-Queue-O95385LWRHB6", "Topic", false},
		{"11 characters", "Shop-Prod-Topic-O95385LWRHB", "Topic", false},
		{"14 characters", "Shop-Prod-Topic-O95385LWRHB612", "Topic", false},
		{"a hyphen among them", "Shop-Prod-Topic-O95385-WRHB6", "Topic", false},
		{"no stack name", "-Topic-O95385LWRHB6", "Topic", false},
		{"no logical ID", "Shop-Prod--O95385LWRHB6", "Topic", false},
		{"no hyphen", "O95385LWRHB6", "Topic", false},
		{"the marker", physicalid.NotCreated, "Topic", false},
		{"empty", "", "Topic", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := physicalid.Generated(tt.id, stackID, tt.logicalID); got != tt.want {
				t.Errorf("Generated(%q) = %v, want %v", tt.id, got, tt.want)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name, id, want string // want is a part of the error
	}{
		{"an ARN", "arn:aws:sns:us-west-2:123456789012:topic", ""},
		{"1 KB", strings.Repeat("x", 1024), ""},
		{"more", strings.Repeat("x", 1025), "1025 bytes"},
		{"bytes count, not characters", strings.Repeat("é", 513), "1026 bytes"},
		{"empty", "", "empty"},
		{"blank", " \t", "empty"},
		{"a newline that a program printed", "vol-1\n", "control character"},
		{"a colour that a program printed", "\x1b[1mvol-1", "control character"},
		{"not UTF-8", "vol-\xff", "UTF-8"},
		{"the marker", physicalid.NotCreated, "marker"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := physicalid.Validate(tt.id)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Validate = %v, want one that says %q", err, tt.want)
			}
			if id := strings.TrimSpace(tt.id); err != nil && id != "" && strings.Contains(err.Error(), id) {
				t.Errorf("Validate = %v, which repeats the ID", err)
			}
		})
	}
}
