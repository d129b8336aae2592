/** Karpenter's real definitions as a chart of karpenter-crd would render them, and the programs that have them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import { ApiError } from '../../../rehearsal/real/api.ts';
import { karpenterDefinitions } from '../../../rehearsal/real/programs/karpenter.ts';
import { provideParts } from '../../../rehearsal/real/parts/build.ts';
import { PARTS } from '../../../rehearsal/real/parts/table.ts';

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const LOOK_MS = 100;
const LIMIT_MS = 60_000;

/** Karpenter's minors whose definitions are at hand, by the program that has them. */
const RELEASES = { '1.0': 'karpenter-conversion', '1.14': 'karpenter' } as const;
export type Release = keyof typeof RELEASES;
export type Version = 'v1beta1' | 'v1';

export interface Rendering {
  versions: readonly Version[];
  storage: Version;
  /** Of the conversion webhook; absent: nothing is converted. */
  service?: { namespace: string; name: string; port: number };
}

/** Path of the program; built where it is not there yet. */
export async function programOf(release: Release): Promise<string> {
  const wanted = PARTS.filter(({ name }) => name === RELEASES[release]);
  const [path] = (await provideParts(wanted, { env: process.env, say: (line) => process.stderr.write(`${line}\n`) })).values();
  if (path === undefined) throw new Error(`no program has the definitions of Karpenter ${release}`);
  return path;
}

/** Those that have any of the versions. */
export async function definitionsOf(release: Release, { versions, storage, service }: Rendering): Promise<KubeObject[]> {
  type Definition = KubeObject & { spec: { versions: { name: string }[] } };
  const conversion =
    service === undefined
      ? { strategy: 'None', webhook: null }
      : { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: { service } } };
  const all = (await karpenterDefinitions(await programOf(release))) as Definition[];
  return all.flatMap(({ spec, metadata }) => {
    const served = spec.versions.filter(({ name }) => versions.some((each) => each === name));
    if (served.length === 0) return [];
    const stored = served.map((each) => ({ ...each, storage: each.name === storage }));
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata,
      spec: { ...spec, versions: stored, conversion },
    };
  });
}

/** A new definition is served after a moment: until then 404, or 429 where its predecessor's storage is being closed. */
export async function onceServed<T>(call: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + LIMIT_MS; ; await sleep(LOOK_MS)) {
    try {
      return await call();
    } catch (error) {
      const early = error instanceof ApiError && (error.code === 404 || error.code === 429);
      if (!early || Date.now() > end) throw error;
    }
  }
}
