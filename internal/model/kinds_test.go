package model

import "slices"

// The limits of handlers whose resources are replaced: those that their ID, or
// Find, leads back to.
var (
	asking   = []string{overlapping, belatedWork, outdatedRollback, cancelledReplacement, diedReplacement, lateReplacement, readopted, untrackedReplacement, staleDelete}
	replaced = []string{overlapping, belatedWork, outdatedRollback, cancelledReplacement, diedReplacement, lateReplacement, readopted, keptReplacement}
	renamed  = append(slices.Clone(replaced), staleDelete) // by the ID that it had before
	inPlace  = []string{overlapping, belatedWork, outdatedRollback}
)

// withPhase returns the same handlers with Options.Phase, which knows why a
// request came. Only what was tracked or returned is taken back.
func withPhase(all []*kind) (told []*kind) {
	for _, k := range all {
		with := *k
		with.name, with.phase = k.name+", with Phase", true
		with.long = false
		with.limits = slices.DeleteFunc(slices.Clone(k.limits), func(limit string) bool {
			switch limit {
			case belatedWork, staleDelete, outdatedRollback, trackedUnmade:
				return true
			case cancelledReplacement:
				return k.tracks || k.returns
			}
			return false
		})
		told = append(told, &with)
	}
	return told
}

const imitated = stackName + "-" + logicalID + "-9ZYXWVUTSRQP" // by another library, in the shape of CloudFormation's

// kinds are the ways to write a handler, and what is known not to hold for
// each.
var kinds = append(untold, withPhase(untold)...)

var untold = []*kind{
	{name: "named", naming: stable, tracks: true, long: true, limits: append(slices.Clone(renamed), untrackedReplacement)},
	{name: "named, only asks for its StableID", naming: stable, limits: asking},
	{name: "named, puts", naming: stable, puts: true, limits: asking},
	{name: "named, puts, and tracks what it met", naming: stable, puts: true, tracks: true, limits: append(slices.Clone(renamed), untrackedReplacement, trackedUnmade)},
	{name: "named, returns its StableID", naming: stable, returns: true, limits: append(slices.Clone(renamed), untrackedReplacement)},

	{name: "found, assigned", naming: assigned, tracks: true, returns: true, finds: true, long: true, limits: replaced},
	{name: "found, assigned, without client tokens", naming: assigned, tracks: true, returns: true, finds: true, plain: true, limits: append(slices.Clone(replaced), twins)},
	{name: "found, ARN", naming: stable, arn: true, tracks: true, returns: true, finds: true, limits: renamed},
	{name: "found, chosen", naming: chosen, tracks: true, returns: true, finds: true, long: true, limits: renamed},
	{name: "found, chosen, name kept", naming: chosen, tracks: true, returns: true, finds: true, keepName: true, limits: inPlace},
	{name: "found, chosen, name kept, proved by owner", naming: chosen, tracks: true, returns: true, finds: true, keepName: true, loose: true, limits: inPlace},
	{name: "found, chosen, a taken", naming: chosen, tracks: true, returns: true, finds: true, taken: "a"},
	{name: "found, chosen, b taken", naming: chosen, tracks: true, returns: true, finds: true, taken: "b", limits: inPlace},

	{name: "neither, assigned", naming: assigned, tracks: true, returns: true, limits: append(slices.Clone(inPlace), lost, madeTwice)},
	{name: "neither, ARN", naming: stable, arn: true, tracks: true, returns: true, limits: append(slices.Clone(inPlace), madeTwice)},
	{name: "neither, chosen", naming: chosen, tracks: true, returns: true, rigid: true, limits: append(slices.Clone(inPlace), lost, madeTwice)},
	{name: "neither, chosen, a taken", naming: chosen, tracks: true, returns: true, rigid: true, taken: "a"},
	{name: "neither, chosen, b taken", naming: chosen, tracks: true, returns: true, rigid: true, taken: "b", limits: append(slices.Clone(inPlace), lost, madeTwice)},
	{name: "neither, chosen, a taken, tracked before it is made", naming: chosen, presumes: true, returns: true, rigid: true, taken: "a", limits: []string{presumed}},

	{name: "named, made by another library", naming: stable, tracks: true, legacy: "legacy-1", limits: inPlace},
	{name: "named, made by another library in CloudFormation's shape", naming: stable, tracks: true, legacy: imitated, limits: inPlace},
	{name: "found, assigned, made by another library", naming: assigned, tracks: true, returns: true, finds: true, legacy: "svc-legacy", limits: inPlace},
	{name: "found, assigned, made by another library in CloudFormation's shape", naming: assigned, tracks: true, returns: true, finds: true, legacy: imitated, limits: inPlace},
	{name: "found, chosen, made by another library", naming: chosen, tracks: true, returns: true, finds: true, legacy: "legacy-1", limits: inPlace},
	{name: "neither, assigned, made by another library", naming: assigned, tracks: true, returns: true, legacy: "svc-legacy", limits: inPlace},
}
