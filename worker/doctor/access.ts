/** What Belay may do in a cluster, by the API server's own word: what upgrades do, and what readiness reads beside it. */
import type { KubeObject, KubernetesPort } from '../../activities/contract/ports.ts';
import { type Right, rightsOf } from '../../domain/policy/permissions/granting.ts';
import { ADMISSION_OPTIONS, type AdmissionOption, roleFile, type RoleOption } from '../../domain/policy/permissions/options.ts';
import type { ReadinessSettings } from '../../domain/readiness/model/settings.ts';
import { SNAPSHOT_RULES } from '../../domain/readiness/model/snapshot-rights.ts';
import { permissionsOf, SOURCE_IDS } from '../../domain/readiness/model/sources.ts';
import type { Diagnosis } from './types.ts';

/** What upgrades read, and what they change with the base role; deploy/ grants the same. */
const UPGRADES: readonly Right[] = [
  { verb: 'list', group: '', resource: 'nodes' },
  { verb: 'list', group: '', resource: 'pods' },
  { verb: 'list', group: '', resource: 'namespaces' },
  { verb: 'list', group: '', resource: 'events' },
  { verb: 'list', group: 'apps', resource: 'deployments' },
  { verb: 'list', group: 'policy', resource: 'poddisruptionbudgets' },
  { verb: 'list', group: 'discovery.k8s.io', resource: 'endpointslices' },
  { verb: 'list', group: 'storage.k8s.io', resource: 'volumeattachments' },
  { verb: 'list', group: 'karpenter.sh', resource: 'nodepools' },
  { verb: 'list', group: 'karpenter.sh', resource: 'nodeclaims' },
  { verb: 'list', group: 'admissionregistration.k8s.io', resource: 'mutatingwebhookconfigurations' },
  { verb: 'list', group: 'admissionregistration.k8s.io', resource: 'validatingwebhookconfigurations' },
  { verb: 'get', group: '', resource: 'services' },
  ...rightsOf(),
];

interface Answered {
  says: string;
  /** undefined: the server did not say. */
  allowed?: boolean;
}

/** One diagnosis for upgrades, readiness and each optional role that lacks something, else one for all. */
export async function examineAccess(
  kubernetes: KubernetesPort,
  name: string,
  { optional, writeRole, options = [] }: ReadinessSettings & { writeRole?: string; options?: readonly RoleOption[] },
): Promise<Diagnosis[]> {
  const area = 'Kubernetes';
  const reading = readinessAlone(optional);
  // A role for changes is assumed by runs alone, after their gates.
  const upgrading = writeRole === undefined ? UPGRADES : UPGRADES.filter(({ verb }) => verb === 'get' || verb === 'list');
  const answers = await Promise.all([
    ask(kubernetes, upgrading),
    ask(kubernetes, reading),
    writeRole === undefined ? examineOptions(kubernetes, options) : { tried: 0, lacking: [], left: [] },
  ]).catch(() => undefined);
  if (answers === undefined) {
    return [
      {
        area,
        status: 'unknown',
        message: `${name}: the API server does not report what is allowed`,
        fix: 'compare with the rules in deploy/ by hand',
      },
    ];
  }
  const [missing, unseen] = [answers[0], answers[1]].map(refusedIn);
  const { tried, lacking, left } = answers[2];
  const diagnoses: Diagnosis[] = [];
  if (missing)
    diagnoses.push({
      area,
      status: 'failed',
      message: `${name}: may not ${missing}`,
      fix: 'apply the RBAC rules in deploy/ to this identity',
    });
  for (const { option, refused } of lacking) {
    const fix = `apply ${roleFile(option)}, whose head says who needs it; a step that lacks it stops`;
    diagnoses.push({ area, status: 'warning', message: `${name}: may not ${refused}`, fix });
  }
  if (unseen) {
    const message = `${name}: checks cannot see everything; Belay may not ${unseen}`;
    diagnoses.push({ area, status: 'warning', message, fix: 'apply the RBAC rules in deploy/; until then these checks say UNKNOWN' });
  }
  if (diagnoses.length > 0) return diagnoses;
  const untried = writeRole === undefined ? '' : `; those of ${writeRole} are not tried out before a gate is approved`;
  const without = left.map(({ option, refused }) => `; may not ${refused} (${roleFile(option)} allows it)`).join('');
  const all = upgrading.length + reading.length + tried;
  return [{ area, status: 'ok', message: `${name}: all ${all} permissions are granted${untried}${without}` }];
}

interface Lacking {
  option: AdmissionOption;
  refused: string;
}

/** People may choose at a gate what needs them. Nobody has to grant them: the choice then says what it lacks. */
const CHOSEN: readonly AdmissionOption[] = ['delete-pods', 'node-classes'];

/** `tried`: of what this cluster uses. `lacking`: of that; `left`: of what may be left out. */
async function examineOptions(
  kubernetes: KubernetesPort,
  named: readonly RoleOption[],
): Promise<{ tried: number; lacking: Lacking[]; left: Lacking[] }> {
  const istio = await hasIstio(kubernetes);
  const used = ADMISSION_OPTIONS.filter((option) => named.includes(option) || (option === 'istio' && istio));
  const lackingOf = async (options: readonly AdmissionOption[]): Promise<Lacking[]> => {
    const all = await Promise.all(options.map(async (option) => ({ option, refused: refusedIn(await ask(kubernetes, rightsOf(option))) })));
    return all.filter(({ refused }) => refused !== '');
  };
  const left = CHOSEN.filter((option) => !used.includes(option));
  return { tried: used.flatMap((option) => rightsOf(option)).length, lacking: await lackingOf(used), left: await lackingOf(left) };
}

/** belay.yaml need not say so. What cannot be listed is told by another line. */
async function hasIstio(kubernetes: KubernetesPort): Promise<boolean> {
  const query = { apiVersion: 'apps/v1', plural: 'deployments', labelSelector: 'app=istiod' };
  const istiods = await kubernetes.list(query).catch(() => undefined);
  return istiods !== undefined && istiods.length > 0;
}

/** "patch nodes, delete pods"; "": all of them are allowed. */
function refusedIn(answers: readonly Answered[]): string {
  return answers
    .filter(({ allowed }) => allowed !== true)
    .map(({ says }) => says)
    .join(', ');
}

function ask(kubernetes: KubernetesPort, permissions: readonly Right[]): Promise<Answered[]> {
  return Promise.all(
    permissions.map(async (resourceAttributes) => {
      const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } };
      const review = await kubernetes.create<KubeObject<unknown, { allowed?: boolean }>>(
        { apiVersion: 'authorization.k8s.io/v1', plural: 'selfsubjectaccessreviews' },
        body,
      );
      const { verb, resource, subresource } = resourceAttributes;
      return { says: `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`, ...review.status };
    }),
  );
}

/** What a snapshot lists as well. Paths, and objects that are granted by name, are few and left to the check itself. */
function readinessAlone(withOptional: boolean): Right[] {
  const rules = [...permissionsOf(SOURCE_IDS, withOptional).rbac, ...SNAPSHOT_RULES].filter(
    ({ resourceNames }) => resourceNames === undefined,
  );
  const all = rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => ({ verb, group, resource })))),
  );
  const key = ({ verb, group, resource }: Right): string => `${verb} ${group}/${resource}`;
  const known = new Set(UPGRADES.map(key));
  return [...new Map(all.filter((each) => !known.has(key(each))).map((each) => [key(each), each])).values()];
}
