package query

import "strconv"

type listStackResourcesResult struct {
	StackResourceSummaries members[stackResourceSummary]
	NextToken              string `xml:",omitempty"`
}

type stackResourceSummary struct {
	row
	DriftInformation resourceDrift
}

// listStackResources is ListStackResources: all resources of a stack, a page at
// a time.
func (c *call) listStackResources() (any, error) {
	s, err := c.stack("Stack with id %s does not exist") // [O]
	if err != nil {
		return nil, err
	}
	place, err := c.place(s.ID)
	if err != nil {
		return nil, err
	}
	rows, first := s.rows(), 0
	if place != "" {
		if first, err = strconv.Atoi(place); err != nil || first < 1 || first >= len(rows) {
			return nil, badToken(c.text("NextToken"))
		}
	}
	end := min(first+pageSize, len(rows))
	var all listStackResourcesResult
	for _, r := range rows[first:end] {
		all.StackResourceSummaries.Members = append(all.StackResourceSummaries.Members, stackResourceSummary{r, noResourceDrift})
	}
	if end < len(rows) {
		all.NextToken = c.token(s.ID, strconv.Itoa(end))
	}
	return all, nil
}
