package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/cfnresource/sdk-go/response"
)

// allowed reports, by an error, whether answers may go to a URL.
type allowed func(response.URL) error

// onlyLoopback allows this machine: a sender takes no other host for http.
func onlyLoopback(to response.URL) error {
	return response.NewSender("", "http://"+to.Host()).Check(to)
}

// once sends an answer once, and to nowhere else: a scenario says how often it is sent.
var once = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// answer sends an answer, if the ResponseURL is one that answers may go to. The URL is signed:
// it is in no error.
func (e *event) answer(ctx context.Context, body []byte) error {
	to, err := response.ParseURL(e.ResponseURL)
	if err != nil || e.to(to) != nil { // whose text has the host
		return errors.New("the ResponseURL of a request is none of CloudFormation's: no answer was sent to it")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, e.ResponseURL, bytes.NewReader(body))
	if err != nil {
		return errors.New("the ResponseURL of a request cannot be used")
	}
	resp, err := once.Do(r)
	if err != nil {
		return errors.New("an answer was not taken")
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("an answer was refused: %s", resp.Status)
	}
	return nil
}
