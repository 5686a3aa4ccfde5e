package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
)

// localTopic is the topic of a local CloudFormation, for which the relay is the command.
const localTopic = "arn:aws:sns:us-east-1:123456789012:cfnprobe"

// relayCommand makes this program the relay: a function, which passes the requests on to
// the probe, at the socket that comes after it.
const relayCommand = "relay"

// relay is the function. It ends once the probe has answered, so that whoever runs it
// knows when nobody will answer.
func relay(socket string) {
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	lambda.Start(func(ctx context.Context, event json.RawMessage) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://probe/", strings.NewReader(string(event)))
		if err != nil {
			return err
		}
		resp, err := client.Do(r)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
}

// listen takes what relays pass on, at a socket in a directory that is nobody else's.
func listen(ctx context.Context, socket string, take func(ctx context.Context, id, text string) error, report func(error)) (*http.Server, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		var e struct {
			Records []struct {
				Sns struct{ MessageId, Message string }
			}
		}
		if err := json.NewDecoder(q.Body).Decode(&e); err != nil {
			report(err)
			return
		}
		for _, one := range e.Records {
			if err := take(ctx, one.Sns.MessageId, one.Sns.Message); err != nil && ctx.Err() == nil {
				report(err)
			}
		}
	})}
	go func() { _ = server.Serve(listener) }() // until it is closed
	return server, nil
}

// A local is a cfnlocal serve --deploy that this program started.
type local struct {
	command *exec.Cmd
	log     *strings.Builder
	ended   chan error
}

// startLocal starts a program of cfnlocal in the world's directory. It passes requests on to the socket.
func startLocal(ctx context.Context, program string, w *world, socket string) (*local, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	program, err = filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	command := "'" + self + "' " + relayCommand + " '" + socket + "'"
	args := []string{"--json", "--dir", filepath.Join(w.dir, "stacks"), "serve", "--deploy", "--function", w.topic + "=" + command, "--function", w.topic + otherTopic + "=" + command}
	l := &local{command: exec.CommandContext(context.WithoutCancel(ctx), program, args...), log: new(strings.Builder), ended: make(chan error, 1)}
	l.command.Dir, l.command.Stderr = w.dir, l.log
	out, err := l.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := l.command.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	var at struct{ Endpoint, AccessKeyID, SecretAccessKey string }
	for at.Endpoint == "" && lines.Scan() {
		_ = json.Unmarshal(lines.Bytes(), &at) // other lines say other things
	}
	// A pipe that nobody reads would stop the program.
	go func() {
		for lines.Scan() { // what it says besides
		}
		l.ended <- l.command.Wait()
	}()
	if at.Endpoint == "" {
		_ = l.command.Process.Kill() // it has ended, or says what nobody understands
		why := <-l.ended
		return nil, errors.Join(fmt.Errorf("%s did not serve: %s", program, l.log), why)
	}
	w.client = cloudformation.New(cloudformation.Options{Region: "us-east-1", BaseEndpoint: &at.Endpoint,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: at.AccessKeyID, SecretAccessKey: at.SecretAccessKey}, nil
		})}, w.counted)
	return l, nil
}

// stop ends it as Ctrl-C does.
func (l *local) stop() error {
	if err := l.command.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	select {
	case err := <-l.ended:
		return err
	case <-time.After(30 * time.Second):
		return errors.Join(errors.New("cfnlocal did not end"), l.command.Process.Kill())
	}
}
