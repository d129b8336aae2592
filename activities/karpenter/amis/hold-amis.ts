/** Pins EC2NodeClasses to the AMIs that their nodes run (domain: "AMI hold"), and puts the alias back. amiSelectorTerms are not hashed: no drift. */
import { amiFamilyOf } from '../../../domain/facts/ami-names.ts';
import type { AmiHoldFact } from '../../../domain/facts/facts.ts';
import type { KarpenterActivities } from '../../contract/karpenter.ts';
import { beat, currentSignal } from '../../runtime/context.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { cancellableSleep } from '../../runtime/wait-until.ts';
import { listServed, slimNode } from '../../kubernetes/objects/lists.ts';
import { type JsonOperation, lookThenPatch } from '../../kubernetes/objects/patch-object.ts';
import type { ClusterNode, NodeClaim, NodeClass, NodePool } from '../../clients/kubernetes/objects.ts';
import { readImage, restoreOperations, selectOperations } from './before-image.ts';
import { putBackEach } from './change-each.ts';
import { isAccelerated, otherImages } from './other-images.ts';
import { markedClaims, marksStay } from '../objects/drift-marks.ts';
import {
  AUTO_MODE_NODE_CLASSES,
  classGroupOf,
  classRef,
  EC2_NODE_CLASSES,
  ec2ClassOf,
  KARPENTER_GROUP,
  KARPENTER_NODES,
  NODE_CLAIMS,
  NODE_POOLS,
} from '../objects/node-pools.ts';
import { defined } from '../../../domain/core/defined.ts';

export const AMI_BEFORE = 'belay.dev/ami-before';

const LOOK_EVERY_MS = 1_000;

/** How long Karpenter is given to take the mark off NodeClaims whose images are selected again. */
const SETTLE_MS = 40_000;

export interface HoldDeps {
  settleMs?: number;
}

export function createHoldAmiActivities(deps: KubernetesDeps & HoldDeps): Pick<KarpenterActivities, 'holdAmis' | 'releaseAmis'> {
  return {
    async holdAmis({ cluster, nodeClasses, images }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const held: string[] = [];
      const refused: { nodeClass: string; why: string }[] = [];
      const usesOf = await readUses(port);
      const wanted = ({ metadata }: NodeClass): boolean => nodeClasses?.includes(metadata.name) ?? true;
      const autoMode = nodeClasses === undefined ? ((await port.list(AUTO_MODE_NODE_CLASSES)) ?? []) : [];
      // A type that is not served now is no proof that nothing has to be pinned, and budgets come back once everything is.
      const classes =
        autoMode.length > 0 ? await port.list<NodeClass>(EC2_NODE_CLASSES) : await listServed<NodeClass>(port, EC2_NODE_CLASSES);
      for (const nodeClass of (classes ?? []).filter(wanted)) {
        const { name } = nodeClass.metadata;
        beat({ kind: 'holding AMIs', nodeClass: name });
        const planFor = (seen: NodeClass): HoldPlan => planOf(seen, usesOf(name), images?.[name]);
        const result = await lookThenPatch(port, classRef(name), (seen) => holdOperations(seen, planFor(seen)), nodeClass);
        if (result.kind === 'gone') continue;
        // Others may have changed it since it was listed.
        const plan = planFor(result.seen);
        if (plan.kind === 'refused') refused.push({ nodeClass: name, why: plan.why });
        if (plan.kind === 'held' || plan.kind === 'hold') held.push(name);
      }
      for (const { metadata } of autoMode) {
        refused.push({ nodeClass: metadata.name, why: 'EKS Auto Mode chooses the AMIs of its NodeClasses itself' });
      }
      if (refused.length === 0 && images === undefined) await untilNothingDrifts(port, new Set(held), deps.settleMs ?? SETTLE_MS);
      return { held, refused };
    },
    async releaseAmis({ cluster, nodeClasses }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const classes = (await port.list<NodeClass>(EC2_NODE_CLASSES)) ?? [];
      const held = new Map(
        classes
          .filter(({ metadata }) => metadata.annotations?.[AMI_BEFORE] !== undefined && (nodeClasses?.includes(metadata.name) ?? true))
          .map((each) => [each.metadata.name, each]),
      );
      const { done, failed } = await putBackEach([...held.keys()], async (name) => {
        beat({ kind: 'releasing AMIs', nodeClass: name });
        return await lookThenPatch(port, classRef(name), releaseOperations, held.get(name));
      });
      return { released: done, failed: failed.map(({ name, why }) => ({ nodeClass: name, why })) };
    },
  };
}

/** What `holdAmis` would pin now, for a plan: classes that choose by alias. */
export async function readAmiHolds(port: KubernetesPort): Promise<AmiHoldFact[]> {
  const usesOf = await readUses(port);
  const classes = (await port.list<NodeClass>(EC2_NODE_CLASSES)) ?? [];
  return classes.flatMap((nodeClass): AmiHoldFact[] => {
    const { name } = nodeClass.metadata;
    const uses = usesOf(name);
    const plan = holdPlan(nodeClass, uses);
    const accelerated = uses.images.find((use) => use.accelerated)?.node;
    const more = defined({ accelerated, acceleratedPool: plan.kind === 'refused' ? plan.acceleratedPool : undefined });
    if (plan.kind === 'refused') return [{ nodeClass: name, ids: [], refused: plan.why, ...more }];
    if (plan.kind !== 'hold') return [];
    const open = plan.openPools.length === 0 ? {} : { openPools: plan.openPools };
    return [{ nodeClass: name, ids: plan.ids, ...defined({ amiFamily: plan.amiFamily }), ...more, ...open }];
  });
}

/** Budgets that come back while NodeClaims are still marked would have them replaced. Throws Unavailable when the marks stay. */
async function untilNothingDrifts(port: KubernetesPort, held: ReadonlySet<string>, settleMs: number): Promise<void> {
  const forImage = (claim: NodeClaim, reason: string | undefined): boolean =>
    held.has(ec2ClassOf(claim) ?? '') && (reason === undefined || reason === 'AMIDrift');
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const marked = await markedClaims(port, forImage);
    if (marked.length === 0) return;
    if (waitedMs >= settleMs || currentSignal().aborted) throw marksStay('holding the AMIs', marked);
    beat({ kind: 'waiting for drift marks to go', count: marked.length });
    await cancellableSleep(LOOK_EVERY_MS);
  }
}

interface ImageInUse {
  node: string;
  arch: string | undefined;
  image: string;
  /** Of an instance type with GPUs, Neuron devices or the like, which has images of its own. */
  accelerated: boolean;
}

/** Of one EC2NodeClass. */
interface Uses {
  images: readonly ImageInUse[];
  pools: readonly NodePool[];
}

async function readUses(port: KubernetesPort): Promise<(nodeClass: string) => Uses> {
  const images = await readImagesInUse(port);
  const pools = ((await port.list<NodePool>(NODE_POOLS)) ?? []).filter((pool) => classGroupOf(pool) === KARPENTER_GROUP);
  return (nodeClass) => ({
    images: images.get(nodeClass) ?? [],
    pools: pools.filter(({ spec }) => spec?.template?.spec?.nodeClassRef?.name === nodeClass),
  });
}

/** Launched NodeClaims by EC2NodeClass. The architecture stands on the Node; a NodeClaim usually has the label too. */
async function readImagesInUse(port: KubernetesPort): Promise<Map<string, ImageInUse[]>> {
  const nodes = await listServed<ClusterNode>(port, KARPENTER_NODES, slimNode);
  const labelsOf = new Map(nodes.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  const byClass = new Map<string, ImageInUse[]>();
  for (const claim of await listServed<NodeClaim>(port, NODE_CLAIMS)) {
    const nodeClass = ec2ClassOf(claim);
    const image = claim.status?.imageID;
    if (nodeClass === undefined || image === undefined || image === '') continue;
    const node = claim.status?.nodeName ?? claim.metadata.name;
    const labels = { ...claim.metadata.labels, ...labelsOf.get(node) };
    const use = { node, arch: labels['kubernetes.io/arch'], image, accelerated: isAccelerated(labels) };
    byClass.set(nodeClass, [...(byClass.get(nodeClass) ?? []), use]);
  }
  return byClass;
}

type HoldPlan =
  | { kind: 'nothing' }
  | { kind: 'held' }
  | { kind: 'refused'; why: string; acceleratedPool?: string }
  /** amiFamily undefined: stays as it is. */
  | { kind: 'hold'; ids: string[]; amiFamily: string | undefined; openPools: string[] };

/** Classes that choose AMIs by id, name, tag or parameter do not move with the control plane: nothing to hold. */
function holdPlan(nodeClass: NodeClass, { images: inUse, pools }: Uses): HoldPlan {
  const alias = aliasOf(nodeClass.spec?.amiSelectorTerms);
  if (alias === undefined) return { kind: nodeClass.metadata.annotations?.[AMI_BEFORE] === undefined ? 'nothing' : 'held' };
  const family = nodeClass.spec?.amiFamily ?? amiFamilyOf(alias);
  if (family === undefined) return { kind: 'refused', why: `alias ${alias} belongs to no AMI family that is known` };
  // Without nodes there is nothing to keep.
  if (inUse.length === 0) return { kind: 'nothing' };
  const nowhere = inUse.find(({ arch }) => arch === undefined);
  if (nowhere !== undefined) return { kind: 'refused', why: `the architecture of node ${nowhere.node} is not known` };
  for (const arch of new Set(inUse.map((use) => use.arch))) {
    const images = [...new Set(inUse.filter((use) => use.arch === arch).map((use) => use.image))];
    if (images.length < 2) continue;
    const few = images.slice(0, 3).join(', ');
    return {
      kind: 'refused',
      why: `its ${arch} nodes run ${images.length} AMIs (${few}) and Karpenter keeps the newest per architecture only: split the class, or roll its nodes to one AMI first`,
    };
  }
  const { ids, acceleratedPool, openPools } = otherImages(nodeClass, pools, runningOf(inUse));
  if (acceleratedPool !== undefined) return { kind: 'refused', why: needsVariant(acceleratedPool), acceleratedPool };
  return { kind: 'hold', ids: [...new Set([...inUse.map((use) => use.image), ...ids])].sort(), amiFamily: family, openPools };
}

const needsVariant = (pool: string): string =>
  `NodePool ${pool} launches instances with accelerators, which need an AMI of their own, and Karpenter tells AMIs that are chosen by id apart by architecture only: give ${pool} an EC2NodeClass of its own`;

/** One standard node makes an architecture's image the standard one. */
function runningOf(inUse: readonly ImageInUse[]): Map<string, 'standard' | 'variant'> {
  const archs = new Map<string, 'standard' | 'variant'>();
  for (const { arch, accelerated } of inUse) {
    if (arch !== undefined && archs.get(arch) !== 'standard') archs.set(arch, accelerated ? 'variant' : 'standard');
  }
  return archs;
}

/** `images`: what is pinned instead of the images in use. */
function planOf(nodeClass: NodeClass, uses: Uses, images: { ids: string[]; amiFamily?: string } | undefined): HoldPlan {
  if (images === undefined || aliasOf(nodeClass.spec?.amiSelectorTerms) === undefined) return holdPlan(nodeClass, uses);
  return { kind: 'hold', ids: images.ids, amiFamily: images.amiFamily, openPools: [] };
}

function holdOperations(nodeClass: NodeClass, plan: HoldPlan): JsonOperation[] {
  if (plan.kind !== 'hold') return [];
  return selectOperations(
    nodeClass,
    AMI_BEFORE,
    plan.ids.map((id) => ({ id })),
    plan.amiFamily,
  );
}

function releaseOperations(nodeClass: NodeClass): JsonOperation[] {
  return restoreOperations(nodeClass, AMI_BEFORE, `releasing the AMIs of ${nodeClass.metadata.name}`);
}

/** The alias that a hold has replaced; undefined: the class is not held. */
export function aliasBeforeHold(nodeClass: NodeClass): string | undefined {
  return aliasOf(readImage(nodeClass, AMI_BEFORE)?.amiSelectorTerms);
}

/** The alias by which these terms choose AMIs, such as al2023@latest; undefined: by id, name, tag or parameter. */
export function aliasOf(terms: NonNullable<NodeClass['spec']>['amiSelectorTerms'] = []): string | undefined {
  return terms.map((term) => term['alias']).find((alias) => typeof alias === 'string');
}
