/** What changes of a NodePool find where Karpenter does not do as the twin does, and what they say where it is not as before. */
import { expect, test } from 'vitest';
import type { Ground, KubeAnswer } from '../../activities/observe/conformance/check.ts';
import { tryBeliefs } from '../../activities/observe/conformance/run.ts';
import type { Tried } from '../../domain/tables/beliefs/verdict.ts';
import { groundOf } from './answers.ts';

const POOLS = '/apis/karpenter.sh/v1/nodepools';
const POOL = `${POOLS}/default`;
const CLAIMS = '/apis/karpenter.sh/v1/nodeclaims';
const NODES = '/api/v1/nodes?labelSelector=karpenter.sh%2Fnodepool%3Ddefault';
const DEFINITION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.karpenter.sh';
const LABEL = 'belay.dev/conformance';

interface Karpenter {
  /** Of the pool, by its budgets. */
  hash?: (budgets: unknown) => string;
  /** Of the pool's node class. */
  group?: string;
  /** Conditions of its NodeClaim, by whether the template has the label. undefined: the NodeClaim is gone. */
  conditions?: (labelled: boolean) => string[] | undefined;
  /** What is stored for budgets that are sent. */
  stores?: (budgets: unknown) => unknown;
  /** Its nodes, and how a PATCH of one is answered. */
  nodes?: string[];
  patchNode?: number;
  definition?: object;
}

interface Trial {
  said: string;
  left: Tried['left'];
  /** Paths of what was to change something. */
  sent: string[];
}

const marking = (labelled: boolean): string[] => ['Initialized', ...(labelled ? ['Drifted'] : [])];

async function trial(id: string, karpenter: Karpenter): Promise<Trial> {
  const { hash, group = 'karpenter.k8s.aws', conditions = marking, stores = (sent) => sent } = karpenter;
  const { nodes = ['n'], patchNode = 200, definition = {} } = karpenter;
  let budgets: unknown = [{ nodes: '1' }];
  let labels: Record<string, string | null> = {};
  const sent: string[] = [];
  const pool = () => ({
    metadata: { name: 'default', annotations: { 'karpenter.sh/nodepool-hash': hash?.(budgets) } },
    spec: { disruption: { budgets }, template: { metadata: { labels }, spec: { nodeClassRef: { group } } } },
  });
  const claims = (): object[] => {
    const types = conditions(typeof labels[LABEL] === 'string');
    if (types === undefined) return [];
    const metadata = { name: 'default-1', labels: { 'karpenter.sh/nodepool': 'default' } };
    return [{ metadata, status: { conditions: types.map((type) => ({ type, status: 'True' })) } }];
  };
  const bodies: Record<string, () => unknown> = {
    [POOLS]: () => ({ items: [pool()] }),
    [POOL]: pool,
    [CLAIMS]: () => ({ items: claims() }),
    [NODES]: () => ({ items: nodes.map((name) => ({ metadata: { name } })) }),
    [DEFINITION]: () => definition,
  };
  const kube: Ground['kube'] = async (method, path, { body } = {}): Promise<KubeAnswer> => {
    if (method === 'GET') return { status: 200, body: bodies[path]?.() };
    sent.push(path);
    if (path !== POOL) return { status: patchNode, body: {} };
    const { disruption, template } = (
      body as { spec: { disruption?: { budgets: unknown }; template?: { metadata: { labels: typeof labels } } } }
    ).spec;
    if (disruption !== undefined) budgets = stores(disruption.budgets);
    if (template !== undefined) labels = template.metadata.labels;
    return { status: 200, body: pool() };
  };
  const [tried] = await tryBeliefs(groundOf({ ground: { kube, limitMs: 20, holdMs: 5 } }), { only: [id], disposable: true });
  if (tried === undefined) throw new Error(`there is no belief ${id}`);
  const { verdict, left } = tried;
  return {
    left,
    sent,
    said: verdict.kind === 'untried' ? `untried, ${verdict.because}: ${verdict.why}` : `${verdict.kind}: ${verdict.saw}`,
  };
}

const budgetsLeft = { what: 'budgets of NodePool default', why: 'they were [{"nodes":"1"}]' };

test.each<[string, Karpenter, string, left?: Tried['left']]>([
  ['KARPENTER-BUDGET-ZERO', {}, 'held: under "0" for Drifted 1 drifted node stayed'],
  ['KARPENTER-BUDGET-ZERO', { stores: () => [{ nodes: '0' }] }, 'held: under "0" for Drifted 1 drifted node stayed', [budgetsLeft]],
  [
    'KARPENTER-BUDGET-ZERO',
    { conditions: () => ['Initialized'] },
    'untried, unanswered: a new label in the template has not drifted the nodes',
  ],
  ['KARPENTER-DRIFT-CONDITION', {}, 'held: 1 NodeClaims were marked, and are not any more'],
  [
    'KARPENTER-DRIFT-CONDITION',
    { conditions: (labelled) => (labelled ? undefined : ['Initialized']) },
    'untried, unanswered: all of its NodeClaims went before one was seen marked',
  ],
  ['KARPENTER-BUDGET-HASH', { hash: () => '1' }, 'held: 1, before and after'],
  [
    'KARPENTER-BUDGET-HASH',
    { hash: (budgets) => `of ${JSON.stringify(budgets)}` },
    'broken: the hash was of [{"nodes":"1"}] and is of [{"nodes":"3"}], 0 NodeClaims are marked',
  ],
  ['KARPENTER-DO-NOT-DISRUPT', {}, 'held: with karpenter.sh/do-not-disrupt 1 drifted node stayed'],
  // The node went meanwhile.
  ['KARPENTER-DO-NOT-DISRUPT', { patchNode: 404 }, 'held: with karpenter.sh/do-not-disrupt 1 drifted node stayed'],
  [
    'KARPENTER-DO-NOT-DISRUPT',
    { patchNode: 500 },
    'untried, unanswered: annotating n was answered with 500',
    [{ what: 'annotation of node n', why: 'annotating n was answered with 500' }],
  ],
  ['KARPENTER-DO-NOT-DISRUPT', { nodes: [] }, 'untried, absent: NodePool default has no nodes'],
])('%s (case %#)', async (id, karpenter, verdict, left = []) => {
  expect(await trial(id, karpenter)).toMatchObject({ said: verdict, left });
});

test.each<[string, Karpenter, string]>([
  ['KARPENTER-BUDGET-HASH', {}, 'untried, absent: NodePool default has no hash'],
  ...[['Launched'], ['Initialized', 'Drifted'], undefined].map((types): [string, Karpenter, string] => [
    'KARPENTER-BUDGET-ZERO',
    { conditions: () => types },
    'untried, absent: no NodePool has nodes, all of them initialized and none drifted',
  ]),
  ['KARPENTER-BUDGET-DEFAULT', { group: 'eks.amazonaws.com' }, 'untried, absent: every NodePool is of EKS Auto Mode'],
  ['KARPENTER-BUDGET-REASONS', {}, 'untried, absent: the CRD of NodePools has no schema of budgets here'],
])('%s: where it cannot be tried, nothing is sent (case %#)', async (id, karpenter, said) => {
  expect(await trial(id, karpenter)).toEqual({ said, left: [], sent: [] });
});

test('marks that stay once the label is gone are said', async () => {
  let wasLabelled = false;
  const staying = (labelled: boolean): string[] => marking((wasLabelled ||= labelled));
  const { said } = await trial('KARPENTER-DRIFT-CONDITION', { conditions: staying });
  expect(said).toBe('untried, unanswered: NodeClaims are still marked as drifted');
});
