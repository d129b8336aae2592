/** Runs of a fleet's clusters as Temporal lists them, whoever started them: when each began, and a line when it has ended. */
import type { Beginning } from '../conclude.ts';
import type { FleetMember } from '../../scenarios/fleet.ts';
import { upgradeId } from '../stage/names.ts';
import type { FleetPlay } from './driver.ts';
import type { Members } from './members.ts';

export class Runs {
  readonly #play: FleetPlay;
  readonly #members: Members;
  readonly #since: Date;
  readonly #byId: ReadonlyMap<string, FleetMember>;
  readonly #open = new Map<string, Beginning>();
  readonly #ended = new Set<string>();

  constructor(play: FleetPlay, members: Members, since: Date) {
    this.#play = play;
    this.#members = members;
    this.#since = since;
    this.#byId = new Map(play.scene.members.map((member) => [upgradeId(member.scenario.cluster), member]));
  }

  /** Does one go on that the last look has seen? */
  get areOpen(): boolean {
    return this.#open.size > 0;
  }

  async look(): Promise<void> {
    const { scene, progress } = this.#play;
    for (const run of await scene.watcher.runs([...this.#byId.keys()], this.#since)) {
      const member = this.#byId.get(run.id);
      if (member === undefined || this.#ended.has(run.runId)) continue;
      const startedAt = this.#open.get(run.runId) ?? { wallMs: performance.now(), worldMs: scene.stage.clock.elapsedMs() };
      this.#open.set(run.runId, startedAt);
      if (run.status === 'RUNNING') continue;
      progress.line(await this.#members.runEnded(member, run, startedAt));
      this.#open.delete(run.runId);
      this.#ended.add(run.runId);
    }
  }
}
