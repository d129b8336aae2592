/** What stands between clients and the API server: admission webhooks, aggregated APIs, custom resources. */
import { agree, count } from '../../../core/text.ts';
import { type Check, check, type Resource, unlessAny } from '../../model/check.ts';
import type { Definition, WebhookSeen } from '../../model/evidence.ts';
import { nameOf } from '../../model/names.ts';
import type { ServiceSeen } from '../../model/evidence-workloads.ts';
import { defined } from '../../../core/defined.ts';

export const admissionChecks: readonly Check[] = [
  check({
    code: 'K8S011',
    area: 'Kubernetes',
    title: 'Webhooks that must answer have endpoints',
    severity: 'required',
    reads: ['webhooks', 'services'],
    remediation: 'Restore the Service and its pods, or delete an orphaned webhook configuration.',
    source: 'https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#failure-policy',
    look({ webhooks, services }) {
      const orphans = webhooks.flatMap((webhook): Resource[] => {
        const { kind, configuration, name, service } = webhook;
        if (webhook.failurePolicy !== 'Fail' || service === undefined || webhook.catches.length === 0) return [];
        const lack = lackOf(service, services);
        if (lack === undefined) return [];
        return [
          {
            kind,
            name: configuration,
            note: `${name}: ${lack}; it is asked about ${webhook.catches.join(', ')}`,
          },
        ];
      });
      if (orphans.length === 0) return { pass: 'Every webhook that must answer has a ready endpoint.' };
      return {
        fail: `${count(orphans.length, 'webhook')} with failurePolicy Fail and nobody behind ${agree(orphans.length, 'it: what it is', 'them: what they are')} asked about cannot be created.`,
        resources: orphans,
      };
    },
  }),
  check({
    code: 'K8S030',
    area: 'Kubernetes',
    title: 'Aggregated APIs are available',
    severity: 'required',
    reads: ['aggregatedApis'],
    remediation: 'Restore its Service, or delete the APIService: until then namespaces cannot be deleted and discovery is slow.',
    source: 'https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/',
    look({ aggregatedApis }) {
      const away = aggregatedApis.filter(({ available }) => !available);
      if (away.length === 0) return { pass: 'Every aggregated API is available.' };
      return {
        fail: `${count(away.length, 'aggregated API')} unavailable.`,
        resources: away.map(({ name, message }): Resource => ({ kind: 'APIService', name, ...defined({ note: message }) })),
      };
    },
  }),
  check({
    code: 'K8S031',
    area: 'Kubernetes',
    title: 'Custom resources are stored in served versions',
    severity: 'recommended',
    reads: ['definitions'],
    remediation:
      'Rewrite each object (kubectl get … -o json | kubectl replace -f -), then remove the old version from status.storedVersions.',
    source:
      'https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#upgrade-existing-objects-to-a-new-stored-version',
    look({ definitions }) {
      const behind = definitions.flatMap((definition): Resource[] => {
        const old = staleVersions(definition);
        return old.length === 0 ? [] : [{ kind: 'CustomResourceDefinition', name: definition.name, note: `stored in ${old.join(', ')}` }];
      });
      if (behind.length === 0) return { pass: 'Every custom resource is stored in its storage version.' };
      return {
        fail: `${count(behind.length, 'CustomResourceDefinition')} with objects that may be stored in an old version: that version cannot be removed.`,
        resources: behind,
      };
    },
  }),
  check({
    code: 'K8S045',
    area: 'Kubernetes',
    title: 'Conversion webhooks have endpoints',
    severity: 'required',
    reads: ['definitions', 'services'],
    remediation:
      'Restore the Service, or point the definition’s spec.conversion at the existing one (Karpenter: karpenter-crd with webhook.serviceName, webhook.serviceNamespace, webhook.port; see belay migrate karpenter CLUSTER). Never delete the definition.',
    source: 'https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion',
    look({ definitions, services }) {
      const silent = definitions.flatMap((definition): Resource[] => {
        const { name, convertedBy, served } = definition;
        const asked = served.length > 1 || staleIn(definition).length > 0;
        const lack = convertedBy === undefined || !asked ? undefined : lackOf(convertedBy, services);
        return lack === undefined ? [] : [{ kind: 'CustomResourceDefinition', name, note: lack }];
      });
      return unlessAny(
        silent,
        'Every conversion webhook has a ready endpoint.',
        `${count(silent.length, 'CustomResourceDefinition')} whose objects cannot be converted: they can be neither read nor written, and no namespace can be deleted.`,
      );
    },
  }),
];

/** What keeps a Service from answering, in words; undefined: nothing. */
function lackOf(service: { namespace: string; name: string }, services: readonly ServiceSeen[]): string | undefined {
  const found = services.find((each) => each.namespace === service.namespace && each.name === service.name);
  if (found !== undefined && (found.external || found.ready > 0)) return undefined;
  return `Service ${nameOf(service)} ${found === undefined ? 'is not there' : 'has no ready endpoint'}`;
}

const staleIn = ({ storage, storedVersions }: Definition): string[] => storedVersions.filter((version) => version !== storage);

/** Karpenter's have a check of their own. */
function staleVersions(definition: Definition): string[] {
  return definition.group.startsWith('karpenter.') ? [] : staleIn(definition);
}

/** What a webhook is asked about that an upgrade creates or changes. */
export function catchesOf(rules: readonly { apiGroups?: string[]; operations?: string[]; resources?: string[] }[]): WebhookSeen['catches'] {
  const meets = (patterns: readonly string[] | undefined, wanted: string): boolean =>
    patterns?.some((each) => each === '*' || each === wanted) ?? false;
  const touched = [
    { group: '', resource: 'pods' },
    { group: '', resource: 'nodes' },
    { group: '', resource: 'namespaces' },
    { group: 'apps', resource: 'deployments' },
    { group: 'apps', resource: 'daemonsets' },
  ];
  return touched
    .filter(({ group, resource }) =>
      rules.some(
        ({ apiGroups, operations, resources }) =>
          meets(apiGroups, group) &&
          (meets(operations, 'CREATE') || meets(operations, 'UPDATE')) &&
          (meets(resources, resource) || (resources?.includes('*/*') ?? false)),
      ),
    )
    .map(({ resource }) => resource);
}
