/** Pins EC2NodeClasses to the AMIs that their nodes run (domain: "AMI hold"), and puts the alias back. amiSelectorTerms are not hashed: no drift. */
import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import type { KarpenterActivities } from '../../contract.ts';
import { beat, currentSignal } from '../../context.ts';
import type { KubernetesDeps, KubernetesPort, ResourceRef } from '../../ports.ts';
import { readJson } from '../../read-json.ts';
import { failureOf } from '../../translate-errors.ts';
import { cancellableSleep } from '../../wait-until.ts';
import { listServed, slimNode } from '../lists.ts';
import { annotate, type JsonOperation, lookThenPatch } from '../look-then-patch.ts';
import { type ClusterNode, conditionOf, type NodeClaim, type NodeClass } from '../shapes.ts';
import { sameJson } from '../same-json.ts';
import { AUTO_MODE_NODE_CLASSES, EC2_NODE_CLASSES, KARPENTER_NODES, NODE_CLAIMS } from './pools.ts';

const AMI_BEFORE = 'belay.dev/ami-before';

/** `wrote`: our terms, by which a change of others is told. amiFamily null: was absent. */
const Image = z.object({
  amiSelectorTerms: z.array(z.record(z.string(), z.unknown())),
  amiFamily: z.string().nullable(),
  wrote: z.array(z.record(z.string(), z.unknown())),
});

const FAMILIES: Record<string, string> = {
  al2: 'AL2',
  al2023: 'AL2023',
  bottlerocket: 'Bottlerocket',
  windows2019: 'Windows2019',
  windows2022: 'Windows2022',
  windows2025: 'Windows2025',
};

const LOOK_EVERY_MS = 1_000;
const classRef = (name: string): ResourceRef => ({ ...EC2_NODE_CLASSES, name });

/** How long Karpenter is given to take the mark off NodeClaims whose images are selected again. */
const SETTLE_MS = 40_000;

export interface HoldDeps {
  settleMs?: number;
}

export function createHoldAmiActivities(deps: KubernetesDeps & HoldDeps): Pick<KarpenterActivities, 'holdAmis' | 'releaseAmis'> {
  return {
    async holdAmis({ cluster }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const held: string[] = [];
      const refused: { nodeClass: string; why: string }[] = [];
      const inUse = await readImagesInUse(port);
      for (const nodeClass of (await port.list<NodeClass>(EC2_NODE_CLASSES)) ?? []) {
        const { name } = nodeClass.metadata;
        beat({ kind: 'holding AMIs', nodeClass: name });
        const plan = holdPlan(nodeClass, inUse.get(name) ?? []);
        if (plan.kind === 'refused') refused.push({ nodeClass: name, why: plan.why });
        if (plan.kind === 'held') held.push(name);
        if (plan.kind !== 'hold') continue;
        const result = await lookThenPatch(port, classRef(name), (seen) => holdOperations(seen, inUse.get(name) ?? []), nodeClass);
        if (result.kind === 'there') held.push(name);
      }
      for (const { metadata } of (await port.list(AUTO_MODE_NODE_CLASSES)) ?? []) {
        refused.push({ nodeClass: metadata.name, why: 'EKS Auto Mode chooses the AMIs of its NodeClasses itself' });
      }
      if (refused.length === 0) await untilNothingDrifts(port, new Set(held), deps.settleMs ?? SETTLE_MS);
      return { held, refused };
    },
    async releaseAmis({ cluster }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const released: string[] = [];
      const failed: { nodeClass: string; why: string }[] = [];
      for (const nodeClass of (await port.list<NodeClass>(EC2_NODE_CLASSES)) ?? []) {
        const { name } = nodeClass.metadata;
        if (nodeClass.metadata.annotations?.[AMI_BEFORE] === undefined) continue;
        beat({ kind: 'releasing AMIs', nodeClass: name });
        try {
          const result = await lookThenPatch(port, classRef(name), releaseOperations, nodeClass);
          if (result.kind === 'there') released.push(name);
        } catch (error) {
          if (!(error instanceof ApplicationFailure) || error.nonRetryable !== true) throw error;
          failed.push({ nodeClass: name, why: error.message });
        }
      }
      return { released, failed };
    },
  };
}

/** Budgets that come back while NodeClaims are still marked would have them replaced. Throws Unavailable when the marks stay. */
async function untilNothingDrifts(port: KubernetesPort, held: ReadonlySet<string>, settleMs: number): Promise<void> {
  const isMarked = (claim: NodeClaim): boolean => {
    const drifted = conditionOf(claim, 'Drifted');
    const forImage = drifted?.reason === undefined || drifted.reason === 'AMIDrift';
    return (
      held.has(claim.spec?.nodeClassRef?.name ?? '') &&
      drifted?.status === 'True' &&
      forImage &&
      claim.metadata.deletionTimestamp === undefined
    );
  };
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const claims = await listServed<NodeClaim>(port, NODE_CLAIMS);
    const marked = claims.filter(isMarked);
    if (marked.length === 0) return;
    if (waitedMs >= settleMs || currentSignal().aborted) {
      throw failureOf(
        'Unavailable',
        `holding the AMIs: Karpenter still marks ${marked.length} NodeClaims as drifted, first ${marked[0]?.metadata.name}`,
      );
    }
    beat({ kind: 'waiting for drift marks to go', count: marked.length });
    await cancellableSleep(LOOK_EVERY_MS);
  }
}

interface ImageInUse {
  node: string;
  arch: string | undefined;
  image: string;
}

/** Launched NodeClaims by EC2NodeClass. The architecture stands on the Node; a NodeClaim usually has the label too. */
async function readImagesInUse(port: KubernetesPort): Promise<Map<string, ImageInUse[]>> {
  const nodes = await listServed<ClusterNode>(port, KARPENTER_NODES, slimNode);
  const archOf = new Map(nodes.map((node) => [node.metadata.name, node.metadata.labels?.['kubernetes.io/arch']]));
  const byClass = new Map<string, ImageInUse[]>();
  for (const claim of await listServed<NodeClaim>(port, NODE_CLAIMS)) {
    const nodeClass = claim.spec?.nodeClassRef?.name;
    const image = claim.status?.imageID;
    if (nodeClass === undefined || image === undefined || image === '') continue;
    const node = claim.status?.nodeName ?? claim.metadata.name;
    const arch = archOf.get(node) ?? claim.metadata.labels?.['kubernetes.io/arch'];
    byClass.set(nodeClass, [...(byClass.get(nodeClass) ?? []), { node, arch, image }]);
  }
  return byClass;
}

type HoldPlan =
  | { kind: 'nothing' }
  | { kind: 'held' }
  | { kind: 'refused'; why: string }
  | { kind: 'hold'; ids: string[]; amiFamily: string };

/** Classes that choose AMIs by id, name, tag or parameter do not move with the control plane: nothing to hold. */
function holdPlan(nodeClass: NodeClass, inUse: readonly ImageInUse[]): HoldPlan {
  const alias = aliasOf(nodeClass.spec?.amiSelectorTerms);
  if (alias === undefined) return { kind: nodeClass.metadata.annotations?.[AMI_BEFORE] === undefined ? 'nothing' : 'held' };
  const family = nodeClass.spec?.amiFamily ?? FAMILIES[alias.split('@')[0] ?? ''];
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
  return { kind: 'hold', ids: [...new Set(inUse.map((use) => use.image))].sort(), amiFamily: family };
}

/** One patch: before-image, ids, family. The before-image of an earlier hold that others have reverted is kept. */
function holdOperations(nodeClass: NodeClass, inUse: readonly ImageInUse[]): JsonOperation[] {
  const plan = holdPlan(nodeClass, inUse);
  if (plan.kind !== 'hold') return [];
  const { spec } = nodeClass;
  const wrote = plan.ids.map((id) => ({ id }));
  const kept = readImage(nodeClass);
  const image =
    kept === undefined ? { amiSelectorTerms: spec?.amiSelectorTerms ?? [], amiFamily: spec?.amiFamily ?? null, wrote } : { ...kept, wrote };
  return [
    ...annotate(nodeClass, { [AMI_BEFORE]: JSON.stringify(image) }),
    { op: 'add', path: '/spec/amiSelectorTerms', value: wrote },
    ...(spec?.amiFamily === plan.amiFamily ? [] : [{ op: 'add' as const, path: '/spec/amiFamily', value: plan.amiFamily }]),
  ];
}

function releaseOperations(nodeClass: NodeClass): JsonOperation[] {
  if (nodeClass.metadata.annotations?.[AMI_BEFORE] === undefined) return [];
  const { name } = nodeClass.metadata;
  const image = readImage(nodeClass);
  if (image === undefined) {
    throw failureOf(
      'InvalidRequest',
      `releasing the AMIs of ${name}: annotation ${AMI_BEFORE} cannot be read; set amiSelectorTerms by hand`,
    );
  }
  const cleaned = annotate(nodeClass, { [AMI_BEFORE]: null });
  const terms = nodeClass.spec?.amiSelectorTerms ?? [];
  if (sameJson(terms, image.amiSelectorTerms)) return [...cleaned, ...setFamily(nodeClass, image.amiFamily)];
  if (!sameJson(terms, image.wrote)) {
    throw failureOf(
      'InvalidRequest',
      `releasing the AMIs of ${name}: others changed amiSelectorTerms meanwhile; the terms before were ${JSON.stringify(image.amiSelectorTerms)}: put back what is wanted and remove annotation ${AMI_BEFORE}`,
    );
  }
  return [
    ...cleaned,
    { op: 'add', path: '/spec/amiSelectorTerms', value: image.amiSelectorTerms },
    ...setFamily(nodeClass, image.amiFamily),
  ];
}

function setFamily(nodeClass: NodeClass, family: string | null): JsonOperation[] {
  const current = nodeClass.spec?.amiFamily ?? null;
  if (current === family) return [];
  return family === null ? [{ op: 'remove', path: '/spec/amiFamily' }] : [{ op: 'add', path: '/spec/amiFamily', value: family }];
}

/** The alias that a hold has replaced; undefined: the class is not held. */
export function aliasBeforeHold(nodeClass: NodeClass): string | undefined {
  return aliasOf(readImage(nodeClass)?.amiSelectorTerms);
}

/** The alias by which these terms choose AMIs, such as al2023@latest; undefined: by id, name, tag or parameter. */
export function aliasOf(terms: NonNullable<NodeClass['spec']>['amiSelectorTerms'] = []): string | undefined {
  return terms.map((term) => term['alias']).find((alias) => typeof alias === 'string');
}

function readImage(nodeClass: NodeClass): z.infer<typeof Image> | undefined {
  return readJson(nodeClass.metadata.annotations?.[AMI_BEFORE], Image);
}
