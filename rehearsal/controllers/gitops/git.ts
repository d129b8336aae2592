/** Git as the twin's Kustomizations and parent Applications know it: what it says is put back, whatever the cluster says. */
import { stableJson } from '../../kubernetes/json.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { Controller, World } from '../../world/world.ts';

export type Delivering = 'helmreleases' | 'ocirepositories' | 'applications';

const KINDS: readonly Delivering[] = ['helmreleases', 'ocirepositories', 'applications'];

/** The version that an object says; undefined where another object says it. */
export function versionIn(plural: Delivering, { spec }: KubeObject): string | undefined {
  if (plural === 'applications') return spec.source?.targetRevision;
  return plural === 'ocirepositories' ? (spec.ref?.semver ?? spec.ref?.tag) : spec.chart?.spec?.version;
}

function setVersion(plural: Delivering, { spec }: KubeObject, version: string): void {
  if (plural === 'applications') spec.source.targetRevision = version;
  else if (plural === 'ocirepositories') spec.ref = { tag: version };
  else spec.chart.spec.version = version;
}

function setValues(world: World, { metadata: { name, namespace }, spec }: KubeObject, values: Record<string, unknown>): void {
  if (stableJson(spec.values ?? {}) === stableJson({ ...spec.values, ...values })) return;
  world.store.update('helmreleases', name, namespace, (copy) => void (copy.spec.values = { ...copy.spec.values, ...values }));
}

/** Does a parent apply it? */
export function isKept({ metadata }: KubeObject): boolean {
  const keys = [...Object.keys(metadata.labels ?? {}), ...Object.keys(metadata.annotations ?? {})];
  return keys.some((key) => key === 'kustomize.toolkit.fluxcd.io/name' || key === 'argocd.argoproj.io/tracking-id');
}

const ISTIOS = ['istio.io/rev', 'istio-injection'];

export class Git implements Controller {
  readonly name = 'git';
  readonly everyMs = 10_000;
  /** By plural, namespace and name. */
  readonly #says = new Map<string, string>();
  /** Of namespaces. */
  readonly #labels = new Map<string, Record<string, string>>();
  /** Values that a merge has brought, by the HelmRelease's namespace and name. */
  readonly #values = new Map<string, Record<string, unknown>>();

  /** Somebody merges a version for the object of that name. false: Git has no such object. */
  merge(world: World, name: string, version: string, values?: Record<string, unknown>): boolean {
    const found = KINDS.flatMap((plural) => world.store.list(plural).map((object) => ({ plural, object }))).find(
      ({ object }) => object.metadata.name === name && isKept(object),
    );
    if (found === undefined) return false;
    const { plural, object } = found;
    const ref = object.spec.chartRef;
    const [at, kept]: [Delivering, string] = ref === undefined ? [plural, name] : ['ocirepositories', ref.name];
    this.#says.set(`${at}/${object.metadata.namespace}/${kept}`, version);
    if (values !== undefined && plural === 'helmreleases') this.#values.set(`${object.metadata.namespace}/${name}`, values);
    return true;
  }

  /** Somebody adds an object beside one that is kept: its parent applies it at once. */
  add(world: World, plural: Delivering, object: KubeObject): void {
    world.store.create(plural, object);
    world.journal.tell(`GitOps applies ${plural}/${object.metadata.namespace}/${object.metadata.name}, as in Git`);
  }

  /** Somebody takes an object out of Git, and its parent prunes it. */
  remove(world: World, plural: Delivering, { metadata: { name, namespace } }: KubeObject): void {
    this.#says.delete(`${plural}/${namespace}/${name}`);
    world.store.delete(plural, name, namespace);
    world.journal.tell(`GitOps prunes ${plural}/${namespace}/${name}, which is gone from Git`);
  }

  /** Somebody merges labels of a namespace that is kept. false: nobody keeps it. */
  label(world: World, name: string, labels: Record<string, string | null>): boolean {
    const namespace = world.store.get('namespaces', name);
    if (namespace === undefined || !isKept(namespace)) return false;
    const now = this.#labels.get(name) ?? namespace.metadata.labels ?? {};
    const wanted = Object.entries({ ...now, ...labels }).filter((entry): entry is [string, string] => entry[1] !== null);
    this.#labels.set(name, Object.fromEntries(wanted));
    return true;
  }

  /** What the parents do at each interval: first they learn what is there, then they put it back. */
  tick(world: World): void {
    for (const pool of world.store.list('nodepools').filter(isKept)) this.#keepBudgets(world, pool);
    this.#keepLabels(world);
    for (const plural of KINDS) {
      for (const object of world.store.list(plural).filter(isKept)) {
        const { name, namespace } = object.metadata;
        const key = `${plural}/${namespace}/${name}`;
        const values = plural === 'helmreleases' ? this.#values.get(`${namespace}/${name}`) : undefined;
        if (values !== undefined) setValues(world, object, values);
        const now = versionIn(plural, object);
        const wanted = this.#says.get(key) ?? now;
        if (now === undefined || wanted === undefined) continue;
        this.#says.set(key, wanted);
        if (now === wanted) continue;
        world.store.update(plural, name, namespace, (copy) => setVersion(plural, copy, wanted));
        world.journal.tell(`GitOps sets ${plural}/${namespace}/${name} from ${now} to ${wanted}, as in Git`);
      }
    }
  }

  /** Of a NodePool that Argo CD heals: budgets as in Git, whoever has changed them. */
  #keepBudgets(world: World, { metadata: { name }, spec }: KubeObject): void {
    const now = JSON.stringify(spec.disruption ?? null);
    const wanted = this.#says.get(`nodepools/${name}`) ?? now;
    this.#says.set(`nodepools/${name}`, wanted);
    if (now === wanted) return;
    world.store.update('nodepools', name, undefined, (copy) => void (copy.spec.disruption = JSON.parse(wanted)));
    world.journal.tell(`GitOps puts the budgets of NodePool ${name} back, as in Git`);
  }

  /** Labels of Istio that a kept namespace has in Git. */
  #keepLabels(world: World): void {
    for (const { metadata } of world.store.list('namespaces').filter(isKept)) {
      const { name, labels: now = {} } = metadata;
      const wanted = this.#labels.get(name) ?? now;
      this.#labels.set(name, wanted);
      if (ISTIOS.every((key) => now[key] === wanted[key])) continue;
      world.store.update('namespaces', name, undefined, (copy) => {
        for (const key of ISTIOS) {
          if (wanted[key] === undefined) delete copy.metadata.labels?.[key];
          else copy.metadata.labels = { ...copy.metadata.labels, [key]: wanted[key] };
        }
      });
      world.journal.tell(
        `GitOps sets the labels of Namespace ${name} to ${ISTIOS.map((key) => wanted[key] ?? 'none').join(', ')}, as in Git`,
      );
    }
  }
}
