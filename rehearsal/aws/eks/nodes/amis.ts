/** The twin's machine images: what SSM parameters and Karpenter's aliases resolve to, deterministic by name. */
import { createHash } from 'node:crypto';
import { minorOf, patchOf } from '../catalogue.ts';
import type { Ami, AmiFamily } from './ami.ts';

export type { Ami, AmiFamily } from './ami.ts';

/** Family of a managed node group's AMI type. */
export const familyOf = (amiType: string): AmiFamily =>
  amiType.startsWith('AL2_') ? 'al2' : amiType.startsWith('BOTTLEROCKET_') ? 'bottlerocket' : 'al2023';

/** Architecture of a managed node group's AMI type. */
export const archOf = (amiType: string): Ami['arch'] => (/ARM_64/.test(amiType) ? 'arm64' : 'x86_64');

/** As Kubernetes calls the architecture. */
export const kubernetesArch = ({ arch }: Ami): 'arm64' | 'amd64' => (arch === 'arm64' ? 'arm64' : 'amd64');

/** Variant of an image that AWS has not built: no alias means it. */
export const OWN_IMAGE = 'own';

/** Releases with the minors that each was built for, oldest first. Al2 images end with Kubernetes 1.32. */
const RELEASES: readonly { release: string; minors: readonly string[] }[] = [
  { release: 'v20241115', minors: ['1.28', '1.29', '1.30', '1.31'] },
  { release: 'v20250403', minors: ['1.29', '1.30', '1.31', '1.32'] },
  { release: 'v20251016', minors: ['1.30', '1.31', '1.32', '1.33', '1.34'] },
  { release: 'v20260610', minors: ['1.31', '1.32', '1.33', '1.34', '1.35'] },
];

/** The id of an image of that name, for images that AWS has not told. */
export const imageIdOf = (name: string): string => `ami-0${createHash('sha1').update(name).digest('hex').slice(0, 16)}`;

export function imageNameOf(family: AmiFamily, arch: Ami['arch'], minor: string, release: string): string {
  if (family === 'al2') return `amazon-eks${arch === 'arm64' ? '-arm64' : ''}-node-${minor}-${release}`;
  if (family === 'bottlerocket') return `bottlerocket-aws-k8s-${minor}-${arch === 'arm64' ? 'aarch64' : arch}-${release}`;
  return `amazon-eks-node-al2023-${arch}-standard-${minor}-${release}`;
}

const ALL: readonly Ami[] = RELEASES.flatMap(({ release, minors }) =>
  minors.flatMap((minor) =>
    (['al2023', 'bottlerocket', 'al2'] as const).flatMap((family) =>
      family === 'al2' && minorOf(minor) >= 33
        ? []
        : (['x86_64', 'arm64'] as const).map((arch) => {
            const name = imageNameOf(family, arch, minor, release);
            return { id: imageIdOf(name), name, family, arch, minor, release };
          }),
    ),
  ),
);

/** Newest image of a family for a minor that had shipped by a date; undefined where AWS has none. */
export function latestAmi(
  family: AmiFamily,
  minor: string,
  at: Date,
  arch: Ami['arch'] = 'x86_64',
  images: readonly Ami[] = ALL,
): Ami | undefined {
  return images
    .filter((a) => a.family === family && a.minor === minor && a.arch === arch && a.variant === undefined && a.release <= releaseOfDay(at))
    .at(-1);
}

/** The release of a day: "v20250403". Those after it have not shipped. */
export const releaseOfDay = (at: Date): string => `v${at.toISOString().slice(0, 10).replaceAll('-', '')}`;

/** The images behind a Karpenter alias such as `al2023@latest` or `al2023@v20250403`, for a minor: one per architecture and variant, none where none was built. */
export function amisOfAlias(alias: string, minor: string, at: Date, images: readonly Ami[] = ALL): Ami[] {
  const [family, release = ''] = alias.split('@');
  const built = images.filter((a) => a.family === family && a.minor === minor && a.variant !== OWN_IMAGE);
  const wanted = built.filter((a) => (release === 'latest' ? a.release <= releaseOfDay(at) : a.release === release));
  const newest = new Map(wanted.map((ami) => [`${ami.arch === 'arm64' ? 1 : 0} ${ami.variant ?? ''}`, ami]));
  return [...newest].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, ami]) => ami);
}

/** All images, oldest release first. */
export const knownAmis = (): readonly Ami[] => ALL;

export const amiById = (id: string, images: readonly Ami[] = ALL): Ami | undefined => images.find((a) => a.id === id);

/** Release version of a managed node group's image, "1.32.3-20250403". */
export const releaseVersionOf = (ami: Ami): string => ami.releaseVersion ?? `${patchOf(ami.minor)}-${ami.release.slice(1)}`;
