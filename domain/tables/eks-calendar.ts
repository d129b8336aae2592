/** EKS's support calendar: used where DescribeClusterVersions could not be read. */

export interface EksRelease {
  minor: string;
  /** ISO date; undefined: not verified. */
  endOfStandardSupport?: string;
  endOfExtendedSupport?: string;
}

/** The newest minor for which the tables of this release and its checks were made. */
export const NEWEST_KNOWN_MINOR = '1.37';

/**
 * Newest first. Source: the EKS user guide's kubernetes-versions page (mid-2026) and endoflife.date; 1.37: AWS What's New of 2026-10-01, and its dates
 * by the rule of 14 and 12 months. The API's answer goes before this table.
 */
const EKS_RELEASES: readonly EksRelease[] = [
  { minor: NEWEST_KNOWN_MINOR, endOfStandardSupport: '2027-12-01', endOfExtendedSupport: '2028-12-01' },
  { minor: '1.36', endOfStandardSupport: '2027-08-02', endOfExtendedSupport: '2028-08-02' },
  { minor: '1.35', endOfStandardSupport: '2027-03-27', endOfExtendedSupport: '2028-03-27' },
  { minor: '1.34', endOfStandardSupport: '2026-12-02', endOfExtendedSupport: '2027-12-02' },
  { minor: '1.33', endOfStandardSupport: '2026-07-29', endOfExtendedSupport: '2027-07-29' },
  { minor: '1.32', endOfStandardSupport: '2026-03-23', endOfExtendedSupport: '2027-03-23' },
  { minor: '1.31', endOfStandardSupport: '2025-11-26', endOfExtendedSupport: '2026-11-26' },
  { minor: '1.30', endOfStandardSupport: '2025-07-23', endOfExtendedSupport: '2026-07-23' },
  { minor: '1.29', endOfStandardSupport: '2025-03-23', endOfExtendedSupport: '2026-03-23' },
  { minor: '1.28', endOfStandardSupport: '2024-11-26', endOfExtendedSupport: '2025-11-26' },
];

/** Days, such as "2027-03-27"; undefined: not known. */
export type SupportDates = Omit<EksRelease, 'minor'>;

/** Until when a minor is supported: as EKS says (`offered`), else by the table. */
export function supportDates(minor: string, offered: readonly ({ version: string } & SupportDates)[]): SupportDates {
  const said = offered.find(({ version }) => version === minor);
  const known = eksRelease(minor);
  return {
    endOfStandardSupport: (said?.endOfStandardSupport ?? known?.endOfStandardSupport)?.slice(0, 10),
    endOfExtendedSupport: (said?.endOfExtendedSupport ?? known?.endOfExtendedSupport)?.slice(0, 10),
  };
}

/** The entry of a minor such as "1.34". */
export function eksRelease(minor: string): EksRelease | undefined {
  return EKS_RELEASES.find((entry) => entry.minor === minor);
}
