/** Fields that several changes may differ in. */
import { annotations, type Condition, keys } from './fields.ts';

export const rev = { 'istio.io/rev': 'any' } as const;

export const FREEZE = ['belay.dev/budgets-before', 'belay.dev/freeze-guard', 'belay.dev/freeze-entry'];

export const CORDONED = { metadata: annotations('belay.dev/cordoned'), spec: keys('unschedulable') };

/** A node that is drained for good leaves load balancers, too. */
export const NO_TRAFFIC = { labels: keys('node.kubernetes.io/exclude-from-external-load-balancers') };

export const HELD = ['karpenter.sh/do-not-disrupt', 'belay.dev/do-not-disrupt-before', 'belay.dev/node-skipped', 'belay.dev/roll-wave'];

export const SCALED = ['belay.dev/replicas-before', 'belay.dev/fargate-replicas-before', 'belay.dev/istio-before'];

export const RESTART = { metadata: annotations('kubectl.kubernetes.io/restartedAt') };

export const RESTART_OR_REVISION = { metadata: { ...annotations('kubectl.kubernetes.io/restartedAt'), labels: rev } };

export const DEFAULT_VALIDATOR = 'istiod-default-validator';

/** Of Karpenter before 1.0. */
export const OLD_MUTATING = ['defaulting.webhook.karpenter.k8s.aws'];

export const OLD_VALIDATING = [
  'validation.webhook.karpenter.sh',
  'validation.webhook.config.karpenter.sh',
  'validation.webhook.karpenter.k8s.aws',
];

export const DEFINITIONS = ['nodepools.karpenter.sh', 'nodeclaims.karpenter.sh', 'ec2nodeclasses.karpenter.k8s.aws'];

export const labelsOf = (object: string): string => `${object}.metadata.?labels.orValue({})`;

export const callsIstiod = (webhook: string): string => `${webhook}.clientConfig.?service.?name.orValue('').startsWith('istiod')`;

export const oneOf = (names: readonly string[]): string => `[${names.map((name) => `'${name}'`).join(', ')}]`;

export const ISTIOS_ALONE: Condition = {
  cel: `['istio.io/rev', 'istio.io/tag'].exists(label, label in ${labelsOf('oldObject')})`,
  refuses: 'of webhook configurations Belay changes only Istio’s, by their labels istio.io/rev and istio.io/tag',
};

export const STAYS_WITH_ISTIOD: Condition = {
  cel: `object.webhooks.all(hook, ${callsIstiod('hook')} || oldObject.webhooks.exists(was, was.name == hook.name && was.clientConfig == hook.clientConfig) || (has(hook.clientConfig.url) && oldObject.webhooks.exists(was, was.name == hook.name && has(was.clientConfig.url))))`,
  refuses: 'a webhook that Belay changes calls an istiod afterwards',
};

export const INJECTOR_GOES: Condition = {
  cel: `request.name in ${oneOf(OLD_MUTATING)} || (!('istio.io/tag' in ${labelsOf('oldObject')}) && ('istio.io/rev' in ${labelsOf('oldObject')} || oldObject.webhooks.exists(hook, ${callsIstiod('hook')})))`,
  refuses:
    'Belay deletes only injection webhooks of an Istio revision, and those of Karpenter before 1.0; never a tag’s, and never those of policy engines',
};

export const PLAIN_SYNC: Condition = {
  cel: "!has(object.operation) || (has(oldObject.operation) && object.operation == oldObject.operation) || (object.operation.all(key, key in ['initiatedBy', 'info', 'sync']) && object.operation.sync.all(key, key in ['revision', 'revisions', 'prune', 'syncStrategy']) && object.operation.sync.prune == false)",
  refuses: 'a sync that Belay starts prunes nothing, and applies nothing but what the Application names',
};
