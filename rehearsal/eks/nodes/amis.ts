/** The twin's machine images: what SSM parameters and Karpenter's aliases resolve to, deterministic by name. */
import { createHash } from 'node:crypto';
import { minorOf, patchOf } from '../catalogue.ts';

export interface Ami {
  id: string;
  name: string;
  family: AmiFamily;
  arch: 'x86_64' | 'arm64';
  /** Kubernetes minor that the image's kubelet has. */
  minor: string;
  /** e.g. "v20250403" */
  release: string;
}

export type AmiFamily = 'al2' | 'al2023' | 'bottlerocket';

/** Family of a managed node group's AMI type. */
export const familyOf = (amiType: string): AmiFamily => (amiType.startsWith('AL2_') ? 'al2' : 'al2023');

/** As Kubernetes calls the architecture. */
export const kubernetesArch = ({ arch }: Ami): 'arm64' | 'amd64' => (arch === 'arm64' ? 'arm64' : 'amd64');

/** Releases with the minors that each was built for, oldest first. Al2 images end with Kubernetes 1.32. */
const RELEASES: readonly { release: string; minors: readonly string[] }[] = [
  { release: 'v20241115', minors: ['1.28', '1.29', '1.30', '1.31'] },
  { release: 'v20250403', minors: ['1.29', '1.30', '1.31', '1.32'] },
  { release: 'v20251016', minors: ['1.30', '1.31', '1.32', '1.33', '1.34'] },
  { release: 'v20260610', minors: ['1.31', '1.32', '1.33', '1.34', '1.35'] },
];

const idOf = (name: string): string => `ami-0${createHash('sha1').update(name).digest('hex').slice(0, 16)}`;

function nameOf(family: AmiFamily, arch: Ami['arch'], minor: string, release: string): string {
  if (family === 'al2') return `amazon-eks-node-${minor}-${release}`;
  if (family === 'bottlerocket') return `bottlerocket-aws-k8s-${minor}-${arch === 'arm64' ? 'aarch64' : arch}-${release}`;
  return `amazon-eks-node-al2023-${arch}-standard-${minor}-${release}`;
}

const ALL: readonly Ami[] = RELEASES.flatMap(({ release, minors }) =>
  minors.flatMap((minor) =>
    (['al2023', 'bottlerocket', 'al2'] as const).flatMap((family) =>
      family === 'al2' && minorOf(minor) >= 33
        ? []
        : (['x86_64', 'arm64'] as const).map((arch) => {
            const name = nameOf(family, arch, minor, release);
            return { id: idOf(name), name, family, arch, minor, release };
          }),
    ),
  ),
);

/** Newest image of a family for a minor that had shipped by a date; undefined where AWS has none. */
export function latestAmi(family: AmiFamily, minor: string, at: Date, arch: Ami['arch'] = 'x86_64'): Ami | undefined {
  return ALL.filter((a) => a.family === family && a.minor === minor && a.arch === arch && a.release <= releaseOfDay(at)).at(-1);
}

/** The release of a day: "v20250403". Those after it have not shipped. */
export const releaseOfDay = (at: Date): string => `v${at.toISOString().slice(0, 10).replaceAll('-', '')}`;

/** The images behind a Karpenter alias such as `al2023@latest` or `al2023@v20250403`, for a minor: one per architecture, none where none was built. */
export function amisOfAlias(alias: string, minor: string, at: Date): Ami[] {
  const [family, release] = alias.split('@');
  if (family !== 'al2' && family !== 'al2023' && family !== 'bottlerocket') return [];
  return (['x86_64', 'arm64'] as const).flatMap((arch) => {
    if (release === 'latest') return latestAmi(family, minor, at, arch) ?? [];
    return ALL.find((a) => a.family === family && a.minor === minor && a.arch === arch && a.release === release) ?? [];
  });
}

/** All images, oldest release first. */
export const knownAmis = (): readonly Ami[] => ALL;

export const amiById = (id: string): Ami | undefined => ALL.find((a) => a.id === id);

/** Release version of a managed node group's image, "1.32.3-20250403". */
export const releaseVersionOf = (ami: Ami): string => `${patchOf(ami.minor)}-${ami.release.slice(1)}`;
