/** A real API server with Karpenter's real definitions, and Karpenter's own conversion: what would the cluster keep of an object? */
import { execFile } from 'node:child_process';
import type { Manifest } from '../../../domain/plan/migration/edit.ts';
import { Api, ApiError } from '../../../rehearsal/real/api.ts';
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import { startControlPlane } from '../../contract/real/control-plane.ts';
import { TOKENS } from '../../contract/server.ts';
import { eventually } from '../../support/eventually.ts';
import { DEFINITIONS, definitionsOf, onceServed, programOf, type Release, type Version } from './karpenter-definitions.ts';

const PLURALS: Record<string, string> = { NodePool: 'nodepools', EC2NodeClass: 'ec2nodeclasses' };
const LIMIT_MS = 60_000;

export interface Judge {
  /** Replaces all definitions by those of a release; only one version is served, so that nothing is converted on the way. */
  serve(release: Release, version: Version): Promise<void>;
  /** As the server would keep it, with its defaults; throws ApiError where it is refused, unknown fields among the reasons. */
  admit(object: Manifest): Promise<Manifest>;
  /** Through the conversion of Karpenter 1.0. */
  convert(objects: readonly Manifest[]): Promise<Manifest[]>;
  close(): Promise<void>;
}

export async function openJudge(): Promise<Judge> {
  const { url, caData, close } = await startControlPlane('1.34');
  const api = new Api({ url, ca: Buffer.from(caData, 'base64').toString(), token: TOKENS.admin });
  return {
    async serve(release, version) {
      await clear(api);
      const definitions = await definitionsOf(release, { versions: [version], storage: version });
      for (const definition of definitions) await api.post(DEFINITIONS, definition);
      // One that is deleted before it is served goes only after the server has tried in vain, ever more rarely.
      for (const { metadata } of definitions) await established(api, `${DEFINITIONS}/${metadata.name}`);
    },
    async admit(object) {
      const [, version = ''] = String(object.apiVersion).split('/');
      const path = `${pathOf(String(object.kind), version)}?dryRun=All&fieldValidation=Strict`;
      const { apiVersion, kind, metadata, spec } = await onceServed(() => api.post(path, object));
      const { name, labels = {}, annotations = {} } = metadata;
      return { apiVersion, kind, metadata: { name, labels, annotations }, spec };
    },
    convert: async (objects) => piped(await programOf('1.0'), objects),
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
  await eventually(
    `${path} is gone`,
    async () => {
      const is = await api.get(path).catch((error: unknown) => error);
      return is instanceof ApiError && is.code === 404;
    },
    LIMIT_MS,
  );
}

async function established(api: Api, path: string): Promise<void> {
  await eventually(
    `${path} is served`,
    async () => {
      const { status } = await api.get(path);
      const conditions: { type: string; status: string }[] = status?.conditions ?? [];
      return conditions.some(({ type, status: is }) => type === 'Established' && is === 'True');
    },
    LIMIT_MS,
  );
}

function piped(command: string, objects: readonly Manifest[]): Promise<Manifest[]> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, (error, stdout) => (error === null ? resolve(JSON.parse(stdout)) : reject(error)));
    child.stdin?.end(JSON.stringify(objects));
  });
}
