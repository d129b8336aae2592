/** What a check is, and how all of them are run: pure, on what was seen. What could not be seen makes a check unknown, never a pass. */
import type { ManagedBy } from '../../facts/facts.ts';
import { capital } from '../../core/text.ts';
import type { KubernetesVersion } from '../../core/version.ts';
import { compareKubernetesVersions, formatKubernetesVersion, parseKubernetesVersion } from '../../core/version.ts';
import type { Evidence, Shape, Unseen } from './evidence.ts';
import { permissionNamedIn, permissionNames, SOURCES, type SourceId } from './sources.ts';
import { defined } from '../../core/defined.ts';

export type Area = 'EKS' | 'AWS' | 'Kubernetes' | 'Karpenter' | 'Istio' | 'Ownership';
export type Severity = 'required' | 'recommended';

/** What a finding is about. Cluster-scoped things have no namespace. */
export interface Resource {
  kind: string;
  namespace?: string;
  name: string;
  /** What is wrong with this one, where they differ. */
  note?: string;
}

/** What checks judge by beside the evidence. */
export interface Context {
  from: KubernetesVersion;
  target: KubernetesVersion;
  /** Every minor that the control plane will be moved to, in order. */
  hops: readonly KubernetesVersion[];
  /** ISO 8601: the clock of whoever runs the checks. */
  now: string;
  environment?: string;
  /** When nodes may be replaced at the latest, ISO 8601: what expires before falls into the upgrade. */
  endsAt?: string;
  /** Who belay.yaml says delivers a component. */
  managedBy: { readonly [component: string]: ManagedBy | undefined };
  /** There is no belay.yaml that could say so: what it would have to say is no more than advice. */
  withoutFile?: true;
}

export type Look =
  | { pass: string }
  | { fail: string; resources?: readonly Resource[]; severity?: Severity; remediation?: string }
  | { unknown: string; remediation?: string };

export interface Check<S extends SourceId = SourceId> {
  /** Stable: `EKS001`. */
  code: string;
  area: Area;
  /** What has to be true. */
  title: string;
  /** By target: the last entry whose `from` is not newer than the target holds; before the first one nothing is found. */
  severity: Severity | readonly { from: string; severity: Severity }[];
  reads: readonly S[];
  /** What to do where it fails. */
  remediation: string;
  /** Where the fact comes from. */
  source: string;
  /** Several looks where one check finds different things. */
  look(seen: { [Id in S]: Shape<Id> }, context: Context): Look | readonly Look[];
}

/** A check with its reads inferred, so that it can look only at what it names. */
export function check<const S extends SourceId>(definition: Check<S>): Check {
  return definition;
}

/** Passes where nothing is wrong; else fails and names what is. */
export function unlessAny(wrong: readonly Resource[], pass: string, fail: string): Look {
  return wrong.length === 0 ? { pass } : { fail, resources: wrong };
}

/** What a check found, for reports. */
export interface CheckFinding {
  code: string;
  area: Area;
  title: string;
  severity: Severity;
  status: 'pass' | 'fail' | 'unknown';
  message: string;
  resources: readonly Resource[];
  remediation?: string;
}

/** The severity that holds for a target. undefined: it is no concern yet. */
export function severityAt({ severity }: Pick<Check, 'severity'>, target: KubernetesVersion): Severity | undefined {
  if (typeof severity === 'string') return severity;
  const inForce = severity.filter(({ from }) => compareKubernetesVersions(parseKubernetesVersion(from), target) <= 0);
  return inForce.at(-1)?.severity;
}

/** Runs one check. */
export function runCheck(check: Check, evidence: Evidence, context: Context): CheckFinding[] {
  const { code, area, title } = check;
  const severity = severityAt(check, context.target);
  if (severity === undefined) {
    const target = formatKubernetesVersion(context.target);
    return [{ code, area, title, severity: 'recommended', status: 'pass', message: `No concern at ${target} yet.`, resources: [] }];
  }
  const about = { code, area, title, severity };
  const unseen = check.reads.flatMap((id): [SourceId, Unseen][] => {
    const seen = evidence[id];
    return seen.ok ? [] : [[id, seen.unseen]];
  });
  if (unseen.length > 0) return [{ ...about, status: 'unknown', resources: [], ...unknownBecause(unseen) }];
  const seen = Object.fromEntries(check.reads.map((id) => [id, valueOf(evidence[id])]));
  const looks = check.look(seen as Parameters<Check['look']>[0], context);
  return (isMany(looks) ? looks : [looks]).map((look) => ({ ...about, ...outcome(look, check) }));
}

const isMany = (looks: Look | readonly Look[]): looks is readonly Look[] => Array.isArray(looks);
const valueOf = (seen: Evidence[SourceId]): unknown => (seen.ok ? seen.value : undefined);

function outcome(
  look: Look,
  { remediation }: Check,
): Pick<CheckFinding, 'status' | 'message' | 'resources' | 'remediation'> & Partial<CheckFinding> {
  if ('pass' in look) return { status: 'pass', message: look.pass, resources: [] };
  if ('unknown' in look) {
    return {
      status: 'unknown',
      message: look.unknown,
      resources: [],
      ...defined({ remediation: look.remediation }),
    };
  }
  return {
    status: 'fail',
    message: look.fail,
    resources: look.resources ?? [],
    remediation: look.remediation ?? remediation,
    ...defined({ severity: look.severity }),
  };
}

const SWITCH_ON = 'Apply deploy/kubernetes-rbac-helm-releases.yaml, and set optionalRole: true for the cluster in belay.yaml.';

/** Says each permission that is missing, as the server named it; else all that the source needs. */
function unknownBecause(unseen: readonly [SourceId, Unseen][]): { message: string; remediation?: string } {
  const away = unseen.find(([, { kind }]) => kind === 'away')?.[1];
  if (away !== undefined) return { message: away.why, ...defined({ remediation: away.fix }) };
  const message = unseen
    .map(([id, { why }]) => `${capital(SOURCES[id].what)} could not be read: ${why}`)
    .reduce((said, next) => `${said}${said.endsWith('.') ? '' : '.'} ${next}`);
  const missing = unseen.flatMap(([id, { kind, why }]) =>
    kind === 'denied' ? [permissionNamedIn(why) ?? permissionNames(SOURCES[id]).join(', ')] : [],
  );
  const remedies = [
    ...(missing.length === 0 ? [] : [`Allow ${[...new Set(missing)].join(', and ')}.`]),
    // The permission alone changes nothing: what is switched off is not tried.
    ...(unseen.some(([, { kind }]) => kind === 'off') ? [SWITCH_ON] : []),
  ];
  return remedies.length === 0 ? { message } : { message, remediation: remedies.join(' ') };
}
