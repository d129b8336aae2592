/** Points revision tags and the default validator at another revision, as `istioctl tag set --overwrite` does, by the API alone. */
import { beat } from '../../runtime/context.ts';
import type { KubernetesPort, ResourceRef } from '../../contract/ports.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { gitOpsOwner } from '../../kubernetes/helm/ownership.ts';
import { annotate, editMap, type JsonOperation, lookThenPatch, relabel } from '../../kubernetes/objects/patch-object.ts';
import type { Service, WebhookClientConfig, WebhookConfiguration } from '../../clients/kubernetes/objects.ts';
import { DEFAULT_VALIDATOR, hasCaBundle, injectorOf, istiodOf, listMutating, REV, tagWebhook } from '../mesh/inventory.ts';
import { validatedBy } from './istio-base.ts';
import { ISTIO_BEFORE } from '../mesh/namespace-labels.ts';
import { sameJson } from '../../runtime/same-json.ts';
import { MUTATING, VALIDATING } from '../../kubernetes/objects/lists.ts';
import type { HeldPointer } from '../../contract/istio-objects.ts';

/**
 * Webhook, Service (Istio 1.28 and later) and, for tag `default`, the validator. `remember`: the revision before is written to the
 * webhook's annotation; without it the annotation is taken away. A tag that GitOps owns and that points elsewhere is left alone and returned:
 * a patch would be reverted. Throws NotFound for an unknown tag or revision, and InvalidRequest when the revision's webhook has no CA
 * bundle yet: pods could not be created then.
 */
export async function pointTag(port: KubernetesPort, tag: string, revision: string, remember: boolean): Promise<HeldPointer | undefined> {
  beat({ kind: 'moving tag', tag });
  const webhooks = await listMutating(port);
  const tagged = tagWebhook(webhooks, tag);
  if (tagged === undefined) throw failureOf('NotFound', `moving tag ${tag}: no MutatingWebhookConfiguration has label istio.io/tag=${tag}`);
  const config = clientConfigOf(webhooks, revision, `moving tag ${tag}`);
  const moves = tagged.metadata.labels?.[REV] !== revision;
  const by = gitOpsOwner(tagged);
  if (by !== undefined) return moves ? { tag, what: `tag ${tag} (MutatingWebhookConfiguration ${tagged.metadata.name})`, by } : undefined;
  await lookThenPatch(port, { ...MUTATING, name: tagged.metadata.name }, (seen) => tagOperations(seen, revision, config, remember), tagged);
  await pointTagService(port, tag, revision, config.service?.namespace ?? 'istio-system');
  // Where GitOps owns it, it stays: the old istiod still runs, and its retirement asks for it.
  if (tag === 'default') await connectValidator(port, revision, config);
  return undefined;
}

/**
 * Tag `default` and the default validator, where they still point at `revision`, to its successor: before its istiod goes. Returns those that
 * GitOps owns. Throws as pointTag.
 */
export async function moveDefaults(port: KubernetesPort, revision: string, successor: string): Promise<HeldPointer[]> {
  const webhooks = await listMutating(port);
  const tagged = tagWebhook(webhooks, 'default')?.metadata.labels?.[REV] === revision;
  const validator = await port.get<WebhookConfiguration>({ ...VALIDATING, name: DEFAULT_VALIDATOR });
  const validates = await validatedBy(port, validator, revision);
  const held = [
    tagged ? await pointTag(port, 'default', successor, false) : undefined,
    // That of a third revision, which stays, is left with it.
    validates !== undefined && validates !== revision && validates !== successor
      ? undefined
      : await connectValidator(port, successor, clientConfigOf(webhooks, successor, `pointing ${DEFAULT_VALIDATOR} at ${successor}`)),
  ];
  return held.filter((each) => each !== undefined);
}

/** Which of the tags, and of the default validator, do not point at the revision yet. What is not there points nowhere else. */
export async function pointersLeft(
  port: KubernetesPort,
  { tags, validator, revision }: { tags: readonly string[]; validator: boolean; revision: string },
): Promise<string[]> {
  const webhooks = await listMutating(port);
  const behind = tags.filter((tag) => {
    const tagged = tagWebhook(webhooks, tag);
    return tagged !== undefined && !pointsAt(tagged, revision);
  });
  const found = validator ? await port.get<WebhookConfiguration>({ ...VALIDATING, name: DEFAULT_VALIDATOR }) : undefined;
  return [...behind.map((tag) => `tag ${tag}`), ...(found === undefined || pointsAt(found, revision) ? [] : [DEFAULT_VALIDATOR])];
}

function pointsAt({ webhooks = [] }: WebhookConfiguration, revision: string): boolean {
  return webhooks.every(({ clientConfig }) => clientConfig?.service === undefined || clientConfig.service.name === istiodOf(revision));
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

/** Of an istiod without a revision its chart selects `istio: pilot`, which no istiod with one has (istio/istio, istiod chart: revision-tags-svc.yaml, deployment.yaml). */
async function pointTagService(port: KubernetesPort, tag: string, revision: string, namespace: string): Promise<void> {
  const ref: ResourceRef = { apiVersion: 'v1', plural: 'services', namespace, name: `istiod-revision-tag-${tag}` };
  await lookThenPatch<Service>(port, ref, (service) => [
    ...relabel(service, { [REV]: revision }),
    ...editMap('/spec/selector', service.spec?.selector, { [REV]: revision, ...(revision === 'default' ? {} : { istio: null }) }),
  ]);
}

/**
 * The validator of unrevisioned configuration has failurePolicy Fail: pointing at a deleted istiod it would refuse every Istio object. Returned:
 * GitOps owns it, and it calls another revision.
 */
async function connectValidator(
  port: KubernetesPort,
  revision: string,
  { caBundle }: WebhookClientConfig,
): Promise<HeldPointer | undefined> {
  beat({ kind: 'moving validator' });
  const ref = { ...VALIDATING, name: DEFAULT_VALIDATOR };
  const known = await port.get<WebhookConfiguration>(ref);
  if (known === undefined) return undefined;
  const by = gitOpsOwner(known);
  if (by !== undefined) return pointsAt(known, revision) ? undefined : { what: `ValidatingWebhookConfiguration ${DEFAULT_VALIDATOR}`, by };
  const operations = (validator: WebhookConfiguration): JsonOperation[] => {
    const labelled = validator.metadata.labels?.[REV] === undefined ? [] : relabel(validator, { [REV]: revision });
    const hooks = connect(validator, (current) =>
      current?.service === undefined ? undefined : { ...current, service: { ...current.service, name: istiodOf(revision) }, caBundle },
    );
    return [...labelled, ...hooks];
  };
  await lookThenPatch(port, ref, operations, known);
  return undefined;
}

/** Takes the before-images of moved tags away. */
export async function forgetTags(port: KubernetesPort): Promise<void> {
  for (const webhook of await listMutating(port)) {
    if (webhook.metadata.annotations?.[ISTIO_BEFORE] === undefined) continue;
    await lookThenPatch(port, { ...MUTATING, name: webhook.metadata.name }, (seen) => annotate(seen, { [ISTIO_BEFORE]: null }), webhook);
  }
}
