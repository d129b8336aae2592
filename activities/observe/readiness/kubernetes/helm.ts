/** What Helm releases would write again: manifests out of their Secrets. Needs an optional role. */
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { lifecycleOf } from '../../../../domain/tables/api-replacements.ts';
import type { DeprecatedUse } from '../../../../domain/readiness/model/evidence.ts';
import { decodeRelease, type ReleaseSecret } from '../../../kubernetes/helm/release.ts';
import type { KubeMeta, KubernetesPort } from '../../../contract/ports.ts';
import { splitVersion } from './apis.ts';
import { given } from '../../../runtime/given.ts';
import { failureOf } from '../../../runtime/translate-errors.ts';

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

/** Where one document of a manifest ends and the next begins, as Helm writes it. */
const BETWEEN = /^---(?:[ \t].*)?$/m;
const HEADS = /^(?:apiVersion|kind|metadata):/;
/** What the API server takes of one object (etcd's request limit), and of what is read of a release: more would hold up this process for minutes. */
const MAX_OBJECT = 1.5 * 1024 * 1024;
const MAX_READ = 2 * 1024 * 1024;

function manifestsOf(secret: ReleaseSecret): z.infer<typeof Manifest>[] {
  let read = 0;
  const parsed = (text: string): z.infer<typeof Manifest> | undefined => {
    // A document costs something even where it is empty.
    read += text.length + 100;
    if (text.length > MAX_OBJECT || read > MAX_READ)
      throw failureOf(
        'InvalidRequest',
        `reading Helm release ${secret.metadata.name}: its manifest is larger than any that Kubernetes takes`,
      );
    return parseAllDocuments(text).flatMap((document) => Manifest.safeParse(document.toJS()).data ?? [])[0];
  };
  return (
    decodeRelease(secret, Release)
      .manifest.split(BETWEEN)
      .filter((text) => text.trim() !== '')
      // JSON, for one, has no line of its own for each.
      .flatMap((text) => parsed(headOf(text)) ?? parsed(text) ?? [])
  );
}

/** The lines that say what an object is; its spec can be a thousand times as long. */
function headOf(document: string): string {
  let isKept = false;
  return document
    .split('\n')
    .filter((line) => {
      if (/^[^\s#-]/.test(line)) isKept = HEADS.test(line);
      return isKept;
    })
    .join('\n');
}
