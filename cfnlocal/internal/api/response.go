package query

import (
	"bytes"
	"encoding/xml"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

const namespace = "http://cloudformation.amazonaws.com/doc/2010-05-15/"

// A response is the document of an answer: <ACTION>Response.
type response struct {
	XMLName   xml.Name
	Result    result
	RequestID string `xml:"ResponseMetadata>RequestId"`
}

// A result is the element <ACTION>Result.
type result struct {
	name    string
	content any
}

// MarshalXML writes the content under the result's name.
func (r result) MarshalXML(e *xml.Encoder, _ xml.StartElement) error {
	return e.EncodeElement(r.content, xml.StartElement{Name: xml.Name{Local: r.name}})
}

// An errorResponse is the document of a refusal [V].
type errorResponse struct {
	XMLName   xml.Name
	Error     errorDetail
	RequestID string `xml:"RequestId"`
}

type errorDetail struct{ Type, Code, Message string }

// members are a list, each in an element of that name.
type members[T any] struct {
	Members []T `xml:"member"`
}

// A timestamp is a time as the API writes it; the zero time is left out.
type timestamp time.Time

// MarshalXML writes the time in UTC, with milliseconds.
func (t timestamp) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	if time.Time(t).IsZero() {
		return nil
	}
	return e.EncodeElement(time.Time(t).UTC().Format("2006-01-02T15:04:05.000Z"), start)
}

// respond writes an answer, or a refusal if there is an error.
func respond(w http.ResponseWriter, action string, content any, err error) {
	id := uuid.NewString()
	status := http.StatusOK
	var document any = response{xml.Name{Space: namespace, Local: action + "Response"}, result{action + "Result", content}, id}
	if err != nil {
		status, document = refusal(err, id)
	}
	var body bytes.Buffer
	if err := xml.NewEncoder(&body).Encode(document); err != nil {
		body.Reset()
		status, document = refusal(internal(err, nil), id)
		_ = xml.NewEncoder(&body).Encode(document) // three strings always can be
	}
	text := printable.XML(body.Bytes())
	h := w.Header()
	h.Set("Content-Type", "text/xml")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	h.Set("X-Amzn-Requestid", id)
	w.WriteHeader(status)
	_, _ = w.Write(text) // whoever asked may be gone
}

func refusal(err error, id string) (status int, document any) {
	e, ok := errors.AsType[*apiError](err)
	refused, of := errors.AsType[*RefusalError](err)
	if v, is := errors.AsType[*engine.ValidationError](err); is {
		refused, of = &RefusalError{"ValidationError", v.Message}, true
		if errors.Is(v, engine.ErrAlreadyExists) {
			refused.Code = "AlreadyExistsException"
		}
	}
	if of {
		e, ok = &apiError{http.StatusBadRequest, refused.Code, refused.Message}, true
	}
	if !ok {
		return refusal(internal(err, nil), id)
	}
	whose := "Sender"
	if e.status >= http.StatusInternalServerError {
		whose = "Receiver"
	}
	return e.status, errorResponse{xml.Name{Space: namespace, Local: "ErrorResponse"}, errorDetail{whose, e.code, e.message}, id}
}
