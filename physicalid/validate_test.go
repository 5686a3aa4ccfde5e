package physicalid_test

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/physicalid"
)

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
