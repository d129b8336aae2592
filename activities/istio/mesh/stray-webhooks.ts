/** Webhooks that outlive a revision's istiod. Their failurePolicy is Fail: no pod could be created, or no Istio object written, where they match. */
import { messageOf } from '../../../domain/core/unknown.ts';
import { beat } from '../../runtime/context.ts';
import type { KubernetesPort, ResourceRef } from '../../contract/ports.ts';
import { failureType } from '../../runtime/translate-errors.ts';
import { gitOpsOwner, releaseNameOf, releaseNamespaceOf } from '../../kubernetes/helm/ownership.ts';
import { readRelease } from '../../kubernetes/helm/release.ts';
import type { WebhookConfiguration } from '../../clients/kubernetes/objects.ts';
import { DEFAULT_VALIDATOR, findIstiods, istiodOf, listMutating, listValidating, REV, TAG } from './inventory.ts';
import { MUTATING, VALIDATING } from '../../kubernetes/objects/lists.ts';

const INJECTOR = 'sidecar-injector.istio.io';

interface Found {
  ref: ResourceRef;
  kind: string;
  webhook: WebhookConfiguration;
}

/** Every webhook configuration of the revision, by what it calls or by its label. */
export async function webhooksOf(port: KubernetesPort, revision: string): Promise<Found[]> {
  const found = (kind: string, type: typeof MUTATING, webhooks: readonly WebhookConfiguration[]): Found[] =>
    webhooks
      .filter((webhook) => belongsTo(webhook, revision))
      .map((webhook) => ({ kind, webhook, ref: { ...type, name: webhook.metadata.name } }));
  return [
    ...found('MutatingWebhookConfiguration', MUTATING, await listMutating(port)),
    ...found('ValidatingWebhookConfiguration', VALIDATING, await listValidating(port)),
  ];
}

/** By label, or because it calls the revision's istiod. The default validator belongs to the revision that it calls, whatever its label says. */
function belongsTo({ metadata, webhooks = [] }: WebhookConfiguration, revision: string): boolean {
  if (webhooks.some(({ clientConfig }) => clientConfig?.service?.name === istiodOf(revision))) return true;
  return metadata.name !== DEFAULT_VALIDATOR && metadata.labels?.[REV] === revision;
}

/** Has it a webhook that injects proxies, of whatever revision or tag? */
export const isInjector = ({ webhooks = [] }: WebhookConfiguration): boolean => webhooks.some(({ name }) => name.endsWith(INJECTOR));

/** Injection webhooks of any revision or tag whose Service is gone, with that Service. */
export async function deadInjectors(
  port: KubernetesPort,
  webhooks: readonly WebhookConfiguration[],
): Promise<{ configuration: string; service: string }[]> {
  const dead: { configuration: string; service: string }[] = [];
  for (const { metadata, webhooks: hooks = [] } of webhooks) {
    if (metadata.labels?.[REV] === undefined && !isInjector({ metadata, webhooks: hooks })) continue;
    const called = hooks.map(({ clientConfig }) => clientConfig?.service).find((each) => each !== undefined);
    if (called === undefined) continue;
    const { namespace, name } = called;
    const service = await port.get({ apiVersion: 'v1', plural: 'services', namespace, name });
    if (service === undefined) dead.push({ configuration: metadata.name, service: `${namespace}/${name}` });
  }
  return dead;
}

/**
 * Deletes what is left of a revision whose istiod is gone and what nobody else takes away: not what GitOps or a living Helm release owns. Not
 * the default validator and not tags: they are the cluster's, and where a tag's webhook is gone, pods start without a sidecar and nobody says
 * so. Returns the names, and why one could not be deleted.
 */
export async function sweepWebhooks(port: KubernetesPort, revision: string): Promise<{ swept: string[]; failed: string[] }> {
  const result = { swept: [] as string[], failed: [] as string[] };
  if ((await findIstiods(port, revision)).length > 0) return result;
  for (const { ref, kind, webhook } of await webhooksOf(port, revision)) {
    if (webhook.metadata.name === DEFAULT_VALIDATOR || webhook.metadata.labels?.[TAG] !== undefined) continue;
    if (await hasOwner(port, webhook)) continue;
    const name = `${kind} ${webhook.metadata.name}`;
    beat({ kind: 'sweeping', webhook: name });
    try {
      await port.delete(ref, { uid: webhook.metadata.uid });
      result.swept.push(name);
    } catch (error) {
      if (failureType(error) !== 'AccessDenied') throw error;
      result.failed.push(`${name} (${messageOf(error)})`);
    }
  }
  return result;
}

async function hasOwner(port: KubernetesPort, webhook: WebhookConfiguration): Promise<boolean> {
  if (gitOpsOwner(webhook) !== undefined) return true;
  const [name, namespace] = [releaseNameOf(webhook), releaseNamespaceOf(webhook)];
  if (name === undefined || namespace === undefined) return false;
  try {
    const release = await readRelease(port, namespace, name);
    return release !== undefined && release.status !== 'uninstalled';
  } catch (error) {
    // Without the right to read Secrets nobody knows whether the release lives.
    if (failureType(error) === 'AccessDenied') return true;
    throw error;
  }
}
