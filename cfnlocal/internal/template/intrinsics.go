package template

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// An intrinsic is a function of CloudFormation. A new one is a row here, and a type with a method
// that compiles a call of it.
type intrinsic struct {
	example     string // how it is written, for messages
	gives       result
	allowed     place
	least, most int // items of the list that it takes; 0 if it takes something else
	// function compiles a call of it.
	function interface {
		compile(c *compiler, f call) expr
	}
}

// result is the kind of a function's value, as far as it does not depend on the arguments.
type result int

const (
	anything result = iota // a string or a list, depending on the argument
	aString
	aBoolean // a string where one is asked for: true or false
	aList
	anObject // no function gives one
)

// place is where a function may be called.
type place int

const (
	anywhere       place = iota
	inDecisions          // among conditions, and in rules
	afterDecisions       // everywhere except there
	inRulesAlone
	withExtensions // in a template with AWS::LanguageExtensions
)

// misplaced returns an error about the place of a call, or "".
func (c *compiler) misplaced(f call) string {
	switch early := c.section.early(); {
	case f.allowed == inDecisions && !early:
		return f.name + " is allowed among conditions only; give the condition a name under Conditions and write " + intrinsics["Fn::If"].example
	case f.allowed == afterDecisions && early:
		return f.name + " is not allowed among conditions and rules; take the value from a parameter"
	case f.allowed == inRulesAlone && c.section != inRules:
		return f.name + " is allowed in Rules only"
	case f.allowed == withExtensions && c.settled == nil:
		return f.name + " belongs to AWS::LanguageExtensions; add Transform: " + languageExtensions
	}
	return ""
}

// intrinsics are all functions by their names ("Intrinsic function reference", "Rule-specific
// intrinsic functions" in the user guide). Fn::ForEach is not among them: it gives entries rather
// than a value, and loops are written out before anything is compiled. Of And and Or, "the minimum
// number of conditions is 2, and the maximum is 10".
var intrinsics = map[string]intrinsic{
	"Ref":                  {"!Ref LogicalID", anything, anywhere, 0, 0, ref{}},
	"Condition":            {"!Condition Name", aBoolean, anywhere, 0, 0, conditionRef{}},
	"Fn::And":              {"!And [condition, condition]", aBoolean, inDecisions, 2, 10, logic{}},
	"Fn::Base64":           {"!Base64 text", aString, anywhere, 0, 0, base64Text{}},
	"Fn::Cidr":             {"!Cidr [10.0.0.0/16, 4, 8]", aList, anywhere, 2, 3, cidr{}},
	"Fn::Contains":         {"!Contains [[value, value], !Ref Parameter]", aBoolean, inRulesAlone, 2, 2, member{}},
	"Fn::EachMemberEquals": {"!EachMemberEquals [!Ref Parameter, value]", aBoolean, inRulesAlone, 2, 2, member{}},
	"Fn::EachMemberIn":     {"!EachMemberIn [!Ref Parameter, [value, value]]", aBoolean, inRulesAlone, 2, 2, member{}},
	"Fn::Equals":           {"!Equals [value, value]", aBoolean, inDecisions, 2, 2, logic{}},
	"Fn::FindInMap":        {"!FindInMap [MapName, TopLevelKey, SecondLevelKey]", anything, anywhere, 3, 4, findInMap{}},
	"Fn::GetAtt":           {"!GetAtt LogicalID.Attribute", anything, anywhere, 0, 0, attribute{}},
	"Fn::GetAZs":           {`!GetAZs ""`, aList, anywhere, 0, 0, zones{}},
	"Fn::GetStackOutput":   {"!GetStackOutput {StackName: name, OutputName: Name}", aString, afterDecisions, 0, 0, stackOutput{}},
	"Fn::If":               {"!If [ConditionName, value if true, value if false]", anything, anywhere, 3, 3, ifElse{}},
	"Fn::ImportValue":      {"!ImportValue name", aString, afterDecisions, 0, 0, imported{}},
	"Fn::Join":             {`!Join [",", [value, value]]`, aString, anywhere, 2, 2, join{}},
	"Fn::Length":           {"!Length [value, value]", aString, withExtensions, 0, 0, length{}},
	"Fn::Not":              {"!Not [condition]", aBoolean, inDecisions, 1, 1, logic{}},
	"Fn::Or":               {"!Or [condition, condition]", aBoolean, inDecisions, 2, 10, logic{}},
	"Fn::RefAll":           {"!RefAll AWS::EC2::VPC::Id", aList, inRulesAlone, 0, 0, account{}},
	"Fn::Select":           {"!Select [0, [value, value]]", anything, anywhere, 2, 2, selectItem{}},
	"Fn::Split":            {`!Split [",", text]`, aList, anywhere, 2, 2, split{}},
	"Fn::Sub":              {`!Sub "text ${LogicalID.Attribute}" or !Sub [text, {Name: value}]`, aString, anywhere, 0, 0, sub{}},
	"Fn::ToJsonString":     {"!ToJsonString {Name: value}", aString, withExtensions, 0, 0, jsonString{}},
	"Fn::Transform":        {"", anything, anywhere, 0, 0, elsewhere{}},
	"Fn::ValueOf":          {"!ValueOf [Parameter, Attribute]", anything, inRulesAlone, 2, 2, account{}},
	"Fn::ValueOfAll":       {"!ValueOfAll [AWS::EC2::VPC::Id, Attribute]", aList, inRulesAlone, 0, 0, account{}},
}

// tags are the short tags of YAML and the functions that they stand for: !Join is Fn::Join.
var tags = func() map[string]string {
	all := make(map[string]string, len(intrinsics))
	for name := range intrinsics {
		all["!"+strings.TrimPrefix(name, "Fn::")] = name
	}
	return all
}()

// A call is a function where a template calls it.
type call struct {
	intrinsic
	name         string
	at, argument *source.Node   // the whole call, and what follows the name
	items        []*source.Node // of the list that the argument is, if the function takes one
}

func (c *compiler) call(name string, at, argument *source.Node) expr {
	if len(c.Errors) > maxErrors {
		return invalidExpr{}
	}
	row, known := intrinsics[name]
	switch {
	case name == "Fn::ForEach":
		return c.invalid(at, source.MisplacedLoop)
	case !known:
		return c.invalid(at, "%s is not a function of CloudFormation%s", source.Shorten(name), source.DidYouMean(name, maps.Keys(intrinsics)))
	}
	f := call{intrinsic: row, name: name, at: at, argument: argument}
	if wrong := c.misplaced(f); wrong != "" {
		return c.invalid(at, "%s", wrong)
	}
	if row.most > 0 {
		if f.items = c.arguments(f, row.least, row.most); f.items == nil {
			return invalidExpr{}
		}
	}
	return row.function.compile(c, f)
}

// arguments are the items of a call's list, if there are as many as the function takes.
func (c *compiler) arguments(f call, least, most int) []*source.Node {
	argument := f.argument
	if argument.Kind == source.List && len(argument.Items) >= least && len(argument.Items) <= most {
		return argument.Items
	}
	takes := fmt.Sprintf("a list of %d", least)
	if most > least {
		takes = fmt.Sprintf("a list of %d to %d", least, most)
	}
	has := argument.Kind.String()
	if argument.Kind == source.List {
		has = fmt.Sprintf("a list of %d", len(argument.Items))
	}
	c.Errorf(argument, "%s takes %s, not %s; write %s", f.name, takes, has, f.example)
	return nil
}

// base64Text is Fn::Base64.
type base64Text struct{}

func (base64Text) compile(c *compiler, f call) expr {
	source := c.textual(f.argument, "the argument of Fn::Base64")
	return applied{[]expr{source}, func(ev *evaluation) (any, error) {
		text, err := ev.text(source, f.at, "the argument of Fn::Base64")
		if err != nil {
			return nil, err
		}
		if err := ev.spend(2*len(text), f.at); err != nil {
			return nil, err
		}
		return base64.StdEncoding.EncodeToString([]byte(text)), nil
	}}
}

// cidr is Fn::Cidr: address ranges of one size, from the beginning of a larger one.
type cidr struct{}

func (cidr) compile(c *compiler, f call) expr {
	items := f.items
	if len(items) == 2 {
		return c.invalid(f.argument, "AWS does not document what Fn::Cidr does without its third argument; write the bits of a range, as in %s", f.example)
	}
	// The arguments, each of which may only be known later.
	block := c.textual(items[0], "the address range of Fn::Cidr")
	amount := c.textual(items[1], "the count of Fn::Cidr")
	size := c.textual(items[2], "the bits of Fn::Cidr")
	return selection{applied: applied{[]expr{block, amount, size}, func(ev *evaluation) (any, error) {
		written, err := ev.text(block, f.at, "the address range of Fn::Cidr")
		if err != nil {
			return nil, err
		}
		count, err := ev.number(amount, f.at, "the count of Fn::Cidr", 1, maxRanges)
		if err != nil {
			return nil, err
		}
		prefix, err := netip.ParsePrefix(strings.TrimSpace(written))
		if err != nil {
			return nil, ev.failOf(block, f.at, "the first argument of Fn::Cidr must be an address range such as 10.0.0.0/16")
		}
		// Whether so many ranges of this size are in it.
		prefix = prefix.Masked()
		width := prefix.Addr().BitLen()
		bits, err := ev.number(size, f.at, "the bits of Fn::Cidr", 1, width)
		if err != nil {
			return nil, err
		}
		left := width - bits
		if left < prefix.Bits() || (left-prefix.Bits() < 9 && count > 1<<(left-prefix.Bits())) {
			return nil, ev.fail(f.at, "Fn::Cidr cannot cut %d ranges of %d bits from a range of %d bits; ask for fewer or smaller ones", count, bits, width-prefix.Bits())
		}
		if err := ev.spend(count*len("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128"), f.at); err != nil {
			return nil, err
		}
		return ranges(prefix.Addr(), count, bits), nil
	}}}
}

// maxRanges is how many ranges Fn::Cidr makes at most, which its reference documents.
const maxRanges = 256

// ranges are count ranges of 2^bits addresses, the first of which begins at an address.
func ranges(from netip.Addr, count, bits int) []any {
	step := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	address := new(big.Int).SetBytes(from.AsSlice())
	all := make([]any, count)
	for i := range all {
		start, _ := netip.AddrFromSlice(address.FillBytes(make([]byte, from.BitLen()/8)))
		all[i] = start.String() + "/" + strconv.Itoa(from.BitLen()-bits)
		address.Add(address, step)
	}
	return all
}

// zones is Fn::GetAZs: the availability zones of a region.
type zones struct{}

func (zones) compile(c *compiler, f call) expr {
	argument := c.textual(f.argument, "the argument of Fn::GetAZs")
	return applied{[]expr{argument}, func(ev *evaluation) (any, error) {
		region, err := ev.text(argument, f.at, "the argument of Fn::GetAZs")
		if err != nil {
			return nil, err
		}
		if region == "" {
			region, _ = source.Text(ev.pseudo["AWS::Region"])
		}
		letters := cmp.Or(moreZones[region], "abc")
		if err := ev.spend(len(letters)*(len(region)+1), f.at); err != nil {
			return nil, err
		}
		var all []any
		for _, letter := range letters {
			all = append(all, region+string(letter))
		}
		return all, nil
	}}
}

// moreZones are the regions whose accounts see other zones than a, b and c.
var moreZones = map[string]string{"us-east-1": "abcdef", "us-west-1": "ac", "us-west-2": "abcd", "ap-northeast-1": "acd", "ap-northeast-2": "abcd", "ca-central-1": "abd"}

// join is Fn::Join: the values of a list with a delimiter between them.
type join struct{}

func (join) compile(c *compiler, f call) expr {
	items := f.items
	delimiter, ok := c.word(items[0], "the delimiter of Fn::Join", f.example)
	list := c.listed(items[1], "the second argument of Fn::Join", f.example)
	// Items that can never be strings.
	if l, literal := list.(listExpr); literal {
		for i, n := range items[1].Items {
			if gives := c.gives(n, l.items[i]); gives == aList || gives == anObject {
				c.Errorf(n, "Fn::Join joins strings, not %s; write its items one by one", n.Describe())
				ok = false
			}
		}
	}
	if !ok {
		return invalidExpr{}
	}
	// The length of the text is known, and accounted for, before it is made.
	return applied{[]expr{list}, func(ev *evaluation) (any, error) {
		values, err := ev.list(list, f.at, "the second argument of Fn::Join")
		if err != nil {
			return nil, err
		}
		texts, size := make([]string, len(values)), 0
		for i, v := range values {
			s, ok := source.Text(v)
			if !ok {
				return nil, ev.fail(f.at, "Fn::Join joins strings, and value %d is %s", i, describe(v))
			}
			texts[i], size = s, size+len(s)+len(delimiter)
		}
		if err := ev.spend(size, f.at); err != nil {
			return nil, err
		}
		return strings.Join(texts, delimiter), nil
	}}
}

// length is Fn::Length: how many items a list has.
type length struct{}

func (length) compile(c *compiler, f call) expr {
	list := c.listed(f.argument, "the argument of Fn::Length", f.example)
	return applied{[]expr{list}, func(ev *evaluation) (any, error) {
		items, err := ev.list(list, f.at, "the argument of Fn::Length")
		if err != nil {
			return nil, err
		}
		return json.Number(strconv.Itoa(len(items))), nil
	}}
}

// selectItem is Fn::Select: one item of a list.
type selectItem struct{}

func (selectItem) compile(c *compiler, f call) expr {
	index, list := c.textual(f.items[0], "the index of Fn::Select"), c.listed(f.items[1], "the second argument of Fn::Select", f.example)
	// An index that is written out is checked before anything is evaluated.
	if written, ok := index.(literal); ok {
		word, _ := source.Text(written.value)
		i, err := strconv.Atoi(word)
		l, literalList := list.(listExpr)
		switch {
		case err != nil || i < 0:
			c.Errorf(f.items[0], "the index of Fn::Select must be a whole number from 0; write %s", f.example)
		case literalList && i >= len(l.items):
			c.Errorf(f.items[0], "Fn::Select takes item %d, and the list has %d; the first item is 0, so write an index below %d", i, len(l.items), len(l.items))
		}
	}
	return selection{index: index, list: list, applied: applied{[]expr{index, list}, func(ev *evaluation) (any, error) {
		word, err := ev.text(index, f.at, "the index of Fn::Select")
		if err != nil {
			return nil, err
		}
		items, err := ev.list(list, f.at, "the second argument of Fn::Select")
		if err != nil {
			return nil, err
		}
		i, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || i < 0 {
			return nil, ev.fail(f.at, "the index of Fn::Select must be a whole number from 0")
		}
		if i >= len(items) {
			return nil, ev.failOf(list, f.at, "Fn::Select takes item %d, and the list has %d; the first item is 0", i, len(items))
		}
		return items[i], nil
	}}}
}

// split is Fn::Split: a text cut at a delimiter.
type split struct{}

func (split) compile(c *compiler, f call) expr {
	items := f.items
	delimiter, ok := c.word(items[0], "the delimiter of Fn::Split", f.example)
	if ok && delimiter == "" {
		c.Errorf(items[0], "the delimiter of Fn::Split must not be empty; write %s", f.example)
	}
	argument := c.textual(items[1], "the second argument of Fn::Split")
	return cutText{delimiter: delimiter, text: argument, applied: applied{[]expr{argument}, func(ev *evaluation) (any, error) {
		text, err := ev.text(argument, f.at, "the second argument of Fn::Split")
		if err != nil {
			return nil, err
		}
		texts := strings.Split(text, delimiter)
		if err := ev.spend(len(text)+16*len(texts), f.at); err != nil {
			return nil, err
		}
		out, _ := source.Slice(texts)
		return out, nil
	}}}
}

// elsewhere is Fn::Transform, which only AWS can evaluate. A stand-in does not
// need the content of AWS::Include.
type elsewhere struct{}

func (elsewhere) compile(c *compiler, f call) expr {
	included := !slices.ContainsFunc(f.argument.Listed(), func(n *source.Node) bool {
		name, _ := n.Get("Name").Text()
		return name != "AWS::Include"
	})
	switch {
	case included && c.standIn:
		c.Warnf(f.at, "the content of AWS::Include is left out: cfnlocal does not need it")
		return objectExpr{}
	default:
		c.Errorf(f.at, "%s is not supported here; macros run in AWS only: write the macro's output in its place", f.name)
	}
	return invalidExpr{}
}
