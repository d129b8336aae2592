/** All Karpenter objects of one checkout or cluster together: kubelet settings move from pools to the classes that they share. */
import { applyEdits, at, type Manifest, type Rewrite } from './edit.ts';
import { kubeletOf, NODE_CLASS_BETA, NODE_POOL_BETA, nodeClassToV1, nodePoolToV1 } from './to-v1.ts';

export interface Migrated extends Rewrite {
  before: Manifest;
  after: Manifest;
}

export interface Bundle {
  /** In the order of the input; what is no v1beta1 object of Karpenter is not among them. */
  migrated: Migrated[];
  /** Node classes that are new, each behind a pool that it is for. */
  added: { object: Manifest; why: string }[];
  /** About no single object. */
  questions: string[];
}

const nameOf = (object: Manifest): string => String(at(object, ['metadata', 'name']));
const classOf = (pool: Manifest): string => String(at(pool, ['spec', 'template', 'spec', 'nodeClassRef', 'name']));
/** Settings compare as they are written; an order of keys is no difference. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? 'none';

/** @param objects any manifests; those of other kinds and versions are passed over. */
export function migrateToV1(objects: readonly Manifest[]): Bundle {
  const pools = objects.filter(({ apiVersion, kind }) => apiVersion === NODE_POOL_BETA && kind === 'NodePool');
  const classes = objects.filter(({ apiVersion, kind }) => apiVersion === NODE_CLASS_BETA && kind === 'EC2NodeClass');
  const kubelets = shareKubelets(pools, classes);
  const known = new Set(classes.map(nameOf));
  const rewriteOf = (object: Manifest): Rewrite | undefined => {
    if (pools.includes(object)) return nodePoolToV1(object, kubelets.moved.get(object)?.name);
    return classes.includes(object) ? nodeClassToV1(object, kubelets.ofClass.get(nameOf(object))) : undefined;
  };
  return {
    migrated: objects.flatMap((before): Migrated[] => {
      const rewrite = rewriteOf(before);
      return rewrite === undefined ? [] : [{ before, after: applyEdits(before, rewrite.edits), ...rewrite }];
    }),
    added: [...new Map([...kubelets.moved].map(([pool, own]) => [own.name, { pool, ...own }])).values()].map(({ pool, name, original }) => {
      const { edits } = nodeClassToV1(original, kubeletOf(pool));
      const renamed = applyEdits(original, [...edits, { op: 'set', path: ['metadata', 'name'], value: name, why: '' }]);
      return { object: renamed, why: `NodePool ${nameOf(pool)} shared ${classOf(pool)} with pools of other kubelet settings` };
    }),
    questions: pools
      .filter((pool) => kubeletOf(pool) !== undefined && !known.has(classOf(pool)))
      .map(
        (pool) =>
          `NodePool ${nameOf(pool)} has kubelet settings, and its EC2NodeClass ${classOf(pool)} is not among these manifests: where is it?`,
      ),
  };
}

/** The class of its own that a pool gets, and the one that it is made from. */
interface OwnClass {
  name: string;
  original: Manifest;
}

/** Which settings each class takes, and which pools need a class of their own because theirs differ. */
function shareKubelets(
  pools: readonly Manifest[],
  classes: readonly Manifest[],
): { ofClass: Map<string, unknown>; moved: Map<Manifest, OwnClass> } {
  const ofClass = new Map<string, unknown>();
  const moved = new Map<Manifest, OwnClass>();
  for (const [nodeClass, own] of Map.groupBy(pools, classOf)) {
    const original = classes.find((each) => nameOf(each) === nodeClass);
    // A class that is not there cannot be copied: its pools would name one that nobody makes.
    if (original === undefined) continue;
    const bySettings = [...Map.groupBy(own, (pool) => canonical(kubeletOf(pool))).values()].toSorted((a, b) => b.length - a.length);
    const [most = [], ...others] = bySettings;
    const [first] = most;
    if (first !== undefined && kubeletOf(first) !== undefined) ofClass.set(nodeClass, kubeletOf(first));
    for (const group of others) for (const pool of group) moved.set(pool, { name: `${nodeClass}-${nameOf(group[0] ?? pool)}`, original });
  }
  return { ofClass, moved };
}
