/** Puts back what a run that was ended from outside has left behind. Its id is the cluster's lock, so no run can be at work meanwhile; a look has another. */
import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { isTimely, reconcileText } from '../../domain/gates/identity-proof.ts';
import { reasonProblem, unproven } from '../../domain/gates/gate.ts';
import type { SideEffect } from '../../domain/run/side-effects/side-effect.ts';
import { differenceLines, headline, putBackLines } from '../../domain/run/side-effects/text.ts';
import { holdsNodes, type Leftover, leftoverWords, type Reconciled, type ReconcileReport } from '../../domain/run/leftovers.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import { configActivities, type PhaseActivities, phaseActivities } from '../runtime/activity-proxies.ts';
import { readRight, senderIn } from '../gates/authorize.ts';
import { AuditTrail } from '../reporting/audit/audit-trail.ts';
import { isReset, useGrant } from '../runtime/messages/grant.ts';
import { upgradeWorkflowId } from '../contract/ids.ts';
import type { ReconcileInput } from '../contract/messages.ts';
import { putBack } from './put-back.ts';
import { messageOf } from '../runtime/root-cause.ts';
import { setKeywords } from '../contract/search-attributes.ts';
import { isAlive } from '../runtime/signal-if-running.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { MERGED_WORDS } from '../../domain/run/record/merge-finding.ts';
import { defined } from '../../domain/core/defined.ts';
import { agree, count } from '../../domain/core/text.ts';
import { nodesNotAt } from '../../domain/facts/version-skew.ts';

/** What is put back was there before: whoever may approve may do it alone, so nobody stands as the requester. */
const NOBODY: Actor = { kind: 'slack', id: '' };
const RESET = 'It was reset in Temporal. Ask for it again.';
const NOT_NOW = 'It was signed at another time than it was started, so nothing was changed: send it again, and check the clocks.';
const LAST_ENTRIES_MS = 10_000;

export async function reconcileCluster(input: ReconcileInput): Promise<ReconcileReport> {
  const { cluster, apply } = input;
  const policy = await configActivities.loadPolicy({ cluster });
  if (!apply) return await reconcile(input, phaseActivities(policy.timing));
  setKeywords(policy, { BelayPhase: 'reconcile' });
  const { person, refused } = await whoAsks(input, policy);
  const trail = new AuditTrail({ cluster, runId: workflowInfo().runId }, () => undefined);
  const note = (kind: 'start' | 'refused' | 'end', what: string): void =>
    trail.note({
      id: kind,
      at: new Date().toISOString(),
      kind,
      what,
      actor: person,
      ...defined({ reason: input.reason }),
    });
  const journal = { of: { step: 'reconcile', round: 1 }, note: (event: Parameters<AuditTrail['note']>[0]) => trail.note(event) };
  try {
    if (refused !== undefined) {
      note('refused', `reconcile was refused: ${refused}`);
      return { applied: false, items: [], unseen: [], refused };
    }
    note('start', `Restoring what runs left behind on ${cluster.name} was requested`);
    const effects: SideEffect[] = [];
    const activities = phaseActivities(policy.timing, journal, (found) => void effects.push(...found));
    const report = withSideEffects(await reconcile(input, activities), effects);
    note('end', `Restored: ${report.items.filter(({ outcome }) => outcome === 'restored').length} of ${report.items.length}`);
    return report;
  } finally {
    await trail.finish(LAST_ENTRIES_MS);
  }
}

async function whoAsks(input: ReconcileInput, policy: UpgradePolicy): Promise<{ person: Actor; refused?: string }> {
  const { cluster, requestedBy, proof, at, reason } = input;
  const tooLong = reasonProblem(reason);
  if (tooLong !== undefined) return { person: unproven(requestedBy), refused: tooLong };
  const { workflowId, startTime } = workflowInfo();
  const claim = { proof, words: reconcileText(workflowId, input) };
  const right = await readRight(
    { cluster, policy, requestedBy: NOBODY },
    requestedBy,
    'Who may do this could not be read just now. Try again.',
    { claim, starts: true },
  );
  const person = senderIn(right, requestedBy);
  if (proof !== undefined && right.allowed && !isTimely(at, startTime.getTime())) return { person, refused: NOT_NOW };
  if (right.grant !== undefined && isReset(right.grant)) return { person, refused: RESET };
  if (right.allowed) useGrant(right.grant);
  return { person, ...(right.allowed ? {} : { refused: right.why }) };
}

async function reconcile({ cluster, apply, roll }: ReconcileInput, activities: PhaseActivities): Promise<ReconcileReport> {
  setCurrentDetails(`Looking for what runs have left behind on **${cluster.name}**.`);
  const { leftovers, unseen, merges } = await activities.survey.findLeftovers.executeWithOptions(
    { summary: 'What have runs left behind?' },
    [{ cluster }],
  );
  // Under the lock's id nobody else can be at work; a look may find a run that is.
  const atWork = !apply && leftovers.length > 0 && (await isAlive(upgradeWorkflowId(cluster)));
  const lagging = roll !== true && leftovers.some(holdsNodes) ? await whyNotRoll(activities, cluster) : undefined;
  const moving = leftovers.some(({ kind }) => kind === 'fargate') ? await whyNotStart(activities, cluster) : undefined;
  const items: Reconciled[] = [];
  for (const leftover of leftovers) {
    const what = leftoverWords(leftover);
    const why = atWork ? 'a run is at work on the cluster and holds it' : await whyLeft(leftover, { lagging, moving });
    if (why !== undefined) items.push({ what, outcome: 'left', why });
    else if (!apply) items.push({ what, outcome: 'to-restore' });
    else items.push({ what, ...(await putBack(activities, cluster, leftover)) });
  }
  const report: ReconcileReport = { applied: apply, items, unseen, ...defined({ merges }) };
  setCurrentDetails(detailsOf(cluster, report));
  return report;
}

/** What was changed beside what was put back: told, since nobody is at a gate here. */
function withSideEffects(report: ReconcileReport, effects: SideEffect[]): ReconcileReport {
  if (effects.length === 0) return report;
  const items = effects.map(
    (effect): Reconciled => ({
      what: headline(effect),
      outcome: 'left',
      why: `changed although nobody asked for it: ${differenceLines([effect]).join('; ')}. ${putBackLines([effect]).join(' ')}`,
    }),
  );
  return { ...report, items: [...report.items, ...items] };
}

async function whyLeft(
  leftover: Leftover,
  { lagging, moving }: { lagging: string | undefined; moving: string | undefined },
): Promise<string | undefined> {
  if (leftover.kind === 'fargate') return moving;
  if (leftover.kind === 'for-people') return 'what it was before is in the annotation; whether it is to come back, only people can say';
  if (leftover.kind === 'freeze' && (await isAlive(leftover.guard)))
    return 'its guard still runs and holds it; decide at its gate (belay status shows it)';
  return lagging !== undefined && holdsNodes(leftover) ? lagging : undefined;
}

/** A pod on Fargate gets the version that the control plane still has. What cannot be read holds up nobody's workloads. */
async function whyNotStart({ survey }: PhaseActivities, cluster: ClusterRef): Promise<string | undefined> {
  try {
    const skew = await survey.readSkew.executeWithOptions({ summary: 'Is the control plane on its way?' }, [{ cluster }]);
    return skew.updating
      ? 'what starts there while the control plane is updated may be newer than it: ask again when EKS is done'
      : undefined;
  } catch {
    return undefined;
  }
}

/** Once a control plane has moved, what holds the nodes behind it is all that keeps them from being replaced unasked. */
async function whyNotRoll({ survey }: PhaseActivities, cluster: ClusterRef): Promise<string | undefined> {
  try {
    const skew = await survey.readSkew.executeWithOptions({ summary: 'Does any node lag behind the control plane?' }, [{ cluster }]);
    if (skew.updating) return 'the control plane is being updated';
    const { count: lagCount } = nodesNotAt(skew.controlPlane, skew);
    if (lagCount === 0) return undefined;
    return `the control plane is at ${skew.controlPlane} and ${count(lagCount, 'node')} ${agree(lagCount, 'is', 'are')} not: without it Karpenter would replace them (--roll does it all the same)`;
  } catch (error) {
    return `it cannot be read whether nodes lag behind the control plane: ${messageOf(error)}`;
  }
}

function detailsOf({ name }: ClusterRef, { applied, items, unseen, merges = [] }: ReconcileReport): string {
  const lines = [
    ...items.map(({ what, outcome, why }) => `- ${outcome}: ${what}${why === undefined ? '' : `: ${why}`}`),
    ...unseen.map(({ what, why }) => `- UNKNOWN: ${what} cannot be seen: ${why}`),
    ...merges.map(({ object, state, why }) => `- in code, ${MERGED_WORDS[state]}: ${object}: ${why}`),
  ];
  const head = applied ? `Put back what runs have left behind on **${name}**.` : `What runs have left behind on **${name}**.`;
  return `${head}\n\n${lines.length === 0 ? 'Nothing was found.' : lines.join('\n')}`;
}
