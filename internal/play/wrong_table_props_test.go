package play_test

import "github.com/cfnresource/sdk-go/internal/play"

var wrongProps = []wrongHandler{
	{
		name:    "movableProps",
		process: func(d *depot) play.Handler { return process(namedOf[movableProps]{d}) },
		adapt: func(c *play.Contract) {
			c.Properties = movableProps{Room: "hall", Size: 10, Frozen: true}
			c.InPlace = movableProps{Room: "hall", Size: 60}
			c.Replacing = movableProps{Room: "cellar", Size: 10, Frozen: true}
			c.Refused = movableProps{Room: "hall", Size: 100}
		},
		checks: []string{"update-replaces"}, explored: "v0 v2",
	}, {
		name:    "fixedProps",
		process: func(d *depot) play.Handler { return process(namedOf[fixedProps]{d}) },
		adapt: func(c *play.Contract) {
			c.Properties = fixedProps{Room: "hall", Size: 10, Frozen: true}
			c.InPlace = fixedProps{Room: "hall", Size: 60}
			c.Replacing = fixedProps{Room: "cellar", Size: 10, Frozen: true}
			c.Refused = fixedProps{Room: "hall", Size: 100}
		},
		checks: []string{"update-keeps-id"}, explored: "v0 v1",
	}, {
		name:    "nativeProps",
		process: func(d *depot) play.Handler { return process(namedOf[nativeProps]{d}) },
		adapt: func(c *play.Contract) {
			c.Properties = nativeProps{Room: "hall", Size: 10, Frozen: true}
			c.InPlace = nativeProps{Room: "hall", Size: 60}
			c.Replacing = nativeProps{Room: "cellar", Size: 10, Frozen: true}
			c.Refused = nil // it would read it as a size of 0
		},
		checks: []string{"stringified-properties"},
		why:    "all events in a history have strings",
	}, {
		name:    "looseProps",
		process: func(d *depot) play.Handler { return process(namedOf[looseProps]{d}) },
		adapt: func(c *play.Contract) {
			c.Properties = looseProps{Room: "hall", Size: 10, Frozen: true}
			c.InPlace = looseProps{Room: "hall", Size: 60, Frozen: false}
			c.Replacing = looseProps{Room: "cellar", Size: 10, Frozen: true}
			c.Refused = looseProps{Room: "hall", Size: 100, Frozen: true}
		},
		checks: []string{"stringified-properties"},
		why:    "all events in a history have strings",
	}, {
		name:    "talkative",
		process: func(d *depot) play.Handler { return process(talkative{named{d}}) },
		checks: []string{
			"answer-fits",
			"update-keeps-id",
		}, explored: "v0 v1",
	}, {
		name:    "taciturn",
		process: func(d *depot) play.Handler { return process(taciturn{named{d}}) },
		checks:  []string{"data-same-after-update"},
		why:     "nothing in a history reads Data",
	}, {
		name:    "printing",
		process: func(d *depot) play.Handler { return process(printing{named{d}}) },
		checks:  []string{"secrets-stay-out-of-log"},
		why:     "what is said does nothing to a stack",
	}, {
		name:    "encoding",
		process: func(d *depot) play.Handler { return process(encoding{named{d}}) },
		checks:  []string{"secrets-stay-out-of-log"},
		why:     "what is said does nothing to a stack",
	}, {
		name:    "publishing",
		process: func(d *depot) play.Handler { return process(publishing{named{d}}) },
		checks:  []string{"secrets-stay-out-of-log"},
		why:     "what is said does nothing to a stack",
	},
}
