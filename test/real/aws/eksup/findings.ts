/** What `eksup analyze --format json` reports, and whether a readiness report says the same. */
import { z } from 'zod';
import type { CheckFinding } from '../../../../domain/readiness/model/check.ts';
import { isRecord } from '../../../../domain/core/unknown.ts';
import type { Network } from '../../../../rehearsal/aws/network.ts';

export interface EksupFinding {
  code: string;
  /** What it is about, as eksup names it; empty where it names nothing. */
  names: string[];
}

const Reported = z.object({
  finding: z.object({ code: z.string() }),
  /** Node groups, add-ons, nodes, insights, Services. */
  name: z.string().optional(),
  /** Zones of subnets: euw1-az1. */
  id: z.string().optional(),
  resource: z.object({ name: z.string() }).optional(),
  resource_ids: z.array(z.string()).optional(),
});

/** Every finding of the report, wherever it stands. */
export function eksupFindings(report: unknown): EksupFinding[] {
  if (Array.isArray(report)) return report.flatMap(eksupFindings);
  const parsed = Reported.safeParse(report);
  if (!parsed.success) return isRecord(report) ? Object.values(report).flatMap(eksupFindings) : [];
  const { finding, name, id, resource, resource_ids = [] } = parsed.data;
  return [{ code: finding.code, names: [name, id, resource?.name, ...resource_ids].filter((each) => each !== undefined) }];
}

/** Does one of these codes fail for what eksup names? */
export function isReported(
  findings: readonly CheckFinding[],
  codes: readonly string[],
  names: readonly string[],
  network: Network,
): boolean {
  const own = findings.filter(({ code, status }) => status === 'fail' && codes.includes(code));
  return own.some(({ message, resources }) =>
    names.every((name) => {
      const meant = [name, ...network.subnets.filter(({ zoneId }) => zoneId === name).map(({ id }) => id)];
      return message.startsWith(name) || resources.some((resource) => meant.includes(resource.name));
    }),
  );
}
