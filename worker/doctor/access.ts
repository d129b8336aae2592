/** What Belay may do in a cluster, by the API server's own word: what upgrades do, and what readiness reads beside it. */
import type { KubeObject, KubernetesPort } from '../../activities/ports.ts';
import type { ReadinessSettings } from '../../domain/readiness/settings.ts';
import { permissionsOf, SOURCE_IDS } from '../../domain/readiness/sources.ts';
import type { Diagnosis } from './types.ts';

/** Of a SelfSubjectAccessReview's resourceAttributes. */
interface Permission {
  verb: string;
  group: string;
  resource: string;
}

/** What upgrades do; deploy/ grants the same. */
const UPGRADES: readonly Permission[] = [
  { verb: 'list', group: '', resource: 'nodes' },
  { verb: 'patch', group: '', resource: 'nodes' },
  { verb: 'list', group: '', resource: 'pods' },
  { verb: 'delete', group: '', resource: 'pods' },
  { verb: 'list', group: '', resource: 'namespaces' },
  { verb: 'patch', group: '', resource: 'namespaces' },
  { verb: 'list', group: '', resource: 'events' },
  { verb: 'list', group: 'apps', resource: 'deployments' },
  { verb: 'patch', group: 'apps', resource: 'deployments' },
  { verb: 'patch', group: 'apps', resource: 'statefulsets' },
  { verb: 'patch', group: 'apps', resource: 'daemonsets' },
  { verb: 'list', group: 'policy', resource: 'poddisruptionbudgets' },
  { verb: 'list', group: 'discovery.k8s.io', resource: 'endpointslices' },
  { verb: 'list', group: 'storage.k8s.io', resource: 'volumeattachments' },
  { verb: 'list', group: 'karpenter.sh', resource: 'nodepools' },
  { verb: 'patch', group: 'karpenter.sh', resource: 'nodepools' },
  { verb: 'list', group: 'karpenter.sh', resource: 'nodeclaims' },
  { verb: 'patch', group: 'karpenter.k8s.aws', resource: 'ec2nodeclasses' },
  { verb: 'list', group: 'admissionregistration.k8s.io', resource: 'mutatingwebhookconfigurations' },
  { verb: 'list', group: 'admissionregistration.k8s.io', resource: 'validatingwebhookconfigurations' },
  { verb: 'get', group: '', resource: 'services' },
];

interface Answered {
  says: string;
  /** undefined: the server did not say. */
  allowed?: boolean;
}

/** One diagnosis for each of the two that lacks something, else one for both. */
export async function examineAccess(
  kubernetes: KubernetesPort,
  name: string,
  { optional, writeRole }: ReadinessSettings & { writeRole?: string },
): Promise<Diagnosis[]> {
  const area = 'Kubernetes';
  const reading = readinessAlone(optional);
  // A role for changes is assumed by runs alone, after their gates.
  const upgrading = writeRole === undefined ? UPGRADES : UPGRADES.filter(({ verb }) => verb === 'get' || verb === 'list');
  const answers = await Promise.all([ask(kubernetes, upgrading), ask(kubernetes, reading)]).catch(() => undefined);
  if (answers === undefined) {
    return [
      {
        area,
        status: 'unknown',
        message: `${name}: the API server does not say what is allowed`,
        fix: 'compare with the rules in deploy/ by hand',
      },
    ];
  }
  const [missing, unseen] = answers.map((all) =>
    all
      .filter(({ allowed }) => allowed !== true)
      .map(({ says }) => says)
      .join(', '),
  );
  const diagnoses: Diagnosis[] = [];
  if (missing)
    diagnoses.push({
      area,
      status: 'failed',
      message: `${name}: may not ${missing}`,
      fix: 'apply the RBAC rules in deploy/ to this identity',
    });
  if (unseen) {
    const message = `${name}: checks cannot see everything; Belay may not ${unseen}`;
    diagnoses.push({ area, status: 'warning', message, fix: 'apply the RBAC rules in deploy/; until then these checks say UNKNOWN' });
  }
  if (diagnoses.length > 0) return diagnoses;
  const untried = writeRole === undefined ? '' : `; those of ${writeRole} are not tried out before a gate is approved`;
  return [{ area, status: 'ok', message: `${name}: all ${upgrading.length + reading.length} permissions are there${untried}` }];
}

function ask(kubernetes: KubernetesPort, permissions: readonly Permission[]): Promise<Answered[]> {
  return Promise.all(
    permissions.map(async (resourceAttributes) => {
      const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } };
      const review = await kubernetes.create<KubeObject<unknown, { allowed?: boolean }>>(
        { apiVersion: 'authorization.k8s.io/v1', plural: 'selfsubjectaccessreviews' },
        body,
      );
      return { says: `${resourceAttributes.verb} ${resourceAttributes.resource}`, ...review.status };
    }),
  );
}

/** Paths, and objects that are granted by name, are few and left to the check itself. */
function readinessAlone(withOptional: boolean): Permission[] {
  const rules = permissionsOf(SOURCE_IDS, withOptional).rbac.filter(({ resourceNames }) => resourceNames === undefined);
  const all = rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => ({ verb, group, resource })))),
  );
  const key = ({ verb, group, resource }: Permission): string => `${verb} ${group}/${resource}`;
  const known = new Set(UPGRADES.map(key));
  return [...new Map(all.filter((each) => !known.has(key(each))).map((each) => [key(each), each])).values()];
}
