// Package main is the probe: it plays the scenarios of the local CloudFormation's engine
// against a CloudFormation, and says where the two differ, and which of the readings of
// what AWS does not document is true. docs/probe.md says how it is used.
//
// It is the handler of the scenarios' custom resources itself. In an account, their
// ServiceToken is a topic, from which a queue brings the requests. A local CloudFormation
// has the relay for the topic: a function that passes the requests on to the probe.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
)

type flags struct {
	cfnlocal, endpoint, socket, account string
	scenarios, only, record             string
	slow, dry                           bool
	atOnce                              int
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == relayCommand {
		relay(os.Args[2])
		return
	}
	// Ctrl-C ends the plays, not the removal of what they made.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	same, err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
	}
	if err != nil || !same {
		os.Exit(1)
	}
}

// run runs the command, and reports whether nothing differs.
func run(ctx context.Context, args []string) (same bool, err error) {
	cleans := len(args) > 0 && args[0] == "clean"
	if cleans {
		args = args[1:]
	}
	var f flags
	set := flag.NewFlagSet("probe", flag.ContinueOnError)
	set.StringVar(&f.cfnlocal, "cfnlocal", "", "start this `program` of cfnlocal, and play against it")
	set.StringVar(&f.endpoint, "endpoint", "", "play against the cfnlocal serve --deploy at this `URL`, with the key in the environment")
	set.StringVar(&f.socket, "socket", "", "with -endpoint: the `path` of a socket to make, where the probe's relay finds it")
	set.StringVar(&f.account, "account", "", "play in the AWS account with this `ID`, with the credentials that the AWS CLI would take")
	set.StringVar(&f.scenarios, "scenarios", "internal/cfn/engine/testdata/scenarios", "the `directory` of the scenarios")
	set.StringVar(&f.only, "only", "", "play the scenarios whose names contain one of these `texts`, with commas between them")
	set.StringVar(&f.record, "record", "", "write recordings of what was seen to this `directory`")
	set.BoolVar(&f.slow, "slow", false, "with -account: play the scenarios too that take more than ten minutes")
	set.BoolVar(&f.dry, "dry-run", false, "say what would be played, and call nobody")
	set.IntVar(&f.atOnce, "at-once", 0, "play so many scenarios at once (`N`)")
	if err := set.Parse(args); err != nil {
		return false, err
	}
	if n := len(slices.DeleteFunc([]string{f.cfnlocal, f.endpoint, f.account}, func(s string) bool { return s == "" })); n != 1 || set.NArg() > 0 {
		return false, errors.New("give one of -cfnlocal PROGRAM, -endpoint URL and -account ID; -help says what they are")
	}
	if f.slow && f.account == "" {
		return false, errors.New("-slow is for -account: the others need not wait")
	}
	var plans []*plan
	if !cleans {
		if plans, err = readPlans(f.scenarios, fields(f.only)); err != nil {
			return false, err
		}
		plans = announce(os.Stdout, plans, f.account != "", f.slow)
	}
	switch {
	case f.dry:
		return true, nil
	case len(plans) == 0 && !cleans:
		return false, errors.New("no scenario is played: all are left out")
	}
	p, closeWorld, err := open(ctx, f)
	if err != nil {
		return false, err
	}
	defer func() { // also after Ctrl-C
		closing, end := context.WithTimeout(context.WithoutCancel(ctx), removal)
		defer end()
		err = errors.Join(err, closeWorld(closing))
	}()
	if !cleans { // before anything is made, or removed: what is there may be another run's
		if left, err := p.leftStacks(ctx); err != nil || len(left) > 0 {
			return false, errors.Join(err, fmt.Errorf("there are %d stacks of another run: if it has ended, probe clean removes them", len(left)))
		}
	}
	if p.begin != nil {
		if err := p.begin(ctx); err != nil {
			return false, err
		}
	}
	if cleans {
		return true, p.clean(ctx, p.router)
	}
	began := time.Now()
	all := p.playAll(ctx, plans, func(o *outcome) { tell(os.Stdout, o) })
	same = summarize(os.Stdout, all, p.calls.Load(), time.Since(began))
	if f.record != "" {
		against := "against cfnlocal"
		if f.account != "" {
			against = "against AWS"
		}
		err = record(f.record, all, against, time.Now())
	}
	return same, err
}

func fields(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

func open(ctx context.Context, f flags) (*probe, func(context.Context) error, error) {
	report := func(err error) { fmt.Fprintln(os.Stderr, "probe:", err) }
	if f.account != "" {
		p := &probe{atOnce: cmp.Or(f.atOnce, 8)}
		a, err := openAccount(ctx, f.account)
		if err != nil {
			return nil, nil, err
		}
		p.world, p.router = a.world, newRouter(a.to, report)
		p.begin = func(ctx context.Context) error { return a.begin(ctx, p.router) }
		return p, a.close, nil
	}
	// A local one.
	p := &probe{atOnce: cmp.Or(f.atOnce, 16)}
	dir, err := os.MkdirTemp("", "cfnprobe")
	if err != nil {
		return nil, nil, err
	}
	socket := cmp.Or(f.socket, filepath.Join(dir, "socket"))
	p.world = localWorld(dir)
	p.router = newRouter(p.world.to, report)
	server, err := listen(context.WithoutCancel(ctx), socket, func(ctx context.Context, id, text string) error {
		_, err := p.message(ctx, id, text)
		return err
	}, report)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	closeLocal := func() error { return errors.Join(server.Close(), os.RemoveAll(dir)) }
	if f.endpoint != "" {
		c, err := config.LoadDefaultConfig(ctx, config.WithRegion("us-east-1"))
		if err != nil {
			return nil, nil, errors.Join(err, closeLocal())
		}
		p.client = cloudformation.NewFromConfig(c, func(o *cloudformation.Options) { o.BaseEndpoint = aws.String(f.endpoint) }, p.world.counted)
		return p, func(context.Context) error { return closeLocal() }, nil
	}
	l, err := startLocal(ctx, f.cfnlocal, p.world, socket)
	if err != nil {
		return nil, nil, errors.Join(err, closeLocal())
	}
	return p, func(context.Context) error { return errors.Join(l.stop(), closeLocal()) }, nil
}

// localWorld has no time of its own: what the engine has before an answer is waited for.
func localWorld(dir string) *world {
	return &world{topic: localTopic, dir: dir, to: onlyLoopback, poll: 50 * time.Millisecond, patience: 10 * time.Second, limit: 3 * time.Minute}
}
