/** Where `belay migrate` means to differ from Karpenter's conversion, each with its reason; all else has to be equal. */
import { applyEdits, at, type Edit, type Manifest } from '../../../domain/plan/migration/edit.ts';

const KUBELET = 'compatibility.karpenter.sh/v1beta1-kubelet-conversion';
const NODE_CLASS = 'karpenter.k8s.aws/v1';
const HOP_LIMIT = ['spec', 'metadataOptions', 'httpPutResponseHopLimit'];

export interface Difference {
  why: string;
  /** Makes of an object of Karpenter's what it should be here. */
  edits: (object: Manifest, all: readonly Manifest[]) => Edit[];
}

const annotation = (name: string): Difference['edits'] => {
  const path = ['metadata', 'annotations', name];
  return (object) => (at(object, path) === undefined ? [] : [{ op: 'remove', path, why: name }]);
};

export const DIFFERENCES: readonly Difference[] = [
  {
    why: 'it is there for the way back to v1beta1, which a manifest does not go',
    edits: annotation('compatibility.karpenter.sh/v1beta1-nodeclass-reference'),
  },
  {
    why: 'it is there for the way back to the Ubuntu family, which a manifest does not go',
    edits: annotation('compatibility.karpenter.k8s.aws/v1beta1-ubuntu'),
  },
  {
    why: 'Karpenter leaves kubelet settings in an annotation of the pool, of which 1.1 knows nothing: people are to move them to the class',
    edits: (object, all) => {
      if (object.kind === 'NodePool') return annotation(KUBELET)(object, all);
      const pool = all.find((each) => classOf(each) === at(object, ['metadata', 'name']));
      const kubelet = at(pool, ['metadata', 'annotations', KUBELET]);
      return typeof kubelet === 'string' ? [{ op: 'set', path: ['spec', 'kubelet'], value: JSON.parse(kubelet), why: 'moved' }] : [];
    },
  },
  {
    why: 'the CRD of 1.0 gives classes without metadataOptions a hop limit of 1 in v1beta1 as well; that of 0.32 to 0.37 gave them 2, and nodes run with it',
    edits: (object) =>
      object.kind === 'EC2NodeClass' && at(object, HOP_LIMIT) === 1 ? [{ op: 'set', path: HOP_LIMIT, value: 2, why: '' }] : [],
  },
];

const classOf = (pool: Manifest): unknown => at(pool, ['spec', 'template', 'spec', 'nodeClassRef', 'name']);

/** What Karpenter's conversion made, with the differences that are meant. */
export function withWantedDifferences(objects: readonly Manifest[]): Manifest[] {
  return objects.map((object) =>
    applyEdits(
      object,
      DIFFERENCES.flatMap(({ edits }) => edits(object, objects)),
    ),
  );
}

/** The object with what its owner is asked for. For AMIs: what Karpenter writes itself, a placeholder that selects nothing. */
export function answered(object: Manifest): Manifest {
  if (object.kind !== 'EC2NodeClass') return object;
  const has = (key: string): boolean => at(object, ['spec', key]) !== undefined;
  const answer = (key: string, value: unknown): Edit => ({ op: 'set', path: ['spec', key], value, why: 'the owner chose' });
  return applyEdits(object, [
    ...(has('role') || has('instanceProfile') ? [] : [answer('role', 'nodes')]),
    ...(has('amiSelectorTerms') || object.apiVersion !== NODE_CLASS ? [] : [answer('amiSelectorTerms', [{ id: 'ami-placeholder' }])]),
  ]);
}

/** Without the liberties of JSON: Go writes quantities as text, durations in full, empty metadata of templates. */
export function comparable(objects: readonly Manifest[]): unknown {
  return JSON.parse(JSON.stringify(objects), (key, value: unknown) => {
    if (typeof value === 'string' && /^(?:\d+h)?(?:\d+m)?(?:\d+s)?$/.test(value) && value !== '') return `${secondsOf(value)}s`;
    if (key === 'limits' && typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, quantity]) => [name, String(quantity)]));
    return key === 'metadata' && typeof value === 'object' && value !== null && Object.keys(value).length === 0 ? undefined : value;
  });
}

function secondsOf(duration: string): number {
  const units: Record<string, number> = { h: 3600, m: 60, s: 1 };
  return [...duration.matchAll(/(\d+)([hms])/g)].reduce((sum, [, amount, unit = 's']) => sum + Number(amount) * (units[unit] ?? 0), 0);
}
