/** The chart as Helm renders it: the objects, or what Helm says instead. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { HELM } from '../support/tools.ts';
import { root } from './files.ts';

/** Records in a bucket, with as many workers as the chart has by default. */
export const IN_BUCKET = ['--set-string', 'config=records: { s3: { bucket: b } }', '--set', 'records.shared=true,records.volume=false'];

export interface Rendered {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: Record<string, unknown>;
}

export interface Pod {
  serviceAccountName?: string;
  containers: {
    name: string;
    args: string[];
    env: { name: string; value?: string }[];
    volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
    securityContext: Record<string, unknown>;
    resources: { limits: { memory: string } };
    readinessProbe: { httpGet: { path: string } };
  }[];
  volumes: ({ name: string } & Record<string, unknown>)[];
  affinity?: unknown;
  topologySpreadConstraints?: unknown;
}

export function helmTemplate(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const chart = join(root, 'deploy/chart');
  return spawnSync(HELM ?? 'helm', ['template', 'ours', chart, '--set', 'config=x:', ...args], { encoding: 'utf8' });
}

/** What `helm lint` says, warnings included. */
export function helmLint(chart: string, ...args: string[]): { status: number | null; stdout: string } {
  return spawnSync(HELM ?? 'helm', ['lint', '--strict', chart, '--set', 'config=x:', ...args], { encoding: 'utf8' });
}

/** Throws with Helm's words. */
export function rendered(...args: string[]): Rendered[] {
  const { status, stdout, stderr } = helmTemplate(...args);
  if (status !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout).flatMap((document) => (document.toJS() as Rendered | null) ?? []);
}

/** The pods of Deployments, and those that Helm runs, by component. */
export function podsOf(objects: readonly Rendered[]): Record<string, Pod> {
  const pods = objects.flatMap(({ kind, metadata, spec }) => {
    if (kind !== 'Deployment' && kind !== 'Pod') return [];
    const pod = kind === 'Pod' ? spec : Object(Object(spec['template']).spec);
    return [[metadata.labels?.['app.kubernetes.io/component'] ?? '', pod as Pod] as const];
  });
  return Object.fromEntries(pods);
}

/** Everything on, with what people put into the places left free for them. */
export const EVERYTHING = ['--values', join(root, 'test/deploy/everything-on.yaml'), ...IN_BUCKET.slice(0, 2)];

/** On a cluster that has the Prometheus operator. */
export const EVERYTHING_ON = [...EVERYTHING, '--api-versions', 'monitoring.coreos.com/v1'] as const;
