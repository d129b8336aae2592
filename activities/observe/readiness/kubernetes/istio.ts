/** Istio beside what the planner knows of it: labels and webhooks that must agree, replicas, node agents. */
import type { NodeAgentFact } from '../../../../domain/facts/facts.ts';
import type { IstioSeen } from '../../../../domain/readiness/model/evidence.ts';
import { createReader } from '../../../runtime/reader.ts';
import { readIstio } from '../../inspect/istio.ts';
import { defaultRevision, findIstiods, INJECTION, listMutating, REV, TAG } from '../../../istio/mesh/inventory.ts';
import { listNodeAgents } from '../../../istio/mesh/find-node-agents.ts';
import { deadInjectors } from '../../../istio/mesh/stray-webhooks.ts';
import type { WebhookConfiguration } from '../../../clients/kubernetes/objects.ts';
import type { KubeObject, KubernetesPort } from '../../../contract/ports.ts';
import { deliveredBy } from '../../../kubernetes/gitops/owner-marks.ts';
import { readConfiguration } from './istio-configuration.ts';
import { refuseBlindness } from '../../../runtime/see.ts';
import { given } from '../../../runtime/given.ts';

export async function readIstioSeen(port: KubernetesPort): Promise<IstioSeen | 'none'> {
  const reader = createReader('throw');
  const fact = await readIstio(port, undefined, reader);
  // What is doubted about single namespaces and gateways is a finding of its own here.
  refuseBlindness(reader.unknowns.filter(({ part }) => part !== 'revision-choices'));
  if (fact === undefined) return 'none';
  const [webhooks, namespaces, istiods, agents, configuration] = await Promise.all([
    listMutating(port),
    port.list({ apiVersion: 'v1', plural: 'namespaces' }),
    findIstiods(port),
    readAgents(port),
    readConfiguration(port),
  ]);
  return {
    ...fact,
    doubled: labelled(namespaces, INJECTION)
      .filter(({ metadata }) => metadata.labels?.[REV] !== undefined)
      .map(({ metadata }) => metadata.name),
    unanswered: unanswered(namespaces ?? [], webhooks),
    deadWebhooks: await deadInjectors(port, webhooks),
    istiods: istiods.map(({ metadata, spec }) => ({
      name: metadata.name,
      namespace: metadata.namespace ?? '',
      replicas: spec?.replicas ?? 1,
      ...given('deliveredBy', deliveredBy(metadata)),
    })),
    ...agents,
    ...configuration,
  };
}

const labelled = (namespaces: readonly KubeObject[] | undefined, label: string): KubeObject[] =>
  (namespaces ?? []).filter(({ metadata }) => metadata.labels?.[label] !== undefined);

/**
 * `istio-injection=enabled` wants tag `default` or the un-revisioned install; `istio.io/rev` counts only where `istio-injection` is absent, and wants
 * a revision or a tag of some webhook.
 */
function unanswered(namespaces: readonly KubeObject[], webhooks: readonly WebhookConfiguration[]): IstioSeen['unanswered'] {
  const injectors = webhooks.filter(({ metadata }) => metadata.labels?.[REV] !== undefined);
  const answered = new Set(injectors.flatMap(({ metadata }) => metadata.labels?.[TAG] ?? metadata.labels?.[REV] ?? []));
  const injects = defaultRevision(webhooks) !== undefined;
  return namespaces.flatMap(({ metadata: { name, labels = {} } }) => {
    const [injection, revision] = [labels[INJECTION], labels[REV]];
    if (injection !== undefined) return injection !== 'enabled' || injects ? [] : [{ namespace: name, selector: `${INJECTION}=enabled` }];
    return revision === undefined || answered.has(revision) ? [] : [{ namespace: name, selector: `${REV}=${revision}` }];
  });
}

async function readAgents(port: KubernetesPort): Promise<Pick<IstioSeen, 'cniVersion' | 'ztunnelVersion'>> {
  const found = await listNodeAgents(port);
  const versionOf = (kind: NodeAgentFact['kind']): string | undefined => found.find((agent) => agent.kind === kind)?.version;
  return { ...given('cniVersion', versionOf('istio-cni')), ...given('ztunnelVersion', versionOf('ztunnel')) };
}
