package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	runtime "github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

// beFunction is the function that the tests run: an event says what it is to do.
func beFunction() {
	if len(os.Args) > 1 && os.Args[1] == "child" {
		atGate("child")
		return
	}
	switch os.Getenv("INIT") {
	case "exit":
		fmt.Fprintln(os.Stderr, "cannot start")
		os.Exit(3)
	case "end":
		return
	case "gate":
		atGate("init")
	}
	runtime.Start(handle)
}

func handle(ctx context.Context, raw json.RawMessage) (any, error) {
	var event struct {
		Do, Arg string
		Records []struct {
			Sns struct{ Subject, Message string }
		}
	}
	_ = json.Unmarshal(raw, &event)
	about, _ := lambdacontext.FromContext(ctx)
	fmt.Printf("got %s %s\n", about.AwsRequestID, raw)
	// What it is asked to do, or how it is to end.
	switch event.Do {
	case "error":
		return nil, errors.New("it is wrong")
	case "panic":
		panic("no way out")
	case "exit":
		fmt.Println("last words")
		os.Exit(7)
	case "end":
		os.Exit(0)
	case "hang":
		select {}
	case "gate":
		atGate("handler")
	case "children":
		cmd := exec.Command(os.Args[0], "child")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		atGate("handler")
		if event.Arg == "exit" {
			os.Exit(0)
		}
	case "respond-then-exit":
		go func() { // when the response is away
			fmt.Println("waiting for the next")
			atGate("after")
			os.Exit(5)
		}()
	case "large":
		return strings.Repeat("x", 7<<20), nil
	case "write":
		fmt.Fprintln(os.Stderr, "to stderr")
		fmt.Print("without an end, then\r\n\nlong ", strings.Repeat("y", 300<<10), "\nend")
		os.Exit(1)
	case "env":
		return os.Environ(), nil
	case "context":
		deadline, _ := ctx.Deadline()
		return map[string]any{"id": about.AwsRequestID, "arn": about.InvokedFunctionArn, "left": time.Until(deadline).Seconds(), "trace": os.Getenv("_X_AMZN_TRACE_ID")}, nil
	}
	return map[string]string{"done": event.Do}, nil
}

// atGate tells the test that this process is there, and waits until it may go on.
func atGate(who string) {
	conn, err := net.Dial("tcp", os.Getenv("GATE"))
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(conn, "%s %d\n", who, os.Getpid())
	if _, err := bufio.NewReader(conn).ReadByte(); err != nil {
		os.Exit(1) // the test has ended
	}
}
