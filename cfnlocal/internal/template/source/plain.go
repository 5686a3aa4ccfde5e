package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

var (
	yamlNull = regexp.MustCompile(`^(?:~|null|Null|NULL|)$`)
	yamlTrue = regexp.MustCompile(`^(?:true|True|TRUE|yes|Yes|YES|on|On|ON)$`)
	yamlBool = regexp.MustCompile(`^(?:true|True|TRUE|false|False|FALSE|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$`)
	yamlYN   = regexp.MustCompile(`^[yYnN]$`)
	yamlInt  = regexp.MustCompile(`^[-+]?(?:0|[1-9][0-9_]*)$`)
	// Octal, hexadecimal and binary.
	yamlBased = regexp.MustCompile(`^[-+]?(?:0[0-7_]+|0x[0-9a-fA-F_]+|0b[01_]+)$`)
	// Base 60, which makes a number of a time of day.
	yamlSixty = regexp.MustCompile(`^[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+$`)
	yamlFloat = regexp.MustCompile(`^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?$`)
	yamlNaN   = regexp.MustCompile(`^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
)

// plainScalar gives an unquoted YAML scalar the type and the text that CloudFormation gives it:
// "YAML Version 1.1 with a few exceptions" (user guide, "CloudFormation template format"), so yes
// and on are true, 0755 is octal and 12:30 is base 60; timestamps are among the exceptions and stay
// as they are written. note is not empty if the text that comes out is likely not the one that was
// meant; it never holds the value, which may be a secret.
func plainScalar(text string) (value any, note string, err error) {
	switch {
	case yamlBool.MatchString(text):
		b := yamlTrue.MatchString(text)
		if !strings.EqualFold(text, strconv.FormatBool(b)) { // yes, no, on, off
			note = fmt.Sprintf("CloudFormation reads %s as the boolean %t; quote it if the word is meant", text, b)
		}
		return b, note, nil
	case yamlYN.MatchString(text):
		return text, fmt.Sprintf("YAML 1.1 counts %s among the booleans, and whether CloudFormation does is not known; quote it", text), nil
	case yamlNaN.MatchString(text):
		return nil, "", errors.New("infinity and not-a-number are no values of JSON, which CloudFormation works with; quote the value if the word is meant")
	case yamlInt.MatchString(text):
		n := json.Number(strings.TrimPrefix(strings.ReplaceAll(text, "_", ""), "+"))
		if n == "-0" {
			n = "0"
		}
		return n, changed(text, n, "a number"), nil
	case len(text) <= 64 && yamlBased.MatchString(text):
		if i, ok := new(big.Int).SetString(strings.ReplaceAll(text, "_", ""), 0); ok {
			n := json.Number(i.String())
			return n, changed(text, n, "an octal, hexadecimal or binary number"), nil
		}
	case len(text) <= 64 && yamlSixty.MatchString(text):
		n := sixty(text)
		return n, changed(text, n, "a number to base 60"), nil
	case yamlFloat.MatchString(text):
		if n, ok := decimal(strings.ReplaceAll(text, "_", "")); ok {
			return n, changed(text, n, "a floating-point number"), nil
		}
	}
	return text, "", nil
}

// changed is the note for a number whose text is not what is written.
func changed(text string, n json.Number, kind string) string {
	if text == string(n) {
		return ""
	}
	return "CloudFormation reads this as " + kind + " and writes it differently; quote it if it is meant as written"
}

func sixty(text string) json.Number {
	digits := strings.TrimLeft(strings.ReplaceAll(text, "_", ""), "+-")
	sum := new(big.Int)
	for part := range strings.SplitSeq(digits, ":") {
		i, _ := new(big.Int).SetString(part, 10)
		sum.Add(sum.Mul(sum, big.NewInt(60)), i)
	}
	if strings.HasPrefix(text, "-") {
		sum.Neg(sum)
	}
	return json.Number(sum.String())
}

// decimal writes a number that is no integer as CloudFormation has been seen to: as a Java double,
// so that 3.10 is 3.1, 5e8 is 5.0E8, and 012345678901, which is no octal number, is
// 1.2345678901E10.
func decimal(text string) (json.Number, bool) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return "", false
	}
	if f == 0 {
		return "0.0", true
	}
	if a := math.Abs(f); a >= 1e-3 && a < 1e7 {
		s := strconv.FormatFloat(f, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return json.Number(s), true
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'E', -1, 64), "E")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	e, _ := strconv.Atoi(exponent)
	return json.Number(mantissa + "E" + strconv.Itoa(e)), true
}
