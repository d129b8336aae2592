/** Tries what is believed of Karpenter's budgets and drift, on one NodePool: its template gets a label, which drifts its nodes, and loses it again. */
import { randomUUID } from 'node:crypto';
import type { Verdict } from '../../../domain/tables/beliefs/verdict.ts';
import { broken, CannotTry, type ChangeCheck, type Ground, held, type Owe } from './check.ts';
import { budgetsOf, claimsOf, hashOf, poolNameOf, poolsOf } from './karpenter-reads.ts';
import { at, isTrue, itemsOf, listAt, mustBe, nameOf, some, stringsAt, textAt, within } from './look.ts';
import { count } from '../../../domain/core/text.ts';

const LABEL = 'belay.dev/conformance';
const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';
const OPEN = { nodes: '100%' };
const ZERO = { nodes: '0', reasons: ['Drifted'] };

export const KARPENTER_CHANGES: Readonly<Record<string, ChangeCheck>> = {
  'KARPENTER-BUDGET-ZERO': async (ground, owe) => {
    const pool = await settledPool(ground);
    await setBudgets(ground, owe, pool, [ZERO]);
    return heldBack(ground, owe, pool, 'under "0" for Drifted');
  },
  'KARPENTER-BUDGET-MINIMUM': async (ground, owe) => {
    const pool = await settledPool(ground);
    await setBudgets(ground, owe, pool, [OPEN, ZERO]);
    return heldBack(ground, owe, pool, 'under 100 % and "0" for Drifted');
  },
  'KARPENTER-DO-NOT-DISRUPT': async (ground, owe) => {
    const pool = await settledPool(ground);
    await setBudgets(ground, owe, pool, [OPEN]);
    await holdNodes(ground, owe, pool);
    return heldBack(ground, owe, pool, `with ${DO_NOT_DISRUPT}`);
  },
  'KARPENTER-DRIFT-CONDITION': async (ground, owe) => {
    const pool = await settledPool(ground);
    await setBudgets(ground, owe, pool, [ZERO]);
    const { clear } = await drift(ground, owe, pool);
    const marked = (await claimsIn(ground, pool)).filter((claim) => isTrue(claim, 'Drifted')).length;
    if (marked === 0) throw new CannotTry('all of its NodeClaims went before one was seen marked', 'unanswered');
    await clear();
    return held(`${marked} NodeClaims were marked, and are not any more`);
  },
  'KARPENTER-BUDGET-HASH': async (ground, owe) => {
    const pool = await settledPool(ground);
    const before = hashOf(pool);
    if (before === undefined) throw new CannotTry(`NodePool ${nameOf(pool)} has no hash`);
    await setBudgets(ground, owe, pool, [{ nodes: '3' }]);
    let [now, marked]: [string | undefined, unknown[]] = [before, []];
    await hold(ground, async () => {
      now = hashOf(await read(ground, pool));
      marked = (await claimsIn(ground, pool)).filter((claim) => isTrue(claim, 'Drifted'));
      return now === before && marked.length === 0;
    });
    return now === before && marked.length === 0
      ? held(`${before}, before and after`)
      : broken(`the hash was ${before} and is ${now}, ${marked.length} NodeClaims are marked`);
  },
  'KARPENTER-BUDGET-DEFAULT': async (ground) => {
    const pool = await poolWithSchema(ground);
    const without = await dryRun(ground, pool, { spec: { disruption: { budgets: null } } });
    const empty = await dryRun(ground, pool, { spec: { disruption: { budgets: [] } } });
    const [byDefault, asEmpty] = [JSON.stringify(budgetsOf(without)), JSON.stringify(budgetsOf(empty))];
    return byDefault === '[{"nodes":"10%"}]' && asEmpty === '[]'
      ? held(`${byDefault} by default, ${asEmpty} stays`)
      : broken(`${byDefault} by default, ${asEmpty} for an empty list`);
  },
  'KARPENTER-BUDGET-REASONS': async (ground) => {
    const pool = await poolWithSchema(ground);
    const bad = { spec: { disruption: { budgets: [{ nodes: '0', reasons: ['Nonsense'] }] } } };
    const { status } = await ground.kube('PATCH', `${pathOf(pool)}?dryRun=All`, { body: bad });
    const known = { spec: { disruption: { budgets: [{ nodes: '0', reasons: ['Drifted', 'Underutilized', 'Empty'] }] } } };
    await dryRun(ground, pool, known);
    return status === 422 ? held('422 for another one') : broken(`another one is answered with ${status}`);
  },
};

const pathOf = (pool: unknown): string => `/apis/karpenter.sh/v1/nodepools/${nameOf(pool)}`;
const read = async (ground: Ground, pool: unknown): Promise<unknown> =>
  mustBe(await ground.kube('GET', pathOf(pool)), 200, `NodePool ${nameOf(pool)}`);
const dryRun = async (ground: Ground, pool: unknown, body: object): Promise<unknown> =>
  mustBe(await ground.kube('PATCH', `${pathOf(pool)}?dryRun=All`, { body }), 200, `a dry run on NodePool ${nameOf(pool)}`);

/** Of Karpenter itself, where its CRD says what budgets are: a stand-in's may not. */
async function poolWithSchema(ground: Ground): Promise<unknown> {
  const [pool] = (await poolsOf(ground)).filter(
    (each) => textAt(each, 'spec', 'template', 'spec', 'nodeClassRef', 'group') !== 'eks.amazonaws.com',
  );
  if (pool === undefined) throw new CannotTry('every NodePool is of EKS Auto Mode');
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.karpenter.sh';
  const definition = mustBe(await ground.kube('GET', path), 200, 'the CRD of NodePools');
  const version = listAt(definition, 'spec', 'versions').find((each) => textAt(each, 'name') === 'v1');
  const schema = at(version, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties', 'disruption');
  if (schema === undefined) throw new CannotTry('the CRD of NodePools has no schema of budgets here');
  return pool;
}

const claimsIn = async (ground: Ground, pool: unknown): Promise<unknown[]> =>
  (await claimsOf(ground)).filter((claim) => poolNameOf(claim) === nameOf(pool));

/** With nodes, none of which has drifted or goes. */
async function settledPool(ground: Ground): Promise<unknown> {
  const claims = await claimsOf(ground);
  const pools = await poolsOf(ground);
  const found = pools.find((pool) => {
    const own = claims.filter((claim) => poolNameOf(claim) === nameOf(pool));
    return (
      own.length > 0 &&
      own.every(
        (claim) => isTrue(claim, 'Initialized') && !isTrue(claim, 'Drifted') && at(claim, 'metadata', 'deletionTimestamp') === undefined,
      )
    );
  });
  if (found === undefined) throw new CannotTry('no NodePool has nodes, all of them initialized and none drifted');
  return found;
}

async function setBudgets(ground: Ground, owe: Owe, pool: unknown, budgets: object[]): Promise<void> {
  const before = budgetsOf(pool);
  owe(`budgets of NodePool ${nameOf(pool)}`, async () => {
    mustBe(
      await ground.kube('PATCH', pathOf(pool), { body: { spec: { disruption: { budgets: before ?? null } } } }),
      200,
      'restoring budgets',
    );
    if (JSON.stringify(budgetsOf(await read(ground, pool))) !== JSON.stringify(before))
      throw new Error(`they were ${JSON.stringify(before)}`);
  });
  mustBe(await ground.kube('PATCH', pathOf(pool), { body: { spec: { disruption: { budgets } } } }), 200, 'setting budgets');
}

/** Drifts the pool's nodes. `clear`: takes the label away and waits until no node is marked. */
async function drift(ground: Ground, owe: Owe, pool: unknown): Promise<{ clear: () => Promise<void> }> {
  const label = (value: string | null): object => ({ spec: { template: { metadata: { labels: { [LABEL]: value } } } } });
  const marked = async (): Promise<boolean[]> => (await claimsIn(ground, pool)).map((claim) => isTrue(claim, 'Drifted'));
  const clear = async (): Promise<void> => {
    mustBe(await ground.kube('PATCH', pathOf(pool), { body: label(null) }), 200, 'taking the label away');
    const cleared = await within(ground, async () => !(await marked()).includes(true));
    if (!cleared) throw new CannotTry('NodeClaims are still marked as drifted', 'unanswered');
  };
  owe(`label ${LABEL} in the template of NodePool ${nameOf(pool)}`, async () => {
    if (stringsAt(await read(ground, pool), 'spec', 'template', 'metadata', 'labels')[LABEL] !== undefined) await clear();
  });
  const names = new Set((await claimsIn(ground, pool)).map(nameOf));
  mustBe(await ground.kube('PATCH', pathOf(pool), { body: label(randomUUID().slice(0, 8)) }), 200, 'adding the label');
  // One that is replaced already is not there to be marked, and one that goes may have lost its mark.
  const drifted = await within(ground, async () =>
    (await claimsIn(ground, pool))
      .filter((claim) => names.has(nameOf(claim)))
      .every((claim) => isTrue(claim, 'Drifted') || at(claim, 'metadata', 'deletionTimestamp') !== undefined),
  );
  if (!drifted) throw new CannotTry('a new label in the template has not drifted the nodes', 'unanswered');
  return { clear };
}

/** Are drifted nodes left alone for a while? */
async function heldBack(ground: Ground, owe: Owe, pool: unknown, how: string): Promise<Verdict> {
  const before = (await claimsIn(ground, pool)).map(nameOf);
  const { clear } = await drift(ground, owe, pool);
  let going: string[] = [];
  await hold(ground, async () => {
    const now = await claimsIn(ground, pool);
    const staying = now.filter((claim) => at(claim, 'metadata', 'deletionTimestamp') === undefined).map(nameOf);
    going = [...before.filter((name) => !staying.includes(name)), ...now.map(nameOf).filter((name) => !before.includes(name))];
    return going.length === 0;
  });
  if (going.length > 0) return broken(`${how} nodes are replaced: ${some(going)}`);
  await clear();
  return held(`${how} ${count(before.length, 'drifted node')} stayed`);
}

/** Looks for as long as Karpenter would need several times over, or until it does not hold. */
async function hold(ground: Ground, holds: () => Promise<boolean>): Promise<void> {
  await within(ground, async () => !(await holds()), ground.holdMs);
}

async function holdNodes(ground: Ground, owe: Owe, pool: unknown): Promise<void> {
  const nodes = (await itemsOf(ground, `/api/v1/nodes?labelSelector=${encodeURIComponent(`karpenter.sh/nodepool=${nameOf(pool)}`)}`)) ?? [];
  for (const node of nodes) {
    const before = stringsAt(node, 'metadata', 'annotations')[DO_NOT_DISRUPT] ?? null;
    const annotate = async (value: string | null): Promise<void> => {
      const body = { metadata: { annotations: { [DO_NOT_DISRUPT]: value } } };
      const { status } = await ground.kube('PATCH', `/api/v1/nodes/${nameOf(node)}`, { body });
      if (status !== 200 && status !== 404) throw new CannotTry(`annotating ${nameOf(node)} was answered with ${status}`, 'unanswered');
    };
    owe(`annotation of node ${nameOf(node)}`, () => annotate(before));
    await annotate('true');
  }
  if (nodes.length === 0) throw new CannotTry(`NodePool ${nameOf(pool)} has no nodes`);
}
