/** A real API server with Karpenter's real definitions, and Karpenter's own conversion: what would the cluster keep of an object? */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Manifest } from '../../../domain/migrations/edit.ts';
import { Api, ApiError } from '../../../rehearsal/real/api.ts';
import { karpenterDefinitions } from '../../../rehearsal/real/karpenter.ts';
import { provideParts } from '../../../rehearsal/real/parts/build.ts';
import { PARTS } from '../../../rehearsal/real/parts/table.ts';
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import { startControlPlane } from '../../contract/real/control-plane.ts';
import { TOKENS } from '../../contract/server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PLURALS: Record<string, string> = { NodePool: 'nodepools', EC2NodeClass: 'ec2nodeclasses' };
const LOOK_MS = 100;
const LIMIT_MS = 60_000;

/** Karpenter's minors whose definitions are at hand, by the program that has them. */
const RELEASES = { '1.0': 'karpenter-conversion', '1.14': 'karpenter' } as const;
export type Release = keyof typeof RELEASES;

export interface Judge {
  /** Replaces all definitions by those of a release; only one version is served, so that nothing is converted on the way. */
  serve(release: Release, version: 'v1beta1' | 'v1'): Promise<void>;
  /** As the server would keep it, with its defaults; throws ApiError where it is refused, unknown fields among the reasons. */
  admit(object: Manifest): Promise<Manifest>;
  /** Through the conversion of Karpenter 1.0. */
  convert(objects: readonly Manifest[]): Promise<Manifest[]>;
  close(): Promise<void>;
}

type Versioned = KubeObject & { spec: { versions: { name: string; storage: boolean }[]; conversion?: unknown; names: { plural: string } } };

export async function openJudge(): Promise<Judge> {
  const programs = new Map<string, string>();
  const wanted = PARTS.filter(({ name }) => Object.values<string>(RELEASES).includes(name));
  const paths = await provideParts(wanted, { env: process.env, say: (line) => process.stderr.write(`${line}\n`) });
  for (const [{ name }, path] of paths) programs.set(name, path);
  const program = (release: Release): string => programs.get(RELEASES[release]) ?? RELEASES[release];

  const { url, caData, close } = await startControlPlane('1.34');
  const api = new Api({ url, ca: Buffer.from(caData, 'base64').toString(), token: TOKENS.admin });
  return {
    async serve(release, version) {
      await clear(api);
      const definitions = (await karpenterDefinitions(program(release))) as Versioned[];
      for (const { spec, metadata } of definitions) {
        const versions = spec.versions.filter(({ name }) => name === version).map((each) => ({ ...each, storage: true }));
        if (versions.length === 0) continue;
        const served = { ...spec, versions, conversion: { strategy: 'None' } };
        await api.post(DEFINITIONS, { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec: served });
      }
    },
    async admit(object) {
      const [, version = ''] = String(object.apiVersion).split('/');
      const path = `${pathOf(String(object.kind), version)}?dryRun=All&fieldValidation=Strict`;
      const { apiVersion, kind, metadata, spec } = await onceServed(() => api.post(path, object));
      const { name, labels = {}, annotations = {} } = metadata;
      return { apiVersion, kind, metadata: { name, labels, annotations }, spec };
    },
    convert: (objects) => piped(program('1.0'), objects),
    async close() {
      api.close();
      await close();
    },
  };
}

function pathOf(kind: string, version: string): string {
  const group = kind === 'EC2NodeClass' ? 'karpenter.k8s.aws' : 'karpenter.sh';
  return `/apis/${group}/${version}/${PLURALS[kind] ?? kind}`;
}

async function clear(api: Api): Promise<void> {
  const { items } = (await api.get(DEFINITIONS)) as KubeObject & { items: KubeObject[] };
  const paths = items.map(({ metadata }) => `${DEFINITIONS}/${metadata.name}`);
  await Promise.all(paths.map((path) => api.delete(path)));
  for (const path of paths) await gone(api, path);
}

async function gone(api: Api, path: string): Promise<void> {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await sleep(LOOK_MS)) {
    const is = await api.get(path).catch((error: unknown) => error);
    if (is instanceof ApiError && is.code === 404) return;
  }
  throw new Error(`${path} is still there after a minute`);
}

/** A new definition is served after a moment: until then 404, or 429 where its predecessor's storage is being closed. */
async function onceServed<T>(call: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + LIMIT_MS; ; await sleep(LOOK_MS)) {
    try {
      return await call();
    } catch (error) {
      const early = error instanceof ApiError && (error.code === 404 || error.code === 429);
      if (!early || Date.now() > end) throw error;
    }
  }
}

function piped(command: string, objects: readonly Manifest[]): Promise<Manifest[]> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, (error, stdout) => (error === null ? resolve(JSON.parse(stdout)) : reject(error)));
    child.stdin?.end(JSON.stringify(objects));
  });
}
