/**
 * A campaign of Belay's brings the fleet to its target: Alex starts it, Sam approves its rings and their runs. In the second ring one cluster goes
 * bad, and the ring stops; when the cause is mended, Rin retries it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { GateObserver, type SeenGate } from '../gate-observer.ts';
import { plainText } from '../../neighbours/slack/block-kit/plain-text.ts';
import { parseButton } from '../../neighbours/slack/gate-buttons.ts';
import { campaignId } from '../stage/names.ts';
import { CAMPAIGN_STATUS, type CampaignSight, parseSight } from './campaign-sight.ts';
import type { FleetDriver, FleetPlay } from './driver.ts';
import { Members } from './members.ts';
import type { CampaignReport } from './options.ts';
import { readBoard, startApprover, startCampaign, typeCommand } from './people.ts';
import { ringLine } from './render.ts';
import { Runs } from './runs.ts';

const LOOK_MS = 500;
/** Wall time: the board stays as it is for as long as somebody who looks on needs to read it. */
const READS_MS = 10_000;
/** Wall time in which nothing runs and nothing changes: it waits for something that does not come. */
const IDLE_LIMIT_MS = 3 * 60_000;

export const byCampaign: FleetDriver = async (play) => {
  const { scene, progress } = play;
  const { slack } = scene.stage;
  const since = new Date();
  const members = new Members(scene);
  const id = campaignId(scene.campaign.name);
  const gates = new GateObserver();
  const ends = [
    gates.watch(slack, (workflowId) => workflowId === id),
    slack.onClick(({ user, value }) => {
      const press = parseButton(value);
      if (press?.workflowId === id) progress.line(`${plainText(`<@${user}>`, slack.workspace)}: ${press.choice} (${press.gateId})`);
    }),
  ];
  const approver = startApprover(play);
  try {
    await startCampaign(play, since);
    const sight = await new Campaign(play, members, since).toItsEnd();
    return { campaign: reportOf(scene.campaign.name, sight, gates.seen), clusters: await members.reports(since) };
  } finally {
    approver.close();
    for (const end of ends) end();
  }
};

class Campaign {
  readonly #play: FleetPlay;
  readonly #id: string;
  readonly #members: Members;
  readonly #runs: Runs;
  readonly #since: Date;
  /** Rings that have been told of, by name and attempt. */
  readonly #told = new Set<string>();
  #seen = { text: '', atMs: performance.now() };
  #hasRetried = false;

  constructor(play: FleetPlay, members: Members, since: Date) {
    this.#play = play;
    this.#id = campaignId(play.scene.campaign.name);
    this.#members = members;
    this.#runs = new Runs(play, members, since);
    this.#since = since;
  }

  /** Resolves with its last state. */
  async toItsEnd(): Promise<CampaignSight> {
    const { scene, signal } = this.#play;
    for (;;) {
      // Looked at first, so that what is read after it is the last word.
      const status = (await scene.watcher.look(this.#id, this.#since))?.status ?? 'RUNNING';
      await this.#runs.look();
      const sight = await this.#ask();
      if (sight !== undefined) {
        this.#tell(sight);
        if (status !== 'RUNNING') return sight;
        await this.#steer(sight);
      }
      await sleep(LOOK_MS, undefined, { signal });
    }
  }

  async #ask(): Promise<CampaignSight | undefined> {
    return parseSight(await this.#play.scene.watcher.ask(this.#id, CAMPAIGN_STATUS));
  }

  #tell({ rings }: CampaignSight): void {
    for (const ring of rings) {
      const key = `${ring.name} ${ring.attempt}`;
      if (this.#told.has(key) || !/^(stopped|complete)/.test(ring.state) || (ring.state === 'stopped' && this.#runs.areOpen)) continue;
      this.#told.add(key);
      const members = this.#play.scene.members.filter(({ scenario }) => scenario.environment === ring.name);
      this.#play.progress.line(ringLine(ring, this.#members.outcomes(members), members.length));
    }
  }

  /** A ring that has stopped is retried once, where what stopped it is what was to go bad; anything else ends the campaign. */
  async #steer(sight: CampaignSight): Promise<void> {
    if (this.#runs.areOpen || sight.phase === 'stopped') return;
    const ring = sight.rings[sight.ring];
    if (ring?.state === 'stopped') {
      if (this.#hasRetried || !this.#members.areAsTheyShouldBe) return await this.#stop();
      this.#hasRetried = true;
      await this.#retry(sight);
    } else if (this.#idleMs(sight) > IDLE_LIMIT_MS) await this.#stop();
  }

  async #retry({ ring, rings, members }: CampaignSight): Promise<void> {
    const { progress } = this.#play;
    const failed = Object.entries(members).flatMap(([key, { kind }]) => (kind === 'failed' ? [key.split('/').at(-1) ?? key] : []));
    progress.line(`The board: ${await readBoard(this.#play, rings[ring]?.why ?? '')}`);
    progress.line(`The cause is mended on ${failed.join(', ')}.`);
    await sleep(READS_MS, undefined, { signal: this.#play.signal });
    const before = rings[ring]?.attempt ?? 1;
    await typeCommand(this.#play, 'retry', async () => ((await this.#ask())?.rings[ring]?.attempt ?? before) > before);
  }

  async #stop(): Promise<void> {
    await typeCommand(this.#play, 'stop', async () => (await this.#ask())?.phase === 'stopped');
  }

  #idleMs(sight: CampaignSight): number {
    const text = JSON.stringify(sight);
    if (text !== this.#seen.text) this.#seen = { text, atMs: performance.now() };
    return performance.now() - this.#seen.atMs;
  }
}

function reportOf(name: string, { phase, rings }: CampaignSight, gates: readonly SeenGate[]): CampaignReport {
  return {
    name,
    state: phase,
    rings: rings.map(({ name: ring, state, why }) => ({
      name: ring,
      state,
      ...(why === undefined ? {} : { why }),
      attempts: gates
        .filter(({ id }) => id.startsWith(`ring:${ring}@`))
        .map(({ id, openedMs, pressed }) => ({
          gate: id,
          askedAt: new Date(openedMs).toISOString(),
          ...(pressed === undefined ? {} : { choice: pressed.choice, by: pressed.by, decidedAt: new Date(pressed.atMs).toISOString() }),
        })),
    })),
  };
}
