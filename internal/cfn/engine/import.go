package engine

import (
	"slices"
	"strings"
	"time"
)

// An Imported resource is one to import into a stack: its physical ID, and the model
// that READ returned.
type Imported struct {
	PhysicalID string
	Model      map[string]any
}

const importing = "ImportResources" // an Operation's Kind

// Import is the execution of a change set of the type IMPORT: resources by their logical IDs become
// the stack's, or those of a new stack [D]. The template's other resources are those that the stack
// has [D]. CloudFormation then updates what it has imported, to add its tags [O].
func (m *Machine) Import(now time.Time, d Deployment, resources map[string]Imported) error {
	s := m.stack
	switch s.Status {
	case "", "REVIEW_IN_PROGRESS", "CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE", "IMPORT_ROLLBACK_COMPLETE": // [D]
	default:
		return refuse("Stack:%s is in %s state and can not be updated.", s.ID, s.Status)
	}
	if err := m.validate(d); err != nil {
		return err
	}
	m.top.now = now
	if err := m.importable(d.Template, resources); err != nil {
		return err
	}
	if s.Status == "" { // the change set has made it
		if err := m.Review(now); err != nil {
			return err
		}
	}
	m.deploy(now, importing, d)
	m.addFirstEvent("IMPORT_IN_PROGRESS")
	for _, t := range d.Template.Resources {
		if of, ok := resources[t.LogicalID]; ok {
			m.addImported(&t, of)
		}
	}
	m.goForward()
	return nil
}

// importable refuses what cannot be imported [D]; the texts are [O] or [?].
func (m *Machine) importable(t *Template, resources map[string]Imported) error {
	var missing, changed []string
	declared := map[string]bool{}
	owners := map[[2]string]string{} // by type and ID
	for _, r := range m.stack.Resources {
		if !r.Gone {
			owners[[2]string{r.Type, r.PhysicalID}] = r.LogicalID
		}
	}
	// What the template declares is imported, or is in the stack as it is declared.
	for i := range t.Resources {
		d := &t.Resources[i]
		declared[d.LogicalID] = true
		r, imported := m.byID[d.LogicalID], resources[d.LogicalID].PhysicalID != ""
		switch {
		case r != nil && imported:
			return refuse("The resource %s is in the stack already, and cannot be imported", d.LogicalID)
		case imported && !m.registered(d.Type): // [O] of the API; the console words it otherwise
			return refuse("ResourceTypes [%s] are not supported for Import", d.Type)
		case imported && d.DeletionPolicy == "": // [D]
			return refuse("The resource %s is to be imported, and has no DeletionPolicy: give it one", d.LogicalID)
		case imported:
			is := [2]string{d.Type, resources[d.LogicalID].PhysicalID}
			if other := owners[is]; other != "" {
				return refuse("The resource %s is to be imported, and %s is the same resource", d.LogicalID, other)
			}
			owners[is] = d.LogicalID
		case r == nil:
			missing = append(missing, d.LogicalID)
		default:
			if res, err := m.resolve(d); err != nil || r.Type != d.Type || res.properties != r.Properties ||
				r.DeletionPolicy != d.DeletionPolicy || r.UpdateReplacePolicy != d.UpdateReplacePolicy {
				changed = append(changed, d.LogicalID)
			}
		}
	}
	// What it does not declare is neither.
	for id := range m.byID {
		if !declared[id] {
			changed = append(changed, id)
		}
	}
	for id := range resources {
		if !declared[id] {
			return refuse("The resource %s is to be imported, and is not in the template: name one of its resources in --id", id)
		}
	}
	slices.Sort(changed)
	switch {
	case len(missing) > 0:
		return refuse("Template error: Resources [%s] is missing from ResourceToImport list", strings.Join(missing, ", "))
	case len(changed) > 0:
		return refuse("As part of the import operation, you cannot modify or remove resources of the stack: [%s]", strings.Join(changed, ", "))
	}
	return nil
}

func (m *Machine) addImported(t *Resource, of Imported) {
	model, err := appendJSON(nil, of.Model, false)
	if err != nil {
		model = []byte("{}")
	}
	r := &StackResource{LogicalID: t.LogicalID, Type: t.Type, PhysicalID: of.PhysicalID, Properties: Properties(model), Attributes: of.Model,
		DependsOn: t.DependsOn, DeletionPolicy: t.DeletionPolicy, UpdateReplacePolicy: t.UpdateReplacePolicy, Sent: true, New: true}
	m.stack.Resources = append(m.stack.Resources, r)
	m.byID[r.LogicalID] = r
	m.addResourceEvent(r, "IMPORT_IN_PROGRESS", "Resource import started.") // [O]
	m.addResourceEvent(r, "IMPORT_COMPLETE", "Resource import completed.")  // [O]
}

func (m *Machine) isImported(r *StackResource) bool {
	return m.stack.Operation.Kind == importing && r.New
}

// startImported updates an imported resource to the template's properties and the stack's tags.
func (m *Machine) startImported(i int, r *StackResource, t *Resource) {
	res, err := m.resolve(t)
	if err != nil {
		m.failed(i, err)
		return
	}
	r.Old = r.Properties
	r.applyResolved(res)
	if t, ok := m.provider(r.Type).(*ResourceType); ok && t.Fixed {
		m.complete(i)
		return
	}
	m.addResourceEvent(r, "UPDATE_IN_PROGRESS", "Apply stack-level tags to imported resource if applicable.") // [O]
	m.send(i, "Update", r)
}

// releaseImported ends a failed import: the resources to import stay as they are and
// leave the stack [D].
func (m *Machine) releaseImported(reason string) {
	s := m.stack
	m.addStackEvent("IMPORT_ROLLBACK_IN_PROGRESS", reason)
	s.Resources = slices.DeleteFunc(s.Resources, func(r *StackResource) bool {
		if !r.New {
			return false
		}
		m.addResourceEvent(r, "IMPORT_ROLLBACK_IN_PROGRESS", "")
		m.addResourceEvent(r, "IMPORT_ROLLBACK_COMPLETE", "")
		delete(m.byID, r.LogicalID)
		return true
	})
	s.Target, m.target = s.Stable, m.stable
	m.endOperation("IMPORT_ROLLBACK_COMPLETE", "")
}
