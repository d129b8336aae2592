/** Who uses deprecated APIs: the API server's own count, what objects say of their writers. */
import { z } from 'zod';
import { lifecycleOf } from '../../../../domain/tables/api-replacements.ts';
import type { DeprecatedUse } from '../../../../domain/readiness/model/evidence.ts';
import { API_LIFECYCLE, type ApiLifecycle } from '../../../../domain/tables/api-lifecycle.ts';
import { DEPRECATED_CALLS } from '../../../../domain/tables/deprecated-calls.ts';
import { STORED_TYPES } from '../../../../domain/tables/stored-types.ts';
import { readJson } from '../../../runtime/read-json.ts';
import type { KubeObject, KubernetesPort } from '../../../contract/ports.ts';
import { given } from '../../../runtime/given.ts';

/** One connection reaches one of the instances behind the endpoint: EKS runs at least two. */
const LOOKS = 4;
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** A type that is called in a deprecated version. */
export type DeprecatedCall = Record<'group' | 'version' | 'resource', string>;

/** Calls of deprecated APIs since each instance started, one entry for each type, whichever instance counted it. */
export async function readDeprecatedCalls(port: Pick<KubernetesPort, 'metrics'>): Promise<DeprecatedCall[]> {
  const calls = new Map<string, DeprecatedCall>();
  for (let look = 0; look < LOOKS; look += 1) {
    for (const call of deprecatedIn(await port.metrics())) calls.set(`${call.group}/${call.version}/${call.resource}`, call);
  }
  return [...calls.values()];
}

export const readApiMetrics = async (port: KubernetesPort): Promise<DeprecatedUse[]> =>
  (await readDeprecatedCalls(port)).map((call) => ({ group: call.group, version: call.version, kind: kindOf(call), from: 'metrics' }));

/** A type whose life the deprecation guide tells. */
export const isKubernetesOwn = (call: DeprecatedCall): boolean => rowOf(call) !== undefined;

function deprecatedIn(text: string): DeprecatedCall[] {
  return text.split('\n').flatMap((line): DeprecatedCall[] => {
    if (!line.startsWith(`${DEPRECATED_CALLS}{`) || line.endsWith(' 0')) return [];
    const label = (name: string): string => new RegExp(`[{,]${name}="([^"]*)"`).exec(line)?.[1] ?? '';
    return [{ group: label('group'), version: label('version'), resource: label('resource') }];
  });
}

/** The metric names resources ("flowschemas"), the table kinds. */
const rowOf = ({ group, version, resource }: DeprecatedCall): ApiLifecycle | undefined =>
  API_LIFECYCLE.find((row) => row.group === group && row.version === version && isPluralOf(resource, row.kind));

const kindOf = (call: DeprecatedCall): string =>
  rowOf(call)?.kind ?? STORED_TYPES.find((type) => type.plural === call.resource)?.kind ?? call.resource;

function isPluralOf(resource: string, kind: string): boolean {
  const name = kind.toLowerCase();
  return [`${name}s`, `${name}es`, `${name.slice(0, -1)}ies`].includes(resource);
}

/** By last-applied annotation and by managedFields, which name the writer: never by asking for the deprecated version. */
export async function readApiObjects(port: KubernetesPort): Promise<DeprecatedUse[]> {
  const lists = STORED_TYPES.map(async ({ group, version, plural, kind }) => {
    const uses: DeprecatedUse[] = [];
    await port.list<KubeObject>({ apiVersion: `${group}/${version}`, plural, metadataOnly: true }, (object) => {
      uses.push(...writtenIn(object, kind));
      return undefined;
    });
    return uses;
  });
  return (await Promise.all(lists)).flat();
}

function writtenIn({ metadata }: KubeObject, kind: string): DeprecatedUse[] {
  const object = { name: metadata.name, ...given('namespace', metadata.namespace) };
  const fields = (metadata.managedFields ?? [])
    .filter(({ subresource }) => subresource === undefined || subresource === '')
    .map(({ manager, apiVersion }) => ({ apiVersion, from: 'managed-fields' as const, writer: manager }));
  const applied = readJson(metadata.annotations?.[LAST_APPLIED], z.object({ apiVersion: z.string() }))?.apiVersion;
  return [...fields, { apiVersion: applied, from: 'last-applied' as const, writer: undefined }].flatMap(({ apiVersion, from, writer }) => {
    const api = { ...splitVersion(apiVersion ?? ''), kind };
    return lifecycleOf(api) === undefined ? [] : [{ ...api, from, object, ...given('writer', writer) }];
  });
}

/** "apps/v1" in its parts; the core group is empty. */
export function splitVersion(apiVersion: string): { group: string; version: string } {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return { group: group ?? '', version: version ?? '' };
}
