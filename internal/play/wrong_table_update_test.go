package play_test

import "github.com/cfnresource/sdk-go/internal/play"

var wrongUpdates = []wrongHandler{
	{
		name:    "idle",
		process: func(d *depot) play.Handler { return process(idle{named{d}}) },
		checks: []string{
			"update-keeps-id",
			"create-died-half-way-is-finished",
			"replace-redelivered-one-resource",
		}, explored: "v0!die-at-step:2@1",
	}, {
		name:    "differ",
		process: func(d *depot) play.Handler { return process(differ{named{d}}) },
		checks:  []string{"update-is-not-a-diff"}, explored: "v0 v1/kept!lose-answer@1 v0",
	}, {
		name:    "adder",
		process: func(d *depot) play.Handler { return process(adder{named{d}}) },
		checks: []string{
			"update-redelivered",
			"update-died-half-way-is-finished",
			"update-failed-then-rollback",
			"update-is-not-a-diff",
		}, explored: "v0 refused",
	}, {
		name:    "unfinished",
		process: func(d *depot) play.Handler { return process(unfinished{named{d}}) },
		checks: []string{
			"create-died-half-way-is-finished",
			"replace-redelivered-one-resource",
		}, explored: "v0!die-at-step:2@1",
	}, {
		name:    "halfway",
		process: func(d *depot) play.Handler { return process(halfway{named{d}}) },
		checks:  []string{"update-died-half-way-is-finished"}, explored: "v0 v1!die-at-step:2@1",
	}, {
		name:    "demanding",
		process: func(d *depot) play.Handler { return process(demanding{named{d}}) },
		checks:  []string{"update-old-undecodable"},
		why:     "all properties in a history can be read",
	}, {
		name:    "unadopting",
		process: func(d *depot) play.Handler { return process(unadopting{named{d}}) },
		checks: []string{
			"create-redelivered-one-resource",
			"create-died-half-way-is-finished",
			"replace-redelivered-one-resource",
			"replace-then-rollback-returns-to-first",
		}, explored: "v0!undelivered@1",
	}, {
		name:    "growing",
		process: func(d *depot) play.Handler { return process(growing{named{d}}) },
		checks:  []string{"update-failed-then-rollback"}, explored: "v0 v1/sibling-fails",
	}, {
		name:    "unchanging",
		process: func(d *depot) play.Handler { return process(unchanging{named{d}}) },
		checks: []string{
			"update-same-properties",
			"create-died-half-way-is-finished",
			"create-redelivered-one-resource",
			"replace-failed-then-rollback-keeps-first",
			"replace-redelivered-one-resource",
			"replace-then-rollback-returns-to-first",
			"update-died-half-way-is-finished",
			"update-failed-then-rollback",
			"update-old-undecodable",
			"update-redelivered",
		}, explored: "v0!undelivered@1",
	}, {
		name:    "swapping",
		process: func(d *depot) play.Handler { return process(swapping{found{d}}) },
		checks: []string{
			"update-keeps-id",
			"create-died-half-way-is-finished",
			"create-redelivered-one-resource",
			"provider-upgrade-keeps-id",
			"replace-failed-nothing-left",
			"replace-failed-then-rollback-keeps-first",
			"replace-redelivered-one-resource",
			"replace-then-rollback-returns-to-first",
			"update-same-properties",
		}, explored: "v0!redeliver@1",
	}, {
		name:    "renaming",
		process: func(d *depot) play.Handler { return process(renaming{named{d}}) },
		checks:  []string{"provider-upgrade-keeps-id"},
		why:     "no resource in a history was made by another program",
	}, {
		name:    "remaking",
		process: func(d *depot) play.Handler { return process(remaking{found{d}}) },
		checks:  []string{"provider-upgrade-keeps-id"},
		why:     "nobody removes anything by hand in a history",
	}, {
		name:    "hopeful",
		process: func(d *depot) play.Handler { return process(hopeful{named{d}}) },
		checks:  []string{"update-failed-then-rollback"}, explored: "refused!undelivered@1",
	}, {
		name:    "deafUpdate",
		process: func(d *depot) play.Handler { return process(deafUpdate{named{d}}) },
		checks:  []string{"context-ends-handler-returns"}, explored: "v0 v1!hang-at-step:1@1",
	}, {
		name:    "panicking",
		process: func(d *depot) play.Handler { return process(panicking{namedOf[limitedProps]{d}}) },
		adapt: func(c *play.Contract) {
			limit := 7
			c.Properties = limitedProps{Room: "hall", Size: 10, Frozen: true, Limit: &limit}
			c.InPlace = limitedProps{Room: "hall", Size: 60, Limit: &limit}
			c.Replacing = limitedProps{Room: "cellar", Size: 10, Frozen: true, Limit: &limit}
			c.Refused = limitedProps{Room: "hall", Size: 100, Limit: &limit}
		},
		checks: []string{
			"update-old-undecodable",
			"create-died-half-way-is-finished",
			"create-redelivered-one-resource",
			"replace-redelivered-one-resource",
			"replace-then-rollback-returns-to-first",
		}, explored: "v0!undelivered@1",
	}, {
		name:    "locking",
		process: func(d *depot) play.Handler { return process(locking{named{d}}) },
		checks: []string{
			"create-died-half-way-is-finished",
			"replace-redelivered-one-resource",
			"replace-then-rollback-returns-to-first",
			"update-died-half-way-is-finished",
			"update-failed-then-rollback",
		}, explored: "v0!die-at-step:2@1",
	},
}
