/** Follows a rehearsal on real parts from its mirror of the API server and from Prometheus, on wall time. */
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import type { Stage } from '../../../rehearsal/play/stage/stage.ts';
import { query } from './prometheus.ts';
import { syncz } from './syncz.ts';

const ISTIO_PARTS = new Set(['deployments', 'services', 'validatingwebhookconfigurations']);
const ASK_EVERY_MS = 2_000;

interface Budget {
  nodes: string;
  reasons?: string[];
}

const budgetsOf = (pool: KubeObject | undefined): Budget[] => pool?.spec?.disruption?.budgets ?? [];

export const isFrozen = (budgets: readonly Budget[]): boolean =>
  budgets.some(({ nodes, reasons }) => nodes === '0' && (reasons === undefined || reasons.includes('Drifted')));

/** As Karpenter counts: the strictest budget for drift, percentages of all the pool's nodes, replacements among them, rounded up. */
function allowedCount(budgets: readonly Budget[], nodes: number): number {
  const counts = budgets
    .filter(({ reasons }) => reasons === undefined || reasons.includes('Drifted'))
    .map(({ nodes: limit }) => (limit.endsWith('%') ? Math.ceil((nodes * Number.parseInt(limit, 10)) / 100) : Number(limit)));
  return Math.min(...counts, nodes);
}

export class Recorder {
  readonly before: { claims: string[]; budgets: Budget[]; kubelets: string[] };
  /** Claims that Karpenter gave up, in order. `frozen`: before the freeze was lifted for the first time; a roll that is held ends what it had begun. */
  readonly replaced: { claim: string; frozen: boolean }[] = [];
  /** Reasons of the condition Drifted. */
  readonly driftReasons = new Set<string>();
  /** Drifted claims at once while the pool was frozen: how much the freeze held back. */
  heldBackCount = 0;
  mostAtOnceCount = 0;
  /** Moments at which more claims were ending than the budgets allow. */
  readonly overBudget: string[] = [];
  /** Answers of Prometheus, by query, as they changed. */
  readonly answers = new Map<string, Set<string>>();
  /** Lines of syncz(), as they changed. */
  readonly synced = new Set<string>();
  /** Services that Istio's default validator called, in order. */
  readonly validatedBy: string[] = [];
  /** Moments at which a webhook called an istiod whose Deployment was gone. */
  readonly deadCalls: string[] = [];
  readonly #stage: Stage;
  readonly #stops: (() => void)[] = [];

  constructor(stage: Stage, queries: readonly string[]) {
    this.#stage = stage;
    const { store } = stage.built.world;
    this.before = {
      claims: store.list('nodeclaims').map(({ metadata }) => metadata.name),
      budgets: budgetsOf(store.list('nodepools')[0]),
      kubelets: this.kubelets(),
    };
    const gone = new Set<string>();
    let wasFrozen = false;
    let lifted = false;
    this.#stops.push(
      store.watch(({ plural, object, type }) => {
        const frozen = isFrozen(this.budgets());
        lifted ||= wasFrozen && !frozen;
        wasFrozen = frozen;
        if (plural !== 'nodeclaims') return;
        const { name, deletionTimestamp } = object.metadata;
        const drifted = conditionOf(object, 'Drifted');
        if (drifted?.status === 'True') this.driftReasons.add(String(drifted.reason));
        if ((type === 'DELETED' || deletionTimestamp !== undefined) && !gone.has(name)) {
          gone.add(name);
          this.replaced.push({ claim: name, frozen: frozen && !lifted });
        }
        const claims = store.list('nodeclaims');
        if (frozen)
          this.heldBackCount = Math.max(this.heldBackCount, claims.filter((c) => conditionOf(c, 'Drifted')?.status === 'True').length);
        const ending = claims.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length;
        this.mostAtOnceCount = Math.max(this.mostAtOnceCount, ending);
        const allowed = allowedCount(this.budgets(), claims.length);
        if (!frozen && ending > allowed) this.overBudget.push(`${ending} of ${claims.length} at once, ${allowed} allowed`);
      }),
    );
    this.#stops.push(store.watch(({ plural, type }) => void (ISTIO_PARTS.has(plural) && this.#lookAtWebhooks(plural, type))));
    const asking = setInterval(() => void this.#ask(queries).catch(() => undefined), ASK_EVERY_MS).unref();
    this.#stops.push(() => clearInterval(asking));
  }

  /** As soon as an istiod goes, nothing may call it: the validator has failurePolicy Fail. */
  #lookAtWebhooks(plural: string, type: string): void {
    const { store } = this.#stage.built.world;
    const validator = store.get('validatingwebhookconfigurations', 'istiod-default-validator');
    const service: string | undefined = validator?.['webhooks'][0].clientConfig.service?.name;
    if (service === undefined) return;
    if (this.validatedBy.at(-1) !== service) this.validatedBy.push(service);
    const istiods = new Set(store.list('deployments', { labels: { app: 'istiod' } }).map(({ metadata }) => metadata.name));
    if (!istiods.has(service)) this.deadCalls.push(`${type} ${plural}: the default validator calls ${service}, which is gone`);
  }

  budgets(): Budget[] {
    return budgetsOf(this.#stage.built.world.store.list('nodepools')[0]);
  }

  kubelets(): string[] {
    const versions = this.#stage.built.world.store.list('nodes').map(({ status }) => String(status?.nodeInfo?.kubeletVersion));
    return [...new Set(versions)].toSorted();
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  /** Throws where somebody does not answer: they are asked again. */
  async #ask(queries: readonly string[]): Promise<void> {
    const { prometheusUrl } = this.#stage;
    for (const promql of queries) {
      const known = this.answers.get(promql) ?? new Set<string>();
      for (const { metric, value } of await query(prometheusUrl, promql)) known.add([...labelsOf(metric), value].join(' '));
      this.answers.set(promql, known);
    }
    for (const line of await syncz(prometheusUrl)) this.synced.add(line);
  }
}

const labelsOf = (metric: Record<string, string>): string[] =>
  Object.entries(metric)
    .map(([name, value]) => `${name}=${value}`)
    .toSorted();

function conditionOf(object: KubeObject, type: string): { status: string; reason?: string } | undefined {
  return object.status?.conditions?.find((condition: { type: string }) => condition.type === type);
}
