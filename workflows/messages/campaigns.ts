/** What a campaign says: at the gates of its rings, in its thread, and to those who steer it. */
import { actorName, type Actor } from '../../domain/gates/actor.ts';
import type { GateEvidence } from '../../domain/gates/gate.ts';
import { because, capital, count, duration, someOf } from '../../domain/core/text.ts';
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
    ...(behind === undefined ? [] : [{ title: `Ring ${behind.name} behind it`, lines: [...behindLines(behind), ...lines] }]),
    ...(ring.untested.length === 0 ? [] : [{ title: 'Untested here first', lines: [`No earlier ring has ${someOf(ring.untested, 10)}.`] }]),
    ...(drift === undefined ? [] : [{ title: 'The plan has changed since it was approved', lines: driftLines(drift) }]),
  ];
  return {
    title: `Start ring ${ring.name} of campaign ${plan.campaign} to ${plan.target}${which}?`,
    next: `${capital(count(going, 'cluster'))} start their upgrades, ${ring.parallel} at a time. ${ring.coversStart ? 'This stands for the first gate of their runs; later gates are asked at each cluster.' : 'Each run asks at its own gates.'}`,
    evidence,
    undo: 'A cluster that has moved can go back for seven days (belay rollback). Pausing or stopping the campaign starts no further cluster.',
    choices: [
      { id: 'approve', label: 'Approve', does: `Starts ring ${ring.name}.`, style: 'primary' },
      { id: 'reject', label: 'Reject', does: 'Stops the campaign here. Running upgrades finish on their own.', style: 'danger' },
    ],
  };
}

/** Clusters that people have left out; each counts as what it is. */
export const leftOutEvidence = (lines: readonly string[]): GateEvidence[] =>
  lines.length === 0 ? [] : [{ title: 'Goes on without', lines: [...lines] }];

function ringLines({ parallel, members, soakMs, canary }: PlannedRing, { going, haveToArrive, mayFail, leftOut }: RingNow): string[] {
  const ready = members.filter(({ readiness }) => readiness?.verdict === 'ready').length;
  const not = members.filter(({ verdict }) => verdict.kind !== 'upgrade' && verdict.kind !== 'done' && verdict.kind !== 'ahead');
  const blocked = members.filter(({ readiness }) => readiness !== undefined && readiness.verdict !== 'ready');
  return [
    `${going} of ${count(members.length, 'cluster')} can start, ${parallel} at a time. ${haveToArrive} have to arrive; ${canary ? 'none' : mayFail} may fail${leftOut.length === 0 ? '' : ', those left out included'}.`,
    `It soaks for ${duration(soakMs)} under watch.`,
    ...(members.some(({ readiness }) => readiness !== undefined) ? [`${ready} of ${members.length} are ready by their checks.`] : []),
    ...blocked
      .slice(0, 5)
      .map(({ cluster, readiness }) => `${cluster.name} is ${readiness?.verdict}: ${readiness?.why ?? 'no reason given'}`),
    ...not.slice(0, 10).map(({ cluster, verdict }) => `${cluster.name}: ${verdict.kind}${'why' in verdict ? `, ${verdict.why}` : ''}`),
  ];
}

function behindLines({ state, soak, why }: RingState): string[] {
  return [
    `${capital(state)}${because(why)}.`,
    ...(soak === undefined
      ? []
      : [
          `Watched for ${duration(soak.watchedMs)}${soak.restarted === undefined ? '' : `, again since ${soak.restarted.at} (${soak.restarted.why})`}.`,
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
    `Ring ${ring.name} begins${by === undefined ? ' after the soak of the ring before' : `, approved by ${actorName(by)}`}: ${going.length === 0 ? 'all its clusters have arrived' : someOf(going, 10)}.`,
  );
export const ringStopped = (ring: string, why: string, campaign: string): Note =>
  alarm(
    `Ring ${ring} of campaign ${campaign} stopped: ${why}. No further cluster starts. Fix it, then: \`/eks-upgrade campaign retry ${campaign}\` or \`belay campaign retry ${campaign}\``,
  );
export const ringSoaking = (ring: PlannedRing, why: string | undefined): Note =>
  info(`Ring ${ring.name} has arrived${because(why)}. It soaks for ${duration(ring.soakMs)}.`);
export const soakRestarted = (ring: string, why: string): Note => warning(`The soak of ring ${ring} begins again: ${why}`);
export const campaignEnded = (campaign: string, how: string): Note => info(`Campaign ${campaign} ${how}.`);
export const finishByPassed = (campaign: string, day: string): Note =>
  alarm(`Campaign ${campaign} was to end by ${day}, and has not. Nothing is skipped and no gate opens for that.`);
export const promotionWaits = (ring: string): string => `no cluster of ring ${ring} can start yet`;
export const commandSaid = (actor: Actor, said: string): Note => info(`${actorName(actor)}: ${said}`);
export const campaignRejected = (ring: string, by: Actor): string => `ring ${ring} was rejected by ${actorName(by)}`;
export const planAltered = (): string => 'its plan is not the one that its hash is of; plan it again (belay campaign plan)';
export const planHasProblems = (problems: readonly string[]): string => `its plan has problems: ${someOf(problems, 3)}`;
export const campaignOver = (): string => 'The campaign ended meanwhile';
export const driftUnread = (why: string): string => `Whether belay.yaml has changed since is not known: ${why}`;
/** In the thread of a run: its first gate is not asked. */
export const approvedWithRing = (step: string, { name, ring }: { name: string; ring: string }): Note =>
  info(`${step}: approved with ring ${ring} of campaign ${name}. Later gates are asked here.`);
