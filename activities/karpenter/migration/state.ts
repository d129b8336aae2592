/** Reads how far a cluster is on its way to a newer API of Karpenter. What cannot be read is said, never taken for absent. */
import { defined } from '../../../domain/core/defined.ts';
import type { Step } from '../../../domain/plan/migration/names.ts';
import type { MigrationState } from '../../../domain/plan/migration/state.ts';
import { createReader, type Reader } from '../../runtime/reader.ts';
import { NODE_POOLS } from '../objects/node-pools.ts';
import { findController } from '../objects/find-controller.ts';
import { controllerVersion, isAtLeast } from '../../kubernetes/objects/kubelet-versions.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { readKarpenterDefinitions } from './definitions.ts';
import { readKarpenterObjects } from './manifests.ts';
import { MUTATING, VALIDATING } from '../../kubernetes/objects/lists.ts';

/** Karpenter 0.32 to 0.37 has them, 1.0 does not (v1 migration guide, step 10). */
export const OLD_WEBHOOKS = new Set([
  'defaulting.webhook.karpenter.k8s.aws',
  'validation.webhook.karpenter.sh',
  'validation.webhook.config.karpenter.sh',
  'validation.webhook.karpenter.k8s.aws',
]);
/** 1.0 keeps the kubelet settings of a v1beta1 NodePool in it. */
export const KUBELET = 'compatibility.karpenter.sh/v1beta1-kubelet-conversion';

/** Reads only. `objects` false: workloads, which are many, are not read. Throws where the cluster itself does not answer. */
export async function readMigrationState(
  port: KubernetesPort,
  step: Step,
  { objects = true }: { objects?: boolean } = {},
): Promise<MigrationState> {
  const { minor } = await port.version();
  const reader = createReader('unknown');
  const read = <T>(what: string, permission: string, work: () => Promise<T>): Promise<T | undefined> =>
    reader.attempt<T | undefined>({ part: 'migration', what }, permission, work, undefined);
  const controller = await read('Karpenter’s Deployment', 'list on deployments', () => controllerSeen(port, reader));
  const definitions = await read('Karpenter’s CRDs', 'list on customresourcedefinitions, get on services, list on endpointslices', () =>
    readKarpenterDefinitions(port),
  );
  const oldWebhooks = await read('admission webhooks', 'list on mutating- and validatingwebhookconfigurations', () =>
    readOldWebhooks(port),
  );
  const machineCount = await read('Machines', 'list on machines.karpenter.sh', async () => {
    const machines = await port.list({ apiVersion: 'karpenter.sh/v1alpha5', plural: 'machines', metadataOnly: true });
    return machines?.length ?? 0;
  });
  const kubeletAnnotated = await read('NodePools', 'list on nodepools.karpenter.sh', () => readAnnotated(port));
  return {
    step,
    kubernetes: minor,
    controller,
    definitions,
    oldWebhooks,
    ...(objects
      ? await readKarpenterObjects(port, { step, withOwn: step === 'v1beta1' || !isThrough(controller, kubeletAnnotated) }, reader)
      : UNREAD),
    ...defined({ machineCount }),
    kubeletAnnotated,
    unknowns: reader.unknowns,
  };
}

const UNREAD = { objects: [], complete: false };

/**
 * From 1.0 on all objects are v1, whatever version they are read in; as v1beta1 they show once more what NodePools had as kubelet settings,
 * as long as the annotation is there.
 */
function isThrough(controller: MigrationState['controller'], kubeletAnnotated: readonly string[] | undefined): boolean {
  if (controller === undefined || controller === 'none') return false;
  return isAtLeast(controller.version, '1.0') && kubeletAnnotated?.length === 0;
}

/** The version that its image says; undefined: there is none, or its tag is no version. */
export async function readController(port: KubernetesPort): Promise<string | undefined> {
  const found = await controllerSeen(port, createReader('throw'));
  return found === undefined || found === 'none' ? undefined : found.version;
}

async function controllerSeen(port: KubernetesPort, reader: Reader): Promise<MigrationState['controller']> {
  const deployment = await findController(port);
  if (deployment === undefined) return 'none';
  const version = controllerVersion(deployment);
  const { name, namespace = '' } = deployment.metadata;
  if (version !== undefined) return { version, namespace, name };
  reader.doubt({ part: 'migration', what: 'Karpenter’s version' }, `the image of ${namespace}/${name} has no version in its tag`);
  return undefined;
}

async function readOldWebhooks(port: KubernetesPort): Promise<{ kind: string; name: string }[]> {
  const kinds = [
    { kind: 'MutatingWebhookConfiguration', query: MUTATING },
    { kind: 'ValidatingWebhookConfiguration', query: VALIDATING },
  ];
  const lists = await Promise.all(kinds.map(async ({ kind, query }) => ({ kind, items: (await port.list(query)) ?? [] })));
  return lists.flatMap(({ kind, items }) =>
    items.filter(({ metadata }) => OLD_WEBHOOKS.has(metadata.name)).map(({ metadata }) => ({ kind, name: metadata.name })),
  );
}

async function readAnnotated(port: KubernetesPort): Promise<string[]> {
  const pools = await port.list(NODE_POOLS);
  return (pools ?? []).filter(({ metadata }) => metadata.annotations?.[KUBELET] !== undefined).map(({ metadata }) => metadata.name);
}
