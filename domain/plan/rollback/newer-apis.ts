/** What only the newer minor serves, and what is kept in it: EKS's insights do not look at it. */
import { type NewerApi, newerApis } from '../../facts/newer-apis.ts';
import { formatKubernetesVersion } from '../../core/version.ts';
import { count, someOf } from '../../core/text.ts';
import type { FindingInput } from '../findings/finding.ts';
import { controlPlaneMinor } from '../state/nodes.ts';
import type { RollbackContext, NewerApiSeen, NewerObject } from './evidence.ts';

const CODE = 'RBK011';

/** They go back with the control plane, and speak the older version again. */
const CONTROL_PLANE = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

export function newerApiFindings({ facts, seen, backTo }: RollbackContext): FindingInput[] {
  const minor = formatKubernetesVersion(backTo);
  const title = `Nothing is kept in an API that ${minor} does not have`;
  if (seen.back.kind !== 'open') return [];
  const wanted = newerApis(controlPlaneMinor(facts));
  const all = seen.newerApis ?? [];
  const unseen = wanted.filter(({ group, kind }) => !all.some(({ api, objects }) => is(api, group, kind) && typeof objects !== 'string'));
  const found = [...blindness(unseen, all), ...all.flatMap((one) => lost(one, minor)), ...all.flatMap((one) => rewritten(one, minor))];
  if (found.length > 0) return found.map((finding) => ({ ...finding, code: CODE, title }));
  return [{ code: CODE, title, status: 'pass', message: wanted.length === 0 ? `${minor} has them all.` : 'Nothing is.' }];
}

type Unnamed = Omit<FindingInput, 'code' | 'title'>;

const is = (api: NewerApi, group: string, kind: string): boolean => api.group === group && api.kind === kind;
const resourceOf = ({ plural, group }: NewerApi): string => `${plural}.${group}`;
const nameOf = ({ namespace, name }: NewerObject): string => (namespace === undefined ? name : `${namespace}/${name}`);

/** One finding for all: they are granted together. */
function blindness(unseen: readonly NewerApi[], all: readonly NewerApiSeen[]): Unnamed[] {
  const [first] = unseen;
  if (first === undefined) return [];
  const resources = unseen.map(resourceOf);
  const objects = all.find(({ api }) => is(api, first.group, first.kind))?.objects;
  const why = typeof objects === 'string' ? objects : 'nobody has looked';
  return [
    {
      status: 'unknown',
      message: `Objects of ${someOf(resources)} cannot be seen: ${why}.`,
      resources,
      remediation: `Allow list on ${resources.join(', ')}, as deploy/kubernetes-rbac.yaml does.`,
    },
  ];
}

/** The older server has nothing to show them with. */
function lost({ api, objects }: NewerApiSeen, minor: string): Unnamed[] {
  const { before, kind, group } = api;
  if (typeof objects === 'string' || objects.length === 0 || before.kind === 'served') return [];
  const resources = objects.map(nameOf);
  const what = `${count(objects.length, 'object')} of ${kind} (${group}): ${someOf(resources)}`;
  const remediation = `Keep a copy (kubectl get ${resourceOf(api)} -A -o yaml), delete them and what relies on them, and ask again.`;
  if (before.kind === 'off') {
    const message = `${minor} has this kind as ${before.version} alone, which Kubernetes leaves off; whether EKS turns it on is not known. ${what}.`;
    return [{ status: 'unknown', message, resources, remediation }];
  }
  return [
    {
      message: `${minor} has no such kind, so nobody can read or delete them there, and what relies on them stops. ${what}.`,
      resources,
      remediation,
    },
  ];
}

/** The objects stay: what has written them would write the newer version again. */
function rewritten({ api, objects }: NewerApiSeen, minor: string): Unnamed[] {
  const { before, kind, group, newVersions } = api;
  if (typeof objects === 'string' || before.kind !== 'served') return [];
  const written = objects.flatMap((object) => {
    const writers = object.writers.filter(({ version, manager }) => newVersions.includes(version) && !CONTROL_PLANE.includes(manager));
    return writers.length === 0 ? [] : [{ object, writers }];
  });
  if (written.length === 0) return [];
  const managers = [...new Set(written.flatMap(({ writers }) => writers.map(({ manager }) => manager)))];
  const versions = [...new Set(written.flatMap(({ writers }) => writers.map(({ version }) => `${group}/${version}`)))];
  return [
    {
      severity: 'recommended',
      message: `${minor} serves ${kind} as ${group}/${before.version}, not as ${versions.join(', ')}, in which ${someOf(managers)} wrote ${count(written.length, 'object')}. They stay; the next apply fails.`,
      resources: written.map(({ object }) => nameOf(object)),
      remediation: `Write ${group}/${before.version} at the source (manifest, chart, controller) before the control plane goes back.`,
    },
  ];
}
