/** Is Karpenter's API of v1 through and through? */
import { imageVersion } from '../../../kubernetes/pods/pods.ts';
import { stableJson } from '../../../kubernetes/json.ts';
import type { KubeObject } from '../../../kubernetes/store.ts';
import type { World } from '../../../world/world.ts';
import { KUBELET_ANNOTATION } from './conversion.ts';
import { karpenterDeployment } from '../release.ts';
import { isSince } from './versions.ts';

const KINDS = ['nodepools', 'nodeclaims', 'ec2nodeclasses'];
const OLDER = ['provisioners', 'machines', 'awsnodetemplates'];

/** One sentence for each expectation that is not met. */
export function unmetByKarpenter(world: World, { since, kubelet = {} }: { since: string; kubelet?: Record<string, unknown> }): string[] {
  const { store } = world;
  const controller = karpenterDeployment(world)?.spec.template.spec.containers.find(({ name }: { name: string }) => name === 'controller');
  const version = imageVersion(controller?.image) ?? '0.0.0';
  const isKarpenters = ({ spec }: KubeObject): boolean => ['karpenter.sh', 'karpenter.k8s.aws'].includes(spec.group);
  const stored = store
    .list('customresourcedefinitions')
    .filter((each) => isKarpenters(each) && KINDS.includes(each.spec.names.plural))
    .filter(({ status }) => stableJson(status?.storedVersions ?? []) !== '["v1"]');
  const objects = KINDS.flatMap((plural) => store.list(plural));
  const left = OLDER.flatMap((plural) => (store.type(plural) === undefined ? [] : store.list(plural)));
  const webhooks = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']
    .flatMap((plural) => store.list(plural))
    .filter(({ metadata }) => /karpenter/.test(metadata.name));
  const wrong = Object.entries(kubelet).filter(
    ([name, wanted]) => stableJson(store.get('ec2nodeclasses', name)?.spec?.kubelet ?? null) !== stableJson(wanted),
  );
  const names = (found: readonly KubeObject[]): string => found.map(({ kind, metadata }) => `${kind} ${metadata.name}`).join(', ');
  const annotated = store.list('nodepools').filter(({ metadata }) => metadata.annotations?.[KUBELET_ANNOTATION] !== undefined);
  return [
    ...(isSince(version, since) ? [] : [`Karpenter is at ${version}, not at ${since} or newer`]),
    ...stored.map(({ metadata, status }) => `${metadata.name} may be stored as ${(status?.storedVersions ?? []).join(' and ')}`),
    ...objects
      .filter(({ apiVersion }) => !apiVersion.endsWith('/v1'))
      .map(({ kind, metadata }) => `${kind} ${metadata.name} is not stored as v1`),
    ...(left.length === 0 ? [] : [`there are still ${names(left)}`]),
    ...(webhooks.length === 0 ? [] : [`there are still ${names(webhooks)}`]),
    ...(annotated.length === 0 ? [] : [`kubelet settings stand in annotations of ${names(annotated)}`]),
    ...wrong.map(([name]) => `EC2NodeClass ${name} has not the kubelet settings that its nodes have`),
  ];
}
