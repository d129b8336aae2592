/** Findings that people live with: named in belay.yaml with a reason, a person and a last day. A waived finding stays visible. */
import { type CheckFinding, type Resource } from './check.ts';
import { nameOf } from './names.ts';

export interface Waiver {
  check: string;
  /** `namespace/name` or a name, `*` for any run of characters; absent: the whole check. */
  resource?: string;
  reason: string;
  by: string;
  /** ISO date: the last day on which it counts. */
  until: string;
}

export type WaivedBecause = Pick<Waiver, 'reason' | 'by' | 'until'>;

export interface JudgedFinding extends CheckFinding {
  waived?: WaivedBecause;
}

/** Each finding with what is waived of it taken apart; `expired`: waivers of its check whose last day is over. */
export function applyWaivers(
  findings: readonly CheckFinding[],
  waivers: readonly Waiver[],
  now: string,
): { findings: JudgedFinding[]; expired: Waiver[] } {
  const inForce = waivers.filter(({ until }) => isInForce(until, now));
  const open = new Set(findings.filter(({ status }) => status !== 'pass').map(({ code }) => code));
  return {
    findings: findings.flatMap((finding) => judge(finding, inForce)),
    expired: waivers.filter((waiver) => !isInForce(waiver.until, now) && open.has(waiver.check)),
  };
}

/** ISO dates compare as text. */
const isInForce = (until: string, now: string): boolean => now.slice(0, until.length) <= until;

/** The part that nobody waived, then one part for each waiver. */
function judge(finding: CheckFinding, waivers: readonly Waiver[]): JudgedFinding[] {
  const own = finding.status === 'pass' ? [] : waivers.filter(({ check }) => check === finding.code);
  const whole = own.find(({ resource }) => resource === undefined);
  if (whole !== undefined) return [{ ...finding, waived: becauseOf(whole) }];
  let rest = finding.resources;
  const waived: JudgedFinding[] = [];
  for (const waiver of own) {
    const meant = rest.filter((resource) => isMeant(resource, waiver.resource ?? ''));
    if (meant.length === 0) continue;
    rest = rest.filter((resource) => !meant.includes(resource));
    waived.push({ ...finding, resources: meant, waived: becauseOf(waiver) });
  }
  if (waived.length === 0) return [finding];
  return rest.length === 0 ? waived : [{ ...finding, resources: rest }, ...waived];
}

const becauseOf = ({ reason, by, until }: Waiver): WaivedBecause => ({ reason, by, until });

function isMeant(resource: Resource, pattern: string): boolean {
  const expression = pattern
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${expression}$`).test(nameOf(resource));
}
