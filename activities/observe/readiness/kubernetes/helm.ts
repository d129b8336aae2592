/** What Helm releases would write again: manifests out of their Secrets. Needs an optional role. */
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { lifecycleOf } from '../../../../domain/tables/api-replacements.ts';
import type { DeprecatedUse } from '../../../../domain/readiness/model/evidence.ts';
import { decodeRelease, type ReleaseSecret } from '../../../kubernetes/helm/release.ts';
import type { KubeMeta, KubernetesPort } from '../../../contract/ports.ts';
import { splitVersion } from './apis.ts';
import { given } from '../../../runtime/given.ts';

const SECRETS = { apiVersion: 'v1', plural: 'secrets' };
/** A Secret may have a megabyte: a page of a list would have hundreds of them. */
const AT_ONCE = 8;

const Release = z.object({ manifest: z.string() });
const Manifest = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
});

/** Objects of deployed releases whose API is known to go, and custom resources. Throws where a release cannot be read as one. */
export async function readHelmReleases(port: KubernetesPort): Promise<DeprecatedUse[]> {
  const listed = (await port.list({ ...SECRETS, labelSelector: 'owner=helm,status=deployed', metadataOnly: true })) ?? [];
  const uses: DeprecatedUse[] = [];
  for (let from = 0; from < listed.length; from += AT_ONCE) {
    const some = listed.slice(from, from + AT_ONCE).map(({ metadata }) => usesOf(port, metadata));
    uses.push(...(await Promise.all(some)).flat());
  }
  return uses;
}

async function usesOf(port: KubernetesPort, { name, namespace = '', labels = {} }: KubeMeta): Promise<DeprecatedUse[]> {
  // A list of one: the role has no other verb.
  const [secret] = (await port.list<ReleaseSecret>({ ...SECRETS, namespace, fieldSelector: `metadata.name=${name}` })) ?? [];
  // Upgraded or uninstalled meanwhile.
  if (secret === undefined) return [];
  const release = `${namespace}/${labels['name'] ?? name}`;
  return manifestsOf(secret).flatMap(({ apiVersion, kind, metadata }): DeprecatedUse[] => {
    const api = { ...splitVersion(apiVersion), kind };
    if (lifecycleOf(api) === undefined && !isCustom(api.group)) return [];
    return [{ ...api, from: 'helm', writer: release, object: { name: metadata.name, ...given('namespace', metadata.namespace) } }];
  });
}

/** Built-in groups have no dot, or are Kubernetes' own. */
const isCustom = (group: string): boolean => group.includes('.') && !group.endsWith('.k8s.io');

function manifestsOf(secret: ReleaseSecret): z.infer<typeof Manifest>[] {
  return parseAllDocuments(decodeRelease(secret, Release).manifest).flatMap((document) => {
    const parsed = Manifest.safeParse(document.toJS());
    return parsed.success ? [parsed.data] : [];
  });
}
