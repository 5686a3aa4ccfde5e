package model

// A reading is what CloudFormation does when an Update that FAILED answers
// with a new ID. AWS does not document it, and what people saw can be read in
// three ways.
type reading int

const (
	pointsBack reading = iota // to the old ID, and deletes the new one in its cleanup
	updates                   // sends the rollback's Update with the new ID
	keeps                     // takes the new ID for the resource's
)

func (r reading) String() string {
	return [...]string{"CloudFormation points back to the old ID", "CloudFormation sends the rollback's Update with the new ID", "CloudFormation keeps the new ID"}[r]
}

// A harm is what a history must not do, by name.
type harm string

// A step is one operation on the stack.
type step struct {
	op    operation
	to    string // the identity that the template asks for
	how   course
	fault fault
	at    request // which of the operation's requests the fault meets
	bad   string  // the property that is malformed
	// The provider has learned to refuse the properties of before.
	outdated bool
}

type operation int

const (
	create operation = iota
	update
	remove
)

type course int

const (
	goesWell    course = iota
	sibling            // the resource is done, then another one fails
	retains            // UpdateReplacePolicy: Retain
	landed             // cancelled after the effect, before the answer
	overtaken          // cancelled while it works; its effect comes after the rollback's
	conflicting        // the same with a service that serialises updates
)

type request int

const (
	forward request = iota
	rollback
	cleanup // any Delete
)

func (st step) String() string {
	s := map[operation]string{create: "create " + st.to, update: "update to " + st.to, remove: "delete the stack"}[st.op]
	if st.bad != "" {
		s += ", " + st.bad + " malformed"
	}
	if st.outdated {
		s += ", after an upgrade that refuses the old properties"
	}
	s += [...]string{"", ", sibling fails", ", old one retained", ", cancelled after its effect", ", cancelled before its effect", ", cancelled before its effect, updates serialised"}[st.how]
	if st.fault.name != "" {
		s += [...]string{", ", ", in the rollback: ", ", in the Delete: "}[st.at] + st.fault.name
	}
	return s
}
