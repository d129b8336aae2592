/** Objects of Karpenter's older API and workloads that use its names, as somebody would have them in Git: without what the cluster adds. */
import type { Manifest } from '../../../domain/plan/migration/edit.ts';
import { OLD_NAMES, type Step } from '../../../domain/plan/migration/names.ts';
import type { SeenObject } from '../../../domain/plan/migration/state.ts';
import type { Reader } from '../../runtime/reader.ts';
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import { deliveredBy } from '../../kubernetes/gitops/owner-marks.ts';
import { defined } from '../../../domain/core/defined.ts';

interface Kind {
  apiVersion: string;
  plural: string;
  kind: string;
}

const OWN: Record<Step, readonly Kind[]> = {
  v1beta1: [
    { apiVersion: 'karpenter.sh/v1alpha5', plural: 'provisioners', kind: 'Provisioner' },
    { apiVersion: 'karpenter.k8s.aws/v1alpha1', plural: 'awsnodetemplates', kind: 'AWSNodeTemplate' },
  ],
  v1: [
    { apiVersion: 'karpenter.sh/v1beta1', plural: 'nodepools', kind: 'NodePool' },
    { apiVersion: 'karpenter.k8s.aws/v1beta1', plural: 'ec2nodeclasses', kind: 'EC2NodeClass' },
  ],
};

const WORKLOADS: readonly Kind[] = [
  { apiVersion: 'apps/v1', plural: 'deployments', kind: 'Deployment' },
  { apiVersion: 'apps/v1', plural: 'statefulsets', kind: 'StatefulSet' },
  { apiVersion: 'apps/v1', plural: 'daemonsets', kind: 'DaemonSet' },
  { apiVersion: 'batch/v1', plural: 'cronjobs', kind: 'CronJob' },
  { apiVersion: 'batch/v1', plural: 'jobs', kind: 'Job' },
  { apiVersion: 'argoproj.io/v1alpha1', plural: 'rollouts', kind: 'Rollout' },
  { apiVersion: 'v1', plural: 'pods', kind: 'Pod' },
];

/** Written by Karpenter, by kubectl or by Belay; in nobody's manifests. */
const ADDED =
  /^(?:kubectl\.kubernetes\.io\/last-applied-configuration|karpenter\.(?:sh|k8s\.aws)\/.*-hash(?:-version)?|karpenter\.sh\/stored-version-migrated|belay\.dev\/.*|deployment\.kubernetes\.io\/revision)$/;

/** `complete` false: one of the kinds could not be read, so that there may be more; the reader has said which. */
export async function readKarpenterObjects(
  port: KubernetesPort,
  { step, withOwn }: { step: Step; withOwn: boolean },
  reader: Reader,
): Promise<{ objects: SeenObject[]; complete: boolean }> {
  const own = withOwn ? OWN[step] : [];
  const objects: SeenObject[] = [];
  let complete = true;
  for (const kind of [...own, ...WORKLOADS]) {
    const read = (): Promise<SeenObject[] | undefined> => readKind(port, kind);
    const found = await reader.attempt({ part: 'migration', what: `${kind.kind}s` }, `list on ${kind.plural}`, read, undefined);
    complete &&= found !== undefined;
    objects.push(...(found ?? []).filter(({ manifest }) => own.includes(kind) || OLD_NAMES[step].test(JSON.stringify(manifest))));
  }
  return { objects, complete };
}

async function readKind(port: KubernetesPort, { kind, ...query }: Kind): Promise<SeenObject[]> {
  const seen: SeenObject[] = [];
  await port.list(query, (object) => {
    const by = deliveredBy(object.metadata);
    // What another object makes, that one has to be changed for.
    if (object.metadata.ownerReferences === undefined)
      seen.push({ manifest: manifestOf(object, query.apiVersion, kind), ...defined({ deliveredBy: by }) });
    return undefined;
  });
  return seen;
}

/** As somebody would have it in Git. */
export function manifestOf({ metadata, spec }: KubeObject, apiVersion: string, kind: string): Manifest {
  const annotations = Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => !ADDED.test(name)));
  const labels = metadata.labels ?? {};
  return {
    apiVersion,
    kind,
    metadata: {
      name: metadata.name,
      ...defined({ namespace: metadata.namespace }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec,
  };
}
