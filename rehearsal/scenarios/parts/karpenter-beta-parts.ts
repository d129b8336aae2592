/** Karpenter of before 1.0 in a scenario: its definitions as their chart has them, and manifests of the API of its time. */
import { launchClaim } from '../../controllers/karpenter/claims.ts';
import { karpenterHubs } from '../../controllers/karpenter/migration/conversion.ts';
import { appliedAs, KUBECTL } from '../../controllers/karpenter/migration/manifests.ts';
import { resolveNodeClass } from '../../controllers/karpenter/node-classes.ts';
import { type ChartValues, rollDefinitions, rollKarpenter } from '../../controllers/karpenter/release.ts';
import { setCondition } from '../../controllers/conditions.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { addKarpenter } from './karpenter-parts.ts';

/** Definitions, controller, Service and webhooks of a version; `labels`: of who delivers it. */
export function addOlderKarpenter(
  world: World,
  { version, values = {}, ...options }: { version: string; nodeGroup: string; values?: ChartValues; labels?: Record<string, string> },
): void {
  const refused = rollDefinitions(world, version, values);
  if (refused !== undefined) throw new Error(refused);
  addKarpenter(world, { ...options, version, annotations: {}, defined: true });
  rollKarpenter(world, version, values);
}

/** Marks of a Kustomization of Flux on what it applies. */
const OF_GIT = { 'kustomize.toolkit.fluxcd.io/name': 'nodes', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' };

/** An object of v1beta1, applied from Git or by hand. */
function apply(world: World, plural: string, { apiVersion, kind, metadata, spec }: KubeObject, byHand = false): KubeObject {
  const hub = karpenterHubs(world.store)[`${plural}.${apiVersion.split('/')[0]}`];
  const object = {
    apiVersion,
    kind,
    metadata: {
      ...metadata,
      ...(byHand ? {} : { labels: OF_GIT }),
      managedFields: appliedAs(apiVersion, world.clock.now().toISOString(), byHand ? KUBECTL : undefined),
    },
    spec,
  };
  return world.store.create(plural, hub === undefined ? object : hub.toHub(object));
}

export function addOlderNodeClass(
  world: World,
  { name, karpenter, spec = {}, byHand }: { name: string; karpenter: string; spec?: object; byHand?: boolean },
): void {
  const discovery = [{ tags: { 'karpenter.sh/discovery': world.eks.cluster.name } }];
  const applied = apply(
    world,
    'ec2nodeclasses',
    {
      apiVersion: 'karpenter.k8s.aws/v1beta1',
      kind: 'EC2NodeClass',
      metadata: { name },
      spec: {
        amiFamily: 'AL2023',
        role: `eks-node-${world.eks.cluster.name}`,
        subnetSelectorTerms: discovery,
        securityGroupSelectorTerms: discovery,
        ...spec,
      },
    },
    byHand,
  );
  resolveNodeClass(world, applied, karpenter);
}

/** A pool with its nodes Ready. */
export function addOlderNodePool(
  world: World,
  { name, nodes, template, disruption, byHand }: { name: string; nodes: number; template: object; disruption: object; byHand?: boolean },
): void {
  const requirements = [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }];
  apply(
    world,
    'nodepools',
    {
      apiVersion: 'karpenter.sh/v1beta1',
      kind: 'NodePool',
      metadata: { name },
      spec: {
        template: { metadata: { labels: { intent: name } }, spec: { requirements, ...template } },
        limits: { cpu: '100', memory: '400Gi' },
        disruption,
      },
    },
    byHand,
  );
  const pool = world.store.update('nodepools', name, undefined, (copy) => {
    for (const type of ['Ready', 'NodeClassReady']) setCondition(world, copy, type, 'True');
  });
  for (let index = 0; index < nodes; index += 1) launchClaim(world, pool, { ready: true });
}
