package query

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// pageSize is how many rows are on a page. AWS's pages end at 1 MB [D]; that they have 100 rows at
// most was observed of events [O], and is assumed of stacks [?].
const pageSize = 100

// maxToken is how long a NextToken can be, by the API's model.
const maxToken = 1024

// token makes a NextToken: where the next page of an action about a subject begins.
func (c *call) token(subject, place string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(c.text("Action") + "\n" + subject + "\n" + place))
}

// place reads the NextToken of a request, or returns "" if there is none. One that is of another
// action or subject is refused; AWS's words for that are known of another action alone [O].
func (c *call) place(subject string) (string, error) {
	if !c.values.Has("NextToken") {
		return "", nil
	}
	text := c.text("NextToken")
	switch {
	case text == "":
		return "", invalidValue(text, "NextToken", "Member must have length greater than or equal to 1")
	case len(text) > maxToken:
		return "", invalidValue(text, "NextToken", "Member must have length less than or equal to "+strconv.Itoa(maxToken))
	}
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	place, ok := strings.CutPrefix(string(decoded), c.text("Action")+"\n"+subject+"\n")
	if err != nil || !ok || place == "" {
		return "", badToken(text)
	}
	return place, nil
}

// index is place as a number from 1 to most, and otherwise if there is no NextToken.
func (c *call) index(subject string, otherwise, most int) (int, error) {
	place, err := c.place(subject)
	if err != nil || place == "" {
		return otherwise, err
	}
	n, err := strconv.Atoi(place)
	if err != nil || n < 1 || n > most {
		return 0, badToken(c.text("NextToken"))
	}
	return n, nil
}

func badToken(text string) error { return invalid("%s is not a valid NextToken", text) }
