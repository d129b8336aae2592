/** What became of each cluster of a fleet, and whether that is as its scenario says. */
import { type Beginning, conclude } from '../conclude.ts';
import { GateObserver } from '../gate-observer.ts';
import { type RehearsalReport, renderLeft } from '../report.ts';
import type { FleetMember } from '../../scenarios/fleet.ts';
import { isOf } from '../stage/names.ts';
import type { WorkflowRun } from '../watch.ts';
import type { FleetScene } from './backstage.ts';
import type { MemberReport } from './options.ts';
import { runLine } from './render.ts';

interface EndedRun {
  run: WorkflowRun;
  report: RehearsalReport;
  problem?: string;
}

/** Sees the gates of each cluster from its making on. */
export class Members {
  readonly #scene: FleetScene;
  readonly #gates = new Map<FleetMember, GateObserver>();
  readonly #ended = new Map<FleetMember, EndedRun[]>();

  constructor(scene: FleetScene) {
    this.#scene = scene;
    for (const member of scene.members) {
      const gates = new GateObserver();
      gates.watch(scene.stage.slack, (workflowId) => isOf(member.scenario.cluster, workflowId));
      this.#gates.set(member, gates);
    }
  }

  /** After a run of the cluster has closed, and before another one begins. Resolves with a line about it. */
  async runEnded(member: FleetMember, run: WorkflowRun, startedAt: Beginning): Promise<string> {
    const { report, headline } = await this.#conclude(member, run.startedAt, startedAt);
    const before = this.#endedOf(member);
    const expected = member.ends[before.length];
    const problem = problemOf(report, expected);
    this.#ended.set(member, [...before, { run, report, problem }]);
    return runLine({ ...report, expected, problem }, headline);
  }

  /** How the last runs of these have ended; those without one are left out. */
  outcomes(members: readonly FleetMember[]): string[] {
    return members.flatMap((member) => this.#endedOf(member).at(-1)?.report.outcome ?? []);
  }

  /** Has every run that ended by now ended as it should? */
  get areAsTheyShouldBe(): boolean {
    return [...this.#ended.values()].flat().every(({ problem }) => problem === undefined);
  }

  /** In the order of the members. `since`: when the play began. */
  async reports(since: Date): Promise<MemberReport[]> {
    return await Promise.all(this.#scene.members.map((member) => this.#reportOf(member, since)));
  }

  async #reportOf(member: FleetMember, since: Date): Promise<MemberReport> {
    const { scenario, ends } = member;
    const ended = this.#endedOf(member);
    const { account, region } = scenario.cluster;
    const last = ended.at(-1)?.report ?? (await this.#conclude(member, since, { wallMs: performance.now(), worldMs: 0 })).report;
    const problems = ended.flatMap(({ problem }) => problem ?? []);
    if (ended.length < ends.length) problems.push(`ran ${times(ended.length)}, not ${times(ends.length)}`);
    return {
      ...last,
      environment: scenario.environment,
      account,
      region,
      expected: ends,
      runs: ended.map(({ run, report }) => ({ runId: run.runId, startedAt: run.startedAt.toISOString(), outcome: report.outcome })),
      ...(problems.length === 0 ? {} : { problem: problems.join('; ') }),
    };
  }

  async #conclude(member: FleetMember, since: Date, startedAt: Beginning): ReturnType<typeof conclude> {
    const { members, stage, watcher, recordsDirectory } = this.#scene;
    const side = stage.clusters[members.indexOf(member)];
    const gates = this.#gates.get(member);
    if (side === undefined || gates === undefined) throw new Error(`${member.scenario.name} is not of this fleet`);
    const { scenario } = member;
    return await conclude({ scenario, watcher, recordsDirectory, gates, stage: side, kills: { records: [] } }, since, startedAt);
  }

  #endedOf(member: FleetMember): readonly EndedRun[] {
    return this.#ended.get(member) ?? [];
  }
}

const times = (n: number): string => (n === 1 ? 'once' : `${n} times`);

/** undefined: the run ended, and left the cluster, as it should. `expected`: undefined where no further run was. */
export function problemOf(
  { outcome, leftBehind, unmet }: Pick<RehearsalReport, 'outcome' | 'leftBehind' | 'unmet'>,
  expected: FleetMember['ends'][number] | undefined,
): string | undefined {
  const problems = [
    ...(expected === undefined ? [`ran once more, and ended as ${outcome}`] : []),
    ...(expected === undefined || outcome === expected ? [] : [`ended as ${outcome}, not as ${expected}`]),
    ...leftBehind.map((left) => `left behind: ${renderLeft(left)}`),
    // What an aborted upgrade did not reach is no problem.
    ...(outcome === 'completed' ? unmet : []),
  ];
  return problems.length === 0 ? undefined : problems.join('; ');
}
