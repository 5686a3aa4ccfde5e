package bucket

import (
	"crypto/rand"
	"encoding/xml"
	"net/http"
	"strings"
)

// An s3Error is a refusal as S3 words it (Amazon S3 API Reference, "Error Responses").
type s3Error struct {
	status        int
	code, message string
	more          [][2]string // further elements of the document
}

func refusal(status int, code, message string) *s3Error {
	return &s3Error{status: status, code: code, message: message}
}

func (e *s3Error) with(name, value string) *s3Error {
	e.more = append(e.more, [2]string{name, value})
	return e
}

func (e *s3Error) document(requestID, hostID string) string {
	var b strings.Builder
	b.WriteString(xml.Header + "<Error>")
	for _, element := range append([][2]string{{"Code", e.code}, {"Message", e.message}}, append(e.more, [][2]string{{"RequestId", requestID}, {"HostId", hostID}}...)...) {
		b.WriteString("<" + element[0] + ">")
		_ = xml.EscapeText(&b, []byte(element[1])) // a Builder takes everything
		b.WriteString("</" + element[0] + ">")
	}
	b.WriteString("</Error>")
	return b.String()
}

// identify sets the headers that every answer of S3 has.
func identify(header http.Header) (requestID, hostID string) {
	requestID, hostID = rand.Text()[:16], rand.Text()+rand.Text()
	header.Set("Server", "AmazonS3")
	header.Set("X-Amz-Request-Id", requestID)
	header.Set("X-Amz-Id-2", hostID)
	return requestID, hostID
}
