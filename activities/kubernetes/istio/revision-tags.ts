/** Points revision tags and the default validator at another revision, as `istioctl tag set --overwrite` does, by the API alone. */
import { beat } from '../../context.ts';
import type { KubernetesPort, ResourceRef } from '../../ports.ts';
import { failureOf } from '../../translate-errors.ts';
import { annotate, editMap, type JsonOperation, lookThenPatch, relabel } from '../look-then-patch.ts';
import type { Service, WebhookClientConfig, WebhookConfiguration } from '../shapes.ts';
import { DEFAULT_VALIDATOR, hasCaBundle, injectorOf, istiodOf, listMutating, MUTATING, REV, tagWebhook, VALIDATING } from './inventory.ts';
import { ISTIO_BEFORE } from './namespace-labels.ts';
import { sameJson } from '../same-json.ts';

/**
 * Webhook, Service (Istio 1.28 and later) and, for tag `default`, the validator. `remember`: the revision before is written to the
 * webhook's annotation; without it the annotation is taken away. Throws NotFound for an unknown tag or revision, and InvalidRequest
 * when the revision's webhook has no CA bundle yet: pods could not be created then.
 */
export async function pointTag(port: KubernetesPort, tag: string, revision: string, remember: boolean): Promise<void> {
  beat({ kind: 'moving tag', tag });
  const webhooks = await listMutating(port);
  const tagged = tagWebhook(webhooks, tag);
  if (tagged === undefined) throw failureOf('NotFound', `moving tag ${tag}: no MutatingWebhookConfiguration has label istio.io/tag=${tag}`);
  const config = clientConfigOf(webhooks, revision, `moving tag ${tag}`);
  await lookThenPatch(port, { ...MUTATING, name: tagged.metadata.name }, (seen) => tagOperations(seen, revision, config, remember), tagged);
  await pointTagService(port, tag, revision, config.service?.namespace ?? 'istio-system');
  if (tag === 'default') await connectValidator(port, revision, config);
}

/** Where the API server reaches a revision's istiod: copied from the revision's own webhook, CA bundle included. */
function clientConfigOf(webhooks: readonly WebhookConfiguration[], revision: string, doing: string): WebhookClientConfig {
  const injector = injectorOf(webhooks, revision);
  if (injector === undefined) throw failureOf('NotFound', `${doing}: revision ${revision} has no injection webhook; install it first`);
  const config = injector.webhooks?.[0]?.clientConfig;
  if (config === undefined || !hasCaBundle(injector)) {
    throw failureOf(
      'InvalidRequest',
      `${doing}: webhook ${injector.metadata.name} has no CA bundle yet; wait until istiod of ${revision} is available`,
    );
  }
  return config;
}

function tagOperations(tagged: WebhookConfiguration, revision: string, config: WebhookClientConfig, remember: boolean): JsonOperation[] {
  const current = tagged.metadata.labels?.[REV];
  const known = tagged.metadata.annotations?.[ISTIO_BEFORE];
  const moves = current !== revision;
  const before = remember ? (moves ? JSON.stringify({ rev: current ?? null, to: revision }) : (known ?? null)) : null;
  return [...annotate(tagged, { [ISTIO_BEFORE]: before }), ...relabel(tagged, { [REV]: revision }), ...connect(tagged, () => config)];
}

/** Has each webhook call what `wanted` says (undefined: what it calls now). Label selectors stay: they are the object's own. */
function connect(
  { webhooks = [] }: WebhookConfiguration,
  wanted: (current: WebhookClientConfig | undefined) => WebhookClientConfig | undefined,
): JsonOperation[] {
  return webhooks.flatMap(({ clientConfig }, index): JsonOperation[] => {
    const value = wanted(clientConfig);
    return value === undefined || sameJson(clientConfig, value) ? [] : [{ op: 'add', path: `/webhooks/${index}/clientConfig`, value }];
  });
}

async function pointTagService(port: KubernetesPort, tag: string, revision: string, namespace: string): Promise<void> {
  const ref: ResourceRef = { apiVersion: 'v1', plural: 'services', namespace, name: `istiod-revision-tag-${tag}` };
  await lookThenPatch<Service>(port, ref, (service) => [
    ...relabel(service, { [REV]: revision }),
    ...editMap('/spec/selector', service.spec?.selector, { [REV]: revision }),
  ]);
}

/** The validator of unrevisioned configuration. It has failurePolicy Fail: pointing at a deleted istiod it would refuse every Istio object. */
export async function pointValidator(port: KubernetesPort, revision: string): Promise<void> {
  await connectValidator(
    port,
    revision,
    clientConfigOf(await listMutating(port), revision, `pointing ${DEFAULT_VALIDATOR} at ${revision}`),
  );
}

async function connectValidator(port: KubernetesPort, revision: string, { caBundle }: WebhookClientConfig): Promise<void> {
  beat({ kind: 'moving validator' });
  await lookThenPatch<WebhookConfiguration>(port, { ...VALIDATING, name: DEFAULT_VALIDATOR }, (validator) => {
    const labelled = validator.metadata.labels?.[REV] === undefined ? [] : relabel(validator, { [REV]: revision });
    const hooks = connect(validator, (current) =>
      current?.service === undefined ? undefined : { ...current, service: { ...current.service, name: istiodOf(revision) }, caBundle },
    );
    return [...labelled, ...hooks];
  });
}

/** Takes the before-images of moved tags away. */
export async function forgetTags(port: KubernetesPort): Promise<void> {
  for (const webhook of await listMutating(port)) {
    if (webhook.metadata.annotations?.[ISTIO_BEFORE] === undefined) continue;
    await lookThenPatch(port, { ...MUTATING, name: webhook.metadata.name }, (seen) => annotate(seen, { [ISTIO_BEFORE]: null }), webhook);
  }
}
