package bucket

import (
	"bytes"
	"errors"
	"net/http"
	"testing"

	"github.com/cfnresource/sdk-go/response"
)

// The sender that functions answer with is accepted, with the bucket's origin on its list; it tries
// again what S3 asks to try again, and not what S3 refuses.
func TestSender(t *testing.T) {
	for _, test := range []struct {
		name   string
		faults []Fault
		stored int
		status int // of the error
	}{
		{name: "no fault", stored: 1},
		{name: "errors that pass", faults: []Fault{InternalError, SlowDown, Reset}, stored: 1},
		{name: "a lost acknowledgement", faults: []Fault{LostAcknowledgement}, stored: 2},
		{name: "an expired URL", faults: []Fault{Expired}, status: http.StatusForbidden},
	} {
		t.Run(test.name, func(t *testing.T) {
			// The SDK's own sender sends an answer.
			f := start(t, Config{})
			url := f.Sign(thing)
			f.Inject(thing, test.faults...)
			to, err := response.ParseURL(url)
			if err != nil {
				t.Fatal(err)
			}
			sender := response.NewSender("", f.Origin())
			defer sender.CloseIdleConnections()
			body := []byte(`{"Status":"SUCCESS","Reason":"ä"}`)
			err = sender.Send(t.Context(), to, body)
			// It arrived, or the error says why not.
			status := (*response.StatusError)(nil)
			switch {
			case test.status == 0 && err != nil:
				t.Fatalf("Send: %v", err)
			case test.status != 0 && (!errors.As(err, &status) || status.StatusCode != test.status || status.Code != "AccessDenied"):
				t.Errorf("Send: %v, want %d", err, test.status)
			}
			bodies := f.Bodies(thing)
			if len(bodies) != test.stored {
				t.Fatalf("%d bodies were stored, want %d", len(bodies), test.stored)
			}
			for _, got := range bodies {
				if !bytes.Equal(got, body) {
					t.Errorf("stored is %s", got)
				}
			}
		})
	}
}
