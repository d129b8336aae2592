/**
 * Who brings a fleet to its target: here Alex, who types one command after the other, ring by ring, while Sam presses the buttons. A campaign of Belay's
 * takes the place of this file: it needs the members in, and what became of them out.
 */
import { startByCommand } from '../drive.ts';
import type { Progress } from '../progress.ts';
import { FLEET_ENVIRONMENTS, type FleetMember } from '../../scenarios/fleet.ts';
import { isOf, startCommand, upgradeId } from '../../stage/names.ts';
import { startPersona } from '../../slack/persona.ts';
import type { FleetScene } from './backstage.ts';
import { Members } from './members.ts';
import type { MemberReport } from './options.ts';
import { memberLine, ringLine } from './render.ts';
import { ringByRing } from './rings.ts';

const REQUESTER = 'U0ALEX';
const PERSONA = 'U0SAM';
const PARALLEL = 3;
/** A persona thinks this long, in world time, and not under a quarter of a second. */
const THINK_WORLD_MS = 30_000;
const THINK_AT_LEAST_MS = 250;

export interface FleetPlay {
  scene: FleetScene;
  progress: Progress;
  speed: number;
  /** Aborts when people end it, or a process cannot be kept alive. */
  signal: AbortSignal;
}

/** Resolves when every cluster's run has closed, with what became of them, in the order of the members. */
export type FleetDriver = (play: FleetPlay) => Promise<MemberReport[]>;

export const byHand: FleetDriver = async (play) => {
  const { scene, progress, speed } = play;
  const { members, stage } = scene;
  const rings = FLEET_ENVIRONMENTS.map((name) => ({ name, members: members.filter(({ scenario }) => scenario.environment === name) }));
  const persona = startPersona({
    slack: stage.slack,
    user: PERSONA,
    mode: 'approve',
    thinkMs: Math.max(THINK_AT_LEAST_MS, THINK_WORLD_MS / speed),
    decide: (gate, workflowId) => decide(members, gate, workflowId),
  });
  const observed = new Members(scene);
  const typed = oneAtATime();
  try {
    return await ringByRing(rings, {
      parallel: PARALLEL,
      run: (member) => upgrade(play, observed, typed, member),
      onRing: ({ name }, reports) => progress.line(ringLine(name, reports)),
    });
  } finally {
    persona.close();
  }
};

/** Where a cluster is to go bad no retry is of use; undefined: as usual. */
function decide(members: readonly FleetMember[], gate: string, workflowId: string): string | undefined {
  const member = members.find(({ scenario }) => isOf(scenario.cluster, workflowId));
  return member?.ends === 'aborted' && gate.startsWith('failed:') ? 'abort' : undefined;
}

/** From the command to the run's end. */
async function upgrade(
  { scene, progress, signal }: FleetPlay,
  observed: Members,
  typed: <T>(act: () => Promise<T>) => Promise<T>,
  member: FleetMember,
): Promise<MemberReport> {
  const { stage, watcher } = scene;
  const { cluster, name } = member.scenario;
  const [since, workflowId, command] = [new Date(), upgradeId(cluster), startCommand(member.scenario)];
  const startedAt = { wallMs: performance.now(), worldMs: stage.clock.elapsedMs() };
  const say = (line: string): void => progress.line(line);
  const asked = { slack: stage.slack, watcher, command, requester: REQUESTER, about: name, workflowId, since, signal, say };
  const { started, answers } = await typed(() => startByCommand(asked));
  if (started === undefined) throw new Error(`${command} did not start. Slack said: ${answers.join(' ') || 'nothing'}`);
  await watcher.untilClosed(workflowId, since, signal);
  const { report, headline } = await observed.reportOf(member, since, startedAt);
  progress.line(memberLine(report, headline));
  return report;
}

/** One person types: the next command when the one before is answered. */
function oneAtATime(): <T>(act: () => Promise<T>) => Promise<T> {
  let before: Promise<unknown> = Promise.resolve();
  return (act) => {
    const mine = before.then(act);
    before = mine.catch(() => undefined);
    return mine;
  };
}
