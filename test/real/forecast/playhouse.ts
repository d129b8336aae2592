/** Each shape on a real cluster of its own: a snapshot, its forecast, then the upgrade itself; Temporal and Belay's processes serve them all. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Forecast } from '../../../domain/plan/forecast/types.ts';
import type { RunRecord } from '../../../rehearsal/play/report.ts';
import { Theatre } from '../../end-to-end/support/theatre.ts';
import { Facts } from './facts.ts';
import type { Shape } from './shapes.ts';

/** World seconds per wall second; forecast and fact are wall time. */
const SPEED = 40;
const CLOSED_MS = 10 * 60_000;
/** Karpenter looks every ten seconds, and a node is there after twenty: what has not moved in a minute does not move. */
const TIMING = { driftBlockedAfter: 60_000, driftNamedAfter: 30_000 };

export interface Played {
  forecast: Forecast;
  record: RunRecord;
  facts: Facts;
  /** Pods on nodes that were left, when people were first asked about them. */
  blocked: string[];
}

export class Playhouse {
  readonly #theatre: Theatre;
  readonly #directory: string;

  private constructor(theatre: Theatre, directory: string) {
    this.#theatre = theatre;
    this.#directory = directory;
  }

  static async open(shapes: readonly Shape[]): Promise<Playhouse> {
    const directory = mkdtempSync(join(tmpdir(), 'belay-forecast-'));
    const houses = Object.fromEntries(shapes.map(({ scenario }) => [scenario.cluster.name, { scenario, timing: TIMING }]));
    const realParts = { directory, say: () => undefined, onGivenUp: (error: Error) => void (givenUp ??= error) };
    let givenUp: Error | undefined;
    return new Playhouse(await Theatre.open(houses, { speed: SPEED, realParts }), directory);
  }

  async play({ scenario, blocked: choice }: Shape): Promise<Played> {
    const { name } = scenario.cluster;
    const asked: string[][] = [];
    let facts: Facts | undefined;
    const play = await this.#theatre.play(name, {
      decide: (gate) => {
        if (!gate.startsWith('blocked:')) return undefined;
        if (facts !== undefined) asked.push(facts.left());
        return choice;
      },
    });
    try {
      const file = join(this.#directory, `${name}.snapshot`);
      await this.#belay('snapshot', name, '-o', file);
      const forecast: Forecast = JSON.parse(
        await this.#belay('forecast', name, '--target', scenario.to, '--snapshot', file, '--runs', '20', '--seed', '1', '--format', 'json'),
      );
      facts = new Facts(play.stage);
      await play.start();
      await play.closed(CLOSED_MS);
      facts.close();
      return { forecast, record: play.record(), facts, blocked: asked[0] ?? [] };
    } finally {
      await play.end();
      // The next cluster is another one: it begins with an empty etcd.
      rmSync(join(this.#directory, 'real'), { recursive: true, force: true });
    }
  }

  async close(): Promise<void> {
    await this.#theatre.close();
    if (process.env['BELAY_KEEP'] === undefined) rmSync(this.#directory, { recursive: true, force: true });
  }

  async #belay(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#theatre.belay(...args);
    if (code !== 0) throw new Error(`belay ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  }
}
