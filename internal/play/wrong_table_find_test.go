package play_test

import "github.com/cfnresource/sdk-go/internal/play"

var wrongFinds = []wrongHandler{
	{
		name:    "blind",
		process: func(d *depot) play.Handler { return process(blind{found{d}}) },
		checks: []string{
			"delete-lost-create",
			"create-cancelled-while-running",
			"create-error-after-making",
			"create-out-of-time-nothing-left",
			"update-replaces",
		}, explored: "v0/cancelled",
	}, {
		name:    "anyone",
		process: func(d *depot) play.Handler { return process(anyone{found{d}}) },
		checks: []string{
			"update-replaces",
			"stranger-holds-the-name",
		}, explored: "v0 v2",
	}, {
		name:    "sameOwner",
		process: func(d *depot) play.Handler { return process(sameOwner{found{d}}) },
		checks:  []string{"update-replaces"}, explored: "v0 v2",
	}, {
		name:    "proofless",
		process: func(d *depot) play.Handler { return process(proofless{chosen{found{d}}}) },
		checks:  []string{"stranger-holds-the-name"},
		why:     "no history has a stranger",
	}, {
		name:    "failing",
		process: func(d *depot) play.Handler { return process(failing{found{d}}) },
		checks: []string{
			"create-delete",
			"delete-never-created",
		}, explored: "v0",
	}, {
		name:    "strict",
		process: func(d *depot) play.Handler { return process(strict{found{d}}) },
		checks:  []string{"delete-undecodable-properties"},
		why:     "all properties in a history can be read",
	}, {
		name: "caching",
		process: func(d *depot) play.Handler {
			return process(caching{found: found{d}, seen: make(map[string]string)})
		},
		checks: []string{"create-cancelled-while-running"}, explored: "v0/cancelled",
	}, {
		name: "remembering",
		process: func(d *depot) play.Handler {
			return process(remembering{found: found{d}, made: make(map[string]string)})
		},
		checks: []string{
			"delete-lost-create",
			"create-cancelled-while-running",
			"create-error-after-making",
			"create-out-of-time-nothing-left",
			"update-replaces",
		}, explored: "v0/cancelled",
	},
}
