/** Which Karpenter runs, and what changes by its version. */
import { runningDeployments } from '../../../facts/running-deployments.ts';
import type { Snapshot } from '../../../facts/snapshot/format.ts';
import { compareComponentVersions, parseComponentVersion, runningVersion, tryComponentVersion } from '../../../core/component-version.ts';
import { type ControllerObject, read } from './objects.ts';

/** The first release in which it is there (kubernetes-sigs/karpenter#2709; v1.9.1 and v1.8.3 are without). */
const DRAINS_FOR_A_WHILE = parseComponentVersion('1.10.0');
const MIN_DRAIN_MS = 5_000;

/** By the image of its Deployment, as inspection reads it; undefined: none was read, several run, or its tag is no version. */
export function karpenterVersion(snapshot: Snapshot): string | undefined {
  const controllers = read<ControllerObject>(snapshot, 'apps/v1', 'deployments') ?? [];
  const labelled = controllers.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === 'karpenter');
  const [own, ...others] = runningDeployments(labelled);
  return own === undefined || others.length > 0 ? undefined : runningVersion(own, 'controller');
}

/**
 * How long a node counts against its budget at least, however soon it is empty (node/termination/controller.go, MinDrainTime). What runs
 * in an unknown version, as EKS Auto Mode's does, is taken for new.
 */
export function minDrainMs(version: string | undefined): number {
  const known = version === undefined ? undefined : tryComponentVersion(version);
  return known !== undefined && compareComponentVersions(known, DRAINS_FOR_A_WHILE) < 0 ? 0 : MIN_DRAIN_MS;
}
