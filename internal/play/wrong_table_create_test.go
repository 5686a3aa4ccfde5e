package play_test

import (
	"log/slog"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
)

var wrongCreates = []wrongHandler{
	{
		name:    "randomID",
		process: func(d *depot) play.Handler { return process(randomID{named{d}}) },
		checks: []string{
			"create-redelivered-one-resource",
			"create-cancelled-while-running",
			"create-died-half-way-is-finished",
			"create-error-after-making",
			"create-out-of-time-nothing-left",
			"delete-lost-create",
			"update-replaces",
		}, explored: "v0/cancelled",
	}, {
		name:    "byRequest",
		process: func(d *depot) play.Handler { return process(byRequest{named{d}}) },
		checks: []string{
			"delete-lost-create",
			"create-cancelled-while-running",
			"create-error-after-making",
			"create-out-of-time-nothing-left",
			"update-replaces",
		}, explored: "v0/cancelled",
	}, {
		name:    "withoutFind",
		process: func(d *depot) play.Handler { return process(withoutFind{found{d}}) },
		checks: []string{
			"delete-lost-create",
			"create-cancelled-while-running",
			"create-error-after-making",
			"create-out-of-time-nothing-left",
			"update-replaces",
		}, explored: "v0/cancelled",
	}, {
		name:    "uncreated",
		process: func(d *depot) play.Handler { return process(uncreated{named{d}}) },
		checks:  []string{"replace-failed-nothing-left"}, explored: "v0 v2!error-after@1",
	}, {
		name:    "createdLate",
		process: func(d *depot) play.Handler { return process(createdLate{named{d}}) },
		checks:  []string{"replace-failed-nothing-left"}, explored: "v0 v2!fail-at-step:3@1",
	}, {
		name:    "createdEarly",
		process: func(d *depot) play.Handler { return process(createdEarly{named{d}}) },
		checks:  []string{"replace-then-rollback-returns-to-first"}, explored: "v0 v2/sibling-fails!hang-at-step:1@2",
	}, {
		name:    "strangerCreated",
		process: func(d *depot) play.Handler { return process(strangerCreated{chosen{found{d}}}) },
		checks:  []string{"stranger-holds-the-name"},
		why:     "no history has a stranger",
	}, {
		name:    "otherCreated",
		process: func(d *depot) play.Handler { return process(otherCreated{found{d}}) },
		checks:  []string{"create-delete"}, explored: "v0",
	}, {
		name:    "plainlyTaken",
		process: func(d *depot) play.Handler { return process(plainlyTaken{named{d}}) },
		checks: []string{
			"create-redelivered-one-resource",
			"create-died-half-way-is-finished",
			"replace-redelivered-one-resource",
			"replace-then-rollback-returns-to-first",
		}, explored: "v0!undelivered@1",
	}, {
		name:    "takenIsDone",
		process: func(d *depot) play.Handler { return process(takenIsDone{named{d}}) },
		checks: []string{
			"create-died-half-way-is-finished",
			"replace-redelivered-one-resource",
		}, explored: "v0!die-at-step:2@1",
	}, {
		name:    "strangersTaken",
		process: func(d *depot) play.Handler { return process(strangersTaken{chosen{found{d}}}) },
		checks:  []string{"stranger-holds-the-name"},
		why:     "no history has a stranger",
	}, {
		name:    "metCreated",
		process: func(d *depot) play.Handler { return process(metCreated{named{d}}) },
		checks:  []string{"replace-then-rollback-returns-to-first"}, explored: "v0 v2/sibling-fails!out-of-time-after@2",
	}, {
		name:    "tidying",
		process: func(d *depot) play.Handler { return process(tidying{chosen{found{d}}}) },
		checks:  []string{"stranger-holds-the-name"}, explored: "v0!twice@1",
	}, {
		name:    "deaf",
		process: func(d *depot) play.Handler { return process(deaf{named{d}}) },
		checks:  []string{"context-ends-handler-returns"}, explored: "v0!hang-at-step:1@1",
	}, {
		name:    "optimist",
		process: func(d *depot) play.Handler { return process(optimist{named{d}}) },
		checks: []string{
			"create-failed-nothing-left",
			"create-error-after-making",
			"create-out-of-time-nothing-left",
		}, explored: "refused",
	}, {
		name:    "resigned",
		process: func(d *depot) play.Handler { return process(resigned{named{d}}) },
		checks:  []string{"create-out-of-time-nothing-left"}, explored: "v0!hang-at-step:3@1",
	}, {
		name: "oneAtATime",
		process: func(d *depot) play.Handler {
			return cfnresource.New(named{d}, func(o *cfnresource.Options) {
				o.Logger, o.Middleware = slog.New(slog.DiscardHandler), []cfnresource.Middleware{oneAtATime()}
			})
		},
		checks: []string{"create-panics-after-making"},
		why:    "no process in a history has a second event",
	}, {
		name:    "retrying",
		process: func(d *depot) play.Handler { return process(retrying{found{d}}) },
		checks:  []string{"create-error-after-making"}, explored: "v0!twice@1",
	}, {
		name:    "unreplaceable",
		process: func(d *depot) play.Handler { return process(unreplaceable{named{d}}) },
		checks:  []string{"update-replaces"}, explored: "v0 v2",
	}, {
		name:    "suspicious",
		process: func(d *depot) play.Handler { return process(suspicious{named{d}}) },
		checks: []string{
			"replace-redelivered-one-resource",
			"replace-then-rollback-returns-to-first",
		}, explored: "v0 v2/sibling-fails",
	}, {
		name:    "reusing",
		process: func(d *depot) play.Handler { return process(reusing{named{d}}) },
		checks:  []string{"update-replaces"}, explored: "v0 v2",
	}, {
		name:    "evicting",
		process: func(d *depot) play.Handler { return process(evicting{named{d}}) },
		checks: []string{
			"replace-failed-then-rollback-keeps-first",
			"replace-then-rollback-returns-to-first",
		}, explored: "v0 v2!out-of-time-after@1",
	}, {
		name:    "byLogicalID",
		process: func(d *depot) play.Handler { return process(byLogicalID{named{d}}) },
		checks: []string{
			"update-replaces",
			"create-cancelled-while-running",
			"create-died-half-way-is-finished",
			"create-error-after-making",
			"create-out-of-time-nothing-left",
			"create-redelivered-one-resource",
			"delete-lost-create",
		}, explored: "v0/cancelled",
	}, {
		name:    "untagged",
		process: func(d *depot) play.Handler { return process(untagged{found{d}}) },
		checks: []string{
			"create-error-after-making",
			"create-out-of-time-nothing-left",
		}, explored: "v0!fail-at-step:4@1",
	},
}
