/** Checks of what an upgrade has done, by code: each has its words in one place, those that readiness has as well in readiness's catalogue. */
import { concerning, type Finding, stops } from '../../../domain/core/findings.ts';
import type { PhaseId } from '../../../domain/core/phases.ts';
import { CATALOGUE } from '../../../domain/readiness/catalogue.ts';
import type { CheckReport } from '../../contract/belay-activities.ts';
import { failureType, translateError } from '../../runtime/translate-errors.ts';
import { defined } from '../../../domain/core/defined.ts';
import { agree, count } from '../../../domain/core/text.ts';

export interface UpgradeCheck {
  title: string;
  severity: Finding['severity'];
  /** Phases that run it. */
  runs: readonly PhaseId[];
  /** Where it fails, no later look passes: nobody waits for one. */
  lasting?: true;
}

/** Codes from 101 on: readiness counts from 1. */
const OWN = {
  EKS101: { title: 'Control plane is at the expected version', severity: 'required', runs: ['pre-checks', 'bake', 'validation'] },
  EKS102: { title: 'Node groups are at the target version', severity: 'required', runs: ['node-groups', 'validation'] },
  EKS103: { title: 'Add-ons are valid on the target version', severity: 'required', runs: ['validation'] },
  EKS105: { title: 'Nobody rolls the control plane back', severity: 'required', runs: ['bake', 'validation'], lasting: true },
  EKS104: { title: 'Everything can be read', severity: 'recommended', runs: ['validation'] },
  K8S101: { title: 'API server says it is ready', severity: 'required', runs: ['bake', 'validation'] },
  K8S102: { title: 'Every API server answers with the expected version', severity: 'required', runs: ['bake', 'validation'] },
  K8S103: { title: 'Nine in ten nodes are Ready', severity: 'required', runs: ['bake', 'node-groups', 'validation'] },
  K8S104: { title: 'Nodes are at the target version', severity: 'required', runs: ['node-groups', 'validation'] },
  K8S105: { title: 'Every node is Ready', severity: 'recommended', runs: ['bake', 'node-groups', 'validation'] },
  K8S106: { title: 'Self-managed and Fargate nodes are at the target version', severity: 'recommended', runs: ['validation'] },
  K8S107: { title: 'No volume is attached to a node that is gone', severity: 'required', runs: ['validation'] },
  KAR101: { title: 'The freeze of Karpenter drift holds', severity: 'required', runs: ['bake'] },
  KAR102: { title: 'No freeze is left on a NodePool', severity: 'recommended', runs: ['validation'] },
  KAR103: { title: 'No AMI hold is left on an EC2NodeClass', severity: 'recommended', runs: ['validation'] },
  IST110: { title: 'istioctl finds no error in the mesh', severity: 'recommended', runs: ['pre-checks'] },
} as const satisfies Record<string, UpgradeCheck>;

/** Readiness's own, looked at again when something has moved. */
const AGAIN = {
  EKS001: ['bake', 'validation'],
  EKS002: ['validation'],
  EKS009: ['node-groups', 'validation'],
  EKS012: ['bake', 'validation'],
  K8S001: ['validation'],
  K8S002: ['validation'],
  KAR001: ['validation'],
  KAR002: ['validation'],
  IST001: ['validation'],
  IST002: ['validation'],
  IST008: ['bake', 'validation'],
} as const satisfies Record<string, readonly PhaseId[]>;

export type CheckCode = keyof typeof OWN | keyof typeof AGAIN;

const again = CATALOGUE.flatMap(({ code, title }): [string, UpgradeCheck][] =>
  isAgain(code) ? [[code, { title, severity: 'required', runs: AGAIN[code] }]] : [],
);

function isAgain(code: string): code is keyof typeof AGAIN {
  return Object.hasOwn(AGAIN, code);
}

/** By code. */
export const UPGRADE_CHECKS: ReadonlyMap<string, UpgradeCheck> = new Map([...again, ...Object.entries(OWN)]);

export interface Result {
  status: Finding['status'];
  message: string;
  resources?: readonly string[];
  remediation?: string;
}

/** A finding of a catalogued check. */
export function finding(code: CheckCode, result: Result): Finding {
  const { title = code, severity = 'required' } = UPGRADE_CHECKS.get(code) ?? {};
  return {
    code,
    title,
    severity,
    status: result.status,
    message: result.message,
    ...concerning(result.resources ?? []),
    ...defined({ remediation: result.remediation }),
  };
}

/** Passes where nothing is wrong; else fails and names what is. `remediation` is said only then. */
export function findingUnless(
  code: CheckCode,
  wrong: readonly string[],
  { pass, fail, remediation }: { pass: string; fail: string; remediation?: string },
): Finding {
  if (wrong.length === 0) return finding(code, { status: 'pass', message: pass });
  return finding(code, { status: 'fail', message: fail, resources: wrong, ...defined({ remediation }) });
}

/** What may not be read is unknown; all else that went wrong while `doing` is thrown. */
export function unknownWhereDenied(code: CheckCode, error: unknown, doing: string, permission: string): Finding {
  const failure = translateError(error, doing);
  if (failureType(failure) !== 'AccessDenied') throw failure;
  return finding(code, { status: 'unknown', message: failure.message, remediation: `Allow ${permission}.` });
}

const MAX_FINDINGS = 40;

/** What crosses the boundary: no passes, at most 40. When some are cut, the last one says how many. */
export function report(all: readonly Finding[]): CheckReport {
  const open = all.filter((one) => one.status !== 'pass').toSorted((a, b) => rank(a) - rank(b));
  const passedCount = all.length - open.length;
  if (open.length <= MAX_FINDINGS) return { findings: open, passedCount };
  const cut = open.slice(MAX_FINDINGS - 1);
  const rest: Finding = {
    ...finding('EKS104', {
      status: 'unknown',
      message: `${count(cut.length, 'more finding')} ${agree(cut.length, 'is', 'are')} left out here; fix the ones above and check again.`,
    }),
    // Sorted: a required one is cut only where everything above is required as well.
    severity: cut.some(stops) ? 'required' : 'recommended',
  };
  return { findings: [...open.slice(0, MAX_FINDINGS - 1), rest], passedCount };
}

/** Waived and accepted ones last. */
function rank(one: Finding): number {
  return (
    (one.waived === undefined && one.accepted === undefined ? 0 : 4) +
    (one.severity === 'required' ? 0 : 2) +
    (one.status === 'fail' ? 0 : 1)
  );
}
