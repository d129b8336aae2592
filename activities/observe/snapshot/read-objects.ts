/** Streams the objects of a cluster into a file, page by page: nothing but one page is held, and of an object only what the allow-list keeps. */
import { keptObject, LISTS } from '../../../domain/facts/snapshot/allowed/index.ts';
import type { AllowedList } from '../../../domain/facts/snapshot/allowed/types.ts';
import type { SnapshotKubeObject, SnapshotLine, SnapshotList } from '../../../domain/facts/snapshot/format.ts';
import { addKeys, type MarksKept, selectedKeys } from '../../../domain/facts/snapshot/marks.ts';
import { withoutCaller } from '../../../domain/facts/snapshot/without-caller.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { field } from '../../../domain/core/unknown.ts';
import type { KubeObject, KubernetesPort, ListQuery } from '../../contract/ports.ts';
import { type ArgoDestination, type FluxDestination, releasesElsewhere, syncsElsewhere } from '../../kubernetes/gitops/destination.ts';
import { failureType, translateError } from '../../runtime/translate-errors.ts';
import type { SnapshotWriter } from './write-file.ts';

/** A time-out or a server error may be gone at the second look. */
const ATTEMPTS = 2;
const KARPENTER = 'karpenter';

export interface ObjectsReading {
  kubernetes: KubernetesPort;
  /** The one that `kubernetes` leads to. */
  cluster: ClusterRef;
  writer: SnapshotWriter;
  /** Labels and annotations that say whose a workload is, by belay.yaml. */
  ownerKeys: readonly string[];
  /** Of each line, before it is written. */
  rewrite: (line: SnapshotLine) => SnapshotLine;
  /** The API server was not reached: nothing is asked of it. */
  away?: string;
  onRead?: (plural: string) => void;
}

/** Writes every list of the allow-list, also those that could not be read, each with why. Throws only where the file cannot be written. */
export async function readObjects(reading: ObjectsReading): Promise<SnapshotList[]> {
  const reader = new ObjectReader(reading);
  const lists: SnapshotList[] = [];
  for (const allowed of LISTS) {
    lists.push(await reader.read(allowed));
    reading.onRead?.(allowed.plural);
  }
  return lists;
}

class ObjectReader {
  readonly #reading: ObjectsReading;
  /** Grows with each list: what selects comes before what is selected. */
  readonly #labels: Set<string>;
  readonly #marks: MarksKept;
  readonly #images = new Set<string>();
  /** Namespaces of every Deployment with Karpenter's label. */
  readonly #karpenter = new Set<string>();

  constructor(reading: ObjectsReading) {
    this.#reading = reading;
    this.#labels = new Set(reading.ownerKeys);
    this.#marks = { labels: this.#labels, annotations: new Set(reading.ownerKeys) };
  }

  async read(allowed: AllowedList): Promise<SnapshotList> {
    const { writer, rewrite, away } = this.#reading;
    const { apiVersion, plural } = allowed;
    const outcome = away === undefined ? await this.#stream(allowed) : { outcome: 'unread' as const, why: withoutCaller(away) };
    const list: SnapshotList = { kind: 'list', apiVersion, plural, ...outcome };
    await writer.line(rewrite(list));
    if (outcome.outcome === 'read') await writer.append();
    return list;
  }

  async #stream(allowed: AllowedList): Promise<Pick<SnapshotList, 'outcome' | 'count' | 'why' | 'denied'>> {
    const { kubernetes, writer } = this.#reading;
    for (let attempt = 1; ; attempt += 1) {
      const part = writer.part();
      try {
        let served = true;
        for (const query of this.#queries(allowed)) {
          const keep = (object: KubeObject): undefined => {
            const line = this.#lineOf(allowed, object);
            if (line !== undefined) part.add(this.#reading.rewrite(line));
          };
          // Of a type in two namespaces the first stays.
          const mark = part.mark();
          const onRestart = (): void => part.backTo(mark);
          served = (await kubernetes.list({ ...query, onRestart }, keep)) !== undefined && served;
        }
        return served ? { outcome: 'read', count: part.count } : { outcome: 'absent' };
      } catch (error) {
        const failure = translateError(error, `listing ${allowed.plural}`);
        if (attempt < ATTEMPTS && failure.nonRetryable !== true) continue;
        const denied = failureType(failure) === 'AccessDenied' ? { denied: true as const } : {};
        return { outcome: 'unread', why: withoutCaller(failure.message), ...denied };
      }
    }
  }

  #queries({ apiVersion, plural, namespaces }: AllowedList): ListQuery[] {
    if (namespaces === undefined) return [{ apiVersion, plural }];
    const named = namespaces.flatMap((each) => (each === KARPENTER ? [...this.#karpenter] : each));
    return [...new Set(named)].map((namespace) => ({ apiVersion, plural, namespace }));
  }

  #lineOf(allowed: AllowedList, object: KubeObject): SnapshotLine | undefined {
    if (allowed.plural === 'deployments' && object.metadata.labels?.['app.kubernetes.io/name'] === 'karpenter')
      this.#karpenter.add(object.metadata.namespace ?? '');
    if (isOver(allowed.plural, object) || isOfAnotherCluster(allowed.plural, object, this.#reading.cluster)) return undefined;
    this.#learnKeys(allowed, object);
    const kept = keptObject(object, allowed, this.#marks);
    return { kind: 'object', plural: allowed.plural, object: allowed.plural === 'nodes' ? this.#withNewImages(kept) : kept };
  }

  #learnKeys({ apiVersion, plural }: AllowedList, { metadata: _metadata, status: _status, ...rest }: KubeObject): void {
    // A thousand of a kind select by the same few keys; Pods have what their templates have, and nodes select nothing.
    if (plural === 'nodes' || plural === 'endpointslices') return;
    selectedKeys(rest, this.#labels);
    if (!apiVersion.startsWith('karpenter.sh/')) return;
    // Labels of nodes to come.
    addKeys(field(field(field(rest.spec, 'template'), 'metadata'), 'labels'), this.#labels);
    addKeys(field(rest.spec, 'labels'), this.#labels);
  }

  /** The same image is on thousands of nodes: its size is said once. */
  #withNewImages(node: SnapshotKubeObject): SnapshotKubeObject {
    const status = node['status'];
    const images = field(status, 'images');
    if (!Array.isArray(images)) return node;
    const fresh = images.filter((image: unknown) => {
      const names = field(image, 'names');
      const name: unknown = Array.isArray(names) ? names[0] : undefined;
      if (typeof name !== 'string' || this.#images.has(name)) return false;
      this.#images.add(name);
      return true;
    });
    return { ...node, status: { ...(status as object), images: fresh } };
  }
}

/** ReplicaSets of earlier revisions and Jobs that have ended: no pod of theirs is to come. */
function isOver(plural: string, { spec, status }: KubeObject): boolean {
  if (plural === 'replicasets') return !isMoreThanNone(field(spec, 'replicas')) && !isMoreThanNone(field(status, 'replicas'));
  return plural === 'jobs' && field(status, 'completionTime') !== undefined && !isMoreThanNone(field(status, 'active'));
}

/** A hub of Argo CD or Flux has the objects of all its clusters: those for others say nothing of this one, and where they deliver to is nobody's business. */
function isOfAnotherCluster(plural: string, object: KubeObject, cluster: ClusterRef): boolean {
  if (plural === 'applications') return syncsElsewhere(object as KubeObject<ArgoDestination>, cluster);
  return plural === 'helmreleases' && releasesElsewhere(object as KubeObject<FluxDestination>);
}

const isMoreThanNone = (count: unknown): boolean => typeof count === 'number' && count > 0;
