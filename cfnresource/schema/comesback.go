package schema

import (
	"cmp"
	"reflect"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/properties"
)

// CloudFormation compares what a template says of a registered type with what its READ
// answers, as text. So the schema of one takes, of several texts for the same value,
// only that which comes back. A custom resource is never read.
const (
	// comingDuration is what properties.DurationText writes: 1h30m, and not 90m.
	comingDuration = `^(0s|-?(` + hours + minutes + `?` + furtherSeconds + `?|` + minutes + furtherSeconds + `?|` + seconds + `|` + parts + `))$`
	hours          = `[1-9][0-9]{0,5}h`
	minutes        = `(([1-9]|[1-5][0-9])m)`
	seconds        = `([1-9]|[1-5][0-9])(\.[0-9]{0,8}[1-9])?s`
	furtherSeconds = `(` + seconds + `|0\.[0-9]{0,8}[1-9]s)`
	parts          = `[1-9][0-9]{0,2}((\.[0-9]{0,5}[1-9])?ms|(\.[0-9]{0,2}[1-9])?us|ns)`

	// comingTime is what time.Time writes of a day that there is, in UTC.
	comingTime = `^([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))` +
		`|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)` +
		`T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{0,8}[1-9])?Z$`

	// comingBase64 has no bits that mean nothing, and is not empty: no bytes are left out.
	comingBase64 = `^(([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)|([A-Za-z0-9+/]{4})+)$`

	comingInteger = "9007199254740991" // 2^53-1: the largest that all readers of JSON read as it is

	largestFloat32 = "340282346638528859811704183484516925440"
)

// comesBack narrows what is said of a property of a registered type.
func comesBack(t properties.Type, p *Property) {
	switch t.Form() {
	case properties.Integer:
		p.Minimum, p.Maximum = cmp.Or(p.Minimum, "-"+comingInteger), cmp.Or(p.Maximum, comingInteger)
	case properties.Float:
		if t.Go().Kind() == reflect.Float32 { // of whose values few come back: float64 is right
			p.Minimum, p.Maximum = "-"+largestFloat32, largestFloat32
		}
	case properties.Text:
		if t.Go() == timeType {
			p.Format, p.Pattern, p.Examples = "", comingTime, []any{"2026-01-31T12:00:00Z"}
		}
	case properties.Duration:
		p.Pattern = comingDuration
	case properties.Bytes:
		p.Pattern = comingBase64
	case properties.Array:
		p.MinItems = t.Go().Len()
	case properties.Mapping:
		all := map[string]*Property{}
		for pattern, member := range p.PatternProperties {
			all[strings.Replace(pattern, "[0-9]+", "(0|[1-9][0-9]*)", 1)] = member
		}
		p.PatternProperties = all
	}
}

// comesBackIn says of a member of an object what only its field knows: an empty text is
// left out, unless a pointer tells it from none, and a default is one that comes back.
func comesBackIn(f properties.Field, p *Property) {
	isFreeText := p.Type == "string" && p.Pattern == "" && p.Enum == nil
	isPointer := f.Go.Type.Kind() == reflect.Pointer
	if isFreeText && !isPointer && !f.Secret {
		p.MinLength = max(p.MinLength, 1)
	}
	if text, ok := p.Default.(string); ok && f.Type.Form() == properties.Duration {
		d, _ := time.ParseDuration(text) // it has been read before
		p.Default = properties.DurationText(d)
	}
}
