/** What a campaign says: at the gates of its rings, in its thread, and to those who steer it. */
import { actorName, type Actor } from '../../domain/gates/actor.ts';
import type { GateEvidence } from '../../domain/gates/gate.ts';
import { agree, because, capital, count, duration, someOf, utcMinute } from '../../domain/core/text.ts';
import { type PlanDrift, driftLines } from '../../domain/plan/campaign/drift.ts';
import type { CampaignPlan, PlannedRing } from '../../domain/plan/campaign/types.ts';
import type { RingState } from '../../domain/run/campaign/state.ts';
import { alarm, type GateText, info, type Note, warning } from './note.ts';

/** What is known of a ring when its gate is opened. */
interface RingNow {
  attempt: number;
  /** Clusters that can start. */
  going: number;
  haveToArrive: number;
  mayFail: number;
  /** A line for each cluster that the ring goes on without. */
  leftOut: string[];
  /** The ring before it. */
  behind?: RingState;
  drift?: PlanDrift;
  lines: string[];
}

/** The gate before a ring. */
export function ringGate(plan: CampaignPlan, ring: PlannedRing, now: RingNow): GateText {
  const { attempt, going, leftOut, behind, drift, lines } = now;
  const which = attempt === 1 ? '' : `, attempt ${attempt}`;
  const evidence: GateEvidence[] = [
    { title: `Ring ${ring.name}`, lines: ringLines(ring, now) },
    ...leftOutEvidence(leftOut),
    ...(behind === undefined ? [] : [{ title: `Ring before it: ${behind.name}`, lines: behindLines(behind) }]),
    ...(ring.untested.length === 0
      ? []
      : [{ title: 'Tried for the first time', lines: [`No earlier ring has ${someOf(ring.untested, 10)}.`] }]),
    ...(drift === undefined ? [] : [{ title: 'The plan has changed since it was approved', lines: driftLines(drift) }]),
    ...(lines.length === 0 ? [] : [{ title: 'Not compared with belay.yaml', lines }]),
  ];
  return {
    title: `Start ring ${ring.name} of campaign ${plan.campaign} to ${plan.target}${which}?`,
    next: `${count(going, 'cluster')} ${agree(going, 'starts its upgrade', `start their upgrades, ${ring.parallel} at a time`)}. ${ring.coversStart ? `This approval also covers the first gate of ${agree(going, 'its run', 'their runs')}; later gates ask for each cluster.` : 'Each run asks at its own gates.'}`,
    evidence,
    undo: 'A cluster can be rolled back for seven days after its upgrade (belay rollback). Once the campaign is paused or stopped, no further cluster starts.',
    choices: [
      { id: 'approve', label: 'Approve', does: `Starts ring ${ring.name}.`, style: 'primary' },
      { id: 'reject', label: 'Reject', does: 'Stops the campaign here. Running upgrades finish on their own.', style: 'danger' },
    ],
  };
}

/** Clusters that somebody has left out; each keeps its state. */
export const leftOutEvidence = (lines: readonly string[]): GateEvidence[] =>
  lines.length === 0 ? [] : [{ title: 'Left out of this ring', lines: [...lines] }];

function ringLines({ parallel, members, soakMs, canary }: PlannedRing, { going, haveToArrive, mayFail, leftOut }: RingNow): string[] {
  const ready = members.filter(({ readiness }) => readiness?.verdict === 'ready').length;
  const not = members.filter(({ verdict }) => verdict.kind !== 'upgrade' && verdict.kind !== 'done' && verdict.kind !== 'ahead');
  const blocked = members.filter(({ readiness }) => readiness !== undefined && readiness.verdict !== 'ready');
  return [
    `${going} of ${count(members.length, 'cluster')} can start, ${parallel} at a time. ${haveToArrive} must succeed; ${canary ? 'none' : mayFail} may fail${leftOut.length === 0 ? '' : ', counting those left out'}.`,
    soakMs === 0 ? 'The ring has no soak.' : `Afterwards Belay watches the ring for ${duration(soakMs)} (soak).`,
    ...(members.some(({ readiness }) => readiness !== undefined)
      ? [`${ready} of ${count(members.length, 'cluster')} ${agree(ready, 'is', 'are')} ready according to the checks.`]
      : []),
    ...blocked
      .slice(0, 5)
      .map(
        ({ cluster, readiness }) =>
          `${cluster.name}: ${readiness?.verdict === 'not-ready' ? 'not ready' : 'readiness unknown'}${because(readiness?.why)}`,
      ),
    ...not.slice(0, 10).map(({ cluster, verdict }) => `${cluster.name}: cannot start${'why' in verdict ? `, because ${verdict.why}` : ''}`),
  ];
}

function behindLines({ state, soak, why }: RingState): string[] {
  return [
    `${capital(state.replaceAll('-', ' '))}${because(why)}.`,
    ...(soak === undefined
      ? []
      : [
          `Watched for ${duration(soak.watchedMs)}${soak.restarted === undefined ? '' : `; restarted at ${utcMinute(soak.restarted.at)}, because ${soak.restarted.why}`}.`,
        ]),
  ];
}

/** Title of a file. */
export const ringListTitle = (ring: string, attempt: number): string =>
  `Clusters of ring ${ring}${attempt === 1 ? '' : `, attempt ${attempt}`}`;

export const campaignRefused = (why: string): Note => alarm(`The campaign was not started: ${why}`);
/** `going`: clusters of it that have not arrived. */
export const ringBegun = (ring: PlannedRing, by: Actor | undefined, going: readonly string[]): Note =>
  info(
    `Ring ${ring.name} starts${by === undefined ? ' after the soak of the ring before it' : `, approved by ${actorName(by)}`}: ${going.length === 0 ? 'all its clusters are already at the target' : someOf(going, 10)}.`,
  );
export const ringStopped = (ring: string, why: string, campaign: string): Note =>
  alarm(
    `Ring ${ring} of campaign ${campaign} stopped: ${why}. No further cluster starts. Fix the cause, then retry the ring: \`/eks-upgrade campaign retry ${campaign}\` or \`belay campaign retry ${campaign}\``,
  );
export const ringSoaking = (ring: PlannedRing, why: string | undefined): Note =>
  info(
    `Ring ${ring.name} is upgraded${why === undefined ? '' : ` (${why})`}.${ring.soakMs === 0 ? '' : ` Belay now watches it for ${duration(ring.soakMs)} (soak).`}`,
  );
export const soakRestarted = (ring: string, why: string): Note => warning(`The soak of ring ${ring} starts over: ${why}`);
/** `why`: clusters that are held, each with its reason. `begun`: it was approved. */
export function ringHeldUp({ ring, begun, why }: { ring: string; begun: boolean; why: string }, campaign: string): Note {
  const tries = `Ring ${ring} of campaign ${campaign} cannot ${begun ? 'continue' : 'start'}: ${why}. Belay keeps trying.`;
  if (!begun) return warning(`${tries} Its gate opens once one of its clusters can start.`);
  return warning(`${tries} To continue without a cluster: \`belay campaign retry ${campaign} ${ring} --without CLUSTER --reason "…"\``);
}
export const soakHeldUp = (ring: string, seen: 'red' | 'unread', why: string | undefined): Note =>
  warning(
    `The soak of ring ${ring} is paused: ${seen === 'red' ? 'health is red' : 'its health could not be read'}${because(why)}. This time does not count, and the next ring waits. Belay keeps checking.`,
  );
export const settingsUnread = (campaign: string, why: string): Note =>
  warning(
    `Could not read the settings of campaign ${campaign} from belay.yaml: ${why}. It continues with the settings it had. Fix belay.yaml; clusters that cannot start meanwhile say why.`,
  );
export const campaignEnded = (campaign: string, how: string): Note => info(`Campaign ${campaign} ${how}.`);
export const finishByPassed = (campaign: string, day: string): Note =>
  alarm(`Campaign ${campaign} was due to finish by ${day}, and has not. It continues as planned: Belay skips no gate to catch up.`);
export const promotionWaits = (ring: string): string => `no cluster of ring ${ring} can start yet`;
export const commandSaid = (actor: Actor, said: string): Note => info(`${actorName(actor)}: ${said}`);
export const campaignRejected = (ring: string, by: Actor): string => `ring ${ring} was rejected by ${actorName(by)}`;
export const planAltered = (): string =>
  'its plan does not match its hash, so it was changed on the way. Plan it again with "belay campaign plan"';
export const planNotOfFile = (why: string): string =>
  `its plan is not one that belay.yaml makes: ${why}. Plan it again with "belay campaign plan"`;
export const planHasProblems = (problems: readonly string[]): string => `its plan has problems: ${sentences(problems)}`;
/** The first of them: each is one or two sentences. */
const sentences = (all: readonly string[]): string =>
  `${all.slice(0, 3).join(' ')}${all.length > 3 ? ` There are ${all.length - 3} more.` : ''}`;
export const campaignOver = (): string => 'the campaign has ended';
export const driftUnread = (why: string): string => `Could not read whether belay.yaml has changed since the plan was approved: ${why}`;
export const planUnusable = (problems: readonly string[]): string =>
  `belay.yaml and the clusters give no plan now, so this one stays as it was approved: ${sentences(problems)}`;
export const targetMoved = (now: string, approved: string): string =>
  `belay.yaml now says target ${now} for this campaign. It stays one to ${approved}: write another campaign for ${now}.`;
/** In the thread of a run: its first gate is not asked. */
export const approvedWithRing = (step: string, { name, ring }: { name: string; ring: string }): Note =>
  info(`${step}: approved together with ring ${ring} of campaign ${name}. Later gates ask here.`);
