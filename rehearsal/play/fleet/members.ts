/** What became of each cluster of a fleet, and whether that is as its scenario says. */
import { type Beginning, conclude } from '../conclude.ts';
import { GateObserver } from '../gate-observer.ts';
import { renderLeft } from '../report.ts';
import type { FleetMember } from '../../scenarios/fleet.ts';
import { isOf } from '../../stage/names.ts';
import type { FleetScene } from './backstage.ts';
import type { MemberReport } from './options.ts';

/** Sees the gates of each cluster from its making on. */
export class Members {
  readonly #scene: FleetScene;
  readonly #gates = new Map<FleetMember, GateObserver>();

  constructor(scene: FleetScene) {
    this.#scene = scene;
    for (const member of scene.members) {
      const gates = new GateObserver();
      gates.watch(scene.stage.slack, (workflowId) => isOf(member.scenario.cluster, workflowId));
      this.#gates.set(member, gates);
    }
  }

  /** After the cluster's run has closed. */
  async reportOf(member: FleetMember, since: Date, startedAt: Beginning): Promise<{ report: MemberReport; headline: string | undefined }> {
    const { members, stage, watcher, recordsDirectory } = this.#scene;
    const side = stage.clusters[members.indexOf(member)];
    const gates = this.#gates.get(member);
    if (side === undefined || gates === undefined) throw new Error(`${member.scenario.name} is not of this fleet`);
    const { scenario } = member;
    const played = { scenario, watcher, recordsDirectory, gates, stage: side, kills: { records: [] } };
    const { report, headline } = await conclude(played, since, startedAt);
    const { account, region } = scenario.cluster;
    const whole = { ...report, environment: scenario.environment, account, region, expected: member.ends };
    return { report: { ...whole, problem: problemOf(whole) }, headline };
  }
}

/** undefined: the cluster is as it should be. */
export function problemOf(report: Pick<MemberReport, 'outcome' | 'expected' | 'leftBehind' | 'unmet'>): string | undefined {
  const { outcome, expected, leftBehind, unmet } = report;
  const problems = [
    ...(outcome === expected ? [] : [`ended as ${outcome}, not as ${expected}`]),
    ...leftBehind.map((left) => `left behind: ${renderLeft(left)}`),
    // What an aborted upgrade did not reach is no problem.
    ...(outcome === 'completed' ? unmet : []),
  ];
  return problems.length === 0 ? undefined : problems.join('; ');
}
