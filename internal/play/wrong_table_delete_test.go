package play_test

import "github.com/cfnresource/sdk-go/internal/play"

var wrongDeletes = []wrongHandler{
	{
		name:    "keeping",
		process: func(d *depot) play.Handler { return process(keeping{named{d}}) },
		checks:  []string{"create-delete"}, explored: "v0",
	}, {
		name:    "missing",
		process: func(d *depot) play.Handler { return process(missing{named{d}}) },
		checks: []string{
			"delete-twice",
			"create-cancelled-while-running",
			"create-failed-nothing-left",
			"delete-died-half-way-is-finished",
			"delete-failed-is-told",
			"delete-lost-create",
			"delete-never-created",
			"delete-undecodable-properties",
		}, explored: "v0/cancelled",
	}, {
		name:    "misjudging",
		process: func(d *depot) play.Handler { return process(misjudging{found{d}}) },
		checks: []string{
			"delete-twice",
			"delete-died-half-way-is-finished",
			"delete-failed-is-told",
		}, explored: "v0/sibling-fails!lose-answer@2",
	}, {
		name:    "parsing",
		process: func(d *depot) play.Handler { return process(parsing{found{d}}) },
		checks: []string{
			"delete-never-created",
			"create-cancelled-while-running",
			"create-error-after-making",
			"create-out-of-time-nothing-left",
			"delete-undecodable-properties",
		}, explored: "v0/cancelled",
	}, {
		name:    "reading",
		process: func(d *depot) play.Handler { return process(reading{named{d}}) },
		checks:  []string{"delete-undecodable-properties"},
		why:     "all properties in a history can be read",
	}, {
		name:    "byName",
		process: func(d *depot) play.Handler { return process(byName{chosen{found{d}}}) },
		checks: []string{
			"delete-undecodable-properties",
			"stranger-holds-the-name",
		},
		why: "the names and the properties of a history belong together",
	}, {
		name:    "byStableID",
		process: func(d *depot) play.Handler { return process(byStableID{named{d}}) },
		checks:  []string{"delete-undecodable-properties"},
		why:     "the names and the properties of a history belong together",
	}, {
		name:    "byOwner",
		process: func(d *depot) play.Handler { return process(byOwner{named{d}}) },
		checks: []string{
			"delete-old-leaves-new",
			"replace-then-rollback-returns-to-first",
		}, explored: "v0 v2",
	}, {
		name:    "silent",
		process: func(d *depot) play.Handler { return process(silent{named{d}}) },
		checks:  []string{"delete-failed-is-told"}, explored: "v0/sibling-fails!fail-at-step:1@2",
	}, {
		name:    "emptying",
		process: func(d *depot) play.Handler { return process(emptying{named{d}}) },
		checks: []string{
			"delete-died-half-way-is-finished",
			"create-error-after-making",
			"create-failed-nothing-left",
			"create-out-of-time-nothing-left",
			"delete-failed-is-told",
			"replace-failed-nothing-left",
		}, explored: "refused",
	}, {
		name:    "retiring",
		process: func(d *depot) play.Handler { return process(retiring{named{d}}) },
		checks:  []string{"recreate-after-delete"}, explored: "v0/kept!lose-answer@1 v0",
	}, {
		name: "forgetful",
		process: func(d *depot) play.Handler {
			return process(forgetful{named: named{d}, made: make(map[string]bool)})
		},
		checks: []string{"create-delete"}, explored: "v0",
	}, {
		name:    "deafDelete",
		process: func(d *depot) play.Handler { return process(deafDelete{named{d}}) },
		checks:  []string{"context-ends-handler-returns"}, explored: "v0/sibling-fails!hang-at-step:1@2",
	}, {
		name:    "discarding",
		process: func(d *depot) play.Handler { return process(discarding{namedOf[keepProps]{d}}) },
		adapt: func(c *play.Contract) {
			c.Properties = keepProps{Room: "hall", Size: 10, Frozen: true}
			c.InPlace = keepProps{Room: "hall", Size: 60, Keep: true}
			c.Replacing = keepProps{Room: "cellar", Size: 10, Frozen: true}
			c.Refused = keepProps{Room: "hall", Size: 100}
		},
		checks: []string{"delete-undecodable-properties"},
		why:    "to Explore, what is kept is left behind",
	},
}
