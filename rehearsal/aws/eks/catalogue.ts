/** What AWS offers in the twin: Kubernetes minors with their dates, kubelet patches and add-on versions (EKS user guide, 2024 to 2026). */
import type { EksState } from './state.ts';

interface Offer {
  version: string;
  platformVersion: string;
  /** Patch that the API server and the kubelets of this minor run. */
  patch: string;
  kubeletCommit: string;
  releaseDate: string;
  endOfStandardSupport: string;
  endOfExtendedSupport: string;
}

/** Newest first. */
const OFFERS: readonly Offer[] = [
  offer('1.35', 'eks.4', '1', 'f69f56f', '2026-01-27', '2027-03-27', '2028-03-27'),
  offer('1.34', 'eks.9', '2', 'ecaa3a6', '2025-10-02', '2026-12-02', '2027-12-02'),
  offer('1.33', 'eks.16', '5', '113cf36', '2025-05-29', '2026-07-29', '2027-07-29'),
  offer('1.32', 'eks.6', '3', '473151a', '2025-01-23', '2026-03-23', '2027-03-23'),
  offer('1.31', 'eks.22', '7', '473151a', '2024-09-26', '2025-11-26', '2026-11-26'),
  offer('1.30', 'eks.30', '11', '473151a', '2024-05-23', '2025-07-23', '2026-07-23'),
  offer('1.29', 'eks.33', '15', '473151a', '2024-01-23', '2025-03-23', '2026-03-23'),
  offer('1.28', 'eks.39', '15', '473151a', '2023-09-26', '2024-11-26', '2025-11-26'),
];

function offer(
  version: string,
  platformVersion: string,
  patch: string,
  commit: string,
  release: string,
  standard: string,
  extended: string,
) {
  return {
    version,
    platformVersion,
    patch: `${version}.${patch}`,
    kubeletCommit: commit,
    releaseDate: release,
    endOfStandardSupport: standard,
    endOfExtendedSupport: extended,
  };
}

/** Minors on offer at a date, newest first. */
export function offeredVersions(at: Date): EksState['versions'] {
  const day = at.toISOString().slice(0, 10);
  return OFFERS.filter((o) => o.releaseDate <= day).map(({ patch: _patch, kubeletCommit: _commit, ...offered }) => offered);
}

/** 32 of "1.32" and of "1.32.3". */
export const minorOf = (version: string): number => Number(version.split('.')[1]);

function find(minor: string): Offer {
  const found = OFFERS.find((o) => o.version === minor);
  if (found === undefined) throw new RangeError(`the twin has no Kubernetes ${minor}; it knows ${OFFERS.map((o) => o.version).join(', ')}`);
  return found;
}

/** Does the twin have an API server of this minor? */
export const knowsMinor = (minor: string): boolean => OFFERS.some((o) => o.version === minor);

/** Full patch version of a minor, "1.32.3". */
export const patchOf = (minor: string): string => find(minor).patch;

/** As a kubelet reports itself: "v1.32.3-eks-473151a". */
export const kubeletVersion = (minor: string): string => `v${find(minor).patch}-eks-${find(minor).kubeletCommit}`;

export const platformVersionOf = (minor: string): string => find(minor).platformVersion;

const range = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, i) => `1.${from + i}`);

/** Add-on versions, newest first. kube-proxy serves its own and newer minors, never older ones. */
export function addOnCatalogue(): EksState['addOnCatalogue'] {
  const entry = (version: string, from: number, to: number, defaults: number[] = []) => ({
    version,
    minors: range(from, to),
    defaultFor: defaults.map((m) => `1.${m}`),
  });
  return {
    'vpc-cni': [
      entry('v1.20.4-eksbuild.1', 30, 35, [34, 35]),
      entry('v1.19.5-eksbuild.3', 29, 34, [33]),
      entry('v1.19.2-eksbuild.5', 28, 33, [31, 32]),
      entry('v1.18.5-eksbuild.1', 27, 31, [28, 29, 30]),
    ],
    coredns: [
      entry('v1.13.1-eksbuild.1', 33, 35, [35]),
      entry('v1.12.4-eksbuild.1', 31, 34, [34]),
      entry('v1.12.1-eksbuild.2', 30, 33, [33]),
      entry('v1.11.4-eksbuild.2', 29, 32, [32]),
      entry('v1.11.3-eksbuild.1', 27, 31, [28, 29, 30, 31]),
    ],
    'kube-proxy': [
      entry('v1.35.0-eksbuild.2', 35, 35, [35]),
      entry('v1.34.1-eksbuild.2', 34, 35, [34]),
      entry('v1.33.5-eksbuild.2', 33, 35, [33]),
      entry('v1.32.0-eksbuild.2', 32, 35, [32]),
      entry('v1.31.3-eksbuild.2', 31, 34, [31]),
      entry('v1.30.7-eksbuild.2', 30, 33, [30]),
      entry('v1.29.11-eksbuild.2', 29, 32, [29]),
      entry('v1.28.15-eksbuild.4', 28, 31, [28]),
    ],
    'aws-ebs-csi-driver': [
      entry('v1.53.0-eksbuild.1', 31, 35, [34, 35]),
      entry('v1.48.0-eksbuild.1', 30, 34, [33]),
      entry('v1.41.0-eksbuild.1', 29, 33, [32]),
      entry('v1.37.0-eksbuild.1', 27, 31, [28, 29, 30, 31]),
    ],
  };
}
