/** Versions of what runs in a cluster beside Kubernetes itself: add-ons, Karpenter, Istio. */

/** "v1.18.3-eksbuild.1" → 1, 18, 3, build 1. */
export interface ComponentVersion {
  major: number;
  minor: number;
  patch: number;
  /** N of "-eksbuild.N"; 0 where there is none. */
  build: number;
  /** A pre-release such as "rc.1": older than the release itself. */
  preRelease?: string;
}

const SHAPE = /^v?(\d+)\.(\d+)(?:\.(\d+))?(?:-(.+))?$/;
const EKS_BUILD = /^(?:(.+)-)?eksbuild\.(\d+)$/;

/** Reads "v1.18.3-eksbuild.1", "1.0.2", "v0.34.1" or "1.26". Throws a RangeError that shows the text for anything else. */
export function parseComponentVersion(text: string): ComponentVersion {
  const version = tryComponentVersion(text);
  if (version === undefined) throw new RangeError(`"${text}" is not a version such as 1.0.2 or v1.18.3-eksbuild.1`);
  return version;
}

/** As parseComponentVersion, but undefined for what is not a version (a digest, "latest"). */
export function tryComponentVersion(text: string): ComponentVersion | undefined {
  const match = SHAPE.exec(text.trim());
  if (match === null) return undefined;
  const suffix = match[4];
  const eksBuild = suffix === undefined ? null : EKS_BUILD.exec(suffix);
  // Flavours ("-minimal", "-distroless") are the same release; only rc, alpha and beta are older than it.
  const rest = eksBuild === null ? suffix : eksBuild[1];
  const preRelease = rest !== undefined && /^(?:alpha|beta|rc)/.test(rest) ? rest : undefined;
  const version = { major: Number(match[1]), minor: Number(match[2]), patch: Number(match[3] ?? 0), build: Number(eksBuild?.[2] ?? 0) };
  return preRelease === undefined ? version : { ...version, preRelease };
}

/** Negative when `a` is older than `b`: minor, then patch, then pre-release, then eksbuild N. */
export function compareComponentVersions(a: ComponentVersion, b: ComponentVersion): number {
  return compareMinors(a, b) || a.patch - b.patch || comparePreReleases(a.preRelease, b.preRelease) || a.build - b.build;
}

/** As compareComponentVersions, by major and minor only. */
export function compareMinors(a: ComponentVersion, b: ComponentVersion): number {
  return a.major - b.major || a.minor - b.minor;
}

/** "1.18": major and minor. */
export function formatMinor(version: ComponentVersion): string {
  return `${version.major}.${version.minor}`;
}

/** "1.18.3": without prefix and build. */
export function formatPatch(version: ComponentVersion): string {
  return `${formatMinor(version)}.${version.patch}`;
}

function comparePreReleases(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a.localeCompare(b, 'en', { numeric: true });
}

/** "1.6.2" from public.ecr.aws/karpenter/controller:1.6.2@sha256:… ; "1.28.3-distroless" keeps its suffix. undefined: no version in the tag. */
export function imageVersion(image: string | undefined): string | undefined {
  return /:v?(\d+\.\d+\.\d+[^@]*)/.exec(image ?? '')?.[1];
}

/** A Deployment or DaemonSet, as far as it says what it runs. */
export interface RunsContainers {
  spec?: { template?: { spec?: { containers?: { name?: string; image?: string }[] } } };
}

/** The version that a workload runs, by the image of the container with this name, or of the first one. undefined: no version in its tag. */
export function runningVersion({ spec }: RunsContainers, container: string): string | undefined {
  const containers = spec?.template?.spec?.containers;
  return imageVersion((containers?.find(({ name }) => name === container) ?? containers?.[0])?.image);
}
