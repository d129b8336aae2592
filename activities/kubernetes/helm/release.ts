/** Reads Helm releases from their Secrets (storage driver of Helm 3): status from labels, values from the payload. */
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { field } from '../../../domain/core/unknown.ts';
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import { failureOf } from '../../runtime/translate-errors.ts';

export interface HelmRelease {
  name: string;
  namespace: string;
  /** Counts up with each operation. */
  revision: number;
  /** deployed | superseded | failed | pending-install | pending-upgrade | pending-rollback | uninstalling | uninstalled */
  status: string;
  /** Values that people gave. May hold secrets: never logged, never a payload. */
  config: Record<string, unknown>;
  chart: { name: string; version: string; appVersion?: string };
  /** Made by Belay, by the label that its helm calls put on it, and not inherited from such a revision. */
  ours: boolean;
  /** The Secret that this was read from. */
  secret: { name: string; uid: string };
}

/**
 * Whoever may write Secrets in some namespace writes one that unpacks to a thousand times its size. A real one, whose Secret is a megabyte at most, is
 * text of which most is base64 once more: it shrinks to a fifth.
 */
const MAX_UNPACKED = 16 * 1024 * 1024;

/** Label of the release's Secret: the idempotency token of the helm call that made it, there from the call's first moment. */
export const TOKEN_LABEL = 'belay.dev/token';

const Payload = z.object({
  info: z.object({ status: z.string().optional() }).optional(),
  config: z.record(z.string(), z.unknown()).nullish(),
  chart: z.object({ metadata: z.object({ name: z.string(), version: z.string(), appVersion: z.string().optional() }) }),
});

export type ReleaseSecret = KubeObject & { data?: Record<string, string> };

/** The newest revision of a release; undefined: there is none. */
export async function readRelease(port: KubernetesPort, namespace: string, name: string): Promise<HelmRelease | undefined> {
  const secrets = await port.list<ReleaseSecret>({
    apiVersion: 'v1',
    plural: 'secrets',
    namespace,
    labelSelector: `owner=helm,name=${name}`,
  });
  const revisionOf = (secret: ReleaseSecret): number => Number(secret.metadata.labels?.['version'] ?? 0);
  const [newest, ...earlier] = (secrets ?? []).toSorted((a, b) => revisionOf(b) - revisionOf(a));
  if (newest === undefined) return undefined;
  const { config, chart, info } = decodeRelease(newest, Payload);
  return {
    name,
    namespace,
    revision: revisionOf(newest),
    status: newest.metadata.labels?.['status'] ?? info?.status ?? 'unknown',
    config: config ?? {},
    chart: chart.metadata,
    ours: isOurs(newest, earlier),
    secret: { name: newest.metadata.name, uid: newest.metadata.uid },
  };
}

/**
 * Helm gives each revision the labels of the one before it (pkg/action/upgrade.go, mergeCustomLabels), so an upgrade by somebody else has the token of
 * Belay's last one. A call of Belay has a token of its own, and none follows once one with that token has succeeded.
 */
function isOurs(newest: ReleaseSecret, earlier: readonly ReleaseSecret[]): boolean {
  const token = newest.metadata.labels?.[TOKEN_LABEL];
  if (token === undefined) return false;
  const succeeded = earlier.some(
    ({ metadata: { labels = {} } }) => labels[TOKEN_LABEL] === token && ['deployed', 'superseded'].includes(labels['status'] ?? ''),
  );
  return !succeeded;
}

export function isPending({ status }: HelmRelease): boolean {
  return status.startsWith('pending-') || status === 'uninstalling';
}

/** base64 by Kubernetes, base64 by Helm, then gzip unless the first bytes say otherwise. Nothing of the payload gets into an error. Throws InvalidRequest. */
export function decodeRelease<T>(secret: ReleaseSecret, shape: z.ZodType<T>): T {
  const doing = `reading Helm release ${secret.metadata.name}`;
  try {
    const inner = Buffer.from(Buffer.from(secret.data?.['release'] ?? '', 'base64').toString('latin1'), 'base64');
    const zipped = inner[0] === 0x1f && inner[1] === 0x8b;
    const text = (zipped ? gunzipSync(inner, { maxOutputLength: MAX_UNPACKED }) : inner).toString('utf8');
    const parsed = shape.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
  } catch (error) {
    if (field(error, 'code') === 'ERR_BUFFER_TOO_LARGE')
      throw failureOf('InvalidRequest', `${doing}: it unpacks to more than ${MAX_UNPACKED / 1024 / 1024} MiB, as no release does`);
    // Falls through: what could not be read may be secret, so its text is not shown.
  }
  throw failureOf('InvalidRequest', `${doing}: its payload cannot be read`);
}
