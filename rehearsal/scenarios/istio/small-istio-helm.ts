/** A small mesh that Helm installs and a revision tag selects: two canaries by the real helm, three namespaces by tag and label. */
import { installRevision, ISTIO_NAMESPACE, partsOfRevision, setDefaultValidator, setTag } from '../../controllers/istio/revisions.ts';
import { addRelease } from '../../neighbours/helm/release.ts';
import { settle } from '../../kubernetes/controllers/index.ts';
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp, addNamespace } from '../parts/workload-parts.ts';

const REVISION = '1-26';
const VERSION = '1.26.2';
const MESH = ['docs', 'shop', 'pay'];

function build(world: World): void {
  addNodeGroup(world, { name: 'default', size: 3 });
  addAddOn(world, 'coredns', 'v1.12.1-eksbuild.2');
  addAddOn(world, 'kube-proxy', 'v1.33.5-eksbuild.2');
  installRevision(world, { revision: REVISION, version: VERSION });
  setDefaultValidator(world, REVISION);
  setTag(world, 'prod', REVISION);
  recordReleases(world, { revision: REVISION, version: VERSION });
  // istiod runs before the mesh's pods are made, or its webhook would refuse them.
  settle(world);
  for (const namespace of MESH) {
    // One that names the revision itself: it moves by label.
    addNamespace(world, namespace, { 'istio.io/rev': namespace === 'docs' ? REVISION : 'prod' });
    addApp(world, { namespace, name: 'web', replicas: 2, budget: { maxUnavailable: 1 } });
  }
}

/** What helm would have recorded of its two releases. A tag that was set by istioctl belongs to none. */
export function recordReleases(world: World, { revision, version }: { revision: string; version: string }): void {
  const own = partsOfRevision(world, revision);
  const validator = own.filter(({ object }) => object.metadata.name === 'istiod-default-validator');
  const istiod = own.filter((part) => !validator.includes(part) && part.object.metadata.labels?.['istio.io/tag'] === undefined);
  const config = { revision, meshConfig: { accessLogFile: '/dev/stdout' } };
  addRelease(world, {
    name: 'istio-base',
    namespace: ISTIO_NAMESPACE,
    chart: { name: 'base', version },
    config: { defaultRevision: revision },
    objects: validator,
  });
  addRelease(world, {
    name: `istiod-${revision}`,
    namespace: ISTIO_NAMESPACE,
    chart: { name: 'istiod', version },
    config,
    objects: istiod,
  });
}

export const smallIstioHelm: Scenario = {
  ...small,
  name: 'small-istio-helm',
  title: 'A small mesh by Helm and a revision tag, 1.33 → 1.34',
  description:
    'Istio 1.26 → 1.28 → 1.30 by the real helm from a chart repository; namespaces select a tag, one the revision itself. Needs helm.',
  cluster: { name: 'small-mesh', account: '111122223333', region: 'eu-central-1' },
  from: '1.33',
  to: '1.34',
  startsAt: '2026-07-10T01:00:00Z',
  managedBy: { istio: 'helm' },
  istio: { moveBy: 'tag', waves: [1] },
  expectations: { controlPlane: '1.34', kubelets: '1.34', istioRevisionGone: REVISION, meshNamespaces: MESH },
  build,
};
