/** Is Karpenter able to bring up new nodes? What is wrong, each with a key that stays while it is the same thing. */
import type { KubernetesPort } from '../../contract/ports.ts';
import { conditionOf, isFalse, isTrue, type KubeEvent, type NodeClass, type NodePool } from '../../clients/kubernetes/objects.ts';
import { AUTO_MODE_GROUP, AUTO_MODE_NODE_CLASSES, classGroupOf, EC2_NODE_CLASSES, KARPENTER_GROUP } from '../objects/node-pools.ts';
import type { DriftView } from '../../kubernetes/drain/draining-nodes.ts';
import { POOL } from '../../kubernetes/objects/node-owner.ts';
import { nowOf } from '../../kubernetes/objects/server-time.ts';

export interface Trouble {
  key: string;
  why: string;
  /** How long it may last, as a share of driftBlockedAfterMs: a bad image is final, readiness may flap, launches take their time. */
  patience: number;
}

const CLASS_LISTS = [
  { group: KARPENTER_GROUP, classes: EC2_NODE_CLASSES },
  { group: AUTO_MODE_GROUP, classes: AUTO_MODE_NODE_CLASSES },
];

/** What EC2 says when trying again cannot help (karpenter.sh, troubleshooting), and what does. */
const FINAL_ERRORS = [
  {
    says: /ServiceLinkedRoleCreationNotPermitted/,
    remedy:
      'the service-linked role of EC2 Spot is missing; make it (aws iam create-service-linked-role --aws-service-name spot.amazonaws.com), then Retry',
  },
  {
    says: /UnauthorizedOperation|AccessDenied/,
    remedy: "Karpenter's IAM role lacks a permission; give it the policy of its version's CloudFormation template, then Retry",
  },
];

/** Only pools that have something left to replace matter. `limitMs`: what happened longer ago is over. `beganMs`: when the roll began. */
export async function findTroubles(
  port: KubernetesPort,
  view: DriftView,
  { pools: all, limitMs, beganMs }: { pools: readonly NodePool[]; limitMs: number; beganMs: number },
): Promise<Trouble[]> {
  const concerned = new Set([...view.old, ...view.driftedClaims].map(({ nodePool }) => nodePool));
  const pools = all.filter((pool) => concerned.has(pool.metadata.name));
  const troubles: Trouble[] = [];
  for (const pool of pools) {
    const { name } = pool.metadata;
    if (isFalse(pool, 'NodeRegistrationHealthy')) {
      const why = `NodePool ${name}: new nodes do not register (${said(pool, 'NodeRegistrationHealthy')})`;
      troubles.push(
        isOlder(pool, beganMs)
          ? { key: `registration ${name} ${view.replacedCount}`, why, patience: 1 }
          : { key: `registration ${name}`, why, patience: 0 },
      );
    }
    if (isFalse(pool, 'Ready'))
      troubles.push({ key: `pool ${name}`, why: `NodePool ${name} is not ready (${said(pool, 'Ready')})`, patience: 1 / 3 });
  }
  for (const { group, classes } of CLASS_LISTS) {
    const used = new Set(pools.filter((pool) => classGroupOf(pool) === group).map((pool) => pool.spec?.template?.spec?.nodeClassRef?.name));
    if (used.size === 0) continue;
    for (const nodeClass of (await port.list<NodeClass>(classes)) ?? []) {
      const { name } = nodeClass.metadata;
      if (!used.has(name) || !isFalse(nodeClass, 'Ready')) continue;
      troubles.push({
        key: `class ${name}`,
        why: `${nodeClass.kind ?? 'NodeClass'} ${name} is not ready (${said(nodeClass, 'Ready')})`,
        patience: 1 / 3,
      });
    }
  }
  return [...troubles, ...launches(view, concerned), ...(await withoutCapacity(port, view, { concerned, limitMs }))];
}

/**
 * Did its nodes fail before the roll? It stays False until most of the last four have registered, or the NodePool is edited (karpenter,
 * pkg/state/nodepoolhealth, nodepool/registrationhealth): under the freeze none is launched, so no Retry would get past it.
 */
function isOlder(pool: NodePool, beganMs: number): boolean {
  const { lastTransitionTime, observedGeneration } = conditionOf(pool, 'NodeRegistrationHealthy') ?? {};
  return (observedGeneration ?? Infinity) < (pool.metadata.generation ?? 0) || Date.parse(lastTransitionTime ?? '') < beganMs;
}

/**
 * Where EC2 has no instance Karpenter deletes the NodeClaim at once, and says so in an event alone (nodeclaim/lifecycle/launch.go): transient, unless
 * it goes on and no new node comes.
 */
async function withoutCapacity(
  port: KubernetesPort,
  { replacedCount }: DriftView,
  { concerned, limitMs }: { concerned: ReadonlySet<string>; limitMs: number },
): Promise<Trouble[]> {
  const fieldSelector = 'reason=InsufficientCapacityError';
  const events = (await port.list<KubeEvent>({ apiVersion: 'v1', plural: 'events', namespace: 'default', fieldSelector })) ?? [];
  const sinceMs = nowOf(port) - limitMs;
  return events
    .filter(({ lastTimestamp, metadata }) => Date.parse(lastTimestamp ?? metadata.creationTimestamp ?? '') > sinceMs)
    .flatMap(({ involvedObject, message = '' }): Trouble[] => {
      // Named after its pool and some letters.
      const pool = involvedObject?.name?.replace(/-[^-]+$/, '');
      if (pool === undefined || !concerned.has(pool)) return [];
      const trouble = troubleOf(`capacity ${replacedCount}`, `NodePool ${pool}: no new node (${message.slice(0, 200)})`, message);
      // An event stays when its cause is mended: a Retry is not to fail by it.
      return [{ ...trouble, patience: 1 }];
    })
    .slice(-1);
}

/** Failed launches come back under new names, so the number of new nodes is the key: it changes as soon as one succeeds. */
function launches({ starting, replacedCount }: DriftView, concerned: ReadonlySet<string>): Trouble[] {
  const waiting = starting.filter((claim) => concerned.has(claim.metadata.labels?.[POOL] ?? ''));
  const first = waiting[0];
  if (first === undefined) return [];
  const stage = ['Launched', 'Registered', 'Initialized'].find((type) => !isTrue(first, type)) ?? 'Initialized';
  const words = said(first, stage);
  const why = `NodeClaim ${first.metadata.name} does not become a node (${stage}: ${words})`;
  return [troubleOf(`launch ${replacedCount}`, why, words)];
}

/** `words`: what Karpenter says. The remedy comes first, because these may be long. */
function troubleOf(key: string, why: string, words: string): Trouble {
  const known = FINAL_ERRORS.find(({ says }) => says.test(words));
  return known === undefined ? { key, why, patience: 1 } : { key, why: `${known.remedy}. ${why}`, patience: 0 };
}

function said(object: Parameters<typeof conditionOf>[0], type: string): string {
  const condition = conditionOf(object, type);
  if (condition === undefined) return 'no condition yet';
  return (
    [condition.reason, condition.message]
      .filter((part) => part !== undefined && part !== '')
      .join(': ')
      .slice(0, 200) || condition.status
  );
}
