/** What helm-controller keeps of a release in status.history (helm.toolkit.fluxcd.io/v2, Snapshot). */
import { createHash } from 'node:crypto';
import { stableJson } from '../../kubernetes/json.ts';
import type { KubeObject } from '../../kubernetes/store.ts';

export interface Snapshot {
  chartName: string;
  chartVersion: string;
  configDigest: string;
  digest: string;
  firstDeployed: string;
  lastDeployed: string;
  name: string;
  namespace: string;
  status: string;
  version: number;
}

/** Of the values that a release was given. */
export const digestOf = (values: unknown): string => `sha256:${createHash('sha256').update(stableJson(values)).digest('hex')}`;

export function snapshotOf(
  { metadata, spec }: KubeObject,
  { chart, version, number, status, at }: { chart: string; version: string; number: number; status: string; at: string },
): Snapshot {
  const name: string = spec.releaseName ?? metadata.name;
  return {
    chartName: chart,
    chartVersion: version,
    configDigest: digestOf(spec.values ?? {}),
    digest: digestOf([name, chart, version, number]),
    firstDeployed: at,
    lastDeployed: at,
    name,
    namespace: spec.targetNamespace ?? metadata.namespace,
    status,
    version: number,
  };
}
