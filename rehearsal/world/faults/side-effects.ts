/** Changes that nobody asked for, beside those that Belay makes: of EKS with an update, and of an admission webhook with a patch. */
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../world.ts';
import type { FaultOrder } from './fault.ts';

/** By the fault's word: what EKS changes with an update of that operation. `name` is of the resource that is updated. */
const OF_EKS: Readonly<Record<string, { operation: string; change: (world: World, name: string) => void }>> = {
  'cluster.endpointPublicAccess': {
    operation: 'UpdateClusterVersion',
    change: ({ eks: { cluster } }) => void (cluster.endpointPublicAccess = !cluster.endpointPublicAccess),
  },
  'cluster.logging': { operation: 'UpdateClusterVersion', change: ({ eks: { cluster } }) => void (cluster.logging = ['authenticator']) },
  'cluster.deletionProtection': {
    operation: 'UpdateClusterVersion',
    change: ({ eks: { cluster } }) => void (cluster.deletionProtection = !cluster.deletionProtection),
  },
  'node-group.labels': group((found) => void (found.labels = { ...found.labels, 'example.com/team': 'nobody' })),
  'node-group.maxSize': group((found) => void (found.maxSize += 1)),
  'node-group.launchTemplate': group((found) => void (found.launchTemplate = { id: 'lt-0a1b2c3d4e5f60718', name: 'nodes', version: '1' })),
  'launch-template.userData': {
    operation: 'CreateLaunchTemplateVersion',
    change: ({ eks }, id) => {
      const made = eks.network.launchTemplates.find((template) => template.id === id)?.versions.at(-1);
      if (made !== undefined) made.userData = 'IyEvYmluL3No';
    },
  },
  'add-on.serviceAccountRoleArn': addOn((found) => {
    if (found.serviceAccountRoleArn === undefined) found.serviceAccountRoleArn = 'arn:aws:iam::111122223333:role/somebody-elses';
    else delete found.serviceAccountRoleArn;
  }),
  'add-on.configurationValues': addOn((found) => void (found.configurationValues = '{"resources":{"limits":{"memory":"16Mi"}}}')),
};

function group(change: (found: World['eks']['nodeGroups'][number]) => void): (typeof OF_EKS)[string] {
  return {
    operation: 'UpdateNodegroupVersion',
    change: ({ eks }, name) => eks.nodeGroups.filter((each) => each.name === name).forEach(change),
  };
}

function addOn(change: (found: World['eks']['addOns'][number]) => void): (typeof OF_EKS)[string] {
  return { operation: 'UpdateAddon', change: ({ eks }, name) => eks.addOns.filter((each) => each.name === name).forEach(change) };
}

/** What an admission webhook changes in an object that is patched. */
const OF_KUBERNETES: Readonly<Record<string, { plural: string; change: (object: KubeObject) => void }>> = {
  'namespace.labels': {
    plural: 'namespaces',
    change: ({ metadata }) => void (metadata.labels = { ...metadata.labels, 'pod-security.kubernetes.io/enforce': 'privileged' }),
  },
  'nodepool.limits': { plural: 'nodepools', change: (object) => void (object.spec = { ...object.spec, limits: { cpu: '4' } }) },
  'ec2nodeclass.userData': { plural: 'ec2nodeclasses', change: (object) => void (object.spec = { ...object.spec, userData: '#!/bin/sh' }) },
  'deployment.image': {
    plural: 'deployments',
    change: ({ spec }) => void (spec.template.spec.containers[0].image = 'registry.example.com/mirror/changed:1'),
  },
};

export const SIDE_EFFECTS: readonly string[] = [...Object.keys(OF_EKS), ...Object.keys(OF_KUBERNETES)];

/** What happens to a patch of this type beside itself. */
export function meddlingWith(plural: string, { word = '' }: FaultOrder): ((object: KubeObject) => void) | undefined {
  const known = OF_KUBERNETES[word];
  return known?.plural === plural ? known.change : undefined;
}

/** Changes the resource at the moment at which EKS accepts its update. */
export function meddleWithUpdates(world: World): void {
  world.journal.onMutation(({ api, operation, resource, accepted }) => {
    if (api !== 'eks' || !accepted) return;
    const order = world.faults.takes('eks:side-effect', ({ word = '' }) => OF_EKS[word]?.operation === operation);
    if (order === undefined) return;
    OF_EKS[order.word ?? '']?.change(world, resource.split('/')[1] ?? resource);
    world.journal.tell(`EKS changes ${order.word} of ${resource} as well, which nobody asked for`);
  });
}
