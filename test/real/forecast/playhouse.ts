/** Each shape on a real cluster of its own: a snapshot, its forecast, then the upgrade itself; Temporal and Belay's processes serve them all. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Forecast } from '../../../domain/plan/forecast/types.ts';
import type { RunRecord } from '../../../rehearsal/play/report.ts';
import { Theatre } from '../../end-to-end/support/theatre.ts';
import type { Stage } from '../../../rehearsal/play/stage/stage.ts';
import { eventually, PATIENCE } from '../../support/eventually.ts';
import { clientOf } from '../support/theatre.ts';
import { Facts } from './facts.ts';
import { modulePath } from '../../../worker/config/module-path.ts';
import { inThread } from '../../../worker/local/forecasts/in-thread.ts';
import type { ForecastJob } from './forecast-thread.ts';
import type { Shape } from './shapes.ts';

/** World seconds per wall second; forecast and fact are wall time. */
const SPEED = 40;
const FORECAST_MS = 5 * 60_000;
const CLOSED_MS = 32 * 60_000;

/** A folder: snapshots, what became of each NodeClaim, and records are kept there. */
const KEEP = process.env['KEEP_SNAPSHOTS'];

export interface Played {
  forecast: Forecast;
  record: RunRecord;
  facts: Facts;
  /** Pods on nodes that people were asked about, as they stood at the first of these gates. */
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
    const houses = Object.fromEntries(shapes.map(({ scenario, timing }) => [scenario.cluster.name, { scenario, timing }]));
    const realParts = { directory, say: () => undefined, onGivenUp: (error: Error) => void (givenUp ??= error) };
    let givenUp: Error | undefined;
    return new Playhouse(await Theatre.open(houses, { speed: SPEED, realParts }), directory);
  }

  async play({ scenario, blocked: choices = [], replicas }: Shape): Promise<Played> {
    const { name } = scenario.cluster;
    // Each cluster begins with an empty etcd, whatever became of the one before.
    rmSync(join(this.#directory, 'real'), { recursive: true, force: true });
    let leftAtFirst: ReturnType<Facts['left']> | undefined;
    let facts: Facts | undefined;
    const play = await this.#theatre.play(name, {
      decide: (gate, _workflow, offered) => {
        // Nodes that people leave are behind the others at the end, and it says so.
        if (gate.startsWith('failed:validation')) return 'skip';
        if (!gate.startsWith('blocked:')) return undefined;
        leftAtFirst ??= facts?.left() ?? [];
        // Which node is asked about first is chance.
        return choices.find((choice) => offered.includes(choice));
      },
    });
    try {
      if (replicas !== undefined) await scaled(play.stage, replicas);
      const file = join(this.#directory, `${name}.snapshot`);
      await this.#belay('snapshot', name, '-o', file);
      if (KEEP !== undefined) copyFileSync(file, join(KEEP, `${name}.snapshot`));
      const forecast = await this.#forecast(file, scenario.to);
      facts = new Facts(play.stage);
      await play.start();
      // It waits once, then as often again as PATIENCE says. CLOSED_MS in all, so that its error, which has the thread's end, comes before the hook's.
      await play.closed(CLOSED_MS / (1 + PATIENCE));
      facts.close();
      if (KEEP !== undefined) writeFileSync(join(KEEP, `${name}.claims.json`), JSON.stringify(Object.fromEntries(facts.claims)));
      const record = play.record();
      if (KEEP !== undefined) writeFileSync(join(KEEP, `${name}.record.json`), JSON.stringify(record));
      // What blocks for good is asked about early: other nodes are left then because they are being replaced.
      const named = new Map(record.decisions.flatMap(({ gate }) => (gate.blocked ?? []).map(({ node, pod }) => [node, pod] as const)));
      // Other pods that share the node keep it from nothing.
      const isNamed = ({ node, pod }: { node: string; pod: string }): boolean => named.has(node) && (named.get(node) ?? pod) === pod;
      const blocked = (leftAtFirst ?? []).filter(isNamed).map(({ pod }) => pod);
      return { forecast, record, facts, blocked };
    } finally {
      await play.end();
    }
  }

  async close(): Promise<void> {
    await this.#theatre.close();
    if (process.env['BELAY_KEEP'] === undefined) rmSync(this.#directory, { recursive: true, force: true });
  }

  #forecast(file: string, target: string): Promise<Forecast> {
    const job: ForecastJob = { file, configFile: join(this.#theatre.directory, 'belay.yaml'), target };
    const signal = AbortSignal.timeout(FORECAST_MS);
    return inThread(modulePath(import.meta.url, 'forecast-thread'), job, { signal, onProgress: () => undefined, memoryMb: 1_024 });
  }

  async #belay(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#theatre.belay(...args);
    if (code !== 0) throw new Error(`belay ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  }
}

/** Every Deployment in `shop` has so many pods, and no more. */
async function scaled(stage: Stage, replicas: number): Promise<void> {
  const { store } = stage.built.world;
  const deployments = store.list('deployments', { namespace: 'shop' });
  const api = clientOf(stage);
  for (const { metadata } of deployments)
    await api.patch(`/apis/apps/v1/namespaces/shop/deployments/${metadata.name}`, { spec: { replicas } });
  api.close();
  const wanted = replicas * deployments.length;
  await eventually(`${wanted} pods in shop`, () => store.list('pods', { namespace: 'shop' }).length === wanted);
}
