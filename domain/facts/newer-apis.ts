/** What a minor of Kubernetes serves that the one before it does not: objects of it are out of reach once a control plane has gone back. */
import { API_INTRODUCTIONS, type ApiIntroduction } from '../tables/api-introductions.ts';
import { compareKubernetesVersions, type KubernetesVersion, parseKubernetesVersion } from '../core/version.ts';
import { defined } from '../core/defined.ts';

/** A kind that is new in a minor, or that has a new version there. */
export interface NewerApi {
  group: string;
  kind: string;
  plural: string;
  /** Those that the newer minor has, in the order in which they are asked for. */
  versions: string[];
  /** Of these, what the older minor does not have. */
  newVersions: string[];
  /** The kind in the older minor. `off`: it has this beta, which Kubernetes leaves off; whether EKS turned it on is not known. */
  before: { kind: 'served' | 'off'; version: string } | { kind: 'none' };
  /** Objects that the control plane makes for itself, and that nobody misses. */
  own?: { labelSelector?: string; name?: string; prefix?: string };
}

/**
 * Betas that EKS serves, and from which minor: new ones are off by default (KEP-3136). Source: EKS user guide, release notes of 1.33 (Dynamic Resource
 * Allocation) and 1.34 (clusters of 1.33 and older use the beta of VolumeAttributesClass).
 */
const BETAS_OF_EKS: readonly { group: string; version: string; from: string }[] = [
  { group: 'resource.k8s.io', version: 'v1beta1', from: '1.33' },
  { group: 'storage.k8s.io', version: 'v1beta1', from: '1.31' },
];

/** Requests to controllers: what they asked for is done, or is asked for again. */
const FLEETING = ['LeaseCandidate', 'StorageVersionMigration'];

/** Sources: kubernetes.io, "Extend Service IP Ranges" (since 1.33 every Service has an IPAddress), "Cluster trust bundles". */
const MADE_BY_THE_CONTROL_PLANE: Readonly<Record<string, NonNullable<NewerApi['own']>>> = {
  IPAddress: { labelSelector: 'ipaddress.kubernetes.io/managed-by!=ipallocator.k8s.io' },
  ServiceCIDR: { name: 'kubernetes' },
  ClusterTrustBundle: { prefix: 'kubernetes.io:kube-apiserver-serving:' },
};

const isSince = (minor: string, version: KubernetesVersion): boolean =>
  compareKubernetesVersions(parseKubernetesVersion(minor), version) <= 0;

/**
 * Kinds to look at before a control plane goes back from `at` to the minor before it. New fields of older kinds are not among them: no table names
 * them, and the older server drops them.
 */
export function newerApis(at: KubernetesVersion): NewerApi[] {
  const there = API_INTRODUCTIONS.filter(({ kind, introducedIn }) => isSince(introducedIn, at) && !FLEETING.includes(kind));
  return [...Map.groupBy(there, ({ group, kind }) => `${group} ${kind}`).values()].flatMap((rows) => newerApi(rows, at));
}

function newerApi(rows: readonly ApiIntroduction[], at: KubernetesVersion): NewerApi[] {
  const older = { major: at.major, minor: at.minor - 1 };
  const [first] = rows;
  if (first === undefined) return [];
  const { group, kind, plural } = first;
  const served = rows.filter((row) => servedBy(row, older) === true);
  const off = rows.find((row) => servedBy(row, older) === undefined);
  const newVersions = rows.filter((row) => servedBy(row, older) === false).map(({ version }) => version);
  const own = MADE_BY_THE_CONTROL_PLANE[kind];
  const api = { group, kind, plural, versions: rows.map(({ version }) => version), newVersions, ...defined({ own }) };
  const [known] = served;
  if (known !== undefined) return newVersions.length === 0 ? [] : [{ ...api, before: { kind: 'served', version: known.version } }];
  return [{ ...api, before: off === undefined ? { kind: 'none' } : { kind: 'off', version: off.version } }];
}

/** undefined: a beta that is off unless EKS says otherwise. */
function servedBy({ group, version, introducedIn }: ApiIntroduction, minor: KubernetesVersion): boolean | undefined {
  if (!isSince(introducedIn, minor)) return false;
  if (!version.includes('beta')) return true;
  const ofEks = BETAS_OF_EKS.find((beta) => beta.group === group && beta.version === version);
  return ofEks === undefined ? undefined : isSince(ofEks.from, minor);
}
