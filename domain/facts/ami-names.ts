/** Amazon's images for EKS nodes: the aliases by which Karpenter chooses them, their SSM parameters, and what their names say. */

export const ARCHITECTURES = ['x86_64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** amiFamily of an EC2NodeClass by the family of an alias (karpenter.sh, EC2NodeClass API). */
const FAMILIES: Readonly<Record<string, string>> = {
  al2: 'AL2',
  al2023: 'AL2023',
  bottlerocket: 'Bottlerocket',
  windows2019: 'Windows2019',
  windows2022: 'Windows2022',
  windows2025: 'Windows2025',
};

export interface Alias {
  /** "al2023" */
  family: string;
  /** "v20250403", "1.20.4" or "latest" */
  release: string;
}

/** undefined: not of the form family@release. */
export function parseAlias(alias: string): Alias | undefined {
  const [, family, release] = /^([a-z0-9]+)@(\S+)$/.exec(alias) ?? [];
  return family === undefined || release === undefined ? undefined : { family, release };
}

export function isPinned(alias: string): boolean {
  return parseAlias(alias)?.release !== 'latest';
}

/** "AL2023"; undefined: a family that Karpenter does not know. */
export function amiFamilyOf(alias: string): string | undefined {
  return FAMILIES[parseAlias(alias)?.family ?? ''];
}

/** The alias family of an amiFamily. */
export function aliasFamilyOf(amiFamily: string): string | undefined {
  return Object.keys(FAMILIES).find((family) => FAMILIES[family] === amiFamily);
}

/**
 * Name of the SSM parameter with the id of an alias's standard image, as Karpenter asks for it (karpenter-provider-aws,
 * pkg/providers/amifamily). undefined: there is none.
 */
export function imageParameter(alias: string, minor: string, arch: Architecture): string | undefined {
  const { family, release = '' } = parseAlias(alias) ?? {};
  const eks = `/aws/service/eks/optimized-ami/${minor}`;
  const newest = release === 'latest';
  switch (family) {
    case 'al2023':
      return `${eks}/amazon-linux-2023/${arch}/standard/${newest ? 'recommended' : `amazon-eks-node-al2023-${arch}-standard-${minor}-${release}`}/image_id`;
    case 'al2': {
      const suffix = arch === 'arm64' ? '-arm64' : '';
      return `${eks}/amazon-linux-2${suffix}/${newest ? 'recommended' : `amazon-eks${suffix}-node-${minor}-${release}`}/image_id`;
    }
    case 'bottlerocket':
      return `/aws/service/bottlerocket/aws-k8s-${minor}/${arch}/${release.replace(/^v/, '')}/image_id`;
    case 'windows2019':
    case 'windows2022':
    case 'windows2025':
      if (arch === 'arm64') return undefined;
      return `/aws/service/ami-windows-latest/Windows_Server-${family.slice('windows'.length)}-English-Core-EKS_Optimized-${minor}/image_id`;
    default:
      return undefined;
  }
}

/** Name of the parameter that says which release `family@latest` is. undefined: the family has no releases to pin. */
export function releaseParameter(family: string, minor: string): string | undefined {
  if (family === 'al2023') return `/aws/service/eks/optimized-ami/${minor}/amazon-linux-2023/x86_64/standard/recommended/release_version`;
  return family === 'bottlerocket' ? `/aws/service/bottlerocket/aws-k8s-${minor}/x86_64/latest/image_version` : undefined;
}

/** The alias behind what a release parameter says: "1.33.5-20251016" of al2023, "1.20.4-4f0a078e" of Bottlerocket. */
export function aliasOfRelease(family: string, said: string): string | undefined {
  const [first = '', second = ''] = said.split('-');
  const release = family === 'al2023' ? second : first;
  return release === '' ? undefined : `${family}@v${release}`;
}

/** What the name of an image of Amazon's says; undefined: somebody else's image, or a variant with accelerators. */
export function readImageName(name: string): { family: string; minor: string; arch: Architecture; release: string } | undefined {
  const modern = /^amazon-eks-node-al2023-(x86_64|arm64)-standard-(\d+\.\d+)-(v\d+)$/.exec(name);
  if (modern !== null) return named('al2023', modern[2], modern[1], modern[3]);
  const bottlerocket = /^bottlerocket-aws-k8s-(\d+\.\d+)-(x86_64|aarch64)-(v[\w.]+)(?:-\w+)?$/.exec(name);
  if (bottlerocket !== null) return named('bottlerocket', bottlerocket[1], bottlerocket[2], bottlerocket[3]);
  const old = /^amazon-eks(-arm64)?-node-(\d+\.\d+)-(v\d+)$/.exec(name);
  return old === null ? undefined : named('al2', old[2], old[1] === undefined ? 'x86_64' : 'arm64', old[3]);
}

function named(family: string, minor = '', arch = '', release = '') {
  return { family, minor, arch: arch === 'x86_64' ? ('x86_64' as const) : ('arm64' as const), release };
}

/** Kubernetes minor that an image is built for, as far as its name tells: "…-1.33-…". */
export function minorOfImage(name: string): string | undefined {
  return /-(\d\.\d{2})-/.exec(name)?.[1];
}

/** Which images there are behind an alias for a minor. */
export interface AmiBuild {
  alias: string;
  minor: string;
  /** Ids by architecture; empty: there is no such image. */
  images: Partial<Record<Architecture, string>>;
  /** For `@latest`: the alias of the release that it is now. */
  release?: string;
}

export function buildOf(builds: readonly AmiBuild[], alias: string, minor: string): AmiBuild | undefined {
  return builds.find((build) => build.alias === alias && build.minor === minor);
}

/** Known to have no image. */
export function lacksBuild(builds: readonly AmiBuild[], alias: string, minor: string): boolean {
  const build = buildOf(builds, alias, minor);
  return build !== undefined && Object.keys(build.images).length === 0;
}
